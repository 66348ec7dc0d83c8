"""The words of a PDF page with their places, as pdfium finds them.

Places are in points from the upper left corner of the page as it is shown, y downwards. To ask pdfium about every
character takes most of the time of reading; so it is asked about the first and last character of a word, and about
the others only where those two belong to different text objects.
"""

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from rag_app.read.numerals import SUBSCRIPTS, SUPERSCRIPTS, SYMBOLS

_WORD = re.compile(r"\S+")
_BOLD = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
_BOLD_WEIGHT = 600
_MIN_SIZE = 1.0
"""Smaller letters, in points, cannot be seen."""
_NO_FILL, _INVISIBLE = (1, 2, 5), (3, 7)  # text render modes: stroked, and neither filled nor stroked
_NOTHING = "\u2060"
"""Holds the place of the second half of a character."""
_FIGURES = re.compile(r"[0-9]+")
_LIGATURES = SYMBOLS | str.maketrans(
    {
        "ﬀ": "ff",
        "ﬁ": "fi",
        "ﬂ": "fl",
        "ﬃ": "ffi",
        "ﬄ": "ffl",
        "ﬅ": "st",
        "ﬆ": "st",
        "\u00a0": " ",
        _NOTHING: "",
        "\ufffe": "-",
        "\u0002": "-",
    }
)


@dataclass(slots=True)  # not frozen: a page has a thousand, and frozen ones take three times as long to make
class Word:
    """Letters that stand together in one font."""

    text: str
    left: float
    right: float
    base: float
    """The baseline, downwards from the top of the page."""
    size: float
    """Of the font as shown, in points."""
    bold: bool = False
    turn: int = 0
    """Degrees that the line of text is turned by, clockwise: 0, 90, 180, 270, or -1 for any other angle."""
    unseen: bool = False
    """True where the letters themselves are neither filled nor stroked, as in the text layer of a scan."""
    joined: bool = False
    """True where nothing stands between this word and the one before: the font or its height changed in mid-word."""
    filled_in: bool = False
    """True for the value of a form field, which belongs to the label beside it."""
    order: int = 0
    """Position among the words of the page in the order in which they were drawn."""

    @property
    def top(self) -> float:
        return self.base - 0.75 * self.size

    @property
    def bottom(self) -> float:
        return self.base + 0.22 * self.size


