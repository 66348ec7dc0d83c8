"""Warns of documents in languages that the embedding model does not know."""

import re
from collections.abc import Mapping, Sequence

_ENGLISH_MODEL = re.compile(r"(?:^|[-_./])en(?:[-_./]|$)|english", re.IGNORECASE)
"""Names of embedding models that say that they know English only."""


def language_notes(languages: Mapping[str, Sequence[str]], model: str) -> list[str]:
    """A sentence for each language other than English, where the embedding model knows only English.

    Args:
        languages: the paths of the documents in each language other than English.
        model: the embedding model's name.
    """
    if not _ENGLISH_MODEL.search(model):
        return []
    notes: list[str] = []
    for language, paths in sorted(languages.items()):
        count = f"{len(paths)} documents are" if len(paths) > 1 else "1 document is"
        named = ", ".join(paths[:3]) + (", ..." if len(paths) > 3 else "")
        notes.append(
            f"{count} in {language} ({named}), which the embedding model "
            f"{model} does not know: questions about them are mostly refused; choose a multilingual one."
        )
    return notes
