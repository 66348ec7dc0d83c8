"""What was chosen so far in one turn, and what is still open."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from rag_app.answer import Answer, Quote
from rag_app.question import Question, Referred
from rag_app.synthesize.evidence import Evidence, Ledger
from rag_app.synthesize.parse_draft import ParsedDraft
from rag_app.synthesize.referred import Found, referred_by, referred_documents
from rag_app.synthesize.validate import Place, place_of, record_drop, validate_draft, without_lead_ins

_MAX_HINTS = 4
_HOW = {
    "asked": "The question names the document",
    "referred": "A chosen statement refers to the document",
}


class Chosen:
    """Valid choices of one turn. Only ever grows: a statement that stands is not taken away by a later call."""

    def __init__(self, question: Question, most: int) -> None:
        """`most` statements stand for a part of the question at most."""
        self.question = question
        self.most = most
        self.quotes: dict[Place, Quote] = {}
        """By document and place, so that the same words of two documents count twice, one place once."""
        self.parts: dict[Place, frozenset[int]] = {}
        """The parts that each place answers: a statement is shown once, and may answer several."""
        self._settled: set[Place] = set()
        """What was shown already."""

    def add(self, parsed: ParsedDraft | None, shown: Ledger) -> None:
        """Adds what is valid in a draft, each choice by itself; the rest is recorded as dropped."""
        if parsed is None:
            return
        trace = self.question.trace
        valid = validate_draft(parsed.draft, shown, trace, complete=True)
        count = Counter(quote.part for quote in self.quotes.values())
        for quote in valid.quotes:
            if place_of(quote) in self.quotes:
                continue
            if count[quote.part] == self.most:
                record_drop(f"more than {self.most} statements for one part of the question", trace)
                trace.warn(f"The model chose more than {self.most} statements for one part; the first are shown.")
                continue
            count[quote.part] += 1
            self.quotes[place_of(quote)] = quote
        for place, parts in valid.parts.items():
            self.parts[place] = self.parts.get(place, frozenset()) | parts

    @property
    def open_parts(self) -> list[int]:
        """The parts for which nothing stands."""
        answered = frozenset().union(*self.parts.values())
        return [number for number in range(len(self.question.parts)) if number not in answered]

    def labels(self, ledger: Ledger) -> list[str]:
        """The chosen labels, a line per part of the question."""
        by_part: list[list[str]] = [[] for _ in self.question.parts]
        for evidence, statement in self._found(ledger):
            for part in sorted(self.parts.get((evidence.document_id, statement.start, statement.end), ())):
                by_part[part].append(statement.label)
        return [f"Part {part}: {', '.join(labels) or 'nothing'}" for part, labels in enumerate(by_part, start=1)]

    def referred(self, ledger: Ledger) -> Referred:
        """What the chosen statements refer to."""
        return referred_by(self._found(ledger), ledger)

    def open(self, ledger: Ledger, near: Sequence[Collection[str]]) -> tuple[list[str], set[int]]:
        """Sentences that speak for looking once more, and the passages that a second look must see.

        Args:
            near: for each part, labels of statements so near to it that without a model they would be quoted; nothing
                where nobody looked.
        """
        found = self._found(ledger)
        chosen = {statement.label for _, statement in found}
        first = {evidence.number for evidence, _ in found}
        reasons = []
        for part in self.open_parts if near else ():
            if labels := [label for label in near[part] if label not in chosen]:
                reasons.append(
                    f"- Part {part + 1} has no statement yet; rated near it by the search: {', '.join(labels)}."
                )
                first |= {evidence.number for label in labels for evidence, _ in filter(None, (ledger.find(label),))}
        for how, evidence in self._hints(ledger, found):
            # By number, not by title: a document's words stand within the fence and nowhere else.
            reasons.append(f"- {_HOW[how]} of [{evidence.number}], from which nothing is chosen.")
            first |= {other.number for other in ledger.evidence if other.document_id == evidence.document_id}
        return reasons, first

    def settle(self) -> list[Quote]:
        """The quotes that stand from here on and did not before, part by part."""
        fresh = [quote for quote in without_lead_ins(self.quotes.values()) if place_of(quote) not in self._settled]
        self._settled |= set(map(place_of, fresh))
        return self._in_order(fresh)

    def answer(self) -> Answer:
        """The quotes that stand, part by part; without those that are shown with another one as its lead-in."""
        self.settle()
        quotes = [quote for quote in self.quotes.values() if place_of(quote) in self._settled]
        missing = tuple(self.question.parts[number].text for number in self.open_parts)
        ordered = tuple(self._in_order(quotes))
        return Answer(self.question.query_str, "grounded", ordered, missing, trace=self.question.trace)

    def _in_order(self, quotes: list[Quote]) -> list[Quote]:
        """Part by part; the passage of the most direct statement first, the statements of a passage as they stand."""
        ranks: dict[tuple[int, str, int], int] = {}
        for quote in self.quotes.values():
            ranks.setdefault(_passage(quote), len(ranks))
        return sorted(quotes, key=lambda quote: (quote.part, ranks[_passage(quote)], quote.start))

    def _hints(self, ledger: Ledger, found: Sequence[Found]) -> Iterator[tuple[str, Evidence]]:
        """Documents of the ledger that are not cited although a chosen statement refers to them, or, while a part is
        open, the question names them: each once, `_MAX_HINTS`."""
        first_of = {evidence.document_id: evidence for evidence in reversed(ledger.evidence) if evidence.statements}
        cited = {evidence.document_id for evidence, _ in found}
        hints: dict[str, str] = {}
        for how, document_id in referred_documents(found):
            if how == "asked" and not self.open_parts:
                continue  # its passages were before the model, which answered all parts from others
            if document_id in first_of and document_id not in cited:
                hints.setdefault(document_id, how)
        for document_id, how in list(hints.items())[:_MAX_HINTS]:
            yield how, first_of[document_id]

    def _found(self, ledger: Ledger) -> list[Found]:
        return [
            (evidence, statement)
            for evidence in ledger.evidence
            for statement in evidence.statements
            if (evidence.document_id, statement.start, statement.end) in self.quotes
        ]


def _passage(quote: Quote) -> tuple[int, str, int]:
    return (quote.part, quote.document_id, quote.context_start)
