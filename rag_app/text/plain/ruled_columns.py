"""Tables whose columns are drawn by dashes below their names, as pipe tables: each value under its name.

Databases, printers and Pandoc write them:

    Berth     Summer   Winter
    -------- ------- --------
    A1            45       20
    B2                     25
"""

import re

_RULE = re.compile(r" {0,20}(?:-{2,}|={2,})(?: +(?:-{2,}|={2,}))+ *")
_FULL = re.compile(r" {0,20}-{10,} *")
_MOST_ROWS = 2000
Columns = list[tuple[int, int]]


def with_piped_columns(text: str, indent: int = 20) -> str:
    """`text` with such tables between pipes, unless they are set in further than `indent`; a table of which a word
    crosses two columns stays as it is."""
    if not re.search(r"(?:--|==) +(?:--|==)", text):
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    done: list[str] = []
    at = 0
    while at < len(lines):
        is_rule = _RULE.fullmatch(lines[at]) and len(lines[at]) - len(lines[at].lstrip()) <= indent
        found = _table(lines, at, len(done) > 0 and bool(done[-1].strip())) if is_rule else None
        if found is None:
            done.append(lines[at])
            at += 1
            continue
        above, table, at = found
        del done[len(done) - above :]
        while done and not done[-1].strip():
            done.pop()
        done += ["", *table, ""]
    return "\n".join(done)


def _table(lines: list[str], rule: int, has_names: bool) -> tuple[int, list[str], int] | None:
    """How many lines above a rule of dashes belong to its table, the table, and the line after it."""
    marks = [match.span() for match in re.finditer(r"-{2,}|={2,}", lines[rule])]
    above = 0
    while has_names and above < 5 and rule - above - 1 >= 0 and (line := lines[rule - above - 1]).strip():
        above += 1
        if _FULL.fullmatch(line):
            break
    framed = above > 1 and bool(_FULL.fullmatch(lines[rule - above]))
    names = lines[rule - above + framed : rule]
    if len(names) > 1 and not framed:
        names, above = names[-1:], 1  # what stands above the names is no part of the table
    end = rule + 1
    while end < min(len(lines), rule + _MOST_ROWS):
        line = lines[end]
        if not line.strip() and not framed:
            break
        if _RULE.fullmatch(line) or _FULL.fullmatch(line):
            break
        end += 1
    closed = end < len(lines) and bool(lines[end].strip())
    if framed and not closed:
        return None
    rows = _rows(lines[rule + 1 : end], framed=framed)
    header = _joined([_cells(line, marks) for line in names]) if names else [""] * len(marks)
    cells = [_joined([_cells(line, marks) for line in row]) for row in rows]
    if not cells or header is None or any(row is None for row in cells) or (not names and not closed):
        return None
    cells = [row for number, row in enumerate(cells) if row and not (number and _goes_on(row, cells[number - 1]))]
    shown = [_piped(header), "|" + " --- |" * len(marks), *(_piped(row) for row in cells if row)]
    return above, shown, end + closed


def _rows(lines: list[str], *, framed: bool) -> list[list[str]]:
    """The lines of each row: blank lines part them in a frame, else each line is one."""
    if not framed or all(line.strip() for line in lines):
        return [[line] for line in lines if line.strip()]
    rows: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            rows[-1].append(line)
        elif rows[-1]:
            rows.append([])
    return [row for row in rows if row]


def _cells(line: str, marks: Columns) -> list[str] | None:
    """What stands in each column; None where words cross two of them."""
    cells: list[str] = []
    line = line.ljust(marks[-1][1] + 1)
    for number, (start, end) in enumerate(marks):
        before = marks[number - 1][1] if number else 0
        after = marks[number + 1][0] if number + 1 < len(marks) else len(line)
        if number and line[before - 1 : before + 1].strip() and " " not in line[before - 1 : start + 1]:
            return None
        if number + 1 < len(marks) and line[end - 1 : after + 1].strip() and " " not in line[end - 1 : after + 1]:
            return None
        left = start
        while number and left > before and line[left - 1 : left].strip():
            left -= 1
        right = min(len(line), end)
        while (
            right < min(after, len(line)) and line[right].strip() and (right > end or line[right - 1 : right].strip())
        ):
            right += 1
        if number + 1 == len(marks):
            right = len(line)
        cells.append(line[left:right].strip())
    covered = sum(len("".join(cell.split())) for cell in cells)
    return cells if covered == len("".join(line.split())) else None


def _joined(lines: list[list[str] | None]) -> list[str] | None:
    """The cells of a row of several lines."""
    kept = [line for line in lines if line is not None]
    if len(kept) < len(lines):
        return None
    return [" ".join(filter(None, column)) for column in zip(*kept, strict=True)]


def _goes_on(row: list[str], above: list[str] | None) -> bool:
    """Whether a row only goes on with the cells above it, to which it is added then."""
    filled = [column for column, cell in enumerate(row) if cell]
    if above is None or row[0] or not filled or not all(row[at][0].islower() and above[at] for at in filled):
        return False
    for at in filled:
        above[at] += f" {row[at]}"
        row[at] = ""
    row[:] = above
    return True


def _piped(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
