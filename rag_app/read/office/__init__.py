"""Files of office programs (zipped XML): their parts in, Markdown out."""
