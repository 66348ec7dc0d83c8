"""What an answer is."""

import json
import pickle
from dataclasses import FrozenInstanceError, fields
from typing import get_args

import pytest

from rag_app.answer import Answer, Conflict, Drop, Hit, LeadIn, Quote, Reason, Trace

QUOTE = Quote(
    text="| 1 | 30 |",
    document_id="pay",
    title="Pay",
    section=("Bands",),
    page=None,
    start=20,
    end=30,
    source="pay.md",
    effective_date="2026-01-01",
    lead_in=(LeadIn("| Band | Pay |", 0, 14),),
    kind="table_row",
)


def an_answer() -> Answer:
    trace = Trace(
        retrieved=[Hit("pay", "Pay", ("Bands",), 0, 30, 0.8), Hit("old", "Old", (), 0, 9, None)],
        kept=[Hit("pay", "Pay", ("Bands",), 0, 30, 0.8)],
        dropped=[Drop("rerank", "not among the best 8", "old", 0, 9), Drop("validate", "no label", None, None, None)],
        numbers={"gate.best_cosine": 0.8},
        milliseconds={"total": 1.5},
    )  # fmt: skip
    missing, conflicts = ("and since when?",), (Conflict((QUOTE, QUOTE), "pay"),)
    return Answer("What does band 1 pay?", "grounded", (QUOTE,), missing, conflicts, trace=trace)


def test_as_dict_is_plain_data() -> None:
    """An answer turns into JSON and back without loss, with every field of a quote in it."""
    answer = an_answer()
    read = json.loads(json.dumps(answer.as_dict(), allow_nan=False))
    assert read == json.loads(json.dumps(read))
    assert set(read["quotes"][0]) == set(Quote.__slots__)
    assert read["quotes"][0]["lead_in"] == [{"text": "| Band | Pay |", "start": 0, "end": 14}]
    assert read["trace"]["dropped"][1]["document_id"] is None
    assert read["status"] == "grounded"


def test_as_dict_is_a_copy() -> None:
    """Changing the plain data of an answer leaves the answer as it was."""
    answer = an_answer()
    answer.as_dict()["trace"]["numbers"]["gate.best_cosine"] = 0.0
    assert answer.trace.numbers == {"gate.best_cosine": 0.8}


def test_an_answer_is_short_unless_asked() -> None:
    """The representation of an answer is a line, and its short data carries neither passages nor trace."""
    answer = an_answer()
    assert repr(answer) == "<Answer grounded, 1 quote from Pay>"
    assert repr(Answer("q", "insufficient_evidence", reason="nothing_found")) == (
        "<Answer insufficient_evidence: nothing_found>"
    )
    short = answer.as_dict(full=False)
    assert json.loads(json.dumps(short)) == short
    assert set(short) == {field.name for field in fields(Answer)} - {"trace"} | {"explanation", "warnings"}
    assert set(Quote.__slots__) - set(short["quotes"][0]) == {"kind", "markup", "context", "context_start", "published"}


def test_an_answer_pickles() -> None:
    """An answer can be sent to another process."""
    assert pickle.loads(pickle.dumps(an_answer())) == an_answer()


def test_an_answer_is_immutable() -> None:
    """Nobody changes an answer or a quote after the fact."""
    with pytest.raises(FrozenInstanceError):
        an_answer().status = "ungrounded"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError):
        QUOTE.text = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_reasons() -> None:
    """The reasons for a refusal are these six, and two of searching the web."""
    assert set(get_args(Reason)) == {
        "nothing_readable", "nothing_found", "below_confidence", "extractive_declined", "model_declined",
        "nothing_validated", "not_for_search", "nothing_relevant",
    }  # fmt: skip


def test_a_warning_is_given_once() -> None:
    """The same fallback, taken twice, is one warning."""
    trace = Trace()
    trace.warn("No cross-encoder.")
    trace.warn("No cross-encoder.")
    assert trace.warnings == ["No cross-encoder."]


def test_time_adds_up_even_where_a_stage_fails() -> None:
    """A stage that runs twice has the sum of both times, and one that raises has its time too."""
    trace = Trace()
    with trace.timed("search"):
        pass
    once = trace.milliseconds["search"]
    with pytest.raises(RuntimeError), trace.timed("search"):
        raise RuntimeError
    assert trace.milliseconds["search"] > once >= 0


def test_forget() -> None:
    """A document that may no longer be read leaves no mention and no word in the trace; others keep theirs."""
    trace = an_answer().trace
    trace.searches.append("words of a document")
    trace.dropped += [
        Drop("validate", "the quote 'words of a document' is not what any statement says", None, None, None),
        Drop("rerank", "too far", "pay", 0, 9),
    ]
    trace.remove_documents({"old"})
    assert trace.searches == []
    assert [hit.document_id for hit in trace.retrieved] == ["pay"]
    assert [drop.document_id for drop in trace.dropped] == ["pay"]
    assert [hit.document_id for hit in trace.kept] == ["pay"]
