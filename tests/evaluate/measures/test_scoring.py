"""The two rules of scoring, side by side."""

from dataclasses import replace

import pytest

from rag_app.answer import Answer, LeadIn, Quote
from rag_app.evaluate.cases.pattern import Pattern
from rag_app.evaluate.cases.schema import Case, LabelledStatement
from rag_app.evaluate.measures.scoring import evidence_delivered, plain, right_retrieved, score, shown_text


def _patterns(*texts: str) -> tuple[Pattern, ...]:
    return tuple(map(Pattern, texts))


def _quote(document_id: str, text: str, *lead_in: str) -> Quote:
    lines = tuple(LeadIn(line, 0, len(line)) for line in lead_in)
    return Quote(text, document_id, document_id, (), None, 0, len(text), document_id, lead_in=lines)


def _answer(*quotes: Quote) -> Answer:
    return Answer("?", "grounded" if quotes else "insufficient_evidence", quotes)


CASE = Case("days", "How many?", expected_documents=("leave",), facts=(_patterns("26 days", "twenty-six"),),
            wrong_facts=_patterns("24 days"), also_right=("handbook",))  # fmt: skip
UNANSWERABLE = Case("no", "How many?", "unanswerable")
RIGHT, LOOKALIKE, OUTSIDE = (
    _quote("leave", "You have 26 days."),
    _quote("leave", "You had 24 days."),
    _quote("x", "Hm."),
)


@pytest.mark.parametrize(
    ("quotes", "published", "strict"),
    [
        ([RIGHT], True, True),
        ([LOOKALIKE], True, False),
        ([RIGHT, LOOKALIKE], True, False),
        ([RIGHT, OUTSIDE], True, False),
        ([RIGHT, _quote("handbook", "See there.")], True, True),
        ([_quote("handbook", "Twenty-six days.")], False, False),
        ([OUTSIDE], False, False),
        ([], False, False),
    ],
)
def test_two_rules(quotes: list[Quote], published: bool, strict: bool) -> None:
    """The published rule wants the document; the strict one the fact, no wrong fact, and nothing from elsewhere."""
    found = score(CASE, _answer(*quotes))
    assert (found.published, found.strict) == (published, strict)


def test_outside_allowed() -> None:
    """The strict rule forgives as many quotes from elsewhere as it is told to."""
    answer = _answer(RIGHT, OUTSIDE)
    assert score(CASE, answer, outside_allowed=1).strict
    assert score(CASE, answer).quotes_outside == 1


def test_no_answer_expected() -> None:
    """Where no answer is expected, only a refusal is right; an answer is not, and own knowledge is not either."""
    assert score(UNANSWERABLE, _answer()).strict
    assert not score(UNANSWERABLE, _answer(RIGHT)).published
    assert not score(UNANSWERABLE, replace(_answer(), status="ungrounded")).published


def test_own_knowledge_is_no_refusal_and_no_answer() -> None:
    """Words that rest on nothing are right in neither rule, whatever was expected."""
    found = score(CASE, replace(_answer(), status="ungrounded"))
    assert (found.published, found.strict, found.refused) == (False, False, False)


def test_no_document_to_cite_flatters_nobody() -> None:
    """A case for which no document is known is never right, rather than always."""
    assert not score(replace(CASE, expected_documents=(), also_right=()), _answer(RIGHT)).published


def test_facts_stand_in_one_statement() -> None:
    """A pattern is not met half by one statement and half by the next; a lead-in belongs to its statement."""
    row = replace(CASE, facts=(_patterns(r"red.*40"),))
    assert score(row, _answer(_quote("leave", "| Red | 40 |", "| Bike | Crowns |"))).facts_found == 1
    assert score(row, _answer(_quote("leave", "| Red | 50 |"), _quote("leave", "| Blue | 40 |"))).facts_found == 0
    assert score(replace(CASE, facts=(_patterns("Bike.*40"),)), _answer(_quote("leave", "| 40 |", "| Bike |"))).strict


def test_emphasis_and_line_breaks_do_not_matter() -> None:
    """Facts are found across Markdown emphasis and line wraps."""
    assert score(CASE, _answer(_quote("leave", "You have **26**\ndays."))).strict


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Pass `cold_start=2` to **`ramp_up`**.", "Pass cold_start=2 to ramp_up."),
        ("Call snake_case(a_b, c_d) twice.", "Call snake_case(a_b, c_d) twice."),
        ("`__init__` and `_hidden_` are code, ``a ` b_c`` too.", "__init__ and _hidden_ are code, a b_c too."),
        ("```python\nself.__dict__[_x_]\n```", "python self.__dict__[_x_]"),
        ("super().__init__(a_b, *_rest)\nself.__dict__", "super().__init__(a_b, _rest) self.__dict__"),
        (
            "Only _twenty-six_ days, __not a__ (_few_\nmore) _that\nway_.",
            "Only twenty-six days, not a (few more) that way.",
        ),
        ("a _lone one, two_\n\n_apart", "a lone one, two _apart"),
    ],
)
def test_names_of_code_stay_whole(text: str, shown: str) -> None:
    """Underscores are dropped where they stress words, and stay where they belong to a name."""
    assert plain(text) == shown


@pytest.mark.parametrize("text", ["`" * 50_000, "` " * 50_000, "_a " * 50_000, "__" * 50_000, "``a `b " * 20_000])
def test_any_text_is_read_in_no_time(text: str) -> None:
    """Text is read once, whatever marks it is full of."""
    assert len(plain(text)) <= len(text)


def test_retrieved_and_delivered() -> None:
    """Whether the right documents were found and every fact reached the evidence; unknown where nothing is expected."""
    assert right_retrieved(CASE, ["x", "leave"]) is True
    assert right_retrieved(CASE, ["handbook"]) is False
    assert right_retrieved(UNANSWERABLE, ["leave"]) is None
    assert evidence_delivered(CASE, shown_text([((), "You have 26 days.")])) is True
    assert evidence_delivered(CASE, "") is False
    assert evidence_delivered(UNANSWERABLE, "") is None


def test_each_statement_is_scored_by_its_label() -> None:
    """A quote is what its label says, in its own document and however much of it was cut; without a label it is
    superfluous, or contradicting where a wrong fact stands in it."""
    labelled = replace(
        CASE,
        statements=(
            LabelledStatement("leave", "You have 26 days.", "needed"),
            LabelledStatement("leave", "Ask for them by mail.", "right"),
            LabelledStatement("old", "You have 25 days.", "contradicting"),
        ),
    )
    quotes = (
        _quote("leave", "You have *26 days*."),
        _quote("leave", "Ask for them by mail. Or by letter."),
        _quote("other", "You have 26 days."),
        _quote("old", "You have 25 days."),
        _quote("handbook", "You had 24 days."),
    )
    found = score(labelled, _answer(*quotes))
    assert found.labels == ("needed", "right", "superfluous", "contradicting", "contradicting")
    assert (found.facts_needed, found.statements("needed", "right")) == (1, 2)
    assert score(CASE, _answer(*quotes)).labels == ()
    lookalike = score(labelled, _answer(_quote("leave", "A month has 26 days.")))
    assert (lookalike.labels, lookalike.facts_found, lookalike.facts_needed) == (("superfluous",), 1, 0)
