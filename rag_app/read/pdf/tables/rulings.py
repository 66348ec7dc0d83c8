"""Straight lines and filled areas that are drawn on a page, and the grids of cells that lines make."""

import ctypes
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from rag_app.read.pdf.pdf_words import Frame

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_THIN = 2.6
"""Points: a filled area up to this thickness is a line."""
_MAX_LINES = 4000
"""A page with more lines is a drawing, and no tables are looked for."""
_MAX_SHADES = 1000
_SMALLEST, _LARGEST = 1.2, 14.0
"""Points: how wide and high a drawn sign is."""
_MAX_GRIDS = 60
"""A page with more is a drawing."""
_MAX_DEPTH = 6
_SNAP = 2.0
"""Points: lines so near to each other are one."""
_REACH = 3.0
"""Points: lines that end so near to each other meet."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A drawn shape as small as a letter: a bullet, a box to tick, or what ticks it."""

    box: Box
    is_box: bool
    """True for a square that is not filled."""


@dataclass(slots=True)
class Drawing:
    """What is drawn on a page beside its text."""

    across: list[tuple[float, float, float]] = field(default_factory=list)
    """Horizontal lines: y, left, right."""
    down: list[tuple[float, float, float]] = field(default_factory=list)
    """Vertical lines: x, top, bottom."""
    shades: list[Box] = field(default_factory=list)
    """Filled areas that are not white."""
    colours: dict[Box, tuple[int, ...]] = field(default_factory=dict)
    """Of the filled areas: red, green, blue and opacity, 0 to 255."""
    frames: list[Box] = field(default_factory=list)
    """Rectangles that are drawn in one stroke."""
    images: list[Box] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    too_many: bool = False


@dataclass(slots=True)
class Grid:
    """A table as its lines show it."""

    columns: list[float]
    """Where the lines between columns stand, the outer ones included, from left to right."""
    rows: list[float]
    cell_of: dict[tuple[int, int], tuple[int, int]]
    """For each place (row, column), the first place of the cell that it belongs to; merged cells share one."""

    @property
    def box(self) -> Box:
        return self.columns[0], self.rows[0], self.columns[-1], self.rows[-1]


def read_drawing(page: pdfium.PdfPage, frame: Frame) -> Drawing:
    """The lines, areas and pictures of a page."""
    drawing = Drawing()
    for kind, obj, matrices in _objects(page):
        if kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            drawing.images.append(_bounds(obj, matrices[:-1], frame))
        elif not drawing.too_many:
            _add_path(drawing, obj, matrices, frame)
            drawing.too_many = len(drawing.across) + len(drawing.down) > _MAX_LINES
    if drawing.too_many:
        drawing.across, drawing.down = [], []
    return drawing


def _objects(page: pdfium.PdfPage) -> Iterator[tuple[int, object, list[pdfium_c.FS_MATRIX]]]:
    """Paths and pictures of a page and of the forms on it, with the matrices that place them, outermost first."""
    waiting: list[tuple[object, int, list[pdfium_c.FS_MATRIX]]] = []

    def count(container: object, depth: int) -> int:
        return pdfium_c.FPDFPage_CountObjects(container) if depth == 0 else pdfium_c.FPDFFormObj_CountObjects(container)

    waiting.append((page.raw, 0, []))
    while waiting:
        container, depth, above = waiting.pop()
        for index in range(count(container, depth)):
            get = pdfium_c.FPDFPage_GetObject if depth == 0 else pdfium_c.FPDFFormObj_GetObject
            obj = get(container, index)
            kind = pdfium_c.FPDFPageObj_GetType(obj)
            if kind == pdfium_c.FPDF_PAGEOBJ_TEXT:
                continue
            matrix = pdfium_c.FS_MATRIX()
            pdfium_c.FPDFPageObj_GetMatrix(obj, matrix)
            if kind == pdfium_c.FPDF_PAGEOBJ_FORM:
                if depth < _MAX_DEPTH:
                    waiting.append((obj, depth + 1, [*above, matrix]))
            elif kind in (pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE):
                yield kind, obj, [*above, matrix]


