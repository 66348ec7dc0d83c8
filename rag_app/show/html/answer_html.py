"""An answer as one piece of escaped HTML: the same in a notebook, in a saved page, in reports and on the page of
`rag-app serve`. Readable by keyboard and screen reader: links, lists, tables and foldable details, no script.
"""

import hashlib
from collections.abc import Callable, Mapping
from itertools import groupby

from rag_app.quote import Conflict, Quote
from rag_app.show.html.links import link_to
from rag_app.show.html.quotes_html import leads_html, passage_html, rows_html, statement_html, table_key
from rag_app.show.html.style import escaped, fragment
from rag_app.show.html.times import in_words, times_html
from rag_app.show.lines import (
    Numbers,
    collapse,
    date_of,
    first_of_each,
    places_of,
    source_facts,
    source_key,
    source_numbers,
    source_path,
)
from rag_app.show.reasons import reason_in_words
from rag_app.show.render import NEAREST, SUMMARY, UNDERSTOOD, UNGROUNDED, WHICH, not_enough, sources_of, where
from rag_app.show.shown import Shown

LinkOf = Callable[[Quote], str | None]
"""Where a quote's source opens at the quote; None where it does not."""


def as_html(answer: Shown, *, files: Mapping[str, str] | None = None, link: LinkOf | None = None) -> str:
    """The answer as an HTML fragment: numbered quotes, conflicts side by side, what is missing, sources with their
    passages, and how it came about.

    Args:
        files: where a document's file can be opened, by document id; its source then links to the place in it.
        link: instead, what makes the link of a quote.
    """
    link = link or (lambda quote: link_to(quote, (files or {}).get(quote.document_id)))
    body = _grounded(answer, link) if answer.status == "grounded" else _not_grounded(answer, link)
    if answer.understood_as:
        body = f'<p class="ra-soft" dir="auto">{UNDERSTOOD} “{escaped(collapse(answer.understood_as))}”</p>{body}'
    return fragment(body + _course(answer), "Answer")


def _not_grounded(answer: Shown, link: LinkOf) -> str:
    if answer.status == "ungrounded":
        return f"<p>{escaped(UNGROUNDED)}{escaped(answer.own_words or '')}</p>"
    if answer.status == "needs_clarification":
        subjects = "".join(f'<li dir="auto">{escaped(collapse(subject))}</li>' for subject in answer.ambiguous)
        return f"<p><b>{escaped(WHICH)}</b></p><ul>{subjects}</ul>"
    because = reason_in_words(answer)
    said = f"<p><b>{escaped(not_enough(answer))}</b></p>" + (f"<p>{escaped(because)}</p>" if because else "")
    return said + _nearest(answer, link)


def _nearest(answer: Shown, link: LinkOf) -> str:
    """What came nearest to a refused question, below a fold and under a line that says that it is no answer."""
    if not answer.nearest:
        return ""
    rows = "".join(
        f'<li><span dir="auto">{leads_html(one.quote.lead_in, one.quote)}{statement_html(one.quote)}</span> '
        f'<div class="ra-soft">{escaped(", ".join(source_facts(one.quote)))}, {_path(one.quote, link)}, '
        f"{100 * one.probability:.0f} % likely to answer</div></li>"
        for one in answer.nearest
    )
    return f"<details><summary>{escaped(NEAREST.rstrip(':'))}</summary><ul>{rows}</ul></details>"


def _path(quote: Quote, link: LinkOf) -> str:
    """The source's path, which opens it at the quote where that is possible."""
    path = escaped(source_path(quote))
    if address := link(quote):
        return f'<a href="{escaped(address)}" target="_blank" rel="noopener noreferrer">{path}</a>'
    return path


def _grounded(answer: Shown, link: LinkOf) -> str:
    numbers = source_numbers(answer.quotes)
    anchor = _anchor(answer)

    def chip(number: int) -> str:
        return f'<a class="ra-chip" href="#{anchor}-{number}" aria-label="source {number}">{number}</a>'

    rows = [_summary(answer, numbers, chip)] if answer.summary else []
    rows += [_quotes(list(alike), numbers, chip) for _, alike in groupby(answer.quotes, key=table_key)]
    rows += [_conflict(conflict, numbers, chip) for conflict in answer.conflicts]
    if answer.missing:
        parts = "".join(f"<li>{escaped(part)}</li>" for part in answer.missing)
        rows.append(f'<div class="ra-note"><p>Not found {where(answer)}:</p><ul>{parts}</ul></div>')
    sources = "".join(
        _source(quote, answer.quotes, link, f"{anchor}-{number}", number)
        for quote, number in first_of_each(answer.quotes, numbers)
    )
    rows.append(f'<p class="ra-head" id="{anchor}">Sources</p><ol aria-labelledby="{anchor}">{sources}</ol>')
    return "".join(rows)


