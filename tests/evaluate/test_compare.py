"""Two results side by side."""

import json
import random
import re

import pytest

from rag_app.errors import UsageError
from rag_app.evaluate.compare import compare, flips
from rag_app.evaluate.measures.figures import STRICT
from rag_app.evaluate.run.row import Place, Row
from tests.evaluate.papers import error_row, result, row

D = Place("d", 0, 9)


def test_a_changed_answer_is_a_flip() -> None:
    """Questions that one result alone has right are named, in both directions, with the p of their signs."""
    a = result(row("won", strict=False), row("lost"), row("same"))
    b = result(row("won"), row("lost", strict=False), row("same"))
    found = compare(a, b)
    assert (found.strict.won, found.strict.lost) == (("won",), ("lost",))
    assert found.strict.p == 1.0
    assert found.questions == {"won": "What is won?", "lost": "What is lost?"}
    assert "+ won: What is won?" in str(found)
    assert "Not distinguishable" in found.sentence


def test_columns_never_run_together() -> None:
    """However long a figure is, two spaces part it from its neighbours, and all lines are of one length."""
    slow = [row(name, milliseconds={"total": 123456789.0 * number}) for number, name in enumerate("abc", start=1)]
    lines = str(compare(result(*(row(name) for name in "abc")), result(*slow))).splitlines()
    table = lines[lines.index("") + 1 :]
    table = table[: table.index("")]
    assert len({len(line) for line in table}) == 1
    assert all(len(re.split(r"  +", line.strip())) == 6 for line in table)


def test_a_clear_change_is_told_from_noise() -> None:
    """Ten questions won and none lost is more than chance; the sentence says so, and the interval leaves out 0."""
    ids = [str(number) for number in range(40)]
    a = result(*(row(case_id, strict=int(case_id) >= 10) for case_id in ids))
    b = result(*(row(case_id) for case_id in ids), name="two")
    found = compare(a, b)
    assert found.strict.p < 0.01
    assert found.sentence.startswith("Distinguishable from noise: B is better")
    strict = next(of for of in found.differences if of.measure == "Strict")
    assert strict.is_clear
    assert strict.difference == pytest.approx(0.25)
    assert compare(b, a).sentence.startswith("Distinguishable from noise: B is worse")


def test_what_has_no_pair_is_listed() -> None:
    """Rows that only one of them has are named and in no figure."""
    found = compare(result(row("a"), row("b")), result(row("b"), row("c")))
    assert (found.only_a, found.only_b, found.paired) == (("a",), ("c",), ("b",))
    assert "Only in A, and in no figure: a" in str(found)
    assert "no row of them: 2 of 3 questions (1 of A, 1 of B). That is many" in found.sentence
    with pytest.raises(UsageError, match="in common"):
        compare(result(row("a")), result(row("b")))


def test_other_questions_are_refused() -> None:
    """Results of different question files are compared only when told."""
    other = result(row("a"), suite={"name": "other", "sha256": "fff"})
    with pytest.raises(UsageError, match="different question files"):
        compare(result(row("a")), other)
    assert compare(result(row("a")), other, any_suite=True).paired == ("a",)


def test_an_error_is_no_lost_question() -> None:
    """A question that failed is left out of both, in every figure, and the verdict says so."""
    a = result(row("a", retrieved=(D,)), row("b", retrieved=(D,)), row("c", retrieved=(D,)))
    b = result(error_row("a"), row("b", retrieved=(D,)), error_row("c"))
    found = compare(a, b)
    assert (found.strict.lost, found.paired) == ((), ("b",))
    assert (found.failed_a, found.failed_b) == ((), ("a", "c"))
    assert "Left out of both: 2 of 3 questions, which ended in an error (0 in A, 2 in B)" in found.sentence
    assert "--retry-errors" in found.sentence
    assert "Ended in an error in B, and in no figure: a, c" in str(found)
    assert all(of.questions == 1 and of.difference == 0 for of in found.differences if of.measure in ("R@3", "Strict"))
    assert "R@3" in {of.measure for of in found.differences}
    nothing = compare(result(row("a")), result(error_row("a")))
    assert "no question was answered in both" in nothing.sentence
    assert nothing.differences == ()


