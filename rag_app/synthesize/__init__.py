"""From passages to an answer. Before `evidence.py` LlamaIndex nodes travel, behind it our own frozen types."""
