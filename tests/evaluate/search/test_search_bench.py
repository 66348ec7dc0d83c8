"""The web search benchmark itself: what it counts, what it freezes, and that it cannot pass by looking away."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.search_bench.__main__ import bench as bench_commands
from evals.search_bench.judging import as_text, failed, judge_look_up, moved, summary
from evals.search_bench.search_case import SearchCase, load_search_cases
from evals.search_bench.search_recording import (
    Recording,
    key_of,
    load_recording,
    recording_path,
    replaying,
    save_recording,
)
from evals.search_bench.search_run import ask_live, freeze, record, replay
from rag_app import cli
from rag_app.answer import WebAttempt, WebSearched, WebVerdict
from rag_app.errors import DefinitionError, SearchThrottled
from rag_app.testing import ScriptedLLM
from rag_app.web.intent import IntentGate
from rag_app.web.judging.relevance import Judgement
from rag_app.web.look_up import LookedUp
from rag_app.web.region import load_region
from rag_app.web.search import SearchRequest, WebResult

NZ = load_region("nz")
CASE = SearchCase("warriors", "nz", "collision", "Why are the Warriors in the news?", entity=("Warriors",),
                  never=("Golden State",), query_has=("Warriors",))  # fmt: skip
LOCAL = WebResult("https://www.example.co.nz/a", "Warriors sign a lease", "The NRL club signed a lease at Mt Smart.")
ABROAD = WebResult("https://example.com/.nz/b", "Warriors in rugby league", "The New Zealand Warriors, a NRL club.")
NAMESAKE = WebResult("https://www.example.co.nz/c", "Golden State Warriors win", "The Warriors won an NBA game.")


def looked_up(
    *used: WebResult, verdict: WebVerdict = "clean", query: str = "", message: str = CASE.message
) -> LookedUp:
    """A look-up that ended with these results, all of them used."""
    intent = IntentGate(NZ).judge(message)
    intent = replace(intent, search_query=query) if query else intent
    attempt = WebAttempt("as composed", intent.search_query, "news", len(used), 0, len(used), verdict, ())
    searched = WebSearched("nz", "tavily", intent.gate, intent.is_local, (attempt,), 0)
    return LookedUp(intent, used, Judgement(verdict, ("because",), tuple(range(len(used)))), searched)


# What is counted


def test_a_good_look_up_fails_nothing() -> None:
    """A clean look-up with a local result about the right thing counts nowhere."""
    outcome = judge_look_up(CASE, looked_up(LOCAL), NZ)
    assert outcome.failures == ()
    assert summary([outcome]) == {
        "cases": 1, "failed": 0, "errors": 0, "suspect": 0, "anchor dropped": 0, "rejected": 0, "false weak": 0,
        "namesakes": 0, "region share": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "counted", "says"),
    [
        (looked_up(ABROAD), "suspect", "no result from the region"),
        (looked_up(), "suspect", "no result from the region"),
        (looked_up(LOCAL, query="Warriors news"), "anchor dropped", "does not name the region"),
        (looked_up(LOCAL, query="Warriors news new coach Zealand"), "anchor dropped", "does not name the region"),
        (looked_up(LOCAL, query="lease New Zealand"), "failed", "the query lost Warriors"),
        (looked_up(LOCAL, verdict="weak"), "false weak", "weak instead of clean: because"),
        (looked_up(verdict="empty"), "false weak", "empty instead of clean"),
        (looked_up(LOCAL, NAMESAKE), "namesakes", "a namesake is used: Golden State Warriors win"),
        (looked_up(replace(LOCAL, title="A lease", content="Signed.")), "failed", "holds none of Warriors"),
    ],
)
def test_each_fault_is_counted_and_named(found: LookedUp, counted: str, says: str) -> None:
    """Each kind of fault is counted under its name, and a sentence under the case says what it is."""
    outcome = judge_look_up(CASE, found, NZ)
    assert summary([outcome])[counted] == 1
    assert any(says in failure for failure in outcome.failures)
    assert says in as_text([outcome])


def test_refusing_is_counted_both_ways() -> None:
    """A legitimate message that was not searched is rejected; one that should not have been is a failure too."""
    refused = replace(looked_up(LOCAL), intent=replace(IntentGate(NZ).judge("Spark"), allowed=False))
    assert judge_look_up(CASE, refused, NZ).rejected
    let_through = judge_look_up(replace(CASE, allowed=False), looked_up(LOCAL), NZ)
    assert let_through.failures == ("searched: no reason",)
    by_model = replace(CASE, allowed=False, needs_model=True)
    assert judge_look_up(by_model, looked_up(LOCAL), NZ).failures == ()  # the rules cannot tell


def test_the_region_stays_out_of_what_is_about_the_world() -> None:
    """A query for what is plainly international that names the region is a failure."""
    abroad = replace(CASE, is_local=False)
    assert judge_look_up(abroad, looked_up(ABROAD, query="Warriors New Zealand"), NZ).failures
    assert not judge_look_up(abroad, looked_up(ABROAD, query="Golden State Warriors"), NZ).failures


def test_hosts_are_checked_independently() -> None:
    """A path or a longer host with the region's domain in it is not of the region, whatever the look-up says."""
    urls = ["https://a.nz.example.com/", "https://example.com/?q=.nz", "https://b.govt.nz/", "https://c.ac.nz./x"]
    outcome = judge_look_up(CASE, looked_up(*(replace(LOCAL, url=url) for url in urls)), NZ)
    assert (outcome.used, outcome.used_local) == (4, 2)


