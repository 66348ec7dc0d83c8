"""A question on its way through the stages: its parts, their vectors, and what the stages find out about it.

LlamaIndex hands only a list of nodes from stage to stage, and an empty list loses its reason. A `Question` is a
QueryBundle that the same query engine passes to retriever, postprocessors and synthesizer, and it carries the rest. In
a query engine that is not ours a plain QueryBundle arrives, of which each stage makes a question of its own.
"""

import logging
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Protocol

from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.answer import Reason, Trace
from rag_app.errors import UsageError
from rag_app.question_parts import Part, split_parts
from rag_app.spelling import fold

LONGEST = 10_000
"""Characters of a question. The embedder reads about 2,000 of them."""
MOST_PARTS = 8
"""Each part is searched and judged by itself; what seems to ask more than that is a text and stays whole."""

_log = logging.getLogger(__name__)

MOST_COUNTED = 200
"""Passages that are counted per word at most; a word in more of them sets nothing apart."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """What an index knows of a question's content words: by stem, in how many readable passages each stands.

    Nothing here rests on what may not be read.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    """By stem, up to `MOST_COUNTED`; empty behind a retriever that does not count."""
    passages: int = 0
    """Readable passages in all."""
    this_year: int = 0
    """That of the day which is asked about; 0 where nobody said."""

    def rarity(self, stem: str) -> float:
        """From 0 (in every passage) to 1 (in none): the inverse document frequency, in shares of the highest."""
        if not self.passages:
            return 1.0
        return math.log((1 + self.passages) / (1 + self.counts.get(stem, 0))) / math.log(1 + self.passages)

    def is_unknown(self, stem: str) -> bool:
        """Whether no readable passage holds the word; False where nobody counted."""
        return self.counts.get(stem) == 0

    def is_rare(self, stem: str) -> bool:
        """Whether so few readable passages hold the word that it names something: 1 in 200, or two."""
        return 0 < self.counts.get(stem, 0) <= max(2, self.passages // 200)

    def is_common(self, stem: str) -> bool:
        """Whether so many readable passages hold the word that it tells none of them from the others: 1 in 20."""
        return self.counts.get(stem, 0) > max(5, self.passages // 20)


@dataclass(frozen=True, slots=True)
class Referred:
    """Where statements send the reader."""

    documents: tuple[str, ...] = ()
    """Ids of documents that they refer to."""
    below: tuple[tuple[str, int], ...] = ()
    """Document id and place, for what they say stands below."""


class EmbedsQueries(Protocol):
    """What a question needs of an embedder."""

    model_name: str

    def get_query_embedding(self, query: str) -> list[float]: ...


@dataclass
class Question(QueryBundle):
    """What is asked, and everything that is learnt on the way."""

    as_of: date | None = None
    """The day whose documents in force are asked; None means today."""
    trace: Trace = field(default_factory=Trace)
    refusal: Reason | None = None
    """Why no passage is left; see `refuse`."""
    leads: frozenset[tuple[str, int]] | None = None
    """Of a question that only names something ("Spark", "why is Spark in the news?"): the statements that name it, by
    document id and start; what pages say of it first is the answer. None for every other question. Set by a retriever
    that knows what passages are about."""
    parts: tuple[Part, ...] = ()
    """The questions within the question, each understandable alone as far as words alone can make it so."""
    terms: QuestionTerms = field(default_factory=QuestionTerms)
    """What the index knows of its words. Set by a retriever that counts."""
    wording: str = ""
    """The question as it is searched and judged: as asked, but for misspelt words (see `read_as`)."""

    def __post_init__(self) -> None:
        """Raises UsageError where `as_of` is not a day."""
        if self.as_of is not None and (not isinstance(self.as_of, date) or isinstance(self.as_of, datetime)):
            raise UsageError(f"as_of must be a day such as datetime.date(2024, 5, 31), not {self.as_of!r}.")
        self.wording = self.wording or self.query_str
        if not self.parts:
            parts = split_parts(self.query_str)
            self.parts = parts if len(parts) <= MOST_PARTS else (Part(self.query_str),)
        self._vectors: tuple[EmbedsQueries, list[list[float]]] | None = None

    @property
    def queries(self) -> list[str]:
        """What is searched for: the parts, and last the whole question; one text where the question has one part."""
        queries = [part.query for part in self.parts]
        return queries if len(queries) == 1 else [*queries, self.wording]

    @property
    def is_open(self) -> bool:
        """Whether it only names something and asks nothing of it in particular."""
        return self.leads is not None

    @property
    def in_own_words(self) -> str:
        """What the asker wrote, with nothing in it from a document: all of a question that may leave the machine for a
        web search."""
        return self.query_str

    @property
    def day(self) -> date:
        """The day whose documents in force are asked."""
        return self.as_of or date.today()

    def vectors(self, embedder: EmbedsQueries) -> list[list[float]]:
        """The vector of each of `queries`; embedded when first needed, once for all stages that share the embedder."""
        if self._vectors is None or self._vectors[0] is not embedder:
            with self.trace.timed("embed question", model=embedder.model_name):
                self._vectors = embedder, [embedder.get_query_embedding(fold(query)) for query in self.queries]
        return self._vectors[1]

    def read_as(self, words: Mapping[str, str]) -> None:
        """From here on reads words of the question as others, wherever it is searched or judged; what was asked stays.

        Args:
            words: by the word as the question writes it.
        """
        if not words:
            return
        written = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")

        def reworded(text: str) -> str:
            return written.sub(lambda found: words[found[0]], text)

        self.wording = reworded(self.wording)
        self.parts = tuple(
            replace(part, text=reworded(part.text), context=reworded(part.context)) for part in self.parts
        )
        self._vectors = None

    def refuse(self, reason: Reason) -> list[NodeWithScore]:
        """Records why a stage leaves no passage, and returns what that stage hands on. The first reason stands."""
        self.refusal = self.refusal or reason
        return []


def as_question(asked: Any, as_of: date | None = None) -> Question:
    """A question at the start of its way: what was asked, checked, with a trace of its own.

    Raises:
        UsageError: it is not text, empty, longer than `LONGEST` characters, or holds characters that are not text; or
            `as_of` is not a day.
    """
    text = asked.query_str if isinstance(asked, QueryBundle) else asked
    if not isinstance(text, str) or not text.strip():
        raise UsageError("The question is empty: ask something.")
    text = text.strip()
    if len(text) > LONGEST:
        raise UsageError(f"The question has {len(text):,} characters: ask in at most {LONGEST:,}.", length=len(text))
    if not is_text(text):
        raise UsageError("The question holds characters that are not text (lone surrogates): write it as UTF-8.")
    before = asked.as_of if isinstance(asked, Question) else None
    return Question(text, as_of=before if as_of is None else as_of)


def is_text(text: str) -> bool:
    """Whether a text can be written as UTF-8: it holds no lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def checked_question(asked: Any) -> Question:
    """The question that travels; in a query engine that is not ours one made of what arrives, whose trace nobody reads.

    Raises:
        UsageError: as `as_question` does, where nobody checked it before.
    """
    return asked if isinstance(asked, Question) else as_question(asked)


def question_of(query_bundle: QueryBundle | None) -> Question:
    """The question that reaches a stage. In a query engine that is not ours one is made of its words; nobody reads the
    trace of that one, so its warnings go to the log."""
    if isinstance(query_bundle, Question):
        return query_bundle
    return Question(query_bundle.query_str if query_bundle else "", trace=_LoggedTrace())


class _LoggedTrace(Trace):
    def warn(self, sentence: str, *, degrades: bool = False) -> None:
        super().warn(sentence, degrades=degrades)
        _log.warning(sentence)
