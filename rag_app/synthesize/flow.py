"""The answer flow: draft, further searches, coverage, recheck, validate, sum up. It asks for model calls, makes none.

A generator yields what it needs, a `ModelCall` or a `SearchAgain`, and is sent the reply or the longer ledger, or is
thrown the model's trouble; a driver (`drive.py`) fulfils it, sync, async, from a recording or in a test. Whatever a
model says, only statements of the ledger that it was shown can come out as quotes.
"""

from collections.abc import Generator
from dataclasses import replace

from rag_app.answer import Answer, Reason, Trace
from rag_app.index.calibration import Declining
from rag_app.question import Question, Referred
from rag_app.respond.events import Disagreement, Quoted, Summarised
from rag_app.synthesize.chosen import Chosen
from rag_app.synthesize.conflicts import with_conflicts
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.offline.extractive import draft_extractive
from rag_app.synthesize.parse_draft import MAX_SEARCHES, ParsedDraft
from rag_app.synthesize.referred import chosen_in, referred_by
from rag_app.synthesize.summary import summarise
from rag_app.synthesize.turn import FlowOptions, Request, SearchAgain, Sent, Turn

AnswerFlow = Generator[Request, Sent, Answer]
Drafting = Generator[Request, Sent, ParsedDraft | None]
"""None where the budget allows no call, or nothing speaks for one."""

MAX_ROUNDS = 1
"""Rounds of further searches, each followed by another draft."""
_NEAREST = 4
"""Statements named in a recheck, per part of the question."""
_IN_DOUBT = 0.8
"""Probability, without a model, from which a model's decline is asked about once more. Between the threshold for
answering without one and this, evidence that a model declined held no answer (`docs/design/answer-flow.md`)."""
_MAY_BE_UNGROUNDED: tuple[Reason, ...] = ("below_confidence", "nothing_found", "model_declined", "nothing_validated")
"""Refusals after which the model may answer by itself: not where the asker may read nothing at all."""


def answer_flow(question: Question, ledger: Ledger, options: FlowOptions, examples: str = "") -> AnswerFlow:
    """The answer to `question` from `ledger`; `examples` are worked ones for the draft prompt, as they are shown.

    Raises:
        ModelCutOff: a reply was cut off at its token limit, also with a larger one.
        ModelReplyMalformed: a reply cannot be read, also when asked for again.
        ModelReplyEmpty: a reply held no text.
    """
    turn = Turn(question, ledger, options)
    answer = yield from _answer(turn, examples)
    if answer.status != "grounded":
        return answer
    quotes, conflicts = with_conflicts(answer.quotes, turn.ledger)
    for quote in quotes[len(answer.quotes) :]:
        yield Quoted(quote)
    for conflict in conflicts:
        yield Disagreement(conflict)
    answer = replace(answer, quotes=quotes, conflicts=conflicts)
    if not options.is_summary_wanted:
        return answer
    summary = yield from summarise(answer, turn)
    for sentence in summary.sentences if summary else ():
        yield Summarised(sentence)
    return replace(answer, summary=summary)


def _answer(turn: Turn, examples: str) -> AnswerFlow:
    question, ledger, options = turn.question, turn.ledger, turn.options
    chosen = Chosen(question, options.max_quotes)
    reason: Reason = question.refusal or "nothing_found"
    if ledger.evidence:
        draft = yield from _draft(turn, examples)
        chosen.add(draft, turn.shown)
        if chosen.quotes:
            for quote in chosen.settle():
                yield Quoted(quote)
            chosen.add((yield from _coverage(turn, chosen)), turn.shown)
        else:
            again = yield from _recheck(turn)
            chosen.add(again, turn.shown)
            reason = _reason(again or draft)
    if chosen.quotes:
        for quote in chosen.settle():
            yield Quoted(quote)
        return chosen.answer()
    if options.is_ungrounded_allowed and reason in _MAY_BE_UNGROUNDED and turn.may_ask("answer without documents"):
        text = yield from turn.write("ungrounded", question=question.query_str)
        return Answer(question.query_str, "ungrounded", reason=reason, own_words=text, trace=question.trace)
    return Answer(question.query_str, "insufficient_evidence", reason=reason, trace=question.trace)