def test_an_error_is_no_verdict() -> None:
    """A search that failed counts as an error, not as a verdict, and fails its case."""
    figures = summary([failed(CASE, "The service is down.")])
    assert (figures["errors"], figures["failed"], figures["false weak"]) == (1, 1, 0)


# Cases


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2"),
        ('{"id": "a", "category": "collision"}', "message"),
        ('{"id": "a", "category": "sport", "message": "m"}', "sport"),
        ('{"id": "a", "category": "collision", "message": "m", "verdicts": ["good"]}', "verdicts"),
        ('{"id": "a", "category": "collision", "message": "m", "titel": 1}', "titel"),
        ('{"id": "z", "category": "collision", "message": "m"}', "twice"),
    ],
)
def test_a_wrong_case_is_named(tmp_path: Path, line: str, says: str) -> None:
    """A line of the cases that is wrong is refused, naming file, line and field."""
    (tmp_path / "nz").mkdir()
    good = '{"id": "z", "category": "collision", "message": "m"}'
    (tmp_path / "nz" / "cases.jsonl").write_text(f"{good}\n{line}\n", "utf-8")
    with pytest.raises(DefinitionError, match=says):
        load_search_cases(tmp_path, "nz")


# Recordings


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A folder with one case and its recording, frozen."""
    (tmp_path / "nz").mkdir()
    fields = {"id": "warriors", "category": "collision", "message": CASE.message, "entity": ["Warriors"]}
    (tmp_path / "nz" / "cases.jsonl").write_text(json.dumps(fields) + "\n", "utf-8")
    recording, _ = record(CASE, Service([LOCAL]))
    freeze(replace(recording, origin="constructed"), "nz", tmp_path)
    return tmp_path


class Service:
    """A search service that finds the same at every search, or fails."""

    name = "service"

    def __init__(self, results: list[WebResult] | Exception) -> None:
        self.results = results

    def search(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        if isinstance(self.results, Exception):
            raise self.results
        return self.results

    async def asearch(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        return self.search(request, seconds)


def edited(bench: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = recording_path(bench, "nz", "warriors")
    fields = json.loads(path.read_text("utf-8"))
    change(fields)
    path.write_text(json.dumps(fields), "utf-8")


def test_what_is_recorded_is_replayed(bench: Path) -> None:
    """A recorded case is replayed through the real client with the same verdicts, queries and pages."""
    found = replay(CASE, bench)
    assert (found.moved, found.outcome.failures, found.outcome.used_local) == ((), (), 1)
    recording = load_recording(recording_path(bench, "nz", "warriors"))
    assert recording.searches[0].request["query"].startswith("Warriors")
    assert recording.verdicts["verdict"] == "clean"
    assert recording.verdicts["used"] == [LOCAL.url]


def test_a_moved_verdict_names_what_moved(bench: Path) -> None:
    """Where the code judges otherwise than on the day of freezing, it is said what moved, from what to what."""

    def less_clean(fields: dict[str, Any]) -> None:
        fields["verdicts"]["verdict"] = "weak"
        fields["verdicts"]["attempts"][0]["usable"] = 7

    edited(bench, less_clean)
    assert replay(CASE, bench).moved == ("attempts.0.usable: 7 -> 1", "verdict: weak -> clean")


def test_a_moved_query_is_no_silent_pass(bench: Path) -> None:
    """A search that the recording does not hold is an error that shows both queries, never an empty set."""
    edited(bench, lambda fields: fields["searches"][0]["request"].update(query="Warriors of old"))
    found = replay(CASE, bench)
    assert found.outcome.verdict == "error"
    assert "Warriors rugby league New Zealand" in found.moved[0]
    assert "it holds: Warriors of old" in found.moved[0]


def test_a_constructed_recording_is_bound_anew(bench: Path) -> None:
    """Frozen again, a constructed recording follows the queries of the code; one of the service must be asked again."""
    edited(bench, lambda fields: fields["searches"][0]["request"].update(query="Warriors of old"))
    now = replay(CASE, bench, in_order=True).now
    assert now.searches[0].request["query"] == "Warriors rugby league New Zealand"
    edited(bench, lambda fields: fields.update(origin="recorded"))
    assert replay(CASE, bench, in_order=True).outcome.verdict == "error"


def test_requests_are_told_apart_by_their_fields(bench: Path) -> None:
    """Topic, depth, domains and country distinguish a request; what is empty, and how much text is wanted, does not."""
    plain = {"query": "q", "topic": "news", "max_results": 5}
    assert key_of({**plain, "include_domains": [], "country": None, "include_raw_content": "markdown"}) == plain
    assert key_of({**plain, "include_domains": ["a.nz"]}) != plain
    with replaying(load_recording(recording_path(bench, "nz", "warriors"))) as server:
        assert server.reply_to({**server.recording.searches[0].request, "topic": "general"}) is None
        assert server.reply_to(server.recording.searches[0].request)


def test_expected_failures_belong_to_a_recording(bench: Path) -> None:
    """A recording that shows a failing search says what it must end with; the case on the live web stays as it is."""
    edited(bench, lambda fields: fields.update(expects=["suspect"]))
    assert replay(CASE, bench).outcome.failures[0].startswith("clean instead of suspect")


@pytest.mark.parametrize("text", ["[]", "{}", '{"case": "a"}', "nonsense"])
def test_a_wrong_recording_is_named(bench: Path, text: str) -> None:
    """A file that is no recording is refused by its name, also one that does not say where it comes from."""
    path = recording_path(bench, "nz", "warriors")
    edited(bench, lambda fields: fields.update(origin="found"))
    with pytest.raises(DefinitionError, match="constructed or recorded"):
        load_recording(path)
    path.write_text(text, "utf-8")
    with pytest.raises(DefinitionError, match=r"warriors\.json"):
        load_recording(path)


def test_the_model_of_the_gate_is_recorded(tmp_path: Path) -> None:
    """What the model said is kept, and replayed instead of asking one; its region is put back both times."""
    said = '{"allowed": true, "topic": "news", "search_query": "Warriors lease", "reason": "a team"}'
    recording, outcome = record(CASE, Service([LOCAL]), ScriptedLLM([said]))
    assert recording.classifier == said
    assert (outcome.failures, outcome.anchor_dropped) == ((), False)
    freeze(recording, "nz", tmp_path)
    again = replay(CASE, tmp_path)
    assert (again.moved, again.outcome.query) == ((), outcome.query)
    assert recording.origin == "recorded"
    assert recording.note.startswith("Recorded from the service service on 20")


def test_a_failing_service_is_an_error_of_its_case() -> None:
    """Live, trouble of the service is the case's outcome, with its reason."""
    outcome = ask_live(CASE, Service(SearchThrottled("Too many searches.")))
    assert (outcome.verdict, outcome.failures) == ("error", ("Too many searches.",))
    with pytest.raises(SearchThrottled):
        record(CASE, Service(SearchThrottled("Too many searches.")))


