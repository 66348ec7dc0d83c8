"""urls.txt: read line by line, and changed in nothing but lines that become comments."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.errors import DefinitionError, UsageError
from rag_app.pages.urls import UrlList, comment_out, read_list

LIST = """\
# Pages of a small library.

## Start here
https://docs.example.org/install   # the new one
  https://docs.example.org/start#first

## API ##
https://docs.example.org/api?v=2
https://docs.example.org/Install
http://docs.example.org/old
https://docs.example.org/a https://docs.example.org/b
https://docs.example.org/install#again
"""


def written(tmp_path: Path, text: str | bytes) -> UrlList:
    file = tmp_path / "urls.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_list(file)


def test_a_list_is_read_line_by_line(tmp_path: Path) -> None:
    """Comments, headings and fragments are understood; a bad line is an entry that says what is wrong."""
    pages = written(tmp_path, LIST)
    assert [(line.number, line.url, line.group) for line in pages.lines] == [
        (4, "https://docs.example.org/install", "Start here"),
        (5, "https://docs.example.org/start", "Start here"),
        (8, "https://docs.example.org/api?v=2", "API"),
        (9, "https://docs.example.org/Install", "API"),
        (10, "", "API"),
        (11, "", "API"),
        (12, "https://docs.example.org/install", "API"),
    ]
    assert "only https" in pages.lines[4].problem
    assert "one URL a line" in pages.lines[5].problem
    assert pages.urls == [pages.lines[n].url for n in (0, 1, 2, 3)]
    assert pages.first(pages.lines[6]) is pages.lines[0]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_marks_of_other_systems_are_understood(tmp_path: Path, ending: str, mark: str) -> None:
    """The numbers of lines are those that an editor shows."""
    pages = written(tmp_path, mark + ending.join(["https://a.example/", "# no", "https://b.example/"]))
    assert [(line.number, line.url) for line in pages.lines] == [(1, "https://a.example/"), (3, "https://b.example/")]


def test_a_missing_list_or_one_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(DefinitionError, match=r"no file .*none\.txt"):
        read_list(tmp_path / "none.txt")
    with pytest.raises(DefinitionError, match="UTF-8"):
        written(tmp_path, b"https://a.example/\xff\xfe")


def test_a_line_becomes_a_comment_and_nothing_else_changes(tmp_path: Path) -> None:
    """Indentation, comments behind the URL and line ends stay, and the file is what it was but for the line."""
    pages = written(tmp_path, LIST.replace("\n", "\r\n"))
    pages.path.chmod(0o640)
    comment_out(pages, {5: "gone 2026-01-02 (404)"})
    after = LIST.replace(
        "  https://docs.example.org/start", "  # gone 2026-01-02 (404): https://docs.example.org/start"
    )
    assert pages.path.read_bytes() == after.replace("\n", "\r\n").encode()
    assert pages.path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["urls.txt"]
    assert [line.number for line in read_list(pages.path).lines] == [4, 8, 9, 10, 11, 12]


def test_a_list_behind_a_link_is_changed_where_it_is(tmp_path: Path) -> None:
    """The link stays a link."""
    pages = written(tmp_path, "https://a.example/\n")
    link = tmp_path / "link.txt"
    link.symlink_to(pages.path)
    comment_out(read_list(link), {1: "gone"})
    assert link.is_symlink()
    assert pages.path.read_text() == "# gone: https://a.example/\n"


def test_a_list_that_was_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """What somebody wrote while the pages were asked for is not lost."""
    pages = written(tmp_path, "https://a.example/\n")
    pages.path.write_text("https://b.example/\nhttps://a.example/\n")
    with pytest.raises(UsageError, match="meanwhile"):
        comment_out(pages, {1: "gone"})
    assert pages.path.read_text() == "https://b.example/\nhttps://a.example/\n"


LINES = st.one_of(
    st.sampled_from(
        ["https://a.example/", " https://b.example/x # note", "## Group", "# c", "", "\t", "no url", "\uf000x"]
    ),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
)


@given(st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=12), st.data())
def test_every_byte_that_is_not_the_comments_own_stays(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Whatever the file holds: take the comments out again, and it is the file that it was."""
    before = "".join(line + ending for line, ending in parts).encode()
    pages = written(tmp_path_factory.mktemp("list"), before)
    numbers = [line.number for line in pages.lines]
    chosen = data.draw(st.lists(st.sampled_from(numbers), unique=True)) if numbers else []
    comment_out(pages, dict.fromkeys(chosen, "gone 2026-01-02 (410)"))
    after = pages.path.read_bytes()
    assert after.count(b"# gone 2026-01-02 (410): ") == len(chosen)
    assert after.replace(b"# gone 2026-01-02 (410): ", b"") == before
    assert [line.number for line in read_list(pages.path).lines] == [n for n in numbers if n not in chosen]
