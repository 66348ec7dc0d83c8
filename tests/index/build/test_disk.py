"""A disk that is full or read-only: told in a sentence, and nothing is changed."""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag_app.building import check_index
from rag_app.errors import StoreError
from tests.index.workbench import Workbench, texts

Mount = Callable[..., Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mounts a small disk; skips where that is not allowed."""
    place = tmp_path / "disk"
    place.mkdir()

    def on(options: str) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("disks cannot be mounted here")
        return place

    yield on
    subprocess.run(["umount", "-l", str(place)], check=False, capture_output=True)


def _write_more(bench: Workbench) -> None:
    bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
    for number in range(400):
        bench.write(f"more{number}.md", f"# Topic {number}\n\n" + f"Topic {number} has rule {number * 31}. " * 30)


@pytest.mark.parametrize("free", [200, 700, 1500, 3000])
@pytest.mark.parametrize("rebuild", [False, True])
def test_full_disk(bench: Workbench, mount: Mount, free: int, rebuild: bool) -> None:
    """A disk that fills up at any point of an update or rebuild is reported; an open index answers as before,
    opening it reports the disk at worst, and with space again the build completes."""
    disk = mount("size=40m")
    (bench.path / ".store").symlink_to(disk / "store")
    (disk / "store").mkdir()
    bench.build()
    _write_more(bench)
    used = sum(file.stat().st_blocks * 512 for file in disk.rglob("*"))
    filler = disk / "filler"
    reader = bench.open()
    with filler.open("wb") as out:
        out.write(b"x" * (40 * 1024 * 1024 - used - free * 1024))
    with pytest.raises(StoreError, match="disk is full"):
        bench.build(rebuild=rebuild)
    assert any("25 days" in text for text in texts(reader, "days of holiday"))
    assert len(reader.documents()) == 3
    assert _answer_or_trouble(bench) in ("25 days", "disk is full")
    filler.unlink()
    assert any("25 days" in text for text in bench.texts("days of holiday"))
    reader.close()
    assert bench.build(rebuild=rebuild).documents == 403
    assert check_index(bench.path).ok
    assert any("30 days" in text for text in bench.texts("days of holiday"))


def test_read_only_disk(bench: Workbench, mount: Mount) -> None:
    """An index on a read-only disk answers; an update and a check of it say that it cannot be written to."""
    disk = mount("size=40m")
    (bench.path / ".store").symlink_to(disk / "store")
    (disk / "store").mkdir()
    bench.build()
    bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
    _remount(disk, "ro")
    for door in (bench.build, lambda: bench.build(rebuild=True), lambda: check_index(bench.path)):
        with pytest.raises(StoreError, match=r"cannot be written to|permissions"):
            door()
    assert any("25 days" in text for text in bench.texts("days of holiday"))
    _remount(disk, "rw")
    assert bench.build().changed == 1


def _answer_or_trouble(bench: Workbench) -> str:
    try:
        return "25 days" if any("25 days" in text for text in bench.texts("days of holiday")) else "nothing"
    except StoreError as error:
        return "disk is full" if "disk is full" in str(error) else str(error)


def _remount(disk: Path, how: str) -> None:
    for _ in range(50):  # threads of a closed index may still be letting go of its files
        if (
            subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=False, capture_output=True).returncode
            == 0
        ):
            return
        time.sleep(0.1)
    raise AssertionError(f"{disk} stays busy")
