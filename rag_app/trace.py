"""How an answer was made: what each stage found, kept and dropped, the numbers, the calls, the times."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

WebTopic = Literal["news", "general"]
Fact = str | int | float | bool
Facts = dict[str, Fact]
"""What a stage reports of itself besides its time, by name: "top_k", "model", ..."""
WebVerdict = Literal["clean", "weak", "suspect", "empty"]
"""What the results of a web search are worth: clean; weak (answered from, with a warning); suspect (nothing of the
region, or only namesakes: never answered from); empty."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A passage or statement that a stage took out, and why."""

    stage: str
    reason: str
    document_id: str | None
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage and the numbers behind its place."""

    document_id: str
    title: str
    section: tuple[str, ...]
    start: int
    end: int
    cosine: float | None
    """Similarity of meaning to the question, -1 to 1; None where the dense index did not see the passage."""


@dataclass(frozen=True, slots=True)
class WebAttempt:
    """One search of the web, and what its results were judged to be."""

    rung: str
    """Which step of the ladder of tries: "as composed", "quoted name", "news sites", "other topic"."""
    query: str
    """What left the machine."""
    topic: WebTopic
    found: int
    """Results, without duplicates."""
    local: int
    """Results from hosts of the region."""
    usable: int
    """Results that may become evidence."""
    verdict: WebVerdict
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WebSearched:
    """How the web was searched for a question."""

    region: str
    """Code of the region's profile."""
    backend: str
    gate: Literal["profile", "model", "profile, the model failed"]
    """Who made the query: the rules of the profile or a model; the rules too where the model was of no use."""
    is_local: bool
    """False where the question is plainly international, so that no page need be of the region."""
    attempts: tuple[WebAttempt, ...] = ()
    kept: int | None = None
    """Which attempt's results were kept (index); None where nothing was searched."""

    @property
    def verdict(self) -> WebVerdict:
        """Of the results that were kept."""
        return "empty" if self.kept is None else self.attempts[self.kept].verdict

    @property
    def doubt(self) -> str:
        """Why the pages that were used may not be what is asked for, in a sentence; "" where nothing speaks for it."""
        if self.kept is None or self.verdict != "weak":
            return ""
        return f"The web pages may not be what is asked for: {self.attempts[self.kept].reasons[0]}."


@dataclass(slots=True)
class Trace:
    """How an answer was made. Names only what the asker may read."""

    retrieved: list[Hit] = field(default_factory=list)
    """Passages as the retriever ranked them, best first."""
    kept: list[Hit] = field(default_factory=list)
    """Passages that reached the evidence, best first."""
    dropped: list[Drop] = field(default_factory=list)
    """What each stage took out, with its reason."""
    numbers: dict[str, float] = field(default_factory=dict)
    """What the decisions rested on: gate.best_cosine, gate.threshold, decline.probability.1, ..."""
    model_calls: int = 0
    """Replies of a language model."""
    input_tokens: int = 0
    """Read by the model, over all calls."""
    output_tokens: int = 0
    """Written by the model, over all calls."""
    tokens_estimated: bool = False
    """True where the provider reported no figures and ours are an estimate."""
    request_ids: list[str] = field(default_factory=list)
    """The provider's own names for the calls, in their order, where it gives them."""
    understood_as: str | None = None
    """In a conversation, what a turn was completed to; None where it was answered as it stands."""
    searches: list[str] = field(default_factory=list)
    """Searched besides the question: other phrasings by a model, or what a draft asked for."""
    prompt_versions: dict[str, str] = field(default_factory=dict)
    """Version and fingerprint of each prompt that was used, by its name."""
    corrections: dict[str, str] = field(default_factory=dict)
    """Misspelt words of the question, and the words of the documents that they were read as."""
    index_version: str | None = None
    """Names the state of the index, or, with access rules, of what the asker may read."""
    web: WebSearched | None = None
    """How the web was searched; None where it was not."""
    milliseconds: dict[str, float] = field(default_factory=dict)
    """Time per stage; the one part of a trace that differs between two equal runs."""
    warnings: list[str] = field(default_factory=list)
    """Every fallback taken, in a sentence."""
    degraded: bool = False
    """Whether a model or an index was missing for this question, so that another run might answer differently."""

    def __repr__(self) -> str:
        return (
            f"<Trace: {len(self.retrieved)} retrieved, {len(self.kept)} kept, {len(self.dropped)} dropped, "
            f"{self.milliseconds.get('total', 0.0):.0f} ms>"
        )

    @contextmanager
    def timed(self, stage: str, **facts: Fact) -> Iterator[Facts]:
        """Adds the time spent inside to `milliseconds[stage]`.

        Args:
            facts: what the stage reports to an observer (see `observe_stages`); what it learns later it adds to
                the dictionary that it gets.
        """
        started = perf_counter()
        try:
            with _observer(self, stage, facts) if _observer else nullcontext():
                yield facts
        finally:
            self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (perf_counter() - started) * 1000

    def remove_documents(self, document_ids: Collection[str]) -> None:
        """Takes every mention of these documents out, and what may rest on them or hold words of theirs: the numbers,
        what a model quoted in vain, the words it searched for."""
        self.retrieved = [hit for hit in self.retrieved if hit.document_id not in document_ids]
        self.kept = [hit for hit in self.kept if hit.document_id not in document_ids]
        self.dropped = [drop for drop in self.dropped if drop.document_id not in {None, *document_ids}]
        self.searches.clear()
        self.warnings = [warning for warning in self.warnings if warning not in self.corrected]
        self.corrections.clear()
        self.understood_as = None
        self.numbers.clear()

    def correct(self, words: Mapping[str, str]) -> None:
        """Records which words of the question are read as which others, with a warning for each."""
        self.corrections.update(words)
        for sentence in self.corrected:
            self.warn(sentence)

    @property
    def corrected(self) -> tuple[str, ...]:
        """A sentence for each word of the question that was read as another."""
        return tuple(f"Searched for {new!r} where the question says {old!r}." for old, new in self.corrections.items())

    @property
    def document_ids(self) -> set[str]:
        """Documents that it mentions."""
        lines = (*self.retrieved, *self.kept, *self.dropped)
        return {line.document_id for line in lines if line.document_id is not None}

    def count(
        self, purpose: str, input_tokens: int, output_tokens: int, is_estimated: bool, request_id: str | None = None
    ) -> None:
        """Counts one reply of a language model; `numbers` has the calls by purpose.

        Args:
            input_tokens, output_tokens: what the reply cost; `is_estimated` where the provider reported no figures.
        """
        self.model_calls += 1
        self.numbers[f"calls.{purpose}"] = self.numbers.get(f"calls.{purpose}", 0) + 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.tokens_estimated |= is_estimated
        if request_id:
            self.request_ids.append(request_id)

    def warn(self, sentence: str, *, degrades: bool = False) -> None:
        """Adds a warning once; `degrades` where a part that usually answers was missing."""
        self.degraded |= degrades
        if sentence not in self.warnings:
            self.warnings.append(sentence)


StageObserver = Callable[[Trace, str, Facts], AbstractContextManager[None]]
"""Receives a question's trace, the name of a stage and its facts, and is entered and left with the stage."""
_observer: StageObserver | None = None


def observe_stages(observer: StageObserver | None) -> None:
    """Sets who observes every stage of every question in this process; None: nobody."""
    global _observer
    _observer = observer
