"""Questions and a model in; a verdict out: whether an index makes the model's answers better."""
