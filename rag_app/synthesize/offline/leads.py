"""Drafts for a question that only names something: what each page about it says first."""

from rag_app.question import Part
from rag_app.synthesize.draft import Draft, DraftPart
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger

_A_SENTENCE = 6
"""Words; fewer are a caption, a byline or a menu."""


def draft_leads(parts: tuple[Part, ...], ledger: Ledger, max_quotes: int) -> Draft:
    """The first sentences of each page that name what is asked for, pages in their order; or a decline.

    Every page has as many as fit. What several pages say in the same words is taken once.
    """
    pages: dict[str, list[EvidenceStatement]] = {}
    for evidence in ledger.evidence:
        pages.setdefault(evidence.document_id, []).extend(_leads(evidence))
    pages = {page: sorted(leads, key=lambda s: s.start) for page, leads in pages.items() if leads}
    share = max(1, max_quotes // max(1, len(pages)))
    chosen: dict[str, str] = {}
    for leads in pages.values():
        for statement in leads[:share]:
            chosen.setdefault(" ".join(statement.text.split()).casefold(), statement.label)
    labels = tuple(chosen.values())[:max_quotes]
    drafted = (DraftPart(parts[0].text, labels), *(DraftPart(part.text, ()) for part in parts[1:]))
    return Draft(drafted, declined=None if labels else "extractive_declined")


def _leads(evidence: Evidence) -> list[EvidenceStatement]:
    named = [evidence.statements[index] for index in evidence.leads]
    return [s for s in named if s.kind == "sentence" and len(s.text.split()) >= _A_SENTENCE]
