"""Whether a turn can be answered at all, or has to be asked back: which subjects it may be about.

A question back is asked only where three things come together: the turn does not say by itself what it is about, the
conversation does not say it either, and the evidence falls into two subjects of which none is ahead. In every other
case the answer, or the refusal, stands as it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rag_app.answer import Answer, Hit
from rag_app.chat.understand import Understood
from rag_app.text.words import content_stems

MOST = 4
"""Subjects that are named in a question back."""
LEVEL = 0.03
"""Cosine by which one subject may be nearer to the question than another and the two still count as level."""


def subjects_of(understood: Understood, answer: Answer) -> tuple[str, ...]:
    """Titles of the documents that the turn may be about, where nothing decides between them; empty where something
    does."""
    if understood.leaning is None:
        return ()
    if not understood.context:
        return _level(understood.turn, answer.trace.kept)
    if understood.leaning.cue in ("pronoun", "few words", "definite"):
        return _of_several_quoted(understood, answer)
    return ()


def asked_back(answer: Answer, subjects: Sequence[str]) -> Answer:
    """The answer that asks back; it shows nothing that would be a guess."""
    return replace(
        answer,
        status="needs_clarification",
        quotes=(),
        missing=(),
        conflicts=(),
        reason=None,
        summary=None,
        understood_as=None,
        ambiguous=tuple(subjects),
    )


def _level(turn: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Titles of the evidence, where the turn names several, or none and several are about equally near."""
    best: dict[str, float] = {}
    for hit in hits:
        if hit.cosine is not None and hit.title:
            best[hit.title] = max(hit.cosine, best.get(hit.title, hit.cosine))
    asked = set(content_stems(turn))
    words = {title: set(content_stems(title)) for title in best}
    if any(words[title] == asked for title in best):
        return ()  # it names that one
    level = [title for title in best if asked <= words[title]]
    if not level:
        most = max((len(asked & words[title]) for title in best), default=0)
        level = [
            title for title in best if best[title] >= max(best.values()) - LEVEL and len(asked & words[title]) == most
        ]
    return _if_several(sorted(level, key=lambda title: (-best[title], title)))


def _of_several_quoted(understood: Understood, answer: Answer) -> tuple[str, ...]:
    """Titles of documents that were quoted together last and now answer differently, each by itself."""
    before = {quoted.document_id for quoted in understood.quoted}
    if any(len(conflict.quotes) > 1 for conflict in answer.conflicts):
        return ()  # they speak of the same thing
    titles = dict.fromkeys(quote.title for quote in answer.quotes if quote.document_id in before)
    has_others = any(quote.document_id not in before for quote in answer.quotes)
    return () if has_others else _if_several(titles)


def _if_several(titles: Iterable[str]) -> tuple[str, ...]:
    """Different subjects; two versions of one document have one title."""
    several = tuple(dict.fromkeys(titles))[:MOST]
    return several if len(several) > 1 else ()
