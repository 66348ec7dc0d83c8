"""The bytes of an HTML page in; the Markdown that a reader of the page sees out."""
