"""A PDF into Markdown by docling, for scans and tables that no lines show: an extra, chosen by `pdf_reader`.

Docling recognizes text and tables with models of its own, which it loads from a hub when the first file comes, or from
the folder that `DOCLING_ARTIFACTS_PATH` names. It takes seconds a page and does not run within the limits of
`guard.py`, which are smaller than its models.
"""

import io
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rag_app.errors import ReadError, SetupError
from rag_app.read.extracted import Extracted

_HINT = (
    'PDFs are to be read by docling (pdf_reader = "docling"), which is not installed: pip install "rag_app[docling]".'
)


def require_docling() -> None:
    """Raises SetupError where docling is not installed, before anything is built."""
    if find_spec("docling") is None:
        raise SetupError(_HINT, package="docling")


def read_pdf_with_docling(data: bytes) -> Extracted:
    """The text as Markdown, and the offset at which each page begins.

    Raises ReadError with the code "broken" or "no_text", and SetupError where docling or its models are missing.
    """
    require_docling()
    converter = _converter()
    stream = import_module("docling.datamodel.base_models").DocumentStream(name="file.pdf", stream=io.BytesIO(data))
    try:
        result = converter.convert(stream, raises_on_error=False)
    except (OSError, ImportError) as error:  # OSError: a hub that cannot be reached
        raise SetupError(
            f"The models of docling cannot be loaded ({type(error).__name__}): download them with "
            "`docling-tools models download` and name their folder in DOCLING_ARTIFACTS_PATH.",
            package="docling",
        ) from error
    except Exception as error:  # docling lets many kinds out of broken files
        raise ReadError(
            f"Docling cannot read the PDF ({type(error).__name__}): export it again.", code="broken"
        ) from error
    status = str(getattr(result.status, "value", result.status))
    if status not in ("success", "partial_success"):
        raise ReadError("Docling cannot read the PDF: export it again.", code="broken")
    notes = ("Docling read only a part of the file: compare it with the original.",) if status != "success" else ()
    return extracted(result.document, notes)


def extracted(document: Any, notes: tuple[str, ...] = ()) -> Extracted:
    """The pages of a DoclingDocument, one after the other. Raises ReadError (code "no_text")."""
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for number in sorted(document.pages):
        text = document.export_to_markdown(page_no=number, image_placeholder="", escape_html=False).strip("\n")
        starts.append(length)
        parts.append(text + "\n\n" if text else "\n")
        length += len(parts[-1])
    if not any(map(str.strip, parts)):
        raise ReadError("Docling finds no text in the PDF: look whether its pages are empty.", code="no_text")
    return Extracted("".join(parts), page_starts=tuple(starts), notes=notes)


@lru_cache(maxsize=1)
def _converter() -> Any:
    """One converter for all files: making it loads the models."""
    base = import_module("docling.datamodel.base_models")
    return import_module("docling.document_converter").DocumentConverter(allowed_formats=[base.InputFormat.PDF])
