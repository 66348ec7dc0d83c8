"""What search sees: the plain spelling of what a page shows."""

import unicodedata

import pytest

from rag_app.spelling import fold
from rag_app.text.words import content_stems


@pytest.mark.parametrize(
    ("shown", "typed"),
    [
        ("o\ufb03ce \ufb01le", "office file"),
        ("Haft\u00adpflicht", "Haftpflicht"),
        ("o\u200bpen\ufeff", "open"),
        (unicodedata.normalize("NFD", "Gebühr"), "Gebühr"),
        ("ＡＢＣ１２３", "ABC123"),
        ("“don’t”", '"don\'t"'),
        ("environ-\nmental", "environmental"),
        ("CO₂", "CO2"),
        ("14 ~~18~~ euros", "14   euros"),
    ],
)
def test_the_plain_spelling_is_searched(shown: str, typed: str) -> None:
    """Ligatures, invisible and combining letters, widths, quotes and wraps are written plainly, in words and stems."""
    assert fold(shown) == typed
    assert content_stems(shown) == content_stems(typed)


@pytest.mark.parametrize("text", ["10⁶", "½", "5 m²", "第１条"[:1], "~~~\ncode\n~~~", "3-\n4", "नमस्ते"])
def test_what_means_something_else_stays(text: str) -> None:
    """A raised figure or a fraction is no other number, and a range no word."""
    assert fold(text) == text
