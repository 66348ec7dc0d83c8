"""Cases for the prompt that chooses statements: a question, a small body of evidence, and the right choice.

`bodies/` holds made-up documents with their questions, `recordings/` what a model chose. `__main__.py` scores a model,
or a recording, so that a change of the prompt is compared and not felt.
"""
