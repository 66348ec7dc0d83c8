"""Which file gets a document id that several claim, so that nobody notices a file that they may not read.

A file may take an id from another only if everybody who reads the other reads it too. So the file that more people
may read goes first; among files of different readers, and among files of the same, the one that the index has under
that id already, and last the first by path. See docs/design/ids.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rag_app.principal import AccessRule


@dataclass(frozen=True, slots=True)
class Claim:
    """A file that says to be a document of some id, or is one by its name."""

    document_id: str
    path: str
    rule: AccessRule
    is_incumbent: bool
    """Whether the index has this file under this id already."""


def find_losers(claims: Iterable[Claim]) -> dict[str, Claim]:
    """Paths of the files that do not get the id they claim, each with the claim that does."""
    by_id: dict[str, list[Claim]] = {}
    for claim in claims:
        by_id.setdefault(claim.document_id, []).append(claim)
    losers: dict[str, Claim] = {}
    for rivals in by_id.values():
        if len(rivals) > 1:
            winner = _winner(rivals)
            losers |= {claim.path: winner for claim in rivals if claim is not winner}
    return losers


def _winner(rivals: list[Claim]) -> Claim:
    rules = {claim.rule for claim in rivals}
    widest = {rule for rule in rules if not any(_is_wider(other, rule) for other in rules)}
    return min(
        (claim for claim in rivals if claim.rule in widest), key=lambda claim: (not claim.is_incumbent, claim.path)
    )


def _is_wider(one: AccessRule, other: AccessRule) -> bool:
    return one.covers(other) and not other.covers(one)
