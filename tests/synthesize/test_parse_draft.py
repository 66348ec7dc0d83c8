"""Replies of language models, well-formed and otherwise, as drafts."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.errors import ModelError
from rag_app.question import Part
from rag_app.synthesize.parse_draft import MalformedReply, ParsedDraft, parse_draft

ONE = (Part("How long is the trial period?"),)
TWO = (Part("How long is the trial period"), Part("who approves it?"))


def labels(parsed: ParsedDraft) -> list[tuple[str, ...]]:
    return [part.labels for part in parsed.draft.parts]


def test_the_agreed_form() -> None:
    """Labels per part, parts without any, and a further search are read as they were asked for."""
    parsed = parse_draft(
        '{"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": []}], "search": ["trial approval"]}',
        TWO,
    )
    assert labels(parsed) == [("2.3", "4.1"), ()]
    assert [part.text for part in parsed.draft.parts] == [part.text for part in TWO]
    assert parsed.search == ("trial approval",)
    assert parsed.dropped == ()
    assert parsed.draft.declined is None


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": ["2.10"]}]}\n```',
        'Here:\n\n{"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": ["2.10"]}]}\nas {asked}',
        '<think>Statement [2.3] fits {1}.</think> {"1": ["2.3", "4.1"], "2": ["2.10"]}',
        '{"parts": {"1": ["2.3", "4.1"], "2": {"labels": ["2.10"]}}}',
        '{"Part 1": "2.3, 4.1", "part_2": "2.10"}',
        '[{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": ["2.10"]}]',
        '{"parts": [{"labels": ["2.3", "4.1"]}, {"labels": ["2.10"]}]}',
        '{"parts": [["2.3", "4.1"], ["2.10"]]}',
        '{"parts": [{"part": 2, "labels": [2.10]}, {"part": "1", "labels": [2.3, 4.1]}]}',
        '{"parts": [{"part": 1, "labels": ["[2.3]", "(4.1)"]}, {"part": 2, "labels": [" 2.10 "]}]}',
        '{"parts": [{"part": 1, "labels": "[2.3] [4.1]"}, {"part": 2, "labels": "[2.10]"}]}',
        '{"parts": [{"part": 1, "labels": "2.3 and 4.1"}, {"part": 2, "label": 2.10}]}',
        '{"parts": [{"part": 1, "labels": [{"label": "2.3"}, {"label": 4.1}]}, {"part": 2, "labels": ["2.10", null]}]}',
        '{"parts": [{"part": 1, "labels": [2.3]}, {"part": 1, "labels": [2.3, 4.1]}, {"part": 2, "labels": [2.10]}]}',
        '{"parts": [{"part": "How long is the trial period", "labels": [2.3, 4.1]}, {"part": 2, "labels": [2.10]}]}',
        '{"why": "{x}", "parts": [{"part": 1, "labels": [2.3, 4.1], "sure": true}, {"part": 2, "labels": [2.10]}]}',
        '{"answer": {"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": ["2.10"]}]}}',
        "{'parts': [{'part': 1, 'labels': ['2.3', 4.1,]}, {'part': 2, 'labels': [2.10]},]}",
        '{"part": 1, "labels": ["2.3", "4.1"]}\n{"part": 2, "labels": ["2.10"]}',
        '{"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": ["2.10"]},]} (two parts)',
        '{"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": ["2.10"]}',
        '{"parts": [{"part": 0, "labels": ["2.3", "4.1"]}, {"part": 1, "labels": ["2.10"]}]}',
        '{"0": ["2.3", "4.1"], "1": ["2.10"]}',
        '{"parts": [{"part": "Part 1: How", "labels": [2.3, 4.1]}, {"part": "2: who approves", "labels": [2.10]}]}',
        '{"parts": [{"part": 1, "labels": ["#2.3", "4.1."]}, {"part": 2, "labels": ["[2.10]:"]}]}',
        '{"name": "reply", "arguments": {"parts": [{"part": 1, "labels": [2.3, 4.1]}, {"part": 2, "labels": [2.10]}]}}',
        '{"name": "reply", "arguments": "{\\"1\\": 0, \\"parts\\": {\\"1\\": [2.3, 4.1], \\"2\\": [2.10]}}"}',
        '"{\\"parts\\": [[2.3, 4.1], [2.10]]}"',
        '[["2.3", "4.1"], ["2.10"]]',
        "```\n[[2.3, 4.1], [2.10]]\n```",
        '{"parts": [{"part": 1, "labels": ["9.9"]}]} No, wait: {"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, '
        '{"part": 2, "labels": ["2.10"]}]}',
    ],
)
def test_other_forms_of_the_same_choice(reply: str) -> None:
    """However a choice is wrapped, it is the same choice, and a label keeps all its digits."""
    parsed = parse_draft(reply, TWO)
    assert labels(parsed) == [("2.3", "4.1"), ("2.10",)]
    assert parsed.dropped == ()


@pytest.mark.parametrize(
    "reply",
    [
        '["2.3", "4.1"]',
        "[2.3, 4.1]",
        '{"parts": [{"part": 1, "labels": [2.3]}, {"part": 2, "labels": [4.1]}]}',
        '{"parts": [{"part": 0, "labels": [2.3, 4.1]}]}',
        '{"parts": [{"part": null, "labels": [2.3, 4.1]}]}',
        '{"1": [2.3], "2": [4.1]}',
    ],
)
def test_one_part(reply: str) -> None:
    """Where a question has one part, every choice is for it, however the model counts."""
    parsed = parse_draft(reply, ONE)
    assert (labels(parsed), parsed.dropped) == ([("2.3", "4.1")], ())


@pytest.mark.parametrize(
    "written", ["2-5", "2.1-2.4", "2.1 - 2.4", "2.1 to 2.4", "[2.1]-[2.4]", "02.3", "٢.٣", "２.３", "0"]
)
def test_no_label_is_guessed(written: str) -> None:
    """A range is not expanded and a label not corrected: what was written goes on to be dropped."""
    part = parse_draft(json.dumps({"parts": [{"part": 1, "labels": [written]}]}, ensure_ascii=False), ONE).draft.parts[
        0
    ]
    assert len(part.labels + part.quotes) == 1
    assert not {*part.labels, *part.quotes} & {"2.1", "2.2", "2.3", "2.4"}


@pytest.mark.parametrize(
    "reply",
    [
        '{"parts": [{"part": 1, "labels": []}, {"part": 2, "labels": []}]}',
        '{"parts": [{"part": 1, "labels": null}]}',
        '{"parts": []}',
        "[]",
        '{"1": [], "2": []}',
        '{"parts": [{"part": 1, "labels": "none"}, {"part": 2, "labels": ["None", ""]}]}',
    ],
)
def test_a_decline(reply: str) -> None:
    """A draft that chooses nothing for any part is a decline."""
    parsed = parse_draft(reply, TWO)
    assert parsed.draft.declined == "model_declined"
    assert labels(parsed) == [(), ()]


def test_searches_instead_of_labels() -> None:
    """A draft that asks for further searches is no decline; two are taken, the others counted."""
    parsed = parse_draft('{"parts": [], "search": ["trial  period", "", "probation", "trial period", "notice"]}', ONE)
    assert parsed.search == ("trial period", "probation")
    assert len(parsed.dropped) == 1
    assert parsed.draft.declined is None
    assert parse_draft('{"search": "probation"}', ONE).search == ("probation",)


def test_searches_that_are_no_words() -> None:
    """A placeholder copied from the prompt, or what is no text, is not searched for but counted."""
    parsed = parse_draft('{"parts": [], "search": ["<words to search for>", {"q": "x"}, ["y"], "notice"]}', ONE)
    assert parsed.search == ("notice",)
    assert len(parsed.dropped) == 3


@pytest.mark.parametrize(
    "reply",
    [
        '{"parts": [{"part": 1, "quotes": ["The trial period is 3 months, unless agreed otherwise."]}]}',
        '{"parts": [{"part": 1, "labels": ["The trial period is 3 months, unless agreed otherwise."]}]}',
        '{"quote": "[2.3] The trial period is 3 months, unless agreed otherwise."}',
        '{"1": {"labels": [], "quotes": "The trial period is 3 months, unless agreed otherwise."}}',
    ],
)
def test_quotes_instead_of_labels(reply: str) -> None:
    """Words of a document are kept whole, commas and all, without the label in front of them."""
    part = parse_draft(reply, ONE).draft.parts[0]
    assert part.quotes == ("The trial period is 3 months, unless agreed otherwise.",)
    assert part.labels == ()


def test_a_part_that_was_not_asked() -> None:
    """Choices for a part that the question does not have are dropped and counted."""
    parsed = parse_draft(
        '{"parts": [{"part": 0, "labels": [1.1]}, {"part": 1, "labels": [2.3]}, {"part": 3, "labels": [1.2, 1.3]}]}',
        TWO,
    )
    assert labels(parsed) == [("2.3",), ()]
    assert len(parsed.dropped) == 3


def test_choices_that_are_no_text() -> None:
    """A truth value, a list or an object among the labels is no label, and is counted once it maps onto nothing."""
    parsed = parse_draft('{"parts": [{"part": 1, "labels": [true, ["2.3"], {"no": "2.4"}, NaN]}]}', ONE)
    assert len(parsed.draft.parts[0].labels) >= 3
    assert not {"2.3", "2.4"} & set(parsed.draft.parts[0].labels)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("I cannot find the answer.", "no_json"),
        ("I choose [2.3] and [4.1].", "no_json"),
        ('{"parts": [{"part": 1, "labels": ["2.3"', "no_json"),
        ("{" * 3000, "no_json"),
        ("[{" * 3000, "no_json"),
        ("{}", "no_choices"),
        ('{"answer": "3 months"}', "no_choices"),
        ('{"parts": "2.3"}', "no_choices"),
        ('{"parts": 7}', "no_choices"),
        ('{"parts": [{"part": 1, "answer": "3 months"}]}', "no_choices"),
        ('["3 months"]', "no_choices"),
        ('{"parts": [7, "2.3"]}', "no_choices"),
    ],
)
def test_malformed(reply: str, reason: str) -> None:
    """A reply that holds no choices at all is trouble with its reason, never a decline."""
    with pytest.raises(MalformedReply) as raised:
        parse_draft(reply, ONE)
    assert isinstance(raised.value, ModelError)
    assert raised.value.reason == reason
    assert raised.value.details["reason"] == reason


def test_an_alias_bomb_is_no_bomb() -> None:
    """Aliases that would unfold to millions of texts are not unfolded."""
    lists = ", ".join(f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))
    reply = f"{{k0: &a0 ['x'], {lists}, parts: [{{part: *a11, labels: *a11}}, {{part: 1, labels: *a11}}]}}"
    assert len(parse_draft(reply, ONE).draft.parts[0].labels) == 1


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers(0, 5)
    | st.sampled_from(["2.3", "2.10", "part", "", "a b c d"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["parts", "part", "labels", "label", "quotes", "search", "1", "2", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(value=_JSON, before=st.text(max_size=8), after=st.text(max_size=8))
def test_any_reply(value: object, before: str, after: str) -> None:
    """Whatever comes back, it is a draft of as many parts as were asked, or a MalformedReply."""
    try:
        parsed = parse_draft(f"{before}{json.dumps(value)}{after}", TWO)
    except MalformedReply:
        return
    assert len(parsed.draft.parts) == 2
    assert len(parsed.search) <= 2
    for part in parsed.draft.parts:
        assert all(isinstance(text, str) and text == text.strip() != "" for text in part.labels + part.quotes)
