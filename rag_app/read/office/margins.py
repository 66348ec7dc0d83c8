"""What page headers and footers say besides the number of the page."""

import re
from typing import Any

from rag_app.read.office.word_styles import W

_ONLY_PAGE = re.compile(r"\W*(?:(?:page|seite|p\.|s\.)?\W*\d*\W*(?:of|von|/)?\W*\d*)\W*", re.IGNORECASE)
_PAGE_WORDS = re.compile(r"[\s,;:|–—·•-]*\b(?:page|seite|p\.|s\.)\s*(?:of|von|/)?\s*$|[\s|–—·•-]+$", re.IGNORECASE)
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b")


def margin_words(text: str) -> str:
    """The words of a line in a margin, without page numbers and the words before them; "" where nothing is left."""
    return "" if _ONLY_PAGE.fullmatch(text) else _PAGE_WORDS.sub("", " ".join(text.split()))


def drop_page_fields(paragraph: Any) -> None:
    """Takes the fields of a Word paragraph that count pages out of it, with what they show."""
    for field in [e for e in paragraph.iter(W + "fldSimple") if _PAGE_FIELD.match(e.get(W + "instr", ""))]:
        field.getparent().remove(field)
    run_of_field: list[Any] = []
    instruction, is_open = "", False
    for run in list(paragraph.iter(W + "r")):
        for mark in run.iter(W + "fldChar", W + "instrText"):
            kind = mark.get(W + "fldCharType", "")
            if kind == "begin":
                run_of_field, instruction, is_open = [], "", True
            elif kind == "end" and is_open and _PAGE_FIELD.match(instruction):
                for part in {*run_of_field, run}:
                    part.getparent().remove(part)
                is_open = False
            elif mark.tag == W + "instrText":
                instruction += mark.text or ""
        if is_open:
            run_of_field.append(run)
