"""The documents of an index as a judge of questions sees them: all, statement by statement, with their rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rag_app.document import Document
from rag_app.evaluate.measures.scoring import plain
from rag_app.index.definition import IndexDefinition
from rag_app.index.reader import IndexReader
from rag_app.principal import AccessRule, Principal, may_read
from rag_app.read.documents import read_folder
from rag_app.text.passages import cut_passages
from rag_app.text.words import content_stems


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a document."""

    text: str
    """By itself, as the rules of scoring see it."""
    shown: str
    """With its lead-ins, as a quote shows it to the patterns of facts."""
    context: str
    """The same with title and headings in front, as a reader of the page sees it."""


@dataclass(frozen=True)
class JudgedDocument:
    """A document, its readers and its statements."""

    document: Document
    rule: AccessRule

    @property
    def document_id(self) -> str:
        return self.document.document_id

    @property
    def title(self) -> str:
        return self.document.title

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def source(self) -> str:
        return self.document.source

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every statement, in reading order."""
        text, found = self.document.text, []
        for passage in cut_passages(self.document):
            for statement in passage.statements:
                lead_in = " ".join(text[start:end] for start, end in statement.lead_in)
                own = text[statement.start : statement.end]
                shown = plain(f"{lead_in} {own}")
                found.append(Line(plain(own), shown, " ".join((self.title, *passage.section, shown))))
        return tuple(found)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all content words, headings and title included."""
        return frozenset(stem for line in self.lines for stem in content_stems(line.context))


@dataclass(frozen=True, slots=True)
class Library:
    """All documents, by id."""

    documents: dict[str, JudgedDocument]
    is_open: bool
    """Whether everybody reads everything."""

    def readable(self, principal: Principal | None) -> list[JudgedDocument]:
        """What the principal may read; with no principal, of an index with access rules, nothing."""
        return [document for document in self.documents.values() if self.may_read(principal, document.document_id)]

    def may_read(self, principal: Principal | None, document_id: str) -> bool:
        """Whether there is such a document and the principal may read it."""
        document = self.documents.get(document_id)
        return document is not None and (self.is_open or (principal is not None and may_read(principal, document.rule)))

    def supersedes(self) -> dict[str, tuple[str, ...]]:
        """Ids of earlier versions, by document."""
        return {key: found.document.supersedes for key, found in self.documents.items() if found.document.supersedes}


def read_library(definition: IndexDefinition) -> Library:
    """The documents of an index: read from its folder as they lie there, or, where it lists web pages, as it was built.

    Raises:
        IndexMissing: it lists web pages, and nothing was built.
        IndexMismatch, StoreError: what was built cannot be read.
    """
    found = _indexed(definition) if definition.urls else _lying_in(definition)
    return Library({document.document_id: document for document in found}, definition.access == "open")


def _lying_in(definition: IndexDefinition) -> Iterator[JudgedDocument]:
    for item in read_folder(definition.documents_folder or definition.path):
        if isinstance(item, Document):
            yield JudgedDocument(item, definition.rule_for(item.path, item.access))


def _indexed(definition: IndexDefinition) -> Iterator[JudgedDocument]:
    reader = IndexReader(definition)
    try:
        with reader.snapshot() as view:
            rules = view.rules()
            for info in view.documents(frozenset(rules)):
                if document := view.document(info.document_id, frozenset(rules)):
                    yield JudgedDocument(document, rules[info.rule_id])
    finally:
        reader.close()
