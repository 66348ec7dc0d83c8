"""What of an index the asker may read, for looking up single words in it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_app.question import MOST_COUNTED
from rag_app.spelling import fold
from rag_app.text.nodes import node_text

if TYPE_CHECKING:
    from rag_app.index.search.sparse import SimilarWord
    from rag_app.index.view import View


@dataclass(frozen=True, slots=True)
class Readable:
    """A snapshot of an index, under the access rules that let the asker read."""

    view: "View"
    rules: frozenset[str]
    without: frozenset[int]
    """Rows of documents that are not in force on the day that is asked about."""

    def count(self, word: str) -> int:
        """How many passages hold a word in any of its forms, up to `MOST_COUNTED`."""
        return self.view.count_holding(word, MOST_COUNTED, self.rules, self.without)

    def count_all(self) -> int:
        """How many passages there are."""
        return self.view.count_passages(self.rules)

    def similar(self, word: str, edits: int) -> "list[SimilarWord]":
        """Words that are at most `edits` letters away from `word`. Of documents in force or not."""
        return self.view.similar_words(word, edits, self.rules)

    def texts(self, word: str, most: int) -> dict[int, str]:
        """By passage id, the folded texts with title and section of the passages that speak most of a word."""
        keys = [key for key, _ in self.view.search_words(word, most, self.rules, self.without)]
        nodes = self.view.nodes(keys)
        return {
            key: fold(f"{node.metadata.get('title')}\n{node.metadata.get('section')}\n{node_text(node)}")
            for key, node in nodes.items()
        }
