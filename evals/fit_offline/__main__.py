"""`python -m evals.fit_offline SUITE SUITE ...`: asks, fits when to decline, shows how it holds on a suite left out.

A SUITE is the folder of an index with its questions.jsonl, or FOLDER=FILE for questions that lie elsewhere. Two kinds
of question are read: those of an evaluation suite, and those whose answers are quotes (`evals/fit_offline/quoted.py`).
Every suite counts alike in the fit. With --write the fitted numbers replace those of fitted.toml.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from evals.fit_offline.models import Answering, calibration_error, chance_error, fit_answering, rank_area
from evals.fit_offline.observing import WITH_CROSS_ENCODER, WITHOUT_CROSS_ENCODER, load, observe, save
from evals.fit_offline.writing import written
from rag_app.synthesize.offline.features import FILE

_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7)


def main(arguments: Sequence[str] | None = None) -> None:
    """Asks, fits, prints and, where that is asked for, writes."""
    reads = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reads.add_argument("suites", nargs="*", metavar="SUITE", help="FOLDER, or FOLDER=FILE")
    reads.add_argument("--split", help="of evaluation suites, only the questions of this split")
    reads.add_argument("--only", default="", help="of evaluation suites, only questions whose id holds this text")
    reads.add_argument("--without-cross-encoder", action="store_true", help="fit drafts that no cross-encoder read")
    reads.add_argument("--observed", type=Path, help="file that keeps what was observed; read instead of asking again")
    reads.add_argument("--write", type=Path, nargs="?", const=FILE, help="file to write to; left out, fitted.toml")
    asked = reads.parse_args(arguments)
    signs = WITHOUT_CROSS_ENCODER if asked.without_cross_encoder else WITH_CROSS_ENCODER
    if asked.observed and asked.observed.exists():
        observed = load(asked.observed)
    else:
        observed = [one for suite in asked.suites for one in _observe(suite, asked)]
        if asked.observed:
            save(asked.observed, observed)
    if not observed:
        reads.error("no question was drafted: name a suite, or another split")
    print("\n".join(table(observed, signs)))
    fitted = fit_answering(observed, signs)
    name = f"{'without' if asked.without_cross_encoder else 'with'}_cross_encoder.answering"
    text = written((asked.write or FILE).read_text("utf-8"), name, fitted)
    print(f"\n[{name}]", *(f"{feature} = {value:.3g}" for feature, value in fitted.items()), sep="\n")
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")
        print(f"Written to {asked.write}.")


def _observe(suite: str, asked: argparse.Namespace) -> list[Answering]:
    folder, _, file = suite.partition("=")
    return observe(
        Path(folder),
        Path(file) if file else Path(folder) / "questions.jsonl",
        split=asked.split,
        only=asked.only,
        reads_pairs=not asked.without_cross_encoder,
        log=print,
    )


def table(observed: Sequence[Answering], signs: dict[str, int]) -> list[str]:
    """How well a fit to all other suites holds for each one, as a Markdown table."""
    shown = " | ".join(f"from {threshold:.2f}" for threshold in _THRESHOLDS)
    lines = [
        "Each suite judged by a fit to the others: nothing right shown / right ones refused, by threshold. In brackets",
        "the calibration error that chance alone leaves among so many parts.",
        "",
        f"| suite | parts | area under the curve | calibration error | {shown} |",
        "| --- " * (4 + len(_THRESHOLDS)) + "|",
    ]
    for suite in dict.fromkeys(one.suite for one in observed):
        mine = [one for one in observed if one.suite == suite]
        others = [one for one in observed if one.suite != suite]
        if not others:
            return ["One suite alone: give several to see how a fit holds on one that took no part."]
        weights = fit_answering(others, signs)
        stated = [_probability(weights, one) for one in mine]
        right = [one.is_right for one in mine]
        error = f"{calibration_error(stated, right):.2f} ({chance_error(stated):.2f})"
        cells = [suite, str(len(mine)), f"{rank_area(stated, right):.2f}", error]
        for threshold in _THRESHOLDS:
            wrong = sum(p >= threshold and not is_right for p, is_right in zip(stated, right, strict=True))
            lost = sum(p < threshold and is_right for p, is_right in zip(stated, right, strict=True))
            cells.append(f"{wrong} / {lost}")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _probability(weights: dict[str, float], one: Answering) -> float:
    return 1 / (1 + math.exp(-sum(value * one.features.get(name, 1.0) for name, value in weights.items())))


if __name__ == "__main__":
    main()