def _place(x: float, y: float, matrices: list[pdfium_c.FS_MATRIX], frame: Frame) -> tuple[float, float]:
    for m in reversed(matrices):
        x, y = m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f
    return frame.at(x, y)


def _bounds(obj: object, matrices: list[pdfium_c.FS_MATRIX], frame: Frame) -> Box:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    pdfium_c.FPDFPageObj_GetBounds(obj, left, bottom, right, top)
    corners = [_place(x.value, y.value, matrices, frame) for x in (left, right) for y in (bottom, top)]
    return (
        min(x for x, _ in corners),
        min(y for _, y in corners),
        max(x for x, _ in corners),
        max(y for _, y in corners),
    )


def _add_path(drawing: Drawing, obj: object, matrices: list[pdfium_c.FS_MATRIX], frame: Frame) -> None:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDFPath_GetDrawMode(obj, fill, stroke)
    if not fill.value and not stroke.value:
        return  # a path that only cuts off what lies outside it
    if not _shows(obj, pdfium_c.FPDFPageObj_GetStrokeColor if stroke.value else pdfium_c.FPDFPageObj_GetFillColor):
        return
    count = pdfium_c.FPDFPath_CountSegments(obj)
    if count > _MAX_LINES:
        drawing.too_many = True
        return
    for run in _runs(obj, count, matrices, frame):
        xs, ys = [x for x, _ in run], [y for _, y in run]
        left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
        width, height = right - left, bottom - top
        if min(width, height) >= _SMALLEST and max(width, height) <= _LARGEST and len(drawing.signs) < _MAX_SHADES:
            square = max(width, height) <= 1.3 * min(width, height)
            is_box = square and not fill.value and 4 <= len(run) <= 6 and width > 2 * _THIN
            if square or not fill.value:
                drawing.signs.append(Sign((left, top, right, bottom), is_box))
        if right - left <= _THIN or bottom - top <= _THIN:
            _add_line(drawing, left, top, right, bottom)
            continue
        if fill.value and len(drawing.shades) < _MAX_SHADES:
            drawing.shades.append((left, top, right, bottom))
            drawing.colours[left, top, right, bottom] = _colour(obj, pdfium_c.FPDFPageObj_GetFillColor) or ()
        if stroke.value and 4 <= len(run) <= 6 and len(drawing.frames) < _MAX_SHADES:
            drawing.frames.append((left, top, right, bottom))
        if stroke.value:
            for (x, y), (other_x, other_y) in itertools.pairwise(run):
                if abs(x - other_x) < 0.7 or abs(y - other_y) < 0.7:
                    _add_line(drawing, min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y))


