"""An answer in; what the callers of a LlamaIndex query engine hold out: responses, streams, events, batches, a tool."""
