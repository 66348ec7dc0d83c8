"""Pairs of questions: what one asks stands in the documents; what its neighbour asks, in all words but one, does not.

`python -m evals.near_misses` asks both without a language model: an absent one that is answered is answered with its
neighbour, and a present one that is refused was refused too much.
"""
