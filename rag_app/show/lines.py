"""The pieces of text that every way of showing an answer has in common: sources, their numbers, places and dates."""

import re
from collections.abc import Sequence

from rag_app.quote import Quote

_BLANK = re.compile(r"\s+")
_QUOTE_MARK = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_PIPE = re.compile(r"(?<!\\)\|")
_WIDE_GAP = re.compile(r"\t+| {2,}")
_OBEYED = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    **dict.fromkeys([*range(0x7F, 0xA0), 0x202D, 0x202E], "\ufffd"),
}
_ESCAPED = {code: f"\\u{code:04x}" for code in _OBEYED}

Numbers = dict[tuple[object, ...], int]
"""The number of each source: a document's section, or its page."""


def cells_of(row: str) -> list[str]:
    """The cells of a table row: between pipes as in Markdown, else between tabs or wide gaps; for showing only."""
    if "|" in row:
        cells = _PIPE.split(row.strip().removeprefix("|").removesuffix("|"))
        return [collapse(cell.replace("\\|", "|")) for cell in cells]
    return [collapse(cell) for cell in _WIDE_GAP.split(row.strip())]


def collapse(text: str) -> str:
    """White space and the marks of a wrapped block quote as single spaces; for showing only."""
    return _BLANK.sub(" ", _QUOTE_MARK.sub("\n", text)).strip()


def headings(title: str, section: Sequence[str]) -> Sequence[str]:
    """The headings above a passage without a first one that is the document's title over again."""
    return section[1:] if section and section[0].casefold() == title.casefold() else section


def breadcrumb(title: str, section: Sequence[str]) -> str:
    """Title and headings in one line: “Title › Section › Section”."""
    return collapse(" › ".join(dict.fromkeys((title, *headings(title, section)))))


def date_of(quote: Quote) -> str:
    if quote.retrieved:
        return f"published {quote.published}" if quote.published else f"retrieved {minute_of(quote.retrieved)}"
    return f"in force since {quote.effective_date}" if quote.effective_date else "no date"


def minute_of(moment: str) -> str:
    """2025-03-04T05:06:07+00:00 as 2025-03-04 05:06 UTC; a date as it is."""
    return f"{moment[:16].replace('T', ' ')} UTC" if "T" in moment else moment


def source_key(quote: Quote) -> tuple[object, ...]:
    return (quote.document_id, quote.section, quote.page)


def source_numbers(quotes: tuple[Quote, ...]) -> Numbers:
    numbers: Numbers = {}
    for quote in quotes:
        numbers.setdefault(source_key(quote), len(numbers) + 1)
    return numbers


def first_of_each(quotes: tuple[Quote, ...], numbers: Numbers) -> list[tuple[Quote, int]]:
    firsts: dict[int, Quote] = {}
    for quote in quotes:
        firsts.setdefault(numbers[source_key(quote)], quote)
    return [(quote, number) for number, quote in sorted(firsts.items())]


def places_of(source: Quote, quotes: Sequence[Quote]) -> str:
    """“characters 120–245, 301–377”: of all quotes from one source, as slices of the document's text."""
    key = source_key(source)
    spans = dict.fromkeys((quote.start, quote.end) for quote in quotes if source_key(quote) == key)
    return "characters " + ", ".join(f"{start}–{end}" for start, end in spans)


def source_line(quote: Quote, file: str | None = None) -> str:
    """“Title › Section › Section, page 3, version 2, in force since 2025-01-01 — path”; for the web “Title, web page,
    published 2025-01-01, retrieved 2025-01-02 03:04 UTC — URL”."""
    return f"{', '.join(source_facts(quote))} — {file or source_path(quote)}"


def source_path(quote: Quote) -> str:
    """What the document names as its source and, where that is another, the path of its file."""
    return quote.source if quote.path in (None, quote.source) else f"{quote.source} ({quote.path})"


def source_facts(quote: Quote) -> list[str]:
    """Title with headings, then page, version and dates, as far as they are known."""
    facts = [breadcrumb(quote.title, quote.section)]
    if quote.page is not None:
        facts.append(f"page {quote.page}")
    if quote.version:
        facts.append(f"version {quote.version}")
    if quote.effective_date:
        facts.append(f"in force since {quote.effective_date}")
    if quote.retrieved:
        facts.append("web page")
        facts += [f"published {quote.published}"] if quote.published else []
        facts.append(f"retrieved {minute_of(quote.retrieved)}")
    if quote.superseded_by:
        facts.append(f"superseded by “{quote.superseded_by}”")
    return facts


def counted(number: int, one: str, many: str | None = None) -> str:
    """“1 document”, “2 documents”; `many` where that is not `one` with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def printable(text: str) -> str:
    """The text without what a terminal would obey: control characters become pictures of themselves, and those that
    turn the direction of writing around are replaced."""
    return text.replace("\r\n", "\n").translate(_OBEYED)


def printable_json(text: str) -> str:
    """JSON with the same characters as JSON's own escapes, so that a program reads them back as they were."""
    return text.translate(_ESCAPED)
