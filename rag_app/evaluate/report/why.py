"""Why a row is not right, in the order in which a question travels: where the answer was lost first."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rag_app.evaluate.run.row import Row


def why(row: Row, case: Mapping[str, Any]) -> list[str]:
    """Sentences, at least one for a row that is not strictly right; `case` as a result has it."""
    if row.outcome == "error":
        return [f"Error: {row.error}"]
    found = [f"Names what the asker may not read: {', '.join(row.forbidden)}."] if row.forbidden else []
    if not case["answerable"]:
        return found if row.outcome == "refused" else [*found, "Answered, although there is no answer to be had."]
    if row.right_retrieved is False:
        found.append(f"Not retrieved: {_names(_absent(case, [place.document_id for place in row.retrieved]))}.")
    elif row.evidence_delivered is False:
        found.append("Retrieved, but not every fact reached the evidence.")
    if row.outcome == "refused":
        return [*found, f"Refused ({row.reason}), although there is an answer."]
    if row.outcome == "ungrounded":
        return [*found, "Answered without a document."]
    return found + _of_quotes(row, case)


def _of_quotes(row: Row, case: Mapping[str, Any]) -> list[str]:
    found = []
    quoted = [quote.document_id for quote in row.quotes]
    if absent := _absent(case, quoted):
        found.append(f"Not quoted: {_names(absent)}.")
    shown = "\n".join(quote.text for quote in row.quotes)
    for fact in case["facts"]:
        if not any(re.search(pattern, shown, re.IGNORECASE) for pattern in fact):
            found.append(f"Fact not shown: {' | '.join(fact)}.")
    for pattern in case["wrong_facts"]:
        if match := re.search(pattern, shown, re.IGNORECASE):
            found.append(f"Wrong fact shown: “{match[0]}”.")
    right = {*case["expected_documents"], *case["also_right"]}
    if outside := [name for name in quoted if name not in right]:
        found.append(f"Quoted besides: {_names(outside)}.")
    return found


def _absent(case: Mapping[str, Any], there: Sequence[str]) -> list[str]:
    return [name for name in case["expected_documents"] if name not in there]


def _names(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(names))
