"""An answer as text and as escaped HTML. Showing may collapse white space; what is stored and cited never is."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_app.answer import Answer, Quote, Summary, SummarySentence

NOT_ENOUGH = "There is not enough evidence in the documents to answer this question."
NOT_ENOUGH_ON_THE_WEB = "There is not enough evidence in the web pages that were found to answer this question."
NOT_ENOUGH_ANYWHERE = (
    "There is not enough evidence in the documents, nor in the web pages that were found, to answer this question."
)
UNGROUNDED = "Not from the documents (the model's own knowledge, without citation): "
SUMMARY = "Summary written by a model from the quotes below:"

_BLANK = re.compile(r"\s+")
_QUOTE_MARK = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_PIPE = re.compile(r"(?<!\\)\|")
_WIDE_GAP = re.compile(r"\t+| {2,}")

Numbers = dict[tuple[object, ...], int]


def as_text(answer: Answer, files: Mapping[str, str] | None = None) -> str:
    """Quotes as paragraphs with [n], then numbered sources; or one fixed sentence.

    Args:
        files: where a document's file can be opened, by document id; shown with its source.
    """
    if answer.status == "insufficient_evidence":
        return _not_enough(answer)
    if answer.status == "ungrounded":
        return UNGROUNDED + (answer.own_words or "")
    numbers = _source_numbers(answer.quotes)
    paragraphs = []
    above: tuple[object, ...] = ()
    for quote in answer.quotes:
        lead = (quote.document_id, *quote.lead_in)
        shown = len(above) - 1 if above and lead[: len(above)] == above else 0
        kind = quote.kind if quote.kind == "table_row" else "lead_in"
        lines = [_line(line.text, kind) for line in quote.lead_in[shown:]]
        above = lead
        lines.append(f"{_line(quote.text, quote.kind)} [{numbers[_source_key(quote)]}]")
        paragraphs.append("\n".join(lines))
    if answer.summary:
        told = " ".join(f"{s.text} {_marks(s, answer, numbers)}" for s in answer.summary.sentences)
        paragraphs.insert(0, f"{SUMMARY} {collapse(told)}")
    for conflict in answer.conflicts:
        sides = [
            f"- “{q.title}” ({_date_of(q)}): {collapse(q.text)} [{numbers[_source_key(q)]}]" for q in conflict.quotes
        ]
        paragraphs.append("\n".join([f"The documents disagree about {conflict.about}:", *sides]))
    for part in answer.missing:
        paragraphs.append(f"Not found {_where(answer)}: {part}")
    sources = []
    for quote, n in _first_of_each(answer.quotes, numbers):
        places = _places(quote, answer.quotes)
        file = (files or {}).get(quote.document_id)
        if file and quote.source != quote.path:  # the document names a source of its own
            sources.append(f"[{n}] {_source_line(quote)}\n    {file}, {places}")
        else:
            sources.append(f"[{n}] {_source_line(quote, file)}, {places}")
    return "\n\n".join([*paragraphs, "\n".join(sources)])


def as_html(answer: Answer) -> str:
    """The answer as one escaped HTML fragment: numbered chips, sources, each passage with its quotes highlighted."""
    if answer.status != "grounded":
        return f'<div class="rag-app"><p>{_escaped(as_text(answer))}</p></div>'
    numbers = _source_numbers(answer.quotes)
    rows = [_quotes_html(list(alike), numbers) for _, alike in groupby(answer.quotes, key=_table_key)]
    if answer.summary:
        rows.insert(0, f"<p><b>{SUMMARY}</b> {_summary_html(answer.summary, answer, numbers)}</p>")
    for conflict in answer.conflicts:
        sides = "".join(
            f"<li>“{_escaped(q.title)}” ({_escaped(_date_of(q))}): {_escaped(collapse(q.text))}</li>"
            for q in conflict.quotes
        )
        rows.append(f"<p><b>The documents disagree about {_escaped(conflict.about)}:</b></p><ul>{sides}</ul>")
    rows.extend(f"<p><i>Not found {_where(answer)}: {_escaped(part)}</i></p>" for part in answer.missing)
    for quote, number in _first_of_each(answer.quotes, numbers):
        passages: dict[int, list[Quote]] = {}
        for other in answer.quotes:
            if other.context and _source_key(other) == _source_key(quote):
                passages.setdefault(other.context_start, []).append(other)
        shown = "<hr>".join(_context_html(passages[start]) for start in sorted(passages))
        rows.append(
            f"<details><summary>{_chip(number)} {_escaped(_source_line(quote))}, {_places(quote, answer.quotes)}"
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


def _sources_of(sentence: SummarySentence, answer: Answer, numbers: Numbers) -> list[int]:
    """Numbers of the sources of the quotes that a sentence rests on."""
    return sorted({numbers[_source_key(answer.quotes[index])] for index in sentence.quotes})


def _marks(sentence: SummarySentence, answer: Answer, numbers: Numbers) -> str:
    return "".join(f"[{number}]" for number in _sources_of(sentence, answer, numbers))


def _summary_html(summary: Summary, answer: Answer, numbers: Numbers) -> str:
    return " ".join(
        f"{_escaped(collapse(sentence.text))} {''.join(map(_chip, _sources_of(sentence, answer, numbers)))}"
        for sentence in summary.sentences
    )


def _table_key(quote: Quote) -> tuple[object, ...]:
    """Equal for rows of one table, which are shown under one header; for anything else its place alone."""
    if quote.kind == "table_row" and quote.lead_in:
        return (quote.document_id, *quote.lead_in)
    return (quote.document_id, quote.start, quote.end)


def _quotes_html(quotes: list[Quote], numbers: Numbers) -> str:
    """One quote, or several rows of one table."""
    lead_in = quotes[0].lead_in
    header = cells_of(lead_in[-1].text) if lead_in else []
    rows = [cells_of(quote.text) for quote in quotes]
    is_table = quotes[0].kind == "table_row" and len(header) > 1 and all(len(row) == len(header) for row in rows)
    above = "".join(_lead_html(line.text) for line in (lead_in[:-1] if is_table else lead_in))
    if not is_table:
        shown = "".join(f"{_text_html(quote)} {_chip(numbers[_source_key(quote)])}" for quote in quotes)
        return f"<blockquote>{above}{shown}</blockquote>"
    head = "".join(f"<th>{_escaped(cell)}</th>" for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{_escaped(cell)}</td>' for cell in row)}<td>{_chip(numbers[_source_key(quote)])}</td></tr>"
        for quote, row in zip(quotes, rows, strict=True)
    )
    return f"<blockquote>{above}<table><tr>{head}<th></th></tr>{body}</table></blockquote>"


def cells_of(row: str) -> list[str]:
    """The cells of a table row: between pipes as in Markdown, else between tabs or wide gaps; for showing only."""
    if "|" in row:
        cells = _PIPE.split(row.strip().removeprefix("|").removesuffix("|"))
        return [collapse(cell.replace("\\|", "|")) for cell in cells]
    return [collapse(cell) for cell in _WIDE_GAP.split(row.strip())]


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


def _line(text: str, kind: str) -> str:
    if kind == "table_row" and "|" not in text and len(cells := cells_of(text)) > 1:
        return " | ".join(cells)  # columns that only wide gaps tell apart
    return text if kind == "code" else collapse(text)


def collapse(text: str) -> str:
    """White space and the marks of a wrapped block quote as single spaces; for showing only."""
    return _BLANK.sub(" ", _QUOTE_MARK.sub("\n", text)).strip()


def _date_of(quote: Quote) -> str:
    if quote.retrieved:
        return f"published {quote.published}" if quote.published else f"retrieved {_minute(quote.retrieved)}"
    return f"in force since {quote.effective_date}" if quote.effective_date else "no date"


def _minute(moment: str) -> str:
    """2025-03-04T05:06:07+00:00 as 2025-03-04 05:06 UTC; a date as it is."""
    return f"{moment[:16].replace('T', ' ')} UTC" if "T" in moment else moment


def _not_enough(answer: Answer) -> str:
    if answer.trace.web is None:
        return NOT_ENOUGH
    return NOT_ENOUGH_ON_THE_WEB if answer.trace.index_version is None else NOT_ENOUGH_ANYWHERE


def _where(answer: Answer) -> str:
    return "in the documents" if answer.trace.web is None else "on the web"


def _source_key(quote: Quote) -> tuple[object, ...]:
    return (quote.document_id, quote.section, quote.page)


def _source_numbers(quotes: tuple[Quote, ...]) -> Numbers:
    numbers: Numbers = {}
    for quote in quotes:
        numbers.setdefault(_source_key(quote), len(numbers) + 1)
    return numbers


def _first_of_each(quotes: tuple[Quote, ...], numbers: Numbers) -> list[tuple[Quote, int]]:
    firsts: dict[int, Quote] = {}
    for quote in quotes:
        firsts.setdefault(numbers[_source_key(quote)], quote)
    return [(quote, number) for number, quote in sorted(firsts.items())]


def headings(title: str, section: Sequence[str]) -> Sequence[str]:
    """The headings above a passage without a first one that is the document's title over again."""
    return section[1:] if section and section[0].casefold() == title.casefold() else section


