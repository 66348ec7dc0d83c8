"""How an answer came about, from its trace, as text."""

from rag_app.show.lines import breadcrumb
from rag_app.show.shown import Shown


def explained(answer: Shown) -> str:
    """How the answer came about, for a person: what was found, what each stage dropped and why, the numbers."""
    trace = answer.trace
    lines = [f"Status: {answer.status}" + (f" ({answer.reason})" if answer.reason else "")]
    for heading, hits in (("Retrieved", trace.retrieved[:10]), ("Reached the evidence", trace.kept)):
        lines.append(f"{heading}:")
        for hit in hits:
            cosine = "" if hit.cosine is None else f"  cosine {hit.cosine:.3f}"
            lines.append(f"  {breadcrumb(hit.title, hit.section)} [{hit.start}:{hit.end}]{cosine}")
    dropped: dict[tuple[str, str], int] = {}
    for drop in trace.dropped:
        dropped[drop.stage, drop.reason] = dropped.get((drop.stage, drop.reason), 0) + 1
    lines.append("Dropped:")
    lines.extend(f"  {count} by {stage}: {reason}" for (stage, reason), count in dropped.items())
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
    return "\n".join(lines)
