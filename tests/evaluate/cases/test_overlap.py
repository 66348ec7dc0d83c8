"""What a prompt may not give away."""

from pathlib import Path

import pytest

from rag_app.errors import DefinitionError
from rag_app.evaluate.cases.overlap import overlaps, refuse_overlap
from rag_app.evaluate.cases.schema import Case, load_cases
from rag_app.prompts import load_prompt
from rag_app.synthesize.examples import Example

INDEXES = Path(__file__).parents[3] / "indexes"
PROMPTS = [load_prompt(file.stem) for file in sorted((INDEXES.parent / "prompts").glob("*.md"))]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return load_cases(INDEXES / "saggarline" / "questions.jsonl")


def example(question: str, *statements: str) -> Example:
    return Example(question, statements or ("Nothing.",), (1,) if statements else ())


def test_a_question_of_the_suite_is_no_example(cases: list[Case]) -> None:
    """Every question, as it is or with other function words and punctuation, is recognised in an example."""
    for case in cases:
        assert case.id in {one.case_id for one in overlaps(cases, [example(case.question)])}
        assert case.id in {
            one.case_id for one in overlaps(cases, [example(f"Please tell me: {case.question.upper()}")])
        }


def test_an_answer_of_the_suite_is_no_example(cases: list[Case]) -> None:
    """An example in other words whose right statement holds the asked facts gives it away; a wrong one does not."""
    answer = "A ramp climbs at 120 °C per hour unless a rate is given."
    (found,) = overlaps(cases, [example("Without further words, what speed?", answer)])
    assert (found.case_id, found.where) == ("sched-01", "example 1")
    assert "holds its answer" in found.reason
    assert overlaps(cases, [Example("Without further words, what speed?", (answer, "Lorries ramp up."), (2,))]) == []


def test_what_stands_in_a_prompt_is_given_away() -> None:
    """A question that stands word for word in a prompt counts, whatever the punctuation and letter case."""
    case = Case("x-1", "Answers whether a guest may have one?")
    (found,) = overlaps([case], prompts=[load_prompt("draft")])
    assert found.where == "the prompt draft"
    assert overlaps([Case("x-2", "Who holds keys?")], prompts=[load_prompt("draft")]) == []


@pytest.mark.parametrize("name", ["saggarline", "fellwire"])
def test_our_prompts_give_nothing_away(name: str) -> None:
    """No prompt holds a question of the suites, and examples about something else pass."""
    cases = load_cases(INDEXES / name / "questions.jsonl")
    examples = [
        example("How long are sandwiches kept in the fridge?", "Sandwiches are kept for 3 days."),
        example("Which ferry takes bicycles?", "The 9 o'clock ferry takes 20 bicycles."),
        example("How many players has a curling team?"),
    ]
    refuse_overlap(cases, examples, PROMPTS)


def test_a_run_with_an_overlap_does_not_begin(cases: list[Case]) -> None:
    """The error says what to do, and names every question in its details."""
    with pytest.raises(DefinitionError, match=r"given away to the model: run-01: example 1 .* and 1 more") as error:
        refuse_overlap(cases, [example(case.question) for case in cases if case.id in ("run-01", "run-02")])
    assert len(error.value.details["overlaps"]) == 2
