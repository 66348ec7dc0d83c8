"""How well passages are found, by the field's names and through ir-measures, for documents and for passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rag_app.document import Document
from rag_app.errors import SetupError
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.measures.scoring import facts_found, shown_text
from rag_app.evaluate.measures.statistics import Interval, share_interval
from rag_app.evaluate.run.row import Place, Row
from rag_app.text.passages import cut_passages

if TYPE_CHECKING:
    from rag_app.opened import OpenIndex

MEASURES = ("R@3", "R@10", "RR", "nDCG@10")
"""Recall of the first so many, reciprocal rank of the first right one, normalised discounted gain."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The mean of one measure over questions."""

    mean: float
    interval: Interval
    questions: int
    """Questions that it rests on: those that name what is right, failed and missing ones left out."""
    groups: int
    """Groups of documents that these are about."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Measures by their names in ir-measures.

    A question that was asked and for which nothing was found counts as 0; one that was not asked, or that failed, has
    no ranking and is left out.
    """

    documents: Mapping[str, Measured]
    """Right are the documents that must be cited; a ranking of passages names each document once."""
    passages: Mapping[str, Measured]
    """Right are the passages of these documents in which a fact of the question stands. Questions without facts are
    left out."""

    def __repr__(self) -> str:
        levels = {"documents": self.documents, "passages": self.passages}
        lines = (f"{name} of {level}: {m.mean:.3f}" for level, found in levels.items() for name, m in found.items())
        return f"<Retrieval {', '.join(lines)}>"


def check_installed() -> None:
    """Raises SetupError where the extra that brings ir-measures is not installed: better before an hour of asking."""
    if find_spec("ir_measures") is None:
        raise SetupError('Evaluation needs an extra that is not installed: run `pip install "rag_app[eval]"`.')


def measures(
    cases: Iterable[Case],
    rankings: Mapping[str, Sequence[Place]],
    relevant: Mapping[str, Iterable[Place]],
    names: Sequence[str] = MEASURES,
    groups: Mapping[str, str] | None = None,
) -> Retrieval:
    """The measures over all questions that name documents to be cited and have a ranking.

    Args:
        rankings: passages as they were retrieved, best first, by the id of the case; see `rankings_of`.
        relevant: the passages that hold a fact, by the id of the case; see `relevant_passages`.
        names: measures as ir-measures writes them.
        groups: of the documents that each case is about; see `cases.groups`.
    """
    cases = [case for case in cases if case.expected_documents and case.id in rankings]
    wanted = {case.id: set(case.expected_documents) for case in cases}
    ranked = {case.id: _documents(rankings[case.id]) for case in cases}
    places = {case.id: found for case in cases if (found := {place.name for place in relevant.get(case.id, ())})}
    found = {key: [place.name for place in rankings[key]] for key in places}
    return Retrieval(_measure(wanted, ranked, names, groups), _measure(places, found, names, groups))


def rankings_of(rows: Iterable[Row]) -> dict[str, tuple[Place, ...]]:
    """The ranking of each question in its first run that did not fail; none for one that never got through."""
    found: dict[str, tuple[Place, ...]] = {}
    for row in rows:
        if row.outcome != "error":
            found.setdefault(row.case_id, row.retrieved)
    return found


def relevant_passages(cases: Iterable[Case], index: "OpenIndex") -> dict[str, tuple[Place, ...]]:
    """For each case the passages of its expected documents, in an index, in which one of its facts stands."""
    cases = list(cases)
    with index.reader.snapshot() as view:
        everything = frozenset(view.rules())  # the judge reads all of it, independent of the asker
        ids = {document_id for case in cases for document_id in case.expected_documents}
        documents = {key: document for key in ids if (document := view.document(key, everything))}
    cut = {key: _passages(document, index) for key, document in documents.items()}
    return {
        case.id: tuple(
            place
            for document_id in case.expected_documents
            for place, text in cut.get(document_id, ())
            if any(facts_found(case, text))
        )
        for case in cases
    }


def passage_texts(places: Iterable[Place], index: "OpenIndex") -> dict[str, dict[str, str]]:
    """Title and text of passages of an index, by `Place.name`; those of documents that are gone are left out."""
    places = dict.fromkeys(places)
    with index.reader.snapshot() as view:
        everything = frozenset(view.rules())
        documents = {key: view.document(key, everything) for key in {place.document_id for place in places}}
    return {
        place.name: {"title": document.title, "text": document.text[place.start : place.end]}
        for place in places
        if (document := documents[place.document_id])
    }


def _passages(document: Document, index: "OpenIndex") -> list[tuple[Place, str]]:
    knobs = index.settings
    passages = cut_passages(document, target_words=knobs.target_words, overlap_statements=knobs.overlap_statements)
    return [
        (
            Place(document.document_id, passage.start, passage.end),
            shown_text(
                ([document.text[a:b] for a, b in statement.lead_in], document.text[statement.start : statement.end])
                for statement in passage.statements
            ),
        )
        for passage in passages
    ]


def documents_by_question(
    expected: Mapping[str, Iterable[str]], rankings: Mapping[str, Sequence[Place]], names: Sequence[str] = MEASURES
) -> dict[str, dict[str, float]]:
    """For each measure what each question has, by the id of its case, for comparisons in pairs.

    Args:
        expected: ids of the documents that must be cited, by the id of the case; cases without any are left out.
        rankings: as in `measures`; cases without one are left out.
    """
    wanted = {key: set(ids) for key, ids in expected.items() if ids and key in rankings}
    return _by_question(wanted, {key: _documents(rankings[key]) for key in wanted}, names)


def _measure(
    wanted: Mapping[str, set[str]],
    ranked: Mapping[str, Sequence[str]],
    names: Sequence[str],
    groups: Mapping[str, str] | None,
) -> dict[str, Measured]:
    measured = {}
    for name, found in _by_question(wanted, ranked, names).items():
        if found:
            about = [key if groups is None else groups[key] for key in found]
            values = list(found.values())
            interval = share_interval(values, groups=about)
            measured[name] = Measured(sum(values) / len(values), interval, len(values), len(set(about)))
    return measured


def _by_question(
    wanted: Mapping[str, set[str]], ranked: Mapping[str, Sequence[str]], names: Sequence[str]
) -> dict[str, dict[str, float]]:
    check_installed()
    import ir_measures

    values: dict[str, dict[str, float]] = {name: {} for name in names}
    if not wanted:
        return values
    qrels = {key: dict.fromkeys(sorted(right), 1) for key, right in wanted.items()}
    # Ranks as scores. A question for which nothing was found still counts: its one entry is never right.
    run = {
        key: {name: -float(rank) for rank, name in enumerate(found)} or {"(nothing)": 0.0}
        for key, found in ranked.items()
    }
    asked = [ir_measures.parse_measure(name) for name in names]
    for metric in sorted(ir_measures.iter_calc(asked, qrels, run), key=lambda metric: metric.query_id):
        values[str(metric.measure)][metric.query_id] = float(metric.value)
    return values


def _documents(ranking: Sequence[Place]) -> list[str]:
    return list(dict.fromkeys(place.document_id for place in ranking))
