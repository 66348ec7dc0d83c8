"""Which host a URL names, and whether a domain rule covers it.

Read as a browser reads it, but more strictly (IDNA 2008 without the mappings of UTS 46): whatever two readers could
take for two hosts names none. A rule covers a host on label borders only, so that neither a path, a user name nor a
look-alike letter counts.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import parse_qsl, unquote_to_bytes, urlencode, urlsplit

import idna

_UNCLEAR = re.compile(r"[\x00-\x20\x7f-\xa0\\\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]")
"""White space, controls, invisible characters, and the backslash, which browsers take for a slash."""
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_LAST_LABEL = re.compile(r"[a-z][a-z0-9-]*")
"""A host that ends in a number is an IP address, or a try at one."""
_LONGEST_HOST = 253
_LONGEST_URL = 4_000
_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|ocid|cmpid|smid|ref_src", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def host_of(url: str) -> str | None:
    """The host of an http(s) URL, in ASCII, lower case, without a trailing dot; None where it names no clear one."""
    if len(url) > _LONGEST_URL or _UNCLEAR.search(url.strip(" \t\r\n")):
        return None
    try:
        parts = urlsplit(url.strip(" \t\r\n"))
        _ = parts.port  # raises for an invalid port
        raw = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    return ascii_host(raw)


def ascii_host(host: str) -> str | None:
    """A host name in ASCII ("xn--…" for other scripts), lower case; None where it is no host name."""
    try:
        decoded = unquote_to_bytes(host).decode("utf-8")
        if _UNCLEAR.search(decoded):
            return None
        name = idna.encode(unicodedata.normalize("NFC", decoded.removesuffix(".").lower())).decode("ascii")
    except (UnicodeError, IndexError):  # idna's own error is a UnicodeError
        return None
    labels = name.split(".")
    if len(name) > _LONGEST_HOST or len(labels) < 2 or not all(map(_LABEL.fullmatch, labels)):
        return None
    return name if _LAST_LABEL.fullmatch(labels[-1]) else None


def is_under(host: str, domain: str) -> bool:
    """Whether `host` is `domain` or lies under it; both as `ascii_host` gives them."""
    return host == domain or host.endswith("." + domain)


def canonical_url(url: str) -> str:
    """One name for a page that is linked in several ways: for telling duplicates apart, not for fetching.

    Scheme, "www.", default port, fragment, tracking parameters, their order and a last slash do not count. A URL that
    names no clear host stays as it is.
    """
    host = host_of(url)
    if host is None:
        return url
    parts = urlsplit(url.strip())
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    asked = sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(pair[0]))
    query = f"?{urlencode(asked)}" if asked else ""
    return f"https://{host.removeprefix('www.')}{port}{parts.path.rstrip('/')}{query}"


def covered(host: str | None, domains: Iterable[str]) -> bool:
    """Whether any of `domains` covers `host`."""
    return host is not None and any(is_under(host, domain) for domain in domains)
