"""Marks answers against a reference, blind: the judge sees letters in a drawn order, and never whose answer it is.

Replies are read strictly. "8/10" is 8, "7.5" is 7.5, "10/10" is 10; what is not a mark from 0 to 10 is missing, and
missing is not 0: a figure that counts what a judge failed to say as a failure of the answer measures the judge.
"""

import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag_app.errors import ModelError, RecordingMissing
from rag_app.evaluate.cases.schema import Case
from rag_app.llm import ModelCall, call_llm
from rag_app.prompts import load_prompt
from rag_app.synthesize.showing import show_line

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

HIGHEST = 10.0
NO_ANSWER = "There is no answer: it is not said, or the thing asked about does not exist. The right answer says so."
_REPLY_TOKENS = 200
_FENCE = re.compile(r"<(?=\s*/?\s*answers)", re.IGNORECASE)
_MARK = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*(?:/|out of)\s*([0-9]+(?:\.[0-9]+)?))?")
_OTHER_SCALE = re.compile(r"\s*(?:%|per ?cent|/|(?:out )?of\b(?! ten\b))", re.IGNORECASE)
_LINE = re.compile(r"[\W_]*(?:answer\s+)?[\W_]*([A-Z])[\W_]*\s*[:=][\s*_`\"']*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of the answers to one question."""

    letters: Mapping[str, str]
    """The letter behind which each answer stood, by its name."""
    scores: Mapping[str, float | None]
    """0 to 10, by the answer's name; None where there is no mark."""
    reply: str = ""
    error: str | None = None
    """`TypeName: sentence` where the judge could not be asked."""
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False


def judge_answers(llm: "LLM", case: Case, answers: Mapping[str, str], *, seed: int, seconds: float) -> Judgement:
    """Has `llm` mark the answers to a case, by name. The same seed and case give the same order.

    Raises:
        SetupError: the judge cannot be asked before somebody puts it right, other than by recording it.
    """
    if not answers:
        return Judgement({}, {})
    names = sorted(answers)
    random.Random(f"{seed} {case.id}").shuffle(names)
    letters = {name: chr(ord("A") + place) for place, name in enumerate(names)}
    call = _call(case, [(letters[name], answers[name]) for name in names])
    try:
        reply = call_llm(llm, call, deadline=time.monotonic() + seconds)
    except (ModelError, RecordingMissing) as error:
        return Judgement(letters, dict.fromkeys(names), error=f"{type(error).__name__}: {error}")
    marks = parse_scores(reply.text, list(letters.values()))
    return Judgement(
        letters,
        {name: marks[letter] for name, letter in letters.items()},
        reply.text,
        None,
        reply.input_tokens,
        reply.output_tokens,
        reply.estimated,
    )


def parse_scores(reply: str, letters: Sequence[str]) -> dict[str, float | None]:
    """The mark behind each letter: from the last JSON object that has any, else from lines such as `A: 8/10`.

    None for a letter that has no mark, two that differ, or one that is out of range.
    """
    said = _from_json(reply, letters) or _from_lines(reply, letters)
    return {letter: said.get(letter) for letter in letters}


def parse_score(value: Any) -> float | None:
    """A mark from 0 to 10, or None: of a number, or of a text that is a mark and nothing else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        mark, out_of = value, HIGHEST
    elif isinstance(value, str) and (found := _MARK.fullmatch(value.strip(" \t\r\n*_`\"'"))):
        mark, out_of = float(found[1]), float(found[2] or HIGHEST)
    else:
        return None
    return float(mark) if out_of == HIGHEST and 0 <= mark <= HIGHEST else None


def _call(case: Case, answers: Sequence[tuple[str, str]]) -> ModelCall:
    letters = ", ".join(letter for letter, _ in answers)
    messages = load_prompt("judge").messages(
        question=show_line(case.question),
        truth=show_line(case.ground_truth) if case.answerable else NO_ANSWER,
        answers="\n\n".join(f"{letter}: {_FENCE.sub('‹', show_line(text))}" for letter, text in answers),
        letters=letters,
    )
    marks = {letter: {"type": "number", "minimum": 0, "maximum": HIGHEST} for letter, _ in answers}
    scores = {"type": "object", "properties": marks, "required": list(marks), "additionalProperties": False}
    schema = {"type": "object", "properties": {"scores": scores}, "required": ["scores"], "additionalProperties": False}
    return ModelCall(messages, schema, _REPLY_TOKENS, "judge")


def _from_json(reply: str, letters: Sequence[str]) -> dict[str, float | None]:
    decoder, found = json.JSONDecoder(object_pairs_hook=_once), dict[str, float | None]()
    place = 0
    while (place := reply.find("{", place)) >= 0:
        try:
            said, end = decoder.raw_decode(reply, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        place = end
        marks = said.get("scores", said) if isinstance(said, dict) else None
        if isinstance(marks, dict) and any(letter in marks for letter in letters):
            found = {letter: parse_score(marks[letter]) for letter in letters if letter in marks}
    return found


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object, in which a name that is given two values has none."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = value if found.get(name, value) == value else None
    return found


def _from_lines(reply: str, letters: Sequence[str]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for line in reply.splitlines():
        if not (said := _LINE.fullmatch(line.strip())) or (letter := said[1].upper()) not in letters:
            continue
        mark = _leading_score(said[2])
        found[letter] = mark if found.get(letter, mark) == mark else None
    return found


def _leading_score(text: str) -> float | None:
    """The mark with which a line begins, where no other figure follows: "8/10, but short", not "8 or 9"."""
    begun = _MARK.match(text)
    rest = text[begun.end() :] if begun else ""
    if begun is None or re.search(r"\d", rest) or rest[:1].isalnum() or _OTHER_SCALE.match(rest):
        return None
    return parse_score(begun[0])
