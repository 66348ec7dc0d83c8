"""Names that documents call deprecated or removed, and questions that use them (English documentation)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag_app.document import Document
from rag_app.postprocess.quality import asked_symbols, names_symbol
from rag_app.show.lines import collapse
from rag_app.text.passages import cut_passages

_CODE = re.compile(r"`([^`\n]+)`")
_OUTDATED = re.compile(
    r"\b(?:deprecated|obsolete|removed|discontinued|old names?|no longer (?:works?|exists?))\b", re.I
)
_SAYS_SO = re.compile(
    r"\W*(?:\([^()]*\)\s*)?(?:is|are|was|were|has been)\s+(?:now\s+)?(?:deprecated|removed|obsolete)", re.I
)
_UNDER_HEADING = re.compile(r"\b(?:deprecated|removed|obsolete|old names?)\b", re.IGNORECASE)
_REPLACEMENT = re.compile(r"\b(?:use|instead|in place of|replaced by|renamed to|choose)\b|→|->", re.IGNORECASE)
_ARGUMENT = re.compile(r"[\w.]+\((\w+)=\)")
"""`Parser(strict=)`: an argument of something that stays."""
_KIND = r"(?:method|function|parameter|argument|option|class|setting|command|flag|attribute|extra)"
_MOST_PARTS = 4


@dataclass(frozen=True, slots=True)
class OldName:
    """A name that a document says not to use any more."""

    name: str
    parts: tuple[str, ...]
    """Its dotted parts in lower case, without arguments."""
    document_id: str
    statement: str


def old_names(documents: Iterable[Document]) -> list[OldName]:
    """The names that a statement calls deprecated or removed.

    Those are the first of a table row or list item under such a heading or lead-in, those of a list item that begins
    so, up to what to use instead, and any of which a sentence says so.
    """
    found: dict[tuple[str, ...], OldName] = {}
    for document in documents:
        for passage in cut_passages(document):
            heading = passage.section[-1] if passage.section else ""
            for statement in passage.statements:
                text = document.text[statement.start : statement.end]
                lead = " ".join(document.text[start:end] for start, end in statement.lead_in)
                for code in _outdated(text, statement.kind, f"{heading} {lead}"):
                    argument = _ARGUMENT.fullmatch(code)
                    name = argument[1] if argument else re.sub(r"[(=].*", "", code)
                    parts = next(iter(asked_symbols(f"`{name}`")), ())
                    if 0 < len(parts) <= _MOST_PARTS:
                        found.setdefault(parts, OldName(name, parts, document.document_id, collapse(text)))
    return list(found.values())


def _outdated(text: str, kind: str, above: str) -> list[str]:
    """What stands in code in a statement and is called outdated."""
    codes = list(_CODE.finditer(text))
    said = [code[1] for code in codes if _SAYS_SO.match(text, code.end())]
    if kind not in ("list_item", "table_row") or not codes:
        return said
    if re.match(r"\W*(?:deprecated|removed)\b", text, re.IGNORECASE):
        replacement = _REPLACEMENT.search(text)
        return [code[1] for code in codes if replacement is None or code.start() < replacement.start()]
    return [*said, codes[0][1]] if _UNDER_HEADING.search(above) else said


def used_in(question: str, names: Sequence[OldName]) -> list[OldName]:
    """Those of the names that a question uses without saying itself that they are outdated.

    A plain word such as `step` counts only beside what it is ("the step method"), in code, or as a call.
    """
    if _OUTDATED.search(question):
        return []
    symbols = asked_symbols(question)
    return [name for name in names if _is_used(name, question, symbols)]


def _is_used(name: OldName, question: str, symbols: tuple[tuple[str, ...], ...]) -> bool:
    last = name.parts[-1]
    if any(symbol in (name.parts, (last,)) for symbol in symbols):
        return True
    if "_" in last:
        return names_symbol(((last,),), question)
    word = re.escape(last)
    return bool(re.search(rf"\b{word}\s+{_KIND}\b|\b{_KIND}\s+{word}\b", question, re.IGNORECASE))