def _quotes(quotes: list[Quote], numbers: Numbers, chip: Callable[[int], str]) -> str:
    """One quote, or several rows of one table."""
    chips = [chip(numbers[source_key(quote)]) for quote in quotes]
    table = rows_html(quotes, chips)
    if table is not None:
        return f'<blockquote dir="auto">{table}</blockquote>'
    above = leads_html(quotes[0].lead_in, quotes[0])
    lines = (
        f"{statement_html(quote)} {mark}{leads_html(quote.lead_out, quote)}"
        for quote, mark in zip(quotes, chips, strict=True)
    )
    return f'<blockquote dir="auto">{above}{"<br>".join(lines)}</blockquote>'


def _summary(answer: Shown, numbers: Numbers, chip: Callable[[int], str]) -> str:
    sentences = answer.summary.sentences if answer.summary else ()
    written = " ".join(
        f"{escaped(collapse(sentence.text))} {''.join(map(chip, sources_of(sentence, answer, numbers)))}"
        for sentence in sentences
    )
    return f"<p><b>{escaped(SUMMARY)}</b> {written}</p>"


def _conflict(conflict: Conflict, numbers: Numbers, chip: Callable[[int], str]) -> str:
    sides = "".join(
        f'<div class="ra-side" role="listitem"><b dir="auto">{escaped(collapse(quote.title))}</b><br>'
        f'<span class="ra-soft">{escaped(date_of(quote))}</span>'
        f'<div dir="auto">{leads_html(quote.lead_in, quote)}{statement_html(quote)} '
        f"{chip(numbers[source_key(quote)]) if source_key(quote) in numbers else ''}"
        f"{leads_html(quote.lead_out, quote)}</div></div>"
        for quote in conflict.quotes
    )
    return (
        f'<div class="ra-note"><p><b>The documents disagree about {escaped(conflict.about)}:</b></p>'
        f'<div class="ra-sides" role="list">{sides}</div></div>'
    )


def _source(quote: Quote, quotes: tuple[Quote, ...], link: LinkOf, anchor: str, number: int) -> str:
    name, *facts = source_facts(quote)
    passages: dict[int, list[Quote]] = {}
    for other in quotes:
        if other.context and source_key(other) == source_key(quote):
            passages.setdefault(other.context_start, []).append(other)
    shown = "".join(f'<div class="ra-passage" dir="auto">{passage_html(passages[at])}</div>' for at in sorted(passages))
    folded = (
        f'<details><summary aria-label="Passages of source {number}">{"Passage" if len(passages) == 1 else "Passages"}'
        f"</summary>{shown}</details>"
        if passages
        else ""
    )
    details = escaped("".join(f", {fact}" for fact in facts))
    return (
        f'<li id="{anchor}"><b dir="auto">{escaped(name)}</b>{details}<br><span class="ra-soft">{_path(quote, link)}, '
        f"{places_of(quote, quotes)}</span>{folded}</li>"
    )


def _course(answer: Shown) -> str:
    """Warnings, and below a fold the stages' times and what was called."""
    trace = answer.trace
    warnings = "".join(f'<p class="ra-note" role="note">{escaped(warning)}</p>' for warning in trace.warnings)
    facts = [f"State of the index: {trace.index_version}"] if trace.index_version else []
    if trace.model_calls:
        calls = "call" if trace.model_calls == 1 else "calls"
        about = "about " if trace.tokens_estimated else ""
        facts.append(
            f"Language model: {trace.model_calls} {calls}, {about}{trace.input_tokens} tokens read, "
            f"{about}{trace.output_tokens} written"
        )
    below = times_html(trace.milliseconds) + "".join(f'<p class="ra-soft">{escaped(fact)}</p>' for fact in facts)
    if not below:
        return warnings
    total = sum(spent for stage, spent in trace.milliseconds.items() if stage in ("total", "index: total"))
    took = f" in {in_words(total)}" if total else ""
    return f'{warnings}<details class="ra-course"><summary class="ra-soft">Answered{took}</summary>{below}</details>'


def _anchor(answer: Shown) -> str:
    """A name for the links within an answer, so that several can stand on one page; equal answers, equal names."""
    places = [(quote.document_id, quote.start, quote.end) for quote in answer.quotes]
    said = repr((answer.question, places)).encode("utf-8", "backslashreplace")
    return f"ra-{hashlib.sha256(said).hexdigest()[:10]}"