def _draft(turn: Turn, examples: str) -> Generator[Request, Sent, ParsedDraft]:
    """What the model chooses, after further searches where it asks for some and they bring something new.

    The last draft decides, part by part: it sees all that the earlier ones saw. Where it names nothing for a part, what
    was chosen before stays.
    """
    rounds = _rounds(turn, MAX_ROUNDS)
    parsed = yield from turn.choose("draft", examples=examples, may_search=rounds > 0, searches=_allowed(rounds))
    while rounds and parsed.search and turn.may_ask("further search"):
        rounds = _rounds(turn, rounds - 1)
        turn.question.trace.searches += parsed.search
        referred = referred_by(chosen_in(parsed.draft, turn.shown), turn.shown)
        before, shown = turn.ledger, _numbers(turn.shown)
        longer = yield SearchAgain(parsed.search, turn.shown, referred if turn.options.may_fetch else Referred())
        assert isinstance(longer, Ledger)
        if len(longer.evidence) == len(before.evidence):
            break
        turn.ledger = longer
        again = yield from turn.choose("draft", shown, examples, may_search=rounds > 0, searches=_allowed(rounds))
        parsed = again.over(parsed)
    return parsed


def _rounds(turn: Turn, most: int) -> int:
    """How many rounds of further searches a draft may be offered: none where no call is left for another draft."""
    return max(0, min(most, turn.calls_left - 1)) if turn.options.may_search else 0


def _allowed(rounds: int) -> str:
    return f"{rounds} (of up to {MAX_SEARCHES} searches)" if rounds else "0"


def _numbers(ledger: Ledger) -> set[int]:
    return {evidence.number for evidence in ledger.evidence if evidence.statements}


def _coverage(turn: Turn, chosen: Chosen) -> Drafting:
    """What is to be added, where a part is open and evidence is near it or the question names a document that is not
    cited, or where a chosen statement refers to one."""
    if not turn.options.may_cover:
        return None
    near = _near(turn, turn.options.declining) if chosen.open_parts else []
    referred = chosen.referred(turn.ledger) if turn.options.may_fetch else Referred()
    reasons, first = chosen.open(turn.ledger, near)
    if not (reasons or referred.documents) or not turn.may_ask("look for what is missing"):
        return None
    if referred != Referred():
        known = len(turn.ledger.evidence)
        longer = yield SearchAgain((), turn.ledger, referred)
        assert isinstance(longer, Ledger)
        turn.ledger = longer
        reasons, first = chosen.open(turn.ledger, near)
        first |= {evidence.number for evidence in turn.ledger.evidence[known:]}
    if not reasons:
        return None
    so_far = "\n".join(chosen.labels(turn.ledger))
    return (yield from turn.choose("coverage", first, chosen=so_far, open="\n".join(reasons)))


def _recheck(turn: Turn) -> Drafting:
    """A second look, where the evidence is so strong that a decline is hard to believe."""
    declining = turn.options.declining
    set_so = (declining.threshold, declining.calibrated.threshold if declining.calibrated else None)
    surely = replace(declining, threshold=max(_IN_DOUBT, *(threshold or 0.0 for threshold in set_so)))
    labels = list(dict.fromkeys(label for part in _near(turn, surely) for label in part))
    if not labels or not turn.may_ask("second look"):
        return None
    first = {found[0].number for label in labels if (found := turn.ledger.find(label))}
    return (yield from turn.choose("recheck", first, nearest=", ".join(labels)))


def _near(turn: Turn, declining: Declining) -> list[tuple[str, ...]]:
    """For each part, labels of the statements that would be quoted without a model."""
    question = turn.question
    drafted = draft_extractive(question.parts, turn.ledger, _NEAREST, Trace(), declining, question.terms)
    return [part.labels for part in drafted.parts]


def _reason(parsed: ParsedDraft) -> Reason:
    is_decline = not parsed.dropped and not any(part.labels or part.quotes for part in parsed.draft.parts)
    return "model_declined" if is_decline else "nothing_validated"
