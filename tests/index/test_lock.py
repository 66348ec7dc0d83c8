"""Who writes and who reads: what lies in the way of the locks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit

import pytest

from rag_app.errors import StoreError, StoreLocked
from rag_app.index.lock import in_use, remove_if_unused, writing
from tests.index.workbench import Workbench


@contextmanager
def no_more_files() -> Iterator[None]:
    """This process can open nothing more."""
    free = os.open("/dev/null", os.O_RDONLY)
    os.close(free)
    limits = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (free, limits[1]))
    try:
        yield
    finally:
        setrlimit(RLIMIT_NOFILE, limits)


@pytest.mark.parametrize(
    "facts",
    [
        *(b"", b"\xff", b"[]", b"[" * 100_000, b'{"pid": 1}', b'{"pid": 1, "host": "h", "since": 1e400}'),
        b'{"pid": 1, "host": "h", "since": -1e300}',
    ],
)
def test_whatever_is_said_about_the_writer(tmp_path: Path, facts: bytes) -> None:
    """A store that is being written is refused in one short sentence, whatever stands in the file that says by whom."""
    with writing(tmp_path):
        (tmp_path / "writer.json").write_bytes(facts)
        with pytest.raises(StoreLocked) as caught, writing(tmp_path):
            pass
    assert len(str(caught.value)) < 200


def test_a_folder_where_the_writer_is_named(tmp_path: Path) -> None:
    """What cannot be written or removed there is an error of ours, and the lock is free again."""
    (tmp_path / "writer.json").mkdir()
    for _ in range(2):
        with pytest.raises(StoreError, match="could not be written"), writing(tmp_path):
            pass
    (tmp_path / "writer.json").rmdir()
    with writing(tmp_path):
        pass


def test_nothing_is_removed_where_too_many_files_are_open(tmp_path: Path) -> None:
    """That its mark cannot be opened does not mean that nobody reads a generation."""
    mark = tmp_path / "generation" / "in-use"
    mark.parent.mkdir()
    with in_use(mark):
        with no_more_files():
            remove_if_unused(mark.parent, mark)
        assert mark.exists()
    remove_if_unused(mark.parent, mark)
    assert not mark.parent.exists()


def test_too_many_open_files_are_called_so(bench: Workbench) -> None:
    """Who cannot open an index for want of descriptors is not told to rebuild it."""
    bench.build()
    store = bench.store
    with no_more_files(), pytest.raises(StoreError) as caught:
        store.current()
    assert "ulimit" in str(caught.value)
    assert "rebuild" not in str(caught.value)


@pytest.mark.parametrize("name", ["CURRENT", "LAST", "in-use"])
def test_a_pipe_in_the_store_is_not_waited_for(bench: Workbench, name: str) -> None:
    """A pipe where a file of the store should be is an error of ours or does not matter; nobody waits for it."""
    bench.build()
    (file,) = bench.store.path.rglob(name)
    file.unlink()
    os.mkfifo(file)
    try:
        bench.open().close()
        bench.build()
    except StoreError:
        assert name == "CURRENT"
