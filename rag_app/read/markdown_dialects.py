"""What programs add to Markdown, as Markdown that says the same: admonitions, tabs, details, callouts, comments.

MkDocs, Docusaurus, Obsidian, Quarto and GitHub each show more than CommonMark knows. What opens by a click or belongs
to a title becomes an item of a list with that title, so that no sentence is shown without it.
"""

import re
from bisect import bisect_right

from rag_app.read.html.html_file import html_to_markdown
from rag_app.text.markdown import code_spans
from rag_app.text.plain.ruled_columns import with_piped_columns

_FENCE = re.compile(r"[ \t>]*(?:[-*+] |\d{1,9}[.)] )?[ \t]*(`{3,}|~{3,})")
_TITLED = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<kind>[\w-]+)(?:[ \t]+[\w-]+)*"
    r"(?:[ \t]+(?P<quote>[\"'])(?P<title>.*)(?P=quote))?"
    r"|===[!+]?[ \t]+\"(?P<tab>.+)\")[ \t]*"
)
"""The first line of an admonition, of one that opens by a click, or of a tab, of MkDocs."""
_COLONS = re.compile(
    r"[ \t]*:{3,}[ \t]*(?:(?:\{[^{}]*\}|[\w-]+)(?:\[(?P<label>[^\[\]]*)\])?(?P<title>(?:[ \t]+\S+)*?))?[ \t]*:*"
)
"""A line of Docusaurus, Quarto or Pandoc around a part of the text."""
_CALLOUT = re.compile(r"(?P<quote>[ \t]*(?:>[ \t]*)+)\[![\w-]+\][+-]?[ \t]+(?P<title>\S.*)")
_MODULE = re.compile(r"(?:import\s[^;]*\bfrom\s*|import\s+|export\s[^;]*\bfrom\s*)[\"'][^\"']+[\"'];?[ \t]*")
_TAB_ITEM = re.compile(
    r"[ \t]*<(?:TabItem|Tab|Accordion|AccordionItem)\b[^<>]*?\b(?:label|title)=[\"']([^\"']+)[\"'][^<>]*>[ \t]*"
)
_COMMENTS = re.compile(
    r"^[ \t]*%%(?=\s).{0,1000}?%%[ \t]*$|(?<=\s)%%[ \t][^%\n]{1,1000}%%[ \t]*$|\{/\*.{0,1000}?\*/\}"
    r"|\{--(?:(?!\n\s*\n).){0,1000}?--\}|\{>>(?:(?!\n\s*\n).){0,1000}?<<\}"
    r"|\{~~(?:(?!\n\s*\n|~>).){0,1000}?~>(?P<new>(?:(?!\n\s*\n|~~\}).){0,1000}?)~~\}",
    re.S | re.M,
)
"""Notes for writers, and deleted text with the signs of a change (CriticMarkup); none is very long."""
_DASHES = re.compile(r"^ {0,3}--+ +--", re.M)
_TABLE = re.compile(r"(?m)^ {0,3}<table\b(?:(?!<table\b).)*?</table>[ \t]*$", re.S | re.I)
_DETAILS = re.compile(
    r"[ \t]*(?:<details\b[^<>]*>[ \t]*)?(?:<summary\b[^<>]*>(?P<title>.*?)</summary>)?(?P<rest>.*)", re.I
)
_TAG = re.compile(r"<[^<>]*>")
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+")
_LONGEST = 200
"""Lines of details."""
_BLOCK = "+   "
"""An item with a bullet that is hardly ever used, so that it joins no list above it."""
_SIGNS = ("!!!", "???", "===", ":::", "[!", "import ", "export ", "<Tab", "<Acc", "<details", "<DETAILS")


def plain_markdown(text: str, start: int = 0) -> str:
    """`text` in which what follows `start` is Markdown without additions; the same text where there are none."""
    body = _outside_code(text[start:])
    if any(sign in body for sign in _SIGNS):
        body = _with_parts(body)
    return text[:start] + body


