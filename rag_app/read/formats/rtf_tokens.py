"""The words, signs and controls of RTF in order, with the groups that they stand in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rag_app.errors import ReadError

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
SYMBOLS = 2
"""The character set of fonts whose letters are signs."""
_SIGNS = {
    "tab": "\t", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ", "~": "\u00a0", "_": "‑", "-": "",
    "\n": "\n", "\r": "\n",
    "{": "{", "}": "}", "\\": "\\",
}  # fmt: skip
_UNREAD = frozenset(
    """fonttbl colortbl stylesheet info header headerl headerr headerf footer footerl footerr footerf pict object
    filetbl listtable listoverridetable rsidtbl generator themedata colorschememapping latentstyles datastore xmlnstbl
    fldinst sp annotation atnid atnauthor atntime atndate atnref atnicn revtbl operator bkmkstart bkmkend xe tc tcn
    nonshppict objdata datafield pgptbl mmathPr wgrffmtfilter ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn""".split()
)
"""Destinations that hold no text of the document."""
_KNOWN = frozenset("shpinst shptxt shppict listtext pntext footnote fldrslt nestrow nesttableprops".split())
"""Destinations that are read although `\\*` lets readers pass them over."""
_MOST_GROUPS = 500


@dataclass(slots=True)
class Group:
    """What holds in a group, and in those within it."""

    destination: str = ""
    hidden: bool = False
    struck: bool = False
    deleted: bool = False
    rise: int = 0
    font: int = 0
    style: int = -1
    """Of a style sheet: which style is named."""
    skip: int = 1
    """Characters that stand for a Unicode character before them."""

    @property
    def is_shown(self) -> bool:
        return not (self.hidden or self.struck or self.deleted)


@dataclass(frozen=True, slots=True)
class Token:
    """A control word with its number, or a text (kind "text"), or the end of a group (kind "}")."""

    kind: str
    value: str
    number: int | None
    group: Group


@dataclass(slots=True)
class Source:
    """An RTF file."""

    data: bytes
    codepage: str = "cp1252"
    fonts: dict[int, int] = field(default_factory=dict)
    """Character sets of its fonts."""

    stack: list[Group] = field(default_factory=lambda: [Group()])
    """The groups that are open."""
    skip: int = 0
    """Characters still to pass over, as one before them stands for them."""
    opens: bool = False
    """Whether a group has just begun."""
    starred: bool = False

    def tokens(self) -> Iterator[Token]:
        """Everything, with the names of destinations that are not read. Raises ReadError."""
        waiting = bytearray()
        at = 0
        while found := _TOKEN.match(self.data, at):
            at = found.end()
            group = self.stack[-1]
            if text := found["text"] or (bytes.fromhex(found["hex"].decode()) if found["hex"] else b""):
                gone = min(self.skip, len(text))
                self.skip -= gone
                waiting += text[gone:]
                self.opens = False
                continue
            word = (found["word"] or found["sign"] or found["brace"] or b"").decode("latin-1")
            number = int(found["number"]) if found["number"] else None
            if self.skip and found["sign"] and word in _SIGNS:
                self.skip -= 1
                continue
            if waiting and word:
                yield Token("text", self._decoded(bytes(waiting), group), None, group)
                waiting.clear()
            if found["brace"]:
                yield from self._brace(word, group)
            elif word == "bin":
                at += max(0, number or 0)
            elif word:
                yield from self._word(word, number, group)

    def _brace(self, brace: str, group: Group) -> Iterator[Token]:
        self.skip = 0
        self.opens, self.starred = brace == "{", False
        if brace == "{":
            if len(self.stack) > _MOST_GROUPS:
                raise ReadError("The RTF is nested too deeply to be read: save it as .docx.", code="broken")
            self.stack.append(replace(group))
            return
        yield Token("}", "", None, group)
        if len(self.stack) > 1:
            self.stack.pop()

    def _word(self, word: str, number: int | None, group: Group) -> Iterator[Token]:
        if word == "*":
            self.starred = True
            return
        if word == "u" and number is not None:
            yield Token("text", chr(number % 0x10000), None, group)
            self.skip = group.skip
            return
        if self.starred or (self.opens and (word in _UNREAD or word in _KNOWN)):
            group.destination = word
            yield Token("destination", word, number, group)
        self.opens = self.starred = False
        self._set(group, word, number)
        yield Token("text", _SIGNS[word], None, group) if word in _SIGNS else Token(word, "", number, group)

    def _set(self, group: Group, word: str, number: int | None) -> None:
        on = number != 0
        match word:
            case "v":
                group.hidden = on
            case "strike" | "striked":
                group.struck = on
            case "deleted":
                group.deleted = on
            case "super" | "sub" | "nosupersub":
                group.rise = {"super": 1, "sub": -1}.get(word, 0) if on else 0
            case "up" | "dn":
                group.rise = (1 if word == "up" else -1) if number != 0 else 0
            case "plain":
                group.hidden = group.struck = group.deleted = False
                group.rise = 0
            case "uc":
                group.skip = number or 0
            case "f":
                group.font = number or 0
            case "fcharset":
                self.fonts[group.font] = number or 0
            case "ansicpg" if number:
                self.codepage = f"cp{number}"
            case "mac":
                self.codepage = "mac_roman"
            case _:
                pass

    def _decoded(self, letters: bytes, group: Group) -> str:
        charset = self.fonts.get(group.font, 0)
        if charset == SYMBOLS:
            return re.sub("[\x80-\xff]", "•", letters.decode("latin-1"))
        try:
            return letters.decode(_CHARSETS.get(charset, self.codepage), "replace")
        except LookupError:
            return letters.decode("cp1252", "replace")


def is_unread(group: Group) -> bool:
    """Whether the words of a group belong to no text."""
    return bool(group.destination) and group.destination not in _KNOWN
