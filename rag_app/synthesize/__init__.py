"""Passages in; an answer out. Before `evidence.py` LlamaIndex nodes travel, behind it our own frozen types."""
