"""Evidence in, a draft out, with no language model: features of each statement, their sum, and when to decline."""
