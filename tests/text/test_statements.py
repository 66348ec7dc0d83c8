"""Statements: exact, whole, in order, and nothing lost."""

import re
from collections.abc import Sequence
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag_app.text.blocks import parse_blocks
from rag_app.text.lengths import MAX_CODE_LINES
from rag_app.text.statements import split_statements

Markup = Literal["markdown", "plain"]


def shown(text: str, markup: Markup = "markdown"):
    return [text[statement.start : statement.end] for statement in split_statements(text, markup)]


def with_lead_ins(text: str, markup: Markup = "markdown"):
    return [
        (statement.kind, text[statement.start : statement.end], [text[a:b] for a, b in statement.lead_in])
        for statement in split_statements(text, markup)
    ]


# One line each; ` | ` stands where a new statement begins.
HARD_SENTENCES = """
Dr. Amara Okoye leads the team. | She joined in May.
Mr. and Mrs. Lindqvist rent the flat. | The lease ends soon.
Prof. Ito met Gen. Adeyemi and Gov. Stone. | They agreed.
J. R. Whitfield signed it. | Nobody else did.
Ask J. Doe for the key. | He keeps it.
St. Helena is far away. | Nobody flies there.
Smith & Co. Ltd. delivers on Mondays. | It never comes early.
Globex Inc. sold it. | The owner left.
We pay Globex Corp. Ireland a fee. | The fee is small.
Leave is set out in Sec. 2 of the plan. | It is short.
See Art. 3 and Abs. 4 of the act. | Both apply.
Figures are in Fig. 7 and Tab. 2. | The rest is missing.
Cf. Chap. 4 for details. | Nothing else is needed.
Read pp. 3-5 and vol. 2 first. | Then sign.
Room No. 5 is locked. | Room No. 6 is not.
Para. 9 of Reg. 12 governs this. | No exception exists.
Bring a document, e.g. a passport, to the desk. | Copies are refused.
Some items, i.e. Laptops and phones, stay here. | You may not take them home.
It covers rent, food, etc. and ends in June. | Nothing follows.
The total is approx. 40 hours. | More is not paid.
Costs of max. 50 EUR are covered. | Higher costs are not.
Prices are incl. VAT. | The invoice shows it.
The office closes at 5 p.m. on Fridays. | It opens at 8 a.m. again.
The call is at 5 p.m. Eastern Time. | Please join.
Doors open at 9 a.m. Monday. | No one gets in before.
It ends at 6 p.m. | The guard then locks up.
The U.S. Department of Labor decides. | We do not.
Staff in the U.S. do not qualify. | Others do.
We sell in the U.S. | The price differs there.
The U.N. Council met. | It failed.
She holds a Ph.D. in law. | Her office is upstairs.
Jan. 5 and Feb. 6 are holidays. | Nothing else is.
The rate is 3.75 percent. | It was 4.25 before.
It costs $5.50. | Refunds take a week.
Between 0.5 and 1.5 litres are allowed. | More is not.
Pi is about 3.14159. | Nobody needs more.
Use v1.2.3 of the tool. | Older ones fail.
Upgrade to version 2.0. | It is safer.
Python 3.11.4 is required. | Nothing older works.
The server is 10.0.0.1. | Do not restart it.
Open https://example.org/a.b?c=d.e now. | Then log in.
Visit <https://example.org/x. y> first. | It helps.
Mail ana.b@example.co.uk today. | She answers fast.
Edit config.toml by hand. | Do not commit it.
The script is ./src/main.rs. | It has no tests.
Node.js is installed. | The rest is not.
Call `foo.bar()` first. | It returns nothing.
The call `a. B. c` is odd. | Avoid it.
The line `open the door. Then close it` is a command. | Do not type it.
Use ``x ` y. Z`` here. | It works.
See [the guide. Part two](a.md "T. U") first. | Then begin.
He asked, "Is it safe? Are you sure?" before he left. | Nobody replied.
"Stop!" he shouted. | They went on.
She said “No. Never again.” and hung up. | That was all.
„Gut. Sehr gut.“ sagte er leise. | Dann ging er weg.
«Non. Jamais.» dit-il enfin. | Elle partit.
Fees apply (see below. They are low) in all cases. | Ask us.
The list [items a. and B. too] is final. | It will not change.
A gap of 5" is fine. | A gap of 6" is not.
The plan failed... and nobody knew why. | It was late.
Wait… Something moved there. | It was a cat.
What?! That cannot be right. | It is wrong.
Is it paid? No. | It is not paid at all.
May I park here? Not today. | Try again tomorrow.
Visitors may park here. Except on Mondays. | The gate is open.
Cash is accepted. Only with a receipt. | Cards work too.
Dogs are allowed. Not in the kitchen. | Cats are not.
Leave is paid. (Interns are not covered.) | Ask for a form.
Warning! Do not open the valve. | It is hot.
Note: the valve is hot. | Keep away.
**Overtime.** Extra hours are paid. | They need approval.
**Do not wait.** _You must not wait at all._ | The rest follows.
It was shown before.[1] | Later work disagrees.[^2] | The matter is open.
The book is old. iPads are new. | The rest is broken.
Read the manual. | `reset` clears the memory.
Great work! | 😀 We are proud.
Die Frist endet am 2. September. | Sie wird nicht verlängert.
Das gilt z. B. für Kinder. | Erwachsene zahlen.
Es gilt Nr. 5 bzw. Nr. 6 des Vertrags. | Mehr gilt nicht.
M. Dupont est absent. | Il revient lundi.
¿Puedo entrar ahora mismo, por favor? | ¡No puede entrar sin permiso!
年休は二十日です。 | 病欠は含みません！ | 上司に連絡すれば取得できますか？ | 三日前までに申請が必要です。
彼は「行く。すぐ行く。」と言った。 | 私は残った。
费用由公司承担（不含酒类。也不含小费）。 | 请保留收据。
الإجازة مدفوعة الأجر للجميع. | هل تحتاج إلى موافقة المدير مسبقا؟ | لا تحتاج إلى أي موافقة.
छुट्टी का वेतन मिलता है। | इसके लिए अनुमति चाहिए।
The term ends on 30 June. 5 days later it is void.
It is Sunday. | We are closed.
This is the state of the art. | The rest is old.
Rule No. 5 bans it. | No. 6 does not.
Pay within 30 days. | Otherwise, the order is void.
"""

