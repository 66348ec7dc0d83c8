"""Completes a turn with a language model, and holds what it says to the turn and the conversation.

What a model writes here is searched for and shown as "understood as ..."; it is never part of an answer. A rewrite is
rejected where a name, a figure or a negation of the turn is lost, or where it says something that neither the turn nor
the conversation says: then the rules complete the turn, and the trace says why.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_app.answer import Trace
from rag_app.chat.history import Exchange
from rag_app.errors import ModelCutOff, ModelReplyMalformed
from rag_app.llm.call import ModelCall, ModelReply
from rag_app.llm.json_reply import json_values
from rag_app.prompts import Prompt
from rag_app.synthesize.faithful.matching import read_tokens
from rag_app.synthesize.faithful.names import has_foreign_name
from rag_app.synthesize.faithful.polarity import count_negations
from rag_app.synthesize.faithful.quantities import NUMBER_WORDS
from rag_app.synthesize.showing import show_line
from rag_app.text.words import content_stems

PURPOSE = "follow_up"
_TOKENS = 200
_EXCHANGES = 4
"""Exchanges shown to the model, the newest."""
_CHARACTERS = 600
"""Of each answer that is shown."""
_LONGEST = 600
"""Characters that a rewrite may have beyond those of the turn."""
_OWN_WORDS = 2
"""Content words that neither the turn nor the conversation holds: a sentence needs a few to connect the others."""
_FENCE = re.compile(r"<(?=\s*/?\s*conversation)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
_DIGIT = re.compile(r"\d")
_SCHEMA = {
    "type": "object",
    "properties": {"question": {"type": "string"}, "either": {"type": "array", "items": {"type": "string"}}},
    "required": ["question", "either"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a model made of a turn."""

    question: str
    """The completed question; "" where the model could not tell."""
    either: tuple[str, ...] = ()
    """What the turn may mean, where the conversation leaves it open."""


def rewrite_call(turn: str, before: Sequence[Exchange], prompt: Prompt, trace: Trace) -> ModelCall:
    """The call that asks for a rewrite of `turn`."""
    trace.prompt_versions[prompt.name] = prompt.fingerprint
    messages = prompt.messages(conversation=_shown(before), turn=_line(turn))
    return ModelCall(messages, _SCHEMA, _TOKENS, PURPOSE)


def read_rewrite(reply: ModelReply, turn: str, before: Sequence[Exchange]) -> Rewrite:
    """The rewrite in a reply.

    Raises:
        ModelCutOff, ModelReplyMalformed: it cannot be read.
        RejectedRewrite: it is not a rewrite of this turn in this conversation.
    """
    if reply.stop == "length":
        raise ModelCutOff("The completed question was cut off at its token limit.", purpose=PURPOSE)
    for value in json_values(reply.text):
        question = value.get("question") if isinstance(value, dict) else None
        if isinstance(question, str):
            either = value.get("either")
            texts = [text for text in either if isinstance(text, str)] if isinstance(either, list) else []
            said = [text for exchange in before for text in (exchange.asked, exchange.understood, exchange.text)]
            named = tuple(text for text in texts if text.strip() and not _strange_words(text, [turn, *said]))
            question = " ".join(question.split())
            if question and (why := lack_of_rewrite(question, turn, said)):
                raise RejectedRewrite(why)
            return Rewrite(question, named)
    raise ModelReplyMalformed("The reply with the completed question cannot be read.", purpose=PURPOSE)


class RejectedRewrite(Exception):
    """Why a rewrite is not used, in a few words; caught in this room."""


def lack_of_rewrite(rewrite: str, turn: str, said: Sequence[str]) -> str | None:
    """What is wrong with a rewrite of `turn` after a conversation in which `said` was said; None where nothing is."""
    if len(rewrite) > len(turn) + _LONGEST:
        return "it is far longer than the turn"
    mine, theirs = _figures(turn), _figures(rewrite)
    if not mine <= theirs:
        return "it lost a figure"
    if not theirs <= mine.union(*map(_figures, said)):
        return "it added a figure"
    if _negations(turn) != _negations(rewrite):
        return "it lost or added a negation"
    if has_foreign_name(turn, [rewrite]):
        return "it lost a name"
    if has_foreign_name(rewrite, [turn, *said], turn):
        return "it added a name"
    if len(_strange_words(rewrite, [turn, *said])) > _OWN_WORDS:
        return "it says what nobody said"
    return None


def _figures(text: str) -> set[str]:
    words = {word.lower() for word in read_tokens(text).words}
    return {word for word in words if _DIGIT.search(word) or (word in NUMBER_WORDS and word != "one")}  # "that one"


def _negations(text: str) -> int:
    """Those of the text itself: a quoted title may hold one that negates nothing."""
    return count_negations(read_tokens(_QUOTED.sub("", text)))


def _strange_words(text: str, said: Sequence[str]) -> set[str]:
    return set(content_stems(text)).difference(*map(content_stems, said))


def _shown(before: Sequence[Exchange]) -> str:
    lines = []
    for exchange in before[-_EXCHANGES:]:
        lines.append(f"User: {_line(exchange.understood or exchange.asked)}")
        if exchange.text:
            lines.append(f"Answer: {_line(exchange.text)[:_CHARACTERS]}")
    return "\n".join(lines)


def _line(text: str) -> str:
    """On one line, which cannot close the fence."""
    return _FENCE.sub("‹", show_line(text))
