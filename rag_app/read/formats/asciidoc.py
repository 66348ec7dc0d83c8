"""AsciiDoc (.adoc, .asciidoc) as Markdown: what technical texts use of it. Nothing is included from other files."""

import re
from dataclasses import dataclass, field

from rag_app.read.access_signs import signs_at_beginning
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.formats.asciidoc_table import table_text
from rag_app.read.front_matter import split_front_matter
from rag_app.read.html.html_pieces import escape
from rag_app.read.html.mathml import lowered, raised
from rag_app.read.numerals import letters

_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):\s*(.*)")
_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*)")
_ITEM = re.compile(r"\s*(?P<mark>\*{1,5}|\.{1,5}|-|\d+\.)\s+(?P<text>\S.*)")
_TERM = re.compile(r"\s*(?P<term>[^\s:].*?)(?P<mark>:{2,4}|;;)(?:\s+(?P<text>\S.*))?")
_BLOCK_LINE = re.compile(r"\[(?P<inside>[^\[\]]*)\]")
_FENCES = {"----": "code", "....": "code", "```": "code", "====": "open", "****": "open", "____": "open", "--": "open",
           "++++": "drop", "////": "drop"}  # fmt: skip
_MACRO = re.compile(r"(?:image|video|audio|toc|include|ifdef|ifndef|ifeval|endif)::\S*?\[(?P<inside>[^\]]*)\]")
_CONDITION = re.compile(r"(?P<kind>ifdef|ifndef)::(?P<names>[^\[\]\s]+)\[(?P<inside>.*)\]")
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


@dataclass(slots=True)
class _State:
    blocks: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    """The kinds of marks of the open list, outermost first."""
    continued: bool = False
    """A `+` says that the next block belongs to the item above."""
    language: str = ""
    options: str = ""

    def flush(self) -> None:
        if self.run:
            self.add("  \n".join(escape(" ".join(_inline(line, self).split())) for line in _joined(self.run)))
            self.run = []

    def add(self, block: str) -> None:
        if self.continued and self.marks:
            indent = "   " * len(self.marks)
            block = "\n".join(indent + line if line else line for line in block.split("\n"))
        elif not self.continued:
            self.marks, self.counts = [], []
        self.continued = False
        self.blocks.append(block)


def read_asciidoc(data: bytes) -> Extracted:
    """The text as Markdown. Raises ReadError."""
    source = decode(data)
    front_matter, start = split_front_matter(source, always=False)
    signs = () if start else signs_at_beginning(source)
    state = _State()
    lines = source[start:].replace("\r\n", "\n").split("\n")
    at = 0
    while at < len(lines):
        at = _read(lines, at, state)
    state.flush()
    text = "\n\n".join([*state.blocks, *state.footnotes]) + "\n"
    return Extracted(text, front_matter=front_matter, access_signs=signs, notes=tuple(state.notes))


def _read(lines: list[str], at: int, state: _State) -> int:
    """Reads what begins at a line; returns the number of the line after it."""
    line = lines[at].rstrip()
    bare = re.sub(r"(.)\1{4,}", lambda m: m[1] * 4, line) if re.fullmatch(r"(\S)\1{3,}", line) else line
    if bare in _FENCES and (bare != "--" or line == "--"):
        state.flush()
        return _fenced(lines, at, _FENCES[bare], state)
    if line.startswith(("|===", ",===", "!===")):
        state.flush()
        return _table(lines, at, state)
    if not line:
        state.flush()
    elif line == "+" and state.marks:
        state.flush()
        state.continued = True
    elif line.startswith("//"):
        pass
    elif attribute := _ATTRIBUTE.fullmatch(line):
        _set_attribute(attribute, state)
    elif condition := _CONDITION.fullmatch(line):
        return _conditional(lines, at, condition, state)
    elif macro := _MACRO.fullmatch(line):
        state.flush()
        _include_or_image(macro, state)
    elif heading := _HEADING.fullmatch(line):
        state.flush()
        state.marks = []
        state.blocks.append(f"{'#' * len(heading[1])} {_inline(heading[2], state)}")
    elif (block := _BLOCK_LINE.fullmatch(line)) and not state.run:
        _set_options(block["inside"], state)
    elif re.match(r"\.[^\s.]", line) and not state.run:
        state.flush()
        state.add(escape(_inline(line[1:], state)))
    elif item := _ITEM.fullmatch(line):
        state.flush()
        _item(item, state)
    elif (term := _TERM.fullmatch(line)) and not state.run:
        at = _definition(lines, at, term, state)
    else:
        state.run.append(line)
    return at + 1


def _set_attribute(attribute: re.Match[str], state: _State) -> None:
    """`:name: value` sets an attribute of the document, `:!name:` removes it."""
    if "!" in attribute[1]:
        state.attributes.pop(attribute[1].strip("!"), None)
    else:
        state.attributes[attribute[1]] = attribute[2]


def _set_options(inside: str, state: _State) -> None:
    """`[source,python]` and the like: what the next block is."""
    parts = [part.strip() for part in inside.split(",")]
    state.options = inside
    state.language = parts[1] if parts[0] == "source" and len(parts) > 1 else ""


