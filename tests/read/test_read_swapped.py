"""Files and folders that are swapped for links while they are read."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_app.document import Document
from rag_app.errors import ReadError
from rag_app.read.documents import Problem, read_folder
from rag_app.read.files import read_bytes

SECRET = "The vault opens with 4711."


def swap(place: Path, other: Path, done: threading.Event) -> int:
    """Exchanges what lies at two places until told to stop; returns how often."""
    count = 0
    spare = place.with_name("spare")
    while not done.is_set():
        place.rename(spare)
        other.rename(place)
        spare.rename(other)
        count += 1
    return count


def race(place: Path, link_to: Path, read: Callable[[], list[bytes]], swaps: int) -> None:
    """Reads while what lies at `place` is a link to `link_to` and back in turn."""
    other = place.parent / ".other"
    other.symlink_to(link_to)
    done, counts = threading.Event(), []
    swapper = threading.Thread(target=lambda: counts.append(swap(place, other, done)))
    swapper.start()
    reads = 0
    try:
        while reads < swaps:
            for data in read():
                assert SECRET.encode() not in data
            reads += 1
    finally:
        done.set()
        swapper.join()
    assert counts[0] > 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text(SECRET)
    folder = tmp_path / "documents"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("Bicycles stand in the yard.")
    (folder / "sub" / "a.md").write_text("Cars stand behind the hall.")
    return folder


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("swaps", [500, pytest.param(100_000, marks=pytest.mark.long)])
def test_swapped_for_a_link(folder: Path, what: str, links: bool, swaps: int) -> None:
    """A file, or the folder that it lies in, which is swapped for a link while it is read brings in nothing from
    outside."""
    place = folder / "a.md" if what == "file" else folder / "sub"
    path = place if what == "file" else place / "a.md"
    outside = folder.parent / "outside"

    def read() -> list[bytes]:
        try:
            return [read_bytes(path, folder, 1000, links=links)]
        except ReadError:
            return []

    race(place, outside / "a.md" if what == "file" else outside, read, swaps)


def test_a_folder_is_listed_without_following_links(folder: Path) -> None:
    """A folder that is swapped for a link while the documents are listed lends none of its names."""
    (folder.parent / "outside" / "merger with Quillon.md").write_text(SECRET)

    def read() -> list[bytes]:
        found = []
        for item in read_folder(folder):
            assert isinstance(item, (Document, Problem))
            found += [item.path.encode(), item.text.encode() if isinstance(item, Document) else b""]
        assert not any(b"Quillon" in data for data in found)
        return found

    race(folder / "sub", folder.parent / "outside", read, 300)


def test_a_swap_between_look_and_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link within the folder that leads outside by the time it is opened is not read."""
    (folder / "link.md").symlink_to("a.md")
    resolve = Path.resolve

    def late(self: Path, strict: bool = False) -> Path:
        place = resolve(self, strict)
        if self.name == "link.md":
            os.replace(folder / "a.md", folder / "b.md")
            (folder / "a.md").symlink_to(folder.parent / "outside" / "a.md")
        return place

    monkeypatch.setattr(Path, "resolve", late)
    with pytest.raises(ReadError):
        read_bytes(folder / "link.md", folder, 1000)
