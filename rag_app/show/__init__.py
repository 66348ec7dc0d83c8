"""An answer in; text, HTML or tables out: how answers look in a terminal, in Jupyter and in reports."""
