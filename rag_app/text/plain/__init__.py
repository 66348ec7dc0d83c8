"""The lines of a plain text in; its headings, tables, lists and paragraphs out."""
