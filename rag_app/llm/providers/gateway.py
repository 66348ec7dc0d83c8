"""Gateways in front of a chat completions server, where they differ from it, put right before the client reads them.

Some answer a call that failed with status 200 and an error in the body, each in a form of its own: the client would see
no more than that there are no choices. Some give the content of a message as blocks, which the client takes for a text.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx

_STATUS_OF_WORDS = (
    (402, re.compile(r"quota|credit|balance|billing|payment", re.IGNORECASE)),
    (429, re.compile(r"rate.?limit|throttl|too many|daily limit", re.IGNORECASE)),
    (401, re.compile(r"authenticat|unauthori[sz]ed|api.?key", re.IGNORECASE)),
    (400, re.compile(r"context.?length|maximum context|invalid.?request", re.IGNORECASE)),
)
_FILTER = re.compile(r"content.?(?:filter|policy|management)|moderation", re.IGNORECASE)
_UNKNOWN = 502
"""The status of an error that does not say what it is: the gateway could not bring a reply."""
_CODES = ("code", "status", "status_code", "error_code", "type")
_WORDS = ("message", "msg", "error_msg", "error_message", "status_msg", "detail", "description")
_INNER = ("error", "errors", "base_resp", "choices")
"""Where a gateway puts an error within its reply; the last, within a choice that failed."""
_IDS = ("request_id", "requestId", "id")


def amended(response: httpx.Response) -> None:
    """Gives a reply the status that its error has, and makes one text of the blocks of a message; leaves any other as
    it is."""
    if _may_hold_json(response):
        response.read()
        _amend(response)


async def amended_async(response: httpx.Response) -> None:
    """As `amended`."""
    if _may_hold_json(response):
        await response.aread()
        _amend(response)


def _may_hold_json(response: httpx.Response) -> bool:
    kind = response.headers.get("content-type", "")
    return response.status_code == 200 and not any(name in kind for name in ("event-stream", "html"))


def _amend(response: httpx.Response) -> None:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return
    if not isinstance(body, dict):
        return
    said = None if _has_reply(body) else next(_errors(body), None)
    if said is not None:
        error, message = said
        code = _code(error)
        marks = " ".join((*(str(error[key]) for key in _CODES if error.get(key)), message))
        response.status_code = _status(code, marks)
        is_filtered = response.status_code < 500 and _FILTER.search(marks)
        standard = {"message": message, "code": "content_filter" if is_filtered else code}
        if "x-request-id" not in response.headers and (known := _first_text(body, _IDS)):
            response.headers["x-request-id"] = known
        _replace(response, {"error": standard})
    elif _joins_blocks(body) or "json" not in response.headers.get("content-type", ""):
        _replace(response, body)


def _replace(response: httpx.Response, body: dict[str, Any]) -> None:
    response._content = json.dumps(body).encode()  # httpx has no public way to replace what was read
    response.headers["content-type"] = "application/json"


def _has_reply(body: dict[str, Any]) -> bool:
    """Whether the first choice is a reply, be it an empty one, and not an error."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and not first.get("error")


def _errors(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """The objects in a reply that say what went wrong, with their words; the innermost first."""
    if isinstance(value, list):
        for inner in value[:1]:
            yield from _errors(inner)
    elif isinstance(value, dict):
        for key in _INNER:
            inner = value.get(key)
            yield from [(value, inner)] if isinstance(inner, str) and inner else _errors(inner)
        if message := _first_text(value, _WORDS):
            yield value, message


def _first_text(fields: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if isinstance(text := fields.get(key), str) and text.strip()), None)


def _code(error: dict[str, Any]) -> str | None:
    return next((str(code) for key in _CODES if isinstance(code := error.get(key), (str, int)) and code != ""), None)


def _status(code: str | None, marks: str) -> int:
    if code and code.isdecimal() and 400 <= int(code) < 600:
        return int(code)
    if _FILTER.search(marks):
        return 400
    return next((status for status, words in _STATUS_OF_WORDS if words.search(marks)), _UNKNOWN)


def _joins_blocks(body: dict[str, Any]) -> bool:
    """Whether a message of `body` held blocks, which are then one text."""
    found = False
    choices = body.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        if isinstance(message, dict) and isinstance(message.get("content"), (list, dict)):
            message["content"] = "".join(_texts(message["content"]))
            found = True
    return found


def _texts(content: Any) -> Iterator[str]:
    """The texts of blocks, without what a model thought before it replied."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from _texts(block)
    elif isinstance(content, dict) and not re.search("reason|think", str(content.get("type"))):
        yield from _texts(content.get("text", content.get("value")))
