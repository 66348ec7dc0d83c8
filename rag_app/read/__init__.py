"""Bytes of a file in, a `Document` out: its exact text and what is known about it, or a problem with its reason."""
