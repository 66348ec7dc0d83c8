"""Records in JSON (.json, .jsonl, .ndjson): each with its title as a heading, its text, and its other fields."""

import json
from collections.abc import Iterator
from typing import Any

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.html.html_pieces import escape

TEXT_FIELDS = ("text", "content", "body", "page_content", "contents", "passage", "document", "answer", "description")
"""Names under which a record's text is looked for, in this order."""
_TITLE_FIELDS = ("title", "heading", "name", "question", "subject", "headline")
_DEEPEST = 4


def read_json(data: bytes) -> Extracted:
    """The records with a text field, in order, as Markdown. Raises ReadError (code "no_text" where none has one)."""
    text = decode(data)
    try:
        found = [json.loads(text)]
    except RecursionError as error:
        raise ReadError("The JSON is nested too deeply to be read.", code="broken") from error
    except ValueError:
        found = list(_lines(text))
    parts: list[str] = []
    missing = 0
    around = ""
    """Fields of what holds the next records."""
    for record, holds_records in _records(found, 0):
        if holds_records:
            around = "\n".join(f"- {name}: {_shown(value)}" for name, value in record.items() if _shown(value))
            continue
        field = next((name for name in TEXT_FIELDS if isinstance(record.get(name), str) and record[name].strip()), None)
        if field is None:
            missing += 1
            continue
        parts += ["---", around] if around else []
        around = ""
        parts += _record(record, field)
    if not parts:
        fields = ", ".join(TEXT_FIELDS[:4])
        raise ReadError(f"No record has a text field: name the field with the text one of {fields}.", code="no_text")
    notes = (f"{missing} records without a text field were not read.",) if missing else ()
    return Extracted(
        "\n\n".join(parts) + "\n",
        titled_by_heading=len(parts) < 4,
        access_signs=access_names(pairs(found)),
        notes=notes,
    )


def pairs(value: Any) -> Iterator[tuple[str, str]]:
    """Names and values, as texts, at any depth of JSON; what holds others is a value too."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            yield from (
                (name, str(inner) if isinstance(inner, (str, int, float)) else str(inner and "others"))
                for name, inner in each.items()
            )
            waiting += each.values()


def _lines(text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ReadError(f"Line {number} is not valid JSON: correct it.", code="broken") from error


def _records(values: list[Any], depth: int) -> Iterator[tuple[dict[str, Any], bool]]:
    """Objects that stand in lists, or alone. Those that hold lists of objects are gone through: first comes what else
    they say, with True."""
    for value in values:
        if isinstance(value, list) and depth < _DEEPEST:
            yield from _records(value, depth + 1)
        elif isinstance(value, dict):
            inner = [v for v in value.values() if isinstance(v, list) and any(isinstance(e, dict) for e in v)]
            if not any(isinstance(value.get(name), str) for name in TEXT_FIELDS) and inner and depth < _DEEPEST:
                beside = {name: other for name, other in value.items() if not any(other is each for each in inner)}
                if any(map(_shown, beside.values())):
                    yield beside, True
                yield from _records(inner, depth + 1)
            else:
                yield value, False


def _record(record: dict[str, Any], field: str) -> list[str]:
    title = next((name for name in _TITLE_FIELDS if isinstance(record.get(name), str) and record[name].strip()), None)
    parts = [f"## {' '.join(record[title].split())}"] if title else ["---"]
    parts.append(record[field].strip())
    others = [
        f"- {name}: {_shown(value)}" for name, value in record.items() if name not in (title, field) and _shown(value)
    ]
    return [*parts, "\n".join(others)] if others else parts


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return escape(" ".join(value.split()))
    if isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value):
        return ", ".join(map(str, value))
    return "; ".join(_flat(value, ""))


def _flat(value: Any, above: str) -> list[str]:
    """Values within values, each behind the names that lead to it; the fields of an object in a list stay together."""
    if isinstance(value, dict):
        return [each for name, inner in value.items() for each in _flat(inner, f"{above} {name}".strip())]
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return [f"{above} ({', '.join(_flat(item, ''))})".strip() for item in value if item not in (None, {}, [])]
    shown = _shown(value)
    return [f"{above}: {shown}" if above else shown] if shown else []
