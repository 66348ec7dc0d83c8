"""Questions that a prompt gives away: what is judged must not stand in what the model is shown as an example.

A figure that rests on such a question measures the leak. So a run with one does not begin.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_app.errors import DefinitionError
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.measures.scoring import plain
from rag_app.prompts import Prompt, load_prompt
from rag_app.settings import Settings
from rag_app.synthesize.examples import Example, load_examples
from rag_app.synthesize.synthesizer import PROMPTS
from rag_app.text.words import content_stems

SHOWN = (*PROMPTS, "multi_query", "answer_alone", "answer_from_evidence", "judge")
"""Prompts with which a model is asked about a question of a suite."""
ALIKE = 0.6
"""Share of content words in common (Jaccard, 1901) from which an example asks what a question asks. Of questions that
people wrote about different things, the nearest reach half."""
_RELATED = 0.25
"""The same, from which an example whose answer holds all facts of a question counts as about it: a figure alone may
stand anywhere."""
_NAMED = 4
"""Words from which a question that stands in a prompt word for word is no coincidence."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """A question and what gives it away."""

    case_id: str
    where: str
    """The example or the prompt."""
    reason: str

    def __str__(self) -> str:
        return f"{self.case_id}: {self.where} {self.reason}"


def overlaps(cases: Iterable[Case], examples: Sequence[Example] = (), prompts: Iterable[Prompt] = ()) -> list[Overlap]:
    """Every question that an example or a prompt gives away, in the order of the cases.

    An example does if it asks nearly the same, or if its right statements hold every fact of a related question; a
    prompt if the question stands in it word for word. Words tell no paraphrase that shares none: facts do.
    """
    texts = [(prompt.name, _folded(prompt.template.get_template())) for prompt in prompts]
    stems = [set(content_stems(example.question)) for example in examples]
    found = []
    for case in cases:
        asked, words = set(content_stems(case.question)), _folded(case.question)
        for number, (example, others) in enumerate(zip(examples, stems, strict=True), start=1):
            if reason := _given_away(case, asked, example, others):
                found.append(Overlap(case.id, f"example {number}", f'{reason}: "{example.question}"'))
        for name, text in texts:
            if len(words.split()) >= _NAMED and words in text:
                found.append(Overlap(case.id, f"the prompt {name}", "holds the question"))
    return found


def refuse_overlap(cases: Iterable[Case], examples: Sequence[Example] = (), prompts: Iterable[Prompt] = ()) -> None:
    """Raises DefinitionError where a question is given away; its details name all of them."""
    found = overlaps(cases, examples, prompts)
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        raise DefinitionError(
            f"A question of the suite is given away to the model: {found[0]}{more}. Take out the example, or the "
            "question.",
            overlaps=[str(one) for one in found],
        )


def shown_to_models(index: Path, settings: Settings) -> tuple[tuple[Example, ...], list[Prompt]]:
    """The worked examples of the index in a folder, and the prompts. Raises DefinitionError as `load_examples`."""
    examples = load_examples(index / settings.examples) if settings.examples else ()
    return examples, [load_prompt(name) for name in SHOWN]


def _given_away(case: Case, asked: set[str], example: Example, others: set[str]) -> str:
    """Why an example gives a case away; "" where it does not."""
    shared, both = asked & others, asked | others
    if both and len(shared) >= ALIKE * len(both):
        return "asks nearly the same"
    if not case.facts or not example.right:
        return ""
    answer = plain(example.answer)
    about = others | set(content_stems(answer))
    is_related = len(asked & about) >= _RELATED * len(asked)
    if is_related and all(any(pattern.search(answer) for pattern in fact) for fact in case.facts):
        return "holds its answer"
    return ""


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
