"""Rich text: what a reader of the page sees. Files of LibreOffice are among those of test_other_files.py."""

import pytest

from rag_app.errors import ReadError
from rag_app.read.formats.rtf import read_rtf


def text(body: str, head: str = "") -> str:
    return read_rtf(rf"{{\rtf1\ansi\ansicpg1252{head} {body}}}".encode("latin-1")).text


def test_hidden_struck_and_deleted_words_are_not_read() -> None:
    """Inserted words are; what is switched off again is shown."""
    body = r"It costs {\v secret }{\strike old }{\deleted gone }{\revised new }\v no\v0 6 euros.\par"
    assert text(body) == "It costs new 6 euros.\n"


def test_letters_are_read_as_their_fonts_say() -> None:
    """By code page and by Unicode, whose substitutes are passed over."""
    head = r"{\fonttbl{\f0 Times;}{\f1\fcharset204 Arial;}}"
    assert text(r"\'80 5, \u8364?7, {\f1 \'cf\'f0}, a\~b, 2\'962, \u-10179?\u-8704?\par", head) == (
        "€ 5, €7, Пр, a b, 2–2, 😀\n"
    )


def test_lists_have_the_numbers_and_levels_that_are_shown() -> None:
    """A bullet is a bullet, a letter stays, and a list of another kind is not introduced as the one above."""
    item = r"{{\listtext {}\tab}}\ilvl{} {}\par\pard "
    body = "".join(
        item.format(*each) for each in ((r"\'b7", 0, "keys"), (r"\'b7", 1, "spare"), ("1.", 0, "go"), ("(a)", 1, "now"))
    )
    assert text(body) == "- keys\n\n  - spare\n\n<!-- -->\n\n1. go\n\n   - (a) now\n"


def test_typed_numbers_and_bullets_that_hang_are_items() -> None:
    """As Pandoc writes lists; how far they are set in says their level."""
    item = r"\pard\li{} \fi-360 {}\tab {}\par "
    body = "".join(item.format(*each) for each in ((360, "1.", "go"), (720, "a.", "in"), (360, "2.", "stop")))
    assert text(body + r"\pard\li0 After.\par") == "1. go\n\n   - a. in\n\n2. stop\n\nAfter.\n"


def test_rows_of_a_table_stand_under_their_columns() -> None:
    """Empty cells are kept, cells over two columns or rows count for each, paragraphs in a cell are one."""
    row = r"\trowd{}\pard\intbl {}\row\pard "
    body = (
        row.format(r"\cellx2000\cellx6000", r"Zone\cell Fee\cell")
        + row.format(r"\clvmgf\cellx2000\cellx4000\cellx6000", r"A\cell 3\par euros\cell\cell")
        + row.format(r"\clvmrg\cellx2000\cellx4000\cellx6000", r"\cell 4\cell 5\cell")
    )
    table = "| Zone | Fee | Fee |\n| --- | --- | --- |\n| A | 3 euros |  |\n| A | 4 | 5 |\n"
    assert text(body + r"After.\par") == f"{table}\nAfter.\n"


def test_headings_footnotes_and_titles_are_known() -> None:
    """By the names of styles and by outline levels; a note stands at the end and where it is referred to."""
    head = r"{\stylesheet{\s1\f5 heading 1;}{\s2 Normal;}}{\info{\title House rules}}{\header Page 1}"
    body = r"\pard\s1 Keys\par\pard\s2 Three.{\footnote \chftn On Mondays.}\par\pard\outlinelevel1 Fees\par"
    read = read_rtf(rf"{{\rtf1{head} {body}}}".encode())
    assert read.text == "# Keys\n\nThree.[^1]\n\n## Fees\n\n[^1]: On Mondays.\n"
    assert read.title == "House rules"


def test_pictures_and_comments_are_named() -> None:
    """What cannot be read does not vanish without a word."""
    read = read_rtf(rb"{\rtf1 One.{\pict\pngblip 8950}{\*\annotation Why?}{\*\unknown x}\par}")
    assert read.text == "One.\n"
    assert read.notes == ("Pictures or embedded files were not read: 1.", "Comments were not read: 1.")


@pytest.mark.parametrize(
    ("data", "code"), [(b"PK", "broken"), (b"{\\rtf1" + b"{" * 900, "broken"), (b"{\\rtf1 }", "no_text")]
)
def test_what_is_no_rtf_is_an_error(data: bytes, code: str) -> None:
    """Other files, groups without end, and files without text."""
    with pytest.raises(ReadError) as caught:
        read_rtf(data)
    assert caught.value.details["code"] == code


def test_columns_that_no_rows_share_are_not_written_out() -> None:
    """A table of which each row ends elsewhere does not swell."""
    rows = "".join(rf"\trowd\cellx{50 * n} a\cell\row " for n in range(1, 1000))
    assert len(text(rows)) < 10_000
