"""What a language model sees of a question and its evidence: one line per statement, behind its label.

Text of documents is data between <evidence> and </evidence>. It cannot close that fence, begin a line of its own or
forge a label: its line breaks are folded (those of code are indented), and a `<` that would spell the fence is
replaced. The prompt never needs to be read back, since only labels return.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from rag_app.answer import Quote, Trace
from rag_app.question import Question
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger
from rag_app.text.nodes import drop_of

_FENCE = re.compile(r"<(?=\s*/?\s*(?:evidence|examples))", re.IGNORECASE)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\U000e0000-\U000e007f]")
"""Control characters, halves of characters, and the invisible tag characters, which nobody reads but models do."""
_CHARACTERS_PER_TOKEN = 3.5


def show_question(question: Question) -> str:
    """The question and its numbered parts."""
    lines = [] if len(question.parts) == 1 else [f"Question: {show_line(question.query_str)}"]
    if question.parts[0].is_follow_up:
        lines.append(f"Asked before, and not to be answered again: {show_line(question.parts[0].context)}")
    lines += [f"Part {number}: {show_line(part.text)}" for number, part in enumerate(question.parts, start=1)]
    if question.is_open:
        lines.append("This only names something: choose what the passages say first and foremost about it.")
    if question.as_of:
        lines.append(f"Asked for what was in force on {question.as_of.isoformat()}.")
    return "\n".join(lines)


def show_ledger(ledger: Ledger) -> str:
    """The passages that have statements, in their order."""
    replaced = _superseded(ledger)
    return "\n\n".join(_passage(evidence, replaced) for evidence in ledger.evidence if evidence.statements)


def show_quote(number: int, quote: Quote) -> str:
    """A quote of an answer on one line, behind its number and headings, with the lines that it depends on."""
    path = show_line(" > ".join(dict.fromkeys((quote.title, *quote.section))))
    leads = "".join(f"(with {show_line(lead.text)}) " for lead in quote.lead_in)
    return f"[{number}] {path}{' (superseded)' if quote.superseded_by else ''}: {leads}{show_line(quote.text)}"


def fit_ledger(ledger: Ledger, tokens: int, trace: Trace, first: Collection[int] = ()) -> Ledger:
    """The ledger without the passages for which `tokens` leave no room; labels stay what they were.

    Room goes to the passages numbered in `first`, then to the others in their order. A passage is shown whole or not at
    all: half of one may lack the exception. Only where none at all has room, the first is shown as far as it goes. What
    is left out is recorded in the trace.
    """
    room = tokens
    order = sorted((e for e in ledger.evidence if e.statements), key=lambda e: e.number not in first)
    kept: set[int] = set()
    for evidence in order:
        if (needed := estimate_tokens(_passage(evidence, (evidence.document_id,))) + 1) <= room:
            room -= needed
            kept.add(evidence.number)
    cut = order[0] if order and not kept else None
    fitted: list[Evidence] = []
    for evidence in ledger.evidence:
        statements = evidence.statements if evidence.number in kept else ()
        if evidence is cut:
            statements = _as_far_as(evidence, tokens)
        if left_out := len(evidence.statements) - len(statements):
            reason = f"{left_out} of {len(evidence.statements)} statements left out: the prompt would be too long"
            trace.dropped.append(drop_of(evidence.node, "prompt", reason))
        fitted.append(replace(evidence, statements=statements))
    return Ledger(tuple(fitted))


def _as_far_as(evidence: Evidence, tokens: int) -> tuple[EvidenceStatement, ...]:
    """The first statements of a passage that is longer than a whole prompt may be."""
    room = tokens - estimate_tokens(_heading(evidence, True)) - 1
    for place in range(len(evidence.statements)):
        room -= estimate_tokens("\n".join(_lines(evidence.statements, place)))
        if room < 0:
            return evidence.statements[:place]
    return evidence.statements


def estimate_tokens(text: str) -> int:
    """About how many tokens a model counts; rather too many."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return int(ascii_only / _CHARACTERS_PER_TOKEN) + (len(text) - ascii_only) + 1


def _passage(evidence: Evidence, replaced: Collection[str]) -> str:
    lines = [_heading(evidence, evidence.document_id in replaced)]
    for place in range(len(evidence.statements)):
        lines += _lines(evidence.statements, place)
    return "\n".join(lines)


def _heading(evidence: Evidence, is_replaced: bool) -> str:
    path = " > ".join(dict.fromkeys((evidence.title, *evidence.section)))
    facts = [f"version {evidence.version}"] if evidence.version else []
    facts += [f"in force since {evidence.effective_date}"] if evidence.effective_date else []
    facts += [f"published {evidence.published}"] if evidence.published else []
    facts += ["superseded"] if is_replaced else []
    return f"[{evidence.number}] {show_line(path)}" + (f" ({show_line(', '.join(facts))})" if facts else "")


def _lines(statements: tuple[EvidenceStatement, ...], place: int) -> list[str]:
    """A statement, after those of its lead-ins that no line above shows."""
    statement = statements[place]
    before = statements[:place]
    shown = {(above.start, above.end) for above in before} | {
        (lead.start, lead.end) for above in before for lead in above.lead_in
    }
    lines = [f"(with {show_line(lead.text)})" for lead in statement.lead_in if (lead.start, lead.end) not in shown]
    text = _code(statement.text) if statement.kind == "code" else show_line(statement.text)
    return [*lines, f"{statement.label} {text}"]


def _superseded(ledger: Ledger) -> set[str]:
    """Documents that another one of the ledger says it replaces."""
    return {
        str(old) for evidence in ledger.evidence for old in evidence.node.node.metadata.get("supersedes") or () if old
    }


def show_line(text: str) -> str:
    """Text of somebody else on one line, which can open or close no fence."""
    return " ".join(_clean(text).split())


def _code(text: str) -> str:
    return "\n    ".join(_clean(text).splitlines())


def _clean(text: str) -> str:
    return _FENCE.sub("‹", _UNPRINTABLE.sub("", text))