def test_moved_compares_all_that_is_frozen() -> None:
    """Nothing that differs is left out: values, missing ones, other numbers of attempts."""
    one = {"a": 1, "list": [1, 2], "attempts": [{"rung": "x", "verdict": "clean"}]}
    assert moved(one, one) == []
    assert moved(one, {"a": 2, "list": [1, 3], "attempts": [], "b": None}) == [
        "a: 1 -> 2", "list.1: 2 -> 3", "attempts: x (clean) -> nothing",
    ]  # fmt: skip
    assert moved({}, {"b": [1]}) == ["b: nothing -> [1]"]


# The command line


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Callable[..., tuple[int, str, str]]:
    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["evals.search_bench", *words])
        with pytest.raises(SystemExit) as left:
            cli.run(bench_commands)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return int(left.value.code or 0), out, err

    return run


def test_replay_command(commands: Any, bench: Path) -> None:
    """`evals.search_bench replay` prints a line per case and the figures; what moved is reported, with exit code 1."""
    code, out, _ = commands("replay", "--cases", str(bench))
    assert (code, "suspect 0" in out, "ok    warriors" in out) == (0, True, True)
    edited(bench, lambda fields: fields["verdicts"].update(verdict="weak"))
    code, _, err = commands("replay", "--cases", str(bench), "--region", "nz")
    assert (code, "warriors moved: verdict: weak -> clean" in err) == (1, True)
    assert commands("replay", "--cases", str(bench), "--case", "none")[0] == cli.WRONG_USAGE