def _runs(obj: object, count: int, matrices: list[pdfium_c.FS_MATRIX], frame: Frame) -> Iterator[list]:
    """The points of each part of a path that is drawn without lifting the pen."""
    run: list[tuple[float, float]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(obj, index)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = _place(x.value, y.value, matrices, frame)
        if pdfium_c.FPDFPathSegment_GetType(segment) == pdfium_c.FPDF_SEGMENT_MOVETO and run:
            yield run
            run = []
        run.append(point)
        if pdfium_c.FPDFPathSegment_GetClose(segment) and len(run) > 1:
            run.append(run[0])
    if len(run) > 1:
        yield run


def _add_line(drawing: Drawing, left: float, top: float, right: float, bottom: float) -> None:
    shortest = _THIN if bottom - top < 1.0 else 2 * _THIN  # the bar of a fraction is short
    if bottom - top <= _THIN and right - left > shortest:
        drawing.across.append(((top + bottom) / 2, left, right))
    elif right - left <= _THIN and bottom - top > 2 * _THIN:
        drawing.down.append(((left + right) / 2, top, bottom))


def _shows(obj: object, colour_of) -> bool:
    """Whether a line or area is of a colour that shows on paper."""
    colour = _colour(obj, colour_of)
    return colour is None or (colour[3] > 10 and min(colour[:3]) < 250)


def _colour(obj: object, colour_of) -> tuple[int, ...] | None:
    parts = [ctypes.c_uint() for _ in range(4)]
    return tuple(part.value for part in parts) if colour_of(obj, *parts) else None


def find_grids(drawing: Drawing) -> list[Grid]:
    """The tables that lines show: at least two cells, around which lines run."""
    across, down = merged_lines(drawing.across), merged_lines(drawing.down)
    grids = []
    for some_across, some_down in _connected(across, down):
        columns = _snapped([x for x, _, _ in some_down])
        rows = _snapped([y for y, _, _ in some_across])
        if len(columns) == len(rows) == 2:
            drawing.frames.append((columns[0], rows[0], columns[1], rows[1]))
        if (
            len(columns) < 2
            or len(rows) < 2
            or len(columns) + len(rows) < 5
            or len(columns) * len(rows) > _MAX_LINES * 4
        ):
            continue
        grids.append(Grid(columns, rows, _cells(columns, rows, some_across, some_down)))
    return grids if len(grids) <= _MAX_GRIDS else []


def merged_lines(lines: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Lines that continue or double each other as one."""
    merged: list[tuple[float, float, float]] = []
    at: dict[int, int] = {}
    for place, start, end in sorted(lines, key=lambda line: (round(line[0] / _SNAP), line[1])):
        key = round(place / _SNAP)
        if key in at and start <= merged[at[key]][2] + _REACH:
            before = merged[at[key]]
            merged[at[key]] = (before[0], before[1], max(before[2], end))
        else:
            at[key] = len(merged)
            merged.append((place, start, end))
    return merged


def _connected(across: list, down: list) -> Iterator[tuple[list, list]]:
    """Groups of lines that meet."""
    parent = list(range(len(across) + len(down)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for number, (y, left, right) in enumerate(across):
        for other, (x, top, bottom) in enumerate(down, start=len(across)):
            if left - _REACH <= x <= right + _REACH and top - _REACH <= y <= bottom + _REACH:
                parent[root(number)] = root(other)
    groups: dict[int, tuple[list, list]] = {}
    for number, line in enumerate([*across, *down]):
        groups.setdefault(root(number), ([], []))[number >= len(across)].append(line)
    yield from (group for group in groups.values() if group[0] and group[1])


def _snapped(places: list[float]) -> list[float]:
    snapped: list[float] = []
    for place in sorted(places):
        if not snapped or place - snapped[-1] > _REACH:
            snapped.append(place)
    return snapped


def _cells(columns: list[float], rows: list[float], across: list, down: list) -> dict[tuple[int, int], tuple[int, int]]:
    """Which places of the grid are one cell: those that no line parts."""
    cell_of: dict[tuple[int, int], tuple[int, int]] = {}
    walls = {
        (row, column)
        for column, x in enumerate(columns)
        for at, top, bottom in down
        if abs(at - x) <= _REACH
        for row in range(len(rows) - 1)
        if top <= (rows[row] + rows[row + 1]) / 2 <= bottom
    }
    floors = {
        (row, column)
        for row, y in enumerate(rows)
        for at, left, right in across
        if abs(at - y) <= _REACH
        for column in range(len(columns) - 1)
        if left <= (columns[column] + columns[column + 1]) / 2 <= right
    }
    for row in range(len(rows) - 1):
        for column in range(len(columns) - 1):
            if column and (row, column) not in walls:
                cell_of[row, column] = cell_of[row, column - 1]
            elif row and (row, column) not in floors:
                cell_of[row, column] = cell_of[row - 1, column]
            else:
                cell_of[row, column] = (row, column)
    return cell_of
