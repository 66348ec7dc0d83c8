"""What stands elsewhere and limits a statement: footnotes, starred remarks, numbered notes; and what a colon announces.

"Refunded within 10 days.[^1]" is not what the document says without "[^1]: only if all keys are returned". So the note
becomes the statement's lead-out, and the statement the note's lead-in. A sign counts as a reference only where a note
begins with the same sign: a superscript may be an exponent, and a star a multiplication.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from rag_app.document import Span
from rag_app.text.block import Block
from rag_app.text.blocks import parse_blocks
from rag_app.text.statements import Statement, cut_statements

MAX_LEAD_OUTS = 6
_MAX_ANNOUNCED_WORDS = 80
_MAX_ANNOUNCED_LINES = 12
_MAX_NOTE_WORDS = 120
_NEAR = 400
"""A starred remark belongs to a star at most so many statements above it."""
_UNITS = re.compile(r"(?:^|[\s\d(/])(?:m|cm|mm|km|dm|ft|in|yd|mi|s|x|y|z|r|n|a|b|c|R)$")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN_OF = str.maketrans(_RAISED, "0123456789")
_REFERENCE = re.compile(
    rf"\[\^(?P<named>[^\]\s]{{1,40}})\](?!:)"
    rf"|(?<=[^\s\[(])(?P<raised>[{_RAISED}]{{1,3}}|[ᵃ-ᶻ](?![ᵃ-ᶻ\w]))"
    r"|(?<=[\w.)\"”%€$£])(?P<star>(?:\\?\*){1,4}|[†‡]{1,3})(?![\w*])"
    r"|\\?\[(?P<bracket>\d{1,3})\\?\](?![(\[:])"
    r"|\b(?:foot)?notes?\s+\(?(?P<note>\d{1,3}|[a-z])\)?(?!\w)"
    r"|\b(?:Anmerkung|Anm\.|Fu(?:ß|ss)note)\s*(?P<anmerkung>\d{1,3})",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    rf"\[\^(?P<named>[^\]\s]{{1,40}})\]:"
    rf"|(?P<raised>[{_RAISED}]{{1,3}}|[ᵃ-ᶻ])\s*(?=\S)"
    r"|(?P<star>(?:\\?\*){1,4}|[†‡]{1,3})\s*(?=[^\s*])"
    r"|\\?\[(?P<bracket>\d{1,3})\\?\]:?\s+(?=\S)"
    r"|(?:[*_]{1,2})?(?:foot)?note\s+\(?(?P<note>\d{1,3}|[a-z])\)?\s*[:.)–—-]"
    r"|(?:[*_]{1,2})?(?:Anmerkung|Anm\.|Fu(?:ß|ss)note)\s*(?P<anmerkung>\d{1,3})\s*[:.)–—-]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\(?(\d{1,3}|[a-z])[.)]\s")
_NOTES = re.compile(r"\W*(?:foot|end)?notes?\W*|\W*(?:anmerkungen|fu(?:ß|ss)noten)\W*", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])[^*]*[^\s*\\]\1(?!\*)")
"""Stars around words: in "**Minor releases** are …" they are not the sign of a note."""
_STAR_BULLET = re.compile(r"(?<!\*)(\*{1,4})[ \t]+$")
_COLON_AT_END = re.compile(r"""[:：]["'”’»)\]*_~`\s]*$""")

Pairs = list[tuple[Statement, Block]]


def with_lead_outs(text: str, pairs: Pairs) -> Pairs:
    """The statements, each with the notes that it refers to and with the short list or code that its colon announces;
    a note depends on the first statement that refers to it."""
    notes = _notes(text, pairs)
    outs: dict[int, list[Span]] = {}
    ins: dict[int, Span] = {}
    for index, (statement, _) in enumerate(pairs):
        for first, last in _referred(text, statement, index, notes):
            span = pairs[first][0].start, pairs[last][0].end
            if span not in outs.setdefault(index, []):
                outs[index].append(span)
            for note in range(first, last + 1):
                ins.setdefault(note, statement.span)
    for index, span in _announced(text, pairs):
        outs.setdefault(index, []).append(span)
    result: Pairs = []
    for index, (statement, block) in enumerate(pairs):
        lead_in = statement.lead_in
        if (limited := ins.get(index)) and limited[1] <= statement.start and limited not in lead_in:
            lead_in = (*lead_in, limited)
        lead_out = tuple(outs.get(index, ())[:MAX_LEAD_OUTS])
        changed = lead_in != statement.lead_in or lead_out
        result.append((replace(statement, lead_in=lead_in, lead_out=lead_out) if changed else statement, block))
    return result


def whole_statements(text: str, markup: Literal["markdown", "plain"] = "markdown", start: int = 0) -> list[Statement]:
    """The statements of `text[start:]` with their lead-outs; see `split_statements`."""
    pairs = cut_statements(text, parse_blocks(text, markup, start), markup)
    return [statement for statement, _ in with_lead_outs(text, pairs)]


