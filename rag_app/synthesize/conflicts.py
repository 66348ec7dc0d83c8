"""Two documents in force that give different figures for the same thing.

A wrong alarm is worse than a missed one, so two statements count as being about the same thing only where neither says
anything that the other, with its headings and title, does not say too: a region, a role, a plan, a condition in one of
them is taken for the reason of the difference. Pure text: no model, no store. `docs/design/conflicts.md` has the cases.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag_app.answer import Conflict, Quote
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger, quote_of
from rag_app.synthesize.faithful.quantities import Figure, read_figures
from rag_app.text.words import content_stems, stems

_CLAUSE_END = re.compile(
    r"[;:](?=\s)|,\s+(?=(?:and|but|or|while|whereas|though|although|unless|except)\b)", re.IGNORECASE
)
_AND = re.compile(r"\s(?:and|or|but)\s", re.IGNORECASE)
_CELL = re.compile(r"(?<!\\)\|")
_SAY_LITTLE = frozenset(
    content_stems(
        "allow allowed amount amounts applies apply carry carries count counts duration each entitled every exceed "
        "exceeding figure granted has have hold holds last lasts least length limit limited long maximum minimum "
        "number period receive receives remain set shall take takes until value within without under over above below "
        "up inside outside along across between near"
    )
)
"""Verbs, words of limits, headers of columns and prepositions that set no statement apart from another."""
_ENOUGH = 2
"""Content words that two statements must share."""


_Place = tuple[str, int, int]


@dataclass(frozen=True, eq=False)
class _Claim:
    """A figure and the words that say of what it is; words are slow to read, and few figures have a rival."""

    evidence: Evidence
    statement: EvidenceStatement
    figure: Figure
    clause: str
    """That holds the figure."""

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of the clause."""
        return _words(self.clause, self.figure)

    @cached_property
    def said(self) -> frozenset[str]:
        """Stems of the statement, its lead-ins, headings and title."""
        lead_ins = (lead.text for lead in self.statement.lead_in)
        context = (self.evidence.title, *self.evidence.section, *lead_ins, self.statement.text)
        return frozenset(content_stems(" ".join(context))) | _SAY_LITTLE


def with_conflicts(quotes: Sequence[Quote], ledger: Ledger) -> tuple[tuple[Quote, ...], tuple[Conflict, ...]]:
    """The quotes, followed by those that contradict one of them, and what contradicts what."""
    shown = {_place(quote): quote for quote in quotes}
    in_force = [evidence for evidence in ledger.evidence if not evidence.superseded_by]
    quoted = [claim for evidence in in_force for claim in _claims(evidence, only_at=shown.keys())]
    if not quoted:
        return tuple(quotes), ()
    kinds = {claim.figure.kind for claim in quoted}
    claims = [claim for evidence in in_force for claim in _claims(evidence, only_kinds=kinds)]
    found: list[Conflict] = []
    for quote in quotes:
        for mine in (claim for claim in quoted if _place_of(claim) == _place(quote)):
            rivals = [claim for claim in claims if _contradict(mine, claim, claims)]
            if not rivals or any(_place(quote) in map(_place, conflict.quotes) for conflict in found):
                continue
            for rival in rivals:
                shown.setdefault(_place_of(rival), quote_of(rival.evidence, rival.statement, part=quote.part))
            both = dict.fromkeys((_place(quote), *map(_place_of, rivals)))
            found.append(Conflict(tuple(shown[place] for place in both), _about(mine, rivals[0])))
    return tuple(shown.values()), tuple(found)


def _contradict(one: _Claim, other: _Claim, claims: Sequence[_Claim]) -> bool:
    if one.evidence.document_id == other.evidence.document_id or not one.figure.contradicts(other.figure):
        return False
    return (
        _same_thing(one, other)
        and not _set_apart(one.evidence, other.evidence)
        and not any(_is_ambiguous(claim, claims) for claim in (one, other))
    )


def _same_thing(one: _Claim, other: _Claim) -> bool:
    """Whether neither says anything of its figure that the other leaves out."""
    return len(one.words & other.words) >= _ENOUGH and one.words <= other.said and other.words <= one.said


def _is_ambiguous(claim: _Claim, claims: Sequence[_Claim]) -> bool:
    """Whether the claim's own document gives another figure for the same words: something else sets them apart."""
    return any(
        other.evidence.document_id == claim.evidence.document_id
        and other.figure.kind == claim.figure.kind
        and not other.figure.equals(claim.figure)
        and _same_thing(claim, other)
        for other in claims
    )


