"""Web results into documents and passages, by the same machinery as files: what is kept is what is quoted from.

The text that is stored is the text that the service returned, without what is no text: tags, links' addresses, images,
menus, invisible characters. Quotes are exact slices of the stored text.
"""

import hashlib
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime

from llama_index.core.schema import TextNode

from rag_app.document import Document
from rag_app.errors import ReadError
from rag_app.read.html.html_file import html_to_markdown
from rag_app.text.nodes import pack_statements, passage_node
from rag_app.text.passages import Passage, cut_passages, embedding_text
from rag_app.text.statements import Statement
from rag_app.web.domains import canonical_url, host_of
from rag_app.web.judging.terms import words_of
from rag_app.web.search import WebResult

LONGEST_PAGE = 50_000
"""Characters of a page that are read, about 8,000 words; a cut page ends with its last whole paragraph."""
_LONGEST_TITLE = 200
_TAG = re.compile(
    r"</?(?:html|body|head|div|p|br|span|table|tr|td|ul|ol|li|a|h[1-6]|script|style|section|article|img|nav|b|i|em|"
    r"strong|iframe|button|form|input|meta|link|svg|figure|footer|header)\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_IS_HTML = 4
"""Tags from which a text is read as HTML; fewer are left-overs, and taken out."""
_IMAGE = re.compile(r"!\[[^\]\[]{0,500}\](?:\([^()\s]{0,2000}(?:\s[^()]{0,300})?\)|\[[^\]]{0,100}\])")
_LINK = re.compile(r"\[([^\]\[]{0,500})\]\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:\s+[^()]{0,300})?\)")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u200b\u2060\ufeff\ud800-\udfff\U000e0000-\U000e007f]")
_GAP = re.compile(r"\s*\[(?:\.\.\.|…)\]\s*")
"""Between the pieces of a page that an excerpt is made of."""
_CLOSED = re.compile(r"""[.!?。！？؟।…:][)\]}"'”’»」』）*_`~]*\s*$""")
_CUT_OFF = re.compile(r"(?:\.\.\.|…)\s*$")


def unique_results(results: Sequence[WebResult]) -> list[WebResult]:
    """Results with a clear http(s) host, each page once: by its URL, and by its text."""
    seen: set[str] = set()
    kept = []
    for result in results:
        if host_of(result.url) is None:
            continue
        words = words_of(f"{result.raw_content or result.content}"[:LONGEST_PAGE])
        keys = {canonical_url(result.url)}
        if words:
            keys.add(hashlib.sha256(" ".join(words).casefold().encode("utf-8", "replace")).hexdigest())
        if not seen & keys:
            kept.append(result)
        seen |= keys
    return kept


def document_of(result: WebResult) -> Document:
    """The page as a document whose id, path and source are its URL."""
    has_page = bool((result.raw_content or "").strip())
    text, title = _kept_text((result.raw_content if has_page else result.content) or "")
    if not has_page:
        text = _GAP.sub("\n\n#\n\n", text)  # an empty heading: nothing is read across it
    title = " ".join(html.unescape(_TAG.sub(" ", result.title)).split()) or title or host_of(result.url) or result.url
    return Document(
        document_id=result.url,
        title=_UNPRINTABLE.sub("", title)[:_LONGEST_TITLE],
        text=text,
        path=result.url,
        source=result.url,
        sha256=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
        markup="markdown",
    )


@dataclass(frozen=True, slots=True)
class WebPassage:
    """A passage of a page, with what is embedded for it."""

    node: TextNode
    text: str


def passages_of(result: WebResult, retrieved: datetime, *, target_words: int = 110) -> list[WebPassage]:
    """The passages of a page, in reading order. Of an excerpt, statements that it cuts off are left out."""
    document = document_of(result)
    is_excerpt = not (result.raw_content or "").strip()
    found = []
    for passage in cut_passages(document, target_words=target_words):
        statements = [s for s in passage.statements if not is_excerpt or _is_whole(document.text, s)]
        if statements:
            passage = replace(passage, statements=tuple(statements))
            node = _node(document, passage, result, retrieved)
            found.append(WebPassage(node, embedding_text(document, passage)))
    return found


def published_on(result: WebResult) -> str | None:
    """The ISO date of publication; None where the service gave none, or none that can be read."""
    given = (result.published or "").strip()
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(given).date().isoformat()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def _node(document: Document, passage: Passage, result: WebResult, retrieved: datetime) -> TextNode:
    statements = passage.statements
    outside = dict.fromkeys(span for s in statements for span in s.needed if not passage.start <= span[0] < passage.end)
    return passage_node(
        f"{document.document_id}:{passage.start}",
        document.text[passage.start : passage.end],
        document_id=document.document_id,
        title=document.title,
        section=" > ".join(passage.section) or None,
        section_path=list(passage.section),
        start=passage.start,
        end=passage.end,
        source=document.source,
        domain=host_of(result.url),
        published=published_on(result),
        retrieved=retrieved.isoformat(timespec="seconds"),
        statements=pack_statements(statements),
        lead_ins=[[start, end, document.text[start:end]] for start, end in outside],
    )


def _is_whole(text: str, statement: Statement) -> bool:
    """Whether a statement of an excerpt was not cut off at an end: prose must end as sentences do, and not begin within
    one."""
    said = text[statement.start : statement.end].strip()
    if statement.kind != "sentence":
        return not _CUT_OFF.search(said)
    opening = said.lstrip("\"'“‘«([*_")[:1]
    return bool(_CLOSED.search(said)) and not _CUT_OFF.search(said) and not opening.islower() and opening not in "….,;)"


def _kept_text(returned: str) -> tuple[str, str]:
    """What of a returned text is kept, as Markdown; and the title that a page of HTML gives itself."""
    text, title = returned[: 4 * LONGEST_PAGE], ""
    if len(_TAG.findall(text)) >= _IS_HTML:
        try:
            title, text = html_to_markdown(text)
        except ReadError:
            text = _TAG.sub(" ", text)
    else:
        text = html.unescape(_TAG.sub(" ", text))
    text = _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = "\n".join(line for line in (_kept_line(line) for line in text.split("\n")) if line is not None)
    if len(text) > LONGEST_PAGE:
        text = text[: text.rfind("\n\n", 0, LONGEST_PAGE)] if "\n\n" in text[:LONGEST_PAGE] else text[:LONGEST_PAGE]
    return text.strip("\n") + "\n", title


def _kept_line(line: str) -> str | None:
    """A line without images and links' addresses; None for one of hardly anything but links, as in a menu."""
    if "](" not in line and "![" not in line:
        return line
    bare = _IMAGE.sub("", line)
    links = _LINK.findall(bare)
    shown = _LINK.sub(r"\1", bare)
    linked = sum(len("".join(link.split())) for link in links)
    outside = sum(map(str.isalnum, _LINK.sub("", bare)))
    is_menu = len(links) > 1 and linked > 2 * outside
    is_mere_link = len(links) == 1 and not outside and len(links[0].split()) < 4
    return None if is_menu or is_mere_link or (links and not shown.strip()) else shown
