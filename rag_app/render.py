"""An answer as text and as escaped HTML. Showing may collapse white space; what is stored and cited never is."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_app.answer import Answer, Quote

NOT_ENOUGH = "There is not enough evidence in the documents to answer this question."
UNGROUNDED = "Not from the documents (the model's own knowledge, without citation): "

_BLANK = re.compile(r"\s+")
_QUOTE_MARK = re.compile(r"\n[ \t]*(?:>[ \t]?)+")


def as_text(answer: Answer) -> str:
    """Quotes as paragraphs with [n], then numbered sources; or one fixed sentence."""
    if answer.status == "insufficient_evidence":
        return NOT_ENOUGH
    if answer.status == "ungrounded":
        return UNGROUNDED + (answer.summary or "")
    numbers = _source_numbers(answer.quotes)
    paragraphs = []
    shown_lead: tuple[str, ...] = ()
    for quote in answer.quotes:
        lead = tuple(line.text for line in quote.lead_in)
        lines = [_line(text, "lead") for text in lead] if lead != shown_lead else []
        shown_lead = lead
        lines.append(f"{_line(quote.text, quote.kind)} [{numbers[_source_key(quote)]}]")
        paragraphs.append("\n".join(lines))
    if answer.summary:
        paragraphs.insert(0, f"Summary written by a model from the quotes below: {answer.summary}")
    for conflict in answer.conflicts:
        titles = " and ".join(f"“{q.title}” ({q.effective_date or 'no date'})" for q in conflict.quotes)
        paragraphs.append(f"The documents disagree about {conflict.about}: {titles}.")
    for part in answer.missing:
        paragraphs.append(f"Not found in the documents: {part}")
    sources = [f"[{n}] {_source_line(quote)}" for quote, n in _first_of_each(answer.quotes, numbers)]
    return "\n\n".join([*paragraphs, "\n".join(sources)])


def as_html(answer: Answer) -> str:
    """The answer as one escaped HTML fragment: numbered chips, sources, each passage with its quote highlighted."""
    if answer.status != "grounded":
        return f'<div class="rag-app"><p>{html.escape(as_text(answer))}</p></div>'
    numbers = _source_numbers(answer.quotes)
    rows = []
    for quote in answer.quotes:
        lead = "".join(f"<div style='opacity:.65'>{_text_html(line.text, 'lead')}</div>" for line in quote.lead_in)
        chip = (
            "<sup style='background:#e7eefc;color:#1d3f91;border-radius:8px;padding:0 6px'>"
            f"{numbers[_source_key(quote)]}</sup>"
        )
        rows.append(f"<blockquote>{lead}{_text_html(quote.text, quote.kind)} {chip}</blockquote>")
    rows.extend(f"<p><i>Not found in the documents: {html.escape(part)}</i></p>" for part in answer.missing)
    if answer.summary:
        rows.append(f"<p><b>Summary written by a model:</b> {html.escape(answer.summary)}</p>")
    for conflict in answer.conflicts:
        titles = " and ".join(html.escape(q.title) for q in conflict.quotes)
        rows.append(f"<p><b>The documents disagree about {html.escape(conflict.about)}:</b> {titles}</p>")
    sources = []
    for quote, number in _first_of_each(answer.quotes, numbers):
        marked = _context_html([q for q in answer.quotes if q.context and _same_passage(q, quote)])
        sources.append(
            f"<details><summary>[{number}] {html.escape(_source_line(quote))}</summary>"
            f"<pre style='white-space:pre-wrap'>{marked}</pre></details>"
        )
    return f'<div class="rag-app">{"".join(rows)}{"".join(sources)}</div>'


def _same_passage(one: Quote, other: Quote) -> bool:
    return (one.document_id, one.context_start) == (other.document_id, other.context_start)


def _context_html(quotes: list[Quote]) -> str:
    """A passage with the statements quoted from it marked; `quotes` share that passage."""
    if not quotes:
        return ""
    context, base = quotes[0].context, quotes[0].context_start
    pieces, at = [], 0
    for start, end in sorted({(q.start - base, q.end - base) for q in quotes}):
        pieces.append(html.escape(context[at:start]))
        pieces.append(f"<mark>{html.escape(context[start:end])}</mark>")
        at = end
    return "".join([*pieces, html.escape(context[at:])])


def _line(text: str, kind: str) -> str:
    return text if kind == "code" else collapse(text)


def _text_html(text: str, kind: str) -> str:
    if kind == "code":
        return f"<pre><code>{html.escape(text)}</code></pre>"
    return html.escape(collapse(text))


def collapse(text: str) -> str:
    """White space and the marks of a wrapped block quote as single spaces; for showing only."""
    return _BLANK.sub(" ", _QUOTE_MARK.sub("\n", text)).strip()


def _source_key(quote: Quote) -> tuple[object, ...]:
    return (quote.document_id, quote.section, quote.page)


def _source_numbers(quotes: tuple[Quote, ...]) -> dict[tuple[object, ...], int]:
    numbers: dict[tuple[object, ...], int] = {}
    for quote in quotes:
        numbers.setdefault(_source_key(quote), len(numbers) + 1)
    return numbers


def _first_of_each(quotes: tuple[Quote, ...], numbers: dict[tuple[object, ...], int]) -> list[tuple[Quote, int]]:
    firsts: dict[int, Quote] = {}
    for quote in quotes:
        firsts.setdefault(numbers[_source_key(quote)], quote)
    return [(quote, number) for number, quote in sorted(firsts.items())]


def _source_line(quote: Quote) -> str:
    """“Title › Section › Section, page 3, version 2, in force since 2025-01-01 — path”."""
    line = " › ".join(dict.fromkeys((quote.title, *quote.section)))
    if quote.page is not None:
        line += f", page {quote.page}"
    if quote.version:
        line += f", version {quote.version}"
    if quote.effective_date:
        line += f", in force since {quote.effective_date}"
    return f"{line} — {quote.source}"


def explained(answer: Answer) -> str:
    """How the answer came about, for a person: what was found, what each stage dropped and why, the numbers."""
    trace = answer.trace
    lines = [f"Status: {answer.status}" + (f" ({answer.reason})" if answer.reason else "")]
    for heading, hits in (("Retrieved", trace.retrieved[:10]), ("Reached the evidence", trace.kept)):
        lines.append(f"{heading}:")
        for hit in hits:
            cosine = "" if hit.cosine is None else f"  cosine {hit.cosine:.3f}"
            lines.append(f"  {' › '.join(dict.fromkeys((hit.title, *hit.section)))} [{hit.start}:{hit.end}]{cosine}")
    dropped: dict[tuple[str, str], int] = {}
    for drop in trace.dropped:
        dropped[drop.stage, drop.reason] = dropped.get((drop.stage, drop.reason), 0) + 1
    lines.append("Dropped:")
    lines.extend(f"  {count} by {stage}: {reason}" for (stage, reason), count in dropped.items())
    lines.append("Numbers: " + ", ".join(f"{name} {value:g}" for name, value in trace.numbers.items()))
    lines.append("Milliseconds: " + ", ".join(f"{stage} {spent:.1f}" for stage, spent in trace.milliseconds.items()))
    if trace.model_calls:
        lines.append(f"Model: {trace.model_calls} calls, {trace.input_tokens} + {trace.output_tokens} tokens")
    lines.extend(f"Warning: {warning}" for warning in trace.warnings)
    return "\n".join(lines)
