"""A built index: what defines it; its catalog, which is the truth about it; dense and sparse index; how it is read."""
