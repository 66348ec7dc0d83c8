"""Is a message for a web search, and what is searched: an untrusted message in, a checked query out."""

import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from llama_index.core.prompts.mixin import PromptDictType, PromptMixin, PromptMixinType
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_app.answer import Trace, WebTopic
from rag_app.errors import DefinitionError, ModelCutOff, ModelError, ModelReplyMalformed
from rag_app.llm import ModelCall, ModelReply, asking
from rag_app.llm.json_reply import json_values
from rag_app.llm.trouble import model_name
from rag_app.prompts import load_prompt
from rag_app.steps import Flow, arun, run
from rag_app.web.compose import LONGEST_MESSAGE, Reading, clean, complete, compose_query, read_message
from rag_app.web.judging.recency import ANY_TIME, Recency, recency_of
from rag_app.web.judging.terms import Text, fold, without, words_of
from rag_app.web.region import Collision, RegionProfile

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

Gate = Literal["profile", "model", "profile, the model failed"]

_TOKENS = 300
_MOST_WORDS = 24
"""Words of a model's query; what stands in it beyond them is cut."""
_SHORT = 3
"""A message of so few words is never refused: it may be a name that nobody here knows."""
_OPERATOR = re.compile(r"https?://\S+|\b\w+:(?=\S)|[\"“”„«»<>|(){}\[\]\\]|(?<!\w)[-+~*](?=\w)")
"""What search services may read as more than words."""
_FENCE = re.compile(r"<(?=\s*/?\s*message)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Intent:
    """What is searched for a message, and what pages about it must hold."""

    allowed: bool
    topic: WebTopic
    search_query: str
    """Has the region's anchor unless `is_local` is False; at most 400 characters."""
    reason: str
    """Why it is or is not allowed, and what was put right in a model's query."""
    is_local: bool
    """False where the message is plainly international."""
    is_of_namesake: bool
    """Whether the message means what else has the region's own name."""
    names: tuple[str, ...]
    """Words of names in the message, folded, beside those of `collisions`."""
    terms: tuple[str, ...]
    """Distinctive words of the message, folded: what is looked for where it names nothing."""
    collisions: tuple[Collision, ...]
    """Names in the message that something elsewhere has too."""
    gate: Gate
    is_open: bool = False
    """Whether the message only names something, and asks nothing of it in particular."""
    rare: tuple[str, ...] = ()
    """Words of `names` that tell them from others, of which a page must hold one: "Remarkables", not "Road"."""
    whole: tuple[str, ...] = ()
    """What in the message may be a name that the region's own is part of, longest first."""

    recency: Recency = ANY_TIME
    """How new pages must be for what the message asks."""

    @property
    def subject(self) -> tuple[str, ...]:
        """Words of which a sentence about what the message names holds one, folded."""
        return (*self.names, *(name for collision in self.collisions for name in collision.names))


class _Judged(BaseModel):
    """What a model must return."""

    model_config = ConfigDict(extra="ignore", strict=True)

    allowed: bool
    topic: Literal["news", "general"]
    search_query: str = Field(max_length=2_000)
    reason: str = Field(default="", max_length=2_000)


class IntentGate(PromptMixin):
    """Makes a search query of a message, by the rules of a region's profile, or with a language model.

    Whatever a model returns is checked by the same rules: the words of names stay, a name that collides gets its sport
    or trade, the region's anchor stands in the query unless the message itself is plainly international, and neither a
    name nor a common word is refused. So nothing that a message says has any power. Where the model fails or returns
    what cannot be read, the rules alone decide, and the trace says so.

    Args:
        profile: of the region.
        llm: rewrites; None: the rules alone do.
        seconds: time for the model.
    """

    def __init__(self, profile: RegionProfile, llm: "LLM | None" = None, *, seconds: float = 10.0) -> None:
        self._profile = profile
        self._llm = llm
        self._seconds = seconds
        self._prompt = load_prompt("intent")

    def _get_prompts(self) -> PromptDictType:
        return {self._prompt.name: self._prompt.template}

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        for name, template in prompts.items():
            if name != self._prompt.name:
                raise DefinitionError(f"There is no prompt {name!r} here; there is: {self._prompt.name}.", prompt=name)
            self._prompt = self._prompt.replaced(template)

    def judge(self, message: str, trace: Trace | None = None) -> Intent:
        """What is searched for `message`.

        Raises:
            RecordingMissing: the model is a recording that does not hold this message.
        """
        return run(self.judged(message, trace or Trace()))

    async def ajudge(self, message: str, trace: Trace | None = None) -> Intent:
        """As `judge`, without holding up the event loop."""
        return await arun(self.judged(message, trace or Trace()))

    def judged(self, message: str, trace: Trace) -> Flow[Intent]:
        """`judge` as a flow."""
        reading = read_message(message, self._profile)
        if len(clean(message)) > LONGEST_MESSAGE:
            trace.warn(f"Only the first {LONGEST_MESSAGE:,} characters of the message were read for the web query.")
        by_rules = _by_rules(reading, self._profile)
        if not by_rules.allowed or self._llm is None:
            return by_rules
        try:
            with trace.timed("model: intent", model=model_name(self._llm)):
                deadline = time.monotonic() + self._seconds
                reply = yield from asking(self._llm, self._call(reading, trace), deadline=deadline)
            trace.count("intent", reply.input_tokens, reply.output_tokens, reply.estimated, reply.request_id)
            judged = _read(reply)
        except ModelError as error:
            trace.warn(f"The rules of the region alone made the web query, since the model failed: {error}")
            return replace(by_rules, gate="profile, the model failed")
        return _checked(judged, reading, by_rules, self._profile)

    def _call(self, reading: Reading, trace: Trace) -> ModelCall:
        trace.prompt_versions[self._prompt.name] = self._prompt.fingerprint
        messages = self._prompt.messages(
            region=self._profile.name,
            anchor=self._profile.anchor,
            collisions="; ".join(f"{c.name} ({c.kind})" for c in self._profile.collisions) or "none",
            message=_FENCE.sub("‹", reading.message),
        )
        schema = {
            "type": "object",
            "properties": {
                "allowed": {"type": "boolean"},
                "topic": {"type": "string", "enum": ["news", "general"]},
                "search_query": {"type": "string"},
                "reason": {"type": "string"},
            },
            "required": ["allowed", "topic", "search_query", "reason"],
            "additionalProperties": False,
        }
        return ModelCall(messages, schema, _TOKENS, "intent")


def _by_rules(reading: Reading, profile: RegionProfile) -> Intent:
    allowed = bool(reading.words)
    return Intent(
        allowed=allowed,
        topic=reading.topic,
        search_query=compose_query(reading, profile) if allowed else "",
        reason="" if allowed else "the message holds no word to search for",
        is_local=reading.is_local,
        is_of_namesake=reading.is_of_namesake,
        names=reading.names,
        terms=reading.terms,
        is_open=reading.is_open,
        rare=reading.rare,
        whole=reading.whole,
        collisions=reading.collisions,
        gate="profile",
        recency=recency_of(reading.message),
    )


def _read(reply: ModelReply) -> _Judged:
    if reply.stop == "length":
        raise ModelCutOff("The reply with the web query was cut off at its token limit.", purpose="intent")
    for value in json_values(reply.text):
        try:
            return _Judged.model_validate(value)
        except ValidationError:
            continue
    raise ModelReplyMalformed("The reply with the web query cannot be read.", purpose="intent")


def _checked(judged: _Judged, reading: Reading, by_rules: Intent, profile: RegionProfile) -> Intent:
    """What a model returned, held to the rules."""
    notes = [clean(judged.reason)[:200]]
    query = " ".join(_OPERATOR.sub(" ", clean(judged.search_query)).split()[:_MOST_WORDS])
    if strays := _strays(query, reading, by_rules, profile):
        notes.append(f"the model's query was not used: {strays}")
        query = by_rules.search_query
    own = [name for name in (profile.anchor, profile.name, *profile.aliases) if not Text(reading.message).has(name)]
    if not reading.is_local and (elsewhere := without(query, own)) != " ".join(words_of(query)):
        notes.append("the region taken out of a query about something elsewhere")
        query = elsewhere or by_rules.search_query
    missing = [word for word in reading.words if fold(word) in _named(by_rules) and not Text(query).has(word)]
    if missing:
        notes.append("names of the message put back")
        query = " ".join((*missing, query))
    is_refused = not judged.allowed and not (reading.is_bare or reading.collisions or len(reading.words) <= _SHORT)
    if not judged.allowed and not is_refused:
        notes.append("never refused: a name or a common word")
    return replace(
        by_rules,
        allowed=not is_refused,
        topic=judged.topic,
        search_query="" if is_refused else complete(query, reading, profile),
        reason="; ".join(note for note in notes if note),
        gate="model",
    )


def _strays(query: str, reading: Reading, by_rules: Intent, profile: RegionProfile) -> str:
    """Why a model's query has nothing to do with the message, or means another region; "" where it does not."""
    asked, said = Text(query), Text(reading.message)
    terms = {*_named(by_rules), *by_rules.terms}
    if not any(fold(word) in terms for word in words_of(query)) and terms:
        return "it holds no word of the message"
    elsewhere = [*profile.world, *(word for collision in reading.collisions for word in collision.foreign)]
    added = next((word for word in elsewhere if asked.has(word) and not said.has(word)), None)
    return f"it means something elsewhere ({added})" if added and by_rules.is_local else ""


def _named(intent: Intent) -> set[str]:
    """Words of names of the message, folded."""
    colliding = (word for collision in intent.collisions for name in collision.names for word in words_of(name))
    return {*intent.names, *map(fold, colliding)}
