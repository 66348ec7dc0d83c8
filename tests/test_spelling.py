"""What search sees: the plain spelling of what a page shows."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.spelling import composed, fold
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


MARKS = "\u0301\u0323\u0308\u0345\u0f73\u0344\u3099\uff9e\u05b0\u0327"
LETTERS = "aeéẹ̀カﾊ가ᄀ\u1161\u11a8श\u093c\u1100ﬁ…♪;-"


@given(st.text(st.sampled_from(MARKS + LETTERS), max_size=120), st.text(st.sampled_from(MARKS), max_size=60))
def test_marks_in_any_order_are_composed_as_by_the_library(text: str, marks: str) -> None:
    """Normal form C is what the library makes of it, with long runs of marks too."""
    for one in (text, marks, f"e{marks}{text}", f"{text}{marks}\u0f73é{marks}"):
        assert composed(one) == unicodedata.normalize("NFC", one)


def test_marks_are_composed_in_linear_time() -> None:
    """Four times the marks on a letter take about four times as long."""

    def spent(length: int) -> float:
        begun = time.process_time()
        fold("e" + "\u0301\u0323" * length)
        return time.process_time() - begun

    assert any(spent(40_000) < 9 * spent(10_000) + 0.2 for _ in range(3))
