"""Which file gets an id that several claim: nobody notices a file that they may not read."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.index.build.claims import Claim, find_losers
from rag_app.principal import NOBODY, PUBLIC, AccessRule, Principal, may_read
from tests.index.workbench import Workbench

EVE, ANA, BO = Principal("eve"), Principal("ana", ("board",)), Principal("bo", ("staff",))
BOARD = {"access_scope": "role", "allowed_roles": "[board]"}
STAFF = {"access_scope": "role", "allowed_roles": "[staff]"}
BOTH = {"access_scope": "role", "allowed_roles": "[board, staff]"}
PUBLIC_ = {"access_scope": "public"}

names = st.sets(st.sampled_from("abc"), min_size=1).map(lambda found: tuple(sorted(found)))
rules = st.one_of(
    st.sampled_from([PUBLIC, NOBODY]),
    st.builds(AccessRule, st.sampled_from(["role", "department"]), names),
    st.builds(AccessRule, st.just("private"), st.sampled_from("ab").map(lambda name: (name,))),
)
people = [
    Principal(user, roles, departments)
    for user in "abz"
    for roles in ((), ("a",), ("b", "c"))
    for departments in ((), ("a",), ("c",))
]


@given(rules, rules)
def test_covers(one: AccessRule, other: AccessRule) -> None:
    """A rule covers another only where everybody who may read under the other may read under it."""
    if one.covers(other):
        assert not [who for who in people if may_read(who, other) and not may_read(who, one)]


@given(st.lists(st.tuples(rules, st.booleans()), min_size=2, max_size=6))
def test_one_winner(files: list[tuple[AccessRule, bool]]) -> None:
    """Of files that claim one id all but one lose, to a file that is never one of fewer readers."""
    claims = [Claim("x", f"{number}.md", rule, known) for number, (rule, known) in enumerate(files)]
    losers = find_losers(claims)
    assert len(losers) == len(claims) - 1
    (winner,) = set(losers.values())
    for claim in claims:
        assert winner.rule.covers(claim.rule) or not claim.rule.covers(winner.rule)


def listed(bench: Workbench, who: Principal) -> list[tuple[str, str]]:
    reader = bench.open()
    try:
        return [(info.document_id, info.path) for info in reader.documents(who)]
    finally:
        reader.close()


@pytest.fixture
def guarded(bench: Workbench) -> Workbench:
    """An index under rules whose three documents everybody may read, not built."""
    bench.define("rules", '[access]\n"*.txt" = { access_scope = "public" }')
    for name in ("leave.md", "travel.md"):
        bench.write(name, f"Something about {name}.", **PUBLIC_)
    return bench


THEFTS: list[tuple[str, dict[str, Any]]] = [
    ("parking.md", BOARD),
    ("leave.txt", BOARD),
    ("aaa.md", {"document_id": "leave", **BOARD}),
    ("zzz.md", {"document_id": "leave", **BOARD}),
    ("aaa.md", {"document_id": "parking.txt", "access_scope": "private", "owner_user_id": "ana"}),
    ("aaa.md", {"document_id": "travel", "access_scope": "pubic"}),
]


@pytest.mark.parametrize("when", ["first", "later", "rebuild"])
@pytest.mark.parametrize(("name", "fields"), THEFTS)
def test_an_unreadable_file_takes_no_id(guarded: Workbench, name: str, fields: dict[str, Any], when: str) -> None:
    """A file that claims the id of a readable document, by its name or outright, changes nothing for outsiders."""
    if when != "first":
        guarded.build()
    guarded.write(name, "The secret plan.", **fields)
    report = guarded.build(rebuild=when == "rebuild")
    assert listed(guarded, EVE) == [("leave", "leave.md"), ("parking.txt", "parking.txt"), ("travel", "travel.md")]
    if "document_id" in fields:
        assert ("duplicate_id", name) in {(problem.code, problem.path) for problem in report.problems}
        assert not report.ok


def test_the_other_keeps_its_place_while_it_cannot_be_read(guarded: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document whose file cannot be opened at the moment loses its id to nobody of fewer readers."""
    guarded.build()
    guarded.write("aaa.md", "The secret plan.", document_id="leave", **BOARD)
    read_bytes = Path.read_bytes

    def failing(self: Path) -> bytes:
        if self.name == "leave.md":
            raise PermissionError(13, "Permission denied")
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", failing)
    guarded.build()
    assert ("leave", "leave.md") in listed(guarded, EVE)
    assert listed(guarded, ANA) == listed(guarded, EVE)


