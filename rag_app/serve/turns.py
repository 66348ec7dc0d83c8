"""A conversation as it travels between page and server: the page holds it, the server checks it at every turn."""

from collections.abc import Iterable
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from rag_app.chat.history import KEPT
from rag_app.errors import UsageError

LATEST = 12
"""Messages that are sent on: a follow-up leans on the turns right before it."""

_ROLES = {"user": MessageRole.USER, "assistant": MessageRole.ASSISTANT}


def messages_of(turns: Any) -> list[ChatMessage]:
    """The messages that `turns_of` sent. Raises UsageError where they are something else."""
    if not isinstance(turns, list):
        raise UsageError('"history" is a list of messages, as the reply before gave it.')
    messages = []
    for turn in turns[-LATEST:]:
        if not isinstance(turn, dict) or turn.get("role") not in _ROLES or not isinstance(turn.get("content"), str):
            raise UsageError('A message of "history" is {"role": "user" or "assistant", "content": "..."}.')
        kept = {KEPT: turn["quotes"]} if turn.get("quotes") else {}
        messages.append(ChatMessage(role=_ROLES[turn["role"]], content=turn["content"], additional_kwargs=kept))
    return messages


def turns_of(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    """The latest messages of a conversation as plain data; `quotes` are places, which are checked before each use."""
    return [
        {
            "role": message.role.value,
            "content": message.content or "",
            "quotes": message.additional_kwargs.get(KEPT, []),
        }
        for message in [*messages][-LATEST:]
    ]
