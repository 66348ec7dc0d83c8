"""An answer as escaped HTML."""

import html
from collections.abc import Mapping
from itertools import groupby

from rag_app.quote import Quote, Summary
from rag_app.show.lines import (
    Numbers,
    cells_of,
    collapse,
    date_of,
    first_of_each,
    places_of,
    source_key,
    source_line,
    source_numbers,
)
from rag_app.show.render import SUMMARY, as_text, sources_of, where
from rag_app.show.shown import Shown


def as_html(answer: Shown) -> str:
    """The answer as one escaped HTML fragment: numbered chips, sources, each passage with its quotes highlighted."""
    if answer.status != "grounded":
        return f'<div class="rag-app"><p>{_escaped(as_text(answer))}</p></div>'
    numbers = source_numbers(answer.quotes)
    rows = [_quotes_html(list(alike), numbers) for _, alike in groupby(answer.quotes, key=_table_key)]
    if answer.summary:
        rows.insert(0, f"<p><b>{SUMMARY}</b> {_summary_html(answer.summary, answer, numbers)}</p>")
    for conflict in answer.conflicts:
        sides = "".join(
            f"<li>“{_escaped(q.title)}” ({_escaped(date_of(q))}): {_escaped(collapse(q.text))}</li>"
            for q in conflict.quotes
        )
        rows.append(f"<p><b>The documents disagree about {_escaped(conflict.about)}:</b></p><ul>{sides}</ul>")
    rows.extend(f"<p><i>Not found {where(answer)}: {_escaped(part)}</i></p>" for part in answer.missing)
    for quote, number in first_of_each(answer.quotes, numbers):
        passages: dict[int, list[Quote]] = {}
        for other in answer.quotes:
            if other.context and source_key(other) == source_key(quote):
                passages.setdefault(other.context_start, []).append(other)
        shown = "<hr>".join(_context_html(passages[start]) for start in sorted(passages))
        rows.append(
            f"<details><summary>{_chip(number)} {_escaped(source_line(quote))}, {places_of(quote, answer.quotes)}"
            f"</summary><pre style='white-space:pre-wrap'>{shown}</pre></details>"
        )
    return f'<div class="rag-app">{"".join(rows)}</div>'


def facts_as_html(title: str, sentence: str, facts: Mapping[str, str]) -> str:
    """A heading, a sentence and a small table of facts, escaped."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{_escaped(name)}</th><td style='text-align:left'>{_escaped(fact)}</td></tr>"
        for name, fact in facts.items()
    )
    below = f"<p>{_escaped(sentence)}</p>" if sentence else ""
    return f'<div class="rag-app"><b>{_escaped(title)}</b>{below}<table>{rows}</table></div>'


def _summary_html(summary: Summary, answer: Shown, numbers: Numbers) -> str:
    return " ".join(
        f"{_escaped(collapse(sentence.text))} {''.join(map(_chip, sources_of(sentence, answer, numbers)))}"
        for sentence in summary.sentences
    )


def _quotes_html(quotes: list[Quote], numbers: Numbers) -> str:
    """One quote, or several rows of one table."""
    lead_in = quotes[0].lead_in
    header = cells_of(lead_in[-1].text) if lead_in else []
    rows = [cells_of(quote.text) for quote in quotes]
    is_table = quotes[0].kind == "table_row" and len(header) > 1 and all(len(row) == len(header) for row in rows)
    above = "".join(_lead_html(line.text) for line in (lead_in[:-1] if is_table else lead_in))
    if not is_table:
        shown = "".join(f"{_text_html(quote)} {_chip(numbers[source_key(quote)])}" for quote in quotes)
        return f"<blockquote>{above}{shown}</blockquote>"
    head = "".join(f"<th>{_escaped(cell)}</th>" for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{_escaped(cell)}</td>' for cell in row)}<td>{_chip(numbers[source_key(quote)])}</td></tr>"
        for quote, row in zip(quotes, rows, strict=True)
    )
    return f"<blockquote>{above}<table><tr>{head}<th></th></tr>{body}</table></blockquote>"


def _table_key(quote: Quote) -> tuple[object, ...]:
    """Equal for rows of one table, which are shown under one header; for anything else its place alone."""
    if quote.kind == "table_row" and quote.lead_in:
        return (quote.document_id, *quote.lead_in)
    return (quote.document_id, quote.start, quote.end)


def _chip(number: int) -> str:
    return f"<sup style='background:#e7eefc;color:#1d3f91;border-radius:8px;padding:0 6px'>{number}</sup>"


def _lead_html(text: str) -> str:
    return f"<div style='opacity:.65'>{_escaped(collapse(text))}</div>"


def _text_html(quote: Quote) -> str:
    if quote.kind == "code":
        return f"<pre><code>{html.escape(quote.text)}</code></pre>"
    return _escaped(collapse(quote.text))


def _context_html(quotes: list[Quote]) -> str:
    """A passage with the statements quoted from it marked; `quotes` share that passage."""
    context, base = quotes[0].context, quotes[0].context_start
    pieces, at = [], 0
    for start, end in sorted({(q.start - base, q.end - base) for q in quotes}):
        start = max(start, at)
        pieces.append(_escaped(context[at:start]))
        pieces.append(f"<mark>{_escaped(context[start:end])}</mark>")
        at = max(at, end)
    return "".join([*pieces, _escaped(context[at:])])


def _escaped(text: str) -> str:
    """Escaped for HTML; dollar signs too, between which a notebook would see a formula."""
    return html.escape(text).replace("$", "&#36;")
