"""Where the open web ends."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.errors import FetchUnreachable, FetchUnsafe
from rag_app.pages.fetching.addresses import check_url, is_public, public_addresses


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("https://Docs.Example.org", "https://docs.example.org/"),
        ("HTTPS://docs.example.org:443/A/b?x=1#part", "https://docs.example.org/A/b?x=1"),
        ("https://docs.example.org./a", "https://docs.example.org/a"),
        ("https://bücher.example/straße", "https://xn--bcher-kva.example/stra%C3%9Fe"),
        ("https://docs.example.org/a%20b/%c3%9f", "https://docs.example.org/a%20b/%c3%9f"),
        ("https://docs.example.org/a(b)~c;d=1,2+3", "https://docs.example.org/a(b)~c;d=1,2+3"),
        ("https://raw.example.com/o/p/v1.2/README.md", "https://raw.example.com/o/p/v1.2/README.md"),
        ("https://under_score.example.org/", "https://under_score.example.org/"),
    ],
)
def test_a_url_has_one_spelling(written: str, read: str) -> None:
    """Host in small letters and ASCII, no port, no fragment, the path as it is; and that spelling stays."""
    assert check_url(written) == read
    assert check_url(read) == read


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("b.html", "https://docs.example.org/a/b.html"),
        ("../c/?q=1#x", "https://docs.example.org/c/?q=1"),
        ("//other.example.org/x", "https://other.example.org/x"),
        ("", "https://docs.example.org/a/"),
    ],
)
def test_a_link_is_read_from_its_page(link: str, target: str) -> None:
    """Relative links are joined to the page's URL, and then read like any other."""
    assert check_url(link, base="https://docs.example.org/a/") == target


@given(st.text(max_size=60))
def test_whatever_is_written_is_refused_or_becomes_a_plain_url(text: str) -> None:
    """No text whatever comes out as something else than https, a dotted name and a path."""
    for url in (text, f"https://{text}", f"https://docs.example.org/{text}"):
        try:
            checked = check_url(url)
        except FetchUnsafe:
            continue
        assert checked.startswith("https://")
        host = checked.removeprefix("https://").partition("/")[0]
        assert "." in host
        assert not set(host) & set("@:[]%\\")
        assert checked.isascii()
        assert check_url(checked) == checked


@given(st.ip_addresses(v=4))
def test_no_address_that_python_calls_private_is_public(address: ipaddress.IPv4Address) -> None:
    """Our list is at least as strict as the standard library's, in every disguise of IPv6."""
    if not address.is_global or address.is_multicast:
        assert not is_public(str(address))
    number = int(address)
    for disguise in (number, (0xFFFF << 32) + number, (0x2002 << 112) + (number << 80), (0x64FF9B0001 << 88) + number):
        assert not is_public(str(ipaddress.IPv6Address(disguise)))
    assert is_public(str(ipaddress.IPv6Address((0x64FF9B << 96) + number))) == is_public(str(address))


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_that_python_calls_private_is_public(address: ipaddress.IPv6Address) -> None:
    """Only what is routed on the Internet passes, or carries such an IPv4 address for networks without IPv4."""
    if address in ipaddress.IPv6Network("64:ff9b::/96"):
        return
    assert not is_public(str(address)) or (address.is_global and not address.is_multicast)


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "1.1.1.1", "2606:2800:220:1::1", "64:ff9b::101:101", "172.32.0.1", "100.128.0.1"]
)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    """The neighbours of private ranges are no part of them."""
    assert is_public(address)


@pytest.mark.parametrize("address", ["", "localhost", "127.0.0.1:80", "1.2.3", "0x7f.1", "::g"])
def test_what_is_no_address_is_not_public(address: str) -> None:
    """A resolver that says something odd is not believed."""
    assert not is_public(address)


def test_a_name_without_addresses_does_not_exist() -> None:
    """An empty answer and an error of the name service are the same."""

    def failing(host: str) -> list[str]:
        raise OSError("no such name")

    for resolve in (failing, lambda _: []):
        with pytest.raises(FetchUnreachable):
            public_addresses("docs.example.org", resolve)
