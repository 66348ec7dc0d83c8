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

    def read(self, data: bytes) -> Extracted:
        """The text of a file of this kind. Raises ReadError."""
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(module), function)
        return reader(data)


KINDS = (
    Kind("Markdown", (".md", ".markdown"), "rag_app.read.text_file:read_markdown"),
    Kind("plain text", (".txt", ".text", ".rst"), "rag_app.read.text_file:read_text"),
    Kind("HTML", (".html", ".htm", ".xhtml"), "rag_app.read.html:read_html"),
    Kind("PDF", (".pdf",), "rag_app.read.pdf.pdf_file:read_pdf"),
    Kind("Word", (".docx",), "rag_app.read.word:read_word"),
)

_BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
SUFFIXES = tuple(_BY_SUFFIX)


def kind_of(suffix: str) -> Kind | None:
    """The kind of file that a suffix stands for, in any case; None where no reader takes it."""
    return _BY_SUFFIX.get(suffix.lower())
