"""Reads the files of tests/read/files and prints how much of what their manifests want is so.

The files were written beside the reader, so that all of it should be; the counts say how much is checked, and the rows
of ruled tables stand apart from those of others.
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

from rag_app.errors import ReadError
from rag_app.read import read_file
from rag_app.read.pdf.pdf_file import read_pdf
from rag_app.read.pdf.pdf_words import page_frame
from rag_app.read.pdf.tables.rulings import find_grids, read_drawing
from rag_app.text.passages import cut_passages
from rag_app.text.statements import Statement

FOLDER = Path(__file__).parents[2] / "tests" / "read" / "files"
Checked = tuple[str, bool]
"""What is wanted, by its kind, and whether it is so."""


def flat(text: str) -> str:
    return " ".join(text.split())


def check_file(path: Path, wanted: dict[str, Any]) -> Iterator[Checked]:
    """What the manifest wants of one file, each with whether it is so."""
    try:
        document = read_file(path, path.parent)
    except ReadError as error:
        yield "refused with its code", error.details.get("code") == wanted.get("error")
        return
    text = document.text
    passages = cut_passages(document)
    found = [(_pieces(text, s), p.section) for p in passages for s in p.statements]
    shown = [" ".join(pieces) for pieces, _ in found]
    kind = "rows of ruled tables" if path.suffix == ".pdf" and _is_ruled(path) else "rows of other tables"
    for part in wanted.get("quotable", ()):
        yield "texts whole in one statement", any(flat(part) in pieces[0] for pieces, _ in found)
    for parts in (*wanted.get("shown", ()), *wanted.get("noted", ())):
        is_so = any(all(flat(part) in one for part in parts) for one in shown)
        yield kind if any("|" in part for part in parts) else "texts with what they depend on", is_so
    for part in wanted.get("never", ()):
        yield "texts that are never quoted", not any(part in piece for pieces, _ in found for piece in pieces)
    for parts in wanted.get("apart", ()):
        yield "pairs that are never shown together", not any(all(part in one for part in parts) for one in shown)
    places = [flat(text).find(part) for part in wanted.get("order", ())]
    for one, other in pairwise(places):
        yield "pairs in the order of reading", 0 <= one < other
    for part, heading in (wanted.get("section") or wanted.get("sections") or {}).items():
        sections = [section or ("",) for pieces, section in found if flat(part) in pieces[0]]
        yield "texts under their own heading", bool(sections) and all(s[-1:] == (heading,) for s in sections)
    for part in (*wanted.get("notes", ()), *wanted.get("named", ())):
        yield "losses that are named", part in " ".join(document.notes)


def _pieces(text: str, statement: Statement) -> list[str]:
    """The statement, and what it is shown with."""
    return [flat(text[a:b]) for a, b in (statement.span, *statement.lead_in, *statement.lead_out)]


def _is_ruled(path: Path) -> bool:
    """Whether lines show the cells of some table of a PDF."""
    with pdfium.PdfDocument(path) as document:
        return any(
            any(
                len(grid.rows) > 2 and len(grid.columns) > 2
                for grid in find_grids(read_drawing(page, page_frame(page)))
            )
            for page in document
        )


def milliseconds_a_page(paths: Iterable[Path]) -> float:
    """Processor time of reading PDFs in this process, in milliseconds a page."""
    pages, begun = 0, 0.0
    for path in paths:
        data = path.read_bytes()
        try:
            with pdfium.PdfDocument(data) as document:
                count = len(document)
            start = time.process_time()
            read_pdf(data)
        except (pdfium.PdfiumError, ReadError):
            continue
        begun += time.process_time() - start
        pages += count
    return 1000 * begun / max(1, pages)


def main() -> None:
    for folder, name in (("pdf", "PDF files"), ("others", "other files")):
        manifest = json.loads((FOLDER / folder / "manifest.json").read_text("utf-8"))
        counts: dict[str, list[bool]] = defaultdict(list)
        for file, wanted in manifest.items():
            for kind, is_so in check_file(FOLDER / folder / file, wanted):
                counts[kind].append(is_so)
        print(f"{len(manifest)} {name}")
        for kind, so in sorted(counts.items()):
            print(f"  {kind:36} {sum(so):4} of {len(so)}")
    print(f"{milliseconds_a_page(sorted((FOLDER / 'pdf').glob('*.pdf'))):.0f} ms of processor time a page of PDF")


if __name__ == "__main__":
    main()
