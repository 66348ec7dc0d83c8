"""Where the time went: a bar of the stages of an answer."""

from collections.abc import Mapping

from rag_app.show.html.style import escaped

_SMALL = 0.01
"""Stages that took less of the total than this are shown together."""


def times_html(milliseconds: Mapping[str, float]) -> str:
    """A bar with a segment per stage and its legend; empty where nothing was timed."""
    stages = {stage: spent for stage, spent in milliseconds.items() if stage.rpartition(": ")[2] != "total"}
    total = sum(stages.values())
    if total <= 0:
        return ""
    shown = {stage: spent for stage, spent in stages.items() if spent >= _SMALL * total}
    if len(shown) < len(stages):
        shown["others"] = total - sum(shown.values())
    hues = {stage: f"hsl({(number * 137) % 360} 55% 55%)" for number, stage in enumerate(shown)}
    bar = "".join(
        f'<span style="width:{100 * spent / total:.1f}%;background:{hues[stage]}"></span>'
        for stage, spent in shown.items()
    )
    legend = "".join(
        f'<span style="white-space:nowrap"><span class="ra-key" style="background:{hues[stage]}" aria-hidden="true">'
        f"</span>{escaped(stage)} {in_words(spent)}</span> "
        for stage, spent in shown.items()
    )
    return f'<div class="ra-times" aria-hidden="true">{bar}</div><p class="ra-soft">{legend}</p>'


def in_words(milliseconds: float) -> str:
    """“0.4 ms”, “56 ms”, “1.3 s”."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"
