"""Footnotes, remarks and what a colon announces belong to the statement that they limit or complete."""

from typing import Literal

import pytest

from rag_app.text.footnotes import whole_statements

Markup = Literal["markdown", "plain"]


def whole(text: str, piece: str, markup: Markup = "markdown") -> str:
    """The statement that holds `piece` with everything that is shown with it."""
    found = next(s for s in whole_statements(text, markup) if piece in text[s.start : s.end])
    return " ".join(" ".join(text[a:b] for a, b in (*found.lead_in, found.span, *found.lead_out)).split())


LIMIT = "Only if all keys are returned."


@pytest.mark.parametrize("markup", ["markdown", "plain"])
@pytest.mark.parametrize(
    ("reference", "note"),
    [
        ("The fee is refunded within 10 days.[^1]", "[^1]: {}"),
        ("The fee[^key] is refunded within 10 days.", "[^key]: {}"),
        ("The fee is refunded within 10 days.¹", "¹ {}"),
        ("The fee is refunded within 10 days.†", "† {}"),
        ("The fee\\* is refunded within 10 days.", "\\* {}"),
        ("The fee is refunded within 10 days [2].", "[2] {}"),
        ("The fee is refunded within 10 days (see note 2).", "Note 2: {}"),
        ("Die Gebühr, vgl. Fußnote 3, wird erstattet.", "Fußnote 3: {}"),
    ],
)
def test_a_footnote_comes_with_what_it_limits(reference: str, note: str, markup: Markup) -> None:
    """A statement is shown with its note, the note with the statement, and no other statement with either."""
    text = f"The hall is old. {reference} Cats may stay.\n\nAnother matter.\n\n{note.format(LIMIT)}\n"
    sentence = reference.split(".")[0]
    assert LIMIT in whole(text, sentence, markup)
    assert sentence in whole(text, LIMIT, markup)
    assert LIMIT not in whole(text, "Another matter", markup)


def test_a_starred_row_comes_with_its_remark() -> None:
    """The remark below a table belongs to the row with its star, and to no other row."""
    text = "| Visitor | Fee |\n|---|---|\n| Children | 4 |\n| Adults* | 12 |\n\n* Only with a ticket of the same day.\n"
    assert "same day" in whole(text, "Adults")
    assert "same day" not in whole(text, "Children")


def test_stars_around_words_refer_to_nothing() -> None:
    """Words set in bold or italics are no references, and items that begin with such words are no notes."""
    text = (
        "Three kinds:\n\n* *Patch releases* mend faults.\n* *Minor releases* add commands.\n* **Major** ones break.\n"
    )
    for item in ("Patch", "Minor", "Major"):
        found = next(s for s in whole_statements(text) if s.kind == "list_item" and item in text[s.start : s.end])
        assert [text[a:b] for a, b in found.lead_in] == ["Three kinds:"]


def test_notes_listed_under_their_own_heading() -> None:
    """The numbered items below "Notes" are the notes that the text refers to by number."""
    text = "# Fees\n\nThe fee is 12 (note 2).\n\n# Notes\n\n1. All fees in euros.\n2. Children pay half.\n"
    assert whole(text, "The fee is 12").endswith("2. Children pay half.")


@pytest.mark.parametrize("text", ["The lake holds 10⁶ litres.\n\n⁶ Estimated.", "It is 12 m² large.\n\n² Measured."])
def test_an_exponent_is_no_reference(text: str) -> None:
    """A raised figure behind a number or a unit is a power, although a note has the same sign."""
    assert len(whole_statements(text, "plain")[0].lead_out) == 0


def test_a_footnote_of_one_word_is_text() -> None:
    """ "[^1]: Adults" is a note, and no link definition."""
    text = "The fee is 12 euros.[^1]\n\n[^1]: Adults\n\n[link]: http://example.org"
    assert whole(text, "The fee") == "The fee is 12 euros.[^1] [^1]: Adults"


def test_numbers_that_start_again_belong_to_the_nearest_note() -> None:
    """Where each page counts its notes from one, a reference means the next note below it."""
    text = "Rent is due in May.¹\n\n¹ Or in June.\n\nThe flat is let.¹\n\n¹ With the garden.\n"
    assert whole(text, "Rent is due", "plain") == "Rent is due in May.¹ ¹ Or in June."
    assert whole(text, "The flat is let", "plain") == "The flat is let.¹ ¹ With the garden."


def test_a_colon_comes_with_what_it_announces() -> None:
    """A sentence that ends in a colon is shown with the command or the short list below it, and never with half."""
    code = "Restart the pump with this command:\n\n```\npump --restart\n```\n"
    assert "pump --restart" in whole(code, "Restart the pump")
    items = "Bring these things along:\n\n- a towel\n- a key\n\nLeave the rest."
    assert whole(items, "Bring these") == "Bring these things along: a towel a key"
    many = "Bring these things along:\n\n" + "".join(f"- thing number {n}\n" for n in range(30))
    assert whole(many, "Bring these") == "Bring these things along:"


def test_a_second_remark_is_found_by_its_two_stars() -> None:
    """In plain text remarks in a row are items, each of the text with as many stars."""
    text = "Entry is free.* Dogs are welcome.**\n\n* New members only\n** Not on Sundays\n"
    found = {text[s.start : s.end]: [text[a:b] for a, b in s.lead_out] for s in whole_statements(text, "plain")}
    assert found["Entry is free.*"] == ["New members only"]
    assert found["Dogs are welcome.**"] == ["Not on Sundays"]
