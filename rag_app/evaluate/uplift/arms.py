"""The arms of an uplift evaluation: the model alone, with an index, and with an index and every enhancement.

All answer in prose of the same model, under the same instructions and the same limit: what differs is the evidence, the
quotes that the engine found. Where the engine refuses, the arm does not know; see docs/design/uplift.md.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag_app.answer import Answer, Quote
from rag_app.engine import IndexParts, build_query_engine
from rag_app.errors import ModelReplyEmpty, RecordingMissing, SetupError
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.measures.scoring import score
from rag_app.evaluate.uplift.uplift_row import DONT_KNOW, ArmRow, Source
from rag_app.llm import ModelCall, call_llm
from rag_app.opened import OpenIndex
from rag_app.principal import Principal
from rag_app.prompts import load_prompt
from rag_app.show.lines import collapse
from rag_app.synthesize.showing import show_line

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

ALONE, INDEX, ENHANCED = ARMS = ("alone", "index", "enhanced")
_PHRASINGS = 2
"""Other phrasings that the enhanced arm searches, unless the index's settings ask for another number."""


@dataclass(frozen=True, slots=True)
class Arms:
    """Answers questions in every way that is compared. Thread-safe."""

    llm: "LLM"
    subject: str
    """What the questions are about: all that the bare model knows about the index."""
    indexes: Mapping[str, IndexParts]
    """The index of each arm that has one."""
    principals: Mapping[str, Principal]
    tokens: int
    """Longest answer, the same for all arms."""
    seconds: float
    """Time for the calls of one answer, beside those of the engine."""

    def answer(self, arm: str, case: Case) -> ArmRow:
        """What an arm answers. Whatever fails becomes a row that says so.

        Raises:
            SetupError: nothing can be asked before somebody puts it right.
        """
        started = time.perf_counter()
        try:
            row = self._alone(case) if arm == ALONE else self._with_index(self.indexes[arm], case)
        except Exception as error:
            if isinstance(error, SetupError) and not isinstance(error, RecordingMissing):
                raise
            row = ArmRow("error", error=f"{type(error).__name__}: {error}")
        return replace(row, milliseconds=round(1000 * (time.perf_counter() - started), 1))

    def _alone(self, case: Case) -> ArmRow:
        return self._written(ArmRow("answered"), "answer_alone", question=show_line(case.question))

    def _with_index(self, index: IndexParts, case: Case) -> ArmRow:
        principal = self.principals[case.as_name] if case.as_name else None
        engine = build_query_engine(index, principal=principal, llm=self.llm, on_low_confidence="refuse")
        answer = engine.query(case.question).answer
        trace = answer.trace
        row = ArmRow(
            "answered",
            sources=tuple(Source(q.document_id, q.start, q.end, q.source, collapse(q.text)) for q in answer.quotes),
            quotes_right=score(case, answer).strict if case.facts or not case.answerable else None,
            numbers={name: round(value, 6) for name, value in trace.numbers.items()},
            warnings=tuple(trace.warnings),
            model_calls=trace.model_calls,
            input_tokens=trace.input_tokens,
            output_tokens=trace.output_tokens,
            tokens_estimated=trace.tokens_estimated,
        )
        if answer.status != "grounded":
            return replace(row, outcome="refused", reason=answer.reason, text=DONT_KNOW)
        return self._written(row, "answer_from_evidence", question=show_line(case.question), evidence=_evidence(answer))

    def _written(self, row: ArmRow, prompt: str, **values: str) -> ArmRow:
        """The row with what the model writes. A reply that is cut off is judged as far as it goes, in every arm."""
        messages = load_prompt(prompt).messages(subject=show_line(self.subject), **values)
        call = ModelCall(messages, max_tokens=self.tokens, purpose=prompt)
        reply = call_llm(self.llm, call, deadline=time.monotonic() + self.seconds)
        if not reply.text.strip():
            raise ModelReplyEmpty("The model's answer held no text: raise the limit of its tokens.", purpose=prompt)
        cut_off = ("The answer was cut off at its token limit.",) if reply.stop == "length" else ()
        return replace(
            row,
            text=reply.text.strip(),
            warnings=(*row.warnings, *cut_off),
            model_calls=row.model_calls + 1,
            input_tokens=row.input_tokens + reply.input_tokens,
            output_tokens=row.output_tokens + reply.output_tokens,
            tokens_estimated=row.tokens_estimated or reply.estimated,
        )


def indexes_of(index: OpenIndex) -> dict[str, OpenIndex]:
    """The index as each arm asks it: without anything that is optional, and with all of it.

    Optional are the cross-encoder, other phrasings of the question, and worked examples. The gate is the same in both.
    """
    plain = {"gate_threshold": index.gate_threshold, "cross_encoder": "none", "multi_query": 0, "examples": ""}
    full = {"gate_threshold": index.gate_threshold, "multi_query": index.settings.multi_query or _PHRASINGS}
    return {
        arm: OpenIndex(index.reader, index.settings.model_copy(update=knobs), index.embedder)
        for arm, knobs in ((INDEX, plain), (ENHANCED, full))
    }


def enhancements(index: OpenIndex) -> dict[str, str]:
    """What the enhanced arm has beside the index, for the report."""
    settings = index.settings
    return {
        "cross-encoder": settings.cross_encoder,
        "other phrasings": str(settings.multi_query),
        "worked examples": settings.examples or "none",
    }


def _evidence(answer: Answer) -> str:
    return "\n".join(_quoted(quote) for quote in answer.quotes)


def _quoted(quote: Quote) -> str:
    """A quote on one line behind its headings, with the lines that it depends on."""
    place = " > ".join(dict.fromkeys((quote.title, *quote.section)))
    return show_line(f"[{place}] {' '.join((*(line.text for line in quote.lead_in), quote.text))}")
