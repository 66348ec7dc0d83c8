"""What an answer is: quotes with their places, what is missing, and how it came about. Light: no LlamaIndex here."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any, Literal

Status = Literal["grounded", "insufficient_evidence", "ungrounded"]
Reason = Literal[
    "nothing_readable",
    "nothing_found",
    "below_confidence",
    "not_for_search",
    "nothing_relevant",
    "extractive_declined",
    "model_declined",
    "nothing_validated",
]
"""Why there is not enough evidence. Of the web alone: "not_for_search", there was nothing to search for;
"nothing_relevant", what was found is of another region, about namesakes or off the topic."""

WebTopic = Literal["news", "general"]
Verdict = Literal["clean", "weak", "suspect", "empty"]
"""What the results of a web search are worth: clean; weak (answered from, with a warning); suspect (nothing of the
region, or only namesakes: never answered from); empty."""


@dataclass(frozen=True, slots=True)
class LeadIn:
    """A line that a statement depends on: a table's header row, the line above a list, an outer list item."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """One whole statement of a document, word for word, with its place."""

    text: str
    """Exactly `document.text[start:end]`, line breaks and Markdown included."""
    document_id: str
    title: str
    section: tuple[str, ...]
    """Headings above the statement, outermost first."""
    page: int | None
    """Page of a PDF, from 1; None where the source has no pages."""
    start: int
    end: int
    source: str
    version: str | None = None
    effective_date: str | None = None
    """ISO date; None where the document states none."""
    superseded_by: str | None = None
    """Title of the document that replaced this one by the day asked about; None while it is in force, and where the
    asker may not read the other."""
    path: str | None = None
    """Place of its file within the documents folder, whatever it names as its `source`; None where there is none."""
    part: int = 0
    """Index of the part of the question that it answers."""
    lead_in: tuple[LeadIn, ...] = ()
    """Lines that the statement depends on, outermost first; shown before it."""
    kind: str = "sentence"
    """What kind of statement it is: sentence, list_item, table_row or code."""
    context: str = ""
    """The passage around the statement; holds `text`."""
    context_start: int = 0
    """Where `context` begins in the document."""
    retrieved: str | None = None
    """For a page of the web, when its text was retrieved (ISO date or time, UTC); `source` is its URL. None for a
    file."""
    published: str | None = None
    """For a page that a web search found, its date of publication (ISO date); None where the service gave none."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Quotes of documents in force that disagree about the same thing."""

    quotes: tuple[Quote, ...]
    about: str


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
    """Similarity of meaning to the question, -1 to 1; None where the meaning leg did not see the passage."""


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
    verdict: Verdict
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
    def verdict(self) -> Verdict:
        """Of the results that were kept."""
        return "empty" if self.kept is None else self.attempts[self.kept].verdict


@dataclass(slots=True)
class Trace:
    """How an answer came about. Names only what the asker may read."""

    retrieved: list[Hit] = field(default_factory=list)
    """Passages as the retriever ranked them, best first."""
    kept: list[Hit] = field(default_factory=list)
    """Passages that reached the evidence, best first."""
    dropped: list[Drop] = field(default_factory=list)
    """What each stage took out, with its reason."""
    numbers: dict[str, float] = field(default_factory=dict)
    """What the decisions rested on: gate.best_cosine, gate.threshold, decline.probability.1, ..."""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    """True where the provider reported no figures and ours are an estimate."""
    searches: list[str] = field(default_factory=list)
    """Searched besides the question: other phrasings by a model, or what a draft asked for."""
    prompt_versions: dict[str, str] = field(default_factory=dict)
    """Version and fingerprint of each prompt that was used, by its name."""
    index_version: str | None = None
    """Names the state of the index, or, with access rules, of what the asker may read."""
    web: WebSearched | None = None
    """How the web was searched; None where it was not."""
    milliseconds: dict[str, float] = field(default_factory=dict)
    """Time per stage; the one part of a trace that differs between two equal runs."""
    warnings: list[str] = field(default_factory=list)
    """Every fallback taken, in a sentence."""
    degraded: bool = False
    """Whether a model or a leg that belongs to the way was missing, so that another run might answer otherwise."""

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds the time spent inside to `milliseconds[stage]`."""
        started = perf_counter()
        try:
            yield
        finally:
            self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (perf_counter() - started) * 1000

    def forget(self, document_ids: Collection[str]) -> None:
        """Takes every mention of these documents out, and what may rest on them or hold words of theirs: the numbers,
        what a model quoted in vain, the words it searched for."""
        self.retrieved = [hit for hit in self.retrieved if hit.document_id not in document_ids]
        self.kept = [hit for hit in self.kept if hit.document_id not in document_ids]
        self.dropped = [drop for drop in self.dropped if drop.document_id not in {None, *document_ids}]
        self.searches.clear()
        self.numbers.clear()

    @property
    def document_ids(self) -> set[str]:
        """Documents that it mentions."""
        lines = (*self.retrieved, *self.kept, *self.dropped)
        return {line.document_id for line in lines if line.document_id is not None}

    def count(self, purpose: str, input_tokens: int, output_tokens: int, is_estimated: bool) -> None:
        """Counts one reply of a language model; `numbers` has the calls by purpose."""
        self.model_calls += 1
        self.numbers[f"calls.{purpose}"] = self.numbers.get(f"calls.{purpose}", 0) + 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.tokens_estimated |= is_estimated

    def warn(self, sentence: str, *, degrades: bool = False) -> None:
        """Adds a warning once; `degrades` where something was missing that belongs to the way."""
        self.degraded |= degrades
        if sentence not in self.warnings:
            self.warnings.append(sentence)


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence that a model wrote and that was checked against the quotes it names."""

    text: str
    quotes: tuple[int, ...]
    """Indexes into `Answer.quotes` of those it rests on, ascending; at least one."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model wrote from the quotes alone. It stands beside them, is labelled and is no source."""

    sentences: tuple[SummarySentence, ...]
    """One to three."""

    def __str__(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person gets: the documents' own statements, or plainly that there is not enough evidence."""

    question: str
    status: Status
    quotes: tuple[Quote, ...] = ()
    missing: tuple[str, ...] = ()
    """Parts of the question for which nothing was found, in the question's words."""
    conflicts: tuple[Conflict, ...] = ()
    reason: Reason | None = None
    """Why there is not enough evidence; None where there is."""
    summary: Summary | None = None
    """Only on request and only beside quotes: sentences a model wrote, each checked against the quotes it names. None
    where none was asked for, or none stood; the trace's warnings say which."""
    own_words: str | None = None
    """Only where the status is "ungrounded": the model's own words, which rest on nothing."""
    trace: Trace = field(default_factory=Trace)

    def __str__(self) -> str:
        from rag_app.show.render import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from rag_app.show.render import as_html

        return as_html(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; equal runs differ only in `trace.milliseconds`."""
        return asdict(self)
