"""A PDF's bytes in; its text out, in the order in which it is read, with what could not be read named.

Begin with `pdf_file.py`. A page becomes words with places (`pdf_words.py`), of which only visible ones stay
(`visible.py`); words become segments (`segments.py`); lines and alignment show tables (`tables/`); gutters show columns
(`columns.py`); and what is left becomes paragraphs (`paragraphs.py`), written as plain text (`page_text.py`).
"""
