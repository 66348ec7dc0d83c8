"""Web results into documents and passages: what is kept is clean, and what is quoted stands in it word for word."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.text.nodes import SHOWN, node_statements, slice_of
from rag_app.web.result_pages import LONGEST_PAGE, document_of, passages_of, published_on, unique_results
from rag_app.web.search import WebResult

WHEN = datetime(2025, 11, 30, 2, 46, 7, tzinfo=UTC)


def page(
    text: str, url: str = "https://www.rnz.co.nz/a", title: str = "Title", published: str | None = None
) -> WebResult:
    return WebResult(url, title, "excerpt", text, published)


def said(result: WebResult) -> list[str]:
    """All statements of a result's passages."""
    nodes = [passage.node for passage in passages_of(result, WHEN)]
    return [slice_of(node, s.span) or "" for node in nodes for s in node_statements(node)]


def test_a_page_as_passages() -> None:
    """A passage says where it is from and when, is an exact slice of the kept text, and has its headings."""
    result = page(
        "# Rates\n\n## Water\n\nThe council raised rates by 6 percent. It will vote again in June.\n", title="R"
    )
    (passage,) = passages_of(result, WHEN)
    facts = passage.node.metadata
    text = document_of(result).text
    assert text[facts["start"] : facts["end"]] == passage.node.text
    assert facts["document_id"] == facts["source"] == "https://www.rnz.co.nz/a"
    assert facts["domain"] == "www.rnz.co.nz"
    assert facts["retrieved"] == "2025-11-30T02:46:07+00:00"
    assert facts["section_path"] == ["Rates", "Water"]
    assert said(result) == ["The council raised rates by 6 percent.", "It will vote again in June."]
    assert not {"title", "section", "source", "retrieved"} & set(passage.node.excluded_llm_metadata_keys)
    assert set(facts) - set(SHOWN) <= set(passage.node.excluded_llm_metadata_keys)


def test_html_is_read_as_html() -> None:
    """Tags, scripts and menus are no text, and tables and headings stay what they are."""
    html = (
        "<html><head><title>Fees</title><script>track('x < y')</script></head><body><nav><a href='/'>Home</a></nav>"
        "<h1>Fees</h1><p>Dog fees rise &amp; cat fees fall.</p><table><tr><th>Dog</th><th>Fee</th></tr>"
        "<tr><td>Small</td><td>$40</td></tr></table></body></html>"
    )
    assert said(page(html)) == ["Dog fees rise & cat fees fall.", "| Small | $40 |"]


def test_left_overs_of_markup() -> None:
    """Single tags, entities, images, addresses of links, menus and invisible characters are taken out of Markdown."""
    text = (
        '[Home](/) | [News](/news) | [Sport](/sport)\n\n![A photo](https://cdn.example/x.jpg "t")\n\n[Skip](#main)\n\n'
        "The [council](https://a.nz/c_(d)) said<br> that it&#39;s done\u200b.\x07\n\n* [Read more](https://a.nz/b)\n"
    )
    assert said(page(text)) == ["The council said  that it's done."]


def test_of_an_excerpt_only_whole_sentences() -> None:
    """Where the service has no page, statements that its excerpt cuts off are left out: they may lack their "not"."""
    excerpt = (
        "be paid before June. The fee is not refunded. Owners may appeal [...] unless the dog is registered. "
        "A dog must be registered by July. The council will ..."
    )
    result = WebResult("https://a.nz/x", "Dogs", excerpt, None)
    assert said(result) == ["The fee is not refunded.", "A dog must be registered by July."]
    assert said(WebResult("https://a.nz/x", "Dogs", excerpt, "  ")) == said(result)


@pytest.mark.parametrize(
    "text",
    [
        "თბილისში აქცია გრძელდება. პარლამენტი ღამით შეიკრიბა.",
        "奥克兰市议会将提高税率。居民对此表示反对。",
        "قرر المجلس رفع الرسوم. يعترض السكان على ذلك.",
        "Ο δήμος αυξάνει τα τέλη. Οι κάτοικοι διαμαρτύρονται.",
    ],
)
def test_other_languages(text: str) -> None:
    """A page in another language or script is passages like any other, word for word."""
    assert all(statement in text for statement in said(page(text)))
    assert said(page(text))


def test_a_very_long_page() -> None:
    """A page is cut at a paragraph beyond its limit."""
    paragraph = "The river rose by two metres and then fell again within a day. " * 5
    text = document_of(page("\n\n".join([paragraph] * 2_000))).text
    assert LONGEST_PAGE - 1_000 < len(text) <= LONGEST_PAGE + 1
    assert text.endswith("within a day. \n")


@pytest.mark.parametrize(
    ("given_date", "read"),
    [
        ("Tue, 04 Nov 2025 06:00:00 GMT", "2025-11-04"),
        ("2025-11-04T06:00:00Z", "2025-11-04"),
        ("2025-11-04", "2025-11-04"),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_the_date_of_publication(given_date: str | None, read: str | None) -> None:
    """It is read where it can be, and left out where not."""
    assert published_on(WebResult("https://a.nz", "t", "c", published=given_date)) == read


def test_duplicates() -> None:
    """The same page under another address, the same text on another site, and what has no clear host are left out."""
    results = [
        page("One text.", "https://www.a.nz/x?utm_source=1"),
        page("Another text.", "http://a.nz/x/"),
        page("One  TEXT.", "https://b.nz/copy"),
        page("A third text.", "https://c.nz/"),
        page("A fourth text.", "javascript:alert(1)"),
        WebResult("https://d.nz/empty", "", ""),
        WebResult("https://e.nz/empty", "", ""),
    ]
    assert [result.url[:14] for result in unique_results(results)] == [
        "https://www.a.", "https://c.nz/", "https://d.nz/e", "https://e.nz/e"
    ]  # fmt: skip


@settings(max_examples=80)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.sampled_from(
                ["<p>", "</div>", "[a](b)", "![x](y)", "[...]", "...", "&lt;", "# H\n", "| a | b |\n|-|-|\n", "\n\n"]
            ),
            st.just("The fee is not refunded. "),
        ),
        max_size=20,
    ).map("".join),
    st.booleans(),
)
def test_whatever_comes_is_kept_word_for_word(text: str, is_excerpt: bool) -> None:
    """Any text becomes passages without failing, and every statement is an exact slice of the kept text."""
    result = WebResult("https://a.nz/x", text[:30], text, None if is_excerpt else text)
    kept = document_of(result).text
    for passage in passages_of(result, WHEN):
        node = passage.node
        assert kept[node.metadata["start"] : node.metadata["end"]] == node.text
        for statement in node_statements(node):
            assert slice_of(node, statement.span) == kept[statement.start : statement.end]
            assert all(slice_of(node, span) == kept[span[0] : span[1]] for span in statement.lead_in)