CASES = [line.strip() for line in HARD_SENTENCES.strip().splitlines()]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("wrapped", [False, True], ids=["line", "wrapped"])
def test_hard_sentences(case, wrapped):
    """Sentences are cut where they end and nowhere else, in one line and wrapped inside a quotation alike."""
    expected = [part.strip() for part in case.strip(" |").split(" | ")]
    text = " ".join(expected)
    if not wrapped:
        assert shown(text) == expected
    else:
        quoted = "> " + re.sub(r"(?<=\w) (?=[a-z])", "\n> ", text)
        assert [re.sub(r"\n> ", " ", sentence) for sentence in shown(quoted)] == expected


def test_list_items_carry_what_introduces_them():
    """An item's lead-in is the line above the list and the items around it, outermost first."""
    text = "Some go. You may go if:\n\n- you ask:\n  - ana, or\n  - bo.\n- you are ill.\n\n  Bring a note.\n"
    top, outer = "You may go if:", "you ask:"
    assert with_lead_ins(text) == [
        ("sentence", "Some go.", []),
        ("sentence", top, []),
        ("list_item", outer, [top]),
        ("list_item", "ana, or", [top, outer]),
        ("list_item", "bo.", [top, outer]),
        ("list_item", "you are ill.", [top]),
        ("sentence", "Bring a note.", [top, "you are ill."]),
    ]


@pytest.mark.parametrize(
    ("line", "introduces"),
    [
        ("Bring these:", True),
        ("携帯するもの：", True),
        ("**Bring these:**", True),
        ("The following items are needed.", True),
        ("Proceed as follows.", True),
        ("**What to bring**", True),
        ("There are many items.", False),
        ("Follow the guide.", False),
    ],
)
def test_what_introduces_a_list(line, introduces):
    """A colon, bold type, or "following" makes the line above a list its lead-in; nearness alone does not."""
    assert with_lead_ins(f"{line}\n\n- item\n")[1] == ("list_item", "item", [line] if introduces else [])


