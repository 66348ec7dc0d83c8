"""Plots as inline SVG, in the colours of the page around them: they read in light and dark, and are the same each time.

Every text is escaped.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_WIDTH, _LEFT, _LINE = 640, 130, 40
_PLOT = _WIDTH - _LEFT - 60


def bars(categories: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Two bars a category, for two shares with their intervals; `rule-0` and `rule-1` colour them."""
    height = _LINE * len(categories) + 24
    parts = []
    for number, (name, shares) in enumerate(categories.items()):
        top = _LINE * number
        parts.append(_text(_LEFT - 8, top + 22, name, "end"))
        for rule, share in enumerate(shares):
            y = top + 5 + 15 * rule
            middle = y + 6
            parts.append(
                f'<rect class="rule-{rule}" x="{_LEFT}" y="{y}" width="{_number(_PLOT * share["value"])}" height="12"/>'
            )
            low, high = (_number(_LEFT + _PLOT * share[end]) for end in ("low", "high"))
            parts.append(
                f'<path class="whisker" d="M{low} {middle}H{high}M{low} {middle - 3}v6M{high} {middle - 3}v6"/>'
            )
            parts.append(_text(_LEFT + _PLOT + 8, y + 10, f"{100 * share['value']:.0f} %"))
    for percent in range(0, 101, 25):
        parts.append(_text(_LEFT + _PLOT * percent / 100, height - 6, f"{percent} %", "middle"))
    return _svg(height, "Share right by category, published rule above the strict one", parts)


def histogram(milliseconds: Sequence[float], columns: int = 24) -> str:
    """How long questions took; the last column holds everything above the 99th percentile."""
    if not milliseconds:
        return ""
    ordered = sorted(milliseconds)
    top = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))] or 1.0
    counts = [0] * columns
    for value in ordered:
        counts[min(columns - 1, int(columns * value / top))] += 1
    width, tall = _PLOT / columns, 120
    parts = []
    for column, count in enumerate(counts):
        high = tall * count / max(counts)
        x, y = _number(_LEFT + width * column), _number(10 + tall - high)
        parts.append(f'<rect class="rule-1" x="{x}" y="{y}" width="{_number(width - 1)}" height="{_number(high)}"/>')
    parts.append(_text(_LEFT - 8, 20, f"{max(counts)} questions", "end"))
    parts += [_text(_LEFT + _PLOT * share, tall + 26, f"{top * share:.0f} ms", "middle") for share in (0, 0.5, 1)]
    return _svg(tall + 34, "Time for a question", parts)


def curve(points: Sequence[tuple[float, float]]) -> str:
    """Risk by coverage: both from 0 to 1."""
    tall = 160
    path = " ".join(f"{_number(_LEFT + _PLOT * x)},{_number(10 + tall * (1 - y))}" for x, y in points)
    parts = [
        f'<path class="whisker" d="M{_LEFT} 10V{tall + 10}H{_LEFT + _PLOT}"/>',
        f'<polyline class="line" points="{path}"/>',
    ]
    for share in (0, 0.5, 1):
        parts.append(_text(_LEFT + _PLOT * share, tall + 26, f"{100 * share:.0f} %", "middle"))
        parts.append(_text(_LEFT - 8, 14 + tall * (1 - share), f"{100 * share:.0f} %", "end"))
    return _svg(tall + 34, "Share of wrong answers, by the share of the answers that are given, surest first", parts)


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_number(height)}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{_number(x)}" y="{_number(y)}" text-anchor="{anchor}">{escape(text)}</text>'


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
