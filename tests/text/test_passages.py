"""Passages: runs of whole statements of one section."""

import re
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.document import Document
from rag_app.text.footnotes import whole_statements
from rag_app.text.passages import cut_passages, embedding_text
from rag_app.text.sentences import count_words


def document(
    text: str,
    markup: Literal["markdown", "plain"] = "markdown",
    title: str = "Handbook",
    body_start: int = 0,
    page_starts=(),
) -> Document:
    return Document("d1", title, text, "d.md", "d.md", "0", markup, body_start, page_starts)


def sentences(count: int, words: int = 10) -> str:
    return " ".join(f"Sentence {number} {'is ' * (words - 3)}long." for number in range(100, 100 + count))


def sizes(text: str, **options) -> list[int]:
    return [count_words(text[passage.start : passage.end]) for passage in cut_passages(document(text), **options)]


def test_passages_are_about_the_target():
    """A long section becomes passages of about the target, with no small tail."""
    for count in range(17, 80):
        found = sizes(sentences(count))
        assert sum(found) == 10 * count
        assert all(80 <= size <= 150 for size in found), count


@pytest.mark.parametrize(("words", "passages"), [(110, 1), (140, 1), (150, 2), (220, 2), (330, 3)])
def test_a_small_tail_joins_the_passage_before(words, passages):
    """What would be under about a third of the target is no passage of its own."""
    assert len(sizes(sentences(words // 10))) == passages


def test_a_passage_never_crosses_a_section():
    """Sections stay apart, however small, and so do two sections of the same path."""
    text = "# A\n\nOne.\n\n## B\n\nTwo.\n\n## B\n\nThree.\n"
    passages = cut_passages(document(text))
    assert [(passage.section, text[passage.start : passage.end]) for passage in passages] == [
        (("A",), "One."),
        (("A", "B"), "Two."),
        (("A", "B"), "Three."),
    ]


def test_headings_alone_give_nothing():
    """A document of headings only, or of nothing, has no passage."""
    assert cut_passages(document("# A\n\n## B\n")) == []
    assert cut_passages(document("")) == []


def test_front_matter_is_in_no_passage():
    """Passages begin where the body does."""
    (passage,) = cut_passages(document("---\na: b\n---\nText.", body_start=13))
    assert (passage.start, passage.end) == (13, 18)


@pytest.mark.parametrize("before", range(4, 20))
def test_a_list_stays_with_its_lead_in(before):
    """No passage ends with the line that introduces the list of the next one."""
    text = sentences(before) + "\n\nBring all of these things with you:\n\n" + "- a thing of five words\n" * 20
    assert not any(passage.statements[-1].end == text.index("you:") + 4 for passage in cut_passages(document(text)))


def test_a_long_code_block_stays_whole():
    """One long statement may exceed the target, and is no reason for a scrap before it."""
    code = "\n".join(f"    call number {n} with many words" for n in range(50))
    text = f"Run:\n\n```\n{code}\n```\n"
    (passage,) = cut_passages(document(text))
    assert text[passage.start : passage.end].endswith(code)


def test_text_without_spaces_is_cut_too():
    """Chinese and Japanese text counts about two characters a word, so that its passages stay small."""
    assert count_words("年休は二十日です") == 4
    passages = sizes("社員は毎年二十日の休暇を取ることができます。" * 60)
    assert all(60 <= size <= 150 for size in passages)


def test_overlap_repeats_whole_statements():
    """With overlap, a passage begins with the last statements of the one before, within its section."""
    text = sentences(30) + "\n\n# B\n\nOther."
    first, second, *_, last = cut_passages(document(text), overlap_statements=2)
    assert second.statements[:2] == first.statements[-2:]
    assert second.start == first.statements[-2].start
    assert len(last.statements) == 1


def test_a_passage_knows_its_page():
    """In a document with pages a passage names the one it begins on; elsewhere none."""
    text = "One is here.\fTwo is here.\f" + sentences(30)
    pages = [passage.page for passage in cut_passages(document(text, "plain", page_starts=(0, 13, 26)))]
    assert pages[0] == 1
    assert pages[-1] == 3
    assert cut_passages(document("One."))[0].page is None


def test_embedding_text():
    """What is embedded names title and section once, and the lead-ins that lie outside the passage."""
    rows = "".join(f"| city {number} | five  words in this cell |\n" for number in range(40))
    text = f"# Handbook\n\n## Trips\n\n| City | Limit |\n|---|---|\n{rows}"
    first, second, *_ = cut_passages(document(text))
    for passage in (first, second):
        shown = embedding_text(document(text), passage)
        assert shown.startswith("Handbook. Trips. | City | Limit | | city ")
        assert "  " not in shown
    assert embedding_text(document(text, title="Guide"), first).startswith("Guide. Handbook > Trips. ")


PIECES = st.sampled_from(
    [
        "# A",
        "## B",
        "Text is here. More of it.",
        "So:",
        "- item\n- other\n  1. inner",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\n  code\n\nx\n```",
        "> quoted\n> text. Here.",
        "年休。病欠。",
        "unless it is not so",
        "<!-- c -->",
        sentences(15),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("\n\n".join) | st.text(max_size=200)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(["markdown", "plain"]), st.integers(0, 3), st.sampled_from([1, 30, 110]))
def test_passages_hold_every_statement_once(text, markup, overlap, target):
    """Passages hold all statements in order, begin and end with one, and without overlap hold each exactly once."""
    passages = cut_passages(document(text, markup), target_words=target, overlap_statements=overlap)
    statements = whole_statements(text, markup)
    for passage in passages:
        assert passage.start == passage.statements[0].start
        assert passage.end == passage.statements[-1].end
        assert all(passage.start <= statement.start < statement.end <= passage.end for statement in passage.statements)
        assert re.search(r"\S", embedding_text(document(text, markup), passage))
    seen = dict.fromkeys(statement for passage in passages for statement in passage.statements)
    assert list(seen) == statements
    if not overlap:
        assert sum(len(passage.statements) for passage in passages) == len(statements)
