"""A question in; the passages that the asker may read and that come nearest to it out, best first."""
