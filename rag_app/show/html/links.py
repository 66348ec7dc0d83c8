"""Links that open a source at the place of a quote."""

from pathlib import Path
from urllib.parse import quote as percent_encoded

from rag_app.quote import Quote
from rag_app.show.lines import cells_of, collapse
from rag_app.show.marks import without_marks

_WORDS = 5
"""A text fragment names the first and the last words of a longer text: browsers look for both and mark what lies
between, also where the page breaks its lines or sets a word in bold."""


def link_to(quote: Quote, file: str | Path | None = None) -> str | None:
    """The address of a quote's source, at the quote: for a web page with a text fragment, for a PDF with its page.

    Args:
        file: where the document's file can be opened; None where nobody knows.

    Returns:
        None where there is neither a web address nor a file.
    """
    if quote.retrieved and quote.source.startswith(("https://", "http://")):
        address, _, anchor = quote.source.partition("#")
        return f"{address}#{anchor}:~:text={text_fragment(quote)}"
    if file is None:
        return None
    address = Path(file).absolute().as_uri()
    if quote.page is not None:
        return f"{address}#page={quote.page}"
    return f"{address}#:~:text={text_fragment(quote)}"


def text_fragment(quote: Quote) -> str:
    """What follows `#:~:text=` for a quote's words, as they stand on the rendered page."""
    if quote.kind == "table_row" and len(cells := [cell for cell in map(_shown, cells_of(quote.text)) if cell]) > 1:
        return f"{_encoded(cells[0])},{_encoded(cells[-1])}"  # each cell stands by itself on the page
    lines = quote.text.splitlines() if quote.kind == "code" else [_shown(quote.text)]
    words = [word for line in lines for word in line.split()]
    if len(words) <= 2 * _WORDS:
        return _encoded(" ".join(words))
    return f"{_encoded(' '.join(words[:_WORDS]))},{_encoded(' '.join(words[-_WORDS:]))}"


def _shown(text: str) -> str:
    return without_marks(collapse(text))


def _encoded(text: str) -> str:
    """Percent-encoded, dashes too, which mean something in a text fragment."""
    return percent_encoded(text, safe="", errors="replace").replace("-", "%2D")
