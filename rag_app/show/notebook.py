"""How an answer's way looks in Jupyter: what each stage kept and dropped, as tables and bars."""

import html
from collections import Counter
from dataclasses import dataclass

from rag_app.show.explain import explained
from rag_app.show.lines import breadcrumb
from rag_app.show.shown import Shown
from rag_app.trace import Hit

_TABLE = "border-collapse:collapse;text-align:left"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Shows itself in Jupyter as HTML, elsewhere as text."""

    answer: Shown

    def __str__(self) -> str:
        return explained(self.answer)

    def _repr_html_(self) -> str:
        trace = self.answer.trace
        reason = f" ({html.escape(self.answer.reason)})" if self.answer.reason else ""
        kept = {(hit.document_id, hit.start) for hit in trace.kept}
        cited = {(quote.document_id, quote.context_start) for quote in self.answer.quotes}
        threshold = trace.numbers.get("gate.threshold")
        rows = "".join(_row(hit, kept, cited, threshold) for hit in trace.retrieved[:20])
        drops = Counter((drop.stage, drop.reason) for drop in trace.dropped)
        dropped = "".join(
            f"<tr><td>{count}</td><td>{html.escape(stage)}</td><td>{html.escape(why)}</td></tr>"
            for (stage, why), count in drops.items()
        )
        numbers = ", ".join(f"{html.escape(name)} = {value:g}" for name, value in trace.numbers.items())
        spent = ", ".join(f"{html.escape(stage)} {ms:.1f}" for stage, ms in trace.milliseconds.items())
        web = "".join(
            f"<li>{html.escape(f'{tried.rung}: {tried.query}')} – {tried.verdict}, {tried.usable} of {tried.found} "
            f"usable: {html.escape('; '.join(tried.reasons))}</li>"
            for tried in (trace.web.attempts if trace.web else ())
        )
        warnings = "".join(f"<p>⚠ {html.escape(warning)}</p>" for warning in trace.warnings)
        return (
            f"<div class='rag-app'><p><b>{self.answer.status}</b>{reason}</p>"
            f"<table style='{_TABLE}'><tr><th>retrieved passage</th><th>cosine to the question</th><th>fate</th></tr>"
            f"{rows}</table><p>The red line is the confidence gate. Dropped on the way:</p>"
            f"<table style='{_TABLE}'><tr><th>passages</th><th>by</th><th>because</th></tr>{dropped}</table>"
            f"{f'<p>Searched on the web:</p><ol>{web}</ol>' if web else ''}"
            f"<p>{numbers}</p><p>Milliseconds: {spent}</p>{warnings}</div>"
        )


def explain(answer: Shown) -> Explanation:
    """How an answer came about, for a notebook's last line."""
    return Explanation(answer)


def _row(hit: Hit, kept: set[tuple[str, int]], cited: set[tuple[str, int]], threshold: float | None) -> str:
    name = html.escape(breadcrumb(hit.title, hit.section))
    place = (hit.document_id, hit.start)
    fate = "<b>quoted</b>" if place in cited else "evidence" if place in kept else "dropped"
    return f"<tr><td>{name}</td><td>{_bar(hit.cosine, threshold)}</td><td>{fate}</td></tr>"


def _bar(cosine: float | None, threshold: float | None) -> str:
    """A bar from 0 to 1 with the gate marked on it."""
    if cosine is None:
        return "–"
    width = round(200 * min(max(cosine, 0.0), 1.0))
    line = (
        ""
        if threshold is None
        else (
            f"<span style='position:absolute;left:{round(200 * min(max(threshold, 0.0), 1.0))}px;top:0;bottom:0;"
            "border-left:2px solid #c62828'></span>"
        )
    )
    return (
        "<span style='position:relative;display:inline-block;width:200px;height:1em;background:#eee'>"
        f"<span style='display:inline-block;height:1em;width:{width}px;background:#8fb4f0'></span>{line}</span>"
        f" {cosine:.3f}"
    )
