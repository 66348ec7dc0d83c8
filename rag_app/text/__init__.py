"""A document's text in; passages and statements out, each an exact slice of it. Values in, values out: no I/O."""
