"""Every knob of rag_app, with its default and the reason for it.

Order of precedence: an argument in code, then the environment (`RAG_APP_` and the name in capitals, as in
`RAG_APP_CANDIDATES=80`), then index.toml, then the default here.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from rag_app.errors import DefinitionError

OnLowConfidence = Literal["refuse", "ungrounded"]

ENGLISH_EMBEDDER, ENGLISH_CROSS_ENCODER = "bge-small", "minilm-l12"
"""Short names of the models that come with the installation: they know English alone."""


class Component(StrEnum):
    """What can be switched off, to measure what it contributes."""

    SPARSE_INDEX = "sparse index"
    DENSE_INDEX = "dense index"
    QUALITY_FILTER = "quality filter"
    CONFIDENCE_GATE = "confidence gate"
    CROSS_ENCODER = "cross-encoder"
    CALIBRATION = "calibration"
    POINTERS = "pointers"
    COVERAGE = "coverage"

    @property
    def needs_model(self) -> bool:
        """Whether it has a place only in the path with a language model."""
        return self in (Component.POINTERS, Component.COVERAGE)


INDEX_TOML: dict[str, dict[str, str]] = {
    "models": {"embedding": "embedding", "cross_encoder": "cross_encoder", "llm": "llm"},
    "read": {"pdf": "pdf_reader"},
    "passages": {"target_words": "target_words", "overlap_statements": "overlap_statements"},
    "retrieval": {"candidates": "candidates", "weight_words": "weight_words", "multi_query": "multi_query"},
    "gate": {
        "threshold": "gate_threshold",
        "decline": "decline_threshold",
        "wrong_cost": "wrong_cost",
        "on_low_confidence": "on_low_confidence",
    },
    "store": {"chroma": "chroma_url"},
    "examples": {"file": "examples", "floor": "examples_floor", "most": "examples_most"},
    "pages": {"delay": "page_delay", "seconds": "page_seconds", "bytes": "page_bytes", "workers": "page_workers"},
}
"""Which tables and keys of index.toml set which knob."""


class Settings(BaseSettings):
    """All knobs. Immutable; make another with `settings.model_copy(update={...})`."""

    model_config = SettingsConfigDict(env_prefix="RAG_APP_", extra="forbid", frozen=True, allow_inf_nan=False)

    embedding: str = Field(default=ENGLISH_EMBEDDER, description="Embedder by short name; changing it needs a rebuild.")
    cross_encoder: str = Field(default=ENGLISH_CROSS_ENCODER, description="Cross-encoder by short name, or 'none'.")
    llm: str = Field(default="none", description="Language model by short name; 'none' answers without one.")

    pdf_reader: Literal["layout", "docling"] = Field(
        default="layout",
        description="What reads PDFs: 'layout', or 'docling' for scans and tables without lines (an extra, slow).",
    )
    target_words: int = Field(
        default=110,
        ge=20,
        le=400,
        description="Words in a passage. Small embedders read 512 tokens and blur beyond about 200.",
    )
    overlap_statements: int = Field(
        default=0,
        ge=0,
        le=5,
        description="Statements repeated at the start of the next passage. Sections make it needless.",
    )

    chroma_url: str = Field(
        default="",
        description="Chroma server that has the vectors' graph, like http://localhost:8000; '' keeps it in files.",
    )
    candidates: int = Field(default=50, ge=1, le=1000, description="Passages asked of each index before fusion.")
    weight_words: float = Field(
        default=0.05, ge=0, description="What the best hit by words counts, in units of cosine; see retrieve/hybrid.py."
    )
    gate_threshold: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="Cosine below which nothing is answered; None takes the calibrated one, else the embedder's.",
    )
    decline_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Probability below which an answer without a language model is declined; None takes the calibrated "
        "one, else the default.",
    )
    wrong_cost: float = Field(
        default=2.0,
        gt=0,
        le=100,
        description="How many refusals of a right answer one wrong answer costs; `rag-app calibrate` sets both "
        "thresholds by it. An answer is then shown from a probability of c / (1 + c) on: at 2 from .67, the default "
        "without calibration, at 4 from .80.",
    )
    rerank_windows: int = Field(
        default=32,
        ge=1,
        le=200,
        description="Windows of one to three statements that the cross-encoder reads per question.",
    )
    keep: int = Field(default=8, ge=1, le=100, description="Passages that reach the evidence when no model chooses.")
    keep_for_model: int = Field(
        default=16,
        ge=1,
        le=100,
        description="Passages that reach the evidence of a language model, as far as `prompt_tokens` has room. A model "
        "tells near misses apart, so it is shown more of them.",
    )
    max_quotes: int = Field(
        default=4, ge=1, le=50, description="Quotes shown per part of a question when no model chooses."
    )
    max_quotes_for_model: int = Field(
        default=20,
        ge=1,
        le=200,
        description="Quotes shown per part of a question when a language model chooses. It is asked for the fewest; "
        "the longest lists need about a dozen, and what is beyond this is no answer but the evidence again.",
    )

    on_low_confidence: OnLowConfidence = Field(
        default="refuse",
        description="Without enough evidence: refuse, or let the language model answer from its own knowledge, "
        "labelled as such.",
    )
    multi_query: int = Field(
        default=0,
        ge=0,
        le=5,
        description="Other phrasings of a question that the language model adds for searching. They cost a call, and "
        "the question leaves the machine before anything was found; 0 is off.",
    )
    multi_query_seconds: float = Field(
        default=5.0, gt=0, description="Time for the other phrasings; after it the question is searched as it is."
    )
    max_model_calls: int = Field(
        default=6,
        ge=1,
        le=20,
        description="Calls of a language model per question. Usually it takes one; a search, a look for what is "
        "missing and repairs of unreadable replies come on top.",
    )
    model_seconds: float = Field(
        default=60.0,
        gt=0,
        description="Time for all calls of a language model together, per question, but for other phrasings.",
    )
    prompt_tokens: int = Field(
        default=3500,
        ge=1500,
        description="Longest prompt, in estimated tokens; evidence beyond it is left out, but for a "
        "third of this, which evidence gets however long the question is. A prompt with evidence that was found later "
        "may be half as long again.",
    )
    reply_tokens: int = Field(
        default=512, ge=32, description="Longest reply, in tokens: labels need few, but some models think first."
    )

    page_delay: float = Field(
        default=0.5,
        ge=0,
        le=60,
        description="Seconds between two requests for pages of one host; robots.txt may say more.",
    )
    page_seconds: float = Field(
        default=20.0, gt=0, le=300, description="Time for fetching one page, redirects and all."
    )
    page_bytes: int = Field(
        default=5_000_000, ge=10_000, le=100_000_000, description="Longest page, in bytes, packed or unpacked."
    )
    page_workers: int = Field(default=4, ge=1, le=32, description="Pages fetched at the same time, over all hosts.")

    examples: str = Field(
        default="",
        description="File of worked examples for the draft prompt, from the index's folder; '' shows none.",
    )
    examples_floor: float = Field(
        default=0.6,
        ge=-1,
        le=1,
        description="Cosine below which an example is not shown: with the default embedder 1 in 100 pairs of questions "
        "about different things reaches it.",
    )
    examples_most: int = Field(
        default=3, ge=1, le=10, description="Examples shown at most; they take room from the evidence."
    )

    region: str = Field(
        default="", description="Region whose pages a web search is for: a code such as nz, or a profile's path."
    )
    tavily_url: str = Field(default="https://api.tavily.com", description="Address of the search service.")
    web_seconds: float = Field(
        default=20.0, gt=0, description="Time for all searches of the web together, per question."
    )
    web_results: int = Field(default=10, ge=1, le=20, description="Results asked for per search.")
    web_passages: int = Field(
        default=24,
        ge=1,
        le=200,
        description="Passages of web pages that are embedded per question; each costs a forward pass at the time of "
        "asking.",
    )
    intent_seconds: float = Field(
        default=10.0, gt=0, description="Time for a language model to make the web query; after it the rules alone do."
    )

    without: frozenset[Component] = Field(
        default=frozenset(),
        description="Components that are switched off, to measure what each contributes; every answer says so.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        arguments = dict(getattr(init_settings, "init_kwargs", {}))
        from_index = arguments.pop("_index_toml", {})
        return (
            InitSettingsSource(settings_cls, arguments),
            env_settings,
            InitSettingsSource(settings_cls, from_index),
        )


def load_settings(index_toml: Mapping[str, Any] | None = None, **arguments: Any) -> Settings:
    """Settings from arguments, environment, the knobs an index.toml sets (by knob name), and defaults, in that order.

    Raises:
        DefinitionError: a value is of the wrong type or out of range, or a name is unknown.
    """
    try:
        return Settings(_index_toml=dict(index_toml or {}), **arguments)  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise DefinitionError(
            f"The setting {name!r} is wrong: {first['msg']} (got {first.get('input')!r}).", setting=name
        ) from error
