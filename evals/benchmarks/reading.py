"""How long reading a page takes, by kind of file, the guarded process included."""

import io
import time
from collections.abc import Callable
from pathlib import Path

import docx
import fpdf
import openpyxl

from evals.benchmarks.result import Result
from rag_app.read import read_file

_WORDS = 400
"""Of a page."""
_GOAL = 0.05
"""Seconds a page."""
_SENTENCES = "The gate is closed at nine and opened at six. Guests call the guard before they leave. " * (_WORDS // 17)


def reading(folder: Path, pages: int) -> list[Result]:
    """One file of each kind with so many pages, read once after a first small file."""
    results: list[Result] = []
    for suffix, write in _WRITERS.items():
        (folder / f"first{suffix}").write_bytes(write(1))
        read_file(folder / f"first{suffix}", folder)
        path = folder / f"pages{suffix}"
        path.write_bytes(write(pages))
        started = time.perf_counter()
        read_file(path, folder)
        seconds = time.perf_counter() - started
        results.append(
            Result(
                f"reading {suffix}: a page",
                seconds / pages,
                "s",
                _GOAL,
                "the goal",
                goal="0.05 s a page",
                reached=seconds / pages <= _GOAL,
                details={"pages a second": pages / seconds, "MB a second": path.stat().st_size / 1e6 / seconds},
            )
        )
    return results


def _html(pages: int) -> bytes:
    return "".join(f"<h2>Part {page}</h2><p>{_SENTENCES}</p>" for page in range(pages)).encode()


def _word(pages: int) -> bytes:
    word = docx.Document()
    for page in range(pages):
        word.add_heading(f"Part {page}", 1)
        word.add_paragraph(_SENTENCES)
    target = io.BytesIO()
    word.save(target)
    return target.getvalue()


def _sheet(pages: int) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Part", "Price", "Stock", "Since"])
    for row in range(pages * _WORDS // 4):
        sheet.append([f"ZX-{row:05}", row * 3, row % 40, 2020 + row % 6])
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _csv(pages: int) -> bytes:
    rows = (f"ZX-{row:05},{row * 3},{row % 40}" for row in range(pages * _WORDS // 3))
    return "\n".join(["Part,Price,Stock", *rows]).encode()


def _rst(pages: int) -> bytes:
    return "".join(f"Part {page}\n{'=' * 12}\n\n{_SENTENCES}\n\n" for page in range(pages)).encode()


def _pdf(pages: int) -> bytes:
    paper = fpdf.FPDF()
    paper.set_font("Helvetica", size=11)
    for page in range(pages):
        paper.add_page()
        paper.multi_cell(0, 5, f"Part {page}\n\n{_SENTENCES}")
    return bytes(paper.output())


_WRITERS: dict[str, Callable[[int], bytes]] = {
    ".pdf": _pdf,
    ".html": _html,
    ".docx": _word,
    ".xlsx": _sheet,
    ".csv": _csv,
    ".rst": _rst,
}
