"""A folder in, a new revision of its index out: what changed is planned, embedded and written, or nothing is."""
