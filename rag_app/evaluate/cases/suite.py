"""A suite: a file of questions, what identifies it, and which of its questions are asked."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rag_app.errors import DefinitionError, UsageError
from rag_app.evaluate.cases.sampling import stratified_sample
from rag_app.evaluate.cases.schema import Case, load_cases


@dataclass(frozen=True, slots=True)
class Suite:
    """The questions of one file."""

    name: str
    """Of its folder."""
    path: Path
    """The questions.jsonl."""
    cases: tuple[Case, ...]
    fingerprint: str
    """SHA-256 of the file, line ends aside: results of two suites are never compared unawares."""

    @property
    def folder(self) -> Path:
        return self.path.parent

    def recording(self, llm: str, run: int) -> Path:
        """Where the replies of a model are kept, a file a run: within one file the same call has one reply."""
        return self.folder / "recordings" / f"{slug(llm)}-{run}.jsonl"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which questions of a suite are asked; left out, all."""

    split: str | None = None
    """"dev" or "test"."""
    only: tuple[str, ...] = ()
    """Categories or ids."""
    sample: int | None = None
    """So many of the others, drawn with `seed` so that they look like the whole; see `sampling`."""
    seed: int = 0

    def of(self, suite: Suite) -> tuple[Case, ...]:
        """The questions, in the order of the suite.

        Raises:
            UsageError: a name is no category and no id of the suite, or nothing is left.
        """
        known = {name for case in suite.cases for name in (case.id, case.category)}
        if unknown := [name for name in self.only if name not in known]:
            raise UsageError(f"The suite {suite.name} has no category and no question {unknown[0]!r}.", name=unknown[0])
        chosen = [
            case
            for case in suite.cases
            if (self.split is None or case.split == self.split)
            and (not self.only or case.id in self.only or case.category in self.only)
        ]
        chosen = stratified_sample(chosen, self.sample, self.seed)
        if not chosen:
            raise UsageError(f"No question of the suite {suite.name} is left to ask.", suite=suite.name)
        return tuple(chosen)


def load_suite(path: str | Path) -> Suite:
    """The suite in a questions.jsonl, or in the folder that holds one.

    Raises:
        DefinitionError: there is no such file, a line is wrong, or two questions have one id.
    """
    file = Path(path).expanduser()
    file = file / "questions.jsonl" if file.is_dir() else file
    cases = tuple(load_cases(file))
    if twice := _twice(case.id for case in cases):
        raise DefinitionError(f"{file} has two questions with the id {twice!r}.", path=str(file))
    text = file.read_text("utf-8").replace("\r\n", "\n")
    return Suite(file.resolve().parent.name, file, cases, hashlib.sha256(text.encode()).hexdigest())


def slug(name: str) -> str:
    """A name as part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-") or "none"


def _twice(ids: Iterable[str]) -> str | None:
    seen = set[str]()
    return next((name for name in ids if name in seen or seen.add(name)), None)
