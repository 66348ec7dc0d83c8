"""Passages in; the dense (Chroma) and the sparse (Tantivy) index out, and what each finds for a question."""
