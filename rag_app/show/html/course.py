"""The course of a question, stage by stage: which passages each stage had, what it dropped, and why."""

from dataclasses import dataclass
from itertools import groupby

from rag_app.show.lines import breadcrumb
from rag_app.show.shown import Shown
from rag_app.trace import Drop, Trace

QUOTED = "quoted"


@dataclass(frozen=True, slots=True)
class CourseLine:
    """A passage, and how far it came."""

    rank: int | None
    """From 1, as the retriever ranked it; None where a later search brought it."""
    passage: str
    """Title and headings."""
    document_id: str
    start: int
    end: int
    cosine: float | None
    """Similarity of meaning to the question; None where only its words were searched for."""
    fate: str
    """“quoted”, “evidence”, or the stage that dropped it."""
    reason: str
    """Why that stage dropped it; empty for the others."""


@dataclass(frozen=True, slots=True)
class StageDrops:
    """How many passages or statements a stage dropped for one reason."""

    stage: str
    reason: str
    count: int
    places: tuple[tuple[str, int, int], ...]
    """Document, start and end of each, as far as they are known."""


def course_of(answer: Shown) -> list[CourseLine]:
    """Every passage that was seen, best first; names only what the asker may read, as the trace does."""
    trace = answer.trace
    dropped: dict[tuple[str | None, int | None], Drop] = {}
    for drop in trace.dropped:  # the last word on a passage: one that was dropped may have been fetched again
        dropped[drop.document_id, drop.start] = drop
    kept = {(hit.document_id, hit.start) for hit in trace.kept}
    quoted = {(quote.document_id, quote.context_start) for quote in answer.quotes}
    lines = []
    seen: set[tuple[str, int]] = set()
    for rank, hit in [*enumerate(trace.retrieved, start=1), *((None, hit) for hit in trace.kept)]:
        place = (hit.document_id, hit.start)
        if place in seen:
            continue
        seen.add(place)
        drop = None if place in kept else dropped.get(place)
        fate = QUOTED if place in quoted else "evidence" if place in kept else drop.stage if drop else "not kept"
        lines.append(
            CourseLine(
                rank=rank,
                passage=breadcrumb(hit.title, hit.section),
                document_id=hit.document_id,
                start=hit.start,
                end=hit.end,
                cosine=hit.cosine,
                fate=fate,
                reason=drop.reason if drop and fate == drop.stage else "",
            )
        )
    return lines


def drops_of(trace: Trace) -> list[StageDrops]:
    """What the stages dropped, in their order, by reason."""
    found = []
    for (stage, reason), drops in groupby(_by_stage(trace.dropped), key=lambda drop: (drop.stage, drop.reason)):
        together = list(drops)
        places = tuple(
            (drop.document_id, drop.start, drop.end or drop.start)
            for drop in together
            if drop.document_id is not None and drop.start is not None
        )
        found.append(StageDrops(stage, reason, len(together), places))
    return found


def _by_stage(drops: list[Drop]) -> list[Drop]:
    order = {stage: place for place, stage in enumerate(dict.fromkeys(drop.stage for drop in drops))}
    return sorted(drops, key=lambda drop: (order[drop.stage], drop.reason))
