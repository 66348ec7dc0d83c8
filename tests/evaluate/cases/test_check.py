"""The check of question files: it proves what is right, and finds what was made wrong on purpose."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rag_app.building import build_index
from rag_app.cli import app
from rag_app.errors import DefinitionError, IndexMissing
from rag_app.evaluate.cases.check import check_questions
from rag_app.testing import TinyEmbedding
from tests.site import page, serving

DOCUMENTS = {
    "leave": "access_scope: public\n---\n# Leave\n\nFull-timers have 26 days of leave. Ask in the portal.\n",
    "leave-2020": "access_scope: public\nversion: 2020\n---\n# Leave 2020\n\nFull-timers had 24 days of leave.\n",
    "pay": "access_scope: role\nallowed_roles: [payroll]\n---\n# Pay\n\nThe top band earns 900 crowns.\n",
    "bikes": "access_scope: public\n---\n# Bikes\n\n| Bike | Deposit |\n| --- | --- |\n| Red | 40 crowns |\n"
    "| Blue | 50 crowns |\n\nBoth are kept in the shed.\n",
}
FACT = {"id": "days", "question": "How many days off do I get?", "as": "ann", "expected_documents": ["leave"],
        "facts": [["26 days"]], "wrong_facts": ["24 days"], "ground_truth": "26.", "split": "dev"}  # fmt: skip
ALLOWED = {"id": "top-a", "question": "What does the top band earn?", "category": "permission", "as": "pat",
           "expected_documents": ["pay"], "facts": [["900 crowns"]], "pair": "top-b", "ground_truth": "900.",
           "split": "test"}  # fmt: skip
DENIED = {"id": "top-b", "question": "What does the top band earn?", "category": "permission", "as": "ann",
          "pair": "top-a", "ground_truth": "Closed.", "source": "pay", "split": "test"}  # fmt: skip
NOWHERE = {"id": "green", "question": "What deposit is there on a green bike?", "category": "unanswerable",
           "as": "ann", "absent": [["green", "deposit"]], "ground_truth": "Not said.", "source": "bikes",
           "split": "test"}  # fmt: skip
GOOD = (FACT, ALLOWED, DENIED, NOWHERE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "index.toml").write_text('[index]\nname = "i"\ndescription = "d"\naccess = "rules"\n')
    people = {"ann": {}, "pat": {"roles": ["payroll"]}}
    (tmp_path / "principals.json").write_text(json.dumps(people))
    (tmp_path / "documents").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "documents" / f"{name}.md").write_text(f"---\ndocument_id: {name}\n{text}")
    return tmp_path


def _found(folder: Path, *cases: Any) -> list[str]:
    """Everything said about some cases."""
    lines = [case if isinstance(case, str) else json.dumps(case) for case in cases]
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return [str(finding) for finding in check_questions(folder).findings]


def test_good(folder: Path) -> None:
    """Right questions pass without a word; nothing was built for it."""
    assert _found(folder, *GOOD) == []
    assert not (folder / ".store").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"facts": [["27 days"]]}, "stands in no document that may be cited"),
        ({"facts": [["26 days"], ["portal"]], "parts": 3}, "asks for 3 things and states 2 facts"),
        ({"facts": [["26 days", "six-and-twenty"]]}, "alternative 'six-and-twenty' stands in no document"),
        ({"facts": [["26 days|x*"]]}, "matches anything"),
        ({"facts": [["days"]]}, "matches the question itself"),
        ({"facts": [["full-timers h\\w+ 2"]]}, "also stands in leave-2020"),
        ({"facts": []}, "states no facts"),
        ({"wrong_facts": ["23 days"]}, "'23 days' stands in no document"),
        ({"wrong_facts": ["days of leave"]}, "only where a wrong fact stands too"),
        ({"expected_documents": ["leave", "bikes"]}, "no fact stands in bikes"),
        ({"expected_documents": ["leaves"]}, "there is no document 'leaves'"),
        ({"also_right": ["pay"]}, "ann may not read pay"),
        ({"expected_documents": []}, "names no document to cite"),
        ({"as": "bob"}, "whom principals.json does not know"),
        ({"as": None}, "says in no field `as` who asks"),
        ({"category": "multi_hop"}, "fewer than two documents"),
        ({"category": "multi_part"}, "has one part"),
        ({"split": ""}, "has no split"),
    ],
)
def test_fact_made_wrong(folder: Path, change: dict[str, Any], words: str) -> None:
    """A fact, document, asker or form that is wrong is found and named."""
    assert any(words in line for line in _found(folder, *GOOD[1:], FACT | change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"absent": [["blue", "deposit"]]}, "stand together in bikes"),
        ({"absent": [["deposit", "shed"]]}, None),
        ({"absent": [["green", "depossit"]]}, "spelled right"),
        ({"absent": []}, "nothing proves that it has no answer"),
        ({"absent": [["900 crowns"]]}, "spelled right"),  # stands where ann may not read
        ({"absent": [["900 crowns"]], "as": "pat"}, "stand together in pay"),
        ({"facts": [["40 crowns"]]}, "yet names documents or facts"),
        ({"answerable": True}, "called unanswerable and yet"),
    ],
)
def test_absence_made_wrong(folder: Path, change: dict[str, Any], words: str | None) -> None:
    """An answer that stands somewhere after all, in all that this asker may read, is found: here in a table's row."""
    found = _found(folder, FACT, ALLOWED, DENIED, NOWHERE | change)
    assert any(words in line for line in found) if words else found == []


