"""What is open while AsciiDoc is read, and the words of its lines without their markup."""

import re
from dataclasses import dataclass, field

from rag_app.read.html.html_pieces import escape
from rag_app.read.html.mathml import lowered, raised

_BUILT_IN = frozenset(("asciidoctor", "backend-html5", "basebackend-html", "doctype-article"))
"""Attributes that are set wherever AsciiDoc becomes a page."""
_INLINE = (
    (re.compile(r"\[\.?(?:line-through|strike|hidden)[^\]]*\]#+.+?#+"), ""),
    (re.compile(r"(?:link:)?(?:https?|ftp|mailto|link):[^\s\[\]]*\[([^\]]*)\]"), r"\1"),
    (re.compile(r"(?:xref|link):[^\s\[\]]+\[([^\]]*)\]"), r"\1"),
    (re.compile(r"<<[^<>,]+,\s*([^<>]+)>>"), r"\1"),
    (re.compile(r"<<([^<>,]+)>>"), r"\1"),
    (re.compile(r"(?:kbd|btn):\[([^\]]*)\]"), r"\1"),
    (re.compile(r"menu:([^\[]*)\[([^\]]*)\]"), r"\1 > \2"),
    (re.compile(r"image:[^\s\[\]]+\[([^\]]*)\]"), r"\1"),
    (re.compile(r"\[\[[^\]]*\]\]|\(\(\(.*?\)\)\)"), ""),
    (re.compile(r"\(\((.*?)\)\)"), r"\1"),
    (re.compile(r"\[[^\]\s]*\]#+(.+?)#+"), r"\1"),
)
_CONDITION = re.compile(r"(?P<kind>ifdef|ifndef)::(?P<names>[^\[\]\s]+)\[(?P<inside>.*)\]")
_COMPARED = re.compile(r"ifeval::\[(?P<left>.+?)\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<right>.+)\]")
_OPENS = re.compile(r"ifn?def::[^\[\]\s]+\[\]\s*$|ifeval::\[")


@dataclass(slots=True)
class State:
    """What was read so far."""

    blocks: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    """Lines of the paragraph that is open."""
    notes: list[str] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    language: str = ""
    options: str = ""
    """What stands in brackets above the next block."""
    after_list: int = -1
    """How many blocks there were behind the last list."""

    def flush(self) -> None:
        """Makes a block of the open paragraph."""
        if self.run:
            self.blocks.append("  \n".join(escape(" ".join(inline(line, self).split())) for line in _joined(self.run)))
            self.run = []

    def inner(self) -> "State":
        """The state of a block within an item."""
        return State(notes=self.notes, footnotes=self.footnotes, attributes=self.attributes)


def _joined(lines: list[str]) -> list[str]:
    """Lines of a paragraph as one, parted only at forced breaks (` +`)."""
    whole: list[str] = [""]
    for line in lines:
        hard = line.endswith(" +")
        whole[-1] += (" " if whole[-1] else "") + line.removesuffix(" +")
        if hard:
            whole.append("")
    return [line for line in whole if line]


def inline(text: str, state: State) -> str:
    """The words of a line; footnotes go to the end of the text."""
    text = _with_attributes(text, state)

    def note(match: re.Match[str]) -> str:
        state.footnotes.append(f"[^{len(state.footnotes) + 1}]: {match[1]}")
        return f"[^{len(state.footnotes)}]"

    text = re.sub(r"footnote:[\w-]*\[([^\]]*)\]", note, text)
    for pattern, by in _INLINE:
        text = pattern.sub(by, text)
    text = re.sub(r"\^([^\s^]+)\^", lambda m: raised(m[1]) if re.search(r"\d", m[1]) else m[1], text)
    return re.sub(r"~([^\s~]+)~", lambda m: lowered(m[1]) if re.search(r"\d", m[1]) else m[1], text)


def _with_attributes(text: str, state: State) -> str:
    return re.sub(r"\{([\w-]+)\}", lambda m: state.attributes.get(m[1], m[0]), text)


def after_condition(lines: list[str], at: int, state: State) -> int | None:
    """The number of the line to read next where a condition begins or ends; None for any other line.

    What stands under it is text where the document's own attributes say so.
    """
    line = lines[at].rstrip()
    if line.startswith("endif::"):
        return at + 1
    condition = _CONDITION.fullmatch(line)
    if condition:
        known = [name in state.attributes or name in _BUILT_IN for name in re.split(r"[,+]", condition["names"])]
        is_set = all(known) if "+" in condition["names"] else any(known)
        if is_set == (condition["kind"] == "ifdef"):
            lines[at] = condition["inside"]
            return at if condition["inside"] else at + 1
    elif compared := _COMPARED.fullmatch(line):
        if _holds(compared, state):
            return at + 1
    else:
        return None
    state.notes.append(
        f"{line.partition('[')[0] if condition else line} does not hold: what stands under it was not read."
    )
    if condition and condition["inside"]:
        return at + 1
    depth = 1
    while depth and at + 1 < len(lines):
        at += 1
        if lines[at].startswith("endif::"):
            depth -= 1
        elif _OPENS.match(lines[at]):
            depth += 1
    return at + 1


def _holds(compared: re.Match[str], state: State) -> bool:
    """Whether two values compare as `ifeval` says; texts that are both numbers compare as numbers."""
    left, right = (_with_attributes(compared[side].strip().strip("\"'"), state) for side in ("left", "right"))
    try:
        order = (float(left) > float(right)) - (float(left) < float(right))
    except ValueError:
        order = (left > right) - (left < right)
    holds = {"==": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}
    return holds[compared["sign"]]
