"""Lists are shown whole where they answer, and what came nearest to a refused question is shown as no answer."""

import pytest

from rag_app import Trace
from rag_app.index.calibration import Declining
from rag_app.question import Question
from rag_app.synthesize.evidence import build_ledger
from rag_app.synthesize.offline.extractive import draft_extractive
from rag_app.synthesize.offline.nearest import nearest_statements
from rag_app.testing import passage
from rag_app.text.nodes import WINDOWS, hide

STEPS = """To restart the pump:

1. Close the valve at the inlet and wait.
2. Press the green button for five seconds.
3. Open the valve again and watch the gauge.

The pump was bought in 1998 from a dealer.
"""


def ledger_of(text: str, logits: dict[int, float], cosine: float = 0.8):
    node = passage(text, title="Pump", score=cosine, cosine=cosine)
    hide(node.node, WINDOWS, [(index, index, 0, logit) for index, logit in logits.items()])
    return build_ledger([node], lambda _: True, Trace())


def test_a_procedure_comes_with_all_its_steps() -> None:
    """Where one step is the best statement for a "how do I", all steps are shown, in order, and nothing else."""
    ledger = ledger_of(STEPS, {0: -5.0, 1: -4.0, 2: 8.0, 3: -6.0, 4: -11.0})
    (part,) = draft_extractive(Question("How do I restart the pump?").parts, ledger, 4, Trace()).parts
    texts = [found[1].text for label in part.labels if (found := ledger.find(label))]
    assert [text[:2] for text in texts if text[0].isdigit()] == ["1.", "2.", "3."]
    assert not any("1998" in text for text in texts)


def test_one_fact_brings_no_list() -> None:
    """A question for one thing that one item answers shows that item alone."""
    ledger = ledger_of(STEPS, {0: -9.0, 1: -9.0, 2: 8.0, 3: -9.0, 4: -11.0})
    (part,) = draft_extractive(Question("When is the green button pressed?").parts, ledger, 1, Trace()).parts
    assert len(part.labels) == 1


NUMBERED = """When the power fails, three things are done.

**1. Lights:** Switch on the torch. Keep it lit.

- It hangs beside the door.

**2. Doors:** Unlock the gate by hand.

**3. People:** Count the visitors.

The building is heated with gas.
"""


def shown(text: str, question: str, logits: dict[int, float], most: int = 4) -> list[str]:
    ledger = ledger_of(text, logits)
    (part,) = draft_extractive(Question(question).parts, ledger, most, Trace()).parts
    return [" ".join(found[1].text.split()) for label in part.labels if (found := ledger.find(label))]


def test_numbered_paragraphs_are_a_list() -> None:
    """Paragraphs numbered from 1 are shown together below the sentence that introduces them, each whole."""
    texts = shown(NUMBERED, "What are the three things when the power fails?", {0: 9.0})
    wanted = ["**1. Lights:** Switch on the torch.", "Keep it lit.", "**2. Doors:** Unlock the gate by hand."]
    assert [text for text in texts if text in wanted] == wanted
    assert "**3. People:** Count the visitors." in texts
    assert not any("gas" in text for text in texts)


@pytest.mark.parametrize(
    ("text", "question", "wanted"),
    [
        (STEPS, "What is the third step to restart the pump?", ["3. Open the valve again and watch the gauge."]),
        (STEPS, "What is step 2 to restart the pump?", ["2. Press the green button for five seconds."]),
        (STEPS, "What is the last step to restart the pump?", ["3. Open the valve again and watch the gauge."]),
        (
            NUMBERED,
            "What is the 1st thing when the power fails?",
            ["**1. Lights:** Switch on the torch.", "Keep it lit."],
        ),
        ("Rules:\n\n- Be kind.\n- Be quiet.\n", "What is the second rule?", ["Be quiet."]),
    ],
)
def test_a_step_by_its_number(text: str, question: str, wanted: list[str]) -> None:
    """A question for one step of a list is answered with that step, although the line above the list looks best."""
    assert shown(text, question, {0: 9.0, 1: 2.0}) == wanted


def test_a_step_is_found_by_the_words_of_its_list() -> None:
    """However little models find in common: where one list holds the other words of the question, its step is shown; of
    two such lists, or of none, nothing is."""
    weak = dict.fromkeys(range(12), -11.0)
    assert shown(STEPS, "What is the first step of the restart?", weak) == ["1. Close the valve at the inlet and wait."]
    assert shown(STEPS, "What is the first step of the repair?", weak) == []
    twice = f"{STEPS}\nTo restart the fan:\n\n1. Press the red button.\n2. Wait.\n"
    assert shown(twice, "What is the first step of the restart?", weak) == []


def test_a_list_without_that_many_items_is_shown_as_it_is() -> None:
    """There is no ninth step: what is near is shown, and no step is passed off as the ninth."""
    assert shown(STEPS, "What is the ninth step to restart the pump?", {0: 9.0})[0] == "To restart the pump:"


def test_nearest_statements_of_a_refusal() -> None:
    """At most three statements, likeliest first, of what may still be cited at this moment."""
    ledger = ledger_of(STEPS, {0: -5.0, 1: -4.0, 2: -1.0, 3: -6.0, 4: -11.0})
    question = Question("Who repairs the pump?")
    nearest = nearest_statements(question, ledger, Declining(), lambda _: True)
    assert 0 < len(nearest) <= 3
    assert [one.probability for one in nearest] == sorted((one.probability for one in nearest), reverse=True)
    assert all(STEPS[one.quote.start : one.quote.end] == one.quote.text for one in nearest)
    assert nearest_statements(question, ledger, Declining(), lambda _: False) == ()
