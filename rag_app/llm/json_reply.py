"""Finds the JSON in what a model said, however it is wrapped: in prose, a code fence, a text of its own, in lines.

Numbers are read as the characters they are written in: as a number the label 2.10 would become 2.1.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

_MOST_FAILURES = 200
"""Brackets that open no JSON, after which the rest is not read: each may cost as much as the whole reply is long."""
_SLIPS_LENGTH, _SLIPS_DEPTH = 5_000, 50
"""Characters and opening brackets of what the tolerant reader is given: it is slow, and slower the deeper it goes."""
_OPENING = re.compile(r"\{|\[\s*\{")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\w*\s*")
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)


def json_values(reply: str) -> list[Any]:
    """The objects and lists in a reply, outermost ones, in order; failing that, one with slips such as trailing commas.

    A list of anything but objects counts only where it is all that was said: in prose, `[2.3]` may be a citation.
    """
    text = _unfenced(reply)
    whole = _whole(text)
    if isinstance(whole, str):  # JSON within a JSON text
        whole = _whole(whole)
    if isinstance(whole, (list, dict)):
        return [whole]
    return list(_within(text)) or _with_slips(text)


def _unfenced(reply: str) -> str:
    """What stands between a fence in the first line and one in the last; the whole reply where there are none."""
    lines = reply.strip().split("\n")
    if len(lines) > 2 and _FENCE.fullmatch(lines[0]) and _FENCE.fullmatch(lines[-1]):
        return "\n".join(lines[1:-1])
    return reply


def _whole(text: str) -> Any:
    try:
        return _DECODER.decode(text.strip().lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _within(text: str) -> Iterator[Any]:
    place = failures = 0
    while failures < _MOST_FAILURES and (opening := _OPENING.search(text, place)):
        try:
            value, place = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            place, failures = opening.start() + 1, failures + 1
        else:
            yield value


def _with_slips(text: str) -> list[Any]:
    first, last = text.find("{"), text.rfind("}")
    if not 0 <= first < last or last - first > _SLIPS_LENGTH or _depth(text) > _SLIPS_DEPTH:
        return []
    try:
        return [yaml.load(text[first : last + 1], Loader=yaml.BaseLoader)]  # makes only texts, lists and dictionaries
    except (yaml.YAMLError, RecursionError):
        return []


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        depth += (character in "{[") - (character in "}]")
        deepest = max(deepest, depth)
    return deepest