class _Notes:
    """Where notes stand: by sign, the numbers of their first and last statements, in order."""

    def __init__(self) -> None:
        self.firsts: dict[str, list[int]] = {}
        self.last: dict[int, int] = {}

    def add(self, key: str, first: int, last: int) -> None:
        self.firsts.setdefault(key, []).append(first)
        self.last[first] = last

    def find(self, key: str, index: int) -> tuple[int, int] | None:
        """The nearest note with a sign below a statement, or above it where a note may stand anywhere."""
        firsts = self.firsts.get(key)
        if not firsts:
            return None
        at = bisect_right(firsts, index)
        if at < len(firsts):
            if key.startswith("star") and firsts[at] - index > _NEAR:
                return None
            return firsts[at], self.last[firsts[at]]
        if key.startswith("star") or self.last[firsts[-1]] >= index:
            return None
        return firsts[-1], self.last[firsts[-1]]


def _notes(text: str, pairs: Pairs) -> _Notes:
    notes = _Notes()
    blocks: list[tuple[int, int]] = []
    for index, (_, block) in enumerate(pairs):
        if blocks and pairs[blocks[-1][0]][1] is block:
            blocks[-1] = blocks[-1][0], index
        else:
            blocks.append((index, index))
    for first, last in blocks:
        statement, block = pairs[first]
        if key := _note_key(text, statement, block):
            words = len(text[statement.start : pairs[last][0].end].split())
            notes.add(key, first, last if words <= _MAX_NOTE_WORDS else first)
    return notes


def _note_key(text: str, statement: Statement, block: Block) -> str:
    """The sign that a note begins with; "" for any other statement."""
    if statement.kind in ("table_row", "code"):
        return ""
    match = _DEFINITION.match(text, statement.start, statement.end)
    if match and (match.lastgroup != "star" or _is_star_note(text, statement, match.end())):
        return _key(match)
    if block.kind == "list_item":
        line = text[max(0, statement.start - 8) : statement.start]
        if stars := _STAR_BULLET.search(line):
            return f"star{stars[1]}"
        numbered = _NUMBERED.match(text, statement.start, statement.end)
        heading = block.section.path[-1] if block.section.path else ""
        above = text[slice(*statement.lead_in[-1])] if statement.lead_in else ""
        if numbered and (_NOTES.fullmatch(heading) or _NOTES.fullmatch(above)):
            return f"note{numbered[1].lower()}"
    return ""


def _is_star_note(text: str, statement: Statement, begins: int) -> bool:
    """Whether the stars at the start of a statement are the sign of a note, not those around its first words."""
    emphasis = _EMPHASIS.match(text, statement.start, statement.end)
    return begins < statement.end and (emphasis is None or emphasis.end() == statement.end)


def _key(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    sign = match[kind]
    if kind == "named":
        return f"named{sign}"
    if kind == "star":
        return f"star{sign.replace(chr(92), '')}"
    return f"note{sign.translate(_PLAIN_OF).lower()}"


def _referred(text: str, statement: Statement, index: int, notes: _Notes) -> Iterator[tuple[int, int]]:
    if not notes.firsts or statement.kind == "code":
        return
    emphases = _EMPHASIS.finditer(text, statement.start, statement.end)
    closing = {found.end() - len(found[1]) for found in emphases}
    seen: set[str] = set()
    for match in _REFERENCE.finditer(text, statement.start, statement.end):
        key = _key(match)
        if key in seen or match.start() in closing:
            continue
        seen.add(key)
        before = text[max(statement.start, match.start() - 6) : match.start()]
        if match["raised"] and (_UNITS.search(before) or (before[-1:].isdigit() and statement.kind != "table_row")):
            continue  # an exponent
        found = notes.find(key, index)
        if found and not found[0] <= index <= found[1]:
            yield found


def _announced(text: str, pairs: Pairs) -> Iterator[tuple[int, Span]]:
    """Sentences that end in a colon, with each part of the short list or code below that they announce."""
    for index, (statement, block) in enumerate(pairs):
        if statement.kind == "code" or not _COLON_AT_END.search(
            text, max(statement.start, statement.end - 12), statement.end
        ):
            continue
        spans: list[Span] = []
        words = 0
        for other, of in pairs[index + 1 : index + 2 + MAX_LEAD_OUTS]:
            if of is block or statement.span not in other.lead_in or of.kind not in ("code", "list_item"):
                break
            if of.kind == "code" and text.count("\n", other.start, other.end) >= _MAX_ANNOUNCED_LINES:
                break
            spans.append(other.span)
            words += len(text[other.start : other.end].split())
            if of.kind == "code":
                break
        else:
            if len(spans) > MAX_LEAD_OUTS:
                continue
        if words <= _MAX_ANNOUNCED_WORDS and not _goes_on(pairs, index + 1 + len(spans), statement):
            yield from ((index, span) for span in spans)


def _goes_on(pairs: Pairs, at: int, statement: Statement) -> bool:
    """Whether the list is longer than what was taken of it: half a list is not shown."""
    return at < len(pairs) and pairs[at][1].kind == "list_item" and statement.span in pairs[at][0].lead_in