def test_a_long_item_is_cut_and_keeps_its_beginning():
    """An item of more than 80 words is cut into sentences, and the later ones lead in with the first."""
    long = " ".join(["Words and words are here for you to read."] * 12)
    statements = with_lead_ins(f"All of it:\n\n- Begin here now. {long}\n")
    assert statements[1] == ("list_item", "Begin here now.", ["All of it:"])
    assert len(statements) == 14
    assert all(kind == "sentence" and lead == ["All of it:", "Begin here now."] for kind, _, lead in statements[2:])


def test_a_list_inside_a_sentence_is_one_statement():
    """Where the sentence that opens a list goes on below it, no part is a statement of its own."""
    text = "Some do. You may leave if:\n\n- you ask;\n- you are ill\n\nunless the board objects. Ask first."
    assert shown(text) == ["Some do.", text[9:-11], "Ask first."]


def test_a_long_frame_stays_apart_but_its_tail_keeps_the_beginning():
    """Where such a list is too long for one statement, what follows it leads in with the line above."""
    items = "".join(f"- item {number} {'word ' * 20}\n" for number in range(9))
    *_, tail, last = with_lead_ins(f"You may leave if:\n\n{items}\nunless they object. Ask first.")
    assert tail == ("sentence", "unless they object.", ["You may leave if:"])
    assert last == ("sentence", "Ask first.", [])


def test_table_rows_carry_their_header():
    """A row is never cut, leads in with its header row, and with the line above its table."""
    text = "Rates:\n\n| City | Limit |\n|---|---|\n| Bern | 5. Not more. Never. |\n"
    assert with_lead_ins(text)[1:] == [("table_row", "| Bern | 5. Not more. Never. |", ["Rates:", "| City | Limit |"])]


def test_code_carries_the_line_above_it():
    """Code leads in with a line that ends with a colon, through a caption between them, and with its list item."""
    text = "Now run this script:\n\nFile: a.sh\n\n```\nx. Y\n```\n\n1. Then:\n\n   ```\n   z\n   ```\n"
    assert with_lead_ins(text) == [
        ("sentence", "Now run this script:", []),
        ("sentence", "File: a.sh", ["Now run this script:"]),
        ("code", "x. Y", ["Now run this script:", "File: a.sh"]),
        ("list_item", "1. Then:", []),
        ("code", "   z", ["1. Then:"]),
    ]


def test_long_code_is_cut_at_its_outermost_blank_lines():
    """Code of more than 60 lines is cut between its outermost parts, byte for byte, and nowhere else."""
    parts = [f"def f{number}():\n" + "    a\n\n    b\n" * 8 for number in range(6)]
    code = shown("```\n" + "\n".join(parts) + "```\n")
    assert all(piece.startswith("def ") and piece.count("\n") < MAX_CODE_LINES for piece in code)
    assert "\n\n".join(code) == "\n".join(parts).rstrip()
    assert len(shown("```\n" + "    a\n" * 200 + "```\n")) == 1


def test_labels_stay_with_what_they_label():
    """A label or a few bold words alone become part of the first sentence below them."""
    assert shown("Note:\n\nDo not pay. Wait here.") == ["Note:\n\nDo not pay.", "Wait here."]
    assert shown("**Who may go**\n\nAll staff may go. Ask first.") == [
        "**Who may go**\n\nAll staff may go.",
        "Ask first.",
    ]


def test_a_term_stays_with_its_definition():
    """A term and its definition are one statement."""
    assert shown("Term\n: It means this. Not that.") == ["Term\n: It means this. Not that."]


def test_rows_of_an_html_table_are_not_cut():
    """A cell of an HTML table is never cut; rows may be."""
    text = "<table>\n<tr><td>Bern</td><td>Five. Not more.</td></tr>\n<tr><td>Rom</td></tr>\n</table>"
    assert shown(text)[0] == "<table>\n<tr><td>Bern</td><td>Five. Not more.</td></tr>"


def test_comments_are_not_seen():
    """A comment cuts nothing, and none stands at the end of a statement."""
    assert shown("It <!-- Stop. Now. --> goes on.<!-- x --> Next one is here. <!-- end -->") == [
        "It <!-- Stop. Now. --> goes on.",
        "Next one is here.",
    ]
    assert shown("Write `<!--` before. Write `-->` after.") == ["Write `<!--` before.", "Write `-->` after."]


def test_the_same_sentence_twice_has_two_places():
    """Equal sentences are told apart by their places."""
    first, second = split_statements("It is so.\n\nIt is so.")
    assert (first.start, second.start) == (0, 11)


