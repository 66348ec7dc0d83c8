"""Wing: lists of web pages. URLs in; documents out, fetched politely and kept as they were last seen."""
