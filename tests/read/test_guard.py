"""Files that are made to hang, to swell or to bring their reader down are given up, and the next ones are read."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from rag_app.errors import ReadError
from rag_app.pages.fetching.fetch import Reply
from rag_app.pages.page import read_page
from rag_app.read import Problem, guard, read_file, read_folder
from rag_app.read.kinds import Kind


def kind(function: str) -> Kind:
    return Kind("", (".x",), f"{__name__}:{function}")


def hang(data: bytes) -> None:
    while True:
        pass


def swell(data: bytes) -> None:
    pieces = []
    while True:
        pieces.append(bytearray(50_000_000))


def crash(data: bytes) -> None:
    import os

    os._exit(3)


@pytest.mark.parametrize(("function", "code"), [("hang", "too_large"), ("swell", "too_large"), ("crash", "broken")])
def test_a_reader_that_goes_too_far_is_ended(
    function: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file is a read error, and the next file is read by a new process."""
    monkeypatch.setattr(guard, "SECONDS", 3.0 if function == "hang" else 30.0)
    with pytest.raises(ReadError) as caught:
        guard.read_guarded(kind(function), b"x")
    assert caught.value.details["code"] == code
    monkeypatch.undo()
    (tmp_path / "a.html").write_text("<p>Words.</p>")
    assert read_file(tmp_path / "a.html", tmp_path).text == "Words.\n"


def test_a_hostile_file_does_not_stop_the_folder(tmp_path: Path) -> None:
    """Spans that multiply, deep nesting and zip bombs are read in bounds or named; what stands beside them is read."""
    row = "<tr>" + "<td colspan=1000 rowspan=1000>" * 300 + "</tr>"
    (tmp_path / "a.html").write_text("<table>" + row * 30 + "</table><p>End.</p>")
    (tmp_path / "b.html").write_text("<div>" * 100_000 + "deep")
    with zipfile.ZipFile(tmp_path / "c.epub", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/container.xml", b" " * 120_000_000)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 120_000_000)
    (tmp_path / "d.xlsx").write_bytes(bomb.getvalue())
    (tmp_path / "e.md").write_text("Still read.")
    found = list(read_folder(tmp_path))
    assert [item.code for item in found if isinstance(item, Problem)] == ["broken", "too_large", "too_large"]
    assert len(found) == 5


def test_a_fetched_page_that_hangs_its_reader_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are parsed under the limits that hold for files; the next page is read."""
    monkeypatch.setattr(guard, "SECONDS", 2.0)
    page = ("<table><tr><td>" + "<div>" * 60 + "x" + "</div>" * 60) * 60_000
    reply = Reply("https://a.example/", "https://a.example/", 200, {"content-type": "text/html"}, page.encode())
    with pytest.raises(ReadError) as caught:
        read_page(reply)
    assert caught.value.details["code"] in ("too_large", "broken")
    monkeypatch.undo()
    assert read_page(replace(reply, body=b"<p>Words.</p>")).text == "Words.\n"