def test_plain_text_statements():
    """Plain text gives sentences, items with their lead-in, and rows with a header that is a guess."""
    text = (
        "It holds in the U.S. unless\nthe law says no. Next.\n\nBring:\n- a pass\n\nCity   Rate\nBern   5\nRome   6\n"
    )
    assert with_lead_ins(text, "plain") == [
        ("sentence", "It holds in the U.S. unless\nthe law says no. Next.", []),
        ("sentence", "Bring:", []),
        ("list_item", "a pass", ["Bring:"]),
        ("table_row", "City   Rate", []),
        ("table_row", "Bern   5", ["City   Rate"]),
        ("table_row", "Rome   6", ["City   Rate"]),
    ]


# Property tests -----------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    "not unless the Dr. e.g. U.S. 3.5 v1.2 No. 5 end. Next? Yes! (see it) `a. B` **bold.** naïve 😀 שלום. مرحبا؟ "
    '中文。 ok… "So. It" '
    "[a](b.c) <b>x</b> <!--c. D--> r[x.y] \\ | > # : – i) &amp;".split(" ")
)
SENTENCE = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
LINES = st.lists(SENTENCE, min_size=1, max_size=3)


def _code(lines: Sequence[str]) -> str:
    return "```x\n" + "\n".join("  " * number + line for number, line in enumerate(lines)) + "\n```"


PIECE = st.one_of(
    SENTENCE.map("## {}".format),
    SENTENCE.map("{}\n---".format),
    LINES.map("\n".join),
    LINES.map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    LINES.map(lambda lines: "\n".join(f"{'   ' * n}{n + 1}. {line}" for n, line in enumerate(lines))),
    LINES.map(lambda lines: "| H | I |\n|---|---|\n" + "\n".join(f"| {line} | x |" for line in lines)),
    LINES.map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    LINES.map(_code),
    LINES.map(lambda lines: "\n".join(f"    {line}" for line in lines)),
    SENTENCE.map("<p>{}</p>".format),
    st.sampled_from(["***", "[r]: http://x.y 'T'", "<!-- a\n\nb -->", "{#id}", "So:", "\f", "\t \u00a0", "\u2028"]),
)
MARKDOWN = st.tuples(
    st.lists(st.tuples(PIECE, st.sampled_from(["\n", "\n\n"])), max_size=8), st.sampled_from(["\n", "\r\n", "\r"])
).map(lambda drawn: "".join(piece + gap for piece, gap in drawn[0]).replace("\n", drawn[1]))
ANY_TEXT = (
    st.text(st.sampled_from('abAB.?:|-*_>#`~12) \t\n\r\f\u2028\u00a0\0<!/[](){}"“”é中。\\'), max_size=150) | st.text()
)


def assert_sound(text: str, markup) -> None:
    """Places are in range, in order and apart; nothing is cut at white space; lead-ins are statements, their labels, or
    headers."""
    statements = split_statements(text, markup)
    headers = {block.header for block in parse_blocks(text, markup)}
    places = {statement.span for statement in statements} | headers
    done = 0
    for statement in statements:
        assert done <= statement.start < statement.end <= len(text)
        done = statement.end
        assert text[statement.end - 1].strip()
        assert statement.kind == "code" or text[statement.start].strip()
        for lead_in in statement.lead_in:
            assert lead_in in places or any(s.start == lead_in[0] and lead_in[1] < s.end for s in statements)
            assert lead_in[1] <= statement.start
    assert statements == split_statements(text, markup)


@settings(max_examples=300, deadline=None)
@given(MARKDOWN | ANY_TEXT, st.sampled_from(["markdown", "plain"]))
def test_statements_are_sound_on_any_text(text, markup):
    """On any text statements are exact, ordered and apart, and cutting twice gives the same."""
    assert_sound(text, markup)


