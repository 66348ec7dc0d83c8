"""Words that a page's own styles write before and after elements: `.price::after { content: " EUR" }`.

Signs without a letter, figure, currency or per cent are bullets and icons, and no text; what is made of attributes and
counters is not written out.
"""

import re
import unicodedata
from typing import Any

import lxml.etree

from rag_app.read.html.html_tree import NO_XML
from rag_app.read.html.page_styles import PageStyles

_RULE = re.compile(r"(?:(?<=[{};])|\A)([^{};]*)\{([^{}]*)\}")
_PSEUDO = re.compile(r"::?(before|after)\s*\Z", re.I)
_STRING = r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
_CONTENT = re.compile(rf"(?<![\w-])content\s*:\s*(?P<words>{_STRING}(?:\s*{_STRING})*|none|normal)\s*(?:;|!|\Z)", re.I)
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.I | re.S)
_NOT_WORDS = re.compile(
    r"font(?:-family)?\s*:[^;]*(?:icon|awesome|symbol|glyph|dingbat)|display\s*:\s*none|visibility\s*:\s*hidden"
    r"|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0",
    re.I,
)
_APART = re.compile(r"display\s*:\s*(?:inline-)?block|(?:margin|padding)(?:-(?:left|right))?\s*:\s*[^0\s]", re.I)
_MOST_CSS = 500_000
_NO_TEXT = ("pre", "code", "script", "style", "head", "title", "svg", "button", "nav")


def write_generated(root: Any) -> None:
    """Writes the words into the tree of a page."""
    sheets = "".join(element.text or "" for element in root.iter("style"))[:_MOST_CSS]
    if not re.search(r":(?:before|after)\b", sheets, re.I):
        return
    words: list[str] = []
    sheet = _RULE.sub(lambda rule: _numbered(rule[1], rule[2], words), re.sub(r"/\*.*?\*/", "", sheets, flags=re.S))
    if not any(words):
        return
    holder = lxml.etree.Element("html")
    lxml.etree.SubElement(holder, "style").text = sheet
    styles = PageStyles(holder)
    body = root.find("body")
    for element in list(() if body is None else body.iter("*")):
        style = styles.of(element)
        before, after = (words[int(style.get(f"--{side}", "0"))] for side in ("before", "after"))
        if not (before or after) or next(element.iterancestors(*_NO_TEXT), element).tag in _NO_TEXT:
            continue
        element.text = before + (element.text or "")
        if after and len(element):
            element[-1].tail = (element[-1].tail or "") + after
        else:
            element.text += after


def _numbered(selectors: str, body: str, words: list[str]) -> str:
    """A rule for `::before` as one for the element itself, which says the number of its words; "" for any other."""
    if not words:
        words.append("")
    content = _CONTENT.search(body)
    rules: list[str] = []
    for selector in selectors.split(",") if content else ():
        if pseudo := _PSEUDO.search(selector):
            words.append(_words(content["words"], body) if content else "")
            rules.append(f"{selector[: pseudo.start()]}{{--{pseudo[1].lower()}:{len(words) - 1}}}")
    return "".join(rules)


def _words(content: str, body: str) -> str:
    """What a content shows; "" for mere signs, icons and what is hidden."""
    shown = "".join(_unescaped(string[1:-1]) for string in re.findall(_STRING, content))
    if _NOT_WORDS.search(body) or not any(c.isalnum() or c in "%°" or unicodedata.category(c) == "Sc" for c in shown):
        return ""
    return f" {shown} " if _APART.search(body) else shown


def _unescaped(string: str) -> str:
    def character(found: re.Match[str]) -> str:
        number = int(found[1], 16) if found[1] else 0
        return (chr(number) if 31 < number < 0xD800 or 0xDFFF < number < 0x110000 else " ") if found[1] else found[2]

    return NO_XML.sub(" ", _ESCAPE.sub(character, string))
