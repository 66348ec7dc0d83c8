"""HTML into Markdown: every section, code byte for byte, tables and lists with their structure."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag_app.errors import ReadError
from rag_app.read.html import html_tree
from rag_app.read.html.html_file import html_to_markdown
from rag_app.read.html.html_tree import few_attributes

PARSER = MarkdownIt("commonmark").enable("table")


def markdown(html: str) -> str:
    return html_to_markdown(html)[1].rstrip("\n")


def test_headings_and_paragraphs_are_kept_wherever_they_stand() -> None:
    """Headings in headers, links or oddly nested parts keep their level, loose text is a paragraph of its own."""
    html = (
        "<header><h1>A <em>b</em></h1></header>loose<div>one<section><a href=x><h3>C<br>d</h3></a></section>two</div>"
        "<details><summary>More</summary><p>Hidden</p></details><h2></h2>"
    )
    assert markdown(html) == "# A b\n\nloose\n\none\n\n### C d\n\ntwo\n\n* More: Hidden"


def test_scripts_navigation_and_controls_are_dropped() -> None:
    """What is no text of the page leaves no trace, and the words around it stay apart."""
    html = (
        "<head><title>T</title><style>p{}</style></head><nav><a>Home</a></nav><div role=navigation>Menu</div>"
        "<script>x('<p>no</p>')</script><p>a<!-- no --> b</p><button>Go</button><template><p>no</p></template>"
        "<footer><a>Imprint</a> <a>Contact</a></footer><svg><title>no</title></svg><noscript>no</noscript>"
    )
    assert html_to_markdown(html) == ("T", "a b\n")


def test_a_footer_with_sentences_and_an_article_header_with_links_are_kept() -> None:
    """Only the edges of a page that are mostly links are taken for navigation."""
    html = "<article><header><a>By Ana</a></header><p>x</p></article><footer>Valid until May. <a>Up</a></footer>"
    assert markdown(html) == "By Ana\n\nx\n\nValid until May. Up"


def test_links_and_emphasis_are_reduced_to_their_text_and_entities_decoded() -> None:
    """The words stand as a browser shows them."""
    assert markdown("<p>A <a href='http://x'>l<b>in</b>k</a> &amp; a_b * c &lt;T&gt; &#8364;&nbsp;5</p>") == (
        "A link & a_b * c <T> €\u00a05"
    )


def test_a_heading_loses_its_permalink() -> None:
    """A sign that links to the heading itself is not part of it."""
    assert markdown("<h2>Install<a class=headerlink href='#install'>¶</a></h2>") == "## Install"


def test_figures_keep_their_value_when_raised_or_lowered() -> None:
    """Ten to the sixth is not 106, and a formula is no word."""
    html = "<p>10<sup>6</sup> m<sup>2</sup>, 5<sup>th</sup>, 10<sup>-3</sup>, 2<sup>n+1</sup>, CO<sub>2</sub></p>"
    assert markdown(html) == "10⁶ m², 5th, 10⁻³, 2ⁿ⁺¹, CO₂"


def test_line_breaks_are_kept_and_two_part_paragraphs() -> None:
    """A <br> is a hard break, source line ends are spaces."""
    assert markdown("<p>a\nb<br>c<br><br>d</p>") == "a b  \nc\n\nd"


CODE = "def f():\n    if x:\n\treturn  1\n\n  # `a` ``` b\n<T> & \u00a0end"


@pytest.mark.parametrize(
    "wrap", ["<pre>{}</pre>", "<pre><code>{}</code></pre>", "<pre>\n{}\n</pre>", "<table><tr><td><pre>{}</pre></table>"]
)
def test_code_is_kept_byte_for_byte(wrap: str) -> None:
    """Indentation, tabs, double spaces and blank lines stay, and the fence is longer than any in the code."""
    escaped = CODE.replace("&", "&amp;").replace("<", "&lt;")
    assert markdown(wrap.format(escaped)) == f"````\n{CODE}\n````"


@given(st.text("ab `~#|<&*\t\n\\\u00a0é🙂-").filter(lambda code: code.strip() and not code.startswith("\n")))
@settings(deadline=None)
def test_any_code_is_one_fenced_block_with_the_same_text(code: str) -> None:
    """Whatever stands in a <pre> can be cut out of the Markdown again, exactly."""
    escaped = code.replace("&", "&amp;").replace("<", "&lt;")
    text = markdown(f"<p>before</p><pre>{escaped}</pre><p>after</p>")
    fence = text.split("\n\n", 1)[1].split("\n", 1)[0]
    assert text == f"before\n\n{fence}\n{code.rstrip(chr(10))}\n{fence}\n\nafter"
    assert fence not in code
    blocks = [token for token in PARSER.parse(text) if token.type in ("fence", "inline")]
    assert [block.content.rstrip("\n") for block in blocks] == ["before", code.rstrip("\n"), "after"]


def test_the_language_of_code_is_kept_and_lines_in_elements_are_lines() -> None:
    """Highlighters mark the language in a class and wrap tokens or whole lines."""
    assert markdown("<pre><code class='hljs language-rust'><span>fn</span> f()</code></pre>") == "```rust\nfn f()\n```"
    assert markdown("<pre><div>a</div><div>  b</div></pre>") == "```\na\n  b\n```"
    assert markdown("<pre>a<br>  b</pre>") == "```\na\n  b\n```"


def test_lists_keep_their_nesting_numbers_and_code() -> None:
    """A nested list, a second paragraph and code belong to their item."""
    html = (
        "<ol start=3><li>One<ul><li>a</li><li>b</li></ul></li><li><p>Two</p><pre>  x\n\n  y</pre></li></ol>"
        "<ul><li>outer</li><ul><li>stray inner</li></ul></ul>"
    )
    assert markdown(html) == (
        "3. One\n   - a\n   - b\n\n4. Two\n\n   ```\n     x\n\n     y\n   ```\n\n- outer\n  - stray inner"
    )


def test_a_definition_belongs_to_its_term() -> None:
    """Terms are items, their definitions items below them, in groups or not."""
    html = "<dl><dt>T</dt><dd>one</dd><dd>two</dd><div><dt>U</dt><dd>three</dd></div></dl>"
    assert markdown(html) == "- T\n  - one\n  - two\n- U: three"
    assert markdown("<dl><dt>A</dt><dt>B?</dt><dd>both</dd></dl>") == "- A, B? both"


@pytest.mark.parametrize(
    "line", ["# x", "- 5 x", "+ x", "* x", "> x", "```", "---", "===", "| a | b |", "<div> x", "[a]: b"]
)
def test_text_that_looks_like_markup_stays_text(line: str) -> None:
    """To a Markdown parser a paragraph is one paragraph with just these words, whatever its first characters are."""
    tokens = PARSER.parse(markdown(f"<p>Before.</p><p>{line.replace('<', '&lt;')}</p><p>After.</p>"))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"] * 3
    assert "".join(child.content for child in tokens[4].children or ()).replace("\u00a0", " ") == line


def test_typed_numbers_and_dashes_are_shown_as_typed() -> None:
    """A clause whose number was typed makes the list it was typed for, and no backslash is ever shown."""
    assert markdown("<p>1. Scope</p><p>2) Terms</p><p>- a dash</p>") == "1. Scope\n\n2) Terms\n\n- a dash"


def test_a_table_keeps_rows_under_their_columns() -> None:
    """Pipes are escaped, breaks are spaces, a spanning cell is repeated in each row that it speaks for, and one that
    fills its row is a text of its own."""
    html = (
        "<table><caption>Days</caption><thead><tr><th rowspan=2>Level<th colspan=2>Days</tr>"
        "<tr><th>old<th>new</tr></thead><tr><td rowspan=2>Staff<td>25 | 26<td>27<br>28</tr>"
        "<tr><td>10<sup>2</sup></tr><tr><td colspan=3><ul><li>a<li>b</ul></td></tr></table>"
    )
    assert markdown(html) == (
        "Days\n\n| Level | Days old | Days new |\n| --- | --- | --- |\n| Staff | 25 \\| 26 | 27 28 |\n"
        "| Staff | 10² |  |\n\n• a • b"
    )


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ("<tr><td>Name<td>Days<tr><td>a<td>1", "| Name | Days |"),
        ("<tr><th>Name<th>Days<tr><td>a<td>1", "| Name | Days |"),
        ("<tr><th>Price<td>5<tr><th>Weight<td>1", "|  |  |"),
    ],
)
def test_the_header_is_what_is_marked_else_the_first_row(rows: str, header: str) -> None:
    """A table whose rows have header cells has no header row: its first row is content."""
    assert markdown(f"<table>{rows}</table>").splitlines()[0] == header


def test_words_outside_of_items_and_cells_are_kept() -> None:
    """Careless pages put text directly into lists and tables; a browser shows it, and so do we."""
    assert markdown("<ul>intro<li>a</li>between<li>b</li></ul>") == "- intro\n\n- a\n\n  between\n\n- b"
    table = markdown("<table><tr><p>loose</p><td>a<td>b<tr><td>1<td>2</table>")
    assert all(word in table.split() for word in ("loose", "a", "b", "1", "2"))


def test_a_layout_table_is_its_parts() -> None:
    """A table around headings, other tables or a single column is no table."""
    assert markdown("<table><tr><td><h2>A</h2><p>b</td><td>c</td></tr></table>") == "## A\n\nb\n\nc"
    assert markdown("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>") == "a\n\nb"
    nested = "<table><tr><td>x</td><td><table><tr><td>a<td>b<tr><td>1<td>2</table></td></tr></table>"
    assert markdown(nested) == "x\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.parametrize("tag", ["div", "b", "span", "blockquote", "ul><li", "table><tr><td"])
@pytest.mark.parametrize("depth", [200, 600, 5000])
def test_deep_nesting_loses_no_words(tag: str, depth: int) -> None:
    """A page nested absurdly deep keeps its words, or is an error; it neither recurses nor goes quiet."""
    html = f"<p>before</p>{f'<{tag}>' * depth}deep<p>after</p>"
    if depth * len(tag.split("><")) > 2000:
        with pytest.raises(ReadError, match="nested too deeply"):
            markdown(html)
    else:
        assert all(word in markdown(html) for word in ("before", "deep", "after"))


@pytest.mark.parametrize(
    "html", ["", " ", "<!-- x -->", "<html></html>", "<?xml version='1.0' encoding='utf-16'?>", "<p>\ud800</p>"]
)
def test_a_page_without_words_is_empty(html: str) -> None:
    """No text is no error here; the reader decides."""
    assert html_to_markdown(html)[1].strip("\n?") == ""


def test_a_declared_encoding_does_not_disturb_a_decoded_page() -> None:
    """What is decoded already is not decoded again."""
    assert (
        html_to_markdown("<?xml version='1.0' encoding='utf-16'?><meta charset=koi8-r><p>größer</p>")[1] == "größer\n"
    )


TAGS = st.sampled_from(
    re.findall(r"\w+", "p div ul ol li table tr td th pre code b a h1 blockquote dl dt dd br span sup")
)


@given(
    st.lists(
        st.one_of(
            TAGS.map("<{}>".format), TAGS.map("</{}>".format), st.from_regex(r"[a-z]{3,6}[0-9]{1,3} ", fullmatch=True)
        ),
        max_size=30,
    )
)
@settings(deadline=None)
def test_no_word_of_a_page_is_lost(pieces: list[str]) -> None:
    """However tags are mixed up, every word comes out, in order, once (but where a cell spans rows)."""
    text = markdown("<body>" + "".join(pieces))
    words = [piece.strip() for piece in pieces if "<" not in piece]
    place = 0
    for word in words:
        place = text.find(word, place)
        assert place >= 0, (word, text)


def test_a_page_that_leaves_out_its_body_tag_loses_nothing() -> None:
    """HTML allows it, and the parser then takes the text for a part of the head."""
    html = "<!doctype html><title>T</title><meta charset=utf-8><main><h1>A</h1>loose<p>b</p></main>tail"
    assert html_to_markdown(html) == ("T", "# A\n\nloose\n\nb\n\ntail\n")


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>NOT</p>",
        "<p style='display: none'>NOT</p>",
        "<p>a<span style='visibility:hidden'>NOT</span></p>",
        "<p>a<span style='font-size:0'>NOT</span></p>",
        "<p>a<span style='position:absolute; left:-9999px'>NOT</span></p>",
        "<p>a<span style='color:#fff;background:#fff'>NOT</span></p>",
        "<p>a <del>NOT</del> <s>NOT</s> <strike>NOT</strike></p>",
        "<p>a <span style='text-decoration: line-through'>NOT</span></p>",
        "<style>.old{text-decoration-line:line-through} #x, p.gone{display:none}</style>"
        "<p>a <b class=old>NOT</b></p><div id=x>NOT</div><p class='gone y'>NOT</p>",
        "<div class=modal role=dialog aria-hidden=true>NOT</div>",
        "<input type=hidden value=NOT><input type=password value=NOT><input type=submit value=NOT>",
    ],
)
def test_hidden_and_struck_words_are_not_text(html: str) -> None:
    """What the page hides or strikes out, by attribute, element or its own style sheet, is left out."""
    text = markdown(f"<p>before</p>{html}<p>after</p>")
    assert "NOT" not in text
    assert text.startswith("before")
    assert text.endswith("after")


@pytest.mark.parametrize(
    "html",
    [
        "<details><summary>Q</summary><p>SHOWN</p></details>",
        "<div role=tabpanel hidden>SHOWN</div>",
        "<h2><button aria-expanded=false aria-controls=p1>Q</button></h2><div id=p1 hidden>SHOWN</div>",
        "<button class=accordion>Q</button><div style='display:none'>SHOWN</div>",
        "<p hidden=until-found>SHOWN</p>",
        "<style>.q .a{display:none} .q.open .a{display:block}</style><div class=q>Q<p class=a>SHOWN</p></div>",
        "<style>.a{display:none} #c:checked~.a{display:block}</style><input id=c type=checkbox><p class=a>SHOWN</p>",
        "<style>@media print { p { display: none } } .a { display: none } .a.b { display: block }</style>"
        "<p class='a b'>SHOWN</p>",
        "<style>@import 'x.css'; @media screen { i { x: y } }</style><p>SHOWN</p>",
        "<label>Days <input type=text value=SHOWN></label>",
    ],
)
def test_what_a_click_opens_is_text(html: str) -> None:
    """Collapsed content is there for every reader, and so is what a field holds."""
    assert "SHOWN" in markdown(f"<p>before</p>{html}")


def test_words_of_buttons_stay_in_headings_and_sentences() -> None:
    """A heading that is a button keeps its words, a sentence its key; a bare button is a control."""
    assert markdown("<h2><button>May I?</button></h2><p>Yes.</p>") == "## May I?\n\nYes."
    assert markdown("<p>Hold <button>Return</button>, then <b>press</b> <button>OK</button>.</p>") == (
        "Hold Return, then press OK."
    )
    assert markdown("<p>a</p><div><button>Copy</button> <button>Share</button></div>") == "a"
    assert markdown("<h2>Firing <button>Copy link</button></h2>") == "## Firing"
    assert markdown("<h2><button>Copy link</button></h2><p>It copies the link.</p>").startswith("## Copy link")
    code = "<div><span>bash</span><span class=copy-button>Copy</span></div><pre>ls</pre>"
    assert markdown(code) == "bash\n\n```\nls\n```"
    assert markdown("<p>A <span class=copy>fair copy</span>.</p>") == "A fair copy."


def test_check_boxes_keep_their_state() -> None:
    """Whether a box is checked is what the page says."""
    assert markdown("<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>") == "- [x] a\n- [ ] b"


def test_formulas_and_readings_are_read_right() -> None:
    """A fraction is no number of two digits, and readings do not tear words apart."""
    half = "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    mixed = "<math><mn>3</mn><mfrac><mn>1</mn><mn>4</mn></mfrac></math>"
    power = "<math><msup><mn>10</mn><mn>6</mn></msup><mo>≤</mo><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt></math>"
    assert (
        markdown(f"<p>Mix {half} litre with {mixed} or {power}.</p>") == "Mix 1/2 litre with 3 1/4 or 10⁶ ≤ √(a + b)."
    )
    assert markdown("<p><ruby>飲<rt>いん</rt>食<rp>(</rp><rt>しょく</rt></ruby>は</p>") == "飲食は"
    assert markdown("<p>Haft&shy;pflicht\u200b&#xfeff;</p>") == "Haftpflicht"


@pytest.mark.parametrize(
    ("attributes", "numbers"),
    [
        ("type=a start=3", ["- c. x", "- d. x"]),
        ("reversed", ["2. x", "1. x"]),
        ("type=I", ["- I. x", "- II. x"]),
        ("style='list-style-type: lower-roman'", ["- i. x", "- ii. x"]),
    ],
)
def test_lists_count_as_the_page_shows(attributes: str, numbers: list[str]) -> None:
    """An item may be referred to by its letter."""
    assert markdown(f"<ol {attributes}><li>x<li>x</ol>").splitlines() == numbers


def test_footnotes_become_markdown_footnotes() -> None:
    """A note stands where it stood, under the label that its reference has."""
    html = (
        "<p>Refunded in 10 days.<sup><a href='#fn1' id=r1>1</a></sup></p>"
        "<ol><li id=fn1><p>Only with all keys. <a href='#r1'>↩</a></p></li></ol>"
        "<p>See <a href='#part'>2</a>.</p><div id=part>Part</div>"
    )
    assert markdown(html) == "Refunded in 10 days.[^1]\n\n[^1]: Only with all keys.\n\nSee 2.\n\nPart"


def test_a_tag_of_very_many_attributes_keeps_those_that_matter() -> None:
    """The parser compares each attribute with all others of its tag, so there are at most some hundred of them."""
    many = " ".join(f"a{n}='1'" for n in range(20_000))
    html = few_attributes(f"<p class=x {many} hidden>NOT</p><p {many}>a<br>b</p><p title='{'w ' * 999}'>c</p>")
    assert len(html) < 5_000
    assert markdown(f"<style>.x{{display:none}}</style>{html}") == "a  \nb\n\nc"


def test_spans_do_not_swell_a_table() -> None:
    """What a table takes grows with what stands in it."""
    row = "<tr>" + "<td colspan=50 rowspan=50>some words in here" * 50 + "</tr>"
    html = f"<table>{row * 50}</table>"
    assert len(markdown(html)) < 20 * len(html)


@pytest.mark.parametrize(
    ("html", "read"),
    [
        ("<p>a</p><dialog>no</dialog><dialog open><p>b</p></dialog>", "a\n\nb"),
        ("<p>a</p><p style='color:#FFF;background: rgb(255, 255, 255)'>no</p><p style='color:white'>b</p>", "a\n\nb"),
        ("<style>p.x{display:none} .x.y{color:red}</style><p class=x>no</p><div class=x>b</div>", "b"),
        ("<style>.a .b{display:none}</style><div class=a><div><p class=b>no</p></div></div><p class=b>b</p>", "b"),
        ("<style>.a > .b{display:none}</style><div class=a><p class=b>no</p><div><p class=b>b</p></div></div>", "b"),
        ("<style>h2+p{display:none}</style><h2>a</h2><p>no</p><p>b</p>", "## a\n\nb"),
        ("<style>h2 ~ p.x{display:none}</style><p class=x>b</p><h2>a</h2><p>c</p><p class=x>no</p>", "b\n\n## a\n\nc"),
        (
            "<style>p[data-old]{display:none} p[lang='de'] {display:none}</style>"
            "<p data-old>no</p><p lang=de>no</p><p lang=en>b",
            "b",
        ),
        (
            "<style>.a .b{text-decoration:line-through} #c .b{text-decoration:none}</style>"
            "<div class=a id=c><p class=b>b</p></div>",
            "b",
        ),
        ("<style>p:hover, .a p::before{display:none}</style><div class=a><p>b</p></div>", "b"),
        ("<style>:is(.a, .b){display:none}</style><p class=a>no</p><p class=b>no</p><p>b</p>", "b"),
        (
            "<style>.c:where(p, .d) i{display:none}</style><p class=c><i>no</i>a</p><div class=c><i>b</i></div>",
            "a\n\nb",
        ),
        (
            "<style>@layer x{.a{display:none}} @supports (display:grid){.b{display:none}} "
            "@supports not (x:y){.c{display:none}} .d{color:red; & i, b{display:none}}</style>"
            "<p class=a>no</p><p class=b>no</p><p class=c>c</p><p class=d><i>no</i>d<b>no</b></p>",
            "c\n\nd",
        ),
        ("<style>.a{display:none !important}</style><p class=a style='display:block'>no</p><p>b</p>", "b"),
        ("<p style='clip-path: inset(50%)'>no</p><p style='content-visibility:hidden'>no</p><p>b</p>", "b"),
        ("<p style='position:absolute;clip:rect(0 0 0 0)'>no</p><p style='clip:rect(0,9px,9px,0)'>b</p>", "b"),
        ("<style>p:not(.a, .b){display:none}</style><p class=a>a</p><p class=b>b</p><p>no</p>", "a\n\nb"),
    ],
)
def test_what_a_page_hides_is_not_read(html: str, read: str) -> None:
    """A closed dialog, letters in the colour of their background however it is written, rules with combinators."""
    assert markdown(html) == read


def test_terms_and_texts_without_end_tags_stay_side_by_side() -> None:
    """HTML lets the end tags of a definition list be left out; two terms share the text below them."""
    html = "<dl><dt>Opening<dd>8 to 17<dd>Sunday closed<dt>Fee<dt>Price<dd>12 euros</dl>"
    assert re.findall(r"\w+", markdown("<dl><div>open words <dt>A<dd>B</dl>")) == ["open", "words", "A", "B"]
    assert markdown(html) == "- Opening\n  - 8 to 17\n  - Sunday closed\n- Fee, Price: 12 euros"


@pytest.mark.parametrize("removed", ["<s>no</s>", "<input value=x>", "<script>x</script>", "<nav>no</nav>"])
def test_words_around_many_removed_elements_are_joined_once(removed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of taking elements out grows with their number, not with its square."""
    joined = 0
    set_text = html_tree.set_text

    def count(parent: object, before: object, pieces: list[str]) -> None:
        nonlocal joined
        joined += sum(map(len, pieces))
        set_text(parent, before, pieces)

    monkeypatch.setattr(html_tree, "set_text", count)
    assert "word 499" in markdown("<p>" + "".join(f"word {n} {removed} " for n in range(500)) + "</p>")
    assert 0 < joined < 50_000


