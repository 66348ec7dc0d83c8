"""A result in; a page out: Markdown or one self-contained HTML file."""
