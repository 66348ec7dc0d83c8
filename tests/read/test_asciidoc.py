"""AsciiDoc: lists, conditions and tables as its pages show them."""

from rag_app.read.formats.asciidoc import read_asciidoc
from rag_app.text.footnotes import whole_statements


def shown(source: str) -> list[str]:
    """Each statement with what it depends on before it."""
    text = read_asciidoc(source.encode()).text
    return [" > ".join(" ".join(text[a:b].split()) for a, b in (*s.lead_in, s.span)) for s in whole_statements(text)]


def test_lines_of_an_item_stay_with_it() -> None:
    """A text may go on in the next line, and as an indented paragraph; a blank line between items parts no list."""
    source = "Bring:\n\n* a coat\nthat is warm\n* a bag\n\n  of leather\n** with a lock\n\n* a map\n"
    assert shown(source)[1:] == [
        "Bring: > a coat that is warm",
        "Bring: > a bag of leather",
        "Bring: > a bag of leather > with a lock",
        "Bring: > a map",
    ]


def test_a_list_behind_attributes_or_a_comment_is_a_list_of_its_own() -> None:
    """It counts by itself, in its own style, and what introduced the list above does not introduce it."""
    source = "To open:\n\n. Turn.\n. Pull.\n\n[loweralpha]\n. First\n. Second\n\n[start=5]\n. Five\n\n//-\n\n. One\n"
    assert shown(source)[3:] == ["a. First", "b. Second", "5. Five", "1. One"]


def test_what_is_attached_to_an_item_belongs_to_it() -> None:
    """Paragraphs, code and open blocks behind a `+`, and numbers of the second level in letters."""
    source = ". Start.\n+\nWait.\n+\n----\ngo\n----\n.. Look.\n. Stop.\n"
    assert shown(source) == ["1. Start.", "1. Start. > Wait.", "1. Start. > go", "1. Start. > a. Look.", "2. Stop."]


def test_terms_have_their_texts() -> None:
    """A question keeps its sign, two terms may share a text, and a text may be attached or a list."""
    source = "Open?:: Yes.\nMass::\nWeight:: 4 kg\nColour::\n+\nBlue.\nParts::\n* lid\n"
    assert shown(source) == ["Open? Yes.", "Mass, Weight: 4 kg", "Colour: Blue.", "Parts", "Parts > lid"]


def test_numbers_below_code_are_items() -> None:
    """Each remark on a line of code stands alone, with the number that the code shows."""
    assert shown("----\nrun <1>\nend <2>\n----\n<1> Starts.\n<2> Ends.\n")[1:] == ["<1> Starts.", "<2> Ends."]


def test_a_condition_on_values_is_decided() -> None:
    """What stands under one that does not hold is no text, and is named."""
    source = ":max: 6\n\nifeval::[{max} > 7]\nBig.\nendif::[]\n\nifeval::[{max} <= 6]\nSmall.\nendif::[]\n"
    assert shown(source) == ["Small."]
    assert "ifeval::[{max} > 7]" in read_asciidoc(source.encode()).notes[0]


def test_a_table_has_the_header_that_it_says_it_has() -> None:
    """Where rows begin with their own names the first is none; letters before a bar are no format of a cell."""
    assert shown('[cols="1h,1"]\n|===\n|Name|Pump\n|Flow|Low\n|===\n') == ["| Name | Pump |", "| Flow | Low |"]
    assert shown("[%header]\n|===\n|Name|Pump\n|Flow|Low\n|===\n") == ["| Name | Pump | > | Flow | Low |"]


def test_a_table_may_be_written_as_csv() -> None:
    """Commas within quotation marks part no cells."""
    source = '[%header,format=csv]\n|===\nCity,Hotel\n"Milan, centre",150\n|===\n'
    assert shown(source) == ["| City | Hotel | > | Milan, centre | 150 |"]


def test_a_plus_may_be_set_in() -> None:
    """As Pandoc writes it, with the attached text behind."""
    assert shown("Keys::\n  Three are given.\n  +\n  A lost one costs 40 euros.\n") == [
        "Keys: Three are given.",
        "Keys: Three are given. > A lost one costs 40 euros.",
    ]


def test_an_item_behind_a_plus_is_the_next_item() -> None:
    """A `+` without a block attaches nothing, however often it stands."""
    assert shown("* a\n+\n* b\n") == ["a", "b"]
    assert len(shown("* a\n+\n" * 3000)) == 3000
