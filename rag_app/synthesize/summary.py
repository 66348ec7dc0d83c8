"""A summary in a voice: sentences that a model writes from the quotes of an answer alone, each checked against them.

It stands beside the quotes and is no source. A sentence that does not stand in the quotes it names is dropped and
counted (`summary.dropped` in the trace's numbers). Trouble with the model leaves the answer as it is, with a warning:
that is no silent fallback, since the answer is complete without its summary and says that it has none.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from rag_app.answer import Answer, Drop, Quote, Summary, SummarySentence, Trace
from rag_app.errors import ModelError
from rag_app.llm import ModelCall
from rag_app.llm.json_reply import json_values
from rag_app.synthesize.faithful.backing import lack_of
from rag_app.synthesize.showing import estimate_tokens, show_question, show_quote
from rag_app.synthesize.turn import Request, Sent, Turn

PROMPTS = ("summary", "voice")
MOST_SENTENCES = 3
_LONGEST = 400
"""Characters of a sentence."""
_SCHEMA = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "maxItems": MOST_SENTENCES,
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "quotes": {"type": "array", "items": {"type": "integer"}}},
                "required": ["text", "quotes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}
_Written = tuple[str, list[str]]
"""A sentence, and the numbers of the quotes it names as they were written."""


def summarise(answer: Answer, turn: Turn) -> Generator[Request, Sent, Summary | None]:
    """A summary of a grounded answer; None, with a warning in the trace, where there is none to show."""
    trace = answer.trace
    if not turn.may_ask("summary"):
        return None
    call, shown = _call(answer, turn)
    if not shown:
        trace.warn("No summary: no quote fits into the prompt.")
        return None
    try:
        reply = yield from turn.reply(call)
    except ModelError as error:
        trace.warn(f"No summary: {error}")
        return None
    written = _read(reply.text)
    if written is None:
        trace.warn("No summary: the model's reply cannot be read.")
        return None
    sentences = tuple(_kept(written, shown, answer.question, trace))
    if not sentences:
        trace.warn("No summary: the model wrote no sentence that stands in the quotes it names.")
        return None
    return Summary(sentences)


def _call(answer: Answer, turn: Turn) -> tuple[ModelCall, Sequence[Quote]]:
    """What is asked, and the quotes that it shows: the first ones, as many as fit."""
    voice = "\n".join(text for _, text in turn.messages("voice"))
    asked = {"voice": voice, "question": show_question(turn.question)}
    room = turn.options.prompt_tokens - sum(estimate_tokens(t) for _, t in turn.messages("summary", quotes="", **asked))
    lines: list[str] = []
    for number, quote in enumerate(answer.quotes, start=1):
        line = show_quote(number, quote)
        room -= estimate_tokens(line) + 1
        if room < 0:
            left_out = len(answer.quotes) - len(lines)
            answer.trace.warn(f"The summary leaves {left_out} quotes out: the prompt would be too long.")
            break
        lines.append(line)
    messages = turn.messages("summary", quotes="\n".join(lines), **asked)
    call = ModelCall(messages, _SCHEMA, turn.options.reply_tokens, purpose="summary")
    return call, answer.quotes[: len(lines)]


def _read(reply: str) -> list[_Written] | None:
    """The sentences of a reply, the last JSON object that holds some; None where none does."""
    found = None
    for value in json_values(reply):
        entries = value.get("sentences") if isinstance(value, dict) else value
        if isinstance(entries, list):
            found = [(_text(entry), _numbers(entry)) for entry in entries if isinstance(entry, dict)]
    return found


def _text(entry: dict[str, Any]) -> str:
    text = entry.get("text")
    return " ".join(text.split()) if isinstance(text, str) else ""


def _numbers(entry: dict[str, Any]) -> list[str]:
    named = entry.get("quotes")
    return [str(one).strip(" []") for one in (named if isinstance(named, list) else [named])]


def _kept(
    written: Sequence[_Written], shown: Sequence[Quote], question: str, trace: Trace
) -> Iterator[SummarySentence]:
    """The sentences that stand in the quotes they name, at most `MOST_SENTENCES`; the others are counted."""
    trace.numbers["summary.dropped"] = 0.0
    by_number = {str(number): number - 1 for number in range(1, len(shown) + 1)}
    for place, (text, named) in enumerate(written, start=1):
        indexes = sorted({by_number[one] for one in named if one in by_number})
        if place > MOST_SENTENCES:
            lack = f"more than {MOST_SENTENCES} sentences"
        elif not text or len(text) > _LONGEST:
            lack = "no text" if not text else f"more than {_LONGEST} characters"
        elif not indexes or not set(named) <= set(by_number):
            lack = "it names no quote, or one that there is not"
        else:
            lack = lack_of(text, [shown[index] for index in indexes], question)
        if lack is None:
            yield SummarySentence(text, tuple(indexes))
        else:
            # Only what kind of thing is lacking: the trace outlives the right to read a document, the words must not.
            trace.dropped.append(Drop("summary", f"sentence {place}: {lack}", None, None, None))
            trace.numbers["summary.dropped"] += 1
