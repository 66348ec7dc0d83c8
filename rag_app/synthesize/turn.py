"""Asking a model within one question's budget: counts calls and tokens, repairs a reply once, or raises its trouble.

Generators: they yield what is asked for and are sent what came back, so that nothing here calls anything.
"""

from collections.abc import Collection, Generator, Mapping
from dataclasses import dataclass, field, replace

from rag_app.errors import ModelCutOff, ModelReplyEmpty, ModelReplyMalformed
from rag_app.index.calibration import Declining
from rag_app.llm import ModelCall, ModelReply
from rag_app.llm.call import Role
from rag_app.prompts import Prompt
from rag_app.question import Question, Referred
from rag_app.respond.events import Event
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.parse_draft import MAX_SEARCHES, MalformedReply, ParsedDraft, parse_draft
from rag_app.synthesize.showing import estimate_tokens, fit_ledger, show_ledger, show_question
from rag_app.synthesize.validate import record_drop

LARGER = 8
"""How many times the token budget a reply gets that was cut off: a model may have spent it on thinking."""
LEAST_EVIDENCE = 3
"""The share of a prompt that evidence gets at least: one third."""
MORE_EVIDENCE = 2
"""A prompt with evidence that was found later may be longer by this share: one half."""
_LABELS = {"type": "array", "items": {"type": "string"}}
_PART = {
    "type": "object",
    "properties": {"part": {"type": "integer"}, "labels": _LABELS},
    "required": ["part", "labels"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class SearchAgain:
    """Asks for a ledger, extended by what further searches find under the same rules."""

    queries: tuple[str, ...]
    """Empty where only what chosen statements refer to is fetched."""
    before: Ledger
    """What stays, with its labels; without what the model was not shown where that may be found again."""
    referred: Referred = field(default_factory=Referred)
    """What comes along without being searched for."""


Request = ModelCall | SearchAgain | Event
"""An event asks for nothing: it is shown."""
Sent = ModelReply | Ledger | None
"""What fulfils a request: a reply, for a SearchAgain the longer ledger, for an event nothing."""


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """What a flow may do and spend; see `rag_app.settings.Settings`."""

    prompts: Mapping[str, Prompt]
    max_calls: int
    prompt_tokens: int
    reply_tokens: int
    max_quotes: int = 20
    may_search: bool = False
    may_fetch: bool = False
    """Whether what chosen statements refer to can be fetched."""
    may_cover: bool = True
    """Whether a model is asked once more for parts that are left open."""
    declining: Declining = field(default_factory=Declining)
    """What tells strong evidence from weak."""
    is_ungrounded_allowed: bool = False
    is_summary_wanted: bool = False


class Turn:
    """The calls of one question."""

    def __init__(self, question: Question, ledger: Ledger, options: FlowOptions) -> None:
        self.question = question
        self.ledger = ledger
        self.options = options
        self.shown = Ledger(())
        """What the calls so far saw of the ledger: only that can be chosen, and it stays choosable."""

    @property
    def calls_left(self) -> int:
        """Model calls that the budget still allows."""
        return self.options.max_calls - self.question.trace.model_calls

    def may_ask(self, what: str) -> bool:
        """Whether the budget allows one more call; a warning where it does not."""
        if self.calls_left > 0:
            return True
        self.question.trace.warn(
            f"No {what}: the {self.options.max_calls} model calls a question may take were used up."
        )
        return False

    def choose(
        self, name: str, first: Collection[int] = (), examples: str = "", may_search: bool = False, **values: str
    ) -> Generator[Request, Sent, ParsedDraft]:
        """What a model chooses from the ledger, asked with the prompt `name`.

        Args:
            first: passages it must see. Where it has seen some already, the prompt may be half as long again, so that
                what is new does not take the place of what it saw.
            examples: stand in front of what the prompt says last, so that a prompt need not know of them.
            may_search: whether the reply may ask for further searches; the prompt says the same in `values`.

        Raises:
            ModelCutOff: the reply was cut off, also with a larger budget.
            ModelReplyMalformed: it cannot be read, also when asked again.
        """
        trace = self.question.trace
        values["question"] = show_question(self.question)
        room = self._room((*self.messages(name, evidence="", **values), ("user", examples)))
        room += self.options.prompt_tokens // MORE_EVIDENCE if self.shown.evidence else 0
        fitted = fit_ledger(self.ledger, room, trace, first)
        self.shown = _seen(self.shown, fitted)
        filled = self.messages(name, evidence=show_ledger(fitted), **values)
        role, last = filled[-1]
        messages: tuple[tuple[Role, str], ...] = (*filled[:-1], (role, examples + last))
        call = ModelCall(messages, _schema(may_search), self.options.reply_tokens, purpose=name)
        reply = yield from self.reply(call)
        try:
            parsed = parse_draft(reply.text, self.question.parts)
        except MalformedReply as error:
            if not self.may_ask("second try"):
                raise _unreadable(error, name) from error
            trace.warn(f"{error} It was asked for once more.")
            note = self.messages("repair", trouble=f"{str(error).partition('.')[0]}.")
            call = replace(call, messages=(*messages, ("assistant", reply.text), *note), purpose="repair")
            reply = yield from self.reply(call)
            try:
                parsed = parse_draft(reply.text, self.question.parts)
            except MalformedReply as again:
                raise _unreadable(again, name) from again
        for reason in parsed.dropped:
            record_drop(reason, trace)
        return parsed

    def _room(self, bare: tuple[tuple[Role, str], ...]) -> int:
        """Tokens for evidence; some even behind a very long question, so that it is not declined for want of them."""
        room = self.options.prompt_tokens - sum(estimate_tokens(text) for _, text in bare)
        least = self.options.prompt_tokens // LEAST_EVIDENCE
        if room < least:
            self.question.trace.warn("The question or the prompt is long: the model was shown little of the evidence.")
        return max(room, least)

    def write(self, name: str, **values: str) -> Generator[Request, Sent, str]:
        """What a model writes, asked with the prompt `name`. Raises ModelCutOff."""
        call = ModelCall(self.messages(name, **values), max_tokens=self.options.reply_tokens, purpose=name)
        return (yield from self.reply(call)).text.strip()

    def reply(self, call: ModelCall) -> Generator[Request, Sent, ModelReply]:
        """The reply to a call; asked once more with a larger budget where it was cut off. Raises ModelCutOff."""
        reply = yield from self._counted(call)
        if reply.stop == "length" and self.may_ask("second try"):
            self.question.trace.warn("A reply was cut off at its token limit and asked for again, with a larger one.")
            reply = yield from self._counted(replace(call, max_tokens=call.max_tokens * LARGER))
        if reply.stop == "length":
            raise ModelCutOff(
                "The model's reply was cut off at its token limit: raise the setting reply_tokens, or choose another "
                "model.",
                purpose=call.purpose,
                output_tokens=reply.output_tokens,
            )
        return reply

    def _counted(self, call: ModelCall) -> Generator[Request, Sent, ModelReply]:
        trace = self.question.trace
        reply = yield call
        assert isinstance(reply, ModelReply)
        trace.count(call.purpose, reply.input_tokens, reply.output_tokens, reply.estimated, reply.request_id)
        if not reply.text.strip() and reply.stop != "length":
            raise ModelReplyEmpty("The model's reply held no text: ask again.", purpose=call.purpose)
        return reply

    def messages(self, name: str, **values: str) -> tuple[tuple[Role, str], ...]:
        """The messages of the prompt `name`, which the trace then names."""
        prompt = self.options.prompts[name]
        self.question.trace.prompt_versions[name] = prompt.fingerprint
        return prompt.messages(**values)


def _seen(before: Ledger, now: Ledger) -> Ledger:
    """Every passage as it was shown, before or now."""
    known = {evidence.number: evidence for evidence in before.evidence}
    return Ledger(tuple(one if one.statements else known.get(one.number, one) for one in now.evidence))


def _schema(searches: bool) -> dict[str, object]:
    properties: dict[str, object] = {"parts": {"type": "array", "items": _PART}}
    if searches:
        properties["search"] = {"type": "array", "items": {"type": "string"}, "maxItems": MAX_SEARCHES}
    return {"type": "object", "properties": properties, "required": ["parts"], "additionalProperties": False}


def _unreadable(error: MalformedReply, purpose: str) -> ModelReplyMalformed:
    return ModelReplyMalformed(str(error), purpose=purpose, **error.details)
