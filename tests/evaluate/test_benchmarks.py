"""The benchmarks themselves: that all of them run over the package as it is."""

import json
from pathlib import Path

from evals.benchmarks.__main__ import main


def test_every_benchmark_runs_and_keeps_figures_of_answers_that_were_given(tmp_path: Path):
    """At the smallest size each benchmark leaves its figures, and the questions that are timed are answered."""
    main(["--quick", "--keep", str(tmp_path)])
    (kept,) = tmp_path.glob("*-quick.json")
    results = {result["name"]: result for result in json.loads(kept.read_text("utf-8"))["results"]}
    begins = ("import", "reading", "indexing", "update", "answer with", "our own", "opening", "build", "hybrid")
    assert [begin for begin in begins if not any(name.startswith(begin) for name in results)] == []
    assert all(result["measured"] > 0 for result in results.values())
    assert results["answer with cross-encoder"]["details"]["pairs"] > 0
    assert results["answer without cross-encoder"]["details"]["answered"] > 0.5
