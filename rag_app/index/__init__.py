"""Documents in; a built index out, which is read one revision at a time.

Its catalog is the truth about it; the dense and the sparse index follow.
"""
