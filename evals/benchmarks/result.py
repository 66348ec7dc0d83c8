"""What a benchmark found, how it is shown and where it is kept."""

import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path

KEPT = Path(__file__).parents[1] / "results" / "benchmarks"
_PACKAGES = ("chromadb", "llama-index-core", "onnxruntime", "tantivy")


@dataclass(frozen=True, slots=True)
class Result:
    """One figure beside what it is compared with."""

    name: str
    measured: float
    unit: str
    """Of both times: ms or s."""
    against: float
    compared_with: str
    goal: str = ""
    """In words, as it stands in the design; empty where there is none."""
    reached: bool | None = None
    """None where there is no goal."""
    details: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """Measured, in units of what it is compared with."""
        return self.measured / self.against if self.against else float("nan")

    def __str__(self) -> str:
        mark = {True: "reached", False: "MISSED", None: ""}[self.reached]
        details = ", ".join(f"{name} {value:.4g}" for name, value in self.details.items())
        return (
            f"  {self.name:<52} {self.ratio:>8.3f} x {self.compared_with}  ({self.measured:.4g} against "
            f"{self.against:.4g} {self.unit}){f'; goal {self.goal}: {mark}' if self.goal else ''}"
            f"{f'; {details}' if details else ''}"
        )


def p50(values: Sequence[float]) -> float:
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, round(0.95 * len(values)))]


def keep(results: Sequence[Result], *, quick: bool, folder: Path = KEPT) -> Path:
    """Writes results as JSON, one file a day (a later run of the same day and size replaces it); returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{date.today().isoformat()}{'-quick' if quick else ''}.json"
    content = {
        "date": date.today().isoformat(),
        "quick": quick,
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
        "results": [{**asdict(result), "ratio": result.ratio} for result in results],
    }
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return file
