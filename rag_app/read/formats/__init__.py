"""Other kinds of file: bytes in, Markdown out, one module a kind."""
