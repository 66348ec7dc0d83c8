"""The suites in full, as CI asks them: with no model, and in replay of the scripted one where that was recorded.

    python -m evals.in_full            asks all of them; floors, and what changed
    python -m evals.in_full --keep     after a change that is meant: records the replies of the scripted model again,
                                       sets the floors to what is reached now, and writes down which questions are
                                       known to be wrong; prints the figures that moved

Both paths of a question are asked one after the other over an index that remembers what the models said: they mostly
read the same pairs, so that the second path costs little.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from evals.floors import breaches, load_floors, load_known_wrong, refresh_floors, values_of
from evals.scripted_model import AS_OF, record
from rag_app import open_index
from rag_app.cli.common import progress_bar
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.cases.suite import Suite, load_suite
from rag_app.evaluate.measures.retrieval import documents_by_question
from rag_app.evaluate.run.asking import Asker, principals_of
from rag_app.evaluate.run.remembering import RememberingIndex
from rag_app.evaluate.run.results import Result
from rag_app.evaluate.run.row import Row
from rag_app.evaluate.run.suite_run import describe_case
from rag_app.llm.recording import RecordingLLM
from rag_app.opened import OpenIndex

ROOT = Path(__file__).parents[1]
INDEXES: Mapping[str, Path] = {"fellwire": ROOT / "indexes" / "fellwire", "harbour": ROOT / "evals" / "harbour"}
SUITES: Mapping[str, Path] = INDEXES | {f"{name}-stress": ROOT / "evals" / f"{name}-stress" for name in INDEXES}
"""Folders of the questions. Those of a stress set avoid the documents' words on purpose; nothing is fitted to them."""
REPLAYED = ("harbour",)
"""Suites whose model path is replayed as well."""
FLOORS = ROOT / "evals" / "floors.toml"
KNOWN_WRONG = ROOT / "evals" / "known_wrong.json"


def index_of(name: str) -> str:
    """The name of the index that a suite is asked of."""
    return name.removesuffix("-stress")


def paths_of(name: str) -> list[str]:
    """The ways in which a suite is asked."""
    return ["offline", "replay"] if name in REPLAYED else ["offline"]


Progress = Callable[[int, int, str], None]


def ask(
    index: OpenIndex, suite: Suite, cases: Sequence[Case], progress: Progress = lambda done, total, what: None
) -> dict[str, list[Row]]:
    """Rows of the cases by path; `progress` is called with questions done, their number and the one that is asked."""
    remembering = index if isinstance(index, RememberingIndex) else RememberingIndex(index)
    principals = principals_of(suite, index)
    askers = {"offline": Asker(remembering, principals, lambda case, run: None, AS_OF)}
    if suite.name in REPLAYED:
        llm = RecordingLLM(path=suite.recording("scripted", 1), model="scripted")
        askers["replay"] = Asker(remembering, principals, lambda case, run: llm, AS_OF)
    rows: dict[str, list[Row]] = {path: [] for path in askers}
    for done, case in enumerate(cases):
        progress(done, len(cases), f"{suite.name}: {case.question}")
        for path, asker in askers.items():
            rows[path].append(asker.ask(case, 1))
    return rows


def result_of(suite: Suite, path: str, rows: Sequence[Row]) -> Result:
    """The rows of one path, with what floors can be under."""
    cases = {case.id: describe_case(case) for case in suite.cases}
    rankings = {row.case_id: row.retrieved for row in rows}
    expected = {key: case["expected_documents"] for key, case in cases.items() if key in rankings}
    found = documents_by_question(expected, rankings)
    means = {name: {"mean": sum(of.values()) / len(of)} for name, of in found.items() if of}
    llm = "none" if path == "offline" else "scripted"
    config = {"llm": llm, "mode": "replay", "runs": 1}
    return Result(Path(f"{suite.name}, {path}"), config, cases, tuple(rows), {"retrieval": {"documents": means}}, {})


def judge(results: Iterable[Result]) -> list[str]:
    """What breaks a floor, and which questions changed."""
    floors, known = load_floors(FLOORS), load_known_wrong(KNOWN_WRONG)
    return [line for result in results for line in breaches(result, result.name, floors, known.get(result.name, ()))]


def main(arguments: list[str]) -> None:
    """Asks all suites of the indexes where they are; exit code 1 where a floor breaks."""
    results = []
    for name, folder in SUITES.items():
        suite, index = load_suite(folder), RememberingIndex(open_index(INDEXES[index_of(name)]))
        if "--keep" in arguments and name in REPLAYED:
            record(index, suite, AS_OF)
        with progress_bar() as progress:
            rows = ask(index, suite, suite.cases, progress)
        results += [result_of(suite, path, rows[path]) for path in paths_of(name)]
    for result in results:
        print(result.name)
        for name, value in values_of(result).items():
            print(f"  {name:<22}{'–' if value is None else f'{value:.4f}'}")
    if "--keep" in arguments:
        wrong = {result.name: sorted(row.case_id for row in result.rows if not row.strict) for result in results}
        KNOWN_WRONG.write_text(json.dumps(wrong, indent=1) + "\n", encoding="utf-8")
        print("\n".join(refresh_floors(FLOORS, results)) or "No figure moved.")
        return
    found = judge(results)
    print("\n".join(found) or "Every floor holds.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main(sys.argv[1:])
