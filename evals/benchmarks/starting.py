"""How long the package takes to be there, against an interpreter that does nothing."""

import subprocess
import sys
import time

from evals.benchmarks.result import Result, p50

_GOAL_S = 0.3
_HELP = "import sys; sys.argv = ['rag-app', '--help']; from rag_app.cli import main; main()"


def starting(rounds: int) -> list[Result]:
    """`import rag_app` and `rag-app --help`, each in a new process, in turns with `python -c pass`."""
    commands = {"pass": "pass", "import rag_app": "import rag_app", "rag-app --help": _HELP}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, code in commands.items():
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
            if number:  # the first of each fills the file system's cache
                times[name].append(time.perf_counter() - started)
    bare = p50(times.pop("pass"))
    return [
        Result(
            name,
            1000 * p50(taken),
            "ms",
            1000 * bare,
            "python -c pass",
            goal=f"{1000 * _GOAL_S:.0f} ms more",
            reached=p50(taken) - bare <= _GOAL_S,
        )
        for name, taken in times.items()
    ]
