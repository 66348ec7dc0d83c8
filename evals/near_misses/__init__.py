"""Pairs of questions: what is asked stands in the documents, and its neighbour, which shares every word but one, does not.

`python -m evals.near_misses` asks both without a language model: an absent one that is answered is answered with its
neighbour, and a present one that is refused was refused too much.
"""
