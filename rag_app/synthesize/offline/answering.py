"""Answers that no language model has a part in."""

from rag_app.answer import Answer, Reason
from rag_app.question import Question
from rag_app.synthesize.conflicts import with_conflicts
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.offline.decline import Declining
from rag_app.synthesize.offline.extractive import draft_extractive
from rag_app.synthesize.offline.leads import draft_leads
from rag_app.synthesize.validate import validate_draft, without_lead_ins


def answer_without_model(question: Question, ledger: Ledger, max_quotes: int, declining: Declining) -> Answer:
    """The answer to `question` that the features of the evidence speak for, with at most `max_quotes` a part."""
    if not ledger.evidence:
        return _refusal(question, question.refusal or "nothing_found")
    with question.trace.timed("draft"):
        if question.is_open:
            draft = draft_leads(question.parts, ledger, max_quotes)
        else:
            draft = draft_extractive(question.parts, ledger, max_quotes, question.trace, declining, question.terms)
    if draft.declined:
        return _refusal(question, draft.declined)
    with question.trace.timed("validate"):
        found = validate_draft(draft, ledger, question.trace)
    if not found.quotes:
        return _refusal(question, "nothing_validated")
    missing = tuple(part.text for number, part in enumerate(draft.parts) if number not in found.answered)
    quotes, conflicts = with_conflicts(without_lead_ins(found.quotes), ledger)
    return Answer(question.query_str, "grounded", quotes, missing, conflicts, trace=question.trace)


def _refusal(question: Question, reason: Reason) -> Answer:
    return Answer(question.query_str, "insufficient_evidence", reason=reason, trace=question.trace)
