"""Passages: what is embedded and found. Runs of whole statements of one section, about `target_words` long."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from rag_app.document import Document, Span
from rag_app.spelling import fold
from rag_app.text.block import Block
from rag_app.text.blocks import parse_blocks
from rag_app.text.footnotes import with_lead_outs
from rag_app.text.sentences import count_words
from rag_app.text.statements import Statement, cut_statements

SPLITTER_VERSION = "9"
"""Changes when the same document would be cut differently; the manifest of an index holds it."""

_SMALL = 0.3  # of the target: a piece below it is no passage of its own
_LONGEST_REACH = 1.6  # of the goal: how far a cut is looked for


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole statements of one section; its text is `document.text[start:end]`."""

    document_id: str
    start: int
    end: int
    section: tuple[str, ...]
    """Headings above it, outermost first."""
    page: int | None
    """Page on which it begins, from 1; None where the source has no pages."""
    statements: tuple[Statement, ...]


def cut_passages(document: Document, *, target_words: int = 110, overlap_statements: int = 0) -> list[Passage]:
    """The passages of a document in reading order.

    With `overlap_statements`, a passage begins with the last so many statements of the one before, within a section.
    """
    blocks = parse_blocks(document.text, document.markup, document.body_start)
    cut = with_lead_outs(document.text, cut_statements(document.text, blocks, document.markup))
    passages: list[Passage] = []
    for _, of_section in groupby(cut, key=lambda pair: id(pair[1].section)):
        pairs = list(of_section)
        ends = _ends(document.text, pairs, target_words)
        for first, end in zip([0, *ends], ends, strict=False):
            statements = tuple(statement for statement, _ in pairs[max(0, first - overlap_statements) : end])
            start = statements[0].start
            passages.append(
                Passage(
                    document.document_id,
                    start,
                    statements[-1].end,
                    pairs[0][1].section.path,
                    document.page_at(start),
                    statements,
                )
            )
    return passages


def embedding_text(document: Document, passage: Passage) -> str:
    """What is embedded for a passage: "title. section > subsection. lead-ins outside the passage. text"."""
    outside = dict.fromkeys(
        span
        for statement in passage.statements
        for span in statement.lead_in
        if not passage.start <= span[0] < passage.end
    )
    return _in_context(document, passage.section, outside, document.text[passage.start : passage.end])


def _in_context(document: Document, section: tuple[str, ...], lead_ins: Iterable[Span], text: str) -> str:
    if section and section[0].casefold() == document.title.casefold():
        section = section[1:]
    before = (document.title, " > ".join(section), " ".join(document.text[start:end] for start, end in lead_ins))
    parts = [collapsed for part in before if (collapsed := " ".join(part.split()))]
    return fold(
        " ".join([*(part if part[-1] in ".!?:|" else part + "." for part in parts), " ".join(fold(text).split())])
    )


def _ends(text: str, pairs: list[tuple[Statement, Block]], target_words: int) -> list[int]:
    """Where each passage of a section ends: indices into `pairs`, exclusive.

    The words that are left are shared out evenly, so that no small tail stays; of the places near such a share the
    best one is taken: between blocks rather than within one, and not between a lead-in and what it introduces.
    """
    words = [count_words(text[statement.start : statement.end]) for statement, _ in pairs]
    ends: list[int] = []
    first, left = 0, sum(words)
    while first < len(pairs):
        shares = max(1, -int(-(left / target_words - _SMALL) // 1))
        if shares == 1:
            ends.append(len(pairs))
            break
        goal = left / shares
        best, best_cost, taken = len(pairs), float("inf"), 0
        for end in range(first + 1, len(pairs) + 1):
            taken += words[end - 1]
            cost = abs(taken - goal) / goal + _seam_cost(pairs, end)
            cost += 2 * (taken < _SMALL * target_words) + 2 * (0 < left - taken < _SMALL * target_words)
            if cost < best_cost:
                best, best_cost = end, cost
            if taken > _LONGEST_REACH * goal:
                break
        ends.append(best)
        left -= sum(words[first:best])
        first = best
    return ends


def _seam_cost(pairs: list[tuple[Statement, Block]], end: int) -> float:
    """What it costs to cut before `pairs[end]`, in shares of a passage's length."""
    if end == len(pairs):
        return 0.0
    (before, block_before), (after, block_after) = pairs[end - 1], pairs[end]
    if before.span in after.lead_in:
        return 0.5
    return 0.15 if block_before is block_after else 0.0
