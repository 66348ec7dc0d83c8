"""Where the open web ends: which URLs and which IP addresses a page may be fetched from.

A list of URLs comes from people and a redirect from third parties. Either could make this machine ask its own services,
its network or its cloud's metadata in their name (server-side request forgery). So a host must be a plain name, and
every address that the name resolves to must be a public one; `fetch.py` connects to just the addresses that were looked
at.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

import idna

from rag_app.errors import FetchUnreachable, FetchUnsafe

Resolver = Callable[[str], Sequence[str]]
"""IP addresses of a host name, as text. Raises OSError where there is no such name."""

_LONGEST_URL = 2000
_HOST = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z"
)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
"""A last label that makes a host an IPv4 address for browsers: 2130706433, 0x7f.1, 127.1 (WHATWG URL, 3.5)."""
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\\<>\"^`{|}]|%(?![0-9A-Fa-f]{2})")
_PATH_SAFE, _QUERY_SAFE = "/:@!$&'()*+,;=~%-._", "/?:@!$&'()*+,;=~%-._[]"

_REFUSED_V4 = [
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
        "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 "
        "168.63.129.16/32"  # a cloud's own services, at an address that looks public
    ).split()
]
"""What the IANA registry of special addresses calls not globally reachable (RFC 6890 and its successors), with
multicast. Written out, since what `ipaddress.is_global` says differs between releases of Python."""
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
_REFUSED_V6 = [
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23 "  # Teredo, ORCHID, benchmarking and others
        "2001:db8::/32 3fff::/20 "  # documentation
        "2002::/16"  # 6to4, which carries an IPv4 address that nobody would look at
    ).split()
]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""How networks without IPv4 reach it (RFC 6052): as safe as the IPv4 address that is in it."""


def check_url(url: str, base: str = "") -> str:
    """The URL in its one spelling: lower-case host in ASCII, no port, no fragment, what is not ASCII percent-encoded.

    With `base` it may be relative, as in a link. Raises FetchUnsafe where it is not https on port 443 of a host that is
    named in the usual way.
    """

    def unsafe(why: str) -> FetchUnsafe:
        shown = url if len(url) <= 200 else url[:200] + "..."
        return FetchUnsafe(f"{shown!r} is not fetched: {why}.", url=url)

    if len(url) > _LONGEST_URL:
        raise unsafe(f"it is longer than {_LONGEST_URL:,} characters")
    if _FORBIDDEN.search(url):
        raise unsafe("it holds characters that no URL has; percent-encode them")
    try:
        url = urljoin(base, url)  # after the check above, since it leaves out line ends and tabs without a word
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise unsafe(f"it is no URL ({error})") from error
    if parts.scheme != "https" or not url[:8].lower() == "https://":
        raise unsafe("only https:// is")
    if "@" in parts.netloc:
        raise unsafe("it holds a user name or password; remove it")
    if port not in (None, 443) or parts.netloc.endswith(":"):
        raise unsafe("only port 443 is asked")
    host = _host(parts.hostname or "", unsafe)
    path = quote(parts.path or "/", safe=_PATH_SAFE)
    return urlunsplit(("https", host, path, quote(parts.query, safe=_QUERY_SAFE), ""))


def _host(written: str, unsafe: Callable[[str], FetchUnsafe]) -> str:
    """A host name in ASCII. Every spelling of an IP address is refused: pages live at names."""
    if "%" in written:
        raise unsafe("its host is percent-encoded")
    if ":" in written:
        raise unsafe("its host is an IP address; name the host")
    try:
        host = written if written.isascii() else idna.encode(written, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as error:
        raise unsafe("its host is no name") from error
    host = host.lower().removesuffix(".")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        raise unsafe("its host is an IP address; name the host")
    if "." not in host:
        raise unsafe("its host has no dot, so it is one of this network")
    if not _HOST.match(host):
        raise unsafe("its host is no name")
    return host


def is_public(address: str) -> bool:
    """Whether an IP address is one of the open Internet: nothing private, local, reserved or disguised as IPv6."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv4Address):
        return not any(ip in network for network in _REFUSED_V4)
    if ip in _NAT64:
        return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
    is_isatap = (int(ip) >> 32) & 0xFDFFFFFF == 0x5EFE  # carries an IPv4 address too (RFC 5214)
    return ip in _PUBLIC_V6 and not is_isatap and not any(ip in network for network in _REFUSED_V6)


def public_addresses(host: str, resolve: Resolver) -> list[str]:
    """All addresses of a host.

    Raises FetchUnsafe where one of them is not public: a name with a good and a bad address would only have to be
    asked twice. Raises FetchUnreachable where the name has none.
    """
    try:
        found = list(dict.fromkeys(resolve(host)))
    except (OSError, UnicodeError) as error:
        raise FetchUnreachable(f"There is no host {host}: check the name.", host=host) from error
    if not found:
        raise FetchUnreachable(f"There is no host {host}: check the name.", host=host)
    for address in found:
        if not is_public(address):
            raise FetchUnsafe(
                f"{host} is not asked: it resolves to {address}, which is not on the open web.",
                host=host,
                address=address,
            )
    return found


def system_resolver(host: str) -> list[str]:
    """The addresses that the operating system knows for a name."""
    found = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]