def test_more_readers_go_first(guarded: Workbench) -> None:
    """A file that more people may read takes an id from one of fewer readers, who see both."""
    guarded.write("a.md", "For the board.", document_id="x", **BOARD)
    guarded.build()
    guarded.write("b.md", "For board and staff.", document_id="x", **BOTH)
    guarded.build()
    assert ("x", "b.md") in listed(guarded, ANA)
    assert ("x", "b.md") in listed(guarded, BO)
    guarded.write("c.md", "For all.", document_id="x", **PUBLIC_)
    guarded.build()
    assert ("x", "c.md") in listed(guarded, EVE)


@pytest.mark.parametrize("rebuild", [False, True])
def test_between_files_without_a_common_reader_the_first_stays(guarded: Workbench, rebuild: bool) -> None:
    """Of files that no reader shares, the one in the index keeps its id, in a rebuild too."""
    guarded.write("m.md", "For the staff.", document_id="x", **STAFF)
    guarded.build()
    guarded.write("a.md", "For the board.", document_id="x", **BOARD)
    guarded.build(rebuild=rebuild)
    assert ("x", "m.md") in listed(guarded, BO)
    assert "x" not in dict(listed(guarded, ANA))


def test_the_order_of_files_is_no_matter(guarded: Workbench) -> None:
    """Whatever the names of the files, the same readers get the id; among equals the first path."""
    for order in permutations([BOARD, BOTH, PUBLIC_]):
        for name, fields in zip("abc", order, strict=True):
            guarded.write(f"{name}.md", f"Text of {fields}.", document_id="x", **fields)
        guarded.build(rebuild=True)
        assert dict(listed(guarded, EVE))["x"] == f"{'abc'[order.index(PUBLIC_)]}.md"


def test_two_files_of_the_same_readers(bench: Workbench) -> None:
    """Of two new files with one id the first by path is indexed; the report names both."""
    for name in ("b.md", "a.md"):
        bench.write(name, f"Text of {name}.", document_id="x")
    report = bench.build()
    (problem,) = report.problems
    assert (problem.path, problem.code) == ("b.md", "duplicate_id")
    assert "a.md" in problem.reason


def test_ids_of_another_normal_form_are_the_same_id(bench: Workbench) -> None:
    """An id that is written with combining letters is the id written with whole ones, in `supersedes` too."""
    bench.write("a.md", "Old.", document_id="caf\u00e9", title="Cafe")
    bench.write("b.md", "Other.", document_id="cafe\u0301")
    bench.write("c.md", "New.", document_id="new", title="New", supersedes="cafe\u0301")
    report = bench.build()
    assert [problem.code for problem in report.problems] == ["duplicate_id"]
    assert not any("Old" in found.text for found in searched(bench, "old text"))


def searched(bench: Workbench, question: str) -> list[Any]:
    from rag_app.opened import OpenIndex
    from rag_app.settings import load_settings

    return [found.node for found in OpenIndex(bench.open(), load_settings(), bench.embedder).search(question)]


def test_many_files_of_one_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are compared with each other, however many files have them: two thousand files that claim one id cost no
    more comparisons than two."""
    compared = 0
    covers = AccessRule.covers

    def counted(self: AccessRule, other: AccessRule) -> bool:
        nonlocal compared
        compared += 1
        return covers(self, other)

    monkeypatch.setattr(AccessRule, "covers", counted)
    claims = [Claim("dogs", f"d{number:04}.md", (PUBLIC, NOBODY)[number % 2], False) for number in range(2000)]
    assert len(find_losers(claims)) == 1999
    assert compared <= 8
