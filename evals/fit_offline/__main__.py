"""`python -m evals.fit_offline FOLDER FOLDER ...`: fits when to decline, and shows how it holds on a suite left out.

Each folder is an index with its questions.jsonl. Prints the table `with_cross_encoder.answering` of fitted.toml.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from evals.fit_offline.models import Answering, calibration_error, fit_answering
from evals.fit_offline.observing import FEATURES, observe

_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


def main() -> None:
    """Asks, fits and prints."""
    reads = argparse.ArgumentParser(description=__doc__)
    reads.add_argument("folders", nargs="+", type=Path)
    reads.add_argument("--split", help="only the questions of this split")
    asked = reads.parse_args()
    observed = [one for folder in asked.folders for one in observe(folder, asked.split)]
    if not observed:
        reads.error("no question of these suites was drafted: name another split, or leave it out")
    for suite in dict.fromkeys(one.suite for one in observed):
        mine = [one for one in observed if one.suite == suite]
        others = [one for one in observed if one.suite != suite]
        if others:
            print("\n".join(held_out(suite, mine, others)))
    print("[with_cross_encoder.answering]")
    for name, value in fit_answering(observed, FEATURES).items():
        print(f"{name} = {value:.3f}")


def held_out(suite: str, mine: Sequence[Answering], others: Sequence[Answering]) -> list[str]:
    """How well a fit to the `others` holds for the parts of `suite`, in lines for a reader."""
    weights = fit_answering(others, FEATURES)
    stated = [_probability(weights, one) for one in mine]
    right = [one.is_right for one in mine]
    lines = [f"{suite}: {len(mine)} parts, expected calibration error {calibration_error(stated, right):.2f}"]
    for threshold in _THRESHOLDS:
        wrong = sum(p >= threshold and not is_right for p, is_right in zip(stated, right, strict=True))
        lost = sum(p < threshold and is_right for p, is_right in zip(stated, right, strict=True))
        lines.append(f"  from {threshold:.2f}: {wrong} shown with nothing right, {lost} right ones refused")
    return lines


def _probability(weights: dict[str, float], one: Answering) -> float:
    return 1 / (1 + math.exp(-sum(value * one.features.get(name, 1.0) for name, value in weights.items())))


if __name__ == "__main__":
    main()
