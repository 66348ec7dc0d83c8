"""JSON in what a model said."""

from rag_app.llm.json_reply import json_values


def test_values_behind_prose_with_brackets() -> None:
    """JSON is found behind brackets that open none."""
    assert json_values('Of {these} I choose [{see below}]: {"parts": []}') == [{"parts": []}]


def test_a_fence_around_the_json() -> None:
    """A fence in the first and the last line is no part of what stands between them; one alone is none."""
    assert json_values('```json\n\n["2.3"]\n```\n') == [["2.3"]]
    assert json_values('```json\n["2.3"]') == []
