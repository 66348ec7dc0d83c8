"""Uplift evaluations: what helps is called so, what does not is not, and nothing is lost on the way."""

import html
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag_app import OpenIndex
from rag_app.errors import DefinitionError, EvaluationInterrupted, ModelRejected, RecordingMissing, UsageError
from rag_app.evaluate.cases.suite import Suite, load_suite
from rag_app.evaluate.run.results import load_result
from rag_app.evaluate.run.run_folder import UNFINISHED, read_lines
from rag_app.evaluate.uplift.uplift_models import check_judge
from rag_app.evaluate.uplift.uplift_report import UpliftResult, as_html, as_markdown, load_uplift, uplift_table
from rag_app.evaluate.uplift.uplift_row import DONT_KNOW, ArmRow, UpliftRow
from rag_app.evaluate.uplift.uplift_run import UpliftOptions, measure_uplift
from rag_app.testing import ScriptedLLM
from tests.evaluate.studio import Answering, Judging, build_faq

INDEXES = Path(__file__).parents[3] / "indexes"
SUITE, OTHER = load_suite(INDEXES / "saggarline"), load_suite(INDEXES / "fellwire")
QUESTIONS = 24


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    """What the questions ask for."""
    return build_faq(SUITE.cases, tmp_path_factory.mktemp("good") / "saggarline")


