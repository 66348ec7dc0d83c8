"""Two texts in, a verdict out: does this sentence say what that one says? Pure comparers, no I/O."""
