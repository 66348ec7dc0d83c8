"""Which documents are in force on a day, for whom, and how a superseded one can still be asked for."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.index.versions import Dated, NotInForce, Superseded, find_superseded
from rag_app.opened import OpenIndex
from rag_app.principal import Principal
from rag_app.settings import load_settings
from tests.index.workbench import Workbench

pytestmark = pytest.mark.usefixtures("answers_always")

ASKED = "How many days of holiday does everybody get?"


def opened(bench: Workbench) -> OpenIndex:
    return OpenIndex(bench.open(), load_settings(cross_encoder="none", gate_threshold=-1.0), bench.embedder)


def ask(bench: Workbench, question: str, who: Principal | None = None, as_of: date | None = None) -> dict[str, str]:
    """Texts cited by document, and what each is superseded by, on the day."""
    engine = opened(bench).as_query_engine(principal=who)
    answer = engine.query(question, as_of=as_of).answer  # pyright: ignore
    return {quote.document_id: quote.superseded_by or "" for quote in answer.quotes}


def rules(bench: Workbench) -> None:
    """Three generations of a rule: 2021 and 2023, and the one of 2025."""
    bench.define("rules")
    for year, days, old in ((2021, 20, ""), (2023, 22, "leave-2021"), (2025, 30, "leave-2023")):
        fields = {"supersedes": old} if old else {}
        title = f"Leave rules {year}" if year < 2025 else "Leave rules"
        bench.write(
            f"{year}.md",
            f"Everybody gets {days} days of holiday a year.",
            document_id=f"leave-{year}",
            title=title,
            effective_date=f"{year}-01-01",
            access_scope="public" if year < 2025 else "role",
            **({} if year < 2025 else {"allowed_roles": "[staff]"}),
            **fields,
        )


STAFF, OUTSIDER = Principal("ana", ("staff",)), Principal("eve")


def test_in_force_today(bench: Workbench) -> None:
    """By default a question is answered from what is in force today."""
    rules(bench)
    bench.build()
    assert ask(bench, ASKED, STAFF) == {"leave-2025": ""}


@pytest.mark.parametrize(
    ("day", "cited"), [("2024-05-01", "leave-2023"), ("2022-05-01", "leave-2021"), ("2025-01-01", "leave-2025")]
)
def test_as_of(bench: Workbench, day: str, cited: str) -> None:
    """A question as of a day is answered from what was in force then, the first day included."""
    rules(bench)
    bench.build()
    assert ask(bench, ASKED, STAFF, date.fromisoformat(day)) == {cited: ""}


def test_before_everything(bench: Workbench) -> None:
    """As of a day before any document, nothing is found."""
    rules(bench)
    (bench.documents / "leave.md").unlink()
    (bench.documents / "travel.md").unlink()
    (bench.documents / "parking.txt").unlink()
    bench.build()
    answer = opened(bench).as_query_engine(principal=STAFF).query(ASKED, as_of=date(2019, 1, 1)).answer  # pyright: ignore
    assert (answer.status, answer.reason) == ("insufficient_evidence", "nothing_found")
    assert answer.trace.retrieved == []


def test_later_date(bench: Workbench) -> None:
    """A document of a later date is no answer yet, and supersedes nothing yet."""
    tomorrow = (date.today() + timedelta(days=2)).isoformat()
    bench.write("leave.md", "Everybody gets 25 days of holiday.", document_id="now", title="Leave")
    fields = {"document_id": "next", "title": "Leave", "effective_date": tomorrow, "supersedes": "now"}
    bench.write("next.md", "Everybody gets 28 days of holiday.", **fields)
    bench.build()
    assert "next" not in ask(bench, ASKED)
    assert "now" in ask(bench, ASKED)
    assert ask(bench, ASKED, as_of=date.today() + timedelta(days=2)).keys() & {"now", "next"} == {"next"}


def test_superseded_by_the_unreadable(bench: Workbench) -> None:
    """For an asker who may not read its successor a document is in force, and nothing tells that there is another."""
    rules(bench)
    bench.build()
    assert ask(bench, ASKED, OUTSIDER) == {"leave-2023": ""}
    engine = opened(bench).as_query_engine(principal=OUTSIDER)
    answer = engine.query("How many days of holiday by the leave rules 2021?").answer  # pyright: ignore
    superseded = {quote.document_id: quote.superseded_by for quote in answer.quotes}
    assert superseded["leave-2021"] == "Leave rules 2023"
    assert "2025" not in str(answer.as_dict())


def test_asked_for_by_name(bench: Workbench) -> None:
    """A superseded document that the question names by its year may be cited, and is named as superseded."""
    rules(bench)
    bench.build()
    engine = opened(bench).as_query_engine(principal=STAFF)
    answer = engine.query("How many days of holiday did the leave rules of 2023 give?").answer  # pyright: ignore
    cited = {quote.document_id: quote.superseded_by for quote in answer.quotes}
    assert cited["leave-2023"] == "Leave rules"
    assert "leave-2021" not in cited
    assert "superseded by “Leave rules”" in str(answer)
    assert "superseded by" in answer._repr_html_()


def test_documents_names_what_may_be_read(bench: Workbench) -> None:
    """The list of documents names of what is superseded only what the asker may read."""
    bench.define("rules")
    bench.write("old.md", "Old.", access_scope="role", allowed_roles="[staff]")
    bench.write("new.md", "New.", access_scope="public", supersedes="[old, lost]")
    bench.build()
    listed = {info.document_id: info.supersedes for info in bench.open().documents(OUTSIDER)}
    assert listed == {"new": ()}
    assert bench.open().documents(STAFF)[0].supersedes == ("old",)


def chain(*edges: tuple[str, str]) -> dict[str, str]:
    """Who stands for whom, given pairs of new and old."""
    names = sorted({name for edge in edges for name in edge})
    documents = [
        Dated(number, name, name.upper(), None, tuple(old for new, old in edges if new == name))
        for number, name in enumerate(names)
    ]
    return {names[doc]: found.successor_id for doc, found in find_superseded(documents).items()}


def test_chains_and_circles() -> None:
    """The end of a chain stands for all of it; a circle and a reference to oneself say nothing."""
    assert chain(("c", "b"), ("b", "a")) == {"a": "c", "b": "c"}
    assert chain(("a", "a")) == {}
    assert chain(("a", "b"), ("b", "a")) == {}
    assert chain(("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")) == {"a": "d"}
    assert chain(("a", "b"), ("b", "a"), ("a", "x")) == {"x": "a"}
    assert chain(("b", "a"), ("c", "a")) == {"a": "c"}
    long = [(f"{n + 1:05}", f"{n:05}") for n in range(3000)]
    assert set(chain(*long).values()) == {"03000"}


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_something_stays_in_force(edges: list[tuple[int, int]]) -> None:
    """Whatever documents say about each other, what stands for a superseded one is itself in force."""
    pairs = [(f"d{new}", f"d{old}") for new, old in edges]
    found = chain(*pairs)
    assert not set(found.values()) & set(found)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did the 2023 rules say?", True),
        ("What do the rules say?", False),
        ("What do the leave rules say about 20 days?", False),
        ("What did the rules of 2024 say?", False),
    ],
)
def test_naming_by_a_number(question: str, named: bool) -> None:
    """A number that only the superseded title has names it; no other word or number does."""
    not_in_force = NotInForce(superseded={7: Superseded("Leave rules 2023", "new", "Leave rules")})
    assert (not_in_force.left_out(question) == frozenset()) == named


def test_naming_by_words() -> None:
    """Without a number all words that tell the titles apart are needed; equal titles cannot be distinguished."""
    old = Superseded("Mooring and anchoring rates", "new", "Schedule of rates")
    assert NotInForce(superseded={7: old}).left_out("What are the rates for mooring?") == {7}
    assert NotInForce(superseded={7: old}).left_out("What did the rates for anchoring and mooring say?") == frozenset()
    same = Superseded("Rates", "new", "Rates")
    assert NotInForce(superseded={7: same}).left_out("What are the rates?") == {7}
