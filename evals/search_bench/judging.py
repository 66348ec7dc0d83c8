"""What a look-up of the web is worth against its case, and the figures of many.

suspect         passed as clean although no used result is from a host of the region, for a question about it
anchor dropped  a query for a question about the region that does not name it
rejected        a legitimate message that was not searched
false weak      not clean, where the case expects clean
namesakes       used results that have a namesake in their title
region share    share of the used results that are from hosts of the region, for questions about it
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from evals.search_bench.search_case import SearchCase
from rag_app.web.judging.terms import Text
from rag_app.web.look_up import LookedUp
from rag_app.web.region import RegionProfile
from rag_app.web.search import WebResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case."""

    case: SearchCase
    verdict: str
    """Of the results that were kept; "error" where the search failed; "not searched" where the gate said no."""
    query: str
    attempts: int
    suspect: bool
    anchor_dropped: bool
    rejected: bool
    false_weak: bool
    namesakes: int
    used: int
    used_local: int
    failures: tuple[str, ...]
    """What the case expects and did not get, a sentence each."""

    def __str__(self) -> str:
        state = "FAIL" if self.failures else "ok"
        share = f"{self.used_local}/{self.used} local" if self.case.is_local else f"{self.used} used"
        line = f"{state:4}  {self.case.id:28} {self.verdict:12} {self.attempts} searched  {share:11} {self.query}"
        return "\n".join([line.rstrip(), *(f"        {failure}" for failure in self.failures)])


def judge_look_up(case: SearchCase, found: LookedUp, profile: RegionProfile) -> Outcome:
    """How a look-up stands against its case. Hosts are checked here once more, not by the code that is measured."""
    used = found.usable if found.searched.verdict in ("clean", "weak") else []
    used_local = sum(_is_from(result.url, profile) for result in used)
    verdict = found.searched.verdict if found.intent.allowed else "not searched"
    queries = [found.intent.search_query, *(attempt.query for attempt in found.searched.attempts)]
    is_asked = case.allowed and found.intent.allowed
    suspect = is_asked and case.is_local and verdict == "clean" and not used_local
    dropped = [query for query in queries if is_asked and case.is_local and not _names_region(query, profile)]
    namesakes = [result for result in used if Text(result.title).first_of(case.never)]
    failures = [
        *_failures_of_gate(case, found, queries, profile),
        *(["clean, with no result from the region"] if suspect else []),
        *(f"the query does not name the region: {query}" for query in dict.fromkeys(dropped)),
        *(f"a namesake is used: {result.title} ({result.url})" for result in namesakes),
        *(
            f"a used result holds none of {', '.join(case.entity)}: {result.url}"
            for result in used
            if case.entity and not Text(_read(result)).first_of(case.entity)
        ),
    ]
    if is_asked and verdict not in case.verdicts:
        reasons = found.judgement.reasons if found.judgement else ()
        failures.append(f"{verdict} instead of {' or '.join(case.verdicts)}: {'; '.join(reasons)}")
    return Outcome(
        case=case,
        verdict=verdict,
        query=found.intent.search_query,
        attempts=len(found.searched.attempts),
        suspect=suspect,
        anchor_dropped=bool(dropped),
        rejected=case.allowed and not found.intent.allowed,
        false_weak=is_asked and case.verdicts == ("clean",) and verdict != "clean",
        namesakes=len(namesakes),
        used=len(used),
        used_local=used_local,
        failures=tuple(failures),
    )


