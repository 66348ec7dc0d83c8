"""How much of an earlier version of a page its new version still says. Pure functions over the texts of pages.

Shingles (Broder, "On the resemblance and containment of documents", 1997) of two words, so that neither the language
nor its most frequent words matter; beside them single longer words, which a page that was rewritten still shares.
"""

import hashlib
import re
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote, urlsplit

from rag_app.pages.page import Page

_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W_]+")
"""Words; in scripts without spaces between words (and in Korean, whose endings change), single characters."""
_LONG = 4
"""Letters of a word that is about something more often than not."""
_FEW_SHINGLES, _FEW_WORDS = 0.05, 0.3
_MUCH_SHORTER, _OF_SOME_LENGTH = 0.3, 60
SAME_PAGE = 0.5
"""Share of a page's pairs of words from which on a new version is plainly the page, whatever it looks like."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A new version of a page against the last good one."""

    shingles: float
    """Share of the earlier version's pairs of neighbouring words that the new one still has, 0 to 1."""
    words: float
    """The same for its distinct longer words."""
    length: float
    """Words of the new version for each word of the earlier one."""
    before_words: int
    before_language: str
    language: str

    @property
    def doubt(self) -> str:
        """Why the new version may not be the page, as the rest of a sentence; "" where nothing speaks against it."""
        if self.shingles < _FEW_SHINGLES and self.words < _FEW_WORDS:
            return f"shares almost nothing with it ({self.words:.0%} of its words)"
        if self.shingles < SAME_PAGE and "" != self.before_language != self.language != "":
            return f"is in another language ({self.language} instead of {self.before_language})"
        if self.length < _MUCH_SHORTER and self.before_words >= _OF_SOME_LENGTH:
            return f"has {self.length:.0%} of its length"
        return ""


def likeness(before: Page, after: Page) -> Likeness:
    """What is left of a page in its new version."""
    old, new = _words(before.text), _words(after.text)
    return Likeness(
        shingles=_kept(set(pairwise(old)), set(pairwise(new))),
        words=_kept(_longer(old), _longer(new)),
        length=len(new) / max(1, len(old)),
        before_words=len(old),
        before_language=before.language,
        language=after.language,
    )


def text_key(page: Page, url: str) -> str:
    """The same for two pages that say the same but for figures and their own addresses.

    A page that a site shows in place of many others often names the address and a number of the request.
    """
    said = f"{page.title} {page.text}"
    for own in (url, unquote(url), urlsplit(url).path, unquote(urlsplit(url).path)):
        said = said.replace(own, " ") if len(own) > 1 else said
    words = sorted({word for word in _words(said) if word.isalpha()})
    return hashlib.sha256(" ".join(words).encode("utf-8", "surrogatepass")).hexdigest()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _longer(words: list[str]) -> set[str]:
    return {word for word in words if len(word) >= _LONG or not word.isascii()}


def _kept(before: "set[str] | set[tuple[str, str]]", after: "set[str] | set[tuple[str, str]]") -> float:
    return len(before & after) / len(before) if before else 1.0
