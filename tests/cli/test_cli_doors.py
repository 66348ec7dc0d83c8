"""The command line's way in and out: odd paths, readers that go away, disks that are full."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_cli import HOLIDAY, RagApp, folder, one_sentence, rag_app
from tests.office import SECRETS, write_rules

__all__ = ["folder", "rag_app"]  # fixtures

COMMANDS = [
    ("build",),
    ("update",),
    ("rebuild",),
    ("check",),
    ("list",),
    ("ask", HOLIDAY),
    ("export", "x.zip"),
    ("install", "x"),
]
PATHS = {"nobody's home": "~nobody-of-this-name/x", "long name": "x" * 300, "long path": "x/" * 3000}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_odd_paths(rag_app: RagApp, command: tuple[str, ...], path: str) -> None:
    """Every command tells in one sentence that a path cannot be one."""
    ran = rag_app(command[0], path, *command[1:])
    one_sentence(ran, ran.code)
    assert ran.code in (1, 2)
    assert len(ran.err) < 500


@pytest.mark.parametrize("path", [*PATHS.values(), "/dev/null/x", "/nowhere-at-all/x"])
@pytest.mark.parametrize("command", ["export", "install"])
def test_odd_second_paths(rag_app: RagApp, folder: Path, tmp_path: Path, command: str, path: str) -> None:
    """So do the commands that take two, of the second; an installation makes no folder where none can be."""
    (tmp_path / "a.zip").write_bytes(b"no archive")
    ran = rag_app(command, folder if command == "export" else tmp_path / "a.zip", path)
    one_sentence(ran, ran.code)
    assert ran.code in (1, 2)
    assert not Path("/nowhere-at-all").exists()


@pytest.mark.long
def test_a_command_ends_as_it_would_have_when_nobody_reads(folder: Path) -> None:
    """Behind `| head -1`, and with both streams unread, the exit code is the command's own and nothing is said."""
    for words, code in ((("list", folder), 0), (("--help",), 0), (("list", folder / "nowhere"), 1)):
        for unread in ("stdout", "both"):
            read, write = os.pipe()
            os.close(read)
            try:
                err = write if unread == "both" else subprocess.PIPE
                ran = subprocess.run(command(*words), stdout=write, stderr=err, text=True, check=False)
            finally:
                os.close(write)
            assert ran.returncode == code
            assert "Traceback" not in (ran.stderr or "")
            assert "Broken" not in (ran.stderr or "")


def test_an_answer_that_nobody_reads(folder: Path) -> None:
    """An answer of which only the first letter is read is an answer."""
    run = subprocess.Popen(command("ask", folder, HOLIDAY), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.read(1)
    run.stdout.close()
    assert run.stderr.read() == ""
    assert run.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_under_the_output(folder: Path) -> None:
    """Where the answer cannot be written the command says so and fails."""
    with open("/dev/full", "w") as full:
        ran = subprocess.run(command("list", folder), stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert "No space left" in ran.stderr
    assert ran.stderr.count("\n") == 1


def command(*words: object) -> list[str]:
    return [sys.executable, "-c", "from rag_app.cli import main; main()", *map(str, words)]


def test_the_first_question_tells_outsiders_nothing(rag_app: RagApp, tmp_path: Path) -> None:
    """Where an index with access rules is built at the first question, the asker learns no name and no number."""
    own = write_rules(tmp_path / "office")
    ran = rag_app("ask", own, "When is lunch served?", "--as", "visitor")
    assert ran.code == 0
    said = (ran.out + ran.err).lower()
    assert [word for word in (*SECRETS, "orphan", "documents,", "passages") if word in said] == []
