"""Node postprocessors, in the order in which they are used: quality, confidence, rerank."""
