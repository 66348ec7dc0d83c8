"""Which turns lean on the conversation, and which stand alone."""

import pytest

from rag_app.chat.follow_up import is_courtesy, leaning_of

LEANS = {
    "pronoun": [
        "How long does it last?",
        "Are they refunded?",
        "Who approved her request?",
        "Are these accounts insured?",
        "What happens after that?",
        "Is there anything else?",
        "Do I have to pay for the other one?",
        "If they refuse, is it possible to appeal?",
        "I love climbing. May I climb on those walls?",
        "Does the same hold for guests?",
    ],
    "ellipsis": ["And for contractors?", "What about trainees?", "how about by train?", "But only on Sundays?"],
    "correction": [
        "I meant the Porto office",
        "No, for trainees",
        "Are you sure?",
        "I'm asking about the second one",
        "I am asking which one",
    ],
    "comparison": ["Is there a cheaper ticket?", "Is insurance more expensive?"],
    "few words": ["Why?", "How much?", "How can I apply?", "Since when?", "How are you paying?"],
    "bare": ["Rental property", "Fees?", "Regional differences"],
}

STANDS = [
    "How many days of parental leave do I get?",
    "Is it possible to carry over leave to the next year?",
    "How long does it take to get a badge?",
    "It is said that badges expire; is that the rule for visitors' badges?",
    "What is a per diem?",
    "What are spring tides?",
    "Can the landlord raise the rent if the tenant has paid it late?",
    "What is the harvest bonus and how does it differ from the bridge bonus?",
    "And who built the Murray Schoolhouse Museum?",
    "Is a train cheaper than a plane?",
    "Does FEMA depend on donations?",
    "I would like to know more about the Rongbuk Monastery.",
    "Which documents do I need so that I can register a car that was bought abroad?",
    "Are there rules for people who work at night?",
    "How many days of leave do I get this year?",
    "会员费是多少？",
    "Some walls are marked red. May a beginner climb on those walls?",
    "Do members get their own lockers?",
    "How many hours can the mill be booked with its own operator?",
    "Does the mill need a check before it is used?",
    "When are you open?",
    "Where are you located?",
    "Why do two shops in the same street ask different prices?",
]


@pytest.mark.parametrize(("cue", "turn"), [(cue, turn) for cue, turns in LEANS.items() for turn in turns])
def test_a_turn_that_points_out_of_itself_leans(cue: str, turn: str) -> None:
    """A pronoun, an ellipsis, a correction, half a comparison or hardly a word leans on the turns before."""
    found = leaning_of(turn)
    assert found is not None
    assert found.cue == cue


@pytest.mark.parametrize("turn", STANDS)
def test_a_turn_that_names_its_subject_stands(turn: str) -> None:
    """A question with its own subject stands alone, also with a pronoun that it explains itself."""
    assert leaning_of(turn) is None


def test_a_definite_noun_leans_where_the_conversation_introduced_it() -> None:
    """ "The limit" means the one that was spoken of; where nobody spoke of one, the question stands."""
    assert leaning_of("What if I exceed the limit?", {"limit"}) is not None
    assert leaning_of("What if I exceed the limit?", {"badg"}) is None


@pytest.mark.parametrize("turn", ["Do members get their own lockers?", "Does the mill need a check before it is used?"])
def test_a_subject_of_the_conversation_is_nothing_new(turn: str) -> None:
    """A pronoun that a noun of the same sentence explains leans all the same where the conversation introduced that."""
    assert leaning_of(turn, {"member", "mill"}) is not None


def test_courtesies_ask_nothing() -> None:
    """Thanks are no question that a later turn could mean."""
    assert is_courtesy("Thank you!")
    assert is_courtesy("OK, I understand.")
    assert is_courtesy("?")
    assert not is_courtesy("Thank you. And the fees?")
