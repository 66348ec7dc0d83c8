"""A PDF into text: the order of the steps, and what cannot be read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted
from rag_app.read.pdf.boxes import apart_from_boxes, mark_boxed
from rag_app.read.pdf.columns import read_in_order
from rag_app.read.pdf.fields import struck_boxes, written_words
from rag_app.read.pdf.furniture import without_furniture
from rag_app.read.pdf.gutters import Item
from rag_app.read.pdf.headings import mark_headings, mark_title
from rag_app.read.pdf.notes import mark_notes
from rag_app.read.pdf.page_text import write_pages
from rag_app.read.pdf.paragraphs import Block, Paragraph, Piece, make_blocks
from rag_app.read.pdf.pdf_words import Word, page_frame, page_words
from rag_app.read.pdf.segments import Segment, make_segments
from rag_app.read.pdf.signs import with_bullets, with_fractions
from rag_app.read.pdf.tables.grids import Table, ruled_tables
from rag_app.read.pdf.tables.labels import labels_above, turned_labels
from rag_app.read.pdf.tables.lined import lined_tables
from rag_app.read.pdf.tables.rulings import Drawing, find_grids, read_drawing
from rag_app.read.pdf.visible import Painting, without_struck
from rag_app.read.title import property_title

_RUBBISH = 0.2
"""Share of characters without a meaning above which a font's encoding is taken to be missing."""
_BYTES_OF_A_PAGE = 8
"""A file that claims more pages than its size can hold makes one page out of another without end."""
_LETTERS_OF_A_BYTE = 40
"""A file that claims more text for its size is not read to the end. Compressed text has about 5 letters a byte."""
_MIN_LETTERS = 2_000_000
_FEW_WORDS = 8
_MAX_NAMED_PAGES = 12
_OCR = 'run text recognition (OCR) on it, or build with pdf_reader = "docling" (pip install "rag_app[docling]")'


def read_pdf(data: bytes) -> Extracted:
    """The text, the offset at which each page begins, and the title in the file's properties.

    Raises ReadError with the code "broken", "encrypted", "too_large" or "no_text".
    """
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        # pdfium may still hold the code of an earlier failure, hence the look into the file.
        encrypted = error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY) and b"/Encrypt" in data
        raise _unopened(encrypted=encrypted, has_pages=b"/Kids []" not in data) from error
    try:
        if document.get_formtype() != pdfium_c.FORMTYPE_NONE:
            document.init_forms()
        if len(document) * _BYTES_OF_A_PAGE > len(data):
            raise ReadError("The PDF is broken: it claims more pages than it holds. Export it again.", code="broken")
        pages = _read_pages(document, max(_MIN_LETTERS, _LETTERS_OF_A_BYTE * len(data)))
        title = _clean(document.get_metadata_value("Title"))
    finally:
        document.close()
    text, starts = write_pages(_blocks(pages))
    text = _clean(text)
    empty = [number for number, page in enumerate(pages, start=1) if page.lacks_text]
    if not text.strip():
        raise ReadError(f"The PDF has no text, it is probably scanned: {_OCR}.", code="no_text")
    unmeaning = sum(c == "\ufffd" or "\ue000" <= c <= "\uf8ff" for c in text)
    if unmeaning > _RUBBISH * len("".join(text.split())):
        raise ReadError(
            "The PDF's letters have no readable encoding: export it again, or run OCR on it.", code="no_text"
        )
    return Extracted(text, "plain", property_title(title), page_starts=starts, notes=_notes(empty))


def _unopened(*, encrypted: bool, has_pages: bool) -> ReadError:
    if encrypted:
        return ReadError("The PDF is encrypted: save it without a password.", code="encrypted")
    if not has_pages:
        return ReadError("The PDF has no pages: export it again.", code="no_text")
    return ReadError("The PDF is broken and cannot be read: export it again.", code="broken")


@dataclass(slots=True)
class _Page:
    height: float
    segments: list[Segment] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    drawing: Drawing = field(default_factory=Drawing)
    aside: list[str] = field(default_factory=list)
    """Text that runs in another direction than that of the page."""
    turned: list[list[Segment]] = field(default_factory=list)
    lacks_text: bool = False
    """True where the page shows something and holds next to no text: a scan."""


def _read_pages(document: pdfium.PdfDocument, most_letters: int) -> list[_Page]:
    pages: list[_Page] = []
    letters = 0
    for number in range(len(document)):
        try:
            page = document[number]
        except pdfium.PdfiumError:
            pages.append(_Page(0.0, lacks_text=True))
            continue
        found = _read_page(document, page)
        page.close()
        letters += sum(len(word.text) for segment in found.segments for word in segment.words)
        if letters > most_letters:
            raise ReadError("The PDF holds far more text than a file of its size can: split it.", code="too_large")
        pages.append(found)
    return pages


