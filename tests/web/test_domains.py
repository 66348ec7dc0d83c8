"""Which host a URL names, and that nothing outside the rules ever counts as local."""

import string
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_app.web.domains import canonical_url, host_of
from rag_app.web.region import RegionProfile, known_regions, load_region

REGIONS = [load_region(code) for code in known_regions()]
NZ, GE = load_region("nz"), load_region("ge")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.stuff.co.nz/sport",
        "https://www.beehive.govt.nz/release",
        "https://www.otago.ac.nz/",
        "https://www.forestandbird.org.nz",
        "https://maori.iwi.nz/",
        "http://STUFF.CO.NZ:8080/a",
        "https://stuff.co.nz./a",
        "https://me:secret@stuff.co.nz/a",
        "https://stuff%2Eco%2Enz/a",
        "https://newsroom.nz",
        "https://www.allblacks.com/fixtures",
        "https://māori.nz/",
        "  https://stuff.co.nz/a \n",
        "https://stuff。co。nz/",  # what a browser takes for a dot
    ],
)
def test_local(url: str) -> None:
    """Every host under .nz is local, whatever its second level, and so is a host that the profile names."""
    assert NZ.is_local(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://stuff.co.nz.example.com/",
        "https://example.com/.nz",
        "https://example.com/?next=https://stuff.co.nz",
        "https://example.com#.nz",
        "https://notnz",
        "https://nz/",
        "https://examplenz.com",
        "https://stuff-co-nz.com",
        "https://stuff.co.nz@example.com/",
        "https://stuff.co.nz%2f@example.com/",
        "https://example.com\\.stuff.co.nz/",
        "https://example.com%2f.nz/",
        "https://example.com%00.nz/",
        "https://example.com\t.nz/",
        "https://example.com/\nhttps://stuff.co.nz",
        "https://stuff.co.ոz/",  # an Armenian letter
        "https://stuff.co.nᴢ.example.com/",
        "https://xn--nz-abc.com/",
        "https://allblacks.com.example.org/",
        "https://myallblacks.com/",
        "https://1.2.3.4/",
        "https://[::1]/",
        "https://stuff.co.nz:99999/",
        "https://stuff..nz/",
        "ftp://stuff.co.nz/",
        "javascript://stuff.co.nz/%0aalert(1)",
        "stuff.co.nz",
        "//stuff.co.nz/",
        "https://" + "a" * 5_000 + ".nz/",
        "https:///stuff.co.nz",
        "",
    ],
)
def test_not_local(url: str) -> None:
    """A path, a query, a user name, a longer word, a look-alike or an unclear host never makes a page local."""
    assert not NZ.is_local(url)


def test_a_top_level_domain_in_another_script() -> None:
    """The Georgian top-level domain counts in both of its spellings, and a Cyrillic look-alike of .ge does not."""
    assert GE.is_local("https://ბანკი.გე/")
    assert GE.is_local("https://xn--80aaa.xn--node/")
    assert not GE.is_local("https://civil.gе/")
    assert not GE.is_local("https://www.stuff.co.nz/")
    assert not NZ.is_local("https://civil.ge/")


labels = st.sampled_from(
    ["nz", "ge", "co", "com", "stuff", "allblacks", "oc-media", "org", "xn--node", "example", "გე", "a"]
)
hosts = st.lists(labels, min_size=2, max_size=5)
pieces = st.sampled_from(["", "/", "/.nz", "/a.nz/b", "?q=.nz", "#.ge", "/https://stuff.co.nz"])
users = st.sampled_from(["", "me@", "stuff.co.nz@", "a:b.ge@"])


@given(hosts, pieces, users, st.booleans(), st.booleans(), st.sampled_from(["", ":80", ":8443"]))
def test_local_means_the_last_labels(
    parts: list[str], behind: str, user: str, is_upper: bool, has_dot: bool, port: str
) -> None:
    """A page is local exactly where the last labels of its host are those of a rule, whatever stands around it."""
    host = ".".join(parts)
    written = (host.upper() if is_upper else host) + ("." if has_dot else "")
    url = f"https://{user}{written}{port}{behind}"
    spelled = ["xn--node" if part == "გე" else part for part in parts]
    for profile in REGIONS:
        assert profile.is_local(url) == ends_like_a_rule(spelled, profile)


nasty = st.text(alphabet=string.ascii_lowercase[:4] + "nzge./\\@:?#%20 \t。．ｎｚ\u200b\u00ad\u0430е[]_-", max_size=12)


@given(
    st.lists(nasty, min_size=1, max_size=4),
    st.sampled_from([".nz", ".ge", "stuff.co.nz", "@civil.ge", "allblacks.com"]),
)
@example(["", "/"], "https://stuff.co.nz")
def test_nothing_outside_the_rules_is_ever_local(noise: list[str], rule: str) -> None:
    """Whatever is written around a local name: what counts as local has a local host by another reader of URLs too."""
    for url in (f"https://{rule.join(noise)}", f"https://{''.join(noise)}{rule}", f"https://{rule}{''.join(noise)}"):
        for profile in REGIONS:
            if profile.is_local(url):
                assert ends_like_a_rule(other_reader(url), profile), url


def ends_like_a_rule(host: list[str], profile: RegionProfile) -> bool:
    """Whether the last labels of a host are a suffix with something before it, or a listed host."""
    rules = [suffix.split(".") for suffix in profile.domains.suffixes]
    listed = [name.split(".") for name in profile.domains.hosts]
    return any(len(host) > len(r) and host[-len(r) :] == r for r in rules) or any(host[-len(r) :] == r for r in listed)


def other_reader(url: str) -> list[str]:
    """The labels of a URL's host, as httpx reads it."""
    scheme, _, rest = url.strip(" \t\r\n").partition("://")
    authority, *_ = rest.replace("/", "?").replace("#", "?").split("?", 1)
    host = httpx.URL(f"{scheme}://{unquote(authority.rpartition('@')[2])}/").raw_host.decode()
    return host.removesuffix(".").lower().split(".")


@given(st.text(max_size=60))
def test_any_text_may_be_asked(text: str) -> None:
    """No text makes the reader of hosts fail."""
    assert host_of(f"https://{text}") is None or "." in (host_of(f"https://{text}") or "")


def test_one_page_linked_in_several_ways() -> None:
    """Scheme, www, port, fragment, tracking parameters and a last slash do not make another page; a parameter does."""
    same = [
        "https://www.example.com/a/?utm_source=x&b=1&fbclid=2#top",
        "http://example.com/a?b=1",
        "https://EXAMPLE.com:443/a/?b=1",
    ]
    assert len({canonical_url(url) for url in same}) == 1
    assert canonical_url("https://example.com/a?b=2") != canonical_url(same[0])
    assert canonical_url("https://example.com:8443/a") != canonical_url("https://example.com/a")
    assert canonical_url("not a url") == "not a url"