def test_a_failed_run_leaves_its_other_runs() -> None:
    """A question that failed in one of several runs is compared by the others, and named."""
    a = result(row("a"), row("a", 2), runs=2)
    b = result(row("a"), error_row("a", 2), runs=2)
    found = compare(a, b)
    assert (found.paired, found.fewer_runs, found.strict.lost) == (("a",), ("a",), ())


def test_a_throttled_run_is_seldom_called_worse() -> None:
    """In a thousand pairs of a model with itself, throttled at chance in a third of 24 questions the second time, at
    most one in twenty is called distinguishably worse: of a model that is never wrong, and of one that often is."""
    drawing = random.Random(1)
    for share in (1.0, 0.7):
        worse = 0
        for _ in range(1000):
            right = [drawing.random() < share for _ in range(24)]
            again = [drawing.random() < share for _ in range(24)]
            throttled = set(drawing.sample(range(24), 8))
            before = [row(str(number), strict=is_right) for number, is_right in enumerate(right)]
            after = [
                error_row(str(number)) if number in throttled else row(str(number), strict=is_right)
                for number, is_right in enumerate(again)
            ]
            worse += "B is worse" in verdict_of(before, after)
        assert worse <= 50


def verdict_of(before: list[Row], after: list[Row]) -> str:
    """The verdict alone: a thousand whole comparisons would take minutes."""
    a, b = result(*before), result(*after)
    paired = [one.case_id for one, other in zip(before, after, strict=True) if not other.failed]
    return flips(STRICT, a.rows, [one for one in b.rows if not one.failed], paired, a.groups).sentence


def test_of_several_runs_most_decide() -> None:
    """A question is right where most of its runs are; differences average the runs."""
    a = result(*(row("a", run) for run in (1, 2, 3)), runs=3)
    b = result(*(row("a", run, strict=run != 2) for run in (1, 2, 3)), runs=3)
    found = compare(a, b)
    assert found.strict.lost == ()
    assert next(of for of in found.differences if of.measure == "Strict").difference == pytest.approx(-1 / 3)


def test_what_was_made_differently_is_named() -> None:
    """Settings and models that differ explain a difference; equal ones are not named."""
    found = compare(result(row("a")), result(row("a"), llm="m", settings={"without": ["sparse index"]}))
    assert found.changed == ("settings.without [] → ['sparse index']", "llm none → m")


def test_a_comparison_shows_itself() -> None:
    """It is plain data for JSON, a page that escapes everything, and a fragment for notebooks."""
    nasty = row("a", question="<script>x</script>")
    found = compare(result(nasty), result(row("a", strict=False)))
    assert json.loads(json.dumps(found.as_dict()))["strict"]["lost"] == ["a"]
    assert "<script>" not in found.as_html()
    assert "&lt;script&gt;" in found._repr_html_()
    assert found.as_html().lstrip().startswith("<!doctype html>")
    assert "doctype" not in found._repr_html_()


def test_few_that_all_point_one_way_are_not_clear() -> None:
    """No figure is marked as clear where McNemar's test calls its flips noise, however narrow the interval."""
    ids = [str(number) for number in range(8)]
    a, b = result(*(row(name, strict=int(name) > 3) for name in ids)), result(*map(row, ids))
    found = compare(a, b)
    strict = next(of for of in found.differences if of.measure == "Strict")
    assert 0 not in strict.interval
    assert strict.p == found.strict.p == 0.125
    assert not strict.is_clear
    assert "Not distinguishable" in found.sentence
    (one,) = (
        of for of in compare(result(row("a", strict=False)), result(row("a"))).differences if of.measure == "Strict"
    )
    assert not one.is_clear


def test_a_missing_run_is_told() -> None:
    """A question that one of them was asked less often than it was to be is named, in text and page."""
    a = result(row("a"), row("a", 2), row("b"), row("b", 2), runs=2)
    b = result(row("a"), row("b"), row("b", 2), runs=2)
    found = compare(a, b)
    assert found.fewer_runs == ("a",)
    assert "fewer runs than were to be made: a" in str(found)
    assert "fewer runs than were to be made: a<" in found.as_html()
    assert compare(a, a).fewer_runs == ()
