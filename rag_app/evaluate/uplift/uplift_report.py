"""What an uplift evaluation found, as JSON and Markdown, and one table over many of them."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rag_app.errors import DefinitionError
from rag_app.evaluate.measures.statistics import Rate
from rag_app.evaluate.run.cost import PRICES, load_prices
from rag_app.evaluate.uplift.arms import ALONE, ARMS, ENHANCED, INDEX
from rag_app.evaluate.uplift.uplift_row import RIGHT, UpliftRow
from rag_app.evaluate.uplift.uplift_verdict import Comparison, compare_arms, in_words

RESULT, REPORT = "result.json", "report.md"
NAMES = {ALONE: "the model alone", INDEX: "the index", ENHANCED: "the index with every enhancement"}
_PAIRS = ((ALONE, INDEX), (ALONE, ENHANCED), (INDEX, ENHANCED))


@dataclass(frozen=True, slots=True)
class UpliftResult:
    """What was found."""

    folder: Path
    config: Mapping[str, Any]
    rows: tuple[UpliftRow, ...]
    comparisons: tuple[Comparison, ...]
    arms: Mapping[str, Mapping[str, Any]]
    """Of each arm: questions by outcome, marks missing, mean mark, accuracy, calls, tokens and cost a question."""
    judge: Mapping[str, Any]

    @property
    def verdict(self) -> Comparison:
        """The index against the model alone."""
        return self.comparisons[0]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each comparison says, in words."""
        return tuple(in_words(found, (NAMES[found.a], NAMES[found.b])) for found in self.comparisons)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, without the rows."""
        return {
            "config": dict(self.config),
            "verdict": self.verdict.verdict,
            "sentences": list(self.sentences),
            "comparisons": [asdict(found) for found in self.comparisons],
            "arms": {name: dict(figures) for name, figures in self.arms.items()},
            "judge": dict(self.judge),
        }


def write_result(
    folder: Path, config: Mapping[str, Any], rows: Sequence[UpliftRow], prices: Path | None = None
) -> UpliftResult:
    """Sums up the rows, and writes result.json and report.md into the folder."""
    price = load_prices(prices or PRICES)
    of_model, of_judge = price.get(config["llm"]), price.get(config["judge"])
    arms = {}
    for arm in ARMS:
        answers = [row.arms[arm] for row in rows]
        marks = [answer.score for answer in answers if answer.score is not None]
        tokens = sum(answer.input_tokens for answer in answers), sum(answer.output_tokens for answer in answers)
        right = Rate(sum(mark >= RIGHT for mark in marks), len(marks))
        arms[arm] = {
            "outcomes": dict(Counter(answer.outcome for answer in answers)),
            "missing": len(answers) - len(marks),
            "score": sum(marks) / len(marks) if marks else None,
            "right": right.k,
            "accuracy": right.share,
            "accuracy_interval": asdict(right.interval),
            "quotes_right": sum(bool(answer.quotes_right) for answer in answers) if arm != ALONE else None,
            "model_calls": sum(answer.model_calls for answer in answers),
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "tokens_estimated": any(answer.tokens_estimated for answer in answers),
            "cost": of_model.of(*tokens) if of_model else None,
            "currency": of_model.currency if of_model else None,
        }
    tokens = sum(row.judge_input_tokens for row in rows), sum(row.judge_output_tokens for row in rows)
    judge = {
        "failed": sum(row.judge_error is not None for row in rows),
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "cost": of_judge.of(*tokens) if of_judge else None,
        "currency": of_judge.currency if of_judge else None,
    }
    comparisons = tuple(compare_arms(rows, a, b, config["seed"]) for a, b in _PAIRS)
    result = UpliftResult(folder, config, tuple(rows), comparisons, arms, judge)
    (folder / RESULT).write_text(json.dumps(result.as_dict(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    (folder / REPORT).write_text(as_markdown(result), "utf-8")
    return result


def as_markdown(result: UpliftResult) -> str:
    """The report for people."""
    config = result.config
    enhanced = ", ".join(f"{name}: {value}" for name, value in config["enhancements"].items())
    lines = [
        f"# {config['index']}, asked {config['suite']} through {config['llm']}",
        "",
        *(f"- **{sentence}**" if place == 0 else f"- {sentence}" for place, sentence in enumerate(result.sentences)),
        "",
        f"{len(result.rows)} questions (seed {config['seed']}), marked blind by {config['judge']}; right is a mark of "
        f"at least {RIGHT:g}. Answers of every arm: at most {config['answer_tokens']} tokens. Enhancements: "
        f"{enhanced}.",
        "",
        "| Arm | Mean mark | Right | Refused | Errors | No mark | Quotes right | Calls | Tokens in, out | Cost |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_arm_line(arm, figures) for arm, figures in result.arms.items()),
        "",
        f"The judge: {result.judge['input_tokens']:,} tokens in, {result.judge['output_tokens']:,} out"
        f"{_cost(result.judge)}; it could not be asked for {result.judge['failed']} questions.",
        "",
        "| Question | Difficulty | " + " | ".join(ARMS) + " | |",
        "| --- | --- |" + " --- |" * (len(ARMS) + 1),
        *(_row_line(row) for row in result.rows),
    ]
    return "\n".join(lines) + "\n"


def uplift_table(folders: Sequence[Path]) -> str:
    """One line for each result, as a Markdown table. Raises DefinitionError where a folder holds none."""
    lines = [
        "| Index | Questions | Model | Judge | Alone | Index | Enhanced | Index - alone (95 %) | Verdict |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for folder in folders:
        try:
            found = json.loads((folder / RESULT).read_text("utf-8"))
            config, first = found["config"], found["comparisons"][0]
            marks = [_mark(found["arms"][arm]["score"]) for arm in ARMS]
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            raise DefinitionError(f"{folder} holds no result of an uplift evaluation.", path=str(folder)) from error
        gain = "–"
        if score := first["score"]:
            low, high = score["interval"]["low"], score["interval"]["high"]
            gain = f"{score['difference']:+.1f} ({low:+.1f} to {high:+.1f})"
        cells = (config["index"], f"{first['pairs']} of {first['questions']}", config["llm"], config["judge"], *marks)
        lines.append(f"| {' | '.join(map(_cell, cells))} | {gain} | {first['verdict']} |")
    return "\n".join(lines)


def _arm_line(arm: str, figures: Mapping[str, Any]) -> str:
    outcomes, low_high = figures["outcomes"], figures["accuracy_interval"]
    right = "–" if figures["accuracy"] is None else f"{figures['accuracy']:.0%}"
    right += f" ({low_high['low']:.0%} to {low_high['high']:.0%})"
    about = "about " if figures["tokens_estimated"] else ""
    quotes = "–" if figures["quotes_right"] is None else str(figures["quotes_right"])
    return (
        f"| {arm} | {_mark(figures['score'])} | {right} | {outcomes.get('refused', 0)} | {outcomes.get('error', 0)} | "
        f"{figures['missing']} | {quotes} | {figures['model_calls']} | "
        f"{about}{figures['input_tokens']:,}, {figures['output_tokens']:,} | {_cost(figures).strip(', ') or '–'} |"
    )


def _row_line(row: UpliftRow) -> str:
    marks = (("error" if arm.outcome == "error" else _mark(arm.score)) for arm in (row.arms[name] for name in ARMS))
    refused = [name for name in ARMS if row.arms[name].outcome == "refused"]
    note = f"refused: {', '.join(refused)}" if refused else ""
    return f"| {_cell(row.case_id)}: {_cell(row.question)} | {row.difficulty} | {' | '.join(marks)} | {note} |"


def _cost(figures: Mapping[str, Any]) -> str:
    return "" if figures["cost"] is None else f", {figures['cost']:.4f} {figures['currency']}"


def _mark(mark: float | None) -> str:
    return "–" if mark is None else f"{mark:.1f}"


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
