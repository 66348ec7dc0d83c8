"""Tables of a PDF: drawn lines and words with places in, rows of cells out."""
