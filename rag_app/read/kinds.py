"""Which files are read, and by which reader: the one list of them.

A reader takes the bytes of a file and returns `Extracted`, or raises ReadError. Its module is loaded when the first
such file comes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from rag_app.read.extracted import Extracted

Reader = Callable[[bytes], Extracted]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file."""

    name: str
    """As users call it."""
    suffixes: tuple[str, ...]
    reader: str
    """Module and function."""
    guarded: bool = True
    """Whether it is read in the guarded process (`guard.py`)."""

    def read(self, data: bytes) -> Extracted:
        """The text of a file of this kind. Raises ReadError."""
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(module), function)
        return reader(data)


_READ = "rag_app.read"
KINDS = (
    Kind("Markdown", (".md", ".markdown"), f"{_READ}.text_file:read_markdown", guarded=False),
    Kind("plain text", (".txt", ".text"), f"{_READ}.text_file:read_text", guarded=False),
    Kind("HTML", (".html", ".htm", ".xhtml"), f"{_READ}.html.html_file:read_html"),
    Kind("PDF", (".pdf",), f"{_READ}.pdf.pdf_file:read_pdf"),
    Kind("Word", (".docx", ".docm", ".dotx"), f"{_READ}.office.word:read_word"),
    Kind("OpenDocument text", (".odt", ".ott"), f"{_READ}.office.opendocument:read_odt"),
    Kind("Excel", (".xlsx", ".xlsm", ".xls", ".xlsb"), f"{_READ}.office.sheets:read_sheets"),
    Kind("OpenDocument spreadsheet", (".ods",), f"{_READ}.office.ods:read_ods"),
    Kind("PowerPoint", (".pptx", ".pptm", ".ppsx"), f"{_READ}.office.slides:read_slides"),
    Kind("EPUB", (".epub",), f"{_READ}.formats.epub:read_epub"),
    Kind("CSV", (".csv", ".tsv", ".tab"), f"{_READ}.formats.csv_rows:read_csv"),
    Kind("JSON", (".json", ".jsonl", ".ndjson"), f"{_READ}.formats.json_records:read_json"),
    Kind("Jupyter notebook", (".ipynb",), f"{_READ}.formats.ipynb:read_notebook"),
    Kind("e-mail", (".eml",), f"{_READ}.formats.mail:read_mail"),
    Kind("reStructuredText", (".rst", ".rest"), f"{_READ}.formats.rst:read_rst"),
    Kind("AsciiDoc", (".adoc", ".asciidoc", ".asc"), f"{_READ}.formats.asciidoc:read_asciidoc"),
)

_BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
SUFFIXES = tuple(_BY_SUFFIX)


def kind_of(suffix: str) -> Kind | None:
    """The kind of file that a suffix stands for, in any case; None where no reader takes it."""
    return _BY_SUFFIX.get(suffix.lower())
