"""Benchmarks: ratios of two things measured side by side in one run. `python -m evals.benchmarks`, or `make bench`."""
