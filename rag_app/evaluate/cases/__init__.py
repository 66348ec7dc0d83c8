"""Question files in; checked cases out: the one schema, and proofs against the documents."""
