"""An answer in; one self-contained piece of HTML out, the same in Jupyter, in files and in the served page."""
