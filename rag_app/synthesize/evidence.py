"""Where access is checked again: permitted nodes become a ledger of numbered evidence made of statements.

Until here LlamaIndex nodes are passed on, from here on only the types of this module.

A node passes if `may_cite` says so, asked at this
moment: what the retriever was allowed to find may have been withdrawn since. Statements get their label here, once for
the whole turn; a statement that two passages share has one label, and the same words at two places have two.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.schema import BaseNode, NodeWithScore

from rag_app.answer import LeadIn, Quote, Trace
from rag_app.document import Span
from rag_app.text.nodes import (
    COSINE,
    GATE_OFF,
    SUPERSEDED_BY,
    UNGATED,
    WINDOWS,
    drop_of,
    hit_of,
    node_start,
    node_statements,
    node_text,
    slice_of,
)

MayCite = Callable[[BaseNode], bool]
"""Whether the asker may be shown this node, as things are now."""


@dataclass(frozen=True, slots=True)
class MayCiteTogether:
    """A `MayCite` that is asked about many nodes at once, at one moment."""

    each: Callable[[Sequence[BaseNode]], list[bool]]

    def __call__(self, node: BaseNode) -> bool:
        return self.each([node])[0]


@dataclass(frozen=True, slots=True)
class EvidenceStatement:
    """One statement that can be chosen."""

    label: str
    """`2.3` is the third statement of the second passage."""
    kind: str
    text: str
    start: int
    end: int
    lead_in: tuple[LeadIn, ...] = ()
    lead_out: tuple[LeadIn, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage of the ledger."""

    number: int
    """From 1, in the order of the ranking."""
    node: NodeWithScore = field(repr=False)
    """Where it came from; handed back as a source node when it is cited."""
    document_id: str
    title: str
    section: tuple[str, ...]
    page: int | None
    source: str
    version: str | None
    effective_date: str | None
    retrieved: str | None
    """For a page of the web, when it was retrieved."""
    superseded_by: str | None
    published: str | None
    path: str | None
    start: int
    text: str
    statements: tuple[EvidenceStatement, ...]
    cosine: float | None
    """Of the passage to the whole question."""
    windows: tuple[tuple[int, int, int, float], ...]
    """What a cross-encoder read here: first and last statement (indexes), part of the question, logit."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """All evidence of one turn."""

    evidence: tuple[Evidence, ...]
    ranked: dict[object, list[Any]] = field(default_factory=dict, compare=False, repr=False)
    """What the path without a model ranked once, which looks at a ledger up to three times."""

    def find(self, label: str) -> tuple[Evidence, EvidenceStatement] | None:
        """The statement with that label; None where there is none."""
        number, dot, _ = label.partition(".")
        most = len(self.evidence)
        # By its length first: Python reads no number of thousands of digits.
        if not dot or not number.isdecimal() or len(number) > len(str(most)) or not 1 <= int(number) <= most:
            return None
        evidence = self.evidence[int(number) - 1]
        for statement in evidence.statements:
            if statement.label == label:
                return evidence, statement
        return None


def build_ledger(
    nodes: Sequence[NodeWithScore], may_cite: MayCite, trace: Trace, before: Ledger = Ledger(())
) -> Ledger:
    """The ledger of the nodes that may be cited, in their order, behind what already stands in the ledger `before`."""
    ledger = list(before.evidence)
    seen = {(e.document_id, (s.start, s.end)) for e in before.evidence for s in e.statements}
    texts = [found.node for found in nodes]
    allowed = may_cite.each(texts) if isinstance(may_cite, MayCiteTogether) else list(map(may_cite, texts))
    for found, is_allowed in zip(nodes, allowed, strict=True):
        if not is_allowed:
            trace.remove_documents({hit_of(found).document_id})
            continue
        if found.node.metadata.get(UNGATED):
            trace.warn(GATE_OFF, degrades=True)  # in a third-party engine the gate itself has no trace to say so
        evidence = _evidence(len(ledger) + 1, found, seen)
        if evidence.statements:
            ledger.append(evidence)
            trace.kept.append(hit_of(found))
        else:
            trace.dropped.append(drop_of(found, "evidence", "no statement that an earlier passage does not hold"))
    return Ledger(tuple(ledger))


def _evidence(number: int, found: NodeWithScore, seen: set[tuple[str, Span]]) -> Evidence:
    node = found.node
    facts = node.metadata
    document_id = str(facts.get("document_id") or node.ref_doc_id or node.node_id)
    base, text = node_start(node), node_text(node)
    statements: list[EvidenceStatement] = []
    kept: list[int] = []
    for index, statement in enumerate(node_statements(node)):
        span = (statement.start, statement.end)
        inside = base <= statement.start < statement.end <= base + len(text)
        if not inside or (document_id, span) in seen:
            continue
        seen.add((document_id, span))
        kept.append(index)
        statements.append(
            EvidenceStatement(
                label=f"{number}.{len(statements) + 1}",
                kind=statement.kind,
                text=text[statement.start - base : statement.end - base],
                start=statement.start,
                end=statement.end,
                lead_in=_lines(node, statement.lead_in),
                lead_out=_lines(node, statement.lead_out),
            )
        )
    place = {index: new for new, index in enumerate(kept)}
    return Evidence(
        number=number,
        node=found,
        document_id=document_id,
        title=str(facts.get("title") or facts.get("file_name") or document_id),
        section=_headings(facts.get("section_path")),
        page=page if isinstance(page := facts.get("page"), int) else None,
        source=str(facts.get("source") or facts.get("file_path") or facts.get("file_name") or document_id),
        version=_as_text(facts.get("version")),
        effective_date=_as_text(facts.get("effective_date")),
        retrieved=_as_text(facts.get("retrieved")),
        superseded_by=(facts.get(SUPERSEDED_BY) or [None, None])[1],
        published=_as_text(facts.get("published")),
        path=_as_text(facts.get("path")),
        start=base,
        text=text,
        statements=tuple(statements),
        cosine=facts.get(COSINE),
        windows=tuple(
            (place[first], place.get(last, place[first]), part, logit)
            for first, last, part, logit in facts.get(WINDOWS, ())
            if first in place
        ),
    )


def _lines(node: BaseNode, places: tuple[Span, ...]) -> tuple[LeadIn, ...]:
    return tuple(LeadIn(line, *place) for place in places if (line := slice_of(node, place)) is not None)


def _headings(path: Any) -> tuple[str, ...]:
    return tuple(str(heading) for heading in path) if isinstance(path, (list, tuple)) else ()


def _as_text(fact: Any) -> str | None:
    """A fact as text: a third-party reader may leave a number or a date where ours leave text."""
    return None if fact is None else str(fact)


def quote_of(evidence: Evidence, statement: EvidenceStatement, part: int) -> Quote:
    """A statement of the ledger as a quote that answers part `part` of the question."""
    return Quote(
        text=statement.text,
        document_id=evidence.document_id,
        title=evidence.title,
        section=evidence.section,
        page=evidence.page,
        start=statement.start,
        end=statement.end,
        source=evidence.source,
        version=evidence.version,
        effective_date=evidence.effective_date,
        superseded_by=evidence.superseded_by,
        path=evidence.path,
        part=part,
        lead_in=statement.lead_in,
        lead_out=statement.lead_out,
        kind=statement.kind,
        markup="markdown" if evidence.node.node.metadata.get("markup") == "markdown" else "plain",
        context=evidence.text,
        context_start=evidence.start,
        retrieved=evidence.retrieved,
        published=evidence.published,
    )
