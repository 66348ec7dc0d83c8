"""One look-up on the web: the ladder is climbed until the results are clean, and the best set seen is kept.

A flow of searches, so that it is written once for sync and async.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from rag_app.answer import Trace, WebAttempt, WebSearched
from rag_app.errors import SearchError
from rag_app.steps import Flow, Step
from rag_app.web.intent import Intent
from rag_app.web.judging.relevance import Judgement, better, judge_results
from rag_app.web.ladder import ladder
from rag_app.web.region import RegionProfile
from rag_app.web.result_pages import unique_results
from rag_app.web.search import SearchRequest, WebResult


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What a look-up found."""

    intent: Intent
    results: tuple[WebResult, ...]
    """The best set seen, without duplicates."""
    judgement: Judgement | None
    """Of that set; None where nothing was searched."""
    searched: WebSearched

    @property
    def usable(self) -> list[WebResult]:
        """Results that may become evidence."""
        return [self.results[n] for n in self.judgement.usable] if self.judgement else []


def climb(
    intent: Intent,
    profile: RegionProfile,
    backend: str,
    trace: Trace,
    max_results: int,
    searching: Callable[[SearchRequest], Step[list[WebResult]]],
    today: date,
) -> Flow[LookedUp]:
    """The look-up of an intent; `today` is what the days of publication are held against.

    Raises:
        SearchError: a search failed, and none before it found anything usable.
    """
    attempts: list[WebAttempt] = []
    best: tuple[int, Judgement, tuple[WebResult, ...]] | None = None
    for rung, request in ladder(intent, profile, max_results=max_results) if intent.allowed else []:
        try:
            came = yield from searching(request)
        except SearchError as error:
            if best is None or not best[1].usable:
                raise
            trace.warn(f"The web was not searched further, and what was found before is used: {error}")
            break
        results = tuple(unique_results(came))
        judgement = judge_results(results, intent, profile, today)
        attempts.append(
            WebAttempt(
                rung=rung,
                query=request.query,
                topic=request.topic,
                found=len(results),
                local=judgement.local,
                usable=len(judgement.usable),
                verdict=judgement.verdict,
                reasons=judgement.reasons,
            )
        )
        if best is None or better(judgement, best[1]):
            best = len(attempts) - 1, judgement, results
        if judgement.verdict == "clean":
            break
    searched = WebSearched(
        region=profile.code,
        backend=backend,
        gate=intent.gate,
        is_local=intent.is_local,
        attempts=tuple(attempts),
        kept=best[0] if best else None,
    )
    return LookedUp(intent, best[2] if best else (), best[1] if best else None, searched)