@pytest.fixture(scope="module")
def useless(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    """As much about other things."""
    return build_faq(OTHER.cases[:60], tmp_path_factory.mktemp("useless") / "fellwire")


def read_rows(file: Path) -> list[UpliftRow]:
    return read_lines(file, UpliftRow.from_dict, "row")


def measured(
    index: OpenIndex,
    out: Path,
    seed: int = 1,
    suite: Suite = SUITE,
    llm: ScriptedLLM | None = None,
    judge: ScriptedLLM | None = None,
    **options: object,
) -> UpliftResult:
    fixed = {"sample": QUESTIONS, "seed": seed, "out": out, "name": f"{index.reader.definition.name}-{seed}"}
    chosen = UpliftOptions(
        llm or Answering(SUITE.cases, seed).llm(),
        judge or Judging(seed).llm(),
        **{**fixed, "concurrency": 2, **options},  # pyright: ignore[reportArgumentType]
    )
    return measure_uplift(suite, index, chosen)


def test_a_good_index_helps_and_a_useless_one_does_not(helped: UpliftResult, not_helped: UpliftResult) -> None:
    """The verdict of either is right, with an interval that says how sure it is."""
    assert helped.verdict.verdict == "helped"
    assert helped.verdict.score.interval.low > 0  # pyright: ignore[reportOptionalMemberAccess]
    assert not_helped.verdict.verdict == "made no measurable difference"
    assert 0 in not_helped.verdict.score.interval  # pyright: ignore[reportOptionalMemberAccess]
    assert helped.sentences[0].startswith("The index helped the model alone: the mean mark went from")
    assert not_helped.sentences[0].startswith("The index made no measurable difference to the model alone: ")


@pytest.fixture(scope="module")
def helped(good: OpenIndex, tmp_path_factory: pytest.TempPathFactory) -> UpliftResult:
    return measured(good, tmp_path_factory.mktemp("helped"))


@pytest.fixture(scope="module")
def not_helped(useless: OpenIndex, tmp_path_factory: pytest.TempPathFactory) -> UpliftResult:
    return measured(useless, tmp_path_factory.mktemp("not_helped"))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_twenty_repetitions(good: OpenIndex, useless: OpenIndex, tmp_path: Path) -> None:
    """Of twenty seeded repetitions a useless index is called better at most twice, a good one at least 19 times."""
    found: dict[str, Counter[str]] = {"good": Counter(), "useless": Counter()}
    for seed in range(20):
        for name, index in (("good", good), ("useless", useless)):
            result = measured(index, tmp_path, seed, sample=40)
            found[name][result.verdict.verdict] += 1
            score = result.verdict.score
            assert score is not None
            print(f"{seed:2} {name:8} {score.difference:+.2f} {score.interval.low:+.2f} {score.interval.high:+.2f}")
    print(found)
    assert found["good"]["helped"] >= 19
    assert found["useless"]["helped"] <= 2


def test_an_index_that_refuses_can_harm(useless: OpenIndex, tmp_path: Path) -> None:
    """Where the model knows the answers and the index makes it refuse, the verdict is that it harmed, and why."""
    knowing = Answering(SUITE.cases, 3, knows=0.9)
    refusing = ScriptedLLM(lambda messages: '{"parts": []}' if "labels" in messages[0][1] else knowing(messages))
    refusing.model = "refusing"
    result = measured(useless, tmp_path, 3, llm=refusing)
    assert result.verdict.verdict == "harmed"
    lost = len(result.verdict.lost)
    assert result.verdict.lost_by == {"abstained": lost}
    assert lost > 8
    assert f"lost: {lost} (0 are wrong, {lost} are abstained from)" in result.sentences[0]
    assert result.verdict.price_per_point is None
    refused = [row.arms["index"] for row in result.rows]
    assert {(arm.outcome, arm.text, arm.reason) for arm in refused} == {("refused", DONT_KNOW, "model_declined")}


def test_rows_hold_what_each_arm_did(helped: UpliftResult) -> None:
    """A row has each arm's answer with its sources, the state of the gate, calls and tokens, and the judge's reply."""
    result = helped
    assert len(result.rows) == QUESTIONS
    assert read_rows(result.folder / "rows.jsonl") == list(result.rows)
    row = result.rows[0]
    alone, index, enhanced = (row.arms[name] for name in ("alone", "index", "enhanced"))
    assert (alone.sources, alone.numbers, alone.model_calls, alone.quotes_right) == ((), {}, 1, None)
    assert index.sources
    assert all(source.text for source in index.sources)
    assert {"gate.best_cosine", "gate.threshold"} <= set(index.numbers)
    assert index.model_calls >= 2
    assert enhanced.model_calls > index.model_calls
    assert (index.input_tokens, index.output_tokens) == (100 * index.model_calls, 10 * index.model_calls)
    assert sorted(row.letters.values()) == ["A", "B", "C"]
    assert row.judge_input_tokens == 300
    saved = json.loads((result.folder / "results.json").read_text("utf-8"))
    assert saved["verdict"] == "helped"
    assert saved["arms"]["alone"]["cost"] is None


def test_all_arms_have_the_same_limit(good: OpenIndex, tmp_path: Path) -> None:
    """Every answer, of whichever arm, is asked for with the same instructions and the same number of tokens."""
    llm = Answering(SUITE.cases, 1).llm()
    measured(good, tmp_path, llm=llm, sample=10, answer_tokens=77)
    written = [call for call in llm.calls if call.purpose.startswith("answer_")]
    assert len(written) > 20
    assert {call.max_tokens for call in written} == {77}
    alone, informed = (
        next(call.messages[0][1] for call in written if call.purpose == name)
        for name in ("answer_alone", "answer_from_evidence")
    )
    same, _, _ = alone.partition("Answer from what you know.")
    assert informed.startswith(same)
    assert " ".join(alone.split()).endswith(" ".join(informed.partition("Guess nothing")[2].split()))


def test_missing_marks_are_counted_and_are_no_zeros(good: OpenIndex, tmp_path: Path) -> None:
    """A judge that says no mark for a quarter of the answers leaves them out; where too many are missing, nothing is
    said about the index."""
    strict = Judging(1)
    silent = ScriptedLLM(
        lambda messages: "Hm." if "a" in messages[-1][1].split("Question: ")[1][:5] else strict(messages)
    )
    silent.model = "silent"
    result = measured(good, tmp_path, judge=silent)
    missing = [row for row in result.rows if row.arms["index"].score is None]
    assert result.arms["index"]["missing"] == len(missing) > QUESTIONS / 5
    marks = [row.arms["index"].score for row in result.rows if row.arms["index"].score is not None]
    assert result.arms["index"]["score"] == pytest.approx(sum(marks) / len(marks))
    assert result.verdict.pairs <= QUESTIONS - len(missing)
    assert result.verdict.verdict == "cannot be told"
    assert f"only {result.verdict.pairs} of {QUESTIONS}" in result.sentences[0]


def test_a_run_resumes(good: OpenIndex, helped: UpliftResult, tmp_path: Path) -> None:
    """An interrupted run keeps its rows and says what is missing, asks only that, and ends as one that was never
    interrupted; with other options it is another run."""

    def stop(done: int, total: int, what: str) -> None:
        if done == 8:
            raise KeyboardInterrupt

    options = UpliftOptions(
        Answering(SUITE.cases, 1).llm(),
        Judging(1).llm(),
        sample=QUESTIONS,
        seed=1,
        out=tmp_path,
        name="x",
        concurrency=2,
    )
    with pytest.raises(EvaluationInterrupted, match=r"answers are missing.*same command"):
        measure_uplift(SUITE, good, options, progress=stop)
    (folder,) = tmp_path.iterdir()
    kept = read_rows(folder / "rows.jsonl")
    assert 8 <= len(kept) < 16
    assert f"Not finished: {QUESTIONS - len(kept)} questions" in (folder / "report.md").read_text("utf-8")
    file = folder / "rows.jsonl"
    file.write_bytes(file.read_bytes() + '{"case_id": "cut ö'.encode()[:-1])  # torn within a character
    again = Answering(SUITE.cases, 1).llm()
    result = measure_uplift(SUITE, good, replace(options, llm=again))
    assert result.folder == folder
    assert not (folder / UNFINISHED).exists()
    assert [untimed(row) for row in result.rows] == [untimed(row) for row in helped.rows]
    assert sum(call.purpose == "answer_alone" for call in again.calls) == QUESTIONS - len(kept)
    assert load_uplift(folder).sentences == result.sentences


def untimed(row: UpliftRow) -> UpliftRow:
    return replace(row, arms={name: replace(arm, milliseconds=0) for name, arm in row.arms.items()})


def test_an_error_is_no_answer_and_is_asked_again(good: OpenIndex, tmp_path: Path) -> None:
    """A model that fails is an error in its arm, without a mark; asked again on request, its row is marked."""
    answering = Answering(SUITE.cases, 1)

    def failing(messages: tuple[tuple[str, str], ...]) -> str | Exception:
        alone = "Answer from what you know" in messages[0][1]
        return ModelRejected("No such model.") if alone and "kiln" in messages[-1][1] else answering(messages)

    llm = ScriptedLLM(failing)
    llm.model = "answering"
    first = measured(good, tmp_path, llm=llm)
    failed = [row for row in first.rows if row.failed]
    assert 0 < len(failed) < QUESTIONS
    for row in failed:
        assert (row.arms["alone"].outcome, row.arms["alone"].score) == ("error", None)
        assert row.arms["alone"].error == "ModelRejected: No such model."
        assert set(row.letters) == {"index", "enhanced"}
    assert f"In {len(failed)} of {QUESTIONS} questions" in as_markdown(first)
    second = measured(good, tmp_path, retry_errors=True)
    assert not any(row.failed for row in second.rows)
    assert {row.case_id for row in second.rows if row.retried} == {row.case_id for row in failed}
    assert "Asked again after an error, which flatters" in as_markdown(second)
    assert [row for row in second.rows if not row.retried] == [row for row in first.rows if not row.failed]


def test_a_recording_replays_the_result(good: OpenIndex, tmp_path: Path) -> None:
    """Recorded once, a run is repeated with no model at all; what was not recorded is an error, not an answer."""
    shutil_suite = tmp_path / "suite" / "questions.jsonl"
    shutil_suite.parent.mkdir()
    shutil_suite.write_text(SUITE.path.read_text("utf-8"), "utf-8")
    suite = load_suite(shutil_suite)
    recorded = measured(good, tmp_path / "a", suite=suite, mode="record", sample=12)
    options = UpliftOptions("answering", "judging", sample=12, seed=1, mode="replay", out=tmp_path / "b")
    replayed = measure_uplift(suite, good, options)
    assert [untimed(row) for row in replayed.rows] == [untimed(row) for row in recorded.rows]
    other = measure_uplift(suite, good, replace(options, sample=18, name="other"))
    errors = [row for row in other.rows if row.failed]
    assert len(errors) >= 6
    assert all(RecordingMissing.__name__ in str(row) for row in errors)


@pytest.fixture
def with_examples(good: OpenIndex) -> Iterator[OpenIndex]:
    file = good.reader.definition.path / "examples.jsonl"
    example = {"question": SUITE.cases[0].question, "statements": ["Something."], "right": [1]}
    file.write_text(json.dumps(example), "utf-8")
    yield OpenIndex(good.reader, good.settings.model_copy(update={"examples": file.name}), good.embedder)
    file.unlink()


def test_what_would_flatter_is_refused(good: OpenIndex, with_examples: OpenIndex, tmp_path: Path) -> None:
    """No run begins with a leaked question, a model that marks itself, or a question without a reference."""
    with pytest.raises(DefinitionError, match="given away to the model"):
        measured(with_examples, tmp_path)
    llm = Answering(SUITE.cases, 1).llm("same")
    with pytest.raises(UsageError, match="favours its own answers"):
        measured(good, tmp_path, llm=llm, judge=Judging(1).llm("same"))
    for judge in ("bedrock:same", "bedrock-invoke:Same"):
        with pytest.raises(UsageError, match="favours its own answers"):
            measured(good, tmp_path, llm=llm, judge=Judging(1).llm(judge))
    with pytest.raises(UsageError, match="favours its own answers"):
        check_judge("bedrock:eu.maker.model-v1:0", "bedrock-invoke:maker.model-v1:0", False)
    check_judge("openai-like:maker.model:7b", "openai-like:maker.model:8b", False)
    assert measured(good, tmp_path, llm=llm, judge=Judging(1).llm("same"), same_judge=True, sample=2).rows
    bare = replace(SUITE, cases=tuple(replace(case, ground_truth="") for case in SUITE.cases))
    with pytest.raises(DefinitionError, match="no ground_truth"):
        measured(good, tmp_path, suite=bare)


def test_one_page_over_many(helped: UpliftResult, not_helped: UpliftResult, tmp_path: Path) -> None:
    """Results of several indexes stand in one table and one page, each with marks, interval, verdict in words, and the
    price of a point where an index helped."""
    price = {"input": 3.0, "output": 15.0, "currency": "EUR", "stated": "2026-01-01"}
    found = replace(helped, config={**helped.config, "price": price})
    table = uplift_table([found, not_helped]).splitlines()
    assert len(table) == 4
    assert table[2].startswith("| saggarline | helped | +")
    assert " EUR | " in table[2]
    assert " | made no measurable difference | " in table[3]
    first = found.verdict
    assert first.extra_cost is not None
    assert first.price_per_point == pytest.approx(first.extra_cost / first.points)
    assert found.sentences[0].endswith(f"A point of mark cost {first.extra_tokens / first.points:,.0f} tokens, "
                                       f"{first.price_per_point:.4f} EUR.")  # fmt: skip
    alone = found.arms["alone"]
    assert alone["cost"] == pytest.approx((3 * alone["input_tokens"] + 15 * alone["output_tokens"]) / 1e6)
    assert alone["marked"] + alone["missing"] == QUESTIONS
    page = as_html([found, not_helped])
    names = [one.config["index"]["name"] for one in (found, not_helped)]
    said = f"1 helped ({names[0]}); 1 made no measurable difference ({names[1]})."
    assert f"Of 2 indexes, each against the model alone: {said}" in page
    key = found.rows[0].case_id
    right = {"name": "glaze:0-30", "title": "Glaze", "text": "What would have been right."}
    cases = {**found.cases, key: {**found.cases[key], "right": [right]}}
    shown = as_html([replace(found, cases=cases)]).partition(f"<b>{key}</b>")[2].partition("</details>")[0]
    assert found.rows[0].question in html.unescape(shown)
    assert f"{right['text']}<br><small>{right['title']} [{right['name']}]" in shown
    assert found.sentences[0] in page.replace("&#39;", "'")
    assert not_helped.sentences[0] in page
    assert page.count('class="question"') == 2 * QUESTIONS
    with pytest.raises(DefinitionError, match="holds no result"):
        load_uplift(tmp_path / "nothing")
    with pytest.raises(DefinitionError, match="uplift-table"):
        load_result(helped.folder)


def test_abstaining_is_no_error(helped: UpliftResult) -> None:
    """What an arm did not know is told apart from what it has wrong, whether an index refused or a model said so."""
    kinds = helped.arms["alone"]["kinds"]
    assert kinds["abstained"] > 0
    assert kinds["wrong"] > 0
    assert sum(kinds.values()) == QUESTIONS
    mark = ArmRow("answered", "I don't know.", score=2.0)
    assert mark.kind == "abstained"
    assert replace(mark, score=10.0).kind == "right"
    assert replace(mark, text="It is 5.").kind == "wrong"
    assert replace(mark, score=None).kind == "no mark"
    assert ArmRow("error", error="ModelTimeout: No reply.").kind == "error"
    assert ArmRow("refused", DONT_KNOW, score=1.0).kind == "abstained"
