"""What happens while a question is answered, as server-sent events: an event has a name and JSON.

searching {"queries"}   reading {"passages"}   understood {"question"}   quote {a quote}   conflict {"about", "quotes"}
summary {"text", "quotes"}   refused {"reason", "ambiguous"}   answer {the short answer, "html", "history"}
trouble {"error"}
"""

import json
from collections.abc import Callable
from typing import Any

from rag_app.answer import Answer
from rag_app.respond.events import (
    Disagreement,
    Done,
    Event,
    Quoted,
    Refused,
    Retrieved,
    Searching,
    Summarised,
    Understood,
)
from rag_app.show.brief import brief_conflict, brief_quote


def server_sent(event: Event, whole: Callable[[Answer], dict[str, Any]]) -> str:
    """An event of an engine; `whole` makes the data of a whole answer."""
    match event:
        case Searching(queries):
            return named("searching", {"queries": list(queries)})
        case Retrieved(hits):
            return named("reading", {"passages": len(hits)})
        case Understood(question):
            return named("understood", {"question": question})
        case Quoted(quote):
            return named("quote", {**brief_quote(quote)})
        case Disagreement(conflict):
            return named("conflict", {**brief_conflict(conflict)})
        case Summarised(sentence):
            return named("summary", {"text": sentence.text, "quotes": list(sentence.quotes)})
        case Refused(reason, ambiguous):
            return named("refused", {"reason": reason, "ambiguous": list(ambiguous)})
        case Done(response):
            return named("answer", whole(response.answer))


def named(name: str, data: dict[str, Any]) -> str:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
