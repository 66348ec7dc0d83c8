"""A calibration in the manifest: how long it holds, what drops it, and that it travels."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag_app.errors import IndexMissing, StoreError, StoreLocked
from rag_app.index.calibration import KEY, Calibration, Decline, calibration_in, write_calibration
from rag_app.index.catalog import Catalog
from rag_app.index.lock import writing
from rag_app.index.package.transfer import export_index, install_index
from rag_app.opened import OpenIndex, open_index
from rag_app.settings import Component, load_settings
from rag_app.testing import TinyEmbedding
from rag_app.text.passages import SPLITTER_VERSION
from tests.index.workbench import Workbench

FITTED = Calibration(
    gate_threshold=0.31,
    decline=Decline(0.2, 13.0, 0.6, False),
    cross_encoder="none",
    cutting=f"{SPLITTER_VERSION}/110/0",
    wrong_cost=1.75,
    questions="abc",
    split="dev",
    asked=100,
)


@pytest.fixture
def calibrated(bench: Workbench) -> Workbench:
    """A built index with a calibration in force."""
    bench.define()
    bench.write("leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year.")
    bench.build()
    write_calibration(bench.path, FITTED)
    return bench


def opened(path: Path, **settings: Any) -> OpenIndex:
    return open_index(path, embedder=TinyEmbedding(), cross_encoder="none", **settings)


def test_json_and_back() -> None:
    """What is written is what is read."""
    assert Calibration.from_json(FITTED.as_json()) == FITTED
    gate_only = replace(FITTED, decline=None)
    assert Calibration.from_json(gate_only.as_json()) == gate_only


@pytest.fixture
def open_before(bench: Workbench) -> OpenIndex:
    """An index that was opened before anything was fitted."""
    bench.define()
    bench.write("leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year.")
    bench.build()
    return opened(bench.path)


def test_in_force_at_once(bench: Workbench, open_before: OpenIndex) -> None:
    """An index that is open already asks with the calibration from the next question on, and without once cleared."""
    assert open_before.calibration is None
    write_calibration(bench.path, FITTED)
    assert open_before.gate_threshold == 0.31
    numbers = open_before.as_query_engine().query("How many days of holiday?").answer.trace.numbers
    assert numbers["gate.threshold"] == 0.31
    assert (numbers["decline.threshold"], numbers["decline.calibrated"]) == (0.6, 1.0)
    write_calibration(bench.path, None)
    assert open_before.calibration is None
    assert open_before.gate_threshold == -1
    numbers = open_before.as_query_engine().query("How many days of holiday?").answer.trace.numbers
    assert numbers["decline.calibrated"] == 0.0


def test_order_of_thresholds(calibrated: Workbench) -> None:
    """A setting overrides index.toml, that the calibration, and that the default."""
    assert opened(calibrated.path).gate_threshold == 0.31
    calibrated.define(more="[gate]\nthreshold = 0.2\ndecline = 0.5")
    index = opened(calibrated.path)
    assert index.gate_threshold == 0.2
    assert index.as_query_engine().query("Holiday?").answer.trace.numbers["decline.threshold"] == 0.5
    assert opened(calibrated.path, gate_threshold=0.1).gate_threshold == 0.1


def test_switched_off(calibrated: Workbench) -> None:
    """Switched off, it is as if there were none."""
    index = opened(calibrated.path, without={Component.CALIBRATION})
    assert index.calibration is None
    assert index.gate_threshold == -1


def test_written_once(calibrated: Workbench) -> None:
    """Writing what is in force already changes nothing: no new revision."""
    before = calibrated.open().documents()
    with calibrated.open().snapshot() as view:
        revision = view.version
    write_calibration(calibrated.path, FITTED)
    with calibrated.open().snapshot() as view:
        assert view.version == revision
    assert calibrated.open().documents() == before


def test_survives_an_update_and_a_rebuild(calibrated: Workbench) -> None:
    """New documents and a rebuild with the same parts leave it in force, without a word."""
    calibrated.write("pay.md", "# Pay\n\nPay day is the 25th.")
    assert calibrated.build().notes == ()
    assert opened(calibrated.path).calibration == FITTED
    assert calibrated.build(rebuild=True).notes == ()
    assert opened(calibrated.path).calibration == FITTED


@pytest.mark.parametrize("rebuild", [False, True])
def test_dropped_with_another_cutting(calibrated: Workbench, rebuild: bool) -> None:
    """A build that cuts documents in another way drops it, and says so once."""
    other = load_settings(target_words=60)
    report = calibrated.build(settings=other, rebuild=rebuild)
    assert "the way documents are cut changed" in str(report)
    assert opened(calibrated.path, target_words=60).calibration is None
    assert calibrated.build(settings=other).notes == ()


def test_dropped_with_another_embedder(calibrated: Workbench) -> None:
    """A rebuild with another embedder drops it, and says so."""
    other = TinyEmbedding(model_name="other")
    report = calibrated.build(embedder=other, rebuild=True)
    assert report.notes == ("The calibration was dropped, since the embedder changed: run `rag-app calibrate` again.",)
    assert open_index(calibrated.path, embedder=other, cross_encoder="none").calibration is None


def test_travels(calibrated: Workbench, tmp_path: Path) -> None:
    """An exported index is installed with its calibration."""
    export_index(calibrated.path, tmp_path / "handbook.zip")
    install_index(tmp_path / "handbook.zip", tmp_path / "home")
    assert opened(tmp_path / "home").calibration == FITTED


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", FITTED.as_json().replace("0.31", "NaN"), FITTED.as_json().replace("13.0", '"high"'),
     FITTED.as_json().replace("0.31", "true")],
)  # fmt: skip
def test_damaged(calibrated: Workbench, text: str) -> None:
    """One that cannot be read is an error that names the command, not a silent default; taking it out mends it."""
    generation = calibrated.store.opened(calibrated.path)
    with Catalog(generation.catalog) as catalog:
        catalog.flip((), {KEY: text})
    with pytest.raises(StoreError, match="calibrate --clear"):
        opened(calibrated.path).as_query_engine()
    write_calibration(calibrated.path, None)
    assert opened(calibrated.path).calibration is None


def test_no_index_and_a_busy_one(bench: Workbench, calibrated: Workbench, tmp_path: Path) -> None:
    """Nothing is written where nothing was built, or while somebody else writes."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.md").write_text("A.")
    with pytest.raises(IndexMissing):
        write_calibration(tmp_path / "empty", FITTED)
    with writing(bench.store.path), pytest.raises(StoreLocked):
        write_calibration(bench.path, None)


def test_staged_documents_stay_unseen(calibrated: Workbench) -> None:
    """What a stopped build left staged does not come into force with a calibration."""
    generation = calibrated.store.opened(calibrated.path)
    with sqlite3.connect(generation.catalog) as connection:
        connection.execute("UPDATE documents SET live = 0")
    write_calibration(calibrated.path, None)
    with Catalog(generation.catalog) as catalog:
        assert catalog.stored() == []
        assert calibration_in(catalog.read_manifest()) is None
