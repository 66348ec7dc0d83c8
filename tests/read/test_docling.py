"""PDFs by docling, an extra: asked for and missing, and, where it is installed, pages with their places."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from rag_app.errors import SetupError
from rag_app.read import read_folder
from rag_app.read.formats import docling_file

FILES = Path(__file__).parent / "files" / "pdf"


def test_docling_that_is_missing_is_said_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the command that installs it; no PDF is silently read in another way."""
    monkeypatch.setattr(docling_file, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install .rag_app\[docling\]"):
        read_folder(tmp_path, pdf_reader="docling")


def test_other_files_do_not_load_docling() -> None:
    """The extra is loaded when the first PDF is read by it, and never by an import."""
    code = "import sys, rag_app.read.documents; sys.exit('docling' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_pages_of_a_docling_document_begin_where_it_is_said() -> None:
    """Each page's text stands behind its offset, tables are pipe tables, and an empty page has a place of its own."""
    types = pytest.importorskip("docling_core.types.doc", reason="needs the extra docling")
    document = types.DoclingDocument(name="d")
    for number in (1, 2, 3):
        document.add_page(page_no=number, size=types.Size(width=600, height=800))
    place = types.BoundingBox(l=0, t=0, r=9, b=9)
    for number, text in ((1, "The gate closes at nine & no later."), (3, "Dogs wait outside.")):
        document.add_text(
            label=types.DocItemLabel.TEXT,
            text=text,
            prov=types.ProvenanceItem(page_no=number, bbox=place, charspan=(0, len(text))),
        )
    found = docling_file.extracted(document)
    first, second, third = found.page_starts
    assert found.text[first:second].strip() == "The gate closes at nine & no later."
    assert found.text[second:third].strip() == ""
    assert found.text[third:].strip() == "Dogs wait outside."


@pytest.mark.skipif(importlib.util.find_spec("docling") is None, reason="needs the extra docling")
def test_a_pdf_is_read_by_docling() -> None:
    """A file of prose comes out as prose, page by page."""
    data = next(iter(sorted(FILES.glob("*.pdf")))).read_bytes()
    try:
        found = docling_file.read_pdf_with_docling(data)
    except SetupError as error:
        pytest.skip(f"docling has no models here: {error}")
    assert found.text.strip()
    assert found.page_starts[0] == 0
