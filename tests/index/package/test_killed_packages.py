"""Exports and installations that are killed: nothing half done answers, and the next try completes."""

import multiprocessing
import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import check_index
from rag_app.errors import StoreError
from rag_app.index.package.transfer import export_index, install_index
from rag_app.index.reader import IndexReader
from tests.index import crash
from tests.index.build.test_killed import old_documents, state
from tests.index.workbench import Workbench


class Kills:
    """Runs exports and installations in child processes and kills them."""

    def __init__(self, folder: Path) -> None:
        self._processes: Any = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["tests.index.crash"])
        self.folder = folder
        self.bench = Workbench(folder / "handbook")
        old_documents(self.bench)
        self.bench.build()
        self.state = state(self.bench)
        self.archive = folder / "handbook.zip"
        export_index(self.bench.path, self.archive)
        self.steps = {kind: self.run(kind, None) for kind in ("export", "install")}

    def run(self, kind: str, kill_at: int | None) -> int:
        """One try in a child, killed at a step; returns how many there are."""
        shutil.rmtree(self.folder / "trial", ignore_errors=True)
        (self.folder / "trial").mkdir()
        source = self.bench.path if kind == "export" else self.archive
        told = self._processes.SimpleQueue()
        arguments = (kind, source, self.folder / "trial" / "new", kill_at, told)
        child = self._processes.Process(target=crash.carry, args=arguments)
        child.start()
        child.join(120)
        assert child.exitcode == (0 if kill_at is None else -signal.SIGKILL)
        return told.get()[1] if kill_at is None else 0

    def export(self, seed: int) -> None:
        """A killed export leaves no archive, or a whole one; the next one leaves nothing but its archive."""
        self.run("export", random.Random(seed).randrange(1, self.steps["export"] + 1))
        target = self.folder / "trial" / "new"
        if not target.exists():
            for left in target.parent.iterdir():
                os.utime(left, (0, 0))
            export_index(self.bench.path, target)
        install_index(target, target.with_name("installed"))
        assert state(Workbench(target.with_name("installed"))) == self.state
        assert {path.name for path in target.parent.iterdir()} == {"new", "installed"}

    def install(self, seed: int) -> None:
        """A killed installation answers with everything or says that it has not finished; then it can be repeated."""
        self.run("install", random.Random(seed).randrange(1, self.steps["install"] + 1))
        bench = Workbench(self.folder / "trial" / "new")
        if bench.path.exists() and bench.store.current() is not None:
            assert state(bench) == self.state
        else:
            if (bench.path / "index.toml").exists():
                with pytest.raises(StoreError, match="rag-app install"):
                    IndexReader.open(bench.path)
            install_index(self.archive, bench.path)
        assert state(bench) == self.state
        assert check_index(bench.path).ok
        assert not bench.store.is_unfinished()


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    return Kills(tmp_path_factory.mktemp("packages"))


@pytest.mark.parametrize("seed", range(4))
def test_killed_export(kills: Kills, seed: int) -> None:
    """An export that is killed leaves no half archive, and its remains go with the next one."""
    kills.export(seed)


@pytest.mark.parametrize("seed", range(6))
def test_killed_install(kills: Kills, seed: int) -> None:
    """An installation that is killed at any step can be begun again, and never answers from half an index."""
    kills.install(seed)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", ["export", "install"])
def test_killed_a_hundred_times(kills: Kills, kind: str) -> None:
    """100 of 100 kills of exports and of installations are survived."""
    for seed in range(1000, 1000 + crash.KILLS):
        (kills.export if kind == "export" else kills.install)(seed)


def test_killed_at_the_very_beginning(kills: Kills, tmp_path: Path) -> None:
    """A store that was just begun is in nobody's way."""
    from rag_app.index.store import Store

    Store(tmp_path / "new" / ".store").create()
    install_index(kills.archive, tmp_path / "new")
    assert state(Workbench(tmp_path / "new")) == kills.state


def test_one_installation_at_a_time(kills: Kills, tmp_path: Path) -> None:
    """Who installs where somebody else is installing takes nothing away from them."""
    from rag_app.errors import StoreLocked
    from rag_app.index.lock import writing
    from rag_app.index.store import Store

    store = Store(tmp_path / "new" / ".store")
    store.create()
    store.unfinished.touch()
    (tmp_path / "new" / "index.toml").write_text("half")
    with writing(store.path), pytest.raises(StoreLocked):
        install_index(kills.archive, tmp_path / "new")
    assert (tmp_path / "new" / "index.toml").read_text() == "half"
    install_index(kills.archive, tmp_path / "new")
    assert state(Workbench(tmp_path / "new")) == kills.state
