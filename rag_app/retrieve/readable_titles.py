"""What documents the asker may read are called."""

from collections.abc import Sequence

from rag_app.index.reader import IndexReader
from rag_app.principal import Principal


class ReadableTitles:
    """Id and title of every document that the principal may read; the same tuple as long as nothing changed."""

    def __init__(self, reader: IndexReader, principal: Principal | None) -> None:
        self._reader = reader
        self._principal = principal
        self._known: tuple[object, tuple[tuple[str, str], ...]] | None = None

    def __call__(self) -> Sequence[tuple[str, str]]:
        with self._reader.snapshot() as view:
            rules = view.readable(self._principal)
            state = (view.state(rules), rules)
            known = self._known
            if known is None or known[0] != state:
                found = view.documents(rules)
                known = self._known = (state, tuple((one.document_id, one.title) for one in found))
        return known[1]
