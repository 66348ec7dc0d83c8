"""Proves one case against the documents, as far as its fields go."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from rag_app.errors import DefinitionError
from rag_app.evaluate.cases.findings import Finding
from rag_app.evaluate.cases.library import JudgedDocument, Library, Line
from rag_app.evaluate.cases.pattern import Pattern
from rag_app.evaluate.cases.schema import Case, LabelledStatement, Patterns
from rag_app.evaluate.measures.scoring import same_statement
from rag_app.principal import Principal

LOOSE = 8
"""Statements of the right documents from which on a pattern tells them apart too little."""

Say = Callable[[str], Finding]


@dataclass(frozen=True, slots=True)
class Proofs:
    """What cases are proved against."""

    library: Library
    principals: Mapping[str, Principal]
    cases: Mapping[str, Case]

    def of(self, case: Case) -> Iterator[Finding]:
        """Everything about one case that is wrong, or may be."""
        try:
            yield from self._all_of(case)
        except DefinitionError as error:  # a pattern that does not end
            yield Finding("error", case.line, case.id, str(error))

    def _all_of(self, case: Case) -> Iterator[Finding]:
        error, warning = (partial(Finding, level, case.line, case.id) for level in ("error", "warning"))
        if case.as_name is not None and case.as_name not in self.principals:
            yield error(f"is asked as {case.as_name!r}, whom principals.json does not know")
            return
        if case.as_name is None and not self.library.is_open:
            yield error("says in no field `as` who asks, and the index has access rules")
            return
        yield from _form(case, error)
        for document_id in (*case.expected_documents, *case.also_right):
            if document_id not in self.library.documents:
                yield error(f"there is no document {document_id!r}")
            elif not self.library.may_read(self._asker(case), document_id):
                yield error(f"{case.as_name} may not read {document_id}, which is to be cited")
        for pattern in (*_flat(case.facts), *case.wrong_facts, *_flat(case.absent)):
            if pattern.search(""):
                yield error(f"the pattern {pattern.pattern!r} matches anything")
        if case.answerable:
            yield from self._answerable(case, error, warning)
        else:
            yield from self._refused(case, error, warning)
        if case.category == "permission":
            yield from self._permission(case, error, warning)
        for statement in case.statements:
            yield from self._statement(case, statement, error)
        if case.statements:
            yield from _labels(case, error)

    def _statement(self, case: Case, labelled: LabelledStatement, error: Say) -> Iterator[Finding]:
        """Whether a labelled statement stands where it is said to, and is what its label says."""
        document, shown = self.library.documents.get(labelled.document_id), _start(labelled.text)
        lines = [line for line in document.lines if same_statement(line.text, labelled.text)] if document else []
        if document is None or not lines:
            yield error(f"the labelled statement stands nowhere in {labelled.document_id}: {shown}")
        elif labelled.label == "contradicting":
            if all(_any(_flat(case.facts), line.text) and not _any(case.wrong_facts, line.shown) for line in lines):
                yield error(f"the statement labelled contradicting holds a fact and no wrong fact: {shown}")
        elif labelled.document_id not in (*case.expected_documents, *case.also_right):
            yield error(f"{labelled.document_id} may not be cited, and a statement of it is labelled {labelled.label}")
        elif labelled.label == "needed" and not any(_any(_flat(case.facts), line.shown) for line in lines):
            yield error(f"the statement labelled needed holds no fact: {shown}")

    def _answerable(self, case: Case, error: Say, warning: Say) -> Iterator[Finding]:
        if not case.facts:
            yield warning("states no facts, so an answer to it can only be checked for what it must not say")
        right = self._documents(*case.expected_documents, *case.also_right)
        for fact in case.facts:
            yield from self._fact(case, fact, right, error, warning)
        for document in self._documents(*case.expected_documents) if case.facts else ():
            if not any(pattern.search(line.shown) for line in document.lines for pattern in _flat(case.facts)):
                yield error(f"no fact stands in {document.document_id}, which must be cited")
        everything = list(self.library.documents.values())
        for pattern in case.wrong_facts:
            if not any(_matching(pattern, everything)):
                yield error(f"the wrong fact {pattern.pattern!r} stands in no document")

    def _fact(
        self, case: Case, fact: Patterns, right: list[JudgedDocument], error: Say, warning: Say
    ) -> Iterator[Finding]:
        lines = [line for document in right for line in document.lines if _any(fact, line.shown)]
        if not lines:
            yield error(f"the fact {_either(fact)} stands in no document that may be cited")
            return
        if all(_any(case.wrong_facts, line.shown) for line in lines):
            yield error(f"the fact {_either(fact)} stands only where a wrong fact stands too")
        elsewhere = {
            document.document_id
            for document in self.library.readable(self._asker(case))
            if document not in right and any(_any(fact, line.shown) for line in document.lines)
        }
        if elsewhere:
            yield warning(f"the fact {_either(fact)} also stands in {', '.join(sorted(elsewhere))}")
        for pattern in fact:
            matched = len(list(_matching(pattern, right)))
            if pattern.search(case.question):
                yield error(f"the pattern {pattern.pattern!r} matches the question itself")
            elif not matched:
                yield warning(f"the alternative {pattern.pattern!r} stands in no document that may be cited")
            elif matched >= LOOSE:
                yield warning(f"the pattern {pattern.pattern!r} matches {matched} statements of the right documents")

    def _refused(self, case: Case, error: Say, warning: Say) -> Iterator[Finding]:
        if case.expected_documents or case.facts:
            yield error("expects no answer and yet names documents or facts")
        if not case.absent and case.category != "permission":
            yield warning(
                "has no field `absent` with words that stand in no document, so nothing proves that it has no answer"
            )
        readable = self.library.readable(self._asker(case))
        for terms in case.absent:
            for document in readable:
                if found := next((line for line in document.lines if _all(terms, line.context)), None):
                    yield error(f"{_together(terms)} stand together in {document.document_id}: {_start(found.shown)}")
            for term in terms:
                if not term.search(case.question) and not any(
                    term.search(line.context) for document in readable for line in document.lines
                ):
                    yield warning(f"{term.pattern!r} stands neither in the question nor anywhere: is it spelled right?")

    def _permission(self, case: Case, error: Say, warning: Say) -> Iterator[Finding]:
        other = self.cases.get(case.pair)
        if other is None:
            yield error("names in no field `pair` the case that asks the same with other rights")
            return
        if other.pair != case.id or other.question != case.question or other.answerable == case.answerable:
            yield error(f"and {other.id} are no pair: one question, one asker who may read the answer, one who may not")
            return
        if case.answerable:
            return
        for document_id in other.expected_documents:
            if self.library.may_read(self._asker(case), document_id):
                yield error(f"{case.as_name} may read {document_id}, which should be closed")
        for fact in other.facts:
            for document in self.library.readable(self._asker(case)):
                if any(_any(fact, line.shown) for line in document.lines):
                    yield error(f"{case.as_name} can read {_either(fact)} in {document.document_id}")

    def _asker(self, case: Case) -> Principal | None:
        return self.principals[case.as_name] if case.as_name else None

    def _documents(self, *document_ids: str) -> list[JudgedDocument]:
        return [self.library.documents[key] for key in document_ids if key in self.library.documents]


def answering_lines(case: Case, library: Library) -> list[Line]:
    """The statements of the right documents in which a fact of the case stands."""
    right = (library.documents.get(key) for key in (*case.expected_documents, *case.also_right))
    return [line for document in right if document for line in document.lines if _any(_flat(case.facts), line.shown)]


def _form(case: Case, error: Say) -> Iterator[Finding]:
    """What the fields say by themselves."""
    if case.answerable and not case.expected_documents:
        yield error(f"names no document to cite, and its source {case.source!r} is not the name of exactly one")
    if case.facts and len(case.facts) < case.parts:
        yield error(f"asks for {case.parts} things and states {len(case.facts)} facts")
    if case.category == "multi_hop" and len(case.expected_documents) < 2:
        yield error("is called multi_hop and names fewer than two documents")
    if case.category == "multi_part" and case.parts < 2:
        yield error("is called multi_part and has one part")
    if case.category == "conflict" and len(case.facts) < 2:
        yield error("is called a conflict and states fewer than two facts")
    if case.category == "unanswerable" and case.answerable:
        yield error("is called unanswerable and yet an answer is expected")


def _labels(case: Case, error: Say) -> Iterator[Finding]:
    """What the labels of a case say together."""
    if not case.answerable:
        yield error("expects no answer and labels statements")
        return
    texts = [(one.document_id, one.text) for one in case.statements]
    if len(set(texts)) < len(texts):
        yield error("labels a statement twice")
    needed = {one.document_id for one in case.statements if one.label == "needed"}
    if missing := [name for name in case.expected_documents if name not in needed]:
        yield error(f"labels no statement of {missing[0]} as needed, which must be cited")


def _matching(pattern: Pattern, documents: list[JudgedDocument]) -> Iterator[Line]:
    return (line for document in documents for line in document.lines if pattern.search(line.shown))


def _any(patterns: Patterns, text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)


def _all(patterns: Patterns, text: str) -> bool:
    return all(pattern.search(text) for pattern in patterns)


def _flat(groups: tuple[Patterns, ...]) -> Patterns:
    return tuple(pattern for group in groups for pattern in group)


def _either(fact: Patterns) -> str:
    return " or ".join(repr(pattern.pattern) for pattern in fact)


def _together(terms: Patterns) -> str:
    return " and ".join(repr(pattern.pattern) for pattern in terms)


def _start(text: str) -> str:
    return text if len(text) <= 120 else text[:120] + " ..."
