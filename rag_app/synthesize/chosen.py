"""What was chosen so far in one turn, and what is still open."""

from collections import Counter
from collections.abc import Iterator

from rag_app.answer import Answer, Quote
from rag_app.question import Question
from rag_app.synthesize.evidence import Evidence, Ledger
from rag_app.synthesize.parse_draft import ParsedDraft
from rag_app.synthesize.validate import record_drop, validate_draft, without_lead_ins
from rag_app.text.nodes import POINTERS

Place = tuple[str, int, int]

_MAX_HINTS = 4
_HOW = {
    "asked": "The question names the document",
    "named": "A chosen passage names the document",
    "contrast": "A chosen passage sets itself apart from the document",
    "restated": "A chosen passage has the same figures as the document",
}


class Chosen:
    """Valid choices of one turn. Only ever grows: a statement that stands is not taken away by a later call."""

    def __init__(self, question: Question, most: int) -> None:
        """`most` statements stand for a part of the question at most."""
        self.question = question
        self.most = most
        self.quotes: dict[Place, Quote] = {}
        """By document and place, so that the same words of two documents count twice, one place once."""
        self.answered: set[int] = set()
        self._settled: set[Place] = set()
        """What was shown already."""

    def add(self, parsed: ParsedDraft | None, shown: Ledger) -> None:
        """Adds what is valid in a draft, each choice by itself; the rest is recorded as dropped."""
        if parsed is None:
            return
        trace = self.question.trace
        valid = validate_draft(parsed.draft, shown, trace)
        count = Counter(quote.part for quote in self.quotes.values())
        for quote in valid.quotes:
            if _place(quote) in self.quotes:
                continue
            if count[quote.part] == self.most:
                record_drop(f"more than {self.most} statements for one part of the question", trace)
                trace.warn(f"The model chose more than {self.most} statements for one part; the first are shown.")
                continue
            count[quote.part] += 1
            self.quotes[_place(quote)] = quote
        self.answered |= valid.answered

    def labels(self, ledger: Ledger) -> list[str]:
        """The chosen labels, a line per part of the question."""
        by_part: list[list[str]] = [[] for _ in self.question.parts]
        for evidence in ledger.evidence:
            for statement in evidence.statements:
                quote = self.quotes.get((evidence.document_id, statement.start, statement.end))
                if quote:
                    by_part[quote.part].append(statement.label)
        return [f"Part {part}: {', '.join(labels) or 'nothing'}" for part, labels in enumerate(by_part, start=1)]

    def open(self, ledger: Ledger) -> tuple[list[str], set[int]]:
        """Sentences that speak for looking once more, and the passages that a second look must see."""
        reasons = [
            f"- Part {number} has no statement yet."
            for number in range(1, len(self.question.parts) + 1)
            if number - 1 not in self.answered
        ]
        cited = {quote.document_id for quote in self.quotes.values()}
        first = {evidence.number for evidence in ledger.evidence if self._is_cited(evidence)}
        for how, evidence in self._hints(ledger, cited):
            # By number, not by title: a document's words stand within the fence and nowhere else.
            reasons.append(f"- {_HOW[how]} of [{evidence.number}], from which nothing is chosen.")
            first |= {other.number for other in ledger.evidence if other.document_id == evidence.document_id}
        return reasons, first

    def settle(self) -> list[Quote]:
        """The quotes that stand from here on and did not before, part by part."""
        fresh = [quote for quote in without_lead_ins(self.quotes.values()) if _place(quote) not in self._settled]
        self._settled |= set(map(_place, fresh))
        return sorted(fresh, key=lambda quote: quote.part)

    def answer(self) -> Answer:
        """The quotes that stand, part by part; without those that are shown with another one as its lead-in."""
        self.settle()
        quotes = [quote for quote in self.quotes.values() if _place(quote) in self._settled]
        missing = [part.text for number, part in enumerate(self.question.parts) if number not in self.answered]
        ordered = tuple(sorted(quotes, key=lambda quote: quote.part))
        return Answer(self.question.query_str, "grounded", ordered, tuple(missing), trace=self.question.trace)

    def _hints(self, ledger: Ledger, cited: set[str]) -> Iterator[tuple[str, Evidence]]:
        """Documents of the ledger that a cited passage points to and that are not cited: each once, `_MAX_HINTS`."""
        first_of = {evidence.document_id: evidence for evidence in reversed(ledger.evidence) if evidence.statements}
        seen = set(cited)
        for evidence in ledger.evidence:
            if not self._is_cited(evidence):
                continue
            for how, document_id in evidence.node.node.metadata.get(POINTERS, ()):
                if how in _HOW and document_id in first_of and document_id not in seen:
                    seen.add(document_id)
                    yield how, first_of[document_id]
                    if len(seen) - len(cited) == _MAX_HINTS:
                        return

    def _is_cited(self, evidence: Evidence) -> bool:
        places = ((evidence.document_id, statement.start, statement.end) for statement in evidence.statements)
        return any(place in self.quotes for place in places)


def _place(quote: Quote) -> Place:
    return (quote.document_id, quote.start, quote.end)
