"""The name of a model in; a LlamaIndex `LLM` of its provider out, ready for one call with its budget."""
