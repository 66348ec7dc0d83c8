"""AsciiDoc (.adoc, .asciidoc) as Markdown: what technical texts use of it. Nothing is included from other files."""

import re

from rag_app.errors import ReadError
from rag_app.read.access_signs import signs_at_beginning
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.formats.asciidoc_inline import State, after_condition, inline
from rag_app.read.formats.asciidoc_lists import begins_item, read_list
from rag_app.read.formats.asciidoc_table import separator_of, table_text
from rag_app.read.front_matter import split_front_matter
from rag_app.read.html.html_pieces import escape

_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):\s*(.*)")
_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*)")
_BREAK = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}|- - -|\* \* \*")
_BLOCK_LINE = re.compile(r"\[(?P<inside>[^\[\]]*)\]")
_FENCES = {"----": "code", "....": "code", "```": "code", "====": "open", "****": "open", "____": "open", "--": "open",
           "++++": "drop", "////": "drop"}  # fmt: skip
_MACRO = re.compile(r"(?:image|video|audio|toc|include|ifdef|ifndef|ifeval|endif)::\S*?\[(?P<inside>[^\]]*)\]")


def read_asciidoc(data: bytes) -> Extracted:
    """The text as Markdown. Raises ReadError."""
    source = decode(data)
    front_matter, start = split_front_matter(source, always=False)
    signs = () if start else signs_at_beginning(source)
    state = State()
    lines = source[start:].replace("\r\n", "\n").split("\n")
    at = 0
    try:
        while at < len(lines):
            at = _read(lines, at, state)
    except RecursionError as error:
        raise ReadError("The AsciiDoc is nested too deeply to be read: export it as HTML.", code="broken") from error
    state.flush()
    text = "\n\n".join([*state.blocks, *state.footnotes]) + "\n"
    return Extracted(text, front_matter=front_matter, access_signs=signs, notes=tuple(state.notes))


def _read(lines: list[str], at: int, state: State) -> int:
    """Reads what begins at a line; returns the number of the line after it."""
    line = lines[at].rstrip()
    bare = re.sub(r"(.)\1{4,}", lambda m: m[1] * 4, line) if re.fullmatch(r"(\S)\1{3,}", line) else line
    if bare in _FENCES and (bare != "--" or line == "--"):
        state.flush()
        return _fenced(lines, at, _FENCES[bare], state)
    if line.startswith(("|===", ",===", ":===", "!===")):
        state.flush()
        return _table(lines, at, state)
    if not line:
        state.flush()
    elif line.startswith("//"):
        pass
    elif attribute := _ATTRIBUTE.fullmatch(line):
        _set_attribute(attribute, state)
    elif (after := after_condition(lines, at, state)) is not None:
        return after
    elif _BREAK.fullmatch(line):
        state.flush()
        state.blocks.append("---")
    elif macro := _MACRO.fullmatch(line):
        state.flush()
        _include_or_image(macro, state)
    elif heading := _HEADING.fullmatch(line):
        state.flush()
        state.blocks.append(f"{'#' * len(heading[1])} {inline(heading[2], state)}")
    elif (block := _BLOCK_LINE.fullmatch(line)) and not state.run:
        _set_options(block["inside"], state)
    elif re.match(r"\.[^\s.]", line) and not state.run:
        state.flush()
        state.blocks.append(escape(inline(line[1:], state)))
    elif begins_item(line) and not state.run:
        return read_list(lines, at, state, _read)
    else:
        state.run.append(line)
    return at + 1


def _set_attribute(attribute: re.Match[str], state: State) -> None:
    """`:name: value` sets an attribute of the document, `:!name:` removes it."""
    if "!" in attribute[1]:
        state.attributes.pop(attribute[1].strip("!"), None)
    else:
        state.attributes[attribute[1]] = attribute[2]


def _set_options(inside: str, state: State) -> None:
    """`[source,python]` and the like: what the next block is."""
    parts = [part.strip() for part in inside.split(",")]
    state.options = inside
    state.language = parts[1] if parts[0] == "source" and len(parts) > 1 else ""


def _include_or_image(macro: re.Match[str], state: State) -> None:
    """Names a file that would be included; writes what an image shows, where the document says it."""
    line = macro.string
    if line.startswith("include::"):
        state.notes.append(f"{line.partition('[')[0]} was not read: nothing is included from other files.")
    elif line.startswith("image::") and macro["inside"]:
        state.blocks.append(escape(macro["inside"].split(",")[0].strip('"')))


def _fenced(lines: list[str], at: int, kind: str, state: State) -> int:
    fence = lines[at].rstrip()
    end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == fence), len(lines))
    inside = lines[at + 1 : end]
    if kind == "code":
        language, state.language = state.language, ""
        ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", "\n".join(inside))), default=0))
        state.blocks.append(f"{ticks}{language}\n" + "\n".join(inside) + f"\n{ticks}")
    elif kind == "open":
        at += 1
        while at < end:
            at = _read(lines, at, state)
        state.flush()
    return end + 1


def _table(lines: list[str], at: int, state: State) -> int:
    fence = lines[at].rstrip()
    end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == fence), len(lines))
    separator = separator_of(fence, state.options)
    table = table_text(lines[at + 1 : end], separator, state.options, lambda text: inline(text, state))
    if table:
        state.blocks.append(table)
    state.options = ""
    return end + 1
