"""A sample of questions that looks like the whole: so many of each difficulty, each subject in turn, drawn by seed."""

import random
from collections import defaultdict
from collections.abc import Sequence

from rag_app.errors import UsageError
from rag_app.evaluate.cases.schema import Case


def stratified_sample(cases: Sequence[Case], size: int | None, seed: int) -> list[Case]:
    """`size` of the cases, in their order; all of them where that is None or too many. Same seed, same sample.

    Each stratum (difficulty, and whether an answer is expected) gets its share, rounded up or down by chance so that
    every question is drawn equally often (systematic sampling; Madow, 1949). Within a stratum the domains take turns,
    in a drawn order.

    Raises:
        UsageError: `size` is under 1.
    """
    if size is not None and size < 1:
        raise UsageError(f"A sample needs at least one question, not {size}.", size=size)
    if size is None or size >= len(cases):
        return list(cases)
    drawing = random.Random(seed)
    strata: dict[tuple[str, bool], list[Case]] = defaultdict(list)
    for case in cases:
        strata[case.difficulty, case.answerable].append(case)
    keys = sorted(strata)
    drawing.shuffle(keys)
    place, chosen = drawing.randrange(len(cases)), set[int]()
    for key in keys:
        end = place + size * len(strata[key])
        count = end // len(cases) - place // len(cases)
        chosen |= {id(case) for case in _in_turns(strata[key], drawing)[:count]}
        place = end
    return [case for case in cases if id(case) in chosen]


def _in_turns(cases: Sequence[Case], drawing: random.Random) -> list[Case]:
    """The cases in a drawn order, one of each domain in turn."""
    domains: dict[str, list[Case]] = defaultdict(list)
    for case in drawing.sample(list(cases), len(cases)):
        domains[case.domain].append(case)
    order = sorted(domains)
    drawing.shuffle(order)
    rounds = max(map(len, domains.values()))
    return [domains[name][turn] for turn in range(rounds) for name in order if turn < len(domains[name])]
