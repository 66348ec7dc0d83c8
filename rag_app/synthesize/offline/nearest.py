"""What came nearest to a question that is refused: shown as no answer, so that its reader is not left with nothing."""

from rag_app.index.calibration import Declining
from rag_app.question import Question
from rag_app.quote import Nearest
from rag_app.synthesize.evidence import Ledger, MayCite, quote_of
from rag_app.synthesize.offline.extractive import judged
from rag_app.synthesize.offline.features import answer_features, candidates, weights_for
from rag_app.trace import Trace

MOST = 3


def nearest_statements(
    question: Question, ledger: Ledger, declining: Declining, may_cite: MayCite
) -> tuple[Nearest, ...]:
    """Up to `MOST` statements, likeliest first, each with the probability that it answers its part of the question.

    Statements about something else than the question names come only where there are no others, with probability 0.

    Args:
        may_cite: asked again of each passage at this moment.
    """
    weights = weights_for(ledger)
    rule = declining.rule(weights.default_decline, Trace())
    found: dict[tuple[str, int, int], Nearest] = {}
    for number, part in enumerate(question.parts):
        _, about = judged(number, part, ledger, question.terms, Trace(), frozenset())
        ranked = about or candidates(number, part, ledger)
        for place, candidate in enumerate(ranked[:MOST]):
            if not may_cite(candidate.evidence.node.node):
                continue
            score = weights.answer(answer_features(ranked[place:], part, question.terms))
            probability = round(rule.probability(score), 6) if about else 0.0
            quote = quote_of(candidate.evidence, candidate.statement, part=number)
            key = (quote.document_id, quote.start, quote.end)
            if key not in found or found[key].probability < probability:
                found[key] = Nearest(quote, probability)
    return tuple(sorted(found.values(), key=lambda one: -one.probability)[:MOST])