@pytest.mark.parametrize("form", ["a{}='x' ", 'a{}="<" ', 'a{}=">" ', "a{}/", "a{}='x'", "a{} ", 'a{}=x"y '])
def test_very_many_attributes_are_few_however_they_are_written(form: str) -> None:
    """Signs of tags in values, missing spaces and quotes that do not close hide no attribute from the count."""
    many = "".join(form.format(number) for number in range(20_000))
    assert len(few_attributes(f"<p {many}>Words.</p>")) < 2_000


@pytest.mark.parametrize(
    ("html", "read"),
    [
        ("<label>Name</label><input><label>Room</label><input value=12>", "Name ___ Room 12"),
        ("<label>Name <input></label> <label>Note <textarea></textarea></label>", "Name ___ Note ___"),
        ("<p>Search <input type=search> here</p>", "Search here"),
    ],
)
def test_a_field_that_is_not_filled_in_keeps_its_label_apart(html: str, read: str) -> None:
    """The label of an empty field does not run into the next label, and no value of another field is read as its."""
    assert markdown(html).replace("\\", "") == read


@pytest.mark.parametrize(
    ("html", "read"),
    [
        ("<h1>Rules</h1><p>§ 1</p><p>Dogs wait outside.</p>", "# Rules\n\n## § 1\n\nDogs wait outside."),
        ("<p>Article 4 Fees</p><ul><li>Five euros.</li></ul>", "## Article 4 Fees\n\n- Five euros."),
        ("<p>§ 1</p><p>§ 2</p><p>The end.</p>", "§ 1\n\n§ 2\n\nThe end."),
        ("<p>Section 2 applies.</p><p>Dogs wait.</p>", "Section 2 applies.\n\nDogs wait."),
        ("<p>Rule 5 holds for all</p><p>Dogs wait.</p>", "Rule 5 holds for all\n\nDogs wait."),
        ("<td><p>§ 3</p></td>", "§ 3"),
    ],
)
def test_a_paragraph_that_names_a_section_is_its_heading(html: str, read: str) -> None:
    """The number of a clause above its text says where the text stands; alone, in a row or in a sentence it is text."""
    assert markdown(html).replace("\\", "") == read


def test_the_foot_of_a_table_is_not_of_its_last_group() -> None:
    """What sums up all rows stands in a table of its own, under the header alone."""
    html = (
        "<table><thead><tr><th>Kind<th>Fee</thead><tbody><tr><th colspan=2>Adults<tr><td>Day<td>5"
        "<tr><th colspan=2>Children<tr><td>Day<td>2</tbody><tfoot><tr><td>All<td>7</tfoot></table>"
    )
    header = "| Kind | Fee |\n| --- | --- |\n"
    tables = [f"{header}| Day | 5 |", "Children", f"{header}| Day | 2 |", f"{header}| All | 7 |"]
    assert markdown(html) == "\n\n".join(["Adults", *tables])