@pytest.mark.parametrize(
    ("allowed", "denied", "words"),
    [
        ({}, {"as": "pat"}, "pat may read pay, which should be closed"),
        ({}, {"pair": ""}, "names in no field `pair`"),
        ({}, {"question": "What does the lowest band earn?"}, "are no pair"),
        ({"expected_documents": ["bikes"], "facts": [["40 crowns"]], "as": "ann"}, {}, "ann can read '40 crowns'"),
    ],
)
def test_permission_made_wrong(folder: Path, allowed: dict[str, Any], denied: dict[str, Any], words: str) -> None:
    """Who should not be able to read an answer, and can, is found."""
    assert any(words in line for line in _found(folder, FACT, ALLOWED | allowed, DENIED | denied))


def test_no_questions(folder: Path) -> None:
    """A folder without a question file is one sentence; a file without a valid question has no empty table."""
    (folder / "questions.jsonl").write_text("{\n")
    assert str(check_questions(folder)).count("\n") == 1
    (folder / "questions.jsonl").unlink()
    with pytest.raises(DefinitionError, match=r"There is no file .*questions\.jsonl: give"):
        check_questions(folder)


def test_not_json(folder: Path) -> None:
    """A line that is no case is one finding; the others are still checked."""
    assert any("line 2" in line for line in _found(folder, FACT, "{"))


def test_asked_twice(folder: Path) -> None:
    """The same id, the same question, or nearly the same one is found; the two of a pair are not."""
    assert any("has the same id" in line for line in _found(folder, *GOOD, FACT))
    assert any("asks the same as days" in line for line in _found(folder, *GOOD, FACT | {"id": "again"}))
    near = {"id": "near", "question": "How many days off do I get, please?"}
    assert any("asks nearly the same as days" in line for line in _found(folder, *GOOD, FACT | near))


def test_missing_prose_is_one_warning(folder: Path) -> None:
    """However many questions lack a ground truth, the file is warned about once."""
    bare = [case | {"ground_truth": ""} for case in (FACT, *GOOD[1:])]
    first = ", ".join(case["id"] for case in bare[:3])
    assert [line for line in _found(folder, *bare) if "ground_truth" in line] == [
        f"warning: the file: 4 of 4 questions have no ground_truth for people to read: {first}, ..."
    ]


def test_stress_questions_may_ask_about_anything(folder: Path) -> None:
    """Since nothing is fitted to a stress question, its documents may be those of the dev or test split."""
    stress = FACT | {"id": "odd", "question": "Time off, how much?", "split": "stress"}
    assert _found(folder, *GOOD, stress) == _found(folder, *GOOD)


def test_split_through_documents(folder: Path) -> None:
    """Documents that one case ties together, or a version to its predecessor, are asked about on one side only."""
    both = FACT | {"id": "both", "question": "Days off and the red one's deposit?", "parts": 2, "split": "dev",
                   "category": "multi_hop", "facts": [["26 days"], ["40 crowns"]],
                   "expected_documents": ["leave", "bikes"]}  # fmt: skip
    assert any("(bikes, leave)" in line for line in _found(folder, both, FACT | {"split": "test"}))
    assert any("(bikes, leave)" in line for line in _found(folder, both, NOWHERE))
    assert _found(folder, both, FACT, NOWHERE | {"split": "dev"}) == []

    old = folder / "documents" / "leave.md"
    old.write_text(old.read_text().replace("---\n# Leave", "supersedes: leave-2020\n---\n# Leave"))
    before = {"id": "old", "question": "What was it in the past?", "expected_documents": ["leave-2020"],
              "facts": [["24 days"]], "wrong_facts": [], "split": "test"}  # fmt: skip
    assert any("both splits" in line for line in _found(folder, FACT, FACT | before))


def test_own_words(folder: Path) -> None:
    """A question in the words of its statement counts as such, one in other words too."""
    (folder / "questions.jsonl").write_text(json.dumps(FACT | {"question": "How long can full-timers be on leave?"}))
    assert check_questions(folder).other_words.k == 0
    (folder / "questions.jsonl").write_text(json.dumps(FACT | {"question": "How much holiday is there?"}))
    assert (check_questions(folder).other_words.k, check_questions(folder).other_words.n) == (1, 1)


