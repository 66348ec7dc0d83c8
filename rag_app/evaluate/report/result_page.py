"""A result as Markdown, and as one HTML page that needs nothing else: no script, font or picture from anywhere."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag_app.evaluate.measures.figures import MEASURES, STRICT, figure
from rag_app.evaluate.report.escaping import escaped, table
from rag_app.evaluate.report.plots import bars, curve, histogram
from rag_app.evaluate.report.templates import template
from rag_app.evaluate.report.why import KINDS, pieces, severity, why
from rag_app.evaluate.run.row import Row

if TYPE_CHECKING:
    from rag_app.evaluate.run.results import Result

_RANKED = 8
"""Documents of a ranking that a report names."""
_SENTENCES = {measure.name: measure.sentence for measure in MEASURES}
_COLUMNS = ("Published", "Strict", "QuotesOutside", "StatementsRight", "EvidenceDelivered")
"""Measures of each category."""


def as_markdown(result: "Result") -> str:
    """The figures, and what is not right, as Markdown."""
    summary, config = result.summary, result.config
    lines = [
        f"# {escaped(result.name)}",
        "",
        escaped(describe(result)),
        "",
        *(f"- {escaped(note)}" for note in notes(result)),
        "",
    ]
    head = ("measure", "value", "interval (95 %)", "rests on", "band over runs")
    lines += table(head, [(f"{name}: {says}", *cells) for name, says, *cells in _overall(summary)])
    lines += ["", *table(("category", "rests on", *_COLUMNS), _categories(summary))]
    lines += ["", *(f"- {escaped(line)}" for line in details(result)), "", "## Not strictly right", ""]
    for row in wrong(result.rows):
        run = f", run {row.run}" if result.runs > 1 else ""
        lines.append(f"- **{escaped(row.case_id)}** ({escaped(row.category)}{run}) {escaped(row.question)}")
        lines += [f"  - {escaped(reason.sentence)}" for reason in why(row, result.cases[row.case_id])]
    if not wrong(result.rows):
        lines.append("Nothing.")
    lines += ["", f"Command: {escaped(config['command'])}" if config["command"] else ""]
    return "\n".join(lines).rstrip() + "\n"


def as_html(result: "Result") -> str:
    """The page. Everything from documents and questions is escaped."""
    return template("report.html").render(**_view(result), whole=True)


def as_fragment(result: "Result") -> str:
    """The figures alone, for a notebook."""
    return template("report.html").render(**_view(result), whole=False)


def describe(result: "Result") -> str:
    """What was asked of what, in a sentence."""
    config, index = result.config, result.config["index"]
    code = config["code"]
    commit = f"{code['commit'][:10]}{' with changes' if code['dirty'] else ''}" if code["commit"] else code["version"]
    asked = f"language model {config['llm']} ({config['mode']})" if config["llm"] != "none" else "no language model"
    runs = f", {result.runs} runs" if result.runs > 1 else ""
    split = f", {config['selection']['split']} questions" if config["selection"]["split"] else ""
    off = f"; switched off: {', '.join(config['settings']['without'])}" if config["settings"]["without"] else ""
    return (
        f"{len(result.cases)} questions of {config['suite']['name']}{split}, asked of {index['state']} "
        f"({index['number_of_documents']} documents, as of {config['as_of']}), {asked}{runs}; code {commit}{off}."
    )


def notes(result: "Result") -> list[str]:
    """What must be known before any figure is believed."""
    summary = result.summary
    found = []
    if result.missing:
        names = ", ".join(dict.fromkeys(case_id for case_id, _ in result.missing))
        found.append(f"Not finished: {len(result.missing)} answers are missing and in no figure: {names}.")
    if result.failed:
        names = ", ".join(dict.fromkeys(row.case_id for row in result.failed))
        found.append(
            f"Errors: {len(result.failed)} of {len(result.rows)} answers failed: {names}. Below they count as not "
            f"right, and not as refusals; without them Strict is {_without_errors(result)}. Retrieval and time leave "
            "them out."
        )
    if summary["retried"]:
        found.append(f"Asked again after an error, which flatters: {', '.join(summary['retried'])}.")
    if summary["degraded"]:
        found.append(f"Degraded, since a model or an index was missing: {', '.join(summary['degraded'])}.")
    if summary["forbidden"]:
        found.append(f"LEAKS, documents named that the asker may not read: {', '.join(summary['forbidden'])}.")
    return found


def in_words(result: "Result") -> str:
    """What came out, in sentences without a statistic."""
    rows = result.rows
    expected = [row for row in rows if result.cases[row.case_id]["answerable"]]
    not_expected = [row for row in rows if not result.cases[row.case_id]["answerable"]]
    refused = sum(row.outcome == "refused" for row in expected)
    answered = sum(row.outcome in ("answered", "ungrounded") for row in not_expected)
    failed = sum(row.failed for row in rows)
    said = [f"{sum(row.strict for row in rows)} of {len(rows)} answers are right by the strict rule."]
    if expected:
        said.append(f"Refused although the documents hold an answer: {refused} of {len(expected)}.")
    if not_expected:
        said.append(f"Answered although they hold none: {answered} of {len(not_expected)}.")
    if failed:
        said.append(f"Ended in an error: {failed} of {len(rows)}.")
    return " ".join(said)


def details(result: "Result") -> list[str]:
    """The outcome in words, then abstention, retrieval, time and cost, a line each."""
    summary = result.summary
    lines = [in_words(result)]
    if found := summary["abstention"]:
        named = (f"{name} {_cell(found[name])} of {found[name]['of']}" for name in ("precision", "recall", "coverage"))
        lines.append(f"Abstention: {', '.join(named)}.")
    if found := summary["risk_coverage"]:
        answers = sum(row.outcome == "answered" and row.run == 1 for row in result.rows)
        lines.append(f"Risk by coverage of {answers} answers: area {found['area']:.3f}, at best {found['best']:.3f}.")
    for level, measured in result.measured.get("retrieval", {}).items():
        values = ", ".join(f"{name} {of['mean']:.3f}" for name, of in measured.items())
        questions = max((of.get("questions", 0) for of in measured.values()), default=0)
        lines.append(f"Retrieval of {level}: {values} ({questions} questions).")
    if (times := summary["milliseconds"])["p50"] is not None:
        answered = sum(not row.failed for row in result.rows)
        lines.append(f"Time for a question ({answered} rows): p50 {times['p50']:.0f} ms, p95 {times['p95']:.0f} ms.")
    if model := summary["model"]:
        cost = "no price is stated"
        if model["price"]:
            cost = f"{model['cost']:.4f} {model['price']['currency']} at prices stated on {model['price']['stated']}"
        estimated = " (estimated)" if model["tokens_estimated"] else ""
        lines.append(
            f"Model {model['name']}: {model['calls_per_question']:.2f} calls a question ({len(result.rows)} rows), "
            f"{model['input_tokens']:,} tokens in and {model['output_tokens']:,} out{estimated}; {cost}."
        )
    if summary["reasons"]:
        lines.append(
            "Refusals: " + ", ".join(f"{count} {reason}" for reason, count in summary["reasons"].items()) + "."
        )
    return lines


def wrong(rows: Sequence[Row]) -> list[Row]:
    """Rows that are not strictly right."""
    return [row for row in rows if not row.strict or row.forbidden]


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def span(of: Mapping[str, Any]) -> str:
    return f"{100 * of['low']:.1f} to {100 * of['high']:.1f}"


def _without_errors(result: "Result") -> str:
    answered = [row for row in result.rows if not row.failed]
    found = figure(answered, STRICT, result.groups)
    return "unknown" if found is None else f"{percent(found.value)} of {found.questions} questions"


def _overall(summary: Mapping[str, Any]) -> list[tuple[str, str, str, str, str, str]]:
    return [
        (name, sentence, percent(of["value"]), span(of), _rests(of), _band(of))
        for name, sentence in _SENTENCES.items()
        if (of := summary["overall"].get(name))
    ]


def _categories(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (name, _rests(found["Strict"]), *(_cell(found.get(key)) for key in _COLUMNS))
        for name, found in summary["categories"].items()
    ]


def _rests(of: Mapping[str, Any]) -> str:
    """What a figure rests on."""
    rows = f", {of['rows']} rows" if of["rows"] > of["questions"] else ""
    return f"{of['questions']} questions about {of['groups']} groups of documents{rows}"


def _band(of: Mapping[str, Any]) -> str:
    return "–" if len(of["by_run"]) < 2 else f"{percent(min(of['by_run']))} to {percent(max(of['by_run']))}"


def _cell(of: Mapping[str, Any] | None) -> str:
    return "–" if of is None or of["value"] is None else f"{percent(of['value'])} ({span(of)})"


def _view(result: "Result") -> dict[str, Any]:
    summary = result.summary
    times = [row.milliseconds["total"] for row in result.rows if not row.failed]
    risk = summary["risk_coverage"]
    rows = [_row(row, result.cases[row.case_id], result) for row in result.rows]
    kinds = {reason.kind for one in rows for reason in one["why"]}
    return {
        "title": result.name,
        "result": result,
        "filters": bool(rows),
        "description": describe(result),
        "notes": notes(result),
        "overall": _overall(summary),
        "columns": ("rests on", *_COLUMNS),
        "categories": _categories(summary),
        "details": details(result),
        "bars": bars({name: [found["Published"], found["Strict"]] for name, found in summary["categories"].items()}),
        "times": histogram(times),
        "risk": curve([(point["coverage"], point["risk"]) for point in risk["points"]]) if risk else "",
        "rows": sorted(rows, key=lambda one: one["severity"]),
        "kinds": [kind for kind in KINDS if kind in kinds],
        "pieces": pieces,
    }


def _row(row: Row, case: Mapping[str, Any], result: "Result") -> dict[str, Any]:
    ranked = dict.fromkeys(place.document_id for place in row.retrieved)
    right = {*case["expected_documents"], *case["also_right"]}
    is_right = row.strict and not row.forbidden
    reasons = [] if is_right else why(row, case)
    labels = row.score.labels if row.score and row.score.labels else ("",) * len(row.quotes)
    return {
        "row": row,
        "case": case,
        "is_right": is_right,
        "why": reasons,
        "severity": severity(row, reasons),
        "tags": [
            row.category,
            row.outcome,
            "(right)" if is_right else "(wrong)",
            *(f"({one.kind})" for one in reasons),
        ],
        "ranked": [(name, name in right) for name in list(ranked)[:_RANKED]],
        "quotes": [
            (quote, label in ("needed", "right") if label else quote.document_id in right, label)
            for quote, label in zip(row.quotes, labels, strict=True)
        ],
        "kept": [place.name for place in row.kept],
        "relevant": [] if is_right else result.measured.get("relevant", {}).get(row.case_id, []),
        "numbers": ", ".join(f"{name} {value:g}" for name, value in row.numbers.items()),
    }
