"""Marks passages that send the reader to another document: by a statement that refers to it, or by a link."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import PrivateAttr

from rag_app.postprocess.titles import TitleMatcher
from rag_app.question import question_of
from rag_app.text.nodes import LINKS, POINTERS, hide, node_statements, slice_of

Titles = Callable[[], Sequence[tuple[str, str]]]
"""Id and title of every document that the asker may read; the same object as long as nothing changed."""
PassagesOf = Callable[[QueryBundle, str, int], list[NodeWithScore]]
"""The passages of a document (by id) that are nearest to a question, at most so many."""
Pointer = tuple[str, str, int | None]
"""How ("asked", "referred", "linked"), the document's id, and where the statement that refers to it begins."""

_REFERS = re.compile(
    r"\b(?:see|refer(?:s|red)? to|(?:set out|laid (?:down|out)|described|defined|listed|given|stated|specified"
    r"|explained|detailed|regulated|governed|covered|found|handled) (?:in|by|under)|according to"
    r"|in (?:accordance|line) with|as per|per|pursuant to|subject to|under"
    r"|follow(?:s|ing)?|appl(?:y|ies)|consult|read|use)\b",
    re.IGNORECASE,
)
"""What makes a title a reference: the reader is sent there. A title without it is mentioned."""

_CONTRAST = re.compile(
    r"\b(?:(?:different|separate|distinct|another|other) (?:\w+ )?(?:programme|program|scheme|policy|plan|procedure"
    r"|rule|document|entitlement|allowance)s?|(?:separate(?:ly)?|distinct|different|independent(?:ly)?|apart) from"
    r"|not the same|nothing to do with|not to be (?:confused|mixed)|unlike|instead of|in place of|rather than"
    r"|in addition to|on top of|(?:do|does|did|is|are) not (?:replace|include|cover|apply|affect|reduce|count|change)"
    r"|(?:has|have) (?:its|their) own|takes? precedence|supersedes?|replaces?|overrides?)\b",
    re.IGNORECASE,
)
"""What sets a document apart, or denies that it applies: nobody is sent there."""


class PointerDetector(BaseNodePostprocessor):
    """Leaves in each passage's hidden metadata which other readable documents it points to; chooses nothing.

    What the question itself names counts for every passage. Mere mentions, contrasts and figures said again do not
    count. Where nothing was retrieved of a document that the question names or one of the best passages points to, its
    nearest passages are fetched and stand behind these.
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
    """How many documents are fetched for a question."""
    fetch_passages: int = 2
    """How many passages of each."""
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
        question = question_of(query_bundle)
        trace = question.trace
        with trace.timed("pointers"):
            titles = self.titles()
            matcher, known = self._matcher_of(titles), dict(titles)
            asked = matcher.named(question.wording, in_any_case=True)
            retrieved = {_document(node) for node in nodes}
            wanted: dict[str, None] = dict.fromkeys(asked)
            for number, node in enumerate(nodes):
                own = _document(node)
                found: list[Pointer] = [("asked", named, None) for named in asked]
                found += _referred(node, matcher)
                links = node.node.metadata.get(LINKS) or ()
                found += [("linked", target, None) for target in links if target in known]
                first: dict[str, Pointer] = {}
                for pointer in found:
                    if pointer[1] != own:
                        first.setdefault(pointer[1], pointer)
                pointers = list(first.values())[: self.most]
                hide(node.node, POINTERS, pointers)
                if number < self.best:
                    wanted |= dict.fromkeys(document_id for _, document_id, _ in pointers)
            missing = [document_id for document_id in wanted if document_id not in retrieved]
            fetched = self._fetched(query_bundle, missing)
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


def _referred(found: NodeWithScore, matcher: TitleMatcher) -> list[Pointer]:
    node = found.node
    pointers: list[Pointer] = []
    for statement in node_statements(node):
        text = slice_of(node, statement.span) or ""
        if _REFERS.search(text) and not _CONTRAST.search(text):
            pointers += [("referred", document_id, statement.start) for document_id in matcher.named(text)]
    return pointers


def _document(found: NodeWithScore) -> str:
    return str(found.node.metadata.get("document_id") or found.node.ref_doc_id or found.node.node_id)
