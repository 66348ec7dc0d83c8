"""`python -m evals.evidence_spans FILE`: word-F1 of the statements that are shown against spans that people marked.

FILE has JSON lines: `{"question": …, "text": …, "spans": [[start, end], …]}`, offsets in characters of `text`; no spans
where nothing answers. So a public gold set of evidence selection, such as that of ACL-Verbatim, can be measured once it
is written in this form. Nothing is searched: the text of each line is what the question is asked about. No threshold is
fitted to it.
"""

import argparse
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag_app import CrossEncoderRerank, ValidatingSynthesizer
from rag_app.errors import UsageError
from rag_app.respond.response import GroundedResponse

Span = tuple[int, int]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Marked:
    """A question about a text, and the spans of it that answer."""

    question: str
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Means over all questions, each counting alike, from 0 to 1."""

    questions: int
    precision: float
    recall: float
    f1: float
    right_refusals: float
    """Share of the questions without spans for which nothing is shown; nan where each has some."""


def load_marked(file: Path) -> list[Marked]:
    """The questions of a file. Raises UsageError naming the line that is wrong."""
    found = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        try:
            given = json.loads(line)
            spans = tuple((int(start), int(end)) for start, end in given["spans"])
            marked = Marked(str(given["question"]), str(given["text"]), spans)
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{file.name}, line {number}: {error!r}; see python -m evals.evidence_spans -h."
            ) from error
        if any(not 0 <= start < end <= len(marked.text) for start, end in spans):
            raise UsageError(f"{file.name}, line {number}: a span lies outside of its text.")
        found.append(marked)
    return found


def shown_spans(marked: Marked, rerank: CrossEncoderRerank, synthesizer: ValidatingSynthesizer) -> list[Span]:
    """The places of what is shown for a question about its text."""
    query = QueryBundle(marked.question)
    nodes = rerank.postprocess_nodes([NodeWithScore(node=TextNode(text=marked.text))], query)
    response = synthesizer.synthesize(query, nodes)
    assert isinstance(response, GroundedResponse)
    return [(quote.start, quote.end) for quote in response.answer.quotes]


def agreement(asked: Sequence[Marked], shown: Sequence[Sequence[Span]]) -> Agreement:
    """Precision, recall and F1 over the words of a text that lie in a span; 1 where neither side has any."""
    scores = [_scores(one, spans) for one, spans in zip(asked, shown, strict=True)]
    precision, recall, f1 = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    unanswerable = [not spans for one, spans in zip(asked, shown, strict=True) if not one.spans]
    refused = sum(unanswerable) / len(unanswerable) if unanswerable else float("nan")
    return Agreement(len(scores), precision, recall, f1, refused)


def _scores(marked: Marked, shown: Iterable[Span]) -> tuple[float, float, float]:
    wanted, found = set(_words(marked.text, marked.spans)), set(_words(marked.text, shown))
    if not wanted or not found:
        same = float(wanted == found)
        return same, same, same
    both = len(wanted & found)
    precision, recall = both / len(found), both / len(wanted)
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0


def _words(text: str, spans: Iterable[Span]) -> Iterator[int]:
    """Where the words begin that lie in spans."""
    return (word.start() + start for start, end in spans for word in _WORD.finditer(text[start:end]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Asks all questions of a file and prints how far what is shown agrees with what was marked."""
    reads = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reads.add_argument("file", type=Path)
    asked = load_marked(reads.parse_args(arguments).file)
    if not asked:
        reads.error("the file has no questions")
    rerank, synthesizer = CrossEncoderRerank("minilm-l12", top_n=1), ValidatingSynthesizer(may_cite=lambda node: True)
    found = agreement(asked, [shown_spans(one, rerank, synthesizer) for one in asked])
    refused = "" if math.isnan(found.right_refusals) else f"; refused {found.right_refusals:.0%} of those without spans"
    print(
        f"{found.questions} questions: word-F1 {found.f1:.3f} (precision {found.precision:.3f}, recall "
        f"{found.recall:.3f}){refused}."
    )


if __name__ == "__main__":
    main()
