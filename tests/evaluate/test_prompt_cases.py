"""The cases by which prompts are compared."""

from pathlib import Path

import pytest

from evals.prompts.__main__ import RECORDED
from evals.prompts.cases import choose, judge, load_cases
from rag_app.errors import RecordingMissing
from rag_app.llm.recording import RecordingLLM
from rag_app.prompts import load_prompt
from rag_app.synthesize.draft import Draft, DraftPart

KINDS = {"fact", "exception", "near", "two_parts", "unanswerable", "contradiction", "yes_no", "list"}


def test_cases_of_all_kinds() -> None:
    """There are eighty cases or more, of every kind that readers differ about, each with an id of its own."""
    cases = load_cases()
    assert len({case.id for case in cases}) == len(cases) >= 80
    assert {case.kind for case in cases} >= KINDS


def test_the_recording_is_of_the_present_prompt() -> None:
    """A changed prompt is asked again: most cases are recorded for it, and nearly all of these are right."""
    assert RECORDED.stem == f"draft-{load_prompt('draft').version}"
    llm, verdicts = RecordingLLM(path=RECORDED), []
    assert "through a bridge" in llm.model
    for case in load_cases():
        try:
            verdicts.append(judge(case, choose(llm, case)))
        except RecordingMissing:  # its evidence is cut into statements in another way since
            continue
    assert len(verdicts) >= 60
    assert sum(verdict.is_right for verdict in verdicts) >= 0.95 * len(verdicts)


@pytest.mark.parametrize(
    ("labels", "missing", "beside"),
    [
        (("2.2",), set(), set()),
        ((), {"2.2"}, set()),
        (("2.2", "4.2"), set(), {"4.2"}),
        (("9.9",), {"2.2"}, {"9.9"}),
    ],
)
def test_a_choice_is_judged(labels: tuple[str, ...], missing: set[str], beside: set[str]) -> None:
    """What is missing and what is beside the point are told apart; a label that does not exist is beside it."""
    case = next(case for case in load_cases() if case.id == "tenancy-01")
    verdict = judge(case, Draft((DraftPart(case.question, labels),)))
    assert (verdict.missing, verdict.beside) == (missing, beside)


def test_words_in_two_statements(tmp_path: Path) -> None:
    """A case whose right words stand in several statements is refused."""
    case = "{id: a, kind: fact, question: 'Tea?', needed: [[Tea]]}"
    body = f"passages: [{{title: A, text: Tea is hot. Tea is green.}}]\ncases: [{case}]"
    (tmp_path / "a.yaml").write_text(body, encoding="utf-8")
    with pytest.raises(ValueError, match="stands in 2 statements"):
        load_cases(tmp_path)
