"""Maps what was drafted onto exact whole statements of the ledger, or rejects it.

A label must be exactly that of a statement. A quote must stand in the documents word for word (`matching.py` says what
may differ) and is widened to the statements it touches, so that no "not" and no "unless" is lost. What maps onto
nothing is dropped, recorded in the trace and counted in `validate.dropped`.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from rag_app.answer import Drop, Quote, Trace
from rag_app.synthesize.draft import Draft
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger, quote_of
from rag_app.synthesize.faithful.matching import Run, Tokens, find_run, read_quote, read_tokens
from rag_app.text.dependent import hangs_on
from rag_app.text.words import content_stems

Found = tuple[Evidence, EvidenceStatement]
Place = tuple[str, int, int]
"""Document id, start and end."""

MIN_CHARACTERS = 12
MIN_WORDS = 3
_MAX_SHOWN = 80
_MOST_HUNG_ON = 2
_MOST_QUOTES = 100
"""Quotes of a draft that are looked for in the documents: each is compared with every statement."""
_TIMES_AS_LONG = 4
"""How many times as long as the longest passage a quote may be: links and entities in it do not count."""
_LABELLED = re.compile(r"\s*([0-9]+\.[0-9]+)[.:)]?\s+(.+)", re.DOTALL)
_QUOTE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Validated:
    """What is left of a draft."""

    quotes: tuple[Quote, ...]
    """Each place once, in the order of the draft, with the statements that a chosen one depends on before it."""
    parts: Mapping[Place, frozenset[int]]
    """The parts of the question that each place answers: one statement may answer several, and is shown once."""

    @property
    def answered(self) -> frozenset[int]:
        """Parts for which something stands."""
        return frozenset().union(*self.parts.values())


def validate_draft(draft: Draft, ledger: Ledger, trace: Trace, *, complete: bool = False) -> Validated:
    """The statements a draft stands for, deduplicated by document and place.

    Args:
        complete: whether statements that hang on the one before bring that too.
    """
    quotes: dict[Place, Quote] = {}
    parts: dict[Place, frozenset[int]] = {}
    trace.numbers.setdefault("validate.dropped", 0.0)
    room = _MOST_QUOTES
    for number, part in enumerate(draft.parts):
        found: list[Found] = []
        for label in part.labels:
            if statement := ledger.find(label):
                found.append(statement)
            else:
                record_drop(f"no statement has the label {_short(label)}", trace)
        for quote in part.quotes[room:]:
            record_drop(f"the quote {_short(quote)} is one of more than {_MOST_QUOTES}", trace)
        for quote in part.quotes[:room]:
            matched = match_quote(quote, ledger) or _copied_line(quote, ledger)
            found += matched
            if not matched:
                why = (
                    "is too short to say where it stands"
                    if _is_short(quote) or _is_thin(quote)
                    else "is not what any statement says"
                )
                record_drop(f"the quote {_short(quote)} {why}", trace)
        room = max(0, room - len(part.quotes))
        for evidence, statement in found:
            place = (evidence.document_id, statement.start, statement.end)
            parts[place] = parts.get(place, frozenset()) | {number}
            for needed in (*(hung_on(evidence, statement) if complete else ()), statement):
                quote = quote_of(evidence, needed, part=number)
                quotes.setdefault(place_of(quote), quote)
    return Validated(tuple(quotes.values()), parts)


def hung_on(evidence: Evidence, statement: EvidenceStatement) -> tuple[EvidenceStatement, ...]:
    """The sentences before a statement without which it cannot be understood: "After that, …" needs what "that" is."""
    needed: list[EvidenceStatement] = []
    at = evidence.statements.index(statement)
    while at and len(needed) < _MOST_HUNG_ON and _is_prose(evidence.statements[at]):
        here, before = evidence.statements[at], evidence.statements[at - 1]
        if here.lead_in != before.lead_in or not _is_prose(before) or not hangs_on(here.text):
            break
        needed.append(before)
        at -= 1
    return tuple(reversed(needed))


def _is_prose(statement: EvidenceStatement) -> bool:
    return statement.kind in ("sentence", "list_item")


def place_of(quote: Quote) -> Place:
    """What makes a quote one and the same."""
    return (quote.document_id, quote.start, quote.end)


def without_lead_ins(quotes: Collection[Quote]) -> tuple[Quote, ...]:
    """The quotes without those that are shown as a lead-in, or within a lead-out, of another one."""
    leads: set[tuple[str, int, int]] = set()
    shown: set[tuple[str, int, int]] = set()
    for quote in sorted(quotes, key=lambda quote: (quote.document_id, -quote.start)):
        place = (quote.document_id, quote.start, quote.end)
        if place not in leads:  # a quote that is left out itself shows none of its lead-ins
            shown.add(place)
            leads |= {(quote.document_id, lead.start, lead.end) for lead in quote.lead_in}
    kept = [quote for quote in quotes if (quote.document_id, quote.start, quote.end) in shown]
    outs = [(quote.document_id, out.start, out.end) for quote in kept for out in quote.lead_out]
    return tuple(
        quote
        for quote in kept
        if not any(quote.document_id == of and start <= quote.start and quote.end <= end for of, start, end in outs)
    )


def record_drop(reason: str, trace: Trace) -> None:
    """Records something a model said that stands for no statement."""
    trace.dropped.append(Drop("validate", reason, None, None, None))
    trace.numbers["validate.dropped"] = trace.numbers.get("validate.dropped", 0.0) + 1


def match_quote(quote: str, ledger: Ledger) -> list[Found]:
    """The whole statements that a quote is, or is a piece of; empty where there are none.

    It may run over adjacent statements of one passage, and begin in the lead-in of its first. Where it stands in
    several places, one that it fills completely is preferred to one that it is a fragment of, then the first in the
    order of the ledger: the same sentence in two documents is cited from the one that was ranked first. A
    fragment with few content words does not count where different statements hold it, a short one not at all.
    """
    if len(quote) > _TIMES_AS_LONG * max((len(evidence.text) for evidence in ledger.evidence), default=0):
        return []
    prose, code = read_quote(quote), read_quote(quote, is_code=True)
    block = read_quote(_QUOTE_MARKS.sub("", quote)) if ">" in quote else prose
    fragments: list[list[Found]] = []
    for evidence in ledger.evidence:
        for place, statement in enumerate(evidence.statements):
            wanted = code if statement.kind == "code" else block if _is_in_block_quote(evidence, statement) else prose
            pieces = _pieces(evidence, place, wanted)
            run = find_run(wanted, [piece.tokens for piece in pieces], anchor=len(statement.lead_in))
            if run is None or pieces[run.last].statement is None:
                continue
            if run.is_whole:
                return _touched(evidence, pieces, run)
            fragments.append(_touched(evidence, pieces, run))
    wordings = {tuple(statement.text for _, statement in fragment) for fragment in fragments}
    if not fragments or _is_short(quote) or (len(wordings) > 1 and _is_thin(quote)):
        return []
    return fragments[0]


def _copied_line(text: str, ledger: Ledger) -> list[Found]:
    """The statement whose whole line, label first, was copied from the prompt; empty where its words are others."""
    line = _LABELLED.fullmatch(text)
    found = ledger.find(line[1]) if line else None
    if line is None or found is None:
        return []
    evidence, statement = found
    return match_quote(line[2], Ledger((replace(evidence, statements=(statement,)),)))


def _is_short(quote: str) -> bool:
    return len(quote.strip()) < MIN_CHARACTERS or len(quote.split()) < MIN_WORDS


def _is_thin(quote: str) -> bool:
    return len(content_stems(quote)) < MIN_WORDS


@dataclass(frozen=True, slots=True)
class _Piece:
    tokens: Tokens
    statement: EvidenceStatement | None = None
    """None for a lead-in."""


def _pieces(evidence: Evidence, place: int, wanted: Tokens) -> list[_Piece]:
    """The lead-ins of a statement, the statement, and those that follow it without a gap, as far as the quote may
    reach; empty where the quote cannot begin in the lead-ins or the statement."""
    opening = evidence.statements[place]
    is_code = opening.kind == "code"
    pieces = [_Piece(read_tokens(lead.text, is_code)) for lead in opening.lead_in]
    pieces.append(_Piece(read_tokens(_text(evidence, opening), is_code), opening))
    if not any(wanted.words[:1] == (word,) for piece in pieces for word in piece.tokens.words):
        return []
    length = 0
    for above, below in pairwise(evidence.statements[place:]):
        if length >= len(wanted.words) or (below.kind == "code") != is_code or above.end > below.start:
            break
        gap = evidence.text[above.end - evidence.start : below.start - evidence.start]
        between = [lead for lead in below.lead_in if above.end <= lead.start and lead.end <= below.start]
        for lead in between:
            gap = gap.replace(lead.text, "", 1)
            pieces.append(_Piece(read_tokens(lead.text, is_code)))
        if any(char.isalnum() for char in gap):
            return pieces[: len(pieces) - len(between)]
        pieces.append(_Piece(read_tokens(_text(evidence, below), is_code), below))
        length += len(pieces[-1].tokens.words)
    return pieces


def _text(evidence: Evidence, statement: EvidenceStatement) -> str:
    """A statement without the markers of the block quote it stands in; there a `>` before a figure is no sign."""
    return _QUOTE_MARKS.sub("", statement.text) if _is_in_block_quote(evidence, statement) else statement.text


def _is_in_block_quote(evidence: Evidence, statement: EvidenceStatement) -> bool:
    return evidence.text[: statement.start - evidence.start].rpartition("\n")[2].lstrip().startswith(">")


def _touched(evidence: Evidence, pieces: list[_Piece], run: Run) -> list[Found]:
    """The statements of a run, but for those that are shown with another one as its lead-in."""
    touched = [piece.statement for piece in pieces[run.first : run.last + 1] if piece.statement]
    leads = {(lead.start, lead.end) for statement in touched for lead in statement.lead_in}
    return [(evidence, statement) for statement in touched if (statement.start, statement.end) not in leads]


def _short(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…")
