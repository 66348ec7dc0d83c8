"""Drops stubs: passages too short to say anything, that do not even name what is asked."""

import re
from dataclasses import dataclass

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.question import question_of
from rag_app.text.nodes import drop_of, node_statements, node_text, slice_of
from rag_app.text.words import content_stems, count_words

_NAMES_WHAT_IS_ASKED = 0.5
"""Share of the question's content words."""
_LEADS_ELSEWHERE = re.compile(
    r"(?:see|read) (?:also|more|next)|further reading|related(?: (?:pages?|topics?|links?|articles?|documents?))?"
    r"|(?:more )?(?:links|references)|next steps|where to go (?:next|from here)",
    re.IGNORECASE,
)
"""Headings under which pages list other pages."""
_LONGEST_TITLE = 8
"""Words of a line that is no more than another page's title."""
_SAYS_SOMETHING, _WITH_A_FIGURE = 10, 4
"""Words from which a statement can be an answer by itself; with a figure in it, fewer do."""
_QUOTED = re.compile(r"`([^`\n]+)`")
_TOKEN = re.compile(r"-{0,2}[^\W_][\w.:+#/-]*(?:\(\))?|_\w+(?:\(\))?")
_SYMBOL = re.compile(
    r"""--?[a-z]            # --force, -v
    | .*\(\)$               # parse()
    | .*[^\W_]_+[^\W_] | _  # read_all, _private
    | [^\W\d]\w*(?:\.|::)[^\W\d]  # os.path, std::fs; not 3.5
    | [a-z]\w*[A-Z] | [A-Z]\w*[a-z]\w*[A-Z]  # readAll, ReadAll
    | [A-Z]+-?\d            # F-15, E0308
    """,
    re.VERBOSE,
)
_PART = re.compile(r"[^\W_](?:[\w-]*\w)?|_\w+")


class QualityFilter(BaseNodePostprocessor):
    """Keeps a passage whose quality reaches `keep_from`.

    Quality is 0 under 20 words, else min(0.8, 0.2 + 0.6 * words / 200) + 0.2 * overlap, where overlap is the share of
    the question's content words that the passage and its headings hold. Whatever its length, a passage stays when it
    is one whole statement (a signature, a table row, a rule in a sentence), when one of its statements says something
    (ten words, or four with a figure: a question in other words shares none with its answer), or when it names what is
    asked: half of these words at least, or a symbol that is asked about, also in its headings, to which a short section
    often leaves what it is about. A mere list of other pages under a heading such as "See also" goes, whatever it
    names. When nothing would be left, the best passages stay and the trace says so.
    """

    keep_from: float = 0.3
    at_least: int = 3
    """How many of the best stay when everything would go."""

    @classmethod
    def class_name(cls) -> str:
        return "QualityFilter"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return nodes
        question = question_of(query_bundle)
        trace = question.trace
        with trace.timed("quality filter"):
            asked = _Asked.of(question.wording)
            rated = [(self._quality(node, asked), node) for node in nodes]
            kept = [node for quality, node in rated if quality >= self.keep_from]
            if not kept:
                trace.warn("The quality filter found only stubs; the best of them were kept.")
                best = sorted(range(len(rated)), key=lambda i: (-rated[i][0], i))[: self.at_least]
                kept = [nodes[i] for i in sorted(best)]
            staying = {id(node) for node in kept}
            for quality, node in rated:
                if id(node) not in staying:
                    trace.dropped.append(drop_of(node, "quality filter", f"a stub (quality {quality:.2f})"))
        return kept

    def _quality(self, found: NodeWithScore, asked: "_Asked") -> float:
        """The quality of a passage; of one that its length alone keeps, what its length gives."""
        text = node_text(found.node)
        words = count_words(text)
        by_length = min(0.8, 0.2 + 0.6 * words / 200) if words >= 20 else 0.0
        if words == 0 or by_length >= self.keep_from:
            return by_length  # the usual case; stems of all passages would cost more than the other stages together
        if _lists_other_pages(found, text):
            return 0.0
        facts = found.node.metadata
        whole = f"{facts.get('title') or ''} {facts.get('section') or ''} {text}"
        overlap = asked.overlap(whole)
        if overlap >= _NAMES_WHAT_IS_ASKED or names_symbol(asked.symbols, whole):
            return 1.0
        if _says_something(found):
            return 1.0
        return by_length + 0.2 * overlap if by_length else 0.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question names."""

    stems: frozenset[str]
    symbols: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, question: str) -> "_Asked":
        return cls(frozenset(content_stems(question)), asked_symbols(question))

    def overlap(self, text: str) -> float:
        """Share of the question's content words that stand in `text`, 0 to 1."""
        return len(self.stems.intersection(content_stems(text))) / len(self.stems) if self.stems else 0.0


def _says_something(found: NodeWithScore) -> bool:
    """Whether a passage is one whole statement, or has one that can be an answer by itself."""
    statements = node_statements(found.node)
    for statement in statements:
        text = slice_of(found.node, statement.span) or ""
        words = count_words(text)
        is_prose = statement.kind != "code"
        if is_prose and (words >= _SAYS_SOMETHING or (words >= _WITH_A_FIGURE and re.search(r"\d", text))):
            return True
    return len(statements) == 1


def _lists_other_pages(found: NodeWithScore, text: str) -> bool:
    """Whether a passage only names other pages: short lines without a figure, under a heading that says so."""
    path = found.node.metadata.get("section_path")
    heading = str(path[-1]) if isinstance(path, (list, tuple)) and path else ""
    if not _LEADS_ELSEWHERE.fullmatch(heading.strip(" :.…")):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    return all(count_words(line) <= _LONGEST_TITLE for line in lines) and not re.search(r"\d", text)


def asked_symbols(question: str) -> tuple[tuple[str, ...], ...]:
    """The symbols in `question`: names that are written, not spoken, such as `read_all`, os.path, F-15 or --force.

    Returns:
        Each as its parts, in lower case: `Schedule.ramp` is ("schedule", "ramp").
    """
    quoted = _QUOTED.findall(question)
    tokens = [token.rstrip(".:/-+") for token in _TOKEN.findall(_QUOTED.sub(" ", question))]
    symbols = [*quoted, *(token for token in tokens if _SYMBOL.match(token))]
    parts = (tuple(part.casefold() for part in _PART.findall(symbol)) for symbol in symbols)
    return tuple(dict.fromkeys(found for found in parts if any(len(part) > 1 for part in found)))  # not e.g., U.S.


def names_symbol(symbols: tuple[tuple[str, ...], ...], text: str) -> bool:
    """Whether every part of one of the symbols stands in `text` as a whole word."""
    if not symbols:
        return False
    folded = text.casefold()
    return any(all(_stands(part, folded) for part in symbol) for symbol in symbols)


def _stands(part: str, text: str) -> bool:
    return re.search(rf"(?<!\w)(?<!\w-){re.escape(part)}(?!\w)", text) is not None