def test_command(folder: Path) -> None:
    """The command prints findings with file, line and id, as JSON too, and exits with 1 where one is an error."""
    _found(folder, *GOOD)
    assert CliRunner().invoke(app, ["questions", "check", str(folder)]).exit_code == 0
    _found(folder, FACT | {"facts": [["27 days"]]})
    result = CliRunner().invoke(app, ["questions", "check", str(folder / "questions.jsonl"), "--json"])
    assert result.exit_code == 1
    [first, *_] = json.loads(result.stdout)["findings"]
    assert (first["severity"], first["line"], first["case_id"]) == ("error", 1, "days")
    assert first["file"].endswith("questions.jsonl")


EXAMPLE = {"question": "How many days off would I get?", "statements": ["Some.", "One has 26 days."], "right": [2]}


def test_given_away_by_an_example(folder: Path) -> None:
    """A question that a worked example of the index gives away is an error; another example is none."""
    settings = (folder / "index.toml").read_text() + '[examples]\nfile = "examples.jsonl"\n'
    (folder / "index.toml").write_text(settings)
    (folder / "examples.jsonl").write_text(json.dumps(EXAMPLE))
    found = _found(folder, *GOOD)
    assert found == [
        "error: line 1, days: is given away to the model: example 1 asks nearly the same: "
        '"How many days off would I get?"'
    ]
    (folder / "examples.jsonl").write_text(json.dumps(EXAMPLE | {"question": "Who feeds the cat?", "right": [1]}))
    assert _found(folder, *GOOD) == []


def test_pages(tmp_path: Path) -> None:
    """Questions about web pages are proved against the built index; where there is none, it says what to do."""
    (tmp_path / "index.toml").write_text(
        '[index]\nname = "i"\ndescription = "d"\naccess = "open"\n[documents]\nurls = "urls.txt"\n'
    )
    (tmp_path / "urls.txt").write_text("https://docs.kiln.example/flue\n")
    case = {"id": "flue", "question": "How often is it swept?", "ground_truth": "Every 40.", "split": "dev",
            "expected_documents": ["https://docs.kiln.example/flue"], "facts": [["40 firings"]]}  # fmt: skip
    with pytest.raises(IndexMissing, match="rag-app build"):
        _found(tmp_path, case)
    with serving() as site:
        site.add("docs.kiln.example", "/flue", page("Flue", f"It is swept every 40 firings. {'Well fired. ' * 20}"))
        build_index(tmp_path, embedder=TinyEmbedding(), web=site.web())
    assert _found(tmp_path, case) == []
    assert any(
        "'41 firings' stands in no document" in line for line in _found(tmp_path, case | {"facts": [["41 firings"]]})
    )


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ([("leave", "Full-timers have 26 days of leave.", "needed")], ""),
        ([("leave", "Full-timers have 26 days of leave.", "needed"), ("leave", "Ask in the portal.", "right"),
          ("leave-2020", "Full-timers had 24 days of leave.", "contradicting")], ""),
        ([("leave", "Full-timers have 27 days of leave.", "needed")], "stands nowhere in leave"),
        ([("nothing", "Full-timers have 26 days of leave.", "needed")], "stands nowhere in nothing"),
        ([("leave", "Ask in the portal.", "needed")], "holds no fact"),
        ([("leave-2020", "Full-timers had 24 days of leave.", "right")], "may not be cited"),
        ([("leave", "Full-timers have 26 days of leave.", "contradicting")], "labelled contradicting holds a fact"),
        ([("leave", "Full-timers have 26 days of leave.", "needed")] * 2, "labels a statement twice"),
        ([("leave", "Ask in the portal.", "right")], "labels no statement of leave as needed"),
    ],
)  # fmt: skip
def test_labels_are_proved(folder: Path, statements: list[tuple[str, str, str]], words: str) -> None:
    """A labelled statement stands where it is said to, and is what its label says."""
    labelled = [dict(zip(("document", "text", "label"), one, strict=True)) for one in statements]
    found = [said for said in _found(folder, {**FACT, "statements": labelled}, *GOOD[1:]) if said.startswith("error")]
    assert bool(found) is bool(words)
    assert not words or any(words in said for said in found)


def test_a_refusal_has_no_statements(folder: Path) -> None:
    """A question without an answer labels no statement."""
    one = {"document": "leave", "text": "Ask in the portal.", "label": "contradicting"}
    assert "labels statements" in "".join(_found(folder, {**NOWHERE, "statements": [one]}, *GOOD[:3]))


def test_an_endless_pattern_is_a_finding(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern whose search does not end is named as an error of its question, and the others are checked."""
    monkeypatch.setattr("rag_app.evaluate.cases.pattern.SECONDS", 0.05)
    (folder / "documents" / "noise.md").write_text("---\ndocument_id: noise\naccess_scope: public\n---\n" + "a" * 4000)
    found = _found(folder, {**FACT, "expected_documents": ["noise"], "facts": [["(a|aa)+$b"]]}, *GOOD[1:])
    assert any("did not end within" in said and "days" in said for said in found)
