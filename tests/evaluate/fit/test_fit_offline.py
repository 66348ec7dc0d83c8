"""The fit of the path without a language model, as a command: asks, fits, shows each suite left out, writes."""

import json
import tomllib
from pathlib import Path

import pytest

from evals.fit_offline.__main__ import main
from evals.fit_offline.models import Answering, calibration_error, chance_error, fit_answering, rank_area
from evals.fit_offline.observing import WITH_CROSS_ENCODER, load
from evals.fit_offline.quoted import load_quoted
from evals.fit_offline.writing import written
from rag_app.synthesize.offline.features import FILE

SUITES = {
    "club": ("The club meets on Mondays. Members pay 20 euros a year.", "What do members pay?", "Members pay 20 euros"),
    "farm": ("Goats are milked at six. The barn is locked at nine.", "When is the barn locked?", "locked at nine"),
}


def suite(folder: Path, name: str) -> str:
    text, question, quote = SUITES[name]
    documents = folder / name / "documents"
    documents.mkdir(parents=True)
    (documents / "rules.md").write_text(f"# Rules\n\n{text}\n")
    right = {"id": "1", "question": question, "answers": [{"document": "rules.md", "quote": quote}]}
    absent = {"id": "2", "question": "Who repairs the roof of the tower?", "answers": [], "also": []}
    (folder / name / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (right, absent)))
    return f"{documents}={folder / name / 'questions.jsonl'}"


def test_the_command_asks_fits_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run ends with a table of every suite left out and with the fitted numbers in the file; a second one reads
    what the first observed and comes to the same numbers."""
    to, observed = tmp_path / "fitted.toml", tmp_path / "observed.jsonl"
    to.write_text(FILE.read_text("utf-8"))
    suites = [suite(tmp_path, name) for name in SUITES]
    main([*suites, "--observed", str(observed), "--write", str(to)])
    shown = capsys.readouterr().out
    assert "| club | " in shown
    assert "| farm | " in shown
    assert {one.suite: one.is_right for one in load(observed) if one.is_right} == {"club": True, "farm": True}
    after = tomllib.loads(to.read_text("utf-8"))
    assert set(after["with_cross_encoder"]["answering"]) == {"constant", *WITH_CROSS_ENCODER}
    before = tomllib.loads(FILE.read_text("utf-8"))
    assert after["with_cross_encoder"]["answering"] != before["with_cross_encoder"].pop("answering")
    after["with_cross_encoder"].pop("answering")
    assert after == before
    text = to.read_text("utf-8")
    main(["--observed", str(observed), "--write", str(to)])
    assert to.read_text("utf-8") == text


def test_a_table_that_is_not_there_is_not_written() -> None:
    """Numbers never land in a file that has no place for them."""
    with pytest.raises(ValueError, match="cannot be replaced"):
        written(FILE.read_text("utf-8"), "no.such", {"constant": 1.0})


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    """A question file with a line of another kind is refused with its number."""
    (tmp_path / "q.jsonl").write_text('{"id": "1", "question": "?", "answers": []}\n{"id": "2"}\n')
    with pytest.raises(ValueError, match="line 2"):
        load_quoted(tmp_path / "q.jsonl")


def test_features_speak_only_in_their_direction() -> None:
    """A feature that happens to stand against what it means, in few questions, is given no weight."""
    observed = [
        Answering(
            "a", dict.fromkeys(WITH_CROSS_ENCODER, 0.5) | {"logit": float(n), "unknown": float(n % 2)}, n % 2 == 1
        )
        for n in range(8)
    ]
    assert fit_answering(observed, WITH_CROSS_ENCODER)["unknown"] == 0.0
    assert rank_area([0.1, 0.9, 0.5, 0.5], [False, True, True, False]) == 0.875


def test_chance_alone_leaves_a_calibration_error() -> None:
    """The fewer parts, the more; certain ones leave none, and probabilities that are too high show more than chance."""
    stated = [0.2, 0.4, 0.6, 0.8] * 10
    assert chance_error([0.0, 1.0] * 20) == 0.0
    assert chance_error(stated[:12]) > chance_error(stated) > chance_error(stated * 10) > 0.0
    assert calibration_error(stated * 10, [False] * 400) > 3 * chance_error(stated * 10)
