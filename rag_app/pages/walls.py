"""Whether a page that came with status 200 is a barrier in place of the page: a sign-in, a consent form.

A browser check, a waiting room, a captcha, a sign-in, a request for consent, maintenance, "enable JavaScript" and error
pages have in common that they are short, speak to whoever wants to see the page, of that page and of the moment, and
are made for no search engine. No single one of these features decides, least of all a word: pages that explain how to
sign in have it too.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rag_app.pages.fetching.fetch import Reply
from rag_app.pages.page import Page

LIKELY, POSSIBLE = 6, 4
"""Points from which on a page is a wall by itself, and where it also differs from what stood there before. Set to 80
walls in eight kinds and short pages that explain these kinds (`tests/pages/test_walls.py`)."""
_MEDIUM, _SHORT, _SHORTEST = 120, 80, 50
_LONGEST = 250
"""Words from which on a page is no wall."""
_PASSWORD = 2
_TERMS = Path(__file__).with_name("walls.toml")
_MOST = {"about": 3, "to_the_visitor": 2, "of_this_page": 2, "of_the_moment": 1}
"""How many different terms of a list count."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_EXPLAINS = re.compile(r"^(?:##+ |```|\s*(?:\d+[.)]|[-*]) .+\n\s*(?:\d+[.)]|[-*]) )", re.MULTILINE)
"""Sections, code and lists: what has them explains something."""
_DOORS = frozenset(
    """login signin sign-in log-in logon sso oauth oauth2 saml auth authorize authenticate captcha challenge consent
    waitingroom waiting-room""".split()
)
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?", re.IGNORECASE)


def wall_points(page: Page) -> int:
    """How many features of a wall a page has.

    0 where it is long, or names no kind of wall and asks no password; 1 where it says little of it and speaks neither
    to its visitor nor of itself nor of the moment.
    """
    if page.words >= _LONGEST:
        return 0
    said = _plain(f"{page.title}\n{page.text}")
    found = {name: len(set(terms.findall(said))) for name, terms in _terms().items()}
    if not found["about"] and not page.asks_password:
        return 0
    made_for_nobody = page.is_unlisted or page.reloads or (page.asks_more and not page.asks_password)
    named = {name: min(found[name], most) for name, most in _MOST.items()}
    speaks = sum(named.values()) > named["about"] or page.asks_password or made_for_nobody
    if not speaks and named["about"] < _MOST["about"]:
        return 1
    in_title = _terms()["about"].search(_plain(page.title)) is not None
    short = (page.words < _SHORT) + 2 * (page.words < _SHORTEST) - (page.words >= _MEDIUM)
    explains = _EXPLAINS.search(page.text) is not None
    return sum(named.values()) + in_title + _PASSWORD * page.asks_password + made_for_nobody + short - explains


def leads_to_door(reply: Reply, page: Page) -> str:
    """Why the redirects to a page lead to a sign-in or to another language, in a sentence; "" where they do not.

    That an address holds such a word somewhere, or on the same host the address that was asked for, counts together
    with the page.
    """
    asked, got = urlsplit(reply.url), urlsplit(reply.final_url)
    if (asked.netloc, asked.path) == (got.netloc, got.path):
        return ""
    names = [part.rpartition(".")[0] or part for part in got.path.lower().rstrip("/").split("/")]
    names.insert(0, got.netloc.partition(".")[0])
    doors = _DOORS - {*asked.path.lower().split("/"), asked.netloc.partition(".")[0]}
    returns = len(asked.path) > 1 and asked.path.rstrip("/") in unquote(unquote(got.query))
    opened = names[-1] in doors or names[0] in doors or (returns and asked.netloc != got.netloc)
    if opened or ((returns or doors.intersection(names)) and wall_points(page) >= POSSIBLE):
        return f"It leads to a page that stands before it, {got.netloc}{got.path}, as to a sign-in."
    ours, theirs = _language(asked.path), _language(got.path)
    if ours and theirs and ours != theirs:
        return f"It leads to another language ({theirs} instead of {ours})."
    return ""


def _language(path: str) -> str:
    """The language that the first part of a path names; "" where it names none."""
    first = path.lstrip("/").partition("/")[0]
    return first[:2].lower() if _LANGUAGE.fullmatch(first) else ""


@cache
def _terms() -> dict[str, re.Pattern[str]]:
    """What finds the terms of each list; those of all kinds of walls together are "about"."""
    lists = tomllib.loads(_TERMS.read_text(encoding="utf-8"))
    about = [term for terms in lists["about"].values() for term in terms]
    return {name: _pattern(terms) for name, terms in {"about": about, **lists["speaks"]}.items()}


def _pattern(terms: list[str]) -> re.Pattern[str]:
    longest_first = sorted(dict.fromkeys(terms), key=lambda term: (-len(term), term))
    return re.compile("|".join(map(_term, longest_first)))


def _term(term: str) -> str:
    words = r"\s+".join(map(re.escape, _plain(term).removesuffix("*").split()))
    if _UNSPACED.search(term):
        return words
    return rf"(?<!\w){words}" + ("" if term.endswith("*") else r"(?!\w)")


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")
