"""What the model path costs, and reaches with a model that never errs.

    python -m evals.scripted_model [FOLDER] [--search] [--record]

A scripted model plays the strong one: it knows each question's facts and picks, from the prompt alone, the statements
that hold them, in the documents that are right. What it then misses, the search did not find or the flow lost; its
calls and tokens are those that a strong model needs at least. With --search it asks for a further search wherever it
finds nothing: for the document that it knows to be right, and for answers that do not exist. No number here says how
well a real model reads.

With --record it makes the recording `FOLDER/recordings/scripted-1.jsonl` again, from which tests replay the model path:
whenever a prompt, the search or the questions change.
"""

import json
import re
import statistics
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from rag_app import OpenIndex, open_index
from rag_app.evaluate.cases.schema import Case, load_cases
from rag_app.evaluate.cases.suite import Suite, load_suite
from rag_app.evaluate.measures.scoring import plain, score
from rag_app.evaluate.run.asking import Asker, principals_of
from rag_app.index.definition import load_principals
from rag_app.llm.call import ModelReply
from rag_app.llm.recording import RecordingLLM
from rag_app.testing import ScriptedLLM

_PASSAGE = re.compile(r"^\[\d+\] (.*?)(?: \([^()]*\))?$")
_STATEMENT = re.compile(r"^(\d+\.\d+) (.*)$")
AS_OF = date(2026, 11, 30)
"""The day on which suites are asked, so that no document comes into force between two runs."""
_CHARACTERS_PER_TOKEN = 2.5
"""Of short JSON: labels and brackets are a token each, or nearly."""


class Oracle:
    """Chooses statements that hold a case's facts."""

    def __init__(self, case: Case, titles: dict[str, str], searches: bool) -> None:
        self.case = case
        self.searches = searches
        self.right = {titles[document] for document in (*case.expected_documents, *case.also_right)}

    def __call__(self, messages: tuple[tuple[str, str], ...]) -> ModelReply:
        asked = messages[-1][1]
        statements = list(_statements(asked, self.right))
        chosen = set(re.findall(r"\d+\.\d+", asked.partition("Chosen so far:")[2].partition("Look again")[0]))
        parts = max(1, len(re.findall(r"^Part \d+: ", asked.partition("Chosen so far:")[0], re.MULTILINE)))
        labels: list[list[str]] = [[] for _ in range(parts)]
        for number, fact in enumerate(self.case.facts):
            held = [label for label, text in statements if any(pattern.search(text) for pattern in fact)]
            if held and not chosen.intersection(held):
                labels[min(number, parts - 1)].append(held[0])
        if not chosen:  # fewer facts than parts: the last fact answers the rest as well
            for part in range(1, parts):
                labels[part] = labels[part] or labels[part - 1]
        reply: dict[str, object] = {
            "parts": [{"part": number, "labels": found} for number, found in enumerate(labels, 1)]
        }
        if self.searches and not any(labels) and "searches left: 1" in messages[0][1]:
            reply = {"parts": [], "search": [f"{title}: {self.case.question}" for title in sorted(self.right)[:2]]}
            reply["search"] = reply["search"] or [f"rules: {self.case.question}"]
        text = json.dumps(reply)
        tokens = round(sum(len(said) for _, said in messages) / 3.5)
        return ModelReply(text, tokens, round(len(text) / _CHARACTERS_PER_TOKEN), estimated=True)


def _statements(prompt: str, right: set[str]) -> Iterator[tuple[str, str]]:
    """Label and text, lead-ins in front, of the statements that stand in the right documents."""
    title, lead = "", list[str]()
    for line in prompt.partition("</evidence>")[0].splitlines():
        if passage := _PASSAGE.match(line):
            title, lead = passage[1].partition(" > ")[0], []
        elif line.startswith("(with "):
            lead.append(line[6:-1])
        elif (statement := _STATEMENT.match(line)) and title in right:
            yield statement[1], plain(" ".join((*lead, statement[2])))


def measure(index: OpenIndex, cases: list[Case], folder: Path, searches: bool = False) -> dict[str, object]:
    """Answers every case and sums up; a line for each that is not strictly right."""
    principals = load_principals(folder)
    titles = titles_of(index)
    scores, traces, answers = [], [], []
    for case in cases:
        principal = principals[case.as_name] if case.as_name else None
        engine = index.as_query_engine(principal, llm=ScriptedLLM(Oracle(case, titles, searches)))
        answer = engine.query(case.question).answer
        scores.append(score(case, answer))
        traces.append(answer.trace)
        answers.append(answer)
        if not scores[-1].strict:
            calls = ", ".join(f"{name} {count:g}" for name, count in answer.trace.numbers.items() if "calls." in name)
            print(f"{case.id}: {answer.status} {answer.reason or ''} ({calls}) {case.question}")
    asked = [trace for trace in traces if trace.model_calls]
    kinds = {name for trace in traces for name in trace.numbers if name.startswith("calls.")}
    return {
        "questions": len(cases),
        "published": sum(one.published for one in scores),
        "strict": sum(one.strict for one in scores),
        "quotes outside": sum(one.quotes_outside for one in scores),
        "reached a model": len(asked),
        "calls": round(statistics.mean(trace.model_calls for trace in asked), 3),
        **{name: sum(trace.numbers.get(name, 0) for trace in traces) for name in sorted(kinds)},
        "output tokens": round(statistics.mean(trace.output_tokens for trace in asked), 1),
        "input tokens a call": round(sum(t.input_tokens for t in asked) / sum(t.model_calls for t in asked)),
        "longest prompt": round(max(trace.input_tokens / trace.model_calls for trace in asked)),
        "fetched by pointers": sum(trace.numbers.get("pointers.fetched", 0) for trace in traces),
        "pointers, ms": round(statistics.median(t.milliseconds.get("pointers", 0) for t in asked), 2),
    }


def titles_of(index: OpenIndex) -> dict[str, str]:
    """The title of every document by its id, independent of who may read it: an oracle knows what is right."""
    with index.reader.snapshot() as view:
        return {document.document_id: document.title for document in view.documents(frozenset(view.rules()))}


def record(index: OpenIndex, suite: Suite, as_of: date) -> Path:
    """Writes what the scripted model says to every question of a suite; returns the file."""
    file = suite.recording("scripted", 1)
    file.unlink(missing_ok=True)
    titles = titles_of(index)

    def model(case: Case, run: int) -> RecordingLLM:
        return RecordingLLM(ScriptedLLM(Oracle(case, titles, False)), path=file, mode="record", model="scripted")

    asker = Asker(index, principals_of(suite, index), model, as_of)
    failed = [row for case in suite.cases if (row := asker.ask(case, 1)).outcome == "error"]
    if failed:
        raise SystemExit(f"{failed[0].case_id}: {failed[0].error}")
    return file


def main(arguments: list[str]) -> None:
    """Prints the figures as JSON, or the file that it recorded."""
    folders = [Path(argument) for argument in arguments if not argument.startswith("--")] or [Path("indexes/fellwire")]
    if "--record" in arguments:
        print(record(open_index(folders[0]), load_suite(folders[0]), AS_OF))
        return
    figures = measure(
        open_index(folders[0]), load_cases(folders[0] / "questions.jsonl"), folders[0], "--search" in arguments
    )
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