@dataclass(frozen=True, slots=True)
class Frame:
    """How points of the page's own coordinates come to stand where they are shown."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float
    width: float
    height: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def turned(self, turn: int) -> "Frame":
        """The frame in which what is turned clockwise by `turn` (0, 90, 180 or 270 degrees) stands upright."""
        frame = self
        for _ in range(turn // 90):
            frame = Frame(
                frame.b, -frame.a, frame.d, -frame.c, frame.f, frame.width - frame.e, frame.height, frame.width
            )
        return frame


def page_frame(page: pdfium.PdfPage) -> Frame:
    """The frame of a page, which may be cropped, shifted and turned."""
    width, height = page.get_size()
    scale = 100

    def device(x: float, y: float) -> tuple[float, float]:
        found_x, found_y = ctypes.c_int(), ctypes.c_int()
        pdfium_c.FPDF_PageToDevice(
            page, 0, 0, int(width * scale), int(height * scale), 0, x, y, ctypes.byref(found_x), ctypes.byref(found_y)
        )
        return found_x.value / scale, found_y.value / scale

    (e, f), right, up = device(0, 0), device(1000, 0), device(0, 1000)
    return Frame(
        (right[0] - e) / 1000, (right[1] - f) / 1000, (up[0] - e) / 1000, (up[1] - f) / 1000, e, f, width, height
    )


def page_words(page: pdfium.PdfPage, frame: Frame) -> list[Word]:
    """All words of a page in the order in which they were drawn, those that cannot be seen included."""
    text_page = page.get_textpage()
    try:
        return list(_Words(text_page, frame).read())
    finally:
        text_page.close()


@dataclass(frozen=True, slots=True)
class _Style:
    size: float
    bold: bool
    turn: int
    unseen: bool
    colour: tuple[int, ...] = ()

    @property
    def shown(self) -> tuple[float, bool, int, bool]:
        return self.size, self.bold, self.turn, self.unseen


class _Words:
    def __init__(self, text_page: pdfium.PdfTextPage, frame: Frame) -> None:
        self.page, self.frame = text_page.raw, frame
        self.styles: dict[int, _Style] = {}
        self.box = pdfium_c.FS_RECTF()
        self.x, self.y = ctypes.c_double(), ctypes.c_double()

    def read(self) -> Iterator[Word]:
        order = 0
        for match in _WORD.finditer(self.text()):
            first, last = match.start(), match.end() - 1
            key, style = self.style(first)
            left, base = self.place(first)
            right = self.right_of(last)
            even = last == first or self.style(last)[0] == key
            if even and right - left < 1.1 * style.size * (last - first + 1):
                pieces = [(first, last, style, left, base, right)]
            else:
                pieces = list(self.pieces(first, last))
            for at, end, style, left, base, right in pieces:
                if style.size < _MIN_SIZE:
                    continue
                text = self.with_rises(match[0][at - first : end - first + 1], at, style).translate(_LIGATURES)
                yield Word(text, left, max(left, right), base, *style.shown, joined=at > first, order=order)
                order += 1

    def text(self) -> str:
        """One character for each that pdfium counts. What is no character is a space."""
        count = pdfium_c.FPDFText_CountChars(self.page)
        if count <= 0:
            return ""
        buffer = (ctypes.c_ushort * (count + 1))()
        written = pdfium_c.FPDFText_GetText(self.page, 0, count, buffer)
        text = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "surrogatepass")
        if len(text) != count or any("\ud800" <= c <= "\udfff" for c in text):
            text = _paired([pdfium_c.FPDFText_GetUnicode(self.page, at) for at in range(count)])
        return text.replace("\0", " ")

    def with_rises(self, text: str, first: int, style: _Style) -> str:
        """The text of a word, with figures that the font itself has raised or lowered shown as such."""
        if style.turn or not any(map(str.isdecimal, text)):
            return text
        found = list(text)
        for run in _FIGURES.finditer(text):
            for at in reversed(range(*run.span())):
                rise = self.rise(first + at, style.size)
                if not rise:
                    break
                found[at] = (SUPERSCRIPTS if rise > 0 else SUBSCRIPTS).get(text[at], text[at])
        return "".join(found)

    def rise(self, at: int, size: float) -> int:
        """1 where the ink of a figure begins well above its line, -1 where it ends well below the height of figures."""
        left, right, low, high = (ctypes.c_double() for _ in range(4))
        if not pdfium_c.FPDFText_GetCharBox(self.page, at, left, right, low, high):
            return 0
        _, base = self.place(at)
        ends = (self.frame.at(x.value, y.value)[1] for x, y in ((left, low), (right, high)))
        top, bottom = sorted((base - y for y in ends), reverse=True)
        if bottom > 0.2 * size:
            return 1
        return -1 if bottom < -0.08 * size and top < 0.5 * size else 0

    def pieces(self, first: int, last: int) -> Iterator[tuple[int, int, "_Style", float, float, float]]:
        """Parts of a word: the font changes in it, or letters stand far apart."""
        (key, style), (left, base) = self.style(first), self.place(first)
        start, right = first, self.right_of(first)
        for at in range(first + 1, last + 1):
            (begun, other), place = self.style(at), self.place(at)
            apart = place[0] - right > 0.25 * style.size or (
                begun != key and self.is_capital(at) > self.is_capital(at - 1)
            )
            key = begun
            if apart or other != style or abs(place[1] - base) > 0.05 * style.size:
                yield start, at - 1, style, left, base, right
                start, style, (left, base) = at, other, place
            right = self.right_of(at)
        yield start, last, style, left, base, right

    def is_capital(self, at: int) -> bool:
        return _character(pdfium_c.FPDFText_GetUnicode(self.page, at)).isupper()

    def place(self, at: int) -> tuple[float, float]:
        pdfium_c.FPDFText_GetCharOrigin(self.page, at, self.x, self.y)
        return self.frame.at(self.x.value, self.y.value)

    def right_of(self, at: int) -> float:
        pdfium_c.FPDFText_GetLooseCharBox(self.page, at, self.box)
        box = self.box
        return max(self.frame.at(box.left, box.bottom)[0], self.frame.at(box.right, box.top)[0])

    def style(self, at: int) -> tuple[int, "_Style"]:
        """The text object that a character belongs to, and how its letters look."""
        found = pdfium_c.FPDFText_GetTextObject(self.page, at)
        key = ctypes.addressof(found.contents) if found else 0
        if key not in self.styles:
            self.styles[key] = self.read_style(found, at)
        return key, self.styles[key]

    def read_style(self, found, at: int) -> _Style:
        matrix = pdfium_c.FS_MATRIX()
        angle = pdfium_c.FPDFText_GetCharAngle(self.page, at)
        size = pdfium_c.FPDFText_GetFontSize(self.page, at)
        if not found:
            return _Style(size, False, 0, False)
        pdfium_c.FPDFText_GetMatrix(self.page, at, matrix)
        shown = size * math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c))
        mode = pdfium_c.FPDFTextObj_GetTextRenderMode(found)
        font = pdfium_c.FPDFTextObj_GetFont(found)
        parts = [ctypes.c_uint() for _ in range(4)]
        pdfium_c.FPDFPageObj_GetFillColor(found, *parts)
        colour = tuple(part.value for part in parts)
        return _Style(round(shown, 1), _is_bold(font) or mode == 2, self.turn(angle), mode in _INVISIBLE, colour)

    def turn(self, angle: float) -> int:
        x, y = math.cos(angle), -math.sin(angle)  # pdfium counts clockwise
        shown = math.degrees(math.atan2(self.frame.b * x + self.frame.d * y, self.frame.a * x + self.frame.c * y))
        nearest = round(shown / 90) * 90
        return nearest % 360 if abs(shown - nearest) < 3 else -1


def _is_bold(font) -> bool:
    if not font:
        return False
    buffer = ctypes.create_string_buffer(128)
    length = pdfium_c.FPDFFont_GetBaseFontName(font, buffer, 128)
    name = buffer.raw[: max(0, min(length, 128) - 1)].decode("latin-1")
    return bool(_BOLD.search(name)) or pdfium_c.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT


def _paired(codes: Sequence[int]) -> str:
    """One character for each code: two that make one character are it and nothing, and letters of formulas are plain
    ones."""
    found: list[str] = []
    for at, code in enumerate(codes):
        before, after = codes[at - 1] if at else 0, codes[at + 1] if at + 1 < len(codes) else 0
        if 0xD800 <= code < 0xDC00 <= after < 0xE000:
            whole = chr(0x10000 + ((code - 0xD800) << 10) + after - 0xDC00)
            plain = unicodedata.normalize("NFKC", whole)
            found.append(plain if len(plain) == 1 else whole)
        elif 0xD800 <= before < 0xDC00 <= code < 0xE000:
            found.append(_NOTHING)
        else:
            found.append(_character(code))
    return "".join(found)


def _character(code: int) -> str:
    return " " if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)