def failed(case: SearchCase, trouble: str) -> Outcome:
    """The outcome of a case whose search failed: an error, and no verdict."""
    return Outcome(case, "error", "", 0, False, False, False, False, 0, 0, 0, (trouble,))


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The figures of many outcomes, by name; a region share of NaN where no result of a local question was used."""
    local = [outcome for outcome in outcomes if outcome.case.is_local]
    used = sum(outcome.used for outcome in local)
    return {
        "cases": len(outcomes),
        "failed": sum(bool(outcome.failures) for outcome in outcomes),
        "errors": sum(outcome.verdict == "error" for outcome in outcomes),
        "suspect": sum(outcome.suspect for outcome in outcomes),
        "anchor dropped": sum(outcome.anchor_dropped for outcome in outcomes),
        "rejected": sum(outcome.rejected for outcome in outcomes),
        "false weak": sum(outcome.false_weak for outcome in outcomes),
        "namesakes": sum(outcome.namesakes for outcome in outcomes),
        "region share": sum(outcome.used_local for outcome in local) / used if used else float("nan"),
    }


def as_text(outcomes: Sequence[Outcome]) -> str:
    """A line per case with what it lacks below it, and the figures."""
    figures = (f"{name} {value:.2f}" if name == "region share" else f"{name} {value:g}"
               for name, value in summary(outcomes).items())  # fmt: skip
    return "\n".join([*map(str, outcomes), "", ", ".join(figures)])


def frozen(found: LookedUp) -> dict[str, Any]:
    """What of a look-up is compared with the day it was recorded: what was asked, tried, judged and used."""
    intent, searched = found.intent, found.searched
    return {
        "allowed": intent.allowed,
        "gate": intent.gate,
        "topic": intent.topic,
        "is_local": intent.is_local,
        "names": list(intent.names),
        "collisions": [collision.name for collision in intent.collisions],
        "query": intent.search_query,
        "attempts": [
            {
                "rung": attempt.rung,
                "query": attempt.query,
                "found": attempt.found,
                "local": attempt.local,
                "usable": attempt.usable,
                "verdict": attempt.verdict,
            }
            for attempt in searched.attempts
        ],
        "kept": searched.kept,
        "verdict": searched.verdict,
        "used": [result.url for result in found.usable],
    }


def moved(before: Any, now: Any, where: str = "") -> list[str]:
    """Where two frozen look-ups differ, a line each: "attempts.0.verdict: clean -> weak"."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [*before, *(key for key in now if key not in before)]
        return [line for key in keys for line in moved(before.get(key), now.get(key), f"{where}.{key}".lstrip("."))]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True))
        return [line for n, (old, new) in pairs for line in moved(old, new, f"{where}.{n}")]
    return [] if before == now else [f"{where}: {_shown(before)} -> {_shown(now)}"]


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return " + ".join(f"{attempt['rung']} ({attempt['verdict']})" for attempt in value)
    return "nothing" if value is None or value == [] else str(value)


def _failures_of_gate(
    case: SearchCase, found: LookedUp, queries: Iterable[str], profile: RegionProfile
) -> Iterable[str]:
    if case.needs_model and found.intent.gate != "model":
        return
    if case.allowed != found.intent.allowed:
        yield f"{'refused' if case.allowed else 'searched'}: {found.intent.reason or 'no reason'}"
        return
    if not case.allowed:
        return
    for query in dict.fromkeys(queries):
        if lost := [word for word in case.query_has if not Text(query).has(word)]:
            yield f"the query lost {', '.join(lost)}: {query}"
        if not case.is_local and Text(query).has(profile.anchor):
            yield f"the query names the region, which was not asked about: {query}"


def _names_region(query: str, profile: RegionProfile) -> bool:
    """Whether a query says which region is meant. Where the region's name is a namesake's too, the name alone is not
    enough."""
    names = profile.signs if profile.foreign else (*profile.aliases, *profile.signs)
    return Text(query).first_of(names) is not None


def _is_from(url: str, profile: RegionProfile) -> bool:
    host = "." + (urlsplit(url).hostname or "").rstrip(".").lower()
    return any(host.endswith("." + rule.strip(".")) for rule in (*profile.domains.suffixes, *profile.domains.hosts))


def _read(result: WebResult) -> str:
    return f"{result.title}\n{result.raw_content or result.content}"
