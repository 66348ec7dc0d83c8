"""Scripted models for uplift evaluations: one that answers and one that judges, both with the noise of real ones.

The answering model knows some answers by itself, finds most of what stands in the evidence, and errs now and then; what
it says of a question is drawn by seed, apart for each kind of call. The judge is generous or strict by chance, writes
its marks in many forms, and sometimes none that can be read.
"""

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

from rag_app import OpenIndex, build_index, open_index
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.measures.scoring import plain
from rag_app.evaluate.uplift.uplift_row import DONT_KNOW
from rag_app.testing import ScriptedLLM, TinyEmbedding

_STATEMENT = re.compile(r"^(\d+\.\d+) (.*)$", re.MULTILINE)
_ANSWER = re.compile(r"^([A-Z]): (.*)$", re.MULTILINE)

Messages = tuple[tuple[str, str], ...]


def build_faq(cases: Sequence[Case], folder: Path) -> OpenIndex:
    """An open index of the questions and their answers, with the quick embedder and no cross-encoder."""
    (folder / "documents").mkdir(parents=True)
    for domain in {case.domain for case in cases}:
        answers = [f"## {c.question}\n\n{c.ground_truth}\n" for c in cases if c.domain == domain and c.ground_truth]
        (folder / "documents" / f"{domain}.md").write_text(f"# About {domain}\n\n" + "\n".join(answers), "utf-8")
    toml = f'[index]\nname = "{folder.name}"\ndescription = "Answers about {folder.name}"\naccess = "open"\n'
    (folder / "index.toml").write_text(toml, "utf-8")
    build_index(folder, embedder=TinyEmbedding())
    return open_index(folder, embedder=TinyEmbedding(), cross_encoder="none")


class Answering:
    """Answers questions of `cases`, as `seed` will have it."""

    def __init__(self, cases: Sequence[Case], seed: int, *, knows: float = 0.3, reads: float = 0.85) -> None:
        self._cases = {case.question: case for case in cases}
        self._seed, self._knows, self._reads = seed, knows, reads

    def llm(self, model: str = "answering") -> ScriptedLLM:
        llm = ScriptedLLM(self, usage=(100, 10))
        llm.model = model
        return llm

    def __call__(self, messages: Messages) -> str:
        system, asked = messages[0][1], messages[-1][1]
        case = next(c for question, c in self._cases.items() if question in asked.rpartition("</evidence>")[2])
        if "help a search engine" in system:
            return json.dumps({"phrasings": [f"{case.domain} {case.question}", f"About {case.question}"]})
        if "Answer from the statements" in system:
            drawing = random.Random(f"{self._seed} read {case.id}")
            if _holds(case, asked) and drawing.random() < self._reads:
                return case.ground_truth
            return self._own(case, drawing)
        if "Answer from what you know" in system:
            return self._own(case, random.Random(f"{self._seed} alone {case.id}"))
        return self._chosen(case, asked)

    def _own(self, case: Case, drawing: random.Random) -> str:
        luck = drawing.random()
        if luck < self._knows and case.ground_truth:
            return case.ground_truth
        return DONT_KNOW if luck > 0.65 else f"It is {drawing.randint(200, 900)}."

    def _chosen(self, case: Case, asked: str) -> str:
        """What belongs to the answer; where nothing does, the first: a model that is taken in by what is near."""
        statements, truth = _STATEMENT.findall(asked), plain(case.ground_truth)
        held = [label for label, text in statements if plain(text) in truth]
        labels = held or [label for label, _ in statements[:1]]
        parts = max(1, len(re.findall(r"^Part \d+: ", asked, re.MULTILINE)))
        return json.dumps({"parts": [{"part": number, "labels": labels} for number in range(1, parts + 1)]})


def _holds(case: Case, asked: str) -> bool:
    evidence = plain(asked.partition("<evidence>")[2].partition("</evidence>")[0])
    return bool(case.ground_truth) and plain(case.ground_truth) in evidence


class Judging:
    """Marks by comparing with the reference, with noise."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def llm(self, model: str = "judging") -> ScriptedLLM:
        llm = ScriptedLLM(self, usage=(300, 20))
        llm.model = model
        return llm

    def __call__(self, messages: Messages) -> str:
        asked = messages[-1][1]
        drawing = random.Random(f"{self._seed} judge {asked}")
        truth = asked.partition("Reference: ")[2].partition("\n")[0]
        marks = {letter: self._mark(text, truth, drawing) for letter, text in _ANSWER.findall(asked)}
        form = drawing.random()
        if form < 0.04:
            return "All of them have their merits."
        if form < 0.3:
            return "\n".join(f"{letter}: {mark:g}/10" for letter, mark in marks.items())
        said = {letter: f"{mark:g}/10" if form < 0.5 else mark for letter, mark in marks.items()}
        return f"```json\n{json.dumps({'scores': said})}\n```"

    def _mark(self, text: str, truth: str, drawing: random.Random) -> float:
        if drawing.random() < 0.02:
            return 11
        if truth.startswith("There is no answer"):
            return 10 if text == DONT_KNOW else 0
        if text == DONT_KNOW:
            return drawing.choice([1, 2, 2, 3])
        right = text == truth
        if drawing.random() < 0.06:
            right = not right
        return drawing.choice([7, 8, 8.5, 9, 10, 10] if right else [0, 0, 0.5, 1, 2, 4])
