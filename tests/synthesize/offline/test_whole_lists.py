"""Lists are shown whole where they answer, and what came nearest to a refused question is shown as no answer."""

from rag_app import Trace
from rag_app.question import Question
from rag_app.synthesize.evidence import build_ledger
from rag_app.synthesize.offline.decline import Declining
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


def test_nearest_statements_of_a_refusal() -> None:
    """At most three statements, likeliest first, of what may still be cited at this moment."""
    ledger = ledger_of(STEPS, {0: -5.0, 1: -4.0, 2: -1.0, 3: -6.0, 4: -11.0})
    question = Question("Who repairs the pump?")
    nearest = nearest_statements(question, ledger, Declining(), lambda _: True)
    assert 0 < len(nearest) <= 3
    assert [one.probability for one in nearest] == sorted((one.probability for one in nearest), reverse=True)
    assert all(STEPS[one.quote.start : one.quote.end] == one.quote.text for one in nearest)
    assert nearest_statements(question, ledger, Declining(), lambda _: False) == ()
