"""Which files are read, and by which reader: the one list of them.

A reader takes the bytes of a file and returns `Extracted`, or raises ReadError. Its module is loaded when the first
such file comes.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rag_app.read.extracted import Extracted


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
        return call(self.reader, data)


def call(function: str, what: Any) -> Any:
    """Calls a function that is named as "module:name"."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(what)


_READ = "rag_app.read"
KINDS = (
    Kind("Markdown", (".md", ".markdown", ".mdx", ".rmd", ".qmd"), f"{_READ}.text_file:read_markdown", guarded=False),
    Kind("plain text", (".txt", ".text", ".log"), f"{_READ}.text_file:read_text", guarded=False),
    Kind("HTML", (".html", ".htm", ".xhtml"), f"{_READ}.html.html_file:read_html"),
    Kind("PDF", (".pdf",), f"{_READ}.pdf.pdf_file:read_pdf"),
    Kind("Word", (".docx", ".docm", ".dotx"), f"{_READ}.office.word:read_word"),
    Kind("OpenDocument text", (".odt", ".ott"), f"{_READ}.office.opendocument:read_odt"),
    Kind("rich text", (".rtf",), f"{_READ}.formats.rtf:read_rtf"),
    Kind("Excel", (".xlsx", ".xlsm", ".xls", ".xlsb"), f"{_READ}.office.sheets:read_sheets"),
    Kind("OpenDocument spreadsheet", (".ods",), f"{_READ}.office.ods:read_ods"),
    Kind("PowerPoint", (".pptx", ".pptm", ".ppsx"), f"{_READ}.office.slides:read_slides"),
    Kind("EPUB", (".epub",), f"{_READ}.formats.epub:read_epub"),
    Kind("CSV", (".csv", ".tsv", ".tab"), f"{_READ}.formats.csv_rows:read_csv"),
    Kind("JSON", (".json", ".jsonl", ".ndjson"), f"{_READ}.formats.json_records:read_json"),
    Kind("Jupyter notebook", (".ipynb",), f"{_READ}.formats.ipynb:read_notebook"),
    Kind("e-mail", (".eml",), f"{_READ}.formats.mail:read_mail"),
    Kind("mailbox", (".mbox",), f"{_READ}.formats.mail:read_mailbox"),
    Kind("saved web page", (".mht", ".mhtml"), f"{_READ}.formats.mail:read_saved_page"),
    Kind("transcript", (".vtt", ".srt"), f"{_READ}.formats.captions:read_captions"),
    Kind("calendar", (".ics",), f"{_READ}.formats.calendar_events:read_calendar"),
    Kind("reStructuredText", (".rst", ".rest"), f"{_READ}.formats.rst:read_rst"),
    Kind("AsciiDoc", (".adoc", ".asciidoc", ".asc"), f"{_READ}.formats.asciidoc:read_asciidoc"),
)

DOCLING = Kind("PDF", (".pdf",), f"{_READ}.formats.docling_file:read_pdf_with_docling", guarded=False)
"""What reads PDFs instead, where `pdf_reader` asks for it."""

_BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}


def kind_of(suffix: str) -> Kind | None:
    """The kind of file that a suffix stands for, in any case; None where no reader takes it."""
    return _BY_SUFFIX.get(suffix.lower())


_PICTURES = ".png .jpg .jpeg .gif .bmp .tif .tiff .webp .heic"
_HELP: dict[str, str] = {
    ".doc .dot .wpd .wps .abw .sxw .fodt": "save it as .docx or .odt with Word or LibreOffice",
    ".ppt .pps .pot .odp .otp .fodp .sxi .key": "save it as .pptx with PowerPoint, Keynote or LibreOffice, or as PDF",
    ".pages": "export it from Pages as .docx",
    ".numbers .fods .sxc .wk1 .dif": "save it as .xlsx or .csv",
    ".msg .pst .ost .oft": "save the messages from Outlook as .eml, or export them as .mbox",
    ".one .onepkg .onetoc2": "export the pages from OneNote as .docx or PDF",
    ".vsd .vsdx .drawio .dwg .dxf .fig": "export the drawing as PDF",
    ".xps .oxps .djvu .ps .eps .pub .indd": "export it as PDF",
    ".mobi .azw .azw3 .fb2 .chm .lit": "convert it to .epub",
    _PICTURES: "run text recognition (OCR) on it and put the text, or a PDF with the text, here",
    ".mp3 .m4a .wav .ogg .flac .mp4 .mov .mkv .avi .webm": "put its transcript here as .vtt, .srt or .txt",
    ".zip .7z .rar .tar .gz .tgz .bz2 .xz": "unpack it here",
    ".xml .dita .ditamap .dbk .docbook .xsd": "convert it to HTML or Markdown, for example with pandoc",
    ".tex .org .textile .mediawiki .wiki .creole .typ .pod .man": "convert it to Markdown, for example with pandoc",
    ".emlx .webarchive .webloc .url": "save the message as .eml, the page as .html or .mht",
    ".p7m .p7s .gpg .pgp": "decrypt it and save it without encryption",
    ".vcf .ldif": "export the contacts as .csv",
    ".py .js .ts .java .c .cpp .cs .go .rs .rb .php .sh .ps1 .bat .sql .css": "if its text matters, copy it as .txt",
    ".yaml .yml .toml .ini .cfg .conf .properties .env": "say in a .md file what the settings mean, or copy it as .txt",
    ".sqlite .db .mdb .accdb .parquet .avro .feather .dbf .sav": "export the tables as .csv or .xlsx",
}
"""What helps with files that no reader takes, by their suffixes."""
_HELP_BY_SUFFIX = {suffix: help_ for suffixes, help_ in _HELP.items() for suffix in suffixes.split()}


def reason_not_read(name: str, suffix: str) -> str:
    """Why no reader takes a file of that name and suffix, and what helps, in a sentence."""
    if not suffix or suffix[1:].isdecimal():  # README, server.log.1
        return f"{name} is not read, as its name does not say what it is: if it is text, rename it to {name}.txt."
    helps = _HELP_BY_SUFFIX.get(suffix.lower(), "save it as .docx, .pdf or .html, or if it is text, rename it to .txt")
    return f"Files like {suffix} are not read: {helps}."
