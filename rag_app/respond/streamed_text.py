"""An answer as text in pieces, as its events come; all pieces together are the text of the answer."""

from dataclasses import dataclass, field, replace

from llama_index.core.schema import NodeWithScore

from rag_app.answer import Answer, Quote, Summary
from rag_app.errors import UsageError
from rag_app.respond.events import Done, Event, Quoted, Understood
from rag_app.respond.response import GroundedResponse
from rag_app.show.render import as_text

GAP = "\n\n"


@dataclass
class StreamedAnswer:
    """What LlamaIndex's streaming responses have in common here: the response that stands at the end of the stream."""

    finished: GroundedResponse | None = None
    """None until the stream was read to its end."""
    source_nodes: list[NodeWithScore] = field(default_factory=list)

    @property
    def answer(self) -> Answer:
        """Raises UsageError where the stream was not read to its end."""
        if self.finished is None:
            raise UsageError("The answer is not complete yet: read the stream to its end first.")
        return self.finished.answer

    def _whole(self) -> GroundedResponse:
        if self.finished is None:
            raise UsageError("The stream was read by somebody else before its end: ask again.")
        return self.finished

    def _piece(self, event: Event, text: "TextInPieces") -> str:
        """What an event adds to the text; keeps the response that comes last."""
        if isinstance(event, Done):
            self.finished, self.source_nodes = event.response, event.response.source_nodes
        return text.piece(event)


class TextInPieces:
    """Turns events into the text that each adds. Sources come last, since they name the places of all quotes."""

    def __init__(self) -> None:
        self._quotes: list[Quote] = []
        self._understood: str | None = None
        self._shown = ""

    def piece(self, event: Event) -> str:
        """What is to be shown of an event; "" where nothing is."""
        if isinstance(event, Quoted):
            self._quotes.append(event.quote)
            return self._paragraphs()
        if isinstance(event, Understood):
            self._understood = event.question
            return self._paragraphs()
        if isinstance(event, Done):
            return self._last(event.response.answer)
        return ""

    def _paragraphs(self) -> str:
        """What the last event adds; without sources, which are the last block of a text."""
        text = as_text(Answer("", "grounded", tuple(self._quotes), understood_as=self._understood)).rpartition(GAP)[0]
        added = text[len(self._shown) :]
        self._shown = text
        return added

    def _last(self, answer: Answer) -> str:
        """What an answer holds besides what was shown."""
        whole = as_text(answer)
        if whole.startswith(self._shown):
            return whole[len(self._shown) :]
        if answer.status != "grounded":
            return GAP + whole
        # In the order in which they were shown; an answer is ordered by the parts of the question.
        place = {quote: number for number, quote in enumerate(self._quotes)}
        ordered = sorted(answer.quotes, key=lambda quote: place.get(quote, len(place)))
        shown = replace(answer, quotes=tuple(ordered), summary=None)
        rest = as_text(shown)[len(self._shown) :]
        if answer.summary is None:
            return rest
        return GAP + _summary_alone(answer, shown.quotes) + rest


def _summary_alone(answer: Answer, quotes: tuple[Quote, ...]) -> str:
    assert answer.summary is not None
    at = {quote: number for number, quote in enumerate(quotes)}
    sentences = tuple(
        replace(sentence, quotes=tuple(sorted(at[answer.quotes[index]] for index in sentence.quotes)))
        for sentence in answer.summary.sentences
    )
    alone = replace(answer, quotes=quotes, summary=Summary(sentences), understood_as=None)
    return as_text(alone).partition(GAP)[0]
