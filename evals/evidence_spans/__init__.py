"""How well the evidence that is shown for a question agrees with spans that people marked in a text."""
