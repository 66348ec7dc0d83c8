"""The benchmark notices each of four faults that such a look-up once had, when it is put back into the code."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.search_bench.judging import summary
from evals.search_bench.search_case import load_search_cases
from evals.search_bench.search_recording import load_recording, recording_path
from evals.search_bench.search_run import freeze, replay
from rag_app.web import compose, intent
from rag_app.web.region import RegionProfile

FOLDER = Path(__file__).parents[3] / "evals" / "search"


def drops_the_country(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query goes out as a model, or the message, words it."""
    for module in (compose, intent):
        monkeypatch.setattr(module, "complete", lambda query, *_: query)


def refuses_common_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a model takes for no question is refused, whatever it is."""
    checked = intent._checked
    monkeypatch.setattr(
        intent,
        "_checked",
        lambda judged, *rest: replace(checked(judged, *rest), allowed=judged.allowed),
    )


def glues_words_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All words of a name, and what stands beside them, are looked for as one term."""
    monkeypatch.setattr(compose, "_folded", lambda words: (compose.fold(" ".join(words)),) if words else ())


def knows_one_suffix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only hosts under .co.nz count as local."""
    monkeypatch.setattr(RegionProfile, "is_local_host", lambda _, host: str(host).endswith(".co.nz"))


@pytest.mark.parametrize(
    ("fault", "counted", "cases"),
    [
        (drops_the_country, "anchor dropped", {"nz-warriors-news", "nz-hurricanes-score", "ge-torpedo-bare"}),
        (refuses_common_words, "rejected", {"nz-contact-bare", "nz-spark-bare", "ge-tbc-bare"}),
        (glues_words_together, "false weak", {"nz-kiwisaver", "nz-prime-minister", "nz-labour-leader"}),
        (knows_one_suffix, "false weak", {"nz-te-papa-hours", "nz-kiwisaver", "nz-official-cash-rate"}),
    ],
)
def test_a_fault_put_back_is_noticed(
    fault: Callable[[Any], None], counted: str, cases: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the fault in the code, its figure is above zero; without, it is zero."""
    chosen = [case for region in ("nz", "ge") for case in load_search_cases(FOLDER, region) if case.id in cases]
    assert len(chosen) == len(cases)
    assert summary([replay(case, FOLDER).outcome for case in chosen])[counted] == 0
    for case in chosen:  # further searches, which only the fault makes necessary, find the same again
        recording = load_recording(recording_path(FOLDER, case.region, case.id))
        freeze(replace(recording, searches=recording.searches + recording.searches[-1:] * 4), case.region, tmp_path)
    fault(monkeypatch)
    assert summary([replay(case, tmp_path, in_order=True).outcome for case in chosen])[counted] > 0
