"""The turns of a conversation so far, and what of them the asker may still read.

What was shown is kept as quotes with their places, and every quote is compared with the index again before it is used
or shown: access may have been withdrawn, or a document may have changed. Of an answer that lost a quote nothing is kept
that a model wrote, because it may rest on that quote.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from rag_app.answer import Answer, Quote, Trace
from rag_app.errors import UsageError
from rag_app.question import is_text

KEPT = "rag_app_quotes"
"""Key of a message's `additional_kwargs` under which the places of its quotes travel, so that a history that was kept
elsewhere can be handed back."""

_KINDS = {"document_id": str, "title": str, "start": int, "text": str, "context_start": int, "from_web": bool}
_BY_DEFAULT = {"from_web": False}
"""Of histories that were kept before conversations could search the web."""

_FURTHEST = 2**31
"""Code points from the beginning of a document: none is so long."""

StillStands = Callable[[Sequence["Quoted"]], list[bool]]
"""Which of some quotes stand, at this moment, at their place in a document that the asker may read."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """What the history needs of a quote: enough to find it again and to check it."""

    document_id: str
    title: str
    start: int
    text: str
    context_start: int
    """Where its passage begins."""
    from_web: bool = False
    """Whether a web search found it: everybody may read it, and no index can say whether it still stands."""

    @classmethod
    def of(cls, quote: Quote, from_web: bool) -> "Quoted":
        return cls(quote.document_id, quote.title, quote.start, quote.text, quote.context_start, from_web)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn and what was answered."""

    asked: str
    """The user's words."""
    understood: str = ""
    """What they were completed to; "" where they stand alone, or where nobody knows."""
    said: str = ""
    """What was answered, as text, where no `answer` is at hand."""
    quotes: tuple[Quoted, ...] = ()
    answer: Answer | None = None
    """Without its trace; None in a history that was kept elsewhere."""

    @property
    def text(self) -> str:
        return str(self.answer) if self.answer else self.said


class History:
    """The exchanges of one conversation, oldest first."""

    def __init__(self, still_stands: StillStands) -> None:
        self._still_stands = still_stands
        self._exchanges: list[Exchange] = []

    def add(self, asked: str, answer: Answer) -> None:
        """Adds a turn that was answered; it keeps no trace and nothing that was shown as no answer."""
        from_web = answer.trace.web is not None  # an answer comes from the index or from the web, never from both
        quotes = tuple(Quoted.of(quote, from_web) for quote in answer.quotes)
        kept = replace(answer, nearest=(), trace=Trace())  # what may be read may change, and these are not cited
        self._exchanges.append(Exchange(asked, answer.understood_as or "", "", quotes, kept))

    def replace(self, messages: Iterable[ChatMessage]) -> None:
        """Takes over a history that was kept elsewhere. Raises UsageError where a message has no text."""
        self._exchanges = list(_exchanges(messages))

    def clear(self) -> None:
        self._exchanges.clear()

    def readable(self) -> tuple[Exchange, ...]:
        """The exchanges, with nothing in them that the asker may not read at this moment."""
        every = [quoted for exchange in self._exchanges for quoted in exchange.quotes if not quoted.from_web]
        standing = iter(self._still_stands(every) if every else ())
        found, is_whole = list[Exchange](), True
        for exchange in self._exchanges:
            stands = [quoted.from_web or next(standing) for quoted in exchange.quotes]
            # What a turn was understood as rests on the turns before it.
            left = exchange if is_whole else _as_asked(exchange)
            is_whole = is_whole and all(stands)
            found.append(_without(left, stands))
        return tuple(found)

    def messages(self) -> list[ChatMessage]:
        """The conversation as LlamaIndex has it."""
        found = []
        for exchange in self.readable():
            if exchange.asked:
                found.append(ChatMessage(role=MessageRole.USER, content=exchange.asked))
            if exchange.text:
                kept = {KEPT: [_as_data(quoted) for quoted in exchange.quotes]} if exchange.quotes else {}
                found.append(ChatMessage(role=MessageRole.ASSISTANT, content=exchange.text, additional_kwargs=kept))
        return found


def _as_asked(exchange: Exchange) -> Exchange:
    """An exchange without what its turn was understood as; of a text that was kept elsewhere nobody knows."""
    answer = exchange.answer and replace(exchange.answer, understood_as=None)
    return replace(exchange, understood="", said="", answer=answer)


def _without(exchange: Exchange, standing: list[bool]) -> Exchange:
    """An exchange without the quotes that no longer stand, and without what may rest on them."""
    if all(standing):
        return exchange
    quotes = tuple(quoted for quoted, stands in zip(exchange.quotes, standing, strict=True) if stands)
    places = {(quoted.document_id, quoted.start) for quoted in quotes}
    answer = exchange.answer
    if answer is not None:
        left = tuple(quote for quote in answer.quotes if (quote.document_id, quote.start) in places)
        # As if it had been asked now: a gap would say that something was there.
        answer = replace(
            answer,
            status="grounded" if left else "insufficient_evidence",
            reason=None if left else "nothing_found",
            quotes=left,
            conflicts=tuple(conflict for conflict in answer.conflicts if set(conflict.quotes) <= set(left)),
            summary=None,
            understood_as=None,
        )
    return Exchange(exchange.asked, "", "", quotes, answer)


def _exchanges(messages: Iterable[ChatMessage]) -> Iterable[Exchange]:
    asked: list[str] = []
    for message in messages:
        text = message.content
        if not isinstance(message, ChatMessage) or not isinstance(text, str):
            raise UsageError(f"chat_history takes LlamaIndex ChatMessages with text, not {message!r}.")
        if not is_text(text):
            raise UsageError("A message of chat_history holds characters that are not text (lone surrogates).")
        if message.role == MessageRole.USER:
            if asked:
                yield Exchange(" ".join(asked))
            asked = [text]
        elif message.role == MessageRole.ASSISTANT:
            quotes = tuple(_quoted(message.additional_kwargs.get(KEPT, ())))
            yield Exchange(" ".join(asked), said=text, quotes=quotes)
            asked = []
    if asked:
        yield Exchange(" ".join(asked))


def _may_be_of_a_quote(value: str | int) -> bool:
    return is_text(value) if isinstance(value, str) else 0 <= value < _FURTHEST


def _as_data(quoted: Quoted) -> dict[str, Any]:
    return {name: getattr(quoted, name) for name in Quoted.__slots__}


def _quoted(kept: Any) -> Iterable[Quoted]:
    """Quotes as they travelled; each is checked against the index before it is used."""
    for fields in kept if isinstance(kept, (list, tuple)) else (kept,):
        whole = {**_BY_DEFAULT, **fields} if isinstance(fields, dict) else {}
        kinds = {name: type(value) for name, value in whole.items()}
        if kinds != _KINDS or not all(map(_may_be_of_a_quote, whole.values())):
            raise UsageError(f"The quotes of a message in chat_history cannot be read: {fields!r}.")
        yield Quoted(**whole)
