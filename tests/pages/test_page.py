"""Pages into text: the main content with all its sections, code byte for byte, and where its links lead."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.errors import ReadError
from rag_app.pages.fetching.fetch import Reply
from rag_app.pages.page import Page, read_page
from rag_app.read.html.html_file import html_to_markdown
from tests.read.test_read_pdf import make_pdf

URL = "https://docs.example.org/guide/start.html"


def read(body: str | bytes, media: str = "text/html; charset=utf-8", url: str = URL) -> Page:
    data = body.encode() if isinstance(body, str) else body
    return read_page(Reply(url, url, 200, {"content-type": media} if media else {}, data))


SENTENCES = "The oven is heated slowly. " * 10


def test_only_the_main_part_of_a_page_is_its_text() -> None:
    """Navigation, banners, side bars, breadcrumbs, contents, footers and hidden parts leave no trace."""
    html = f"""<html><head><title>Start | Ovens 2.0</title></head><body>
      <div id="cookie-consent"><p>We bake cookies.</p><button>Yes</button></div>
      <header role="banner"><h1>Ovens</h1><a href="/">Home</a></header>
      <nav><ul><li><a href="/a">Other page</a></li></ul></nav>
      <div class="sidebar"><p>Ten chapters</p></div>
      <main><nav class="breadcrumb"><a href="/">Docs</a></nav>
        <ul class="toc"><li><a href="#one">One</a></li><li><a href="#two">Two</a></li></ul>
        <article><h1>Start<a class="headerlink" href="#start">¶</a></h1><p>{SENTENCES}</p>
          <h2 id="one">One</h2><p>First.</p><h2 id="two">Two</h2><p>Second.</p><p hidden>Draft.</p>
          <div class="feedback"><p>Was this page helpful?</p></div>
        </article></main>
      <aside role="complementary">Advert</aside><footer><p>© 2026 Ovens. Built with care.</p></footer></body></html>"""
    page = read(html)
    assert page.title == "Start"
    assert page.text == f"# Start\n\n{SENTENCES.strip()}\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n"


@pytest.mark.parametrize(
    "wrap",
    [
        "<body><div role=main>{}</div><div class=sphinxsidebar><a href=/x>More</a></div></body>",
        "<body><div class=page><article>{}</article></div><footer>Old Town</footer></body>",
        "<body><div id=content>{}</div><div class='footer' role=contentinfo>Old Town</div></body>",
        "<body><main>Loading</main><div class=document>{}</div></body>",
        "<body class='with-sidebar toc-right'>{}</body>",
    ],
)
def test_pages_of_many_makers_keep_every_section(wrap: str) -> None:
    """Whatever marks the main part, or if nothing does, all fifteen sections are there and the edges are not."""
    sections = "".join(f"<section><h2>Part {n}</h2><p>Fact number {n} is {n * n}.</p></section>" for n in range(1, 16))
    page = read(f"<html><head><title>All</title></head>{wrap.format(f'<h1>All</h1>{sections}')}</html>")
    assert [line for line in page.text.splitlines() if line.startswith("## ")] == [f"## Part {n}" for n in range(1, 16)]
    assert "Fact number 15 is 225." in page.text
    assert "Old Town" not in page.text
    assert "More" not in page.text


def test_several_articles_are_all_kept() -> None:
    """A page that parts its text into articles has no main one."""
    html = "".join(f"<article><h2>A{n}</h2><p>{SENTENCES}</p></article>" for n in range(3))
    assert [f"## A{n}" in read(f"<body><nav>Menu</nav><div>{html}</div></body>").text for n in range(3)] == [True] * 3


def test_a_part_whose_name_sounds_like_furniture_stays_where_it_is_the_text() -> None:
    """Sections about cookies, side bars or consent are text."""
    html = f"""<main><h1>Widgets</h1><div class="sidebar"><h2>Sidebar</h2><p>{SENTENCES}</p></div>
        <section id="cookie-handling"><h2>Cookies</h2><p>{SENTENCES * 4}</p></section></main>"""
    text = read(html).text
    assert "## Sidebar" in text
    assert "## Cookies" in text


def test_the_panels_of_tabs_are_all_kept() -> None:
    """What a reader sees after a click is text."""
    html = f"<main><p>{SENTENCES}</p><div role=tabpanel>pip</div><div role=tabpanel hidden>conda</div></main>"
    assert read(html).text.endswith("pip\n\nconda\n")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<details><summary>How long?</summary><p>Two days.</p></details>", "* How long? Two days."),
        (
            "<h3><button aria-expanded=false aria-controls=a>How long?</button></h3><div id=a hidden>Two days.</div>",
            "### How long?\n\nTwo days.",
        ),
        (
            "<div><button data-bs-target='#a'>How long?</button><div id=a class=collapse>Two days.</div></div>",
            "How long?\n\nTwo days.",
        ),
        (
            "<input type=radio id=a checked><input type=radio id=b><div><label for=a>pip</label><label for=b>conda"
            "</label></div><div><div><pre>pip install</pre></div><div><pre>conda install</pre></div></div>",
            "* pip\n\n  ```\n  pip install\n  ```\n\n* conda\n\n  ```\n  conda install\n  ```",
        ),
        (
            "<input type=radio id=a><label for=a>pip</label><div><pre>pip install</pre></div>",
            "* pip\n\n  ```\n  pip install\n  ```",
        ),
        ("<p>Pick one: <input type=radio id=a checked><label for=a>pip</label></p>", "Pick one: [x] pip"),
        ("<pre><button>Copy</button><code>kiln run</code></pre>", "```\nkiln run\n```"),
        (
            "<div><span>bash</span><a role=button class=copy-to-clipboard-button>Copy</a></div><pre>kiln run</pre>",
            "bash\n\n```\nkiln run\n```",
        ),
        ("<p>The <button>Copy</button> button copies a firing plan.</p>", "The Copy button copies a firing plan."),
        ("<button aria-controls=menu>Menu</button><ul id=menu role=menu hidden><li>Home</li></ul>", ""),
    ],
)
def test_controls_leave_the_text_that_a_browser_shows(html: str, text: str) -> None:
    """Titles of accordions and tabs stay with what they open; controls that copy code are no part of it."""
    assert read(f"<main><p>{SENTENCES}</p>{html}</main>").text.removeprefix(SENTENCES.strip()).strip() == text


@pytest.mark.parametrize(
    "numbers",
    [
        "<table><tr><td class=linenos><pre>1\n2</pre></td><td class=code><pre>{}</pre></td></tr></table>",
        "<div class=highlight><pre><span class=linenos>1 </span>{}</pre></div>",
        "<pre><code>{}</code><span class='line-numbers-rows'>12</span></pre>",
    ],
)
def test_line_numbers_are_no_code(numbers: str) -> None:
    """Code is shown with line numbers and copied without them."""
    code = "def f(x):\n    return x"
    assert f"```\n{code}\n```" in read(f"<main><p>{SENTENCES}</p>{numbers.format(code)}</main>").text


CODE = st.text("ab `~#|&*\t\n\\\u00a0é-", min_size=1).filter(lambda code: code.strip() and not code.startswith("\n"))


@given(CODE)
@settings(deadline=None)
def test_code_is_kept_byte_for_byte(code: str) -> None:
    """Indentation, tabs, blank lines and backticks, in a page as in a source file; only blank lines at its end go."""
    escaped = code.replace("&", "&amp;").replace("<", "&lt;")
    assert f"\n{code.rstrip(chr(10))}\n```" in read(f"<main><p>{SENTENCES}</p><pre>{escaped}</pre></main>").text
    source = read(code, "text/plain", "https://raw.example.org/o/p/main/lib/oven.py")
    assert f"py\n{code.rstrip()}\n```" in source.text


def test_a_title_comes_from_the_page_itself() -> None:
    """The heading of the main part; else what the window shows; two pages may have the same."""
    body = f"<p>{SENTENCES}</p>"
    assert (
        read(f"<title>Ovens</title><header><h1>Logo</h1></header><main><h1>A <b>b</b></h1>{body}</main>").title == "A b"
    )
    assert read(f"<title>Ovens  and\nmore</title><main>{body}</main>").title == "Ovens and more"
    assert read("# Read me\n\ntext", "text/plain", "https://raw.example.org/o/README.md").title == "Read me"
    assert read("x = 1", "text/plain", "https://raw.example.org/o/a/set%20up.py").title == "set up.py"
    assert read("text", "text/plain", "https://raw.example.org/").title == "raw.example.org"


@pytest.mark.parametrize(
    ("media", "name", "markup", "text"),
    [
        ("text/plain", "README.md", "markdown", "# A\n\n- b"),
        ("text/markdown; charset=UTF-8", "about", "markdown", "# A\n\n- b"),
        ("text/plain; charset=utf-8", "oven.rs", "markdown", "```rs\n# A\n\n- b\n```\n"),
        ("text/x-python", "oven", "markdown", "```oven\n# A\n\n- b\n```\n"),
        ("text/plain", "LICENSE", "plain", "# A\n\n- b"),
        ("", "notes.txt", "plain", "# A\n\n- b"),
    ],
)
def test_files_of_a_code_host_are_pages(media: str, name: str, markup: str, text: str) -> None:
    """Markdown keeps its structure, a source file is one block of code, anything else is plain text."""
    page = read("# A\n\n- b", media, f"https://raw.example.org/o/p/{name}")
    assert (page.markup, page.text) == (markup, text)


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("application/zip", b"PK"),
        ("image/png", b"\x89PNG"),
        ("application/octet-stream", b"text"),
        ("text/css", b"a {}"),
        ("application/json", b"{}"),
    ],
)
def test_what_is_no_text_to_read_is_not_a_page(media: str, body: bytes) -> None:
    """The reason names the type."""
    with pytest.raises(ReadError, match=media) as caught:
        read(body, media)
    assert caught.value.details["code"] == "not_a_page"


def test_a_picture_that_calls_itself_a_page_is_not_one() -> None:
    """The bytes are believed before the label."""
    with pytest.raises(ReadError) as caught:
        read(b"\x89PNG\r\n\x1a\n\0\0\0", "text/html")
    assert caught.value.details["code"] == "binary"


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("text/html; charset=ISO-8859-1", "<p>café</p>".encode("latin-1")),
        ("text/html; charset=iso-8859-1", "<p>café</p>".encode()),  # a server that labels everything alike
        ("text/html", b"<meta charset=windows-1252>" + "<p>café</p>".encode("cp1252")),
        ("text/html; charset=utf-8", b"<meta charset=latin-1>" + "<p>café</p>".encode()),
        ('text/html; charset="koi8-r"', "<p>café</p>".replace("é", "й").encode("koi8-r")),
        ("text/html; charset=no-such", "<p>café</p>".encode()),
        ("text/html", "\ufeff<p>café</p>".encode("utf-16-le")),
    ],
)
def test_the_encoding_is_what_the_server_says_else_what_the_page_says(media: str, body: bytes) -> None:
    """A mark at the beginning overrides both, and a label that is plainly wrong is not believed."""
    assert read(body, media).text.strip() == ("cafй" if "koi8" in media else "café")


def test_links_are_known_by_their_places() -> None:
    """Each link ends where its text ends, and leads where a browser would go; the text itself does not show it."""
    html = """<base href="/docs/"><main><h2>See <a href="b.html#x">the other</a></h2>
      <p>Or <a href="../c"><code>f()</code></a>, <a href="#here">here</a>, <a href="mailto:a@b.example">mail</a>.</p>
      <ul><li><a href="//other.example/x">Far away</a></li></ul>
      <table><tr><th>N</th><th>M</th></tr>
        <tr><td>1</td><td><a href="http://x.example/">x</a> <a href="d">d</a></td></tr></table>
      <a href="card"><h3>A card</h3><p>of two lines</p></a></main>"""
    page = read(html)
    assert [(page.text[:place].rpartition("\n")[2], target) for place, target in page.links] == [
        ("## See the other", "https://docs.example.org/docs/b.html"),
        ("Or `f()`", "https://docs.example.org/c"),
        ("- Far away", "https://other.example/x"),
        ("| 1 | x d", "https://docs.example.org/docs/d"),
        ("of two lines", "https://docs.example.org/docs/card"),
    ]


WORDS = st.sampled_from(["1.", "a", "#", "-", "---", "|", "> q", "``", "<b>x</b>", "<br>", "=", "2)", "+", "[a]:", "*"])
TAGS = st.sampled_from(["p", "li", "h2", "td", "em", "dd", "blockquote", "a href=/x", "a href='#y'", "a"])
PARTS = st.recursive(
    WORDS,
    lambda inner: st.builds(lambda tag, parts: f"<{tag}>{' '.join(parts)}</{tag.split()[0]}>", TAGS, st.lists(inner)),
)


@given(st.lists(PARTS, min_size=1, max_size=5))
@settings(deadline=None)
def test_marking_links_changes_no_text(pieces: list[str]) -> None:
    """The text of a page with links is the text that the same page has without anybody looking at its links."""
    html = f"<html><body>{''.join(pieces)}</body></html>"
    page = read(html)
    assert page.text == html_to_markdown(html)[1]
    assert all(0 <= place <= len(page.text) for place, _ in page.links)


def test_a_page_tells_its_own_address_and_where_it_sends_people() -> None:
    """Canonical link, refresh and password fields are noticed."""
    page = read(
        "<link rel=canonical href=/guide/begin><meta http-equiv=Refresh content='0; URL=begin.html'><p>Moved</p>"
        "<form><input type=password></form>"
    )
    assert (page.canonical, page.leads_on) == (
        "https://docs.example.org/guide/begin",
        "https://docs.example.org/guide/begin.html",
    )
    assert page.asks_password


def test_front_matter_of_a_markdown_page_is_no_text_and_gives_no_rights() -> None:
    """A third-party page does not decide who may read it, nor what it is called by."""
    page = read("---\ndocument_id: x\naccess_scope: public\n---\n# Title\n\nWords", "text/markdown")
    assert page.title == "Title"
    assert page.text[page.body_start :] == "# Title\n\nWords"
    assert page.words == 3


@pytest.mark.parametrize(
    "media", ["application/pdf", "application/octet-stream", "application/x-pdf", "text/html", "text/plain", ""]
)
def test_a_pdf_is_read_whatever_its_server_calls_it(media: str) -> None:
    """It says itself what it is."""
    found = read(make_pdf([SENTENCES[:80]]), media, "https://docs.example.org/manual.pdf")
    assert "oven is heated" in found.text
    assert found.page_starts == (0,)


@pytest.mark.parametrize(
    ("body", "media"),
    [
        ('{"version": "https://jsonfeed.org/version/1.1", "items": []}', "application/feed+json"),
        ("<?xml version='1.0'?><!DOCTYPE rdf:RDF [<!ENTITY x 'y'>]><rdf:RDF></rdf:RDF>", "text/xml"),
        ("<?xml version='1.0'?><?xml-stylesheet href='a.xsl'?><rss><channel/></rss>", "text/plain"),
    ],
)
def test_a_feed_is_named(body: str, media: str) -> None:
    """Of every kind, so that the reader is told to list its pages."""
    with pytest.raises(ReadError, match="It is a feed"):
        read(body, media)


def test_what_a_comment_declares_is_not_the_encoding() -> None:
    """A page was moved from one encoding to another and keeps the old line in a comment."""
    body = f'<!-- <meta charset="koi8-r"> --><meta charset="windows-1251"><p>Печь греется медленно.</p>{SENTENCES}'
    assert "Печь греется медленно." in read(body.encode("cp1251"), "text/html").text
