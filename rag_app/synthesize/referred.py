"""Where chosen statements send the reader: another document ("as set out in the Travel Rules"), or further down."""

import re
from collections.abc import Collection, Iterator

from rag_app.question import Referred
from rag_app.synthesize.draft import Draft
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger
from rag_app.text.nodes import POINTERS

Found = tuple[Evidence, EvidenceStatement]

_BELOW = re.compile(
    r"\b(?:below|as follows|(?:the|these) (?:following|next) (?!day|week|month|year|morning|working|business|quarter)"
    r"|overleaf|(?:next|following) (?:section|page|table|list|steps?))\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"\b(?:below|under) (?:zero|freezing|average|par|cost|\W?\d)", re.IGNORECASE)


def chosen_in(draft: Draft, ledger: Ledger) -> list[Found]:
    """The statements that a draft names by label."""
    labels = dict.fromkeys(label for part in draft.parts for label in part.labels)
    return [found for label in labels if (found := ledger.find(label))]


def referred_documents(found: Collection[Found]) -> Iterator[tuple[str, str]]:
    """How ("asked", "referred") and id of the documents that the question names, or that one of the statements refers
    to."""
    for evidence, statement in found:
        for how, document_id, start in evidence.node.node.metadata.get(POINTERS, ()):
            if how == "asked" or (how == "referred" and start == statement.start):
                yield how, document_id


def referred_by(found: Collection[Found], ledger: Ledger) -> Referred:
    """What the statements refer to; of documents, those that the ledger does not hold."""
    held = {evidence.document_id for evidence in ledger.evidence}
    documents = [of for how, of in referred_documents(found) if how == "referred" and of not in held]
    places = [
        (evidence.document_id, evidence.start + len(evidence.text))
        for evidence, statement in found
        if _BELOW.search(statement.text) and not _MEASURED.search(statement.text) and not statement.lead_out
    ]
    return Referred(tuple(dict.fromkeys(documents)), tuple(dict.fromkeys(places)))
