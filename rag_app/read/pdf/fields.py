"""What was written on a page later: values of form fields, ticks, and text boxes, as words in their places."""

import ctypes
from collections.abc import Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from rag_app.read.pdf.pdf_words import Frame, Word
from rag_app.read.pdf.tables.rulings import Box

_HIDDEN = 0x02 | 0x20  # flags Hidden and NoView
_PASSWORD = 1 << 13
_LARGEST = 11.0
_MAX_TEXT = 100_000
_MAX_NOTES = 1000
"""Annotations of one page that are looked at."""
TICKED, UNTICKED = "☒", "☐"


def written_words(document: pdfium.PdfDocument, page: pdfium.PdfPage, frame: Frame, words: list[Word]) -> list[Word]:
    """The words of fields and text boxes. `words` are those of the page, among which the labels are."""
    found: list[Word] = []
    count = min(pdfium_c.FPDFPage_GetAnnotCount(page.raw), _MAX_NOTES)
    for index in range(count):
        note = pdfium_c.FPDFPage_GetAnnot(page.raw, index)
        if not note:
            continue
        try:
            found += _of_note(document, note, frame, words)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(note)
    return found


def struck_boxes(page: pdfium.PdfPage, frame: Frame) -> list[Box]:
    """Where readers struck text out with their PDF program (annotations of the kind StrikeOut)."""
    found: list[Box] = []
    for index in range(min(pdfium_c.FPDFPage_GetAnnotCount(page.raw), _MAX_NOTES)):
        note = pdfium_c.FPDFPage_GetAnnot(page.raw, index)
        if not note:
            continue
        try:
            if pdfium_c.FPDFAnnot_GetSubtype(note) != pdfium_c.FPDF_ANNOT_STRIKEOUT:
                continue
            if pdfium_c.FPDFAnnot_GetFlags(note) & _HIDDEN:
                continue
            for number in range(min(pdfium_c.FPDFAnnot_CountAttachmentPoints(note), _MAX_NOTES)):
                quad = pdfium_c.FS_QUADPOINTSF()
                if pdfium_c.FPDFAnnot_GetAttachmentPoints(note, number, quad):
                    corners = [
                        frame.at(x, y)
                        for x, y in ((quad.x1, quad.y1), (quad.x2, quad.y2), (quad.x3, quad.y3), (quad.x4, quad.y4))
                    ]
                    across, down = zip(*corners, strict=True)
                    found.append((min(across), min(down), max(across), max(down)))
        finally:
            pdfium_c.FPDFPage_CloseAnnot(note)
    return found


def _of_note(document: pdfium.PdfDocument, note, frame: Frame, words: list[Word]) -> Iterator[Word]:
    if pdfium_c.FPDFAnnot_GetFlags(note) & _HIDDEN:
        return
    kind = pdfium_c.FPDFAnnot_GetSubtype(note)
    if kind == pdfium_c.FPDF_ANNOT_FREETEXT:
        text = _string(lambda buffer, size: pdfium_c.FPDFAnnot_GetStringValue(note, b"Contents", buffer, size))
        box = _box(note, frame)
        size = min(_LARGEST, max(4.0, (box[3] - box[1]) * 0.7))
        yield from _set(text.split(), box, box[1] + size, size, filled_in=False)
    elif kind == pdfium_c.FPDF_ANNOT_WIDGET and document.formenv is not None:
        yield from _of_field(document.formenv.raw, note, _box(note, frame), words)


def _of_field(form, note, box: Box, words: list[Word]) -> Iterator[Word]:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, note)
    flags = pdfium_c.FPDFAnnot_GetFormFieldFlags(form, note)
    size = min(_LARGEST, max(4.0, (box[3] - box[1]) * 0.7))
    beside = _beside(words, box)
    base = beside.base if beside else (box[1] + box[3]) / 2 + 0.3 * size
    if kind in (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON):
        mark = TICKED if pdfium_c.FPDFAnnot_IsChecked(form, note) else UNTICKED
        yield Word(mark, box[0], box[2], base, beside.size if beside else size)
    elif kind in _WITH_TEXT and not flags & _PASSWORD:
        value = _string(lambda buffer, length: pdfium_c.FPDFAnnot_GetFormFieldValue(form, note, buffer, length)).split()
        if not value:
            return
        if not _has_label(words, box):
            label = _name(form, note)
            value = [*(label if label.endswith(":") else label + ":").split(), *value] if label else value
        yield from _set(value, box, base, beside.size if beside else size, filled_in=True)


_WITH_TEXT = (
    pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
    pdfium_c.FPDF_FORMFIELD_COMBOBOX,
    pdfium_c.FPDF_FORMFIELD_LISTBOX,
)


def _set(text: list[str], box: Box, base: float, size: float, *, filled_in: bool) -> Iterator[Word]:
    """Words side by side within a box, in order."""
    step = (box[2] - box[0]) / max(1, len(text))
    for number, word in enumerate(text):
        left = box[0] + number * step
        yield Word(word, left, left + 0.95 * step, base, size, filled_in=filled_in)


def _beside(words: list[Word], box: Box) -> Word | None:
    """The word that stands nearest to a field in its line, to the left if there is one."""
    middle = (box[1] + box[3]) / 2
    near = [word for word in words if word.turn == 0 and word.top - 2 <= middle <= word.bottom + 3]
    left = [word for word in near if word.right <= box[0] + 3]
    return max(left, key=lambda word: word.right) if left else min(near, key=lambda word: word.left, default=None)


def _has_label(words: list[Word], box: Box) -> bool:
    """Whether there is text to the left of a field in its line, or directly above it."""
    middle, height = (box[1] + box[3]) / 2, box[3] - box[1]
    return any(
        (word.top - 2 <= middle <= word.bottom + 3 and word.right <= box[0] + 3)
        or (box[1] - 1.5 * max(word.size, height) <= word.base <= box[1] + 3 and box[0] - 3 <= word.left <= box[2])
        for word in words
        if word.turn == 0
    )


def _name(form, note) -> str:
    """What a field is called where it is shown, else by its maker."""
    for get in (pdfium_c.FPDFAnnot_GetFormFieldAlternateName, pdfium_c.FPDFAnnot_GetFormFieldName):
        if name := " ".join(_string(lambda buffer, size, get=get: get(form, note, buffer, size)).split()):
            return name
    return ""


def _string(get) -> str:
    """A text of pdfium's, which is asked for its length first."""
    length = min(get(None, 0), 2 * _MAX_TEXT)
    if length <= 2:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    get(buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace").replace("\0", " ")


def _box(note, frame: Frame) -> Box:
    found = pdfium_c.FS_RECTF()
    pdfium_c.FPDFAnnot_GetRect(note, found)
    one, other = frame.at(found.left, found.bottom), frame.at(found.right, found.top)
    return min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1])
