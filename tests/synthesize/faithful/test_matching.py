"""What may differ between a quote and the document, and what may not."""

import pytest

from rag_app.synthesize.faithful.matching import find_run, read_quote, read_tokens


def stands(quote: str, text: str, is_code: bool = False) -> bool:
    return find_run(read_quote(quote, is_code), [read_tokens(text, is_code)]) is not None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("You  may\n\ttake\u00a05 days", "You may take 5 days"),
        ("Claims go to the desk within a week.", "Claims go to\n> the desk within\n> a week."),
        ("the lamp\nis switched off", "the lamp is switched off"),
        ("“The manager’s word” is enough", '"The manager\'s word" is enough'),
        ("leave — even short leave — is booked", "leave - even short leave – is booked"),
        ("a long‑term plan", "a long-term plan"),
        ("takes 5–10 days at most", "takes 5-10 days at most"),
        ("Leave is not granted", "Leave is **not** granted"),
        ("run the `sync` job", "run the *sync* job"),
        ("see the travel guide for more", 'see the [travel guide](guide.md "Guide") for more'),
        ("[travel guide](https://x.example/a) rules", "travel guide rules"),
        ("PAY WITHIN 30 DAYS", "pay within 30 days"),
        ("… the badge stays at the desk …", "At night the badge stays at the desk, always."),
        ("...pay within 30 days...", "Please pay within 30 days of receipt."),
        ("pay within 30 days", "Please pay within 30 days."),
        ("| Gold | 20 | < €500 |", "Gold | 20 | < €500"),
        ("it costs 5 % more", "it costs 5% more"),
        ("stored at -5 °C", "stored at −5 °C"),
        ("the va\u00adca\u200btion desk", "the vacation desk"),
        ("file the oﬃce form", "file the office form"),
        ("fewer than &lt; 5 people", "fewer than < 5 people"),
        ("- hand in the key\n- lock the door", "hand in the key lock the door"),
        ("cafe\u0301 bills are paid", "café bills are paid"),
        ("uses snake\\_case names", "uses snake_case names"),
        ("a reading of 5 MW", "a reading of 5 MW"),
        ("see section 5", "see section 5 for more"),
        ("and 5 days for trainees", "staff and 5 days for trainees"),
        ("5 days of leave", "take 5 days of leave"),
    ],
)
def test_form_may_differ(quote: str, text: str) -> None:
    """White space, wraps, markup, kinds of quotes and dashes, case and ends of a quote do not count."""
    assert stands(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("approved for children", "disapproved for children"),
        ("approved for children", "dis**approved** for children"),
        ("approved for children", "non-approved for children"),
        ("may carry over more than 5", "may carry over more than 50"),
        ("5 days of leave", "15 days of leave"),
        ("5 days of leave", "5.5 days of leave"),
        ("5 days of leave", "50 days of leave"),
        ("5 days of leave", "1,5 days of leave"),
        ("5 days of leave", ".5 days of leave"),
        ("5 days of leave", "1.**5** days of leave"),
        ("10 days of leave", "5–10 days of leave"),
        ("10 days of leave", "5 - 10 days of leave"),
        ("takes 5", "takes 5-10 days"),
        ("takes 5", "takes 5 – 10 days"),
        ("15 sharp it is", "7 : 15 sharp it is"),
        ("48 hours is the limit", "24 / 48 hours is the limit"),
        ("48 hours is the limit", "24 or 48 hours is the limit"),
        ("takes 1", "takes 1 to 2 tablets"),
        ("2 tablets a day", "1 to 2 tablets a day"),
        ("5 tablets a day", "3 × 5 tablets a day"),
        ("five days of leave", "5 days of leave"),
        ("5 days of leave", "five days of leave"),
        ("add ½ cup of oil", "add 1½ cup of oil"),
        ("the third week", "the 3rd week"),
        ("000 euros a year", "1 000 euros a year"),
        ("costs 1", "costs 1 000 euros"),
        ("it takes 5", "it takes 5 ½ hours"),
        ("it takes 5", "it takes 5½ hours"),
        ("1000 euros", "1,000 euros"),
        ("1.000 euros", "1,000 euros"),
        ("10.0 mg daily", "1.00 mg daily"),
        ("2.1 applies here", "2.10 applies here"),
        ("at least 5. 5 days", "at least 5.5 days"),
        ("at most 1, 000 euros", "at most 1,000 euros"),
    ],
)
def test_figures_and_words_are_whole(quote: str, text: str) -> None:
    """Part of a word, of a figure or of a range is not in the text."""
    assert not stands(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("5 °C is the limit", "-5 °C is the limit"),
        ("5 °C is the limit", "−5 °C is the limit"),
        ("keep at 5 °C", "keep at -5 °C"),
        ("keep at - 5 °C", "keep at −5 °C"),
        ("keep at — 5 °C", "keep at −5 °C"),
        ("keep at 5 °C", "keep at **-5** °C"),
        ("keep at +5 °C", "keep at ±5 °C"),
        ("under < 5 people", "under > 5 people"),
        ("> 5 people may enter", "5 people may enter"),
        ("5 people may enter", "> 5 people may enter"),
        ("≤ 5 people", "< 5 people"),
        ("≤ 5 people", "≥ 5 people"),
        ("about 5 people", "about ~5 people"),
        ("5 people may enter", "~ 5 people may enter"),
        ("within\n> 5 days", "within 5 days"),
        ("costs $500 a night", "costs €500 a night"),
        ("500 a night is paid", "$500 a night is paid"),
        ("500 a night is paid", "€ 500 a night is paid"),
        ("a night costs 500", "a night costs 500 €"),
        ("costs EUR 500 a night", "costs USD 500 a night"),
        ("the fee is 5", "the fee is 5%"),
        ("the fee is 5", "the fee is 5 % of it"),
        ("the fee is 5%", "the fee is 5 percent"),
        ("drive 50 km", "drive 50 km/h"),
        ("drive 50 km", "drive 50 miles"),
        ("a reading of 5 MW", "a reading of 5 mW"),
        ("a reading of 5MW", "a reading of 5mW"),
        ("a link of 5 Gb", "a link of 5 GB"),
        ("a grant of 5 M", "a grant of 5 m"),
        ("a dose of 5 mg", "a dose of 5 µg"),
        ("an area of 5 m²", "an area of 5 m2"),
        ('at least 6"', "at least 6 metres"),
        ("the 1st of May", "the 2nd of May"),
        ("the 21st of May", "the 1st of May"),
        ("older than 18", "older than 18+ years"),
        ("costs 500", "costs 500 EUR in all"),
        ("costs 5", "costs 5,- in all"),
        ("500 in all is paid", "EUR 500 in all is paid"),
        ("500 in all is paid", "kr 500 in all is paid"),
        ("5 degrees is the limit", "minus 5 degrees is the limit"),
        ("the total is 5", "the total is 5 M"),
        ("it takes 5", "it takes 5 s at most"),
        ("rises by 5", "rises by 5 percentage points"),
        ("rises by 5 %", "rises by 5 percentage points"),
        ("rises by 5 %", "rises by 5 %-points"),
        ("a mass of 1.5", "a mass of 1.5 × 10³ kg"),
        ("10 kg is the mass", "1.5 × 10 kg is the mass"),
        ("a mass of 1.5 kg", "a mass of 1.5e3 kg"),
        ("3 kg is the mass", "1.5e-3 kg is the mass"),
        ("+ 5 days are added", "5 days are added"),
        ("5 days are added", "+ 5 days are added"),
    ],
)
def test_signs_currencies_and_units_are_equal(quote: str, text: str) -> None:
    """A sign, currency, unit, percent sign or ordinal that is changed, lost, added or cut off is a difference."""
    assert not stands(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("is allowed on site", "is not allowed on site"),
        ("smoking is not allowed", "smoking is allowed"),
        ("you cannot carry it over", "you can carry it over"),
        ("you can't carry it over", "you can carry it over"),
        ("you can carry it over", "you cannot carry it over"),
        ("either of them may enter", "neither of them may enter"),
        ("it is paid with a receipt", "it is paid without a receipt"),
        ("it is refused except in June", "it is refused, except in June"),
        ("it is refused in June", "it is refused except in June"),
        ("a re-sign of the form", "a resign of the form"),
        ("the manager asks the clerk", "the clerk asks the manager"),
        ("leave may … be refused", "leave may never be refused"),
        ("let us eat Anna", "let us eat, Anna"),
        ("the masse of a body", "the maße of a body"),
        ("the sum is [5](10) here", "the sum is 5 here"),
        ("you [must][not] share it", "you must share it"),
        ("a 5*3 grid", "a 53 grid"),
        ("~~no~~ leave is granted", "no leave is granted"),
        ("Guest | £1,250 | |", "| Guest | £1,250 | none |"),
    ],
)
def test_words_and_punctuation_inside_are_equal(quote: str, text: str) -> None:
    """A word or mark lost, added or moved inside the quote is a difference."""
    assert not stands(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("аpproved for use", "approved for use"),
        ("approved for usе", "approved for use"),
        ("５ days of leave", "5 days of leave"),
        ("٥ days of leave", "5 days of leave"),
        ("Ａpproved for use", "approved for use"),
        ("1\u200b5 days of leave", "1 5 days of leave"),
        ("not\u200bapproved for use", "not approved for use"),
        ("\u202e05\u202c days of leave", "50 days of leave"),
        ("\u202e05\u202c days of leave", "05 days of leave"),
        ("5\u2064 days of leave", "5 days of leave"),
        ("ap\u200dproved for use", "approved for use"),
        ("app\u034froved for use", "approved for use"),
        ("5\U000e0030 days of leave", "5 days of leave"),
    ],
)
def test_look_alikes_and_invisible_characters(quote: str, text: str) -> None:
    """Letters and digits of other scripts, bidirectional controls, joiners and tags do not pass for what they hide."""
    assert not stands(quote, text)