def _read_page(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> _Page:
    frame = page_frame(page)
    words = page_words(page, frame)
    painting = Painting(page, frame)
    main = Counter(word.turn for word in words if word.turn >= 0).most_common(1)
    turn = main[0][0] if main and main[0][0] and main[0][1] > 0.5 * len(words) else 0
    if turn:
        frame = frame.turned(turn)
        words, painting = page_words(page, frame), painting.turned(turn)
    drawing = read_drawing(page, frame)
    painting.images = drawing.images
    upright = without_struck(
        painting.visible(word for word in words if word.turn == 0), drawing, struck_boxes(page, frame)
    )
    upright = with_bullets(with_fractions(upright, drawing), drawing)
    upright += written_words(document, page, frame, upright)
    grids = find_grids(drawing)
    turned = {word.order: word for word in words if word.turn > 0}
    asides: list[list[Word]] = []
    for other in sorted({word.turn for word in turned.values()}):
        aside, seen = frame.turned(other), painting.turned(other)
        asides.append(seen.visible(word for word in page_words(page, aside) if word.turn == 0))
    labels, orders = turned_labels(grids, [turned[word.order] for aside in asides for word in aside])
    upright += labels
    standing = [make_segments([word for word in aside if word.order not in orders]) for aside in asides]
    headers, orders = labels_above([line for lines in standing for line in lines], turned, upright)
    upright += headers
    tables, free = ruled_tables(grids, upright, drawing)
    lined, free = lined_tables(free, drawing, grids)
    found = _Page(frame.height, make_segments(free), [*tables, *lined], drawing)
    found.turned = [[line for line in lines if line.words[0].order not in orders] for lines in standing]
    slanted = " ".join(word.text for word in words if word.turn == -1)
    found.aside = [slanted] if slanted else []
    covered = max((_share(box, frame.width * frame.height) for box in drawing.images), default=0.0)
    count = len(upright)
    found.lacks_text = (not words and not count and not painting.is_blank()) or (count < _FEW_WORDS and covered > 0.4)
    return found


def _share(box: tuple[float, float, float, float], area: float) -> float:
    return (box[2] - box[0]) * (box[3] - box[1]) / max(1.0, area)


def _blocks(pages: Sequence[_Page]) -> list[list[Block]]:
    """The blocks of every page in the order of reading."""
    sizes, bold = Counter[float](), Counter[bool]()
    for page in pages:
        for segment in page.segments:
            letters = sum(len(word.text) for word in segment.words)
            sizes[segment.size] += letters
            bold[segment.bold] += letters
    body_size = sizes.most_common(1)[0][0] if sizes else 10.0
    kept = without_furniture([page.segments for page in pages], [page.height for page in pages], body_size)
    result: list[list[Block]] = []
    seen: set[str] = set()
    """Slanted texts: a mark on every page is read once. They stand before a last text that may go on overleaf."""
    for number, (page, segments) in enumerate(zip(pages, kept, strict=True)):
        mark_boxed(segments, page.drawing, page.height)
        free, *boxes = apart_from_boxes(segments, page.drawing)
        blocks = mark_notes(_of_columns([*free, *page.tables], page.drawing, number), body_size)
        for box in boxes:
            blocks += _of_columns([*box], page.drawing, number)
        for lines in page.turned:
            blocks += _of_columns(list(lines), Drawing(), number)
        asides = [text for text in page.aside if text not in seen]
        seen.update(asides)
        blocks[-1:-1] = [Paragraph([Piece(text, number)], body_size, False, 0, 0, is_alone=True) for text in asides]
        result.append(blocks)
    every = [block for blocks in result for block in blocks]
    mark_headings(every, body_size, bold[True] > bold[False])
    mark_title(every)
    return result


def _of_columns(items: list[Item], drawing: Drawing, page: int) -> list[Block]:
    return [block for column in read_in_order(items, drawing) for block in make_blocks(column, page)]


def _notes(empty: list[int]) -> tuple[str, ...]:
    if not empty:
        return ()
    named = ", ".join(map(str, empty[:_MAX_NAMED_PAGES])) + (", ..." if len(empty) > _MAX_NAMED_PAGES else "")
    pages = f"page {named} has" if len(empty) == 1 else f"pages {named} have"
    return (f"{pages} next to no text and probably shows a scan: {_OCR}.",)


def _clean(text: str) -> str:
    """Text that can be stored, character by character: what cannot be is marked as unreadable (U+FFFD)."""
    return "".join(c if (c >= " " or c == "\n") and not "\ud800" <= c <= "\udfff" else "\ufffd" for c in text)
