"""Cases of the web search benchmark: a message, and what must hold of any honest search for it.

Only stable properties are expected, never a headline: the same cases are asked live, where the news change, and
replayed from recordings.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from rag_app.answer import WebVerdict
from rag_app.errors import DefinitionError

CATEGORIES = ("collision", "common_word", "public_figure", "control", "concept", "international", "not_for_search")
CASES = "cases.jsonl"


@dataclass(frozen=True, slots=True)
class SearchCase:
    """One message and what is expected of its look-up."""

    id: str
    region: str
    """Code of the region's profile that it is asked under."""
    category: str
    message: str
    allowed: bool = True
    """Whether it may be searched at all; False for what is no legitimate question."""
    is_local: bool = True
    """Whether it is about the region: then every query names the region, and a page of it must be found."""
    entity: tuple[str, ...] = ()
    """Of these terms each used result must hold one."""
    never: tuple[str, ...] = ()
    """Terms of a namesake: no used result may have one in its title."""
    query_has: tuple[str, ...] = ()
    """Words that every query keeps, in whatever letter case."""
    verdicts: tuple[WebVerdict, ...] = ("clean",)
    """What the look-up may end with on the live web. A recording that shows a failing search expects more by itself."""
    needs_model: bool = False
    """Whether only a language model can tell that this may not be searched; the rules of a region let it pass."""
    why: str = ""


def load_search_cases(folder: Path, region: str) -> list[SearchCase]:
    """The cases for a region, in `FOLDER/REGION/cases.jsonl`.

    Raises:
        DefinitionError: there is no such file, or a line of it is wrong; the message names file and line.
    """
    file = folder / region / CASES
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError as error:
        raise DefinitionError(f"The cases {file} cannot be read: {error.strerror}.", path=str(file)) from error
    cases: dict[str, SearchCase] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = _case(json.loads(line), region)
            if case.id in cases:
                raise ValueError(f"the id {case.id!r} is there twice")
        except (ValueError, KeyError, TypeError) as error:
            raise DefinitionError(f"{file}, line {number}: {error}.", path=str(file), line=number) from error
        cases[case.id] = case
    return list(cases.values())


def _case(fields: Mapping[str, Any], region: str) -> SearchCase:
    known = {"id", "category", "message", "allowed", "is_local", "entity", "never", "query_has", "verdicts",
             "needs_model", "why"}  # fmt: skip
    if unknown := sorted(set(fields) - known):
        raise ValueError(f"unknown field {unknown[0]!r}")
    if fields["category"] not in CATEGORIES:
        raise ValueError(f"category {fields['category']!r} must be one of {', '.join(CATEGORIES)}")
    verdicts = tuple(fields.get("verdicts", ("clean",)))
    if not verdicts or not set(verdicts) <= set(get_args(WebVerdict)):
        raise ValueError(f"verdicts must be of {', '.join(get_args(WebVerdict))}")
    texts = {name: tuple(fields.get(name, ())) for name in ("entity", "never", "query_has")}
    rest = {name: fields[name] for name in ("allowed", "is_local", "needs_model", "why") if name in fields}
    return SearchCase(fields["id"], region, fields["category"], fields["message"], verdicts=verdicts, **texts, **rest)
