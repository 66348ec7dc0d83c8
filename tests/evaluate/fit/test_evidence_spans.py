"""Word-F1 of shown statements against marked spans, as a command over a file of such questions."""

import json
import math
from pathlib import Path

import pytest

from evals.evidence_spans.__main__ import Marked, agreement, load_marked, main
from rag_app.errors import UsageError

TEXT = "Goats are milked at six. The barn is locked at nine. Hens sleep in the loft."


def test_f1_counts_words_of_spans() -> None:
    """Half of the marked words and as many others are F1 one half; a refusal is right where nothing was marked."""
    barn, goats = TEXT.index("The barn"), (0, len("Goats are milked at six."))
    half = Marked("When?", TEXT, ((barn, barn + len("The barn is locked at nine")),))
    nothing = Marked("Who?", TEXT, ())
    shown = [[(barn, barn + len("The barn is")), (0, len("Goats are milked"))], [goats]]
    found = agreement([half, nothing], shown)
    assert (found.precision, found.recall, found.f1) == (0.25, 0.25, 0.25)
    assert found.right_refusals == 0.0
    assert agreement([nothing], [[]]).f1 == 1.0
    assert math.isnan(agreement([half], [shown[0]]).right_refusals)


def test_the_command_prints_how_far_they_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The statement that answers is the marked one, and a question that the text does not answer is refused."""
    start = TEXT.index("The barn")
    lines = [
        {"question": "When is the barn locked?", "text": TEXT, "spans": [[start, start + 27]]},
        {"question": "Who repairs the roof of the tower?", "text": TEXT, "spans": []},
    ]
    file = tmp_path / "gold.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    main([str(file)])
    assert capsys.readouterr().out.startswith(
        "2 questions: word-F1 1.000 (precision 1.000, recall 1.000); refused 100%"
    )


@pytest.mark.parametrize("line", ["{}", "[]", '{"question": "a", "text": "b", "spans": [[0, 2]]}', "no json"])
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    """The message says which line of which file cannot be read."""
    file = tmp_path / "gold.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"gold\.jsonl, line 1"):
        load_marked(file)
