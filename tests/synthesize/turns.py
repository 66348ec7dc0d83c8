"""Small bodies of evidence and scripted turns over them."""

import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.schema import NodeWithScore

from rag_app.answer import Answer
from rag_app.document import Document
from rag_app.question import Question
from rag_app.settings import load_settings
from rag_app.synthesize.synthesizer import MoreNodes, ValidatingSynthesizer
from rag_app.testing import ScriptedLLM
from rag_app.text.nodes import COSINE, hide, passage_node
from rag_app.text.passages import cut_passages

LEAVE = """Employees have 26 days of leave. Up to 5 days may be carried over, unless the manager refuses in writing.
Trainees have 24 days. The Bridge Bonus is paid in March."""
BONUS = """The Bridge Bonus is 300 euros a quarter. It is separate from the Harvest Share."""
SHARE = """The Harvest Share is 4 % of the profit. Whoever joined after June has half of it."""


def nodes_of(document_id: str, text: str, *, cosine: float = 0.1, **facts: Any) -> list[NodeWithScore]:
    """The passages of a document, each with its hidden similarity to the question."""
    title = facts.pop("title", document_id.title())
    document = Document(document_id, title, text, "a.md", "a.md", "", "markdown")
    found = []
    for number, passage in enumerate(cut_passages(document)):
        leads = {span for statement in passage.statements for span in statement.lead_in}
        node = passage_node(
            f"{document_id} {number}",
            text[passage.start : passage.end],
            document_id=document_id,
            title=title,
            section_path=passage.section,
            start=passage.start,
            statements=[(s.kind, s.start, s.end, s.lead_in) for s in passage.statements],
            lead_ins=[(*lead, text[slice(*lead)]) for lead in leads],
            **facts,
        )
        hide(node, COSINE, cosine)
        found.append(NodeWithScore(node=node, score=cosine))
    return found


def said(*parts: Sequence[str], search: Sequence[str] = ()) -> str:
    """A reply that chooses these labels for each part, or asks for searches."""
    chosen = [{"part": number, "labels": list(labels)} for number, labels in enumerate(parts, start=1)]
    return json.dumps({"parts": chosen, **({"search": list(search)} if search else {})})


def asked(
    llm: LLM | None,
    nodes: list[NodeWithScore],
    question: str | Question = "How much leave is there?",
    *,
    more: MoreNodes | None = None,
    **settings: Any,
) -> Answer:
    """The answer of a synthesizer over `nodes`."""
    synthesizer = synthesizer_of(llm, more=more, **settings)
    question = Question(question) if isinstance(question, str) else question
    return synthesizer.synthesize(question, nodes).answer  # pyright: ignore


def synthesizer_of(llm: Any, *, more: MoreNodes | None = None, **settings: Any) -> ValidatingSynthesizer:
    return ValidatingSynthesizer(
        may_cite=lambda _: True, llm=llm, search_again=more, settings=load_settings(**settings)
    )


def shown(answer: Answer) -> list[str]:
    """The quotes, on one line each."""
    return [" ".join(quote.text.split()) for quote in answer.quotes]


def purposes(llm: ScriptedLLM) -> list[str]:
    return [call.purpose for call in llm.calls]
