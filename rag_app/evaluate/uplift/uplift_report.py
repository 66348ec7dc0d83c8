"""What an uplift evaluation found: as JSON, as Markdown, and as one page over the results of many indexes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from rag_app.errors import DefinitionError
from rag_app.evaluate.measures.statistics import rate
from rag_app.evaluate.report.escaping import escaped, table
from rag_app.evaluate.report.templates import template
from rag_app.evaluate.run.cost import Price
from rag_app.evaluate.run.run_folder import (
    RESULTS,
    ROWS,
    description_in,
    keys_of,
    read_description,
    read_lines,
    write_json,
    write_rows,
    write_text,
)
from rag_app.evaluate.uplift.arms import ALONE, ARMS, ENHANCED, INDEX
from rag_app.evaluate.uplift.uplift_row import RIGHT, UpliftRow
from rag_app.evaluate.uplift.uplift_verdict import ArmComparison, compare_arms, in_words

NAMES = {ALONE: "the model alone", INDEX: "the index", ENHANCED: "the index with every enhancement"}
_PAIRS = ((ALONE, INDEX), (ALONE, ENHANCED), (INDEX, ENHANCED))
_KINDS = ("wrong", "abstained", "error", "no mark", "right")
"""What can become of a question, worst first."""
_OVERVIEW = ("index", "verdict", "index - alone (95 %)", "a point cost", "questions", *ARMS, "model", "judge")
_HEAD = (
    "arm", "marked", "mean mark", "right", "wrong", "abstained", "errors", "no mark", "quotes right", "calls",
    "tokens in, out", "cost",
)  # fmt: skip


@dataclass(frozen=True)
class UpliftResult:
    """What became of the questions of a suite in every arm."""

    folder: Path
    config: Mapping[str, Any]
    cases: Mapping[str, Mapping[str, Any]]
    rows: tuple[UpliftRow, ...]

    @cached_property
    def comparisons(self) -> tuple[ArmComparison, ...]:
        """Every arm against every other."""
        groups = {case_id: case["group"] for case_id, case in self.cases.items()}
        seed, price = self.config["seed"], self.config["price"]
        return tuple(compare_arms(self.rows, a, b, seed, groups=groups, price=price) for a, b in _PAIRS)

    @property
    def verdict(self) -> ArmComparison:
        """The index against the model alone."""
        return self.comparisons[0]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each comparison says, in words."""
        currency = (self.config["price"] or {}).get("currency", "")
        return tuple(in_words(found, (NAMES[found.a], NAMES[found.b]), currency) for found in self.comparisons)

    @cached_property
    def arms(self) -> dict[str, dict[str, Any]]:
        """Of each arm: questions by what became of them, mean mark, accuracy, calls, tokens and cost."""
        return {arm: self._arm(arm) for arm in ARMS}

    @cached_property
    def judge(self) -> dict[str, Any]:
        """What the judge used, and for how many questions it could not be asked."""
        tokens = sum(row.judge_input_tokens for row in self.rows), sum(row.judge_output_tokens for row in self.rows)
        failed = sum(row.judge_error is not None for row in self.rows)
        return {"failed": failed, **_spent(tokens, self.config["judge_price"])}

    @property
    def notes(self) -> list[str]:
        """What must be known before any figure is believed."""
        missing, failed = len(self.cases) - len(self.rows), sum(row.failed for row in self.rows)
        retried = [row.case_id for row in self.rows if row.retried]
        found = [f"Not finished: {missing} questions are missing and in no figure."] if missing else []
        if failed:
            found.append(f"In {failed} of {len(self.rows)} questions an arm or the judge failed; see --retry-errors.")
        return found + ([f"Asked again after an error, which flatters: {', '.join(retried)}."] if retried else [])

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, without the rows."""
        return {
            "config": dict(self.config),
            "cases": dict(self.cases),
            "verdict": self.verdict.verdict,
            "sentences": list(self.sentences),
            "comparisons": [asdict(found) | {"price_per_point": found.price_per_point} for found in self.comparisons],
            "arms": self.arms,
            "judge": self.judge,
        }

    def _arm(self, arm: str) -> dict[str, Any]:
        answers = [row.arms[arm] for row in self.rows]
        marked = [
            (self.cases[row.case_id]["group"], mark) for row in self.rows if (mark := row.arms[arm].score) is not None
        ]
        marks = [mark for _, mark in marked]
        right = rate([mark >= RIGHT for mark in marks], [group for group, _ in marked])
        tokens = sum(answer.input_tokens for answer in answers), sum(answer.output_tokens for answer in answers)
        return {
            "kinds": dict(Counter(answer.kind for answer in answers)),
            "missing": len(answers) - len(marks),
            "marked": len(marks),
            "score": sum(marks) / len(marks) if marks else None,
            "accuracy": right.share,
            "accuracy_interval": asdict(right.interval),
            "quotes_right": sum(bool(answer.quotes_right) for answer in answers) if arm != ALONE else None,
            "model_calls": sum(answer.model_calls for answer in answers),
            "tokens_estimated": any(answer.tokens_estimated for answer in answers),
            **_spent(tokens, self.config["price"]),
        }


def load_uplift(folder: str | Path) -> UpliftResult:
    """A frozen result. Raises DefinitionError where the folder holds none, or one that is damaged."""
    folder = Path(folder)
    content = read_description(description_in(folder), partial(_check_config, folder))
    rows = {row.key: row for row in read_lines(folder / ROWS, UpliftRow.from_dict, "row of an uplift run")}
    ordered = tuple(rows[key] for key in keys_of(content["cases"], 1) if key in rows)
    return UpliftResult(folder, content["config"], content["cases"], ordered)


def _check_config(folder: Path, content: Mapping[str, Any]) -> None:
    if not {"judge", "seed"} <= content["config"].keys():
        raise DefinitionError(f"{folder} is no result of `rag-app uplift`: give folders that it made.")


def write_uplift(folder: Path, rows: Sequence[UpliftRow]) -> UpliftResult:
    """Writes the reports into the folder of a run; results and rows in order where no question is missing."""
    result = load_uplift(folder)
    write_text(folder / "report.md", as_markdown(result))
    write_text(folder / "report.html", as_html([result]))
    if len(rows) == len(result.cases):
        write_json(folder / RESULTS, result.as_dict())
        write_rows(folder / ROWS, rows)
    return result


def as_markdown(result: UpliftResult) -> str:
    """The report for people."""
    lines = [
        f"# {escaped(_title(result))}",
        "",
        *(f"- {escaped(note)}" for note in result.notes),
        *(
            f"- **{said}**" if number == 0 else f"- {said}"
            for number, said in enumerate(map(escaped, result.sentences))
        ),
        "",
        escaped(_made(result)),
        "",
        *table(_HEAD, _arm_rows(result)),
        "",
        escaped(_judge(result)),
        "",
        *table(("question", "difficulty", *ARMS), [_cells(row) for row in _worst_first(result.rows)]),
    ]
    return "\n".join(lines) + "\n"


def uplift_table(results: Sequence[UpliftResult]) -> str:
    """One line for each result, as a Markdown table."""
    return "\n".join(table(_OVERVIEW, [_overview(result) for result in results]))


def as_html(results: Sequence[UpliftResult]) -> str:
    """One page over results of one or many indexes, that needs nothing else."""
    titles = [_title(result) for result in results]
    rows = [(title, result, row) for title, result in zip(titles, results, strict=True) for row in result.rows]
    shown = [
        {
            "title": _title(result),
            "sentences": result.sentences,
            "notes": result.notes,
            "made": _made(result),
            "arms": _arm_rows(result),
            "judge": _judge(result),
        }
        for result in results
    ]
    return template("uplift.html").render(
        title=shown[0]["title"] if len(shown) == 1 else f"Uplift of {len(shown)} indexes",
        whole=True,
        filters=True,
        results=shown,
        summary=over_all(results),
        rows=[
            (title, row, result.cases[row.case_id].get("right", ()))
            for title, result, row in sorted(rows, key=lambda one: _rank(one[2]))
        ],
        overview_head=_OVERVIEW,
        overview=[_overview(result) for result in results],
        head=_HEAD,
        arms=ARMS,
        kinds=_KINDS,
    )


def over_all(results: Sequence[UpliftResult]) -> str:
    """What the verdicts on several indexes come to, in a sentence."""
    by_verdict: dict[str, list[str]] = {}
    for result in results:
        by_verdict.setdefault(result.verdict.verdict, []).append(result.config["index"]["name"])
    said = [f"{len(names)} {verdict} ({', '.join(names)})" for verdict, names in by_verdict.items()]
    return f"Of {len(results)} indexes, each against the model alone: {'; '.join(said)}."


def _title(result: UpliftResult) -> str:
    config = result.config
    return f"{config['index']['name']}, asked {config['suite']['name']} through {config['llm']}"


def _made(result: UpliftResult) -> str:
    config = result.config
    enhanced = ", ".join(f"{name}: {value}" for name, value in config["enhancements"].items())
    return (
        f"{len(result.rows)} questions (seed {config['seed']}), marked blind by {config['judge']}; right is a mark of "
        f"at least {RIGHT:g}. Answers of every arm: at most {config['answer_tokens']} tokens. Enhancements: {enhanced}."
    )


def _judge(result: UpliftResult) -> str:
    judge = result.judge
    cost = "" if judge["cost"] is None else f" ({judge['cost']:.4f} {judge['currency']})"
    return (
        f"The judge: {judge['input_tokens']:,} tokens in, {judge['output_tokens']:,} out{cost}; it could not be "
        f"asked for {judge['failed']} questions."
    )


def _overview(result: UpliftResult) -> tuple[str, ...]:
    config, first = result.config, result.verdict
    marks = [_mark(result.arms[arm]["score"]) for arm in ARMS]
    gain, point = "–", "–"
    if score := first.score:
        gain = f"{score.difference:+.1f} ({score.interval.low:+.1f} to {score.interval.high:+.1f})"
    if first.verdict == "helped":
        point = f"{first.extra_tokens / first.points:,.0f} tokens"
        if first.price_per_point is not None:
            point = f"{first.price_per_point:.4f} {config['price']['currency']}"
    asked = f"{first.pairs} of {first.questions}"
    return config["index"]["name"], first.verdict, gain, point, asked, *marks, config["llm"], config["judge"]


def _arm_rows(result: UpliftResult) -> list[tuple[str, ...]]:
    found = []
    for arm, of in result.arms.items():
        kinds, low_high = of["kinds"], of["accuracy_interval"]
        share = "–" if of["accuracy"] is None else f"{of['accuracy']:.0%}"
        about = "about " if of["tokens_estimated"] else ""
        found.append((
            arm,
            f"{of['marked']} of {of['marked'] + of['missing']}",
            _mark(of["score"]),
            f"{share} ({low_high['low']:.0%} to {low_high['high']:.0%})",
            *(str(kinds.get(kind, 0)) for kind in ("wrong", "abstained", "error", "no mark")),
            "–" if of["quotes_right"] is None else str(of["quotes_right"]),
            str(of["model_calls"]),
            f"{about}{of['input_tokens']:,}, {of['output_tokens']:,}",
            "–" if of["cost"] is None else f"{of['cost']:.4f} {of['currency']}",
        ))  # fmt: skip
    return found


def _cells(row: UpliftRow) -> tuple[str, ...]:
    arms = [row.arms[name] for name in ARMS]
    return f"{row.case_id}: {row.question}", row.difficulty, *(f"{_mark(arm.score)} {arm.kind}" for arm in arms)


def _worst_first(rows: Sequence[UpliftRow]) -> list[UpliftRow]:
    """Those first that the index lost, then those that it has wrong."""
    return sorted(rows, key=_rank)


def _rank(row: UpliftRow) -> tuple[bool, int]:
    alone, index = row.arms[ALONE], row.arms[INDEX]
    return not (alone.kind == "right" != index.kind), _KINDS.index(index.kind)


def _spent(tokens: tuple[int, int], price: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "cost": Price(**price).of(*tokens) if price else None,
        "currency": price["currency"] if price else None,
    }


def _mark(mark: float | None) -> str:
    return "–" if mark is None else f"{mark:.1f}"
