"""Marks passages that point to another document: they name it, link to it, set themselves against it, or restate its
figures."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import PrivateAttr

from rag_app.postprocess.titles import TitleMatcher
from rag_app.question import question_of
from rag_app.text.nodes import LINKS, POINTERS, hide, node_statements, node_text, slice_of
from rag_app.text.words import content_stems

Titles = Callable[[], Sequence[tuple[str, str]]]
"""Id and title of every document that the asker may read; the same object as long as nothing changed."""
PassagesOf = Callable[[QueryBundle, str, int], list[NodeWithScore]]
"""The passages of a document (by id) that are nearest to a question, at most so many."""
Pointer = tuple[str, str]
"""How ("asked", "contrast", "named", "linked", "restated") and the document's id."""

_CONTRAST = re.compile(
    r"\b(?:(?:different|separate|distinct|another|other) (?:\w+ )?(?:programme|program|scheme|policy|plan|procedure"
    r"|rule|document|entitlement|allowance)s?|(?:separate(?:ly)?|distinct|different|independent(?:ly)?|apart) from"
    r"|not the same|nothing to do with|not to be (?:confused|mixed)|unlike|instead of|in place of|rather than"
    r"|in addition to|on top of|(?:do|does|did|is|are) not (?:replace|include|cover|apply|affect|reduce|count|change)"
    r"|(?:has|have) (?:its|their) own|takes? precedence|supersedes?|replaces?|overrides?)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"(?P<currency>[$€£¥₹]|\b[A-Z]{3}(?= ?\d)) ?(?P<amount>\d[\d.,]*)"
    r"|(?P<figure>\d[\d.,]*)[ -]?(?P<unit>[%‰°]|(?:(?:working|business|calendar)[\s-])?[^\W\d_]+)"
)
_RESTATED = 2
"""Figures with their units that two passages must share."""


class PointerDetector(BaseNodePostprocessor):
    """Leaves in each passage's hidden metadata which other readable documents it points to; chooses nothing.

    What the question itself names counts for every passage. Where nothing was retrieved of a document that the question
    or one of the best passages names, its nearest passages are fetched and stand behind these.
    """

    titles: Any
    """A `Titles`. Only documents that the asker may read can be named, found or fetched."""
    passages_of: Any
    """A `PassagesOf`, or None: then nothing is fetched."""
    most: int = 4
    """Documents that one passage points to at most."""
    best: int = 4
    """How many of the first passages may have a document fetched."""
    fetch_documents: int = 2
    fetch_passages: int = 2
    _matcher: tuple[Any, TitleMatcher] | None = PrivateAttr(default=None)

    def __init__(self, titles: Titles, passages_of: PassagesOf | None = None, **limits: int) -> None:
        super().__init__(titles=titles, passages_of=passages_of, **limits)  # pyright: ignore[reportCallIssue]

    @classmethod
    def class_name(cls) -> str:
        return "PointerDetector"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return nodes
        trace = question_of(query_bundle).trace
        with trace.timed("pointers"):
            titles = self.titles()
            matcher, known = self._matcher_of(titles), dict(titles)
            asked = matcher.named(query_bundle.query_str, in_any_case=True) if query_bundle else []
            retrieved = {_document(node) for node in nodes}
            figures = [_figures(node_text(node.node)) for node in nodes]
            wanted: dict[str, None] = dict.fromkeys(asked)
            for number, node in enumerate(nodes):
                own = _document(node)
                found: list[Pointer] = [("asked", named) for named in asked]
                found += _contrasted_and_named(node, matcher)
                found += [("linked", target) for target in node.node.metadata.get(LINKS) or () if target in known]
                found += _restated(number, nodes, figures)
                first: dict[str, str] = {}
                for how, document_id in found:
                    if document_id != own:
                        first.setdefault(document_id, how)
                pointers = [(how, document_id) for document_id, how in first.items()][: self.most]
                hide(node.node, POINTERS, pointers)
                if number < self.best:
                    wanted |= dict.fromkeys(document_id for how, document_id in pointers if how != "restated")
            missing = [document_id for document_id in wanted if document_id not in retrieved]
            fetched = self._fetched(query_bundle, [document_id for document_id in missing if document_id in known])
            trace.numbers["pointers.fetched"] = len(fetched)
        return [*nodes[: self.best], *fetched, *nodes[self.best :]]

    def _matcher_of(self, titles: Sequence[tuple[str, str]]) -> TitleMatcher:
        known = self._matcher
        if known is None or known[0] is not titles:
            known = self._matcher = (titles, TitleMatcher(titles))
        return known[1]

    def _fetched(self, query_bundle: QueryBundle | None, missing: list[str]) -> list[NodeWithScore]:
        if query_bundle is None or self.passages_of is None:
            return []
        return [
            node
            for document_id in missing[: self.fetch_documents]
            for node in self.passages_of(query_bundle, document_id, self.fetch_passages)
        ]


def _contrasted_and_named(found: NodeWithScore, matcher: TitleMatcher) -> list[Pointer]:
    node = found.node
    contrasted: list[Pointer] = []
    named: list[Pointer] = []
    for statement in node_statements(node):
        text = slice_of(node, (statement.start, statement.end)) or ""
        if _CONTRAST.search(text):
            contrasted += [("contrast", document_id) for document_id in matcher.named(text, in_any_case=True)]
        named += [("named", document_id) for document_id in matcher.named(text)]
    return contrasted + named


def _restated(number: int, nodes: Sequence[NodeWithScore], figures: Sequence[set[str]]) -> list[Pointer]:
    return [
        ("restated", _document(other))
        for other, theirs in zip(nodes, figures, strict=True)
        if len(figures[number] & theirs) >= _RESTATED
    ]


def _figures(text: str) -> set[str]:
    """The figures of a text with their units: "26 day", "€ 40"."""
    found = set()
    for match in _FIGURE.finditer(text):
        if match["amount"]:
            found.add(f"{match['currency']} {match['amount'].rstrip('.,')}")
        elif match["unit"] in "%‰°" or content_stems(match["unit"]):
            unit = " ".join(match["unit"].replace("-", " ").split()).casefold().removesuffix("s")
            found.add(f"{match['figure'].rstrip('.,')} {unit}")
    return found


def _document(found: NodeWithScore) -> str:
    return str(found.node.metadata.get("document_id") or found.node.ref_doc_id or found.node.node_id)
