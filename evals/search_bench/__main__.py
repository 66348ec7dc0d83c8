"""python -m evals.search_bench live, replay, record"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_app.cli import run
from rag_app.cli.common import ANSWERED, TROUBLE, tell
from rag_app.errors import UsageError

if TYPE_CHECKING:
    from evals.search_bench.judging import Outcome
    from evals.search_bench.search_case import SearchCase
    from evals.search_bench.search_recording import Recording
    from rag_app.web.search import SearchBackend

bench = typer.Typer(
    help="Cases of web searches that are easy to get wrong.", no_args_is_help=True, pretty_exceptions_enable=False
)

Region = Annotated[
    list[str] | None, typer.Option(help="Code of a region; may be repeated. Left out: each that has cases.")
]
Cases = Annotated[Path, typer.Option(help="Folder of the cases and their recordings.")]
Only = Annotated[list[str] | None, typer.Option("--case", help="Only this case; may be repeated.")]
Llm = Annotated[str, typer.Option(help="Language model that makes the queries; 'none' for the rules of the region.")]
FOLDER = Path("evals/search")


@bench.command()
def replay(region: Region = None, cases: Cases = FOLDER, only: Only = None) -> None:
    """Ask the recordings, offline: exit code 1 where a case fails or its verdict moved."""
    from evals.search_bench.search_run import replay as replayed

    outcomes: list[Outcome] = []
    is_moved = False
    for case in _chosen(cases, region, only):
        found = replayed(case, cases)
        outcomes.append(found.outcome)
        is_moved |= bool(found.moved)
        for line in found.moved:
            tell(f"{case.id} moved: {line}")
    _report(outcomes)
    raise typer.Exit(TROUBLE if is_moved or any(outcome.failures for outcome in outcomes) else ANSWERED)


@bench.command()
def live(region: Region = None, cases: Cases = FOLDER, only: Only = None, llm: Llm = "none") -> None:
    """Ask the real search service, which needs its key, and the language model that is named."""
    from evals.search_bench.search_run import ask_live
    from rag_app.models import load_llm

    backend, model = _service(), load_llm(llm)
    _tell_gate(llm)
    outcomes = [ask_live(case, backend, model) for case in _chosen(cases, region, only)]
    _report(outcomes)
    raise typer.Exit(TROUBLE if any(outcome.failures for outcome in outcomes) else ANSWERED)


@bench.command()
def record(
    region: Region = None,
    cases: Cases = FOLDER,
    only: Only = None,
    llm: Llm = "none",
    is_live: Annotated[
        bool, typer.Option("--live", help="Ask the service again, instead of judging again what is recorded.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Freeze without asking.")] = False,
) -> None:
    """Freeze recordings again, after showing what moved."""
    from evals.search_bench.judging import moved
    from evals.search_bench.search_run import freeze

    pending: list[tuple[SearchCase, Recording]] = []
    outcomes: list[Outcome] = []
    chosen = list(_chosen(cases, region, only))
    for case, before, now, outcome in _recorded_again(chosen, cases, llm if is_live else None):
        outcomes.append(outcome)
        if now is None or now == before or outcome.verdict == "error":
            continue
        pending.append((case, now))
        lines = moved(before.verdicts if before else {}, now.verdicts)
        if before and before.origin != now.origin:
            lines.append(f"origin: {before.origin} -> {now.origin}")
        print(f"{case.id}:", *(lines or ["the requests or the replies, but no verdict"]), sep="\n  ")
    _report(outcomes)
    is_failed = any(outcome.verdict == "error" for outcome in outcomes)
    if not pending:
        tell("nothing moved." if not is_failed else "nothing to freeze.")
    elif yes or typer.confirm(f"Freeze these {len(pending)} recordings?", err=True):
        for case, now in pending:
            freeze(now, case.region, cases)
        tell(f"{len(pending)} recordings frozen.")
    else:
        tell("nothing was frozen.")
    raise typer.Exit(TROUBLE if is_failed else ANSWERED)


def _recorded_again(
    chosen: "Sequence[SearchCase]", folder: Path, llm: str | None
) -> "Iterator[tuple[SearchCase, Recording | None, Recording | None, Outcome]]":
    """Each case with its recording as it is, as it would be, and the outcome; `llm` None: nobody outside is asked."""
    from evals.search_bench.judging import failed
    from evals.search_bench.search_recording import load_recording, recording_path
    from evals.search_bench.search_run import record, replay
    from rag_app.errors import SearchError
    from rag_app.models import load_llm

    backend, model = (_service(), load_llm(llm)) if llm else (None, None)
    for case in chosen:
        path = recording_path(folder, case.region, case.id)
        before = load_recording(path) if path.exists() else None
        if backend is None:
            found = replay(case, folder, in_order=True)
            yield case, before, found.now, found.outcome
            continue
        try:
            yield case, before, *record(case, backend, model)
        except SearchError as error:
            yield case, before, None, failed(case, str(error))


def _chosen(folder: Path, regions: list[str] | None, only: list[str] | None) -> "Iterator[SearchCase]":
    """The cases asked for. Raises UsageError where there is none."""
    from evals.search_bench.search_case import CASES, load_search_cases

    codes = regions or sorted(file.parent.name for file in folder.glob(f"*/{CASES}"))
    cases = [case for code in codes for case in load_search_cases(folder, code) if not only or case.id in only]
    if not cases:
        raise UsageError(f"There is no such case in {folder}: name another folder with --cases, or leave --case out.")
    return iter(cases)


def _service() -> "SearchBackend":
    from rag_app.settings import load_settings
    from rag_app.web.tavily import TavilyBackend

    return TavilyBackend(base_url=load_settings().tavily_url)


def _tell_gate(llm: str) -> None:
    if llm == "none":
        tell("note: no --llm is named, so the rules of the region make the queries alone.")


def _report(outcomes: "Sequence[Any]") -> None:
    from evals.search_bench.judging import as_text

    print(as_text(outcomes))


if __name__ == "__main__":
    run(bench)