def test_record_shows_what_moves_and_asks(commands: Any, bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`evals.search_bench record` shows the difference first and freezes only with a yes."""
    edited(bench, lambda fields: fields["verdicts"].update(verdict="weak"))
    before = load_recording(recording_path(bench, "nz", "warriors"))
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    code, out, err = commands("record", "--cases", str(bench))
    assert (code, "verdict: weak -> clean" in out, "nothing was frozen" in err) == (0, True, True)
    assert load_recording(recording_path(bench, "nz", "warriors")) == before
    assert "1 recordings frozen" in commands("record", "--cases", str(bench), "--yes")[2]
    assert load_recording(recording_path(bench, "nz", "warriors")).verdicts["verdict"] == "clean"
    assert "nothing moved" in commands("record", "--cases", str(bench))[2]


def test_live_asks_the_service(commands: Any, bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`evals.search_bench live` needs a key, says so in a sentence, and with one asks the service at its address."""
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    code, out, err = commands("live", "--cases", str(bench))
    assert (code, out, "TAVILY_API_KEY" in err, err.count("\n")) == (1, "", True, 1)
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-example")
    with replaying(load_recording(recording_path(bench, "nz", "warriors"))) as server:
        monkeypatch.setenv("RAG_APP_TAVILY_URL", server.url)
        code, out, err = commands("live", "--cases", str(bench))
        assert (code, "ok    warriors" in out, "rules of the region" in err) == (0, True, True)
        code, out, _ = commands("record", "--live", "--yes", "--cases", str(bench))
        assert (code, "origin: constructed -> recorded" in out) == (0, True)
    assert load_recording(recording_path(bench, "nz", "warriors")).origin == "recorded"


def test_a_recording_is_saved_whole(tmp_path: Path) -> None:
    """What is saved is read back as it was, and nothing half written lies beside it."""
    recording = Recording("a", "constructed", "n", "{}", (), ("weak",), {"verdict": "weak"})
    save_recording(tmp_path / "x" / "a.json", recording)
    assert load_recording(tmp_path / "x" / "a.json") == recording
    assert [file.name for file in (tmp_path / "x").iterdir()] == ["a.json"]