def _set_apart(one: Evidence, other: Evidence) -> bool:
    """Whether titles or headings say that the two speak of different cases: "Leave in Norway", "Leave in Portugal"."""
    for mine, theirs in ((one.title, other.title), (_heading(one), _heading(other))):
        a, b = frozenset(content_stems(mine)), frozenset(content_stems(theirs))
        if a - b and b - a and 2 * len(a & b) >= min(len(a), len(b)):
            return True
    names = (_names(one) | _names(other)) & _own_stems(one, other)
    return bool(names) or bool(_own_subject(one, other) and _own_subject(other, one))


def _own_subject(one: Evidence, other: Evidence) -> frozenset[str]:
    """Stems of a title or heading that its passage speaks of too, and of which the other one says nothing.

    Where both have some, each speaks of a subject of its own: "Sessions last 3 hours" on the page of one machine, "5
    hours" on that of another.
    """
    headings = frozenset(content_stems(" ".join((one.title, *one.section))))
    others = frozenset(content_stems(" ".join((other.title, *other.section, other.text))))
    return (headings & frozenset(content_stems(one.text))) - others


def _heading(evidence: Evidence) -> str:
    return evidence.section[-1] if evidence.section else ""


def _own_stems(one: Evidence, other: Evidence) -> frozenset[str]:
    """Stems that only one of two passages has in its title and headings."""
    a, b = (frozenset(content_stems(" ".join((e.title, *e.section)))) for e in (one, other))
    return a ^ b


def _names(evidence: Evidence) -> frozenset[str]:
    """Words of title and headings that the text writes with a capital within a sentence, and never without."""
    found = set()
    for word in re.findall(r"[^\W\d_]+", " ".join((evidence.title, *evidence.section))):
        if re.search(rf"[\w,] {re.escape(word.capitalize())}\b(?! [A-Z])", evidence.text) and not re.search(
            rf"\b{re.escape(word.lower())}\b", evidence.text
        ):
            found.update(content_stems(word))
    return frozenset(found)


def _claims(
    evidence: Evidence, *, only_at: Collection[_Place] | None = None, only_kinds: Collection[str] | None = None
) -> Iterator[_Claim]:
    """The claims of a passage; those of some places or of some kinds of figure alone."""
    for statement in evidence.statements:
        if statement.kind == "code" or (
            only_at is not None and (evidence.document_id, statement.start, statement.end) not in only_at
        ):
            continue
        read = _table_figures(statement) if statement.kind == "table_row" else _figures(statement.text)
        for figure, clause in read:
            if only_kinds is None or figure.kind in only_kinds:
                yield _Claim(evidence, statement, figure, clause)


def _figures(text: str) -> Iterator[tuple[Figure, str]]:
    """Each figure that stands alone in its clause, with the clause."""
    begin = 0
    for end in [*(match.start() for match in _CLAUSE_END.finditer(text)), len(text)]:
        clause = text[begin:end]
        figures = read_figures(clause)
        if len(figures) == 1:
            more = _AND.search(clause, figures[0].end)
            yield figures[0], clause[: more.start()] if more else clause
        begin = end


def _table_figures(statement: EvidenceStatement) -> Iterator[tuple[Figure, str]]:
    """The figure of a row whose cells hold just one of its kind, with the other cells and the column's header."""
    cells = _CELL.split(statement.text)
    header = _CELL.split(statement.lead_in[-1].text) if statement.lead_in else []
    read = [read_figures(cell) for cell in cells]
    kinds = Counter(figure.kind.partition(" interval")[0] for figures in read for figure in figures)
    plain = " ".join(cell for cell, figures in zip(cells, read, strict=True) if not figures)
    for column, figures in enumerate(read):
        for figure in figures:
            if kinds[figure.kind] == 1:
                named = header[column] if len(header) == len(cells) else ""
                yield figure, f"{cells[column]} {plain} {named}"


def _words(clause: str, figure: Figure) -> frozenset[str]:
    counted = {*stems(clause[figure.start : figure.end])}
    return frozenset(
        stem
        for stem in content_stems(clause)
        if len(stem) > 1 and not stem[0].isdigit() and stem not in counted | _SAY_LITTLE
    )


def _about(one: _Claim, other: _Claim) -> str:
    """The words that both share, as the first one writes them."""
    shared = one.words & other.words
    words = [w for w in re.findall(r"[\w'’-]+", one.statement.text) if shared.issuperset(content_stems(w) or "?")]
    return " ".join({w.lower(): w for w in reversed(words)}[key] for key in dict.fromkeys(w.lower() for w in words))


def _place(quote: Quote) -> _Place:
    return quote.document_id, quote.start, quote.end


def _place_of(claim: _Claim) -> _Place:
    return claim.evidence.document_id, claim.statement.start, claim.statement.end
