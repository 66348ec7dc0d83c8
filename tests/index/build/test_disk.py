"""A disk that is full or read-only: told in a sentence, and nothing is changed."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from rag_app.building import check_index
from rag_app.errors import StoreError
from rag_app.index.package.transfer import export_index, install_index
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


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("move", ["export", "install"])
def test_full_disk_while_moving(bench: Workbench, mount: Mount, tmp_path: Path, move: str, share: float) -> None:
    """A disk that fills up at any point of an export or an installation is reported, and nothing is left on it; with
    space again the next try succeeds."""
    disk, archive = mount("size=40m"), tmp_path / "handbook.zip"
    bench.build()
    export_index(bench.path, archive)
    carry = partial(export_index, bench.path) if move == "export" else partial(install_index, archive)
    place = disk / "new"
    carry(place)
    needed = sum(file.stat().st_blocks * 512 for file in disk.rglob("*"))
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    status, filler = os.statvfs(disk), disk / "filler"
    with filler.open("wb") as out:
        out.write(b"x" * (status.f_bavail * status.f_frsize - int(share * needed)))
    with pytest.raises(StoreError, match="disk is full"):
        carry(place)
    assert [file.name for file in disk.iterdir()] == ["filler"]
    filler.unlink()
    carry(place)
    assert {file.name for file in disk.iterdir()} == {"new"}


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
