"""Gateways in front of a chat completions server, where they differ from it, put right before the client reads them.

Some answer a call that failed with status 200 and an error in the body: the client would see no more than that there
are no choices. Some give the content of a message as a list of blocks, which the client takes for a text.
"""

import json
import re
from typing import Any

import httpx

_STATUS_OF_WORDS = (
    (402, re.compile(r"quota|credit|balance|billing|payment", re.IGNORECASE)),
    (429, re.compile(r"rate.?limit|throttl|too many|daily limit", re.IGNORECASE)),
    (400, re.compile(r"content.?filter|moderation|invalid.?request", re.IGNORECASE)),
)
_UNKNOWN = 502
"""The status of an error that does not say what it is: the gateway could not bring a reply."""


def amended(response: httpx.Response) -> None:
    """Gives a reply the status that its error has, and joins the blocks of a message; leaves any other as it is."""
    if response.status_code == 200 and "json" in response.headers.get("content-type", ""):
        response.read()
        _amend(response)


async def amended_async(response: httpx.Response) -> None:
    """As `amended`."""
    if response.status_code == 200 and "json" in response.headers.get("content-type", ""):
        await response.aread()
        _amend(response)


def _amend(response: httpx.Response) -> None:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return
    if not isinstance(body, dict):
        return
    error = body if body.get("object") == "error" else body.get("error")
    if error and not body.get("choices"):
        response.status_code = _status(error if isinstance(error, dict) else {"message": error})
    elif _joins_blocks(body):
        response._content = json.dumps(body).encode()  # httpx has no public way to replace what was read


def _status(error: dict[str, Any]) -> int:
    for key in ("code", "status", "status_code"):
        code = error.get(key)
        number = int(str(code)) if str(code).isdecimal() else 0
        if 400 <= number < 600:
            return number
    said = f"{error.get('code')} {error.get('type')} {error.get('message')}"
    return next((status for status, words in _STATUS_OF_WORDS if words.search(said)), _UNKNOWN)


def _joins_blocks(body: dict[str, Any]) -> bool:
    """Whether a message of `body` held blocks, which are then one text."""
    found = False
    choices = body.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        blocks = message.get("content") if isinstance(message, dict) else None
        if isinstance(message, dict) and isinstance(blocks, list):
            texts = (block.get("text") for block in blocks if isinstance(block, dict))
            message["content"] = "".join(text for text in texts if isinstance(text, str))
            found = True
    return found
