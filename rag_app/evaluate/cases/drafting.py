"""Questions drafted by a language model, for an index that has none: to calibrate by, until people have asked some.

Each comes from one statement of a document, which is its fact, and is marked with the model that drafted it. What a
passage does not answer another may: a drafted near miss is as likely wrong as the model is.
"""

import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_app.document import Document
from rag_app.errors import ModelError, UsageError
from rag_app.evaluate.measures.scoring import plain
from rag_app.index.build.document_source import Progress
from rag_app.llm import ModelCall, call_llm
from rag_app.opened import OpenIndex
from rag_app.principal import Principal
from rag_app.prompts import load_prompt
from rag_app.synthesize.showing import show_line
from rag_app.text.passages import Passage, cut_passages

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

NEAR_MISSES = 4
"""Of so many questions one is a near miss."""
_LEAST_WORDS = 6
"""Words of a statement that a question can be asked about."""
_REPLY_TOKENS = 150
_JSON = re.compile(r"\{[^{}]*\}", re.DOTALL)
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")


@dataclass(frozen=True, slots=True)
class Drafted:
    """Questions of a file that is to be written, and what did not become one."""

    cases: tuple[dict[str, Any], ...]
    """Fields of each case, as they stand in a questions.jsonl."""
    skipped: int
    """Statements that the model asked nothing new about, or whose reply could not be read."""
    failed: int
    """Calls that ended in an error."""

    def write(self, file: Path) -> None:
        """Writes a questions.jsonl. Raises UsageError where there is such a file."""
        try:
            with file.open("x", encoding="utf-8") as out:
                out.writelines(json.dumps(case, ensure_ascii=False) + "\n" for case in self.cases)
        except FileExistsError as error:
            raise UsageError(f"There is a {file}: name another file with --out, or move it away.") from error


def draft_questions(
    index: OpenIndex,
    llm: "LLM",
    *,
    model: str,
    count: int = 40,
    principal: Principal | None = None,
    as_name: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Drafted:
    """Drafts questions about what the principal may read, of every document in turn.

    Args:
        model: what the model is called in the file.
        as_name: the principal's name in principals.json, of an index with access rules.

    Raises:
        SetupError: the model cannot be asked before somebody puts it right.
        UsageError: there is nothing to ask about, or every call failed.
    """
    cases, skipped, failed, asked = list[dict[str, Any]](), 0, 0, 0
    drawn, known = random.Random(seed), set[str]()
    for document, passage, number in _in_turns(_readable(index, principal), drawn):
        if len(cases) >= count or asked >= 2 * count:
            break
        if progress:
            progress(len(cases), count, "drafting")
        asked += 1
        try:
            reply = _reply(llm, document, passage, number, index.settings.model_seconds)
        except ModelError as error:
            failed, last = failed + 1, error
            if failed == asked >= NEAR_MISSES:
                raise UsageError(f"Nothing was drafted, since every call failed: {last}") from error
            continue
        near_miss = len(cases) % NEAR_MISSES == NEAR_MISSES - 1
        question = _question(reply, "unanswered" if near_miss else "answered")
        if question is None or question.casefold() in known:
            skipped += 1
            continue
        known.add(question.casefold())
        about = {"id": f"draft-{len(cases) + 1:03}", "question": question, **({"as": as_name} if as_name else {})}
        said = {"source": document.document_id, "drafted_by": model}
        cases.append(about | (_near_miss() if near_miss else _answered(document, passage, number)) | said)
    if not cases:
        raise UsageError("Nothing was drafted: there is no statement to ask about, or no reply could be read.")
    return Drafted(tuple(cases), skipped, failed)


def _readable(index: OpenIndex, principal: Principal | None) -> list[Document]:
    with index.reader.snapshot() as view:
        rules = view.readable(principal)
        found = [view.document(info.document_id, rules) for info in view.documents(rules)]
    return [document for document in found if document is not None]


def _in_turns(documents: Sequence[Document], drawn: random.Random) -> Iterator[tuple[Document, Passage, int]]:
    """Statements in a drawn order, one of each document in turn, no passage twice; with their numbers, from 0."""
    waiting = [(document, drawn.sample(cut := cut_passages(document), len(cut))) for document in documents]
    drawn.shuffle(waiting)
    while waiting:
        for document, passages in waiting:
            if passages:
                passage = passages.pop()
                numbers = [n for n in range(len(passage.statements)) if _can_be_asked(document, passage, n)]
                if numbers:
                    yield document, passage, drawn.choice(numbers)
        waiting = [(document, passages) for document, passages in waiting if passages]


def _can_be_asked(document: Document, passage: Passage, number: int) -> bool:
    return len(_text(document, passage, number).split()) >= _LEAST_WORDS


def _text(document: Document, passage: Passage, number: int) -> str:
    statement = passage.statements[number]
    return plain(document.text[statement.start : statement.end])


def _reply(llm: "LLM", document: Document, passage: Passage, number: int, seconds: float) -> str:
    lines = [f"{n}. {show_line(_text(document, passage, n))}" for n in range(len(passage.statements))]
    messages = load_prompt("draft_question").messages(
        title=show_line(" > ".join((document.title, *passage.section))), statements="\n".join(lines), number=str(number)
    )
    call = ModelCall(messages, max_tokens=_REPLY_TOKENS, purpose="draft_question")
    return call_llm(llm, call, deadline=time.monotonic() + seconds).text


def _question(reply: str, key: str) -> str | None:
    """The question of a reply; None where it has none. Read strictly."""
    for found in reversed(_JSON.findall(reply)):
        try:
            said: Any = json.loads(found)
        except ValueError:
            continue
        question = said.get(key)
        return " ".join(question.split()) or None if isinstance(question, str) else None
    return None


def _answered(document: Document, passage: Passage, number: int) -> dict[str, Any]:
    text = _text(document, passage, number)
    return {
        "expected_documents": [document.document_id],
        "facts": [[_SPECIAL.sub(r"\\\1", text)]],
        "ground_truth": text,
    }


def _near_miss() -> dict[str, Any]:
    return {"category": "unanswerable", "ground_truth": "The passage it was drafted from does not say."}
