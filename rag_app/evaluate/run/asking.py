"""Asks one question as its principal, through the real engine, and makes a row of what comes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rag_app.answer import Answer, Hit, Trace
from rag_app.engine import IndexParts, build_query_engine
from rag_app.errors import DefinitionError, RecordingMissing, SetupError
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.measures.scoring import evidence_delivered, plain, right_retrieved, score, shown_text
from rag_app.evaluate.run.row import Outcome, Place, QuotedRow, Row
from rag_app.index.definition import load_principals
from rag_app.principal import Principal
from rag_app.text.nodes import node_statements, slice_of

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

    from rag_app.evaluate.cases.suite import Suite

ModelFor = Callable[[Case, int], "LLM | None"]
"""The language model that is asked in a case and a run (from 1); None: none is."""
_OUTCOMES: Mapping[str, Outcome] = {
    "grounded": "answered",
    "insufficient_evidence": "refused",
    "ungrounded": "ungrounded",
}


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the questions of a suite of one index. Thread-safe."""

    index: IndexParts
    principals: Mapping[str, Principal]
    models: ModelFor
    as_of: date
    """The day whose documents in force are asked."""

    def ask(self, case: Case, run: int) -> Row:
        """One question, asked once. Whatever fails becomes a row that says so.

        Raises:
            SetupError: nothing can be asked before somebody puts it right.
        """
        principal = self.principals[case.as_name] if case.as_name else None
        started = perf_counter()
        try:
            engine = build_query_engine(self.index, principal=principal, llm=self.models(case, run))
            answer = engine.query(case.question, as_of=self.as_of).answer
        except Exception as error:
            if isinstance(error, SetupError) and not isinstance(error, RecordingMissing):
                raise
            milliseconds = {"total": round(1000 * (perf_counter() - started), 3)}
            return Row(
                **_who(case, run),
                outcome="error",
                error=f"{type(error).__name__}: {error}",
                milliseconds=milliseconds,
            )
        return self._row(case, run, principal, answer)

    def _row(self, case: Case, run: int, principal: Principal | None, answer: Answer) -> Row:
        trace = answer.trace
        mentioned = trace.document_ids | {quote.document_id for quote in answer.quotes}
        forbidden = mentioned - self.index.reader.readable_among(mentioned, principal)
        return Row(
            **_who(case, run),
            outcome=_OUTCOMES[answer.status],
            reason=answer.reason,
            score=score(case, answer),
            quotes=tuple(
                QuotedRow(
                    quote.document_id,
                    quote.title,
                    quote.start,
                    quote.end,
                    plain(" ".join((*(line.text for line in quote.lead_in), quote.text))),
                    quote.part,
                )
                for quote in answer.quotes
            ),
            retrieved=_places(trace.retrieved),
            kept=_places(trace.kept),
            numbers={name: round(value, 6) for name, value in trace.numbers.items()},
            warnings=tuple(trace.warnings),
            degraded=trace.degraded,
            model_calls=trace.model_calls,
            input_tokens=trace.input_tokens,
            output_tokens=trace.output_tokens,
            tokens_estimated=trace.tokens_estimated,
            milliseconds={name: round(value, 3) for name, value in trace.milliseconds.items()},
            right_retrieved=right_retrieved(case, {hit.document_id for hit in trace.retrieved}),
            evidence_delivered=evidence_delivered(case, self._evidence(case, trace)),
            forbidden=tuple(sorted(forbidden)),
        )

    def _evidence(self, case: Case, trace: Trace) -> str:
        """The statements of right documents that reached the evidence, as the rules of scoring see them."""
        right = {*case.expected_documents, *case.also_right}
        with self.index.reader.snapshot() as view:
            keys = [view.passage_at(hit.document_id, hit.start) for hit in trace.kept if hit.document_id in right]
            nodes = view.nodes([key for key in keys if key is not None]).values()
        return shown_text(
            ([slice_of(node, span) or "" for span in one.lead_in], slice_of(node, (one.start, one.end)) or "")
            for node in nodes
            for one in node_statements(node)
        )


def principals_of(suite: "Suite", index: IndexParts, cases: Sequence[Case] | None = None) -> dict[str, Principal]:
    """Who asks, by name: from the principals.json beside the questions, else from that of the index.

    Args:
        cases: those of the suite that are asked; left out, all.

    Raises:
        UsageError: a question is asked as somebody, and there is no principals.json.
        DefinitionError: a question is asked as somebody whom the file does not know.
    """
    asking = {case.as_name for case in (suite.cases if cases is None else cases) if case.as_name}
    if not asking:
        return {}
    folder = suite.folder if (suite.folder / "principals.json").is_file() else index.reader.definition.path
    known = load_principals(folder)
    if unknown := sorted(asking - known.keys()):
        raise DefinitionError(f"{suite.path} asks as {unknown[0]!r}, whom principals.json does not know.")
    return known


def _who(case: Case, run: int) -> dict[str, Any]:
    return {
        "case_id": case.id,
        "category": case.category,
        "split": case.split,
        "question": case.question,
        "as_name": case.as_name,
        "run": run,
    }


def _places(hits: list[Hit]) -> tuple[Place, ...]:
    return tuple(Place(hit.document_id, hit.start, hit.end) for hit in hits)