def _outside_code(body: str) -> str:
    """The text without comments for writers, and with HTML tables as tables, except in code."""
    if not ("<table" in body.lower() or _COMMENTS.search(body) or _DASHES.search(body)):
        return body
    pieces: list[str] = []
    text: list[str] = []
    fence = ""

    def end_text() -> None:
        joined = "".join(text)
        code = _code_spans(joined)

        def shown(found: re.Match[str]) -> str:
            before = bisect_right(code, (found.start(), len(joined))) - 1
            if before >= 0 and found.start() < code[before][1]:
                return found[0]
            return found["new"] or re.sub(r"[^\r\n]+", "", found[0])

        without = _COMMENTS.sub(shown, joined)
        pieces.append(_TABLE.sub(lambda found: f"\n{html_to_markdown(found[0])[1]}", with_piped_columns(without, 3)))
        text.clear()

    for line in body.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            pieces.append(line)
            fence = "" if mark and mark[1].startswith(fence) and not line.strip(" \t\r\n>`~") else fence
        elif mark:
            end_text()
            pieces.append(line)
            fence = mark[1]
        else:
            text.append(line)
    end_text()
    return "".join(pieces)


def _code_spans(text: str) -> list[tuple[int, int]]:
    return [
        (paragraph.start() + start, paragraph.start() + end)
        for paragraph in (_PARAGRAPH.finditer(text) if "`" in text else ())
        for start, end in code_spans(paragraph[0])
    ]


def _with_parts(body: str) -> str:
    lines = body.replace("\r\n", "\n").split("\n")
    done: list[str] = []
    fence = ""
    inside = 0
    """How many details are open."""
    quote = ""
    """What stands before each line of the callout that is open."""
    for number, line in enumerate(lines):
        indent = "    " * inside
        if quote and line.startswith(quote):
            done.append(f"{indent}{quote}     {line[len(quote) :].removeprefix(' ')}".rstrip())
            continue
        quote = ""
        mark = _FENCE.match(line)
        if fence or mark:
            if mark and (not fence or (mark[1].startswith(fence) and not line.strip(" \t>`~"))):
                fence = "" if fence else mark[1]
            done.append(indent + line)
            continue
        below = next((other for other in lines[number + 1 : number + 3] if other.strip()), "")
        titled = _TITLED.fullmatch(line)
        if titled and (number == 0 or not lines[number - 1].strip()) and below.startswith(f"{titled['indent']}    "):
            title = titled["tab"] or titled["title"] or (titled["kind"] or "").capitalize()
            done += [f"{indent}{titled['indent']}{_BLOCK}{title}", ""]
        elif colons := _COLONS.fullmatch(line):
            title = (colons["label"] or colons["title"] or "").strip()
            done += ["", f"{indent}**{title}**" if title else "", ""]
        elif callout := _CALLOUT.fullmatch(line):
            quote = callout["quote"].rstrip()
            done += [f"{indent}{quote} {_BLOCK}{callout['title'].strip()}", indent + quote]
        elif _MODULE.fullmatch(line):
            done.append("")
        elif item := _TAB_ITEM.fullmatch(line):
            done += ["", f"{indent}**{item[1]}**", ""]
        else:
            inside = _add(done, line, inside, lines, number)
    return "\n".join(done)


def _add(done: list[str], line: str, inside: int, lines: list[str], number: int) -> int:
    """Adds a line, of details without their tags; returns how many details are open below it."""
    indent = "    " * inside
    lower = line.lower()
    if "<details" not in lower and not (inside and ("<summary" in lower or "</details" in lower)):
        done.append(indent + line if line.strip() else line)
        return inside
    if "<details" in lower and not _closes(lines, number):
        done.append(line)
        return inside
    found = _DETAILS.fullmatch(line)
    title = " ".join(_TAG.sub("", found["title"] or "").split()) if found else ""
    rest = _TAG.sub("", found["rest"]).strip() if found else ""
    if "<details" in lower:
        inside += 1
    if title:
        done += ["", f"{'    ' * (inside - 1)}{_BLOCK}{title}", ""]
    if rest:
        done += ["    " * inside + rest, ""]
    return max(0, inside - lower.count("</details"))


def _closes(lines: list[str], number: int) -> bool:
    """Whether details have their summary in this line or the next ones, an end, and no heading before it."""
    if not any("<summary" in line.lower() for line in lines[number : number + 3]):
        return False
    for line in lines[number : number + _LONGEST]:
        if "</details" in line.lower():
            return True
        if re.match(r" {0,3}#{1,6} ", line):
            return False
    return False
