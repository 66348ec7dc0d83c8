"""How new a page must be for a message that asks for today, this week or the latest, by the days of publication."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from rag_app.web.judging.terms import Text
from rag_app.web.region import recency_words
from rag_app.web.result_pages import published_on
from rag_app.web.search import WebResult

_DAYS = {"today": 2, "this_week": 8}
"""A day more than is said: the region's calendar may be a day ahead of the service's."""
_OVERTAKEN = 180
"""Days by which a page is older than the newest one when it no longer says how things are now."""
_STALE = 365


@dataclass(frozen=True, slots=True)
class Recency:
    """What a message asks for."""

    days: int | None = None
    """Pages must be at most so old; None: no such bound."""
    wants_latest: bool = False
    """Whether it asks for how things are now."""


ANY_TIME = Recency()


def recency_of(message: str) -> Recency:
    """What the words of a message ask for; the narrowest counts."""
    text, words = Text(message), recency_words()
    for name, days in _DAYS.items():
        if text.first_of(words[name]):
            return Recency(days)
    return Recency(wants_latest=text.first_of(words["latest"]) is not None)


def day_of(result: WebResult) -> date | None:
    """The day of publication; None where the service gives none."""
    published = published_on(result)
    return date.fromisoformat(published) if published else None


def too_old(days: Mapping[int, date | None], recency: Recency, today: date) -> dict[int, str]:
    """Pages that newer ones of the same search have overtaken, each with the reason; those without a day stay.

    Where no page is new enough none is overtaken: then the answer carries a doubt instead (`stale_because`).
    """
    dated = {n: day for n, day in days.items() if day}
    if not dated:
        return {}
    newest = max(dated.values())
    if recency.days is not None and (today - newest).days <= recency.days:
        return {
            n: f"it is of {d}, too old for the message" for n, d in dated.items() if (today - d).days > recency.days
        }
    if recency.wants_latest:
        late = {n: d for n, d in dated.items() if (newest - d).days > _OVERTAKEN}
        return {n: f"it is of {d}, and a page of {newest} is newer" for n, d in late.items()}
    return {}


def stale_because(days: Mapping[int, date | None], recency: Recency, today: date) -> str:
    """Why no page is new enough, as the rest of a sentence; "" where one is or the message does not ask for it."""
    bound = _STALE if recency.wants_latest else recency.days
    if bound is None:
        return ""
    newest = max((day for day in days.values() if day), default=None)
    if newest is None:
        return "" if recency.wants_latest else "no page says on which day it was published"
    return f"the newest page is of {newest}" if (today - newest).days > bound else ""
