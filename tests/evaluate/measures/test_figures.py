"""Figures from rows: means over questions, intervals, bands over runs; and their summary."""

from dataclasses import replace

import pytest

from rag_app.evaluate.measures.figures import MEASURES, STRICT, Figure, by_question, figure, figures
from rag_app.evaluate.measures.run_summary import quantile
from rag_app.evaluate.measures.statistics import proportion
from rag_app.evaluate.run.row import Row
from tests.evaluate.papers import error_row, result, row


def test_a_share_has_its_interval() -> None:
    """The share of questions that are right comes with an interval and what it rests on; one run has no band."""
    found = figure([row("a"), row("b"), row("c", strict=False)], STRICT)
    assert found is not None
    assert found.value == pytest.approx(2 / 3)
    assert found.interval.low < found.value < found.interval.high
    assert found.band is None
    assert (found.questions, found.rows, found.groups) == (3, 3, 3)


def test_runs_are_averaged_before_questions() -> None:
    """Three runs of a question are one question; the band shows the runs."""
    rows = [row("a", run, strict=run == 1) for run in (1, 2, 3)] + [row("b", run) for run in (1, 2, 3)]
    found = figure(rows, STRICT)
    assert found is not None
    assert (found.questions, found.rows) == (2, 6)
    assert found.value == pytest.approx((1 / 3 + 1) / 2)
    assert found.by_run == (1.0, 0.5, 0.5)
    assert found.band == (0.5, 1.0)
    assert found.interval.low < found.value < found.interval.high


def test_errors_count_against_both_rules() -> None:
    """A row that failed is in the denominator of both rules, and is no refusal."""
    found = figures([row("a"), error_row("b")])
    assert found["Strict"].value == found["Published"].value == 0.5
    assert found["Errors"].value == 0.5
    assert found["Refused"].value == 0
    assert found["EvidenceDelivered"].questions == 1


def quotes_outside(rows: list[Row]) -> Figure | None:
    return figures(rows).get("QuotesOutside")


def test_quotes_outside_is_a_share_of_quotes() -> None:
    """One of a question's ten quotes and none of another's two is one in twelve; the interval is over questions."""
    found = quotes_outside([row("a", quoted=10, outside=1), row("b", quoted=2), row("c", quoted=0)])
    assert found is not None
    assert found.value == pytest.approx(1 / 12)
    assert found.questions == 2
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert quotes_outside([row("a", quoted=0)]) is None


def test_found_and_not_quoted() -> None:
    """A question whose document was found and not quoted is told apart from one that was not found."""
    refused = row("a", strict=False, quoted=0, outcome="refused")
    lost = row("b", strict=False, right_retrieved=False)
    found = result(refused, lost, row("c")).summary
    assert found["right_not_quoted"] == ["a"]
    assert found["overall"]["RightNotQuoted"]["value"] == pytest.approx(1 / 3)


def test_each_measure_says_what_it_is() -> None:
    """Measures have names that are theirs alone, and a sentence."""
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    assert all(measure.sentence for measure in MEASURES)
    assert by_question([error_row("a")], STRICT) == {"a": (0.0, 1.0)}


def test_times_leave_out_errors() -> None:
    """p50 and p95 are nearest ranks of whole questions that were answered."""
    times = [row(str(ms), milliseconds={"total": float(ms), "rerank": 2.0}) for ms in range(1, 101)]
    found = result(*times, error_row("failed")).summary["milliseconds"]
    assert (found["p50"], found["p95"], found["stages"]) == (50.0, 95.0, {"rerank": 2.0})
    assert quantile([], 0.5) is None


def test_cost_is_at_stated_prices() -> None:
    """Tokens cost what the price in the configuration says; a model without one has no cost, rather than none."""
    asked = row("a", model_calls=1, input_tokens=1_000_000, output_tokens=100_000)
    price = {"input": 3.0, "output": 15.0, "currency": "USD", "stated": "2026-11-30"}
    assert result(asked, llm="m", price=price).summary["model"]["cost"] == 4.5
    assert result(asked, llm="m", price=None).summary["model"]["cost"] is None
    assert result(asked).summary["model"] is None


def test_what_is_missing_is_in_no_figure() -> None:
    """Rows that were not asked yet are listed and counted nowhere."""
    half = result(row("a"), ids=["a", "b"], runs=2)
    assert half.missing == (("a", 2), ("b", 1), ("b", 2))
    assert half.summary["overall"]["Strict"]["questions"] == 1
    assert result(ids=["a"]).summary["overall"] == {}


def test_no_quote_outside_is_not_certainty() -> None:
    """Where no question of seven quotes anything else, or all do, the interval says how little seven are."""
    none = quotes_outside([row(str(number), quoted=2) for number in range(7)])
    every = quotes_outside([row(str(number), quoted=2, outside=2) for number in range(7)])
    assert none is not None
    assert every is not None
    assert none.interval == proportion(0, 7)
    assert every.interval == proportion(7, 7)


def test_a_figure_is_clustered() -> None:
    """Questions about one group of documents count as one piece of evidence in every interval of a result."""
    rows = [row(f"{document}{number}", strict=document == "a") for document in "ab" for number in range(30)]
    of = result(*rows)
    cases = {case_id: {**case, "group": case_id[0]} for case_id, case in of.cases.items()}
    clustered = replace(of, cases=cases).summary["overall"]["Strict"]
    assert (clustered["questions"], clustered["groups"]) == (60, 2)
    assert (clustered["low"], clustered["high"]) == (0.0, 1.0)
    assert of.summary["overall"]["Strict"]["low"] > 0.3


def test_statements_are_scored_by_their_labels() -> None:
    """Needed, right, superfluous and contradicting quotes have figures of their own, over labelled questions alone."""
    labels = ("needed", "right", "superfluous", "contradicting")
    labelled = row("a", quoted=4)
    score = replace(labelled.score, labels=labels, facts=2, facts_needed=1)  # pyright: ignore[reportArgumentType]
    found = figures([replace(labelled, score=score), row("b")])
    assert found["StatementsRight"].value == 0.5
    assert found["Superfluous"].value == found["Contradicting"].value == 0.25
    assert found["FactsNeeded"].value == 0.5
    assert {found[name].questions for name in ("StatementsRight", "Superfluous", "FactsNeeded")} == {1}
