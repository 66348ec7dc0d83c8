"""A small index in a temporary folder."""

from pathlib import Path

import pytest

from tests.index.workbench import Workbench


@pytest.fixture(autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stores of plain folders stay within the test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """An open index with three documents, not built yet."""
    bench = Workbench(tmp_path / "handbook")
    bench.define()
    bench.write("leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year.", title="Leave")
    bench.write("travel.md", "# Travel\n\nHotels are refunded up to 140 euros a night.", title="Travel")
    bench.write("parking.txt", "Bicycles stand in the yard, cars behind the hall.")
    return bench