def _include_or_image(macro: re.Match[str], state: _State) -> None:
    """Names a file that would be included; writes what an image shows, where the document says it."""
    line = macro.string
    if line.startswith("include::"):
        state.notes.append(f"{line.partition('[')[0]} was not read: nothing is included from other files.")
    elif line.startswith("image::") and macro["inside"]:
        state.add(escape(macro["inside"].split(",")[0].strip('"')))


def _conditional(lines: list[str], at: int, condition: re.Match[str], state: _State) -> int:
    """What stands under `ifdef` or `ifndef` is text where the document's own attributes say so."""
    known = [name in state.attributes or name in _BUILT_IN for name in re.split(r"[,+]", condition["names"])]
    is_set = all(known) if "+" in condition["names"] else any(known)
    if is_set == (condition["kind"] == "ifdef"):
        lines[at] = condition["inside"]
        return at if condition["inside"] else at + 1
    state.notes.append(f"{condition[0].partition('[')[0]} does not hold: what stands under it was not read.")
    if condition["inside"]:
        return at + 1
    depth = 1
    while depth and at + 1 < len(lines):
        at += 1
        if lines[at].startswith("endif::"):
            depth -= 1
        elif re.match(r"if(?:n?def|eval)::.*\[(?:\]\s*$|.*[<>=])", lines[at]):
            depth += 1
    return at + 1


def _joined(lines: list[str]) -> list[str]:
    """Lines of a paragraph as one, parted only at forced breaks (` +`)."""
    whole: list[str] = [""]
    for line in lines:
        hard = line.endswith(" +")
        whole[-1] += (" " if whole[-1] else "") + line.removesuffix(" +")
        if hard:
            whole.append("")
    return [line for line in whole if line]


def _item(item: re.Match[str], state: _State) -> None:
    mark = item["mark"] if not item["mark"][0].isdigit() else "."
    if mark in state.marks:
        depth = state.marks.index(mark) + 1
        state.marks, state.counts = state.marks[:depth], state.counts[:depth]
    else:
        state.marks.append(mark)
        state.counts.append(_start(state.options))
    state.options = ""
    number = state.counts[-1]
    state.counts[-1] += 1
    marker = "-"
    text = _inline(item["text"], state)
    if mark[0] == ".":
        level = sum(1 for other in state.marks if other[0] == ".")
        if level == 2:  # as AsciiDoc shows the second level
            text = f"{letters(number)}. {text}"
        else:
            marker = f"{number}."
    line = f"{'   ' * (len(state.marks) - 1)}{marker} {text}"
    joined = bool(state.blocks) and re.match(r"\s*(?:-|\d+\.) ", state.blocks[-1].rpartition("\n")[2])
    if joined and len(state.marks) + state.counts[-1] > 2:
        state.blocks[-1] += "\n" + line
    else:
        state.blocks.append(line)
    state.run = []


def _start(options: str) -> int:
    found = re.search(r"start=\"?(\d+)", options)
    return int(found[1]) if found else 1


def _definition(lines: list[str], at: int, term: re.Match[str], state: _State) -> int:
    text = [term["text"]] if term["text"] else []
    while at + 1 < len(lines) and not text and not lines[at + 1].strip():
        at += 1
    while (
        at + 1 < len(lines) and (line := lines[at + 1].strip()) and not _TERM.fullmatch(line) and not _ITEM.match(line)
    ):
        if line == "+" or line in _FENCES:
            break
        text.append(line)
        at += 1
    name = _inline(term["term"], state)
    state.flush()
    state.blocks.append(f"- {name}: {_inline(' '.join(text), state)}" if text else f"- {name}")
    state.marks, state.counts = [":"], [1]
    return at


def _fenced(lines: list[str], at: int, kind: str, state: _State) -> int:
    fence = lines[at].rstrip()
    end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == fence), len(lines))
    inside = lines[at + 1 : end]
    if kind == "code":
        language, state.language = state.language, ""
        ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", "\n".join(inside))), default=0))
        state.add(f"{ticks}{language}\n" + "\n".join(inside) + f"\n{ticks}")
    elif kind == "open":
        at += 1
        while at < end:
            at = _read(lines, at, state)
        state.flush()
    return end + 1


def _table(lines: list[str], at: int, state: _State) -> int:
    fence = lines[at].rstrip()
    end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == fence), len(lines))
    separator = "," if fence.startswith(",") else "|"
    table = table_text(lines[at + 1 : end], separator, state.options, lambda text: _inline(text, state))
    if table:
        state.add(table)
    state.options = ""
    return end + 1


def _inline(text: str, state: _State) -> str:
    text = re.sub(r"\{([\w-]+)\}", lambda m: state.attributes.get(m[1], m[0]), text)

    def note(match: re.Match[str]) -> str:
        state.footnotes.append(f"[^{len(state.footnotes) + 1}]: {match[1]}")
        return f"[^{len(state.footnotes)}]"

    text = re.sub(r"footnote:[\w-]*\[([^\]]*)\]", note, text)
    for pattern, by in _INLINE:
        text = pattern.sub(by, text)
    text = re.sub(r"\^([^\s^]+)\^", lambda m: raised(m[1]) if re.search(r"\d", m[1]) else m[1], text)
    return re.sub(r"~([^\s~]+)~", lambda m: lowered(m[1]) if re.search(r"\d", m[1]) else m[1], text)
