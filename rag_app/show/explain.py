"""How an answer was made, from its trace, as text."""

from rag_app.show.html.course import course_of, drops_of
from rag_app.show.lines import printable
from rag_app.show.shown import Shown

_MOST = 20
"""Passages that are listed."""


def explained(answer: Shown) -> str:
    """How the answer was made, for a person: what was found, what each stage dropped and why, the numbers."""
    trace = answer.trace
    lines = [f"Status: {answer.status}" + (f" ({answer.reason})" if answer.reason else "")]
    course = course_of(answer)
    lines.append("Passages, best first, and how far each came:")
    for line in course[:_MOST]:
        cosine = "" if line.cosine is None else f"  cosine {line.cosine:.3f}"
        because = f": {line.reason}" if line.reason else ""
        rank = "   +" if line.rank is None else f"{line.rank:4}"
        lines.append(f"{rank}  {line.passage} [{line.start}:{line.end}]{cosine}  {line.fate}{because}")
    if len(course) > _MOST:
        lines.append(f"      and {len(course) - _MOST} more")
    lines.append("Dropped:")
    lines.extend(f"  {drops.count} by {drops.stage}: {drops.reason}" for drops in drops_of(trace))
    lines.append("Numbers: " + ", ".join(f"{name} {value:g}" for name, value in trace.numbers.items()))
    lines.append("Milliseconds: " + ", ".join(f"{stage} {spent:.1f}" for stage, spent in trace.milliseconds.items()))
    if trace.searches:
        lines.append("Searched too: " + "; ".join(trace.searches))
    if trace.web:
        lines.append(f"Web ({trace.web.region}, query by {trace.web.gate}): {trace.web.verdict}")
        for number, attempt in enumerate(trace.web.attempts):
            mark = "  kept" if number == trace.web.kept else ""
            lines.append(
                f"  {attempt.rung}: {attempt.query} [{attempt.topic}] {attempt.verdict}, {attempt.usable} of "
                f"{attempt.found} usable, {attempt.local} local ({'; '.join(attempt.reasons)}){mark}"
            )
    if trace.model_calls:
        lines.append(f"Model: {trace.model_calls} calls, {trace.input_tokens} + {trace.output_tokens} tokens")
    lines.extend(f"Warning: {warning}" for warning in trace.warnings)
    return printable("\n".join(lines))
