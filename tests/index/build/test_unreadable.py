"""Which documents keep their earlier version."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rag_app.index.build.unreadable import TROUBLE_READING, unreadable_now
from rag_app.read.documents import Problem

paths = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map("/".join)
codes = st.sampled_from([*TROUBLE_READING, "unreachable", "duplicate"])


@dataclass(frozen=True)
class Known:
    path: str


@given(st.lists(paths.map(Known)), st.lists(st.tuples(st.one_of(paths, st.just(".")), codes)))
def test_what_lies_at_or_below_a_problem(known: Any, found: list[tuple[str, str]]) -> None:
    """A file or folder that cannot be read keeps what was at its path and below it; a page in trouble only itself; any
    other problem keeps nothing."""
    problems = [Problem(path=path, code=code, reason="") for path, code in found]
    kept = unreadable_now(problems, known, ["unreachable"])
    for number, problem in enumerate(problems):
        is_reading = problem.code in TROUBLE_READING
        expected = [
            document.path
            for document in known
            if problem.path in (".", document.path) or (is_reading and document.path.startswith(f"{problem.path}/"))
        ]
        if is_reading or problem.code == "unreachable":
            assert sorted(document.path for document in kept[number]) == sorted(expected)
        else:
            assert number not in kept