def breadcrumb(title: str, section: Sequence[str]) -> str:
    """Title and headings in one line: “Title › Section › Section”."""
    return collapse(" › ".join(dict.fromkeys((title, *headings(title, section)))))


def _places(source: Quote, quotes: Sequence[Quote]) -> str:
    """“characters 120–245, 301–377”: of all quotes from one source, as slices of the document's text."""
    key = _source_key(source)
    spans = dict.fromkeys((quote.start, quote.end) for quote in quotes if _source_key(quote) == key)
    return "characters " + ", ".join(f"{start}–{end}" for start, end in spans)


def _source_line(quote: Quote, file: str | None = None) -> str:
    """“Title › Section › Section, page 3, version 2, in force since 2025-01-01 — path”; for the web “Title, web page,
    published 2025-01-01, retrieved 2025-01-02 03:04 UTC — URL”."""
    line = breadcrumb(quote.title, quote.section)
    if quote.page is not None:
        line += f", page {quote.page}"
    if quote.version:
        line += f", version {quote.version}"
    if quote.effective_date:
        line += f", in force since {quote.effective_date}"
    if quote.retrieved:
        line += ", web page"
        line += f", published {quote.published}" if quote.published else ""
        line += f", retrieved {_minute(quote.retrieved)}"
    if quote.superseded_by:
        line += f", superseded by “{quote.superseded_by}”"
    return f"{line} — {file or quote.source}"
