"""Does a set of web results look on topic and from the right region? Pure functions over what a search returned.

A page counts where it names what is asked and is of the region or about it. A name that something elsewhere has too is
found only where the page speaks for the local one: neither a local host nor the bare name is enough, since local papers
report on the namesake as well.
"""

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_app.answer import WebVerdict
from rag_app.text.words import stems
from rag_app.web.compose import distinctive_terms
from rag_app.web.domains import host_of
from rag_app.web.intent import Intent
from rag_app.web.judging.recency import day_of, stale_because, too_old
from rag_app.web.judging.terms import Text, stem_of
from rag_app.web.judging.whole_names import forms_of, names_whole
from rag_app.web.region import Collision, RegionProfile
from rag_app.web.search import WebResult

__all__ = ["Judgement", "better", "distinctive_terms", "judge_results"]

_ORDER: tuple[WebVerdict, ...] = ("clean", "weak", "suspect", "empty")
_OF_A_NAME = 2 / 3
"""Share of the words of a name that a page must hold: papers leave out first names and titles."""
_OF_A_SUBJECT = 1 / 2
"""The same for the words of a question that names nothing."""
_READ = 20_000
"""Characters of a page that are read for this."""
_TAG = re.compile(r"<[^<>]{0,1000}>")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a set of results is worth."""

    verdict: WebVerdict
    reasons: tuple[str, ...]
    usable: tuple[int, ...] = ()
    """Indices of the results that may become evidence, in their order."""
    dropped: tuple[tuple[int, str], ...] = ()
    """Indices of the others, each with its reason."""
    local: int = 0
    """Results from hosts of the region."""


@dataclass(frozen=True, slots=True)
class _Page:
    is_local: bool
    """Its host is of the region."""
    is_regional: bool
    """Its host is, or its text is about the region."""
    fault: str
    """Why it is not about what is asked; "" where it is."""


def judge_results(
    results: Sequence[WebResult], intent: Intent, profile: RegionProfile, today: date | None = None
) -> Judgement:
    """What `results` are worth for what is asked. Never clean because there was nothing to check.

    Args:
        today: what days of publication are held against; None: they do not count.
    """
    if not results:
        return Judgement("empty", ("the search found nothing",))
    texts = [Text(readable(result)) for result in results]
    pages = [_page(result, text, intent, profile) for result, text in zip(results, texts, strict=True)]
    pages = _of_the_whole_name(pages, texts, intent, profile)
    local = sum(page.is_local for page in pages)
    on_topic = [n for n, page in enumerate(pages) if not page.fault]
    usable = [n for n in on_topic if pages[n].is_regional or not intent.is_local]
    verdict, reason = _verdict(pages, on_topic, usable, intent, profile)
    if verdict == "weak" and not usable:
        usable = on_topic
    if verdict == "suspect":
        usable = []
    days = {n: day_of(results[n]) for n in usable}
    late = too_old(days, intent.recency, today) if today else {}
    usable = [n for n in usable if n not in late]
    if today and verdict == "clean" and (stale := stale_because(days, intent.recency, today)):
        verdict, reason = "weak", stale
    reasons = (
        (reason, f"{local} of {len(pages)} results from hosts of {profile.name}") if intent.is_local else (reason,)
    )
    dropped = tuple(
        (n, page.fault or late.get(n) or f"nothing in it is of {profile.name}")
        for n, page in enumerate(pages)
        if n not in usable
    )
    return Judgement(verdict, reasons, tuple(usable), dropped, local)


def better(one: Judgement, other: Judgement) -> bool:
    """Whether one set is better than another: by verdict, then by how much of it is usable and local."""
    return _rank(one) < _rank(other)


def _rank(judgement: Judgement) -> tuple[int, int, int]:
    return (_ORDER.index(judgement.verdict), -len(judgement.usable), -judgement.local)


def _verdict(
    pages: list[_Page], on_topic: list[int], usable: list[int], intent: Intent, profile: RegionProfile
) -> tuple[WebVerdict, str]:
    asked = _asked(intent)
    has_name = bool(intent.names or intent.collisions)
    if not asked:
        if intent.is_local and not usable:
            return "suspect", f"the message names nothing to look for, and no page is of {profile.name}"
        return "weak", "the message names nothing that pages could be checked for"
    if not intent.is_local:
        return ("clean", f"pages hold {asked}") if on_topic else ("suspect", f"no page holds {asked}")
    if any(pages[n].is_local for n in usable):
        return "clean", f"a page of the region holds {asked}"
    if usable:
        return "weak", f"pages about {profile.name} hold {asked}, but none is from a host of it"
    may_be_namesake = Text(asked).first_of([name for c in profile.collisions for name in c.names])
    if on_topic and not has_name and not may_be_namesake:
        return "weak", f"pages hold {asked}, but nothing in them is of {profile.name}"
    if on_topic:
        return "suspect", f"pages hold {asked}, but nothing in them is of {profile.name}: it may be a namesake"
    namesakes = sum("namesake" in page.fault for page in pages)
    return "suspect", f"no page holds {asked}" + (f"; {namesakes} are about a namesake" if namesakes else "")


def _asked(intent: Intent) -> str:
    names = [collision.name for collision in intent.collisions]
    words = intent.names if intent.names or names else intent.terms
    return ", ".join([*names, *words])


def _of_the_whole_name(pages: list[_Page], texts: list[Text], intent: Intent, profile: RegionProfile) -> list[_Page]:
    """Where a page of the region confirms a whole name ("Air New Zealand"), pages without it are not about it."""
    for name in intent.whole:
        forms = forms_of(name, profile)
        holds = [names_whole(text, forms) for text in texts]
        if any(held and page.is_local and not page.fault for held, page in zip(holds, pages, strict=True)):
            lack = f"it does not name {name}"
            return [
                page if held or page.fault else replace(page, fault=lack)
                for held, page in zip(holds, pages, strict=True)
            ]
    return pages


def _page(result: WebResult, text: Text, intent: Intent, profile: RegionProfile) -> _Page:
    is_local = profile.is_local_host(host_of(result.url))
    # Where the region's own name is a namesake's too, only what is nobody else's shows that a text is about it.
    signs = profile.signs if profile.foreign else (*profile.signs, *profile.aliases)
    is_regional = is_local or text.first_of(signs) is not None
    fault = _fault(text, intent)
    if not fault and profile.foreign:
        fault = _region_fault(text, is_regional, intent, profile)
    return _Page(is_local, is_regional, fault)


def _fault(text: Text, intent: Intent) -> str:
    for collision in intent.collisions:
        if fault := _collision_fault(text, collision):
            return fault
    if intent.rare and not any(text.has(stem_of(word)) for word in intent.rare):
        return f"it holds none of {', '.join(intent.rare)}"
    words, share = (intent.names, _OF_A_NAME) if intent.names or intent.collisions else (intent.terms, _OF_A_SUBJECT)
    needed = math.ceil(share * len(words) - 1e-9)
    held = sum(text.has(stem_of(word)) for word in words)
    if held < needed and words is intent.terms:  # "contribution" in a page about "contributions"; a name has no stem
        said = set(stems(text.written))
        held = sum(text.has(stem_of(word)) or said.issuperset(stems(word)) for word in words)
    return "" if held >= needed else f"it holds {held} of {', '.join(words)}"


def _region_fault(text: Text, is_regional: bool, intent: Intent, profile: RegionProfile) -> str:
    """Why a page is about the other one of two that have the region's name; "" where it is not."""
    foreign = text.first_of(profile.foreign)
    if intent.is_of_namesake:
        return f"it is about {profile.name} itself, and not its namesake" if is_regional and not foreign else ""
    found = foreign or text.first_of((profile.name, *profile.aliases))
    is_namesake = found and intent.is_local and not is_regional
    return f"it is about a namesake of {profile.name} ({found})" if is_namesake else ""


def _collision_fault(text: Text, collision: Collision) -> str:
    if not text.first_of(collision.names):
        return f"it does not name {collision.name}"
    foreign = text.first_of(collision.foreign)
    local = _often(text, collision.speaks_for_local)
    if foreign and _often(text, collision.foreign) >= local:
        return f"it is about a namesake of {collision.name} ({foreign})"
    return "" if local else f"nothing in it says that it is about the local {collision.name} ({collision.kind})"


def _often(text: Text, phrases: Sequence[str]) -> int:
    return sum(text.count(phrase) for phrase in phrases)


def readable(result: WebResult) -> str:
    """Title and text of a result without tags; for reading only, never for quoting."""
    body = (result.raw_content or result.content)[:_READ]
    return html.unescape(_TAG.sub(" ", f"{result.title}\n{body}"))
