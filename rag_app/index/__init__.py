"""A built index: what defines it, the catalog that is the truth about it, its two legs, how it is made and read."""
