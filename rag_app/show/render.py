"""An answer as text. Showing may collapse white space; what is stored and cited never is."""

from collections.abc import Mapping

from rag_app.quote import Quote, SummarySentence
from rag_app.show.lines import (
    Numbers,
    cells_of,
    collapse,
    date_of,
    first_of_each,
    places_of,
    printable,
    source_key,
    source_line,
    source_numbers,
)
from rag_app.show.shown import Shown

NOT_ENOUGH = "There is not enough evidence in the documents to answer this question."
NOT_ENOUGH_ON_THE_WEB = "There is not enough evidence in the web pages that were found to answer this question."
NOT_ENOUGH_ANYWHERE = (
    "There is not enough evidence in the documents, nor in the web pages that were found, to answer this question."
)
NEAREST = "Nearest in the documents, which is not an answer:"
UNGROUNDED = "Not from the documents (the model's own knowledge, without citation): "
UNDERSTOOD = "Understood as:"
WHICH = "The question can be understood in more than one way. Which of these do you mean?"
SUMMARY = "Summary written by a model from the quotes below:"


def as_text(answer: Shown, files: Mapping[str, str] | None = None) -> str:
    """Quotes as paragraphs with [n], then numbered sources; or one fixed sentence.

    Args:
        files: where a document's file can be opened, by document id; shown with its source. Else a source that the
            document names itself is followed by the file's path in the documents folder.

    Returns:
        Text that a terminal shows as it is: escape sequences of documents are made visible.
    """
    return printable(_as_text(answer, files or {}))


def _as_text(answer: Shown, files: Mapping[str, str]) -> str:
    understood = f"{UNDERSTOOD} “{collapse(answer.understood_as)}”" if answer.understood_as else ""
    notes = [f"Note: {collapse(sentence)}" for sentence in answer.trace.corrected]
    if answer.status == "insufficient_evidence":
        return "\n\n".join(filter(None, [understood, *notes, not_enough(answer), *_nearest(answer)]))
    if answer.status == "ungrounded":
        return UNGROUNDED + (answer.own_words or "")
    if answer.status == "needs_clarification":
        return "\n".join([WHICH, *(f"- {collapse(subject)}" for subject in answer.ambiguous)])
    numbers = source_numbers(answer.quotes)
    paragraphs = []
    above: tuple[object, ...] = ()
    for quote in answer.quotes:
        lead = (quote.document_id, *quote.lead_in)
        shown = len(above) - 1 if above and lead[: len(above)] == above else 0
        kind = quote.kind if quote.kind == "table_row" else "lead_in"
        lines = [_line(line.text, kind) for line in quote.lead_in[shown:]]
        above = lead
        lines.append(f"{_line(quote.text, quote.kind)} [{numbers[source_key(quote)]}]")
        lines += (_line(line.text, "lead_out") for line in quote.lead_out)
        paragraphs.append("\n".join(lines))
    if answer.summary:
        told = " ".join(f"{s.text} {_marks(s, answer, numbers)}" for s in answer.summary.sentences)
        paragraphs.insert(0, f"{SUMMARY} {collapse(told)}")
    paragraphs[:0] = [*filter(None, [understood]), *notes]
    if answer.trace.web and answer.trace.web.doubt:
        paragraphs.insert(0, f"Note: {collapse(answer.trace.web.doubt)}")
    for conflict in answer.conflicts:
        sides = [
            f"- “{q.title}” ({date_of(q)}): {collapse(q.text)} [{numbers[source_key(q)]}]" for q in conflict.quotes
        ]
        paragraphs.append("\n".join([f"The documents disagree about {conflict.about}:", *sides]))
    for part in answer.missing:
        paragraphs.append(f"Not found {where(answer)}: {part}")
    sources = []
    for quote, n in first_of_each(answer.quotes, numbers):
        places = places_of(quote, answer.quotes)
        file = files.get(quote.document_id)
        if file and quote.source != quote.path:  # the document names a source of its own
            sources.append(f"[{n}] {source_line(quote, quote.source)}\n    {file}, {places}")
        else:
            sources.append(f"[{n}] {source_line(quote, file)}, {places}")
    return "\n\n".join([*paragraphs, "\n".join(sources)])


def sources_as_text(quotes: tuple[Quote, ...]) -> str:
    """The sources of quotes, each with the passages around them; "" where there are none."""
    blocks = []
    for quote, number in first_of_each(quotes, source_numbers(quotes)):
        around = {q.context_start: q.context for q in quotes if source_key(q) == source_key(quote)}
        passages = "\n[...]\n".join(around[start].strip() for start in sorted(around))
        blocks.append(f"[{number}] {source_line(quote)}, {places_of(quote, quotes)}\n\n{passages}")
    return printable("\n\n".join(blocks))


def _marks(sentence: SummarySentence, answer: Shown, numbers: Numbers) -> str:
    return "".join(f"[{number}]" for number in sources_of(sentence, answer, numbers))


def _line(text: str, kind: str) -> str:
    if kind == "table_row" and "|" not in text and len(cells := cells_of(text)) > 1:
        return " | ".join(cells)  # columns that only wide gaps tell apart
    return text if kind == "code" else collapse(text)


def _nearest(answer: Shown) -> list[str]:
    """What came nearest to a refused question, under a line that says that it is no answer."""
    lines = [
        f"- {collapse(' '.join((*(lead.text for lead in one.quote.lead_in), one.quote.text)))} "
        f"({source_line(one.quote)}, {100 * one.probability:.0f} % likely to answer)"
        for one in answer.nearest
    ]
    return ["\n".join([NEAREST, *lines])] if lines else []


def not_enough(answer: Shown) -> str:
    if answer.trace.web is None:
        return NOT_ENOUGH
    return NOT_ENOUGH_ON_THE_WEB if answer.trace.index_version is None else NOT_ENOUGH_ANYWHERE


def where(answer: Shown) -> str:
    return "in the documents" if answer.trace.web is None else "on the web"


def sources_of(sentence: SummarySentence, answer: Shown, numbers: Numbers) -> list[int]:
    """Numbers of the sources of the quotes that a sentence rests on."""
    return sorted({numbers[source_key(answer.quotes[index])] for index in sentence.quotes})
