"""What a document says about itself: YAML at the head of the file, or in a side file next to it.

Texts (ids, titles, versions, dates) are taken as written, since YAML would turn version 1.10 into 1.1 and id 007 into
7. Access fields keep YAML's types: a number where a name belongs is odd, and odd means nobody may read.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

from rag_app.document import is_showable
from rag_app.errors import ReadError
from rag_app.principal import ACCESS_FIELDS, AccessRule
from rag_app.read.access_signs import access_names

_TEXT_FIELDS = ("document_id", "title", "source_name", "source_path", "version", "effective_date", "supersedes")
_IDS = ("document_id", "supersedes")
"""Compared with each other, and with ids that are made from file names: hence in one normal form."""
_FIELDS = (*_TEXT_FIELDS, *ACCESS_FIELDS, "department")
_MOST = 100_000
"""Code points of YAML that are looked at: its parser is slow, and no real front matter comes near."""
_OPENING = re.compile(r"\s*---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?:^|(?<=[\r\n]))---[ \t]*(?:\r\n|\n|\r|\Z)")
_FIELD_LINE = re.compile(rf"(?:^|(?<=[\r\n]))(?:{'|'.join(_FIELDS)})[ \t]*:", re.I)
_TABS = re.compile(r"(?m)(?<=[:,\[{-])[ \t]*\t[ \t]*|[ \t]*\t[ \t]*(?=#|\r?$)")
"""Tabs that YAML allows and its parser does not: after a colon, dash or comma, before a comment, at a line's end."""
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ].*)?")

_Wrong = Callable[[str], ReadError]


@dataclass(frozen=True, slots=True)
class Fields:
    """What front matter or a side file states; None or empty where it states nothing."""

    document_id: str | None = None
    title: str | None = None
    source: str | None = None
    version: str | None = None
    effective_date: date | None = None
    supersedes: tuple[str, ...] = ()
    access: AccessRule | None = None
    unread_access: tuple[str, ...] = ()
    """Names of fields of other systems that seem to say who may read it."""


def split_front_matter(text: str, *, always: bool) -> tuple[str, int]:
    """The YAML between the first two `---` lines, and the offset of the body after them; ("", 0) without any.

    Unless `always`, a block that has none of our fields (in a plain text file, say) is part of the text. Raises
    ReadError (code "front_matter") where front matter begins and does not end.
    """
    opening = _OPENING.match(text)
    if not opening:
        return "", 0
    closing = _CLOSING.search(text, opening.end())
    if closing:
        block = text[opening.end() : closing.start()]
        return (block, closing.end()) if always or _FIELD_LINE.search(block[:_MOST]) else ("", 0)
    if _FIELD_LINE.match(text, opening.end()):
        raise ReadError(
            "The front matter does not end: close it with a line of three dashes (---).", code="front_matter"
        )
    return "", 0


def begins_another(body: str) -> bool:
    """Whether what follows front matter opens with another block of it."""
    return bool(_OPENING.match(body))


def read_fields(front_matter: str, side_file: str = "") -> Fields:
    """Both sources as one; the side file wins field by field, and its access fields replace all of the front matter's.

    Raises ReadError with the code "front_matter" or "side_file" where one is not a YAML mapping or a field is wrong.
    """
    fields, signs = _load(front_matter, "front_matter", "front matter")
    side, more_signs = _load(side_file, "side_file", "side file")
    if any(name in side for name in ACCESS_FIELDS):
        fields = {name: value for name, value in fields.items() if name not in ACCESS_FIELDS}
    fields |= side
    return Fields(
        document_id=fields.get("document_id"),
        title=fields.get("title"),
        source=fields.get("source_path") or fields.get("source_name"),
        version=fields.get("version"),
        effective_date=fields.get("effective_date"),
        supersedes=fields.get("supersedes") or (),
        access=AccessRule.from_fields(fields) if any(name in fields for name in ACCESS_FIELDS) else None,
        unread_access=(*signs, *more_signs),
    )


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases, which can blow up a few lines into gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)


