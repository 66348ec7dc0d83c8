"""Reading a folder: what becomes a document, under which id and title, and what is named as a problem."""

import hashlib
import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.document import Document
from rag_app.errors import ReadError, SetupError
from rag_app.read.documents import Problem, read_file, read_folder


def write(folder: Path, **files: str | bytes) -> Path:
    """Files by name, in which `__` stands for a dot and `_in_` for a slash."""
    for name, content in files.items():
        path = folder / name.replace("_in_", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def documents(folder: Path) -> dict[str, Document]:
    return {found.document_id: found for found in read_folder(folder) if isinstance(found, Document)}


def problems(folder: Path) -> dict[str, str]:
    return {found.path: found.code for found in read_folder(folder) if isinstance(found, Problem)}


def test_every_readable_kind_becomes_a_document(tmp_path: Path) -> None:
    """Markdown, plain text and HTML become documents with their markup, and the page's text is Markdown."""
    write(
        tmp_path,
        a__md="# A\n\nText.",
        b__txt="B text",
        c__rst="C text",
        d__html="<h1>D</h1><p>Text.</p>",
        e__HTM="<p>E</p>",
    )
    found = documents(tmp_path)
    assert {name: document.markup for name, document in found.items()} == {
        "a": "markdown",
        "b.txt": "plain",
        "c.rst": "markdown",
        "d.html": "markdown",
        "e.HTM": "markdown",
    }
    assert found["d.html"].text == "# D\n\nText.\n"


def test_documents_and_problems_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    """The order depends on the paths alone, with problems in their place."""
    write(tmp_path, b_in_z__md="z", a__md="a", c__bin="c", b_in_a__md="a", b__md="b")
    assert [found.path for found in read_folder(tmp_path)] == ["a.md", "b.md", "b/a.md", "b/z.md", "c.bin"]


def test_a_file_is_read_only_when_its_turn_comes(tmp_path: Path) -> None:
    """Reading is lazy: what is written after the start but before a file's turn is what is read."""
    write(tmp_path, a__md="first", b__md="old")
    found = read_folder(tmp_path)
    next(found)
    write(tmp_path, b__md="new")
    second = next(found)
    assert isinstance(second, Document)
    assert second.text == "new"


def test_an_id_is_the_path_without_md(tmp_path: Path) -> None:
    """A Markdown file's id is its path without `.md`, any other's its whole path, whatever lies beside it."""
    write(tmp_path, hr_in_leave__md="x", hr_in_plan__md="x", hr_in_plan__txt="y", v1__2__md="z")
    assert list(documents(tmp_path)) == ["hr/leave", "hr/plan", "hr/plan.txt", "v1.2"]
    (tmp_path / "hr" / "plan.md").unlink()
    assert list(documents(tmp_path)) == ["hr/leave", "hr/plan.txt", "v1.2"]


def test_a_name_as_long_as_the_file_system_allows_is_read(tmp_path: Path) -> None:
    """Looking for a side file does not fail because its name would be too long."""
    name = "a" * 252 + ".md"
    (tmp_path / name).write_text("text")
    assert list(documents(tmp_path)) == ["a" * 252]


def test_two_files_with_one_title_are_two_documents(tmp_path: Path) -> None:
    """Titles need not be unique."""
    write(tmp_path, a__md="# Leave\n\none", b__md="# Leave\n\ntwo")
    assert {name: document.title for name, document in documents(tmp_path).items()} == {"a": "Leave", "b": "Leave"}


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "---\ntitle: 'Given: it'\n---\n# Heading", "Given: it"),
        ("a.md", "## Second\n\n# *First* of `all` {#top}\n", "First of all"),
        ("a.md", "## Only second\n\ntext", "Only second"),
        ("a.md", "```\n# a comment\n```\n\nReal\n====\n", "Real"),
        ("leave-policy_2024.md", "no heading", "Leave policy 2024"),
        ("a.md", "# " + "too long " * 30, "A"),
        ("notes.txt", "# no heading in plain text", "Notes"),
        ("a.html", "<title>Leave | Intranet</title><h1>Leave</h1>", "Leave"),
        ("a.html", "<title>Leave at Acme</title><h1>Welcome</h1>", "Leave at Acme"),
        ("a.html", "<h1>Only&nbsp;heading</h1>", "Only heading"),
        ("a-b.html", "<p>none</p>", "A b"),
    ],
)
def test_a_title_is_the_stated_one_else_the_heading_else_the_name(
    tmp_path: Path, name: str, text: str, title: str
) -> None:
    """Front matter comes before <title>, <title> before headings, headings before the file's name."""
    (tmp_path / name).write_text(text)
    assert read_file(tmp_path / name, tmp_path).title == title


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.md", b"", "empty"),
        ("a.md", b" \r\n\t", "empty"),
        ("a.md", b"\xef\xbb\xbf\n", "empty"),
        ("a.md", b"---\ntitle: x\n---\n\n", "empty"),
        ("a.html", b"<html><body><script>x()</script></body></html>", "empty"),
        ("a.txt", b"text\0with zeros", "binary"),
        ("a.txt", bytes(range(1, 32)) * 9, "binary"),
        ("a.md", b"%PDF-1.7 ...", "binary"),
        ("a.html", b"PK\x03\x04", "binary"),
        ("a.pdf", b"%PDF-1.7\nnothing", "broken"),
        ("a.pdf", b"<html>not found</html>", "broken"),
        ("a.docx", b"PK\x03\x04 broken", "broken"),
        ("a.docx", b"text", "broken"),
        ("a.docx", b"\xd0\xcf\x11\xe0" + bytes(99), "encrypted"),
        ("a.doc", b"text", "unsupported"),
        ("LICENSE", b"text", "unsupported"),
        ("a.md", b"---\ntitle: [\n---\ntext", "front_matter"),
        ("a.txt", "Привет, как дела у вас".encode("koi8-r"), "encoding"),
        ("a\x07.md", b"text", "name"),
        (os.fsdecode(b"caf\xe9.md"), b"text", "name"),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_the_rest_is_read(
    tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    """No file stops a folder: the problem has a code and a reason that can be printed, and the next file is read."""
    (tmp_path / name).write_bytes(content)
    (tmp_path / "zz.md").write_text("fine")
    problem, document = read_folder(tmp_path)
    assert isinstance(problem, Problem)
    assert problem.code == code
    assert problem.reason.endswith(".")
    assert (problem.path + problem.reason).encode()
    assert isinstance(document, Document)


def test_a_file_above_the_limit_is_a_problem(tmp_path: Path) -> None:
    """The limit counts bytes, and the file of just that size is read."""
    write(tmp_path, a__md="x" * 10, b__md="x" * 11)
    assert [(p.path, p.code) for p in read_folder(tmp_path, max_bytes=10) if isinstance(p, Problem)] == [
        ("b.md", "too_large")
    ]


def test_files_of_the_index_itself_are_passed_over(tmp_path: Path) -> None:
    """Beside its documents an index's own files are neither documents nor problems; further down, files like any."""
    for name in ("index.toml", "principals.json", "questions.jsonl", "urls.txt", "a.md", "sub/questions.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('{"a": "x"}')
    assert [one.path for one in read_folder(tmp_path)] == ["a.md", "sub/questions.jsonl"]
    (tmp_path / "index.toml").unlink()
    assert "principals.json" in [one.path for one in read_folder(tmp_path)]


def test_hidden_files_and_office_locks_are_passed_over(tmp_path: Path) -> None:
    """Names with a dot in front, folders too, and lock files are no problems and no documents."""
    write(tmp_path, __store_in_a__md="x", __hidden="x", a__md="x")
    (tmp_path / "~$a.docx").write_text("lock")
    assert [found.path for found in read_folder(tmp_path)] == ["a.md"]


def test_links_that_lead_out_or_in_circles_are_problems(tmp_path: Path) -> None:
    """Nothing outside the folder is read, whatever links to it; a link to a file inside is read."""
    folder = write(tmp_path / "folder", a__md="inside", sub_in_b__md="b")
    secret = write(tmp_path, secret__md="secret") / "secret.md"
    (folder / "in.md").symlink_to("a.md")
    (folder / "out.md").symlink_to(secret)
    (folder / "gone.md").symlink_to("nowhere.md")
    (folder / "self.md").symlink_to("self.md")
    (folder / "sub" / "loop").symlink_to(folder)
    (folder / "a.md.meta.yaml").symlink_to(secret)
    assert problems(folder) == {
        "a.md": "link",
        "out.md": "link",
        "gone.md": "unreadable",
        "self.md": "unreadable",
        "sub/loop": "link",
    }
    assert documents(folder)["in"].text == "inside"
    without = {found.path: found.code for found in read_folder(folder, links=False) if isinstance(found, Problem)}
    assert without == {**problems(folder), "in.md": "link"}


def test_a_pipe_is_a_problem_and_not_waited_for(tmp_path: Path) -> None:
    """Only regular files are opened."""
    os.mkfifo(tmp_path / "a.md")
    assert problems(tmp_path) == {"a.md": "unreadable"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_or_folder_without_rights_is_a_problem(tmp_path: Path) -> None:
    """What the rights forbid is named, and the rest is read."""
    write(tmp_path, a__md="x", b_in_c__md="x", d__md="x")
    (tmp_path / "a.md").chmod(0)
    (tmp_path / "b").chmod(0)
    assert problems(tmp_path) == {"a.md": "unreadable", "b": "unreadable"}
    (tmp_path / "b").chmod(0o700)


def test_a_missing_folder_is_an_error_at_once(tmp_path: Path) -> None:
    """The call itself raises, not the first step of the iterator."""
    with pytest.raises(SetupError, match="no folder"):
        read_folder(tmp_path / "none")


def test_the_hash_is_of_the_bytes_of_file_and_side_file(tmp_path: Path) -> None:
    """Without a side file it is what sha256sum prints; every change of either file changes it."""
    write(tmp_path, a__md="text")
    alone = read_file(tmp_path / "a.md", tmp_path).sha256
    assert alone == hashlib.sha256(b"text").hexdigest()
    write(tmp_path, a__md__meta__yaml="title: A")
    with_side = read_file(tmp_path / "a.md", tmp_path).sha256
    write(tmp_path, a__md__meta__yaml="title: B")
    assert len({alone, with_side, read_file(tmp_path / "a.md", tmp_path).sha256}) == 3


def test_a_worker_process_can_hand_back_documents_and_errors(tmp_path: Path) -> None:
    """Both survive pickling with all they hold."""
    write(tmp_path, a__md="text", b__md="")
    document = read_file(tmp_path / "a.md", tmp_path)
    assert pickle.loads(pickle.dumps(document)) == document
    with pytest.raises(ReadError) as caught:
        read_file(tmp_path / "b.md", tmp_path)
    assert pickle.loads(pickle.dumps(caught.value)).details == {"code": "empty"}


TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), include_characters="\t\n\r\x85\u2028\xa0\u200f🙂")
).filter(
    lambda text: text.strip().strip("\ufeff") and not text.startswith(("\ufeff", "%PDF-", "GIF8")) and "---" not in text
)


@given(text=TEXTS, encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), suffix=st.sampled_from([".md", ".txt"]))
@settings(deadline=None)
def test_any_text_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, text: str, encoding: str, suffix: str
) -> None:
    """Whatever was written as UTF-8 (with or without a mark) or UTF-16 is the text, code point for code point."""
    folder = tmp_path_factory.mktemp("texts")
    path = folder / f"a{suffix}"
    path.write_bytes(text.encode(encoding))
    assert read_file(path, folder).text == text


@given(
    data=st.binary(),
    suffix=st.sampled_from([".md", ".txt", ".html", ".pdf", ".docx"]),
    magic=st.sampled_from(["", "%PDF-1.4\n"]),
)
@settings(deadline=None)
def test_no_bytes_stop_the_folder(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str, magic: str
) -> None:
    """Any bytes under any suffix are a document or a problem, never another exception."""
    folder = tmp_path_factory.mktemp("bytes")
    (folder / f"a{suffix}").write_bytes(magic.encode() + data)
    (found,) = read_folder(folder)
    assert isinstance(found, Document | Problem)
