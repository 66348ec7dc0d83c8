"""Which statements of two documents contradict each other, and which only look as if they did."""

from decimal import Decimal
from typing import Any

import pytest
from llama_index.core.schema import NodeWithScore

from rag_app.answer import Answer, Trace
from rag_app.document import Document
from rag_app.synthesize.conflicts import with_conflicts
from rag_app.synthesize.evidence import Ledger, build_ledger, quote_of
from rag_app.synthesize.faithful.quantities import read_figures
from rag_app.text.nodes import SUPERSEDED_BY
from rag_app.text.passages import cut_passages
from tests.synthesize.test_validate import _node


def ledger_of(*documents: tuple[str, str] | tuple[str, str, dict[str, Any]]) -> Ledger:
    """The evidence of documents given as title, Markdown and further facts."""
    nodes = []
    for number, (title, text, *facts) in enumerate(documents):
        document = Document(f"d{number}", title, text, f"d{number}.md", f"d{number}.md", "", "markdown")
        for index, passage in enumerate(cut_passages(document)):
            node = _node(document, index)
            node.metadata.update({"section_path": list(passage.section)}, **dict(*facts))
            nodes.append(NodeWithScore(node=node))
    return build_ledger(nodes, lambda node: True, Trace())


def conflicts(*documents: Any) -> list[set[str]]:
    """Documents in conflict, where everything that the first one says is quoted."""
    ledger = ledger_of(*documents)
    quotes = [quote_of(e, s, 0) for e in ledger.evidence if e.document_id == "d0" for s in e.statements]
    shown, found = with_conflicts(quotes, ledger)
    assert all(quote in shown for conflict in found for quote in conflict.quotes)
    assert shown[: len(quotes)] == tuple(quotes)
    return [{quote.document_id for quote in conflict.quotes} for conflict in found]


LEAVE = "Full-time staff get 26 days of paid leave a year."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LEAVE, "Full-time staff get 24 days of paid leave a year."),
        (LEAVE, "A year has twenty-four days of paid leave for full-time staff."),
        ("Hotels in the city cost up to €140 a night.", "In the city hotels cost up to EUR 120 a night."),
        ("Parcels are stored for 3 days at the desk.", "Parcels at the desk are stored for a maximum of 2 days."),
        ("Samples stay in the cooler for 2 weeks.", "Samples stay in the cooler for 10 days."),
        ("The deposit for a bicycle is 20 %.", "The deposit for a bicycle is 25 percent."),
        ("Ships may do 3 knots in the basin of the dock.", "In the dock basin ships do 4 knots, and slower by night."),
        (
            "| Item | Guarantee | From |\n|---|---|---|\n| Spare parts | 18 months | delivery |",
            "Spare parts carry a guarantee period of 12 months from delivery.",
        ),
    ],
)
def test_conflict(one: str, other: str) -> None:
    """Different figures for the same thing in two documents are a conflict, whichever of them is quoted."""
    assert conflicts(("Handbook", one), ("Terms of guarantee", other)) == [{"d0", "d1"}]
    assert conflicts(("Terms of guarantee", other), ("Handbook", one)) == [{"d0", "d1"}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # the same figure, written differently
        ("The limit for a claim is 1,000 euros.", "The limit for a claim is 1000 euros."),
        ("The limit for a claim is €1 000.", "The limit for a claim is one thousand euros."),
        ("The limit for a claim is €1.000.", "The limit for a claim is €1000."),
        ("Claims for hotels close after 12 months.", "Claims for hotels close after 1 year."),
        ("Claims for hotels close after two weeks.", "Claims for hotels close after 14 days."),
        ("Claims for hotels close after a week.", "Claims for hotels close after 7 days."),
        # regions, roles, plans, conditions
        ("Staff in Norway get 25 days of leave.", "Staff in Portugal get 22 days of leave."),
        (LEAVE, "Part-time staff get 13 days of paid leave a year."),
        (LEAVE, "Full-time staff in training get 20 days of paid leave a year."),
        (LEAVE, "In their first year full-time staff get 20 days of paid leave a year."),
        ("Managers may approve claims up to €500.", "Directors may approve claims up to €5,000."),
        ("The basic plan stores backups for 7 days.", "The premium plan stores backups for 30 days."),
        ("The notice period for a room is 30 days.", "The notice period for a room in the annex is 60 days."),
        # minimum against maximum, and what lies within a limit
        ("Passwords have at least 12 letters in all.", "Passwords have at most 64 letters in all."),
        ("Leave of staff is at least 20 days a year.", "Leave of staff is 25 days a year."),
        ("Hotels for staff cost up to 140 euros.", "Hotels for staff cost 120 euros."),
        # other units, another frame of time, working days
        ("A session in the studio lasts 90 minutes.", "A session in the studio costs 90 euros."),
        ("Parking in the yard costs 5 euros a day.", "Parking in the yard costs 60 euros a month."),
        ("Claims for hotels close after 5 working days.", "Claims for hotels close after 7 days."),
        ("Filters are changed in the plant after 2 years.", "Filters are changed in the plant every 3 years."),
        # several figures in one clause, dates, numbers without a unit
        ("The notice for rooms was 20 days and is now 30 days.", "The notice for rooms is 20 days."),
        ("The rules for rooms changed on 1 May 2023.", "The rules for rooms changed on 1 May 2024."),
        ("The rules for rooms changed on 3 May 2024.", "The rules for rooms changed on 5 May 2023."),
        ("The rules for guests are in room 5 downstairs.", "The rules for guests are in room 7 downstairs."),
        ("The rules for guests stand in Chapter 7 alone.", "The rules for guests stand in Chapter 8 alone."),
        ("Form 7 of the desk is for rooms.", "Form 9 of the desk is for rooms."),
        # another thing
        ("Books for the library cost up to €60.", "Chairs for the library cost up to €90."),
        ("Bed and breakfast in the hall cost €80.", "A breakfast bag in the hall costs €12."),
    ],
)
def test_no_conflict(one: str, other: str) -> None:
    """What differs in region, role, plan, condition, limit, unit or time, or only in how it is written, is none."""
    assert conflicts(("Handbook", one), ("Terms of guarantee", other)) == []
    assert conflicts(("Terms of guarantee", other), ("Handbook", one)) == []


