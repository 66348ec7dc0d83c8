"""Quoted statements, tables and passages as escaped HTML."""

from collections.abc import Sequence

from rag_app.quote import LeadIn, Quote
from rag_app.show.html.style import escaped
from rag_app.show.lines import cells_of, collapse
from rag_app.show.marks import marked_html


def table_key(quote: Quote) -> tuple[object, ...]:
    """Equal for rows of one table, which are shown under one header; for anything else its place alone."""
    if quote.kind == "table_row" and quote.lead_in:
        return (quote.document_id, *quote.lead_in)
    return (quote.document_id, quote.start, quote.end)


def statement_html(quote: Quote) -> str:
    """One statement: code as it stands, prose on one line, with its emphasis where the document is Markdown."""
    if quote.kind == "code":
        return f"<pre><code>{escaped(quote.text)}</code></pre>"
    return _prose(quote.text, quote)


def leads_html(lines: Sequence[LeadIn], quote: Quote) -> str:
    """The lines that a statement depends on, outermost first; or those that limit it."""
    return "".join(f'<div class="ra-soft">{_prose(line.text, quote)}</div>' for line in lines)


def rows_html(quotes: list[Quote], chips: list[str]) -> str | None:
    """Rows of one table under its header, each with the chip of its source; None where they do not fit the header."""
    lead_in = quotes[0].lead_in
    header = cells_of(lead_in[-1].text) if lead_in else []
    rows = [cells_of(quote.text) for quote in quotes]
    if quotes[0].kind != "table_row" or len(header) < 2 or any(len(row) != len(header) for row in rows):
        return None
    above = leads_html(lead_in[:-1], quotes[0])
    head = "".join(f'<th scope="col">{_prose(cell, quotes[0])}</th>' for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{_prose(cell, quote)}</td>' for cell in row)}<td>{chip}</td></tr>"
        for quote, row, chip in zip(quotes, rows, chips, strict=True)
    )
    notes = {line: quote for quote in quotes for line in quote.lead_out}
    below = "".join(leads_html([line], quote) for line, quote in notes.items())
    return f'{above}<div class="ra-wide"><table><tr>{head}<td></td></tr>{body}</table></div>{below}'


def passage_html(quotes: list[Quote]) -> str:
    """A passage, letter for letter, with the statements quoted from it marked; `quotes` share that passage."""
    context, base = quotes[0].context, quotes[0].context_start
    pieces, at = [], 0
    for start, end in sorted({(quote.start - base, quote.end - base) for quote in quotes}):
        start = max(start, at)
        pieces.append(escaped(context[at:start]))
        pieces.append(f"<mark>{escaped(context[start:end])}</mark>")
        at = max(at, end)
    return "".join([*pieces, escaped(context[at:])])


def _prose(text: str, quote: Quote) -> str:
    line = collapse(text)
    return marked_html(line).replace("$", "&#36;") if quote.markup == "markdown" else escaped(line)
