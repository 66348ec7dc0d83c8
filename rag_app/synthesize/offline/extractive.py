"""Answers that no language model has a part in: chooses statements per part of the question, or declines."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from rag_app.answer import Answer, Drop, Reason, Trace
from rag_app.index.calibration import Declining
from rag_app.question import Part, Question, QuestionTerms
from rag_app.synthesize.conflicts import with_conflicts
from rag_app.synthesize.draft import Draft, DraftPart
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger
from rag_app.synthesize.offline.anchors import anchors_of, is_other_side, lacks
from rag_app.synthesize.offline.answer_kind import QUANTITIES, Kind, holds, kinds_asked
from rag_app.synthesize.offline.by_words import choose_by_words
from rag_app.synthesize.offline.features import Candidate, Weights, answer_features, candidates, leans_back, weights_for
from rag_app.synthesize.offline.lists import item_by_words, numbered_item, with_whole_lists
from rag_app.synthesize.offline.ranges import is_in_range
from rag_app.synthesize.offline.rows import is_rival, is_row_of_code, looked_up, rows_alike
from rag_app.synthesize.validate import validate_draft, without_lead_ins
from rag_app.text.language import language_of_script
from rag_app.text.words import content_stems

_BY_DEFAULT = Declining()
UNREAD_LANGUAGE = (
    "The models know English and cannot judge a question in {language}: only a statement that holds all of its words "
    "is quoted."
)
_NOTHING_KNOWN = QuestionTerms()
MOST_QUOTES = 6
"""Over all parts of a question, where no list needs more."""
AGAIN = 3.0
"""How far behind a statement may be, to stand in for one that answers an earlier part too, or lacks the quantity."""
_HOW = re.compile(r"\bhow \w+", re.IGNORECASE)
_JUDGED = 40
"""Statements from the best down that are asked whether they are about what the question names."""
_A_SENTENCE = 6
"""Words; fewer are a caption, a byline or a menu."""


def answer_without_model(question: Question, ledger: Ledger, max_quotes: int, declining: Declining) -> Answer:
    """The answer to `question` that the features of the evidence speak for, with at most `max_quotes` a part."""
    if not ledger.evidence:
        return _refusal(question, question.refusal or "nothing_found")
    with question.trace.timed("draft"):
        if question.leads is not None:
            draft = _draft_leads(question.parts, ledger, max_quotes, question.leads)
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


def draft_extractive(
    parts: tuple[Part, ...],
    ledger: Ledger,
    max_quotes: int,
    trace: Trace,
    declining: Declining = _BY_DEFAULT,
    terms: QuestionTerms = _NOTHING_KNOWN,
) -> Draft:
    """The statements that answer each part, or a decline where the evidence for every part is weak.

    Statements that are not about what the part names are left out first. The part is answered where the best of the
    others is likely enough to be right, by `declining`. With it come statements of the same document that are nearly as
    good, those of another document only where they tie; then what these need: the sentence each points back to, the
    rest of a list, and where the best lacks the quantity asked for, the best of its passage that holds it. A part whose
    best is not likely enough is still answered where it looks up a table row by its code or name, or a step by its
    number.
    """
    weights = weights_for(ledger)
    rule = declining.rule(weights.default_decline, trace)
    most = max(1, min(max_quotes, MOST_QUOTES // len(parts)))
    drafted = []
    taken: set[str] = set()
    for number, part in enumerate(parts, start=1):
        labels: tuple[str, ...] = ()
        score, ranked = judged(number - 1, part, ledger, terms, trace, taken)
        probability = rule.probability(score) if ranked else 0.0
        if ranked:
            trace.numbers[f"decline.score.{number}"] = round(score, 6)
        trace.numbers[f"decline.probability.{number}"] = round(probability, 6)
        language = language_of_script(part.text) if declining.reads_only_english else ""
        if language:
            trace.warn(UNREAD_LANGUAGE.format(language=language))
            chosen = choose_by_words(part, ranked, most)
            labels = tuple(_in_reading_order([candidate.statement.label for candidate in chosen]))
        elif ranked and probability >= rule.threshold:
            labels = _labels(ranked, part, weights, most)
        elif found := looked_up(ranked, part, terms)[:most] or item_by_words(part.text, _evidence_of(ranked)):
            trace.numbers[f"decline.looked_up.{number}"] = float(len(found))
            labels = tuple(_in_reading_order(found))
        taken.update(labels)
        drafted.append(DraftPart(part.text, labels))
    if not any(part.labels for part in drafted):
        return Draft(tuple(drafted), declined="extractive_declined")
    return Draft(tuple(drafted))


def judged(
    number: int, part: Part, ledger: Ledger, terms: QuestionTerms, trace: Trace, taken: frozenset[str] | set[str]
) -> tuple[float, list[Candidate]]:
    """How likely (in log odds) the best statement for part `number` answers it; and the statements that are about what
    it names, best first. Those that are not stand in the trace with the reason.

    Args:
        taken: labels that an earlier part was answered with.
    """
    ranked = candidates(number, part, ledger)
    about = list(_about(ranked, part, terms, trace))
    if about:
        about += ranked[_JUDGED:]
    fresh = _of_the_turn(about, part) if part.is_follow_up else _fresh_first(about, part, taken)
    if not fresh:
        return 0.0, []
    features = answer_features(fresh, part, terms)
    trace.numbers.update({f"decline.{name}.{number + 1}": round(value, 6) for name, value in features.items()})
    weights = weights_for(ledger)
    is_told_apart = is_row_of_code(fresh[0], part, terms) or (
        _has_figure(part) and bool(is_in_range(fresh[0], part.query))
    )
    more = weights.coded * is_told_apart + weights.follow_up * part.is_follow_up
    return weights.answer(features) + more, fresh


def _has_figure(part: Part) -> bool:
    return any(map(str.isdigit, part.query))


def _about(ranked: Sequence[Candidate], part: Part, terms: QuestionTerms, trace: Trace) -> Iterator[Candidate]:
    """Candidates that are about what the part names, and on the side that it asks about."""
    anchors, has_figure = anchors_of(part.text, terms), _has_figure(part)
    for candidate in islice(ranked, _JUDGED):
        place = candidate.place
        reason = lacks(anchors, place) or is_other_side(part.text, place)
        if reason is None and has_figure and is_in_range(candidate, part.query) is False:
            reason = "it stands for a range that the asked figure is outside of"
        if reason is None:
            yield candidate
        elif candidate.score >= ranked[0].score - AGAIN:
            statement = candidate.statement
            trace.dropped.append(Drop("draft", reason, candidate.evidence.document_id, statement.start, statement.end))


def _fresh_first(ranked: list[Candidate], part: Part, taken: frozenset[str] | set[str]) -> list[Candidate]:
    """Without what an earlier part was answered with, where something else is not far behind: a second part that
    points back to the first ("and who approves it?") is nearest to the first one's answer. That answers both only where
    it holds what the second asks for."""
    fresh = [candidate for candidate in ranked if candidate.statement.label not in taken]
    if not ranked or ranked[0].statement.label not in taken:
        return fresh
    text = ranked[0].statement.text
    own = set(content_stems(part.text))
    held = own.intersection(content_stems(text))
    if held and held == own:
        return ranked
    if fresh and fresh[0].score >= ranked[0].score - AGAIN:
        return fresh
    kinds = kinds_asked(part.text)
    is_both = 2 * len(held) >= len(own) > 0 or (kinds and all(holds(kind, text) for kind in kinds))
    return ranked if is_both or not part.context else fresh


def _of_the_turn(ranked: list[Candidate], part: Part) -> list[Candidate]:
    """Of a turn that is read behind earlier ones, the statements that hold something of its own: a word, or where it
    has none, the quantity that it asks for. What answers the earlier ones alone is not asked for again."""
    own = set(content_stems(_HOW.sub("", part.text)))
    kinds: list[Kind] = [kind for kind in QUANTITIES if kind in kinds_asked(part.text)]
    near = [candidate for candidate in ranked if candidate.score >= ranked[0].score - AGAIN]
    if own:
        return [c for c in near if own & set(content_stems(f"{c.place.headings} {c.place.statement}"))]
    return [c for c in near if not kinds or any(holds(kind, c.statement.text) for kind in kinds)]


def _labels(ranked: list[Candidate], part: Part, weights: Weights, most: int) -> tuple[str, ...]:
    """What is shown for a part, in reading order."""
    best = ranked[0]
    evidence = _evidence_of(ranked)
    if one := numbered_item(ranked[:most], part.text, evidence):
        return tuple(_in_reading_order(one))
    chosen = [
        candidate
        for candidate in ranked
        if candidate.score
        >= best.score - (weights.near if candidate.evidence.document_id == best.evidence.document_id else weights.tied)
        and not is_rival(candidate, best, part)
    ][:most]
    labels = []
    for candidate in chosen + _with_quantity(best, ranked, part):
        if leans_back(candidate.evidence, candidate.index):
            labels.append(candidate.evidence.statements[candidate.index - 1].label)
        labels.append(candidate.statement.label)
    few = list(dict.fromkeys(labels))[:most]
    few += [label for label in rows_alike(best, part, ranked) if label not in few]
    return tuple(_in_reading_order(with_whole_lists(few, best, part.text, evidence)))


def _evidence_of(ranked: Sequence[Candidate]) -> list[Evidence]:
    """The passages of candidates, in the order of their best ones."""
    return list({id(candidate.evidence): candidate.evidence for candidate in ranked}.values())


def _with_quantity(best: Candidate, ranked: list[Candidate], part: Part) -> list[Candidate]:
    """Where the best one holds no quantity that is asked for, the best statement of its passage that does."""
    asked = kinds_asked(part.text)
    lacking: list[Kind] = [kind for kind in QUANTITIES if kind in asked and not holds(kind, best.statement.text)]
    for other in ranked:
        if other.score < best.score - AGAIN:
            break
        if other.evidence is best.evidence and any(holds(kind, other.statement.text) for kind in lacking):
            return [other]
    return []


def _in_reading_order(labels: Sequence[str]) -> list[str]:
    """Passages in the order of their best statement, the statements of each as they stand in the document."""
    places = {label: tuple(map(int, label.split("."))) for label in labels}
    ranks: dict[int, int] = {}
    for passage, _ in places.values():
        ranks.setdefault(passage, len(ranks))
    return sorted(labels, key=lambda label: (ranks[places[label][0]], places[label][1]))


def _draft_leads(parts: tuple[Part, ...], ledger: Ledger, max_quotes: int, naming: frozenset[tuple[str, int]]) -> Draft:
    """The first sentences of each page that name what is asked for, pages in their order; or a decline.

    Every page has as many as fit. What several pages say in the same words is taken once.
    """
    pages: dict[str, list[EvidenceStatement]] = {}
    for evidence in ledger.evidence:
        pages.setdefault(evidence.document_id, []).extend(_leads(evidence, naming))
    pages = {page: sorted(leads, key=lambda s: s.start) for page, leads in pages.items() if leads}
    share = max(1, max_quotes // max(1, len(pages)))
    chosen: dict[str, str] = {}
    for leads in pages.values():
        for statement in leads[:share]:
            chosen.setdefault(" ".join(statement.text.split()).casefold(), statement.label)
    labels = tuple(chosen.values())[:max_quotes]
    drafted = (DraftPart(parts[0].text, labels), *(DraftPart(part.text, ()) for part in parts[1:]))
    return Draft(drafted, declined=None if labels else "extractive_declined")


def _leads(evidence: Evidence, naming: frozenset[tuple[str, int]]) -> list[EvidenceStatement]:
    named = [s for s in evidence.statements if (evidence.document_id, s.start) in naming]
    return [s for s in named if s.kind == "sentence" and len(s.text.split()) >= _A_SENTENCE]