SHORT, LONG = "The notice period of staff is 30 days.", "The notice period of staff is 60 days."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Supplement for Norway", SHORT), ("Supplement for Portugal", LONG)),
        (("Charges 2023", SHORT), ("Charges 2025", LONG)),
        (("Contracts", f"## Trainees on pay\n\n{SHORT}"), ("Rules", f"## Managers on pay\n\n{LONG}")),
        (("Handbook", SHORT), ("Rules of Norway", f"{LONG} It is paid in Norway.")),
        (("Use of the kiln", f"A kiln is hot. {SHORT}"), ("Loom sessions", f"Every loom has a brake. {LONG}")),
    ],
)
def test_titles_and_headings_set_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    """The same words under titles or headings that speak of different cases are no conflict."""
    assert conflicts(one, other) == []
    assert conflicts(other, one) == []


def test_one_title_alone_sets_nothing_apart() -> None:
    """Where one document says the same under its subject and the other is general, the conflict is shown."""
    kiln = ("Use of the kiln", f"A kiln is hot. {SHORT}")
    assert conflicts(kiln, ("Handbook", f"Everybody reads this. {LONG}")) == [{"d0", "d1"}]


def test_superseded_is_no_conflict() -> None:
    """What was superseded contradicts nothing, quoted or not."""
    old = ("Handbook", SHORT, {SUPERSEDED_BY: ["d1", "Terms"]})
    assert conflicts(("Terms", LONG), old) == []
    assert conflicts(old, ("Terms", LONG)) == []


def test_one_document_contradicts_nobody() -> None:
    """Two figures within one document are no conflict, and neither is a third document's with one of them."""
    both = ("Handbook", f"## Old contracts\n\n{SHORT}\n\n## New contracts\n\n{LONG}")
    assert conflicts(both) == []
    assert conflicts(both, ("Terms", LONG)) == []
    assert conflicts(("Terms", LONG), both) == []


def test_three_documents() -> None:
    """All documents that contradict a quote stand in one conflict."""
    third = "The notice period of staff is 90 days."
    assert conflicts(("Handbook", SHORT), ("Terms", LONG), ("Contract", third)) == [{"d0", "d1", "d2"}]


def test_shown() -> None:
    """A conflict is shown with both statements, titles and dates, and what it is about."""
    ledger = ledger_of(("Handbook", SHORT, {"effective_date": "2024-01-01"}), ("Terms", LONG))
    quotes = [quote_of(ledger.evidence[0], ledger.evidence[0].statements[0], 0)]
    shown, found = with_conflicts(quotes, ledger)
    answer = Answer("How long is the notice?", "grounded", shown, conflicts=found)
    assert found[0].about == "notice staff"
    for text in (str(answer), answer._repr_html_()):
        for part in ("disagree about notice staff", "Handbook", "2024-01-01", "30 days", "Terms", "no date", "60 days"):
            assert part in text


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("at least 1,250.50 euros", [(("1250.50",), "money EUR", "min")]),
        ("€5 a day", [(("5",), "money EUR per day", "")]),
        ("no more than twenty-five items", [(("25",), "count item", "max")]),
        ("two hundred boxes", [(("200",), "count box", "")]),
        ("every 6 months", [((str(6 * 2_629_800),), "time interval", "")]),
        ("on 3 May 2024 at 7:15, see 4.2.1 or 12/13, ISO 9001 and A4", []),
        ("2.000 kg", [(("2000", "2.000"), "count kg", "")]),
        ("1 and 2", []),
        ("Chapter 7 describes it, room 5 seats 12 guests, and page 12 shows how", [(("12",), "count guest", "")]),
        ("From May 2024 employees pay 3 euros", [(("3",), "money EUR", "")]),
        ("it may take 3 months", [((str(3 * 2_629_800),), "time", "")]),
    ],
)
def test_figures(text: str, figures: list[Any]) -> None:
    """Figures are read with what they count; dates, times, numberings and bare numbers are passed over."""
    wanted = [(tuple(map(Decimal, values)), kind, bound) for values, kind, bound in figures]
    assert [(figure.values, figure.kind, figure.bound) for figure in read_figures(text)] == wanted