def by_design_silent(text: str) -> str:
    """Markdown with everything overwritten by spaces, length for length, that is no statement by design: headings,
    header rows, fences, definitions, comments, tags, numbers of items, and tag lines."""
    source = text.replace("\r\n", " \n").replace("\r", "\n")
    lines = source.split("\n")
    for token in MarkdownIt("commonmark", {"inline_definitions": True}).enable("table").parse(source):
        first, end = token.map or (0, 0)
        if token.type == "fence":
            end = first + 1
        elif token.type not in ("heading_open", "thead_open", "definition"):
            continue
        lines[first:end] = [" " * len(line) for line in lines[first:end]]
    tag_line = r"(?:(?:\[![\w-]+\]|\w{1,8}\[[\w.:/-]+\]|\{#\w+\})\s*$)"
    silent = rf"(?s:<!--.*?-->)|</?[A-Za-z!?][^<>]*>|^(?:[\s>*+-]|\d+[.)]\s*)*{tag_line}?"
    return re.sub(silent, lambda match: " " * len(match[0]), "\n".join(lines), flags=re.MULTILINE)


@settings(max_examples=300, deadline=None)
@given(MARKDOWN | ANY_TEXT)
def test_nothing_is_silently_lost(text):
    """Every letter and figure of Markdown lies in a statement, or in what is no statement by design."""
    covered = {place for statement in split_statements(text) for place in range(statement.start, statement.end)}
    lost = [char for place, char in enumerate(by_design_silent(text)) if char.isalnum() and place not in covered]
    assert not lost


@settings(max_examples=200, deadline=None)
@given(ANY_TEXT)
def test_plain_text_is_never_lost(text):
    """Every letter of plain text lies in a statement or is a heading; only page numbers and bullets are left out."""
    covered = {place for cut in split_statements(text, "plain") for place in range(cut.start, cut.end)}
    headings = " ".join(word for block in parse_blocks(text, "plain") for word in block.section.path)
    left = "".join(" " if place in covered else char for place, char in enumerate(text))
    for line in re.split(r"[\r\n\f\x85\u2028\u2029]", left):
        words = " ".join(line.split())
        if any(map(str.isalpha, words)):
            assert words in headings or words.isupper() or re.match(r"\d", words)


@pytest.mark.parametrize(
    "text",
    [
        "Rules for guards. Guards on duty must never\n\n- use a telephone\n- sleep\n",
        "It is forbidden for guests to do these things\n1. use a telephone\n2. sleep\n",
        "You must not do any of these things.\n\n- use a telephone\n",
        "Guards **must not**\n\n* use a telephone\n",
    ],
)
def test_an_item_keeps_the_line_that_breaks_off_above_its_list(text: str) -> None:
    """A list item is never shown without the unfinished sentence that forbids or allows it."""
    items = [s for s in split_statements(text) if s.kind == "list_item"]
    assert items
    for item in items:
        lead = " ".join(text[start:end] for start, end in item.lead_in)
        assert re.search(r"never|not|forbidden", lead)


@pytest.mark.parametrize(
    "text",
    [
        "Visitors may photograph the hall. Unless a red lamp is lit, in which case cameras stay in the bag.",
        "The hall is open daily. Except on Sundays, when it is shut.",
    ],
)
def test_a_limit_with_a_comma_stays_with_its_rule(text: str) -> None:
    """ "Unless ..., in which case ..." is part of the sentence that it limits."""
    assert [text[s.start : s.end] for s in split_statements(text)] == [text]


def test_in_plain_text_a_comment_shows() -> None:
    """What looks like a comment in plain text is read by people, and so it is part of the statement."""
    text = "Guests may enter alone <!-- unless the red light is on -->"
    assert [text[s.start : s.end] for s in split_statements(text, "plain")] == [text]


def led_by(text: str, piece: str, markup: Literal["markdown", "plain"] = "markdown") -> str:
    """The statement that holds `piece`, with everything that it depends on, as a reader would be shown it."""
    [found] = [s for s in split_statements(text, markup) if piece in text[s.start : s.end]]
    return " ".join(text[start:end] for start, end in (*found.lead_in, found.span))


@pytest.mark.parametrize(
    "between", ["***\n\n", "![A sign](sign.png)\n\n", "![](a.png) ![](b.png)\n\n", "<hr>\n\n", "---\n\n"]
)
def test_a_rule_or_picture_hides_no_introduction(between: str) -> None:
    """What introduces a list, or limits a sentence, still does so across a rule or a picture."""
    assert "must not" in led_by(f"Guests must not:\n\n{between}- smoke\n- drink\n", "drink")
    assert "must not" in led_by(f"Guests must not:\n\n{between}smoke in bed.\n", "smoke in bed")