@pytest.mark.parametrize(
    ("quote", "text", "is_equal"),
    [
        ("git push  --force\norigin", "git push --force origin", True),
        ("```bash\ngit push --force\n```", "git push --force", True),
        ("git push -F", "git push -f", False),
        ("git push –force", "git push -force", False),
        ("a ** b", "a * b", False),
        ("name_x = 'y'", "name_x = ’y’", False),
        ("print(x_1)", "print(x_1)", True),
    ],
)
def test_code_is_exact(quote: str, text: str, is_equal: bool) -> None:
    """In code nothing but white space and the fence around it may differ."""
    assert stands(quote, text, is_code=True) is is_equal


def test_whole_or_fragment() -> None:
    """A run that fills the piece, but for punctuation around it, is told from a fragment of it."""
    text = [read_tokens("Not approved for use in schools.")]
    whole = find_run(read_quote("not approved for use in schools"), text)
    fragment = find_run(read_quote("approved for use in schools."), text)
    assert whole is not None
    assert whole.is_whole
    assert fragment is not None
    assert not fragment.is_whole


def test_a_run_over_pieces() -> None:
    """A run may cross pieces, must begin in or before the anchor and must reach it."""
    pieces = [read_tokens(text) for text in ("You may not:", "share keys", "leave early")]
    across = find_run(read_quote("You may not: share keys"), pieces, anchor=1)
    assert across is not None
    assert (across.first, across.last, across.is_whole) == (0, 1, True)
    assert find_run(read_quote("You may not"), pieces, anchor=1) is None
    assert find_run(read_quote("leave early"), pieces, anchor=1) is None
    assert find_run(read_quote("You may not: leave early"), pieces, anchor=1) is None


def test_nothing_stands_nowhere() -> None:
    """An empty quote, or one of ellipses only, is no run of words."""
    assert not stands("", "some words")
    assert not stands("\u200b \n", "some words")
    assert not stands("...", "some words")
    assert not stands("words", "")


def test_long_rows_of_marks_are_read_quickly() -> None:
    """Text made to slow a pattern down is read in time proportional to its length."""
    for marks in (" ", "-", ">", "*", "_", "[", "&", "\\", "|", "- ", "[a](", "1 ", "'"):
        assert read_tokens(marks * 3000 + "x")
        assert read_tokens("x" + marks * 3000 + "\n" + marks * 3000 + "x")
