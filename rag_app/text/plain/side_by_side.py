"""Plain text in columns side by side, as newsletters and printed PDFs have it: one column after the other.

Read line by line, each sentence of it would be woven out of two. Tables are no such text: their cells do not go on in
small letters in the line below, on both sides.
"""

import re

_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
_CLOSED = re.compile(r"""[.!?:;][)\]"'”’»]*$""")
_DRAWN = re.compile(r"[|+│║┌╔]")
_LABELS = re.compile(r"\s*\S+(?: \S+)+: {3,}\S+(?: \S+)+:\s*")
"""What stands above two blocks side by side, as of the parties of a contract: "Bill to:    Ship to:"."""
_FEWEST = 4
"""Lines with words on both sides."""
_FEWEST_WORDS = 2.5
_LOWER = 0.25
"""Share of the lines of a column that begin in small letters, at least."""
_OPEN = 0.5
"""Share of the lines of a column that end within a sentence, at least."""
_NARROWEST = 3
_MOST_COLUMNS = 4
_MOST_LINES = 150
"""Of columns; pages are shorter."""


def one_after_the_other(text: str) -> str:
    """`text`, with columns that stand side by side set below each other; anything else is as it was."""
    return _unwoven(text, _MOST_COLUMNS)


def _unwoven(text: str, columns: int) -> str:
    if columns < 2 or not _GAP.search(text):
        return text
    lines = text.split("\n")
    done: list[str] = []
    at = 0
    while at < len(lines):
        tried = _GAP.search(lines[at]) is not None and not _DRAWN.match(lines[at].lstrip())
        found = _region(lines, at) if tried else None
        if found is None:
            done.append(lines[at])
            at += 1
            while tried and at < len(lines) and lines[at].strip():  # no part of a paragraph is in columns
                done.append(lines[at])
                at += 1
            continue
        end, left, right = found
        left, right = (_unwoven("\n".join(side), columns - 1).strip("\n") for side in (left, right))
        done += [left, "", right, ""] if end < len(lines) and lines[end].strip() else [left, "", right]
        at = end
    return "\n".join(done)


def _region(lines: list[str], first: int) -> tuple[int, list[str], list[str]] | None:
    """Where text in two columns that begins at a line ends, and both columns; None where there is no such text."""
    gutter = {at for gap in _GAP.finditer(lines[first]) for at in range(*gap.span())}
    labels = bool(_LABELS.fullmatch(lines[first]))
    last = first
    for number in range(first, min(len(lines), first + _MOST_LINES)):
        line = lines[number].rstrip("\r")
        if "\t" in line or ("\f" in line and number > first) or (labels and not line.strip()):
            break
        if line.strip():
            narrowed = {at for at in gutter if at >= len(line) or line[at] == " "}
            if not _is_wide(narrowed):
                break
            gutter, last = narrowed, number
    middle = max(_runs(gutter), key=len)
    end = 1 + max((n for n in range(first, last + 1) if lines[n][middle[-1] :].strip()), default=first)
    while end <= last and lines[end].strip():  # what comes below a blank line may stand below both columns
        end += 1
    left = [line[: middle[-1]].rstrip() for line in lines[first:end]]
    right = [line[middle[-1] + 1 :].rstrip() for line in lines[first:end]]
    both = sum(bool(a.strip() and b.strip()) for a, b in zip(left, right, strict=True))
    if (labels and both > 1) or (both >= _FEWEST and all(map(_is_prose, (left, right)))):
        return end, left, right
    return None


def _runs(gutter: set[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for at in sorted(gutter):
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _is_wide(gutter: set[int]) -> bool:
    return any(len(run) >= _NARROWEST for run in _runs(gutter))


def _is_prose(column: list[str]) -> bool:
    """Whether the lines of a column go on in the lines below them."""
    filled = [line.strip() for line in column if line.strip()]
    words = sum(len(line.split()) for line in filled)
    lower = sum(line[0].islower() and "@" not in line for line in filled)
    cells = sum(bool(_GAP.search(line)) for line in filled)
    if cells > 1 and _unwoven("\n".join(column), _MOST_COLUMNS - 1) == "\n".join(column):
        return False  # rows of a table
    goes_on = sum(not _CLOSED.search(line) for line in filled)
    return words >= _FEWEST_WORDS * len(filled) and lower >= _LOWER * len(filled) and goes_on >= _OPEN * len(filled)