def test_a_limit_below_a_rule_stays_with_its_sentence() -> None:
    """A sentence that a rule tears apart before its "unless" is one statement."""
    assert "unless the lamp" in led_by("Guests may enter the hall\n\n***\n\nunless the lamp is lit.", "may enter")


def test_code_before_a_list_hides_no_introduction() -> None:
    """Where code stands between an introduction and the list that goes on with it, the list keeps it."""
    text = "Never run this:\n\n```\nwipe --all\n```\n\n- on a Monday\n- alone\n"
    assert "Never run this:" in led_by(text, "alone")


@pytest.mark.parametrize("label", ["**Never:**", "**Never**:", "__Never:__"])
@pytest.mark.parametrize("gap", [" ", "\n", "\n\n"])
def test_every_sentence_below_a_bold_label_keeps_it(label: str, gap: str) -> None:
    """A label in bold with a colon speaks of its whole paragraph, so no sentence of it is shown without."""
    text = f"It is late.\n\n{label}{gap}Open the valve. Leave the door ajar. Ask nobody.\n\nAnother matter."
    assert "Never" in led_by(text, "Open the valve")
    assert "Never" in led_by(text, "Ask nobody")
    assert "Never" not in led_by(text, "Another matter")


def test_a_later_label_takes_over() -> None:
    """Where a paragraph holds several labels, a sentence depends on the nearest one above it."""
    text = "**Use when:** both lamps shine. Wait first.\n**Never use when:** it rains. Call the desk."
    assert led_by(text, "Wait first") == "**Use when:** Wait first."
    assert led_by(text, "it rains") == "**Never use when:** it rains."
    assert led_by(text, "Call the desk") == "**Never use when:** Call the desk."


@pytest.mark.parametrize("line", ["Do not do the following.", "The clerk must never act as follows."])
def test_the_following_may_be_a_paragraph(line: str) -> None:
    """A line that announces what follows is the lead-in of the paragraph below it, as of a list."""
    assert line in led_by(f"{line}\n\nOpen the valve by hand.", "Open the valve")
    assert line not in led_by(f"{line}\n\nOpen the valve.\n\nAnother matter.", "Another matter")


@pytest.mark.parametrize("markup", ["markdown", "plain"])
@pytest.mark.parametrize(
    "text",
    [
        "Guests may not:\n\nsmoke in bed.\n\ndrink at the desk.\n\nkeep a dog.",
        "(1) Guests may not:\n\n(a) smoke in bed.\n\n(b) drink at the desk.\n\n(c) keep a dog.",
        "(1) Guests may not:\n(a) smoke in bed.\n(b) drink at the desk.\n(c) keep a dog.",
        "Guests may not:\n\na) smoke in bed.\n\nb) drink at the desk.\n\nc) keep a dog.",
        "Guests may not:\n\n(i) smoke in bed.\n\n(ii) drink at the desk.\n\n(iii) keep a dog.",
    ],
)
def test_paragraphs_that_continue_one_introduction_all_keep_it(text: str, markup) -> None:
    """Numbered or small-letter paragraphs are a list without its markers: each depends on the line above the first."""
    for piece in ("smoke", "drink", "keep a dog"):
        assert "may not:" in led_by(text, piece, markup)


def test_by_laws_keep_each_its_own_introduction() -> None:
    """A letter below the second number depends on the second number's line, and on no other's."""
    text = (
        "(1) Guests may:\n\n(a) sing;\n\n(b) dance.\n\n(2) Guests may not:\n\n(a) smoke;\n\n(b) drink.\n\nPay at once."
    )
    assert led_by(text, "drink") == "(2) Guests may not: (b) drink."
    assert led_by(text, "dance") == "(1) Guests may: (b) dance."
    assert led_by(text, "Pay at once") == "Pay at once."


def test_the_shortest_comments_end_at_once() -> None:
    """`<!-->` and `<!--->` are whole comments (CommonMark 6.6), and hide nothing of what follows."""
    assert "never" in led_by("Guests <!--> never smoke here. --> Ask.", "smoke")
    assert "never" in led_by("Guests <!---> never smoke here. --> Ask.", "smoke")


