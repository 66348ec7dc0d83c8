"""Retrieved passages in; those worth reading out, in a better order: quality, confidence, rerank, then pointers."""
