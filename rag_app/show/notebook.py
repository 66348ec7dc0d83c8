"""How an answer's way looks in Jupyter: what each stage kept and dropped, as tables and bars."""

from dataclasses import dataclass

from rag_app.show.explain import explained
from rag_app.show.html.course import CourseLine, course_of, drops_of
from rag_app.show.html.style import escaped, fragment
from rag_app.show.html.times import times_html
from rag_app.show.shown import Shown
from rag_app.show.tables import Row, Table, table_html

_MOST = 20
"""Passages in the first table; the folded one below it has the others."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an answer was made. Shows itself in Jupyter as tables, elsewhere as text."""

    answer: Shown

    def __str__(self) -> str:
        return explained(self.answer)

    def __repr__(self) -> str:
        return explained(self.answer)

    @property
    def passages(self) -> Table[CourseLine]:
        """Every passage that was seen, best first, with the stage that dropped it and why; `to_pandas()` makes a
        DataFrame of it."""
        lines = course_of(self.answer)
        return Table(lines, map(_row_of, lines), "Passages")

    def _repr_html_(self) -> str:
        trace = self.answer.trace
        reason = f" ({escaped(self.answer.reason)})" if self.answer.reason else ""
        lines = course_of(self.answer)
        threshold = trace.numbers.get("gate.threshold")
        first, others = _passages(lines[:_MOST], threshold), lines[_MOST:]
        folded = (
            f"<details><summary>{len(others)} more passages</summary>{_passages(others, threshold)}</details>"
            if others
            else ""
        )
        drops: list[Row] = [
            {"passages": drop.count, "by": drop.stage, "because": drop.reason} for drop in drops_of(trace)
        ]
        numbers: list[Row] = [{"number": name, "value": value} for name, value in trace.numbers.items()]
        web = "".join(
            f"<li>{escaped(f'{tried.rung}: {tried.query}')} – {tried.verdict}, {tried.usable} of {tried.found} "
            f"usable: {escaped('; '.join(tried.reasons))}</li>"
            for tried in (trace.web.attempts if trace.web else ())
        )
        searches = f"<p>Searched too: {escaped('; '.join(trace.searches))}</p>" if trace.searches else ""
        warnings = "".join(f'<p class="ra-note" role="note">{escaped(warning)}</p>' for warning in trace.warnings)
        return fragment(
            f"<p><b>{escaped(self.answer.status)}</b>{reason}</p>{first}{folded}"
            + ("<p>The red line is the confidence gate.</p>" if threshold is not None else "")
            + (f"<p>Dropped on the way:</p>{table_html(drops)}" if drops else "")
            + (f"<p>Searched on the web:</p><ol>{web}</ol>" if web else "")
            + searches
            + (f"<details><summary>Numbers</summary>{table_html(numbers)}</details>" if numbers else "")
            + times_html(trace.milliseconds)
            + warnings,
            "How the answer came about",
        )


def explain(answer: Shown) -> Explanation:
    """How an answer was made, for a notebook's last line; also `index.explain(question)`."""
    return Explanation(answer)


def _passages(lines: list[CourseLine], threshold: float | None) -> str:
    rows = "".join(
        f"<tr><td>{'' if line.rank is None else line.rank}</td><td>{escaped(line.passage)}</td>"
        f"<td>{_gauge(line.cosine, threshold)}</td>"
        f"<td><b>{escaped(line.fate)}</b>{escaped(f': {line.reason}' if line.reason else '')}</td></tr>"
        for line in lines
    )
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("rank", "passage", "cosine to the question", "how far it came")
    )
    return f'<div class="ra-wide"><table><tr>{head}</tr>{rows}</table></div>'


def _gauge(cosine: float | None, threshold: float | None) -> str:
    """A bar from 0 to 1 with the gate marked on it."""
    if cosine is None:
        return "–"
    gate = "" if threshold is None else f'<i style="left:{_percent(threshold)}"></i>'
    return (
        f'<span class="ra-gauge" aria-hidden="true"><span style="width:{_percent(cosine)}"></span>{gate}</span> '
        f"{cosine:.3f}"
    )


def _percent(cosine: float) -> str:
    return f"{100 * min(max(cosine, 0.0), 1.0):.0f}%"


def _row_of(line: CourseLine) -> Row:
    return {name: getattr(line, name) for name in CourseLine.__slots__}
