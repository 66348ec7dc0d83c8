"""Jupyter notebooks (.ipynb): text cells as they are, code and its printed output as code, tables as tables."""

import json
import re
from typing import Any

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.formats.json_records import pairs
from rag_app.read.html.html_file import html_to_markdown
from rag_app.read.markdown_dialects import plain_markdown
from rag_app.text.unseen import blank_unseen

_PICTURES = ("image/", "application/vnd.plotly", "application/vnd.vega", "application/vnd.bokeh")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read_notebook(data: bytes) -> Extracted:
    """The cells in order as Markdown. Raises ReadError."""
    broken = ReadError("The notebook is broken and cannot be read: save it again.", code="broken")
    try:
        notebook = json.loads(decode(data))
        cells = notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
        language = str(notebook.get("metadata", {}).get("kernelspec", {}).get("language", ""))
        signs = access_names(pairs(notebook.get("metadata")))
        parts: list[str] = []
        for cell in cells:
            parts += _cell(cell, language)
        outputs = [output.get("data", output) for cell in cells for output in cell.get("outputs", ())]
        drawn = sum(_is_picture(data) and "text/html" not in data for data in outputs)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise broken from error
    notes = (f"Pictures that cells of the notebook have drawn were not read: {drawn}.",) if drawn else ()
    return Extracted("\n\n".join(part for part in parts if part.strip()) + "\n", access_signs=signs, notes=notes)


def _cell(cell: dict[str, Any], language: str) -> list[str]:
    source = _joined(cell.get("source", cell.get("input", "")))
    kind = cell.get("cell_type")
    if kind in ("markdown", "raw"):
        return [blank_unseen(plain_markdown(source.strip("\n")))]
    if kind == "heading":
        return [f"{'#' * int(cell.get('level', 1))} {source}"]
    parts = [_fenced(source, language)] if source.strip() else []
    for output in cell.get("outputs", ()):
        data = output.get("data", output)
        if isinstance(data, dict) and "text/html" in data:
            parts.append(html_to_markdown(_joined(data["text/html"]))[1].strip("\n"))
        elif isinstance(data, dict) and "text/markdown" in data:
            parts.append(blank_unseen(_joined(data["text/markdown"]).strip("\n")))
        elif output.get("output_type") in ("error", "pyerr"):
            parts.append(_fenced(f"{output.get('ename', 'Error')}: {output.get('evalue', '')}", ""))
        elif not _is_picture(data):
            text = _joined(data.get("text/plain", output.get("text", "")))
            if text.strip():
                parts.append(_fenced(_ESCAPES.sub("", text), ""))
    return parts


def _is_picture(data: Any) -> bool:
    """Whether an output is drawn; its text is only the name of an object then."""
    return isinstance(data, dict) and any(kind.startswith(_PICTURES) for kind in data)


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _fenced(code: str, language: str) -> str:
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{ticks}{language}\n{code.strip(chr(10))}\n{ticks}"
