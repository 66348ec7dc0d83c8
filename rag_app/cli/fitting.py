"""rag-app calibrate"""

from pathlib import Path
from typing import Annotated

import typer

from rag_app.cli.common import (
    ANSWERED,
    NOT_ENOUGH_EVIDENCE,
    Folder,
    Json,
    app,
    opened,
    progress_bar,
    say,
    say_json,
    tell,
)
from rag_app.errors import UsageError


@app.command("calibrate")
def calibrate_index(
    folder: Folder,
    questions: Annotated[
        Path | None, typer.Argument(help="A questions.jsonl, or a folder that holds one; left out, that of the index.")
    ] = None,
    split: Annotated[
        str, typer.Option(help="Split of the questions that it is fitted to; the others are not looked at.")
    ] = "dev",
    write: Annotated[
        bool, typer.Option("--apply", help="Use the calibration from now on; without this it is only shown.")
    ] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove the calibration and answer with the defaults.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Fit the thresholds that decide whether a question is answered to questions about this index.

    Exit code 3 if there are too few questions.
    """
    from rag_app.evaluate.fit.calibrate import apply, calibrate
    from rag_app.index.calibration import write_calibration

    if clear:
        if write or questions:
            raise UsageError("Say either --clear or what to calibrate with, not both.")
        write_calibration(folder, None)
        say("No calibration is in force: thresholds are those of the settings, else the defaults.")
        return
    index = opened(folder)
    with progress_bar() as progress:
        report = calibrate(index, questions, split=split, progress=progress)
    say_json(report.as_dict()) if as_json else say(report)
    if report.calibration is None:
        raise typer.Exit(NOT_ENOUGH_EVIDENCE)
    if write and report.would_change:
        apply(index, report.calibration)
        tell("the calibration is used from now on; to remove it: rag-app calibrate --clear")
    elif report.would_change:
        tell("nothing was written; to use the calibration, add --apply")
    raise typer.Exit(ANSWERED)
