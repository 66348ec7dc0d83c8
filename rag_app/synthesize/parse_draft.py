"""A model's reply as a draft: tolerant of how it is wrapped, strict about what it chose.

Asked for: {"parts": [{"part": 1, "labels": ["2.3", "4.1"]}, {"part": 2, "labels": []}], "search": ["..."]}.
Whether a label exists is for `validate.py` to say.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rag_app.errors import ModelError
from rag_app.llm.json_reply import json_values
from rag_app.question import Part
from rag_app.synthesize.draft import Draft, DraftPart

MAX_SEARCHES = 2
_CHOICES = ("labels", "label", "quotes", "quote")
_PART_KEY = re.compile(r"\s*(?:part|question)?[\s_#-]*([0-9]{1,3})\s*(?::.*)?", re.IGNORECASE | re.DOTALL)
_PLACEHOLDER = re.compile(r"<[^<>]*>")
_LABEL_LIST = re.compile(r"(?:[\s\d.,;&()\[\]{}-]|\band\b)*")
_BETWEEN_LABELS = re.compile(r"[,;&]|\band\b|(?<=[\])}])\s*(?=[\[({])")
_AROUND_LABEL = re.compile(r"[\s#\[({]*([0-9]+\.[0-9]+)[\])}.:;\s]*")
_LEADING_LABEL = re.compile(r"\A\s*[\[(][0-9]+\.[0-9]+[\])]\s+")
_NOTHING = ("", "none", "null", "n/a")
_MIN_QUOTE_WORDS = 3


class MalformedReply(ModelError):
    """A reply that cannot be read as a draft. `reason` says why: empty, without JSON, or JSON without choices."""

    def __init__(self, reason: Literal["empty", "no_json", "no_choices"], characters: int) -> None:
        what = {
            "empty": "The language model returned an empty reply",
            "no_json": "The language model's reply holds no readable JSON",
            "no_choices": "The JSON in the language model's reply names no choices for any part of the question",
        }[reason]
        super().__init__(f"{what}. Ask again, or choose another model.", reason=reason, characters=characters)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ParsedDraft:
    """What a model said."""

    draft: Draft
    """One part for each part of the question. Declined where nothing was chosen for any and no search asked for."""
    search: tuple[str, ...] = ()
    """Further searches that the model asks for, at most `MAX_SEARCHES`."""
    dropped: tuple[str, ...] = ()
    """What had to be ignored, a reason each; for `validate.record_drop`."""

    def over(self, earlier: "ParsedDraft") -> "ParsedDraft":
        """This draft, with the choices of an earlier one for the parts for which it chooses nothing."""
        pairs = zip(self.draft.parts, earlier.draft.parts, strict=True)
        parts = tuple(now if now.labels or now.quotes else before for now, before in pairs)
        is_decline = self.draft.declined and not any(part.labels or part.quotes for part in parts)
        return replace(self, draft=Draft(parts, self.draft.declined if is_decline else None))


def parse_draft(reply: str, parts: Sequence[Part]) -> ParsedDraft:
    """The draft in `reply` for the `parts` of the question; of several in one reply, the last.

    Raises:
        MalformedReply: there is none.
    """
    if not reply.strip():
        raise MalformedReply("empty", len(reply))
    values = json_values(reply)
    found: _Reader | None = None
    for value in _drafts(values):
        reader = _Reader(parts)
        if reader.read(value):
            found = reader
    if found is None:
        raise MalformedReply("no_choices" if values else "no_json", len(reply))
    return found.parsed()


def _drafts(values: list[Any]) -> list[Any]:
    """The values, with objects that are one part each, such as one a line, taken together."""
    entries = [value for value in values if isinstance(value, dict) and "part" in value and "parts" not in value]
    taken = set(map(id, entries))
    return [*([entries] if entries else []), *(value for value in values if id(value) not in taken)]


class _Reader:
    """Collects what one JSON value chooses for each part."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.labels: list[list[str]] = [[] for _ in parts]
        self.quotes: list[list[str]] = [[] for _ in parts]
        self.search: list[str] = []
        self.dropped: list[str] = []
        self.first = 1
        """The number of the first part: some models count from 0."""

    def read(self, value: Any) -> bool:
        """Whether the value has the shape of a draft."""
        if isinstance(value, list):
            return self.read_entries(value)
        if not isinstance(value, dict):
            return False
        self.read_search(value.get("search"))
        if "parts" in value:
            chosen = value["parts"]
            return self.read_keyed(chosen) if isinstance(chosen, dict) else self.read_entries(chosen)
        if any(key in value for key in _CHOICES):
            return self.read_entries([value])
        for inner in value.values():  # {"name": "reply", "arguments": {...}}
            inner = (json_values(inner) or [None])[-1] if isinstance(inner, str) else inner
            if isinstance(inner, dict) and "parts" in inner:
                return self.read(inner)
        return self.read_keyed(value) or bool(self.search)

    def read_entries(self, entries: Any) -> bool:
        if not isinstance(entries, list):
            return False
        if entries and len(self.parts) == 1 and all(isinstance(e, str) and _AROUND_LABEL.fullmatch(e) for e in entries):
            entries = [entries]
        self.number_from([entry.get("part") for entry in entries if isinstance(entry, dict)])
        is_read = [self.read_entry(entry, place) for place, entry in enumerate(entries)]
        return any(is_read) or not entries

    def read_entry(self, entry: Any, place: int) -> bool:
        named = str(place + self.first)
        if isinstance(entry, dict) and any(key in entry for key in _CHOICES):
            return self.read_choice(entry.get("part", named), entry)
        return isinstance(entry, list) and self.read_choice(named, {"labels": entry})

    def read_keyed(self, chosen: dict[str, Any]) -> bool:
        """{"1": ["2.3"], "part 2": {"labels": []}}"""
        if any(key in chosen for key in _CHOICES):
            return self.read_entries([chosen])
        self.number_from(list(chosen))
        is_read = False
        for key, value in chosen.items():
            if not _PART_KEY.fullmatch(key) and self.number(key) is None:
                continue
            choice = value if isinstance(value, dict) else {"labels": value}
            if any(name in choice for name in _CHOICES):
                is_read |= self.read_choice(key, choice)
        return is_read

    def number_from(self, named: list[Any]) -> None:
        """Counts parts from 0 where a part 0 is named, and none that would then be one too many."""
        numbers = {int(match[1]) for name in named if isinstance(name, str) and (match := _PART_KEY.fullmatch(name))}
        self.first = 0 if 0 in numbers and max(numbers) < len(self.parts) else 1

    def read_choice(self, part: Any, choice: dict[str, Any]) -> bool:
        labels = [label for key in ("labels", "label") for label in _labels(choice.get(key))]
        quotes = [quote for key in ("quotes", "quote") for quote in _texts(choice.get(key))]
        # A model may cut a question into parts that we did not: they all belong to the one there is.
        number = 0 if len(self.parts) == 1 else self.number(part)
        if number is None:
            named = repr(part[:40]) if isinstance(part, str) else f"<{type(part).__name__}>"
            self.dropped += [f"the question has no part {named}"] * (len(labels) + len(quotes))
            return False
        for label in labels:
            is_quote = len(label.split()) >= _MIN_QUOTE_WORDS and not _LABEL_LIST.fullmatch(label)
            (quotes if is_quote else self.labels[number]).append(label)
        self.quotes[number] += (_LEADING_LABEL.sub("", quote, count=1) for quote in quotes)
        return True

    def number(self, part: Any) -> int | None:
        """Index of a part from its number or from its words."""
        if not isinstance(part, str):
            return None
        if match := _PART_KEY.fullmatch(part):
            number = int(match[1]) - self.first
            return number if 0 <= number < len(self.parts) else None
        words = part.casefold().split()
        return next((at for at, known in enumerate(self.parts) if known.text.casefold().split() == words), None)

    def read_search(self, value: Any) -> None:
        # Half a surrogate pair, which JSON can spell, is no text to a search.
        texts = (text.encode("utf-8", "ignore").decode() for text in _texts(value))
        wanted = list(dict.fromkeys(words for text in texts if (words := " ".join(text.split()))))
        placeholders = [words for words in wanted if _PLACEHOLDER.fullmatch(words)]
        self.dropped += [f"{words} is nothing to search for" for words in placeholders]
        wanted = [words for words in wanted if words not in placeholders]
        self.search = wanted[:MAX_SEARCHES]
        self.dropped += [f"more than {MAX_SEARCHES} further searches"] * len(wanted[MAX_SEARCHES:])

    def parsed(self) -> ParsedDraft:
        chosen = zip(self.parts, self.labels, self.quotes, strict=True)
        drafted = tuple(
            DraftPart(part.text, tuple(dict.fromkeys(labels)), tuple(dict.fromkeys(quotes)))
            for part, labels, quotes in chosen
        )
        is_decline = not self.search and not self.dropped and not any(part.labels or part.quotes for part in drafted)
        return ParsedDraft(
            Draft(drafted, "model_declined" if is_decline else None), tuple(self.search), tuple(self.dropped)
        )


def _texts(value: Any) -> list[str]:
    """The texts in a text or a list. What is no text is named, so that it is counted when it maps onto nothing."""
    values = value if isinstance(value, list) else [value]
    texts = [one if isinstance(one, str) else f"<{type(one).__name__}>" for one in values if one is not None]
    return [text.strip() for text in texts if text.strip().casefold() not in _NOTHING]


def _bare(text: str) -> str:
    """A label without the marks around it (`#2.3.`); anything else as it is."""
    return around[1] if (around := _AROUND_LABEL.fullmatch(text)) else text


def _labels(value: Any) -> list[str]:
    """Labels without brackets and spaces around them. A range is left as it is: it is no label."""
    if isinstance(value, list):
        value = [one.get("label", one) if isinstance(one, dict) else one for one in value]
    found: list[str] = []
    for text in _texts(value):
        several = _BETWEEN_LABELS.split(text) if _LABEL_LIST.fullmatch(text) else [text]
        found += (label for one in several if (label := _bare(one.strip(" \t\r\n[](){}"))))
    return found
