"""Generated documents in any number without a file for each: a few hundred are written and cut, the others are these
with every name, thing, person and act exchanged for another of the same length, so that the cuts stay where they are.

What reading and cutting cost grows in step with the number of documents and is measured elsewhere
(`evals.benchmarks.indexing`); here it would only keep a large store waiting.
"""

import hashlib
import random
import re
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from evals.benchmarks import corpus
from rag_app.document import Document
from rag_app.index.build.document_source import Drift, Progress
from rag_app.index.build.stage import CutDocument
from rag_app.index.records import StoredDocument
from rag_app.principal import PUBLIC, AccessRule
from rag_app.read.documents import Problem, Unchanged, read_folder
from rag_app.settings import Settings
from rag_app.text.passages import Passage, cut_passages, embedding_text

_SHAPES = 200
_WORD = re.compile(r"[A-Za-z]+")
_FACT = re.compile(r"At (\w+) every ([\w ]+?) is ([\w ]+?) within \d+ (\w+) of the first request\.")


@dataclass
class GeneratedSource:
    """A `DocumentSource` of `documents` documents of `corpus.SECTIONS` passages each, the same each time."""

    documents: int
    rules: int
    """Document n may be read by whoever has role `r<n % rules>`; 0: by everybody."""

    trouble: Collection[str] = ()
    seconds: float = 0.0
    """Of processor time, spent on generating documents to be read."""

    def fetch(self, progress: Progress | None) -> None:
        """There is nothing to fetch."""

    def read(self, known: Mapping[tuple[str, str], str]) -> Iterator[Document | Problem | Unchanged]:
        for number in range(self.documents):
            started = time.process_time()
            document = self.document(number)
            self.seconds += time.process_time() - started
            document_id = known.get((document.path, document.sha256))
            yield document if document_id is None else Unchanged(document.path, document_id)

    def remove_unlisted(self) -> None:
        """Nothing was kept."""

    def changed(self, known: Mapping[str, str]) -> list[str]:
        return []

    def drift(self, documents: list[StoredDocument]) -> list[Drift]:
        return []

    def document(self, number: int) -> Document:
        """One of the documents."""
        base = self._shapes[number % _SHAPES]
        words = _exchange(number, base.title.split()[0])
        text, title = (_WORD.sub(lambda found: words.get(found[0], found[0]), each) for each in (base.text, base.title))
        return replace(
            base,
            document_id=f"d{number:07}",
            path=f"d{number:07}.md",
            source=f"d{number:07}.md",
            title=title,
            text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            access=AccessRule("role", (f"r{number % self.rules}",)) if self.rules else PUBLIC,
        )

    def question(self, number: int) -> str:
        """What document `number` answers, in its first section."""
        document = self.document(number)
        fact = _FACT.search(document.text)
        assert fact is not None, "each section holds a fact"
        _, thing, act, unit = fact.groups()
        return f"Within how many {unit} is a {thing} {act} at the {document.title.removesuffix(' handbook')}?"

    def cut(self, document: Document, rule: AccessRule, settings: Settings) -> CutDocument:
        """What `rag_app.index.build.stage.cut` makes of the document."""
        shape = int(document.document_id[1:]) % _SHAPES
        before, passages = self._shapes[shape].title, []
        for passage in self._cuts[shape]:
            section = tuple(document.title if heading == before else heading for heading in passage.section)
            passages.append(replace(passage, document_id=document.document_id, section=section))
        return CutDocument(document, rule, passages, [embedding_text(document, passage) for passage in passages])

    @cached_property
    def _shapes(self) -> list[Document]:
        with tempfile.TemporaryDirectory() as folder:
            written = corpus.write_corpus(Path(folder) / "shapes", _SHAPES, questions=0)
            return [item for item in read_folder(written.folder / "documents") if isinstance(item, Document)]

    @cached_property
    def _cuts(self) -> list[list[Passage]]:
        return [cut_passages(document) for document in self._shapes]


def _exchange(number: int, place: str) -> dict[str, str]:
    """Words for words of the same kind and length, and another name for the place; different for each number."""
    rng = random.Random(number)
    words = {place: next(name for name in iter(lambda: corpus.make_place(rng), "") if len(name) == len(place))}
    for group in _alike():
        for word, other in zip(group, rng.sample(group, len(group)), strict=True):
            words[word], words[word + "s"] = other, other + "s"
    return words


@cache
def _alike() -> list[list[str]]:
    """Words of one kind and length."""
    groups: dict[tuple[str, int], list[str]] = {}
    for kind in (corpus.THINGS, corpus.PEOPLE, corpus.TEAMS):
        for word in kind:
            groups.setdefault((kind[0], len(word)), []).append(word)
    return list(groups.values())
