"""Why a row is not right: each reason by its kind, in the order in which a question travels."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_app.evaluate.cases.pattern import Pattern
from rag_app.evaluate.run.row import Row

KINDS = (
    "leak",
    "no answer exists",
    "wrong fact",
    "contradicting",
    "without a document",
    "wrong document",
    "error",
    "not retrieved",
    "not in the evidence",
    "refused",
    "not quoted",
    "fact missing",
    "quoted besides",
)
"""Worst first: what misleads a reader comes before what leaves one without an answer."""


class Reason(NamedTuple):
    """One thing that is wrong with a row."""

    kind: str
    sentence: str


def why(row: Row, case: Mapping[str, Any]) -> list[Reason]:
    """At least one reason for a row that is not strictly right; `case` as a result has it."""
    if row.failed:
        return [Reason("error", f"Error: {row.error}")]
    found = []
    if row.forbidden:
        found.append(Reason("leak", f"Names what the asker may not read: {', '.join(row.forbidden)}."))
    if not case["answerable"]:
        if row.outcome != "refused":
            found.append(Reason("no answer exists", "Answered, although there is no answer to be had."))
        return found
    if row.right_retrieved is False:
        absent = _names(_absent(case, [place.document_id for place in row.retrieved]))
        found.append(Reason("not retrieved", f"Not retrieved: {absent}."))
    elif row.evidence_delivered is False:
        found.append(Reason("not in the evidence", "Retrieved, but not every fact reached the evidence."))
    if row.outcome == "refused":
        return [*found, Reason("refused", f"Refused ({row.reason}), although there is an answer.")]
    if row.outcome == "ungrounded":
        return [*found, Reason("without a document", "Answered without a document.")]
    return found + _of_quotes(row, case)


def severity(row: Row, reasons: Sequence[Reason]) -> int:
    """0 is worst; rows that are right come last."""
    if row.strict and not row.forbidden:
        return len(KINDS)
    return min((KINDS.index(reason.kind) for reason in reasons), default=len(KINDS) - 1)


def _of_quotes(row: Row, case: Mapping[str, Any]) -> list[Reason]:
    found = []
    quoted = [quote.document_id for quote in row.quotes]
    if absent := _absent(case, quoted):
        found.append(Reason("not quoted", f"Not quoted: {_names(absent)}."))
    shown = "\n".join(quote.text for quote in row.quotes)
    for fact in case["facts"]:
        if not any(Pattern(pattern).search(shown) for pattern in fact):
            found.append(Reason("fact missing", f"Fact not shown: {' | '.join(fact)}."))
    for pattern in case["wrong_facts"]:
        if match := Pattern(pattern).search(shown):
            found.append(Reason("wrong fact", f"Wrong fact shown: “{match[0]}”."))
    labels = row.score.labels if row.score else ()
    if "contradicting" in labels and not any(reason.kind == "wrong fact" for reason in found):
        found.append(Reason("contradicting", "Quotes a statement that says otherwise."))
    right = {*case["expected_documents"], *case["also_right"]}
    outside = [name for name in quoted if name not in right]
    if outside and len(outside) == len(quoted):
        found.append(Reason("wrong document", f"Answered from other documents alone: {_names(outside)}."))
    elif outside:
        found.append(Reason("quoted besides", f"Quoted besides: {_names(outside)}."))
    return found


def pieces(text: str, case: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """A text in pieces, and of each whether a fact of the case stands in it."""
    spans = [
        match.span()
        for fact in case["facts"]
        for pattern in fact
        if (match := Pattern(pattern).search(text)) and match.end() > match.start()
    ]
    found, place = [], 0
    for start, end in sorted(spans):
        if start >= place:
            found += [(text[place:start], False), (text[start:end], True)]
            place = end
    return [piece for piece in (*found, (text[place:], False)) if piece[0]]


def _absent(case: Mapping[str, Any], there: Sequence[str]) -> list[str]:
    return [name for name in case["expected_documents"] if name not in there]


def _names(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(names))
