"""What holds for any draft without a language model, whatever weighs how much in it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import BaseNode

from rag_app import Trace
from rag_app.question import Part, QuestionTerms, split_parts
from rag_app.synthesize.draft import Draft
from rag_app.synthesize.evidence import Ledger, build_ledger
from rag_app.synthesize.offline.extractive import draft_extractive
from rag_app.synthesize.offline.features import asked_stems, fitted_weights
from rag_app.testing import passage
from rag_app.text.nodes import WINDOWS, hide, node_statements

ASKED = (Part("How long is parental leave?"),)


def anyone(node: BaseNode) -> bool:
    return True


def ledger(*texts: str, strong: int | None = 0, second: int | None = None) -> Ledger:
    """Passages whose statements are weak in every sign, but for the first statement of passage `strong`, and a little
    less for the one with index `second`."""
    nodes = []
    for number, text in enumerate(texts):
        node = passage(text, document_id=str(number), score=0.5, cosine=0.93 if number == strong else 0.35)
        count = len(node_statements(node.node))
        good = [number == strong and index == 0 for index in range(count)]
        hide(node.node, WINDOWS, [(i, i, 0, 9.0 if is_good else -11.0) for i, is_good in enumerate(good)])
        if number == strong and second is not None:
            hide(node.node, WINDOWS, [(0, 0, 0, 9.0), (second, second, 0, 6.6)])
        node.score = 0.95 if number == strong else 0.3
        nodes.append(node)
    return build_ledger(nodes, anyone, Trace())


def draft(of: Ledger, parts: tuple[Part, ...] = ASKED, most: int = 4, trace: Trace | None = None) -> Draft:
    return draft_extractive(parts, of, most, trace or Trace())


def test_the_strong_statement_is_chosen() -> None:
    """A statement that every sign speaks for is chosen first, wherever its passage stands in the ranking."""
    texts = ("Trains run daily. Buses do not.", "Parental leave lasts 16 weeks. The canteen opens at noon.")
    chosen = draft(ledger(*texts, strong=1))
    assert chosen.declined is None
    assert chosen.parts[0].labels[0] == "2.1"
    assert "1.1" not in chosen.parts[0].labels


def test_the_quantity_asked_for_comes_with_the_best_statement() -> None:
    """Where the best statement lacks the duration asked for, the best of its passage that holds one is shown too."""
    text = "Parental leave is granted by the board. The canteen opens at noon. Ask Mia. Usual are 16 weeks."
    assert draft(ledger(text, second=3)).parts[0].labels == ("1.1", "1.4")


def test_weak_evidence_is_declined() -> None:
    """Where nothing speaks for any statement, the draft declines and chooses nothing."""
    declined = draft(ledger("Trains run daily. Buses do not.", strong=None))
    assert declined.declined == "extractive_declined"
    assert [part.labels for part in declined.parts] == [()]


TABLE = "| Machine | Code | Deposit |\n| --- | --- | --- |\n| Loom | TX-07 | 20 |\n| Kiln | KB-3 | 50 |"


@pytest.mark.parametrize("question", ["What is KB-3?", "What is the deposit for KB-3?"])
def test_a_code_is_looked_up_in_its_row(question: str) -> None:
    """The table row of the code asked for is the answer, however little the models find in common with it."""
    of = ledger("Trains run daily.", TABLE, strong=None)
    labels = draft(of, (Part(question),)).parts[0].labels
    assert [found[1].text for label in labels if (found := of.find(label))] == ["| Kiln | KB-3 | 50 |"]


PRICES = "| Machine | Per hour |\n| --- | --- |\n| Loom | 20 euros |\n| Band saw | 50 euros |"


@pytest.mark.parametrize(
    ("table", "question", "row"),
    [
        (TABLE, "What is the kiln deposit?", "| Kiln | KB-3 | 50 |"),
        (PRICES, "What does the band saw cost per hour?", "| Band saw | 50 euros |"),
        (PRICES, "How much is a loom?", "| Loom | 20 euros |"),
    ],
)
def test_a_row_is_looked_up_by_its_name(table: str, question: str, row: str) -> None:
    """The row of the thing that its first cell names is the answer, where it holds the rest of the question; a sum of
    money stands for "cost"."""
    of = ledger("Trains run daily.", table, strong=None)
    labels = draft(of, (Part(question),)).parts[0].labels
    assert [found[1].text for label in labels if (found := of.find(label))] == [row]


@pytest.mark.parametrize(
    ("table", "question"),
    [
        (TABLE, "What is the weight of KB-3?"),
        (TABLE, "What is KB-4?"),
        (TABLE, "What is the deposit?"),
        (PRICES, "What does a saw cost?"),
        (PRICES, "What does the lease of a loom cost?"),
        (PRICES, "How heavy is a loom?"),
    ],
)
def test_a_row_is_no_answer_to_more_than_it_holds(table: str, question: str) -> None:
    """A row does not answer where it lacks a word of the question, the code, or a word of its own name is not asked."""
    assert draft(ledger(table, strong=None), (Part(question),)).declined == "extractive_declined"


def test_no_evidence_is_declined() -> None:
    """An empty ledger is declined too."""
    assert draft(Ledger(())).declined == "extractive_declined"


def test_one_answered_part_is_an_answer() -> None:
    """A part without evidence stays empty beside one that has an answer, in the order of the question."""
    parts = split_parts("How long is parental leave, and who pays for the zeppelin?")
    assert len(parts) == 2
    of = ledger("Parental leave lasts 16 weeks. The canteen opens at noon.")
    (evidence,) = of.evidence
    assert evidence.windows
    chosen = draft(of, parts)
    assert chosen.declined is None
    assert [part.text for part in chosen.parts] == [part.text for part in parts]
    assert chosen.parts[0].labels[0] == "1.1"


def test_one_sentence_that_answers_two_parts() -> None:
    """A second part that points back, and whose own words the first one's answer holds, is answered by it and is not
    named as missing, although another sentence is nearly as near."""
    parts = split_parts("How long is parental leave, and who approves it?")
    (evidence,) = ledger("Parental leave lasts 16 weeks and the board approves it. The canteen opens at noon.").evidence
    hide(evidence.node.node, WINDOWS, [(0, 0, 0, 9.0), (1, 1, 0, -11.0), (0, 0, 1, 6.0), (1, 1, 1, 9.0)])
    of = build_ledger([evidence.node], anyone, Trace())
    assert [part.labels[:1] for part in draft(of, parts).parts] == [("1.1",), ("1.1",)]


BY_LOAD = "| Load | Fee |\n| --- | --- |\n| up to 5 kg | 4 |\n| 6 to 9 kg | 6 |\n| over 9 kg | 8 |"


def test_the_row_of_another_range_is_no_answer() -> None:
    """However near models see it: the row whose range holds the figure is shown alone; where none does, nothing is."""
    node = ledger(BY_LOAD).evidence[0].node
    hide(node.node, WINDOWS, [(0, 0, 0, 9.0), (1, 1, 0, 2.0), (2, 2, 0, 9.0)])
    of = build_ledger([node], anyone, Trace())
    assert draft(of, (Part("What is the fee for 7 kg?"),)).parts[0].labels == ("1.2",)
    assert "1.1" in draft(of, (Part("What is the fee for 7 litres?"),)).parts[0].labels
    assert draft(of, (Part("What is the fee for 5.5 kg?"),)).declined


def test_the_row_of_the_asked_range_is_likelier_than_models_see() -> None:
    """As the row of a code that is asked for is."""
    (node,) = (evidence.node for evidence in ledger(BY_LOAD, strong=None).evidence)
    of = build_ledger([node], anyone, Trace())
    likely = []
    for unit in ("kg", "litres"):
        draft(of, (Part(f"What is the fee for 7 {unit}?"),), trace=(trace := Trace()))
        likely.append(trace.numbers["decline.probability.1"])
    assert likely[0] > likely[1]


def test_words_that_every_german_text_holds_are_not_unknown() -> None:
    """A German question is not held to ask for "wann" and "man", which its documents need not hold."""
    assert asked_stems("Bis wann muss man den Zaun streichen?") == {"zaun", "streichen"}
    assert "wann" in asked_stems("What does wann mean?")


def test_the_numbers_of_the_decision_are_in_the_trace() -> None:
    """The trace has the number of each part and the threshold it was compared with."""
    trace = Trace()
    draft(ledger("Parental leave lasts 16 weeks."), trace=trace)
    assert {name.split(".")[0] for name in trace.numbers} == {"decline"}
    assert any(name.endswith(".1") for name in trace.numbers)
    assert "decline.threshold" in trace.numbers


sentences = st.sampled_from(["Leave lasts 16 weeks.", "It is paid.", "Ask Mia.", "Trains run daily."])
texts = st.lists(st.lists(sentences, min_size=1, max_size=4), min_size=1, max_size=4)


@given(texts, st.integers(0, 3), st.integers(1, 5))
def test_labels_exist_once_and_are_few(found: list[list[str]], strong: int, most: int) -> None:
    """Every label is one of the ledger, none comes twice within a part, and equal ledgers give equal drafts."""
    of = ledger(*(" ".join(sentences) for sentences in found), strong=strong)
    chosen = draft(of, most=most)
    for part in chosen.parts:
        assert len(set(part.labels)) == len(part.labels) <= 3 * most
        assert all(of.find(label) for label in part.labels)
    assert draft(of, most=most) == chosen
    assert (chosen.declined is None) == any(part.labels for part in chosen.parts)


@pytest.mark.parametrize("question", ["?", "", "年次有給休暇", "a" * 2000, "how how how"])
def test_any_question(question: str) -> None:
    """A question without a content word is drafted for like any other, with finite numbers."""
    trace = Trace()
    draft(ledger("Parental leave lasts 16 weeks."), (Part(question),), trace=trace)
    assert "decline.threshold" in trace.numbers
    assert all(math.isfinite(number) for number in trace.numbers.values())


def test_the_same_evidence_says_more_among_few_passages() -> None:
    """The nearest of many passages is near by chance: the same features are likelier right in a small folder. Below 30
    and from 200 passages on nothing changes, and where nobody counted, many are assumed."""

    def probability(passages: int) -> float:
        trace, terms = Trace(), QuestionTerms({"parent": 1, "leav": 1}, passages)
        draft_extractive(ASKED, ledger("Parental leave lasts 16 weeks."), 4, trace, terms=terms)
        return trace.numbers["decline.probability.1"]

    assert probability(10) == probability(30) > probability(50) > probability(200)
    assert probability(200) == probability(20_000) == probability(0)


@pytest.mark.parametrize(
    ("turn", "labels"),
    [
        ("Who approves it?", ("1.2",)),  # it holds a word of the turn
        ("How soon?", ("1.1",)),  # of a turn without a word of its own, the duration it asks for
        ("Who repairs it?", ()),
    ],
)
def test_what_answers_earlier_turns_alone_is_not_asked_for(turn: str, labels: tuple[str, ...]) -> None:
    """Of a turn that is read behind earlier ones only statements that hold something of its own are chosen."""
    of = ledger("Parental leave lasts 16 weeks. The board approves it.", second=1)
    part = Part(turn, "How long is parental leave?", is_follow_up=True)
    assert draft(of, (part,)).parts[0].labels == labels


def test_a_turn_behind_earlier_ones_may_see_less_in_its_statement() -> None:
    """What was fitted for such turns is added to the score of the best statement."""
    of, scores = ledger("Parental leave lasts 16 weeks. Tea is free."), []
    for is_follow_up in (False, True):
        trace = Trace()
        draft(of, (Part("How long is the leave?", "Tell me about leave.", is_follow_up),), trace=trace)
        scores.append(trace.numbers["decline.score.1"])
    assert scores[1] - scores[0] == pytest.approx(fitted_weights(reads_pairs=True).follow_up)
