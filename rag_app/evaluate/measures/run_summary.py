"""A result in figures: plain data, in the order in which a report shows it."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rag_app.evaluate.measures.abstention import abstention, confidence, risk_coverage
from rag_app.evaluate.measures.figures import Figure, by_category, figures
from rag_app.evaluate.measures.statistics import Rate
from rag_app.evaluate.run.cost import Price
from rag_app.evaluate.run.row import Row

if TYPE_CHECKING:
    from rag_app.evaluate.run.results import Result


def summarise(result: "Result") -> dict[str, Any]:
    """Both rules with intervals, overall and by category; abstention; time; what a model cost; what is missing."""
    rows = result.rows
    first = [row for row in rows if row.run == 1]
    return {
        "rows": len(rows),
        "questions": len({row.case_id for row in rows}),
        "runs": result.runs,
        "missing": [list(key) for key in result.missing],
        "errors": [{"case": row.case_id, "run": row.run, "error": row.error} for row in result.failed],
        "retried": sorted({row.case_id for row in rows if row.retried}),
        "degraded": sorted({row.case_id for row in rows if row.degraded}),
        "forbidden": sorted({row.case_id for row in rows if row.forbidden}),
        "right_not_quoted": sorted(
            {row.case_id for row in rows if row.right_retrieved and row.score and not row.score.quoted_right}
        ),
        "overall": _plain(figures(rows, result.groups)),
        "categories": {name: _plain(found) for name, found in by_category(rows, result.groups).items()},
        "abstention": _abstention(result, first),
        "risk_coverage": _risk_coverage(result, first),
        "milliseconds": _milliseconds(rows),
        "model": _model(result),
        "reasons": dict(Counter(row.reason for row in first if row.reason).most_common()),
    }


def _plain(found: dict[str, Figure]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "value": of.value,
            "low": of.interval.low,
            "high": of.interval.high,
            "questions": of.questions,
            "rows": of.rows,
            "groups": of.groups,
            "by_run": list(of.by_run),
        }
        for name, of in found.items()
    }


def _abstention(result: "Result", rows: Sequence[Row]) -> dict[str, Any] | None:
    """Of the first run, because another run of a question is no new evidence."""
    if not rows:
        return None
    found = abstention(
        ((result.cases[row.case_id]["answerable"], row.outcome) for row in rows),
        (result.groups[row.case_id] for row in rows),
    )
    rates = {"precision": found.precision, "recall": found.recall, "coverage": found.coverage}
    return {name: _rate(rate) for name, rate in rates.items()} | {"errors": found.errors}


def _rate(rate: Rate) -> dict[str, Any]:
    return {"value": rate.share, "low": rate.interval.low, "high": rate.interval.high, "of": rate.n}


def _risk_coverage(result: "Result", rows: Sequence[Row]) -> dict[str, Any] | None:
    """How many of the answers given are wrong by the strict rule, as less sure ones are added; coverage is of these.

    Only the path without a model has a confidence. What a declined question would have shown is not known.
    """
    if result.config["llm"] != "none":
        return None
    points = [(confidence(row.numbers), row.strict) for row in rows if row.outcome == "answered"]
    return asdict(risk_coverage(points)) if points else None


def _milliseconds(rows: Sequence[Row]) -> dict[str, Any]:
    """p50 and p95 of whole questions, errors aside, and the median of each stage where it ran."""
    stages: dict[str, list[float]] = {}
    for row in rows:
        if row.outcome != "error":
            for stage, milliseconds in row.milliseconds.items():
                stages.setdefault(stage, []).append(milliseconds)
    total = stages.pop("total", [])
    return {
        "p50": quantile(total, 0.5),
        "p95": quantile(total, 0.95),
        "stages": {stage: quantile(found, 0.5) for stage, found in stages.items()},
    }


def quantile(values: Sequence[float], share: float) -> float | None:
    """The nearest-rank quantile; None of no values."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else None


def _model(result: "Result") -> dict[str, Any] | None:
    """Calls and tokens per question, and their cost where a price is stated for the model."""
    name, rows = result.config["llm"], result.rows
    if name == "none" or not rows:
        return None
    calls, given, written = (
        sum(getattr(row, field) for row in rows) for field in ("model_calls", "input_tokens", "output_tokens")
    )
    price = None if result.config.get("price") is None else Price(**result.config["price"])
    return {
        "name": name,
        "mode": result.config["mode"],
        "calls": calls,
        "calls_per_question": calls / len(rows),
        "input_tokens": given,
        "output_tokens": written,
        "output_tokens_per_question": written / len(rows),
        "tokens_estimated": any(row.tokens_estimated for row in rows),
        "cost": None if price is None else price.of(given, written),
        "price": None if price is None else asdict(price),
    }
