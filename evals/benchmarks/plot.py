"""Draws the figures that `evals.benchmarks.large` kept, by number of passages.

python -m evals.benchmarks.plot evals/results/benchmarks/large.jsonl docs/design/scale.svg
"""

import argparse
import json
from pathlib import Path
from typing import Any

PANELS = (
    ("build without embedding, ms a passage", "build", {"build": "ms_each", "update": "ms_each"}),
    ("disk, kB a passage", "build", {"disk": "disk_kb"}),
    ("an answer, median, ms of processor", "ask", {}),
    ("opening, ms of processor", "ask", {"opening": "open_ms"}),
    ("memory, MB", "ask", {"build": "memory_mb", "asking": "memory_mb"}),
    ("recall@10 of the dense index", "ask", {}),
)
_BY_SHARE = {"an answer, median, ms of processor": "answer_ms ", "recall@10 of the dense index": "recall@10 "}


def lines(runs: list[dict[str, Any]], title: str, step: str, names: dict[str, str]) -> dict[str, list[Any]]:
    """The points (passages, figure) of a panel, by what the line is called."""
    found: dict[str, list[Any]] = {}
    prefix = _BY_SHARE.get(title)
    for run in runs:
        passages = run["build"]["passages"]
        if prefix:
            wanted = {key.removeprefix(prefix): (step, key) for key in run[step] if key.startswith(prefix)}
        else:
            wanted = {label: (label if label in run else step, key) for label, key in names.items()}
        for label, (of, key) in wanted.items():
            found.setdefault(label, []).append((passages, run[of][key]))
    return {label: sorted(points) for label, points in found.items()}


def draw(runs: list[dict[str, Any]], target: Path) -> None:
    """Writes an SVG of all panels, from the runs with the most rules at each size."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    most = {run["build"]["passages"]: run for run in sorted(runs, key=lambda run: run["rules"])}
    figure, axes = plt.subplots(2, 3, figsize=(12, 6), layout="constrained")
    for axis, (title, step, names) in zip(axes.flat, PANELS, strict=True):
        for label, points in lines([*most.values()], title, step, names).items():
            axis.plot(*zip(*points, strict=True), marker="o", label=label)
        axis.set(title=title, xscale="log", xlabel="passages")
        axis.xaxis.set_minor_formatter(NullFormatter())
        if title.startswith("recall"):
            axis.set_ylim(0.9, 1.005)
        else:
            axis.set_ylim(bottom=0)
        axis.legend(fontsize="small")
    plt.rcParams["svg.hashsalt"] = "scale"
    figure.savefig(target, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks.plot", description=__doc__)
    parser.add_argument("runs", type=Path, help="what `evals.benchmarks.large --keep` wrote")
    parser.add_argument("target", type=Path, help="the SVG file")
    given = parser.parse_args()
    draw([json.loads(line) for line in given.runs.read_text("utf-8").splitlines()], given.target)


if __name__ == "__main__":
    main()
