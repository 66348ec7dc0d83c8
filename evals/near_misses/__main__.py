"""Asks the pairs of `pairs.jsonl` and prints which neighbours were shown and which answers were not."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rag_app import OpenIndex, build_index, open_index
from rag_app.index.definition import load_principals

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one pair."""

    asked: str
    absent: str
    is_answered: bool
    """Whether the fact was shown to the one whose answer is there; a pair without a fact is answered by any quote."""
    is_neighbour_shown: bool


def ask_pairs(folder: str, index: OpenIndex) -> Iterator[Asked]:
    """The pairs about one index, by its folder within the project."""
    principals = load_principals(ROOT / folder)
    lines = (Path(__file__).parent / "pairs.jsonl").read_text("utf-8").splitlines()
    for pair in map(json.loads, lines):
        if pair["index"] == folder:
            engine = index.as_query_engine(principals[pair["as"]], llm=None)
            shown = engine.query(pair["asked"]).answer.quotes
            fact = pair["holds"] or ""
            is_answered = any(fact in quote.text for quote in shown)
            yield Asked(pair["asked"], pair["absent"], is_answered, bool(engine.query(pair["absent"]).answer.quotes))


def main() -> None:
    """Builds the indexes where that is needed, asks, prints."""
    for folder in ("indexes/fellwire", "evals/harbour"):
        build_index(ROOT / folder)
        found = list(ask_pairs(folder, open_index(ROOT / folder)))
        for one in found:
            if one.is_neighbour_shown:
                print(f"neighbour shown: {one.absent}")
            if not one.is_answered:
                print(f"not answered: {one.asked}")
        print(
            f"{folder}: {len(found)} pairs, {sum(one.is_neighbour_shown for one in found)} neighbours shown, "
            f"{sum(one.is_answered for one in found)} answered"
        )


if __name__ == "__main__":
    main()