@pytest.mark.parametrize(
    ("text", "outer"),
    [
        ("We grant a license:\n\n(a) to use; and\n\n(b) to sell.\n\n3. Limits\n", "3. Limits"),
        ("We offer:\n\n• towels.\n\n• soap.\n\n3. Limits\n", "3. Limits"),
        ("We offer:\n\n• towels.\n\n3.2 Limits\n", "3.2 Limits"),
    ],
)
def test_an_item_of_an_outer_numbering_is_not_introduced_by_the_line_above_an_inner_list(text: str, outer: str) -> None:
    """ "3. Limits" below "We grant a license: (a) ... (b) ..." is nothing that is granted."""
    found = {text[s.start : s.end]: s.lead_in for s in split_statements(text, "plain")}
    assert found[outer] == ()
    assert len(found) == text.count("\n\n") + 1


def test_a_numbering_around_bullets_keeps_its_introduction() -> None:
    """Steps that go on below a bullet between them are still introduced by the line above the first."""
    text = "You must:\n\n1. sign.\n\n- in ink.\n\n2. pay.\n"
    assert [len(s.lead_in) for s in split_statements(text, "plain")] == [0, 1, 1, 1]


def test_a_ticked_box_begins_a_text_of_its_own() -> None:
    """The sign in a check box is no small letter with which the sentence above a list would go on."""
    for box in ("[x]", "[X]", "\\[x\\]", "[ ]"):
        text = f"Steps:\n\n1. open\n2. wait\n\n{box} Agreed to the terms\n"
        assert shown(text)[1:] == ["1. open", "2. wait", f"{box} Agreed to the terms"]


def test_a_numbered_caption_below_a_table_does_not_introduce_the_next() -> None:
    """It belongs to the table above it, unless that had such a caption above."""
    one, other = "| A | B |\n|---|---|\n| 1 | 2 |\n", "| C | D |\n|---|---|\n| 3 | 4 |\n"
    below = with_lead_ins(f"Text.\n\n{one}\nTable 1: Gates\n\n{other}")
    assert below[-1] == ("table_row", "| 3 | 4 |", ["| C | D |"])
    above = with_lead_ins(f"Text.\n\nTable 1: Gates\n\n{one}\nTable 2: Locks\n\n{other}")
    assert above[-1] == ("table_row", "| 3 | 4 |", ["Table 2: Locks", "| C | D |"])


GROUPS = """| Service | Price |
| --- | --- |
| {boats} | |
| Cleaning | 40 |
| {cars} | |
| Cleaning | 20 |
"""


@pytest.mark.parametrize(("boats", "cars"), [("**Boats**", "**Cars**"), ("Boats:", "Cars:"), ("Boats", "Cars")])
def test_a_row_comes_with_the_name_of_its_group(boats: str, cars: str) -> None:
    """Bold, with a colon, or above the same rows as another name: a row alone names those below it."""
    text = GROUPS.format(boats=boats, cars=cars)
    rows = {text[s.start : s.end]: [text[a:b] for a, b in s.lead_in] for s in split_statements(text)}
    assert rows["| Cleaning | 40 |"] == [boats, "| Service | Price |"]
    assert rows["| Cleaning | 20 |"] == [cars, "| Service | Price |"]


def test_a_row_without_values_names_no_group() -> None:
    """Missing values are no sign that a row says something of the rows below it."""
    text = "| Name | Phone |\n| --- | --- |\n| Ann | |\n| Ben | 5 |\n| Cleo | |\n| Dan | 6 |\n"
    assert {len(s.lead_in) for s in split_statements(text)} == {1}


def test_the_sum_below_the_last_group_is_not_of_that_group() -> None:
    """A last row in bold is of the whole table."""
    text = GROUPS.format(boats="**Boats**", cars="**Cars**") + "| **Total** | 60 |\n"
    assert [text[a:b] for a, b in split_statements(text)[-1].lead_in] == ["| Service | Price |"]


def test_groups_of_plain_text_tables_are_seen() -> None:
    """Between pipes, and below an underlined header."""
    piped = "Fees\n\n| Boats | | |\n| Wash | 4 | 5 |\n| Cars | | |\n| Wash | 2 | 3 |\n"
    drawn = "Item     Day  Week\n-------  ---  ----\nBoats\nWash     4    5\nCars\nWash     2    3\n"
    for text in (piped, drawn):
        found = {" ".join(text[s.start : s.end].split()): s for s in split_statements(text, "plain")}
        last = next(s for row, s in found.items() if row.strip("| ").endswith("3"))
        assert "Cars" in [text[a:b] for a, b in last.lead_in]