def _load(source: str, code: str, where: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields that are read, and the names of others that seem to say who may read."""

    def wrong(what: str) -> ReadError:
        return ReadError(f"The {where} is wrong: {what}.", code=code)

    source = _TABS.sub(_spaces, source)
    if len(source) > _MOST:
        raise wrong(f"it is longer than {_MOST:,} characters; shorten it")
    loader = None
    try:
        loader = _Loader(source)  # looks for characters that YAML forbids
        root = loader.get_single_node()
        if root is None:
            return {}, ()
        if not isinstance(root, yaml.MappingNode):
            raise wrong("it must be lines of the form `name: value` (a mere rule at the top is written ***)")
        fields: dict[str, Any] = {}
        for key_node, node in root.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            name = _name(key) if isinstance(key, str) else None
            if name == "<<" or (name not in ACCESS_FIELDS and _holds_access(node)):
                raise wrong(f"{key!r} must not hold other fields: write each of them on a line of its own")
            if name not in _FIELDS:
                if isinstance(key, str) and (near := difflib.get_close_matches(str(name), ACCESS_FIELDS, 1, 0.8)):
                    raise wrong(f"{key!r} is no field: did you mean {near[0]!r}?")
                continue
            if name != key or name in fields:
                raise wrong(f"{key!r} should be written {name!r}" if name != key else f"{name!r} stands in it twice")
            fields[name] = _value(name, node, loader, wrong)
        return fields, access_names(_pairs(root))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in its line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise wrong(f"{problem}{line}; correct it, or put texts with a colon in quotes") from error
    except (ValueError, RecursionError, OverflowError) as error:
        raise wrong(f"a value in it cannot be read ({type(error).__name__}); correct it") from error
    finally:
        if loader is not None:
            loader.dispose()


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _name(key: str) -> str:
    """A key as it may have been meant."""
    return re.sub(r"[\s-]", "_", unicodedata.normalize("NFKC", key).strip().lower())


def _pairs(node: yaml.Node) -> Iterator[tuple[str, str]]:
    """Names and values at any depth of YAML; what holds others is a value too."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _pairs(item)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and _name(key.value) not in _FIELDS:
                yield key.value, value.value if isinstance(value, yaml.ScalarNode) else str(value.value and "others")
            yield from _pairs(value)


def _holds_access(node: yaml.Node) -> bool:
    """Whether an access field stands within a value, where nobody looks for it."""
    if isinstance(node, yaml.SequenceNode):
        return any(map(_holds_access, node.value))
    return isinstance(node, yaml.MappingNode) and any(
        (isinstance(key, yaml.ScalarNode) and _name(key.value) in ACCESS_FIELDS) or _holds_access(value)
        for key, value in node.value
    )


def _value(name: str, node: yaml.Node, loader: _Loader, wrong: _Wrong) -> Any:
    """The value of one field, checked; None where it is left empty."""
    if name not in _TEXT_FIELDS:
        return loader.construct_object(node, deep=True)
    if name == "supersedes" and isinstance(node, yaml.SequenceNode):
        return tuple(filter(None, (_text(name, item, wrong) for item in node.value)))
    text = _text(name, node, wrong)
    if name == "supersedes":
        return (text,) if text else ()
    if name == "effective_date" and text:
        return _date(text, wrong)
    return text


def _text(name: str, node: yaml.Node, wrong: _Wrong) -> str | None:
    if not isinstance(node, yaml.ScalarNode):
        raise wrong(f"{name} must be a text, not a list or a mapping")
    if node.tag == "tag:yaml.org,2002:null":
        return None
    text = " ".join(node.value.split())
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        raise wrong(f"{name} holds control characters")
    if name in _IDS and not all(map(is_showable, text)):
        raise wrong(f"{name} holds characters that cannot be shown; an id is what a citation names")
    return (unicodedata.normalize("NFC", text) if name in _IDS else text) or None


def _date(text: str, wrong: _Wrong) -> date:
    found = _DATE.fullmatch(text)
    try:
        if found:
            return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        pass
    raise wrong(f"effective_date {text!r} is no date; write it as year-month-day, like 2024-05-31")
