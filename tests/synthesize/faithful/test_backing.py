"""Whether a sentence that a model wrote stands in the quotes it names."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.answer import LeadIn, Quote
from rag_app.synthesize.faithful.backing import lack_of


def quote(text: str, *, title: str = "News", section: tuple[str, ...] = (), lead: str = "") -> Quote:
    leads = (LeadIn(lead, 0, len(lead)),) if lead else ()
    return Quote(text, "d", title, section, None, 0, len(text), "d.md", lead_in=leads)


MATCH = quote(
    "The Tawny Rovers beat Castle Athletic 24–18 in Wexbridge on Saturday 12 March 2027, said coach Ann Pell."
)
LEAVE = quote("Employees get at least 26 working days of paid leave a year.", title="Leave in Norland")
STRIKE = quote("The strike of the ferry crews will not go ahead on Monday, the union said.")
FARE = quote("The fare is €4.50 per trip, or 5 million crowns a year for all 1,200 buses.")
POWER = quote("The plant has 5 MW. Sensors draw 3 mW and run at −5 °C.")
EXCEPT = quote("Visitors may park in yard B only, unless the gate is closed.")


@pytest.mark.parametrize(
    ("sentence", "quotes"),
    [
        ("The Tawny Rovers won 24-18 in Wexbridge.", [MATCH]),
        ("Ann Pell's side beat Castle Athletic on Saturday 12 March 2027.", [MATCH]),
        ("In Norland employees get at least 26 working days of paid leave a year.", [LEAVE]),
        ("The ferry strike will not go ahead on Monday.", [STRIKE]),
        ("It isn't going ahead: the strike of the ferry crews.", [STRIKE]),
        ("A trip has a fare of €4.50 per trip.", [FARE]),
        ("There are 1,200 buses.", [FARE]),
        ("Sensors draw 3 mW.", [POWER]),
        ("It runs at −5 °C.", [POWER]),
        ("Park in yard B only, unless the gate is closed.", [EXCEPT]),
        ("The ferry crews' strike will not go ahead, and the Tawny Rovers won 24–18.", [STRIKE, MATCH]),
    ],
)
def test_what_stands_in_the_quotes_is_shown(sentence: str, quotes: list[Quote]) -> None:
    """A sentence in other words is shown where its figures, names, limits and negations are those of its quotes."""
    assert lack_of(sentence, quotes) is None


@pytest.mark.parametrize(
    ("sentence", "lack"),
    [
        ("The Tawny Rovers won 24–19.", "figure"),
        ("The Tawny Rovers won 24.", "figure"),  # a range is one figure
        ("The Tawny Rovers won on Saturday 12 March 2028.", "figure"),
        ("The Tawny Rovers won two games.", "figure"),
        ("The Tawny Rovers won for the third time.", "figure"),
        ("The Tawny Rovers won 24–18 points.", "unit"),
        ("The Tawny Rovers won 24–18 yesterday.", "unit"),
        ("The Tawny Rovers won a month ago.", "unit"),
        ("The Tawny Rovers beat Castle United.", "name"),
        ("Pell Athletic lost in Wexbridge.", "name"),  # both words stand, the name does not
        ("Bob Pell was pleased.", "name"),
        ("Smith was pleased.", "name"),
        ("The Tawny Rovers won on Sunday.", "name"),
        ("The Tawny Rovers won in Wexbridge, see rovers.example.com.", "name"),
        ("The Tawny Rovers won at 威灵顿.", "name"),
        ("The Tawny Rovers did not win in Wexbridge.", "negation"),
        ("The Tawny Rovers alone won, never Castle Athletic.", "negation"),
        ("The Tawny Rovers won only in Wexbridge.", "restriction"),
        ("It is said that the coach was bankrupt, ill and angry.", "hardly a word"),
        ("The Tawny Rovers won, un\u200bless it rained.", "invisible"),
    ],
)
def test_what_does_not_stand_is_dropped(sentence: str, lack: str) -> None:
    """A figure, date, name, address or negation that the quote does not hold is found out."""
    assert re.search(lack, lack_of(sentence, [MATCH]) or "")


@pytest.mark.parametrize(
    ("sentence", "of"),
    [
        ("Employees get 26 working days of leave a year.", LEAVE),  # "at least" is gone
        ("Employees get at most 26 working days of leave a year.", LEAVE),
        ("Employees get at least 26 days of leave a year.", LEAVE),  # working days
        ("Employees get at least 26 working days of leave per month.", LEAVE),
        ("Employees get at least 26 weeks of leave.", LEAVE),
        ("The fare is $4.50 per trip.", FARE),
        ("The fare is 4.50 per trip.", FARE),
        ("The fare is €4.50 per day.", FARE),
        ("All buses cost 5 a year.", FARE),  # million
        ("All buses cost 5 million euros a year.", FARE),
        ("There are 1,200 trams.", FARE),
        ("The plant has 5 mW.", POWER),
        ("It runs at 5 °C.", POWER),
        ("It runs at −5 °F.", POWER),
    ],
)
def test_units_and_limits_are_part_of_a_figure(sentence: str, of: Quote) -> None:
    """A figure with another unit, sign, currency, scale, frame or limit is another figure."""
    assert lack_of(sentence, [of])


@pytest.mark.parametrize(
    ("sentence", "of"),
    [
        ("The strike of the ferry crews will go ahead on Monday.", STRIKE),  # its "not" is gone
        ("Visitors may park in yard B, unless the gate is closed.", EXCEPT),
        ("Visitors may park in yard B only.", EXCEPT),
        ("Bo did not win, Ann did.", quote("Ann did not win; Bo won.")),
        ("It was not Bo who lost.", quote("Bo won. It is not known who lost.")),
        ("The leave is paid.", quote("The leave is unpaid.")),
        ("It is illegal to fish.", quote("It is legal to fish.")),
        ("The strike goes ahead.", quote("A greve não foi adiada.")),
        ("Der Streik was called off.", quote("Der Streik wird nicht abgesagt.")),
    ],
)
def test_what_is_turned_around_is_dropped(sentence: str, of: Quote) -> None:
    """A sentence that leaves out or moves a negation, an exception or an "only" of its quotes is found out."""
    assert lack_of(sentence, [of])


@pytest.mark.parametrize(
    ("sentence", "text", "stands"),
    [
        ("Bo won 24–18 against Ann.", "Ann lost 24–18 to Bo.", False),
        ("Bo lost 24–18 to Ann.", "Ann lost 24–18 to Bo.", False),
        ("Ann lost to Bo.", "Ann lost 24–18 to Bo.", True),
        ("Jones accused Smith of theft.", "Smith accused Jones of theft.", False),
        ("Jones was accused of theft by Smith.", "Smith accused Jones of theft.", True),
        ("The council approved the plan.", "The council rejected the plan.", False),
        ("The council plans to close the pool.", "The council rejected the plan to close the pool.", False),
        ("The Rovers beat the Lions.", "The Rovers failed to beat the Lions.", False),
        ("Prices rose on Friday.", "Prices fell on Friday.", False),
        ("Prices rose and fell.", "Prices rose on Friday and fell on Monday.", True),
        ("Vote after 1 July.", "Vote before 1 July.", False),
    ],
)
def test_what_says_the_opposite_is_dropped(sentence: str, text: str, stands: bool) -> None:
    """An opposite word, a refusal that is left out, and two names that changed places are found out."""
    assert (lack_of(sentence, [quote(text)]) is None) is stands


SCORES = quote("Ann Pell scored 3, Bo Ruud scored 5, and the Rovers of Norland won 24–18 in Wexbridge.")


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("Ann Pell scored 3.", True),
        ("For Bo Ruud it was 5.", True),
        ("It ended 24–18 in Wexbridge.", True),
        ("The Rovers won 24–18.", True),
        ("The score was 24–18.", True),
        ("Bo Ruud scored 3.", False),
        ("Ann Pell scored 5 and Bo Ruud 3.", False),
        ("Ann Pell won 24–18.", False),
    ],
)
def test_a_figure_does_not_change_hands(sentence: str, stands: bool) -> None:
    """A figure told of a name that stands with another figure in the quote is found out."""
    assert (lack_of(sentence, [SCORES]) is None) is stands


def test_headings_lend_names_but_no_figures() -> None:
    """Titles and headings are shown with a quote, so that names may stand there; its figures stand in the text."""
    dated = quote("Leave was extended.", title="Norland 2027", section=("Fishery",))
    assert lack_of("In Norland leave was extended in the Fishery section.", [dated]) is None
    assert lack_of("In Norland leave was extended by 2027.", [dated])
    row = quote("| Norland | 26 days |", lead="| Country | Leave |")
    assert lack_of("Norland has 26 days.", [row]) is None


def test_the_question_lends_no_name() -> None:
    """That a name was asked for is no sign that the quotes are about it: this is how namesakes slip in."""
    assert lack_of("The Norland Rovers beat Castle Athletic.", [MATCH], "Did the Norland Rovers win?")
    assert lack_of("The fare is €4.50 per trip in Norland.", [FARE], "What is the fare in Norland?")


def test_the_first_word_has_a_capital_anyway() -> None:
    """A function word, a word of the quotes or a plain word of the question may begin a sentence, no other."""
    assert lack_of("Staff receive paid leave.", [LEAVE])
    assert lack_of("Staff receive paid leave.", [LEAVE], "How much leave do staff get?") is None
    assert lack_of("May saw a strike. The union spoke.", [quote("The union spoke of a strike.")])
    assert lack_of("Leave is paid. Employees get it.", [LEAVE]) is None


PIECES = [
    *"The ferry strike will go ahead on Monday , . ; – - − + € % ° / ( ) ' \" and but 26 26.0 1,200 1 200".split(),
    *"−5 ½ two twenty not no never n't don't don’t NOT No without unless only nobody twenty-six five".split(),
    *"million 2027 12 March U-20 ٣ 七 Ⅻ ５ **26** [26](a.b/c) &#50; &minus;5 couldn`t".split(),
    "\u200b", "\u00a0", "1\u200b2", "can not", "ano ther",
]  # fmt: skip
WORDS = "not|no|never|without|unless|only|nobody|nothing|none"
NEGATION = re.compile(rf"\b(?:{WORDS})\b|n['’]t\b", re.IGNORECASE)
SPELLED = re.compile(r"\b(?:two|five|twenty|million)\b", re.IGNORECASE)


def held(text: str) -> tuple[set[str], set[str]]:
    """Runs of digits and spelled figures; negations: read here in another way than in the code that is tested."""
    plain = unicodedata.normalize("NFKC", text)
    digits = {run for run in re.findall(r"\d+|[½七Ⅻ]", f"{plain} {text}")} | {w.lower() for w in SPELLED.findall(plain)}
    return digits, {word.lower().replace("’", "'") for word in NEGATION.findall(plain)}


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(" ".join),
       st.sampled_from([MATCH, LEAVE, STRIKE, FARE, POWER, EXCEPT]))  # fmt: skip
def test_no_shown_sentence_holds_a_foreign_figure_or_negation(sentence: str, of: Quote) -> None:
    """Whatever is written, what passes holds no figure and no negation that its quote does not hold."""
    if lack_of(sentence, [of]) is None:
        figures, negations = held(sentence)
        known_figures, known_negations = held(of.text)
        assert figures <= known_figures
        assert bool(negations) <= bool(known_negations)
