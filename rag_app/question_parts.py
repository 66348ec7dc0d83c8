"""The questions within a question: "How long is it, and who approves it?" asks two things.

Cut by the interrogative words of English alone, and only where both sides stand as questions. Where in doubt a
question stays whole: one part too few costs a little recall, a wrong cut changes what is asked.
"""

import re
from dataclasses import dataclass

_WH = r"who|whom|whose|what|when|where|which|why|how"
_AUXILIARY = r"is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|am"
_BEFORE_WH = (
    r"for|to|from|by|at|in|on|with|under|over|above|below|during|after|before|within|until|till|since|per|through|"
    r"up to|down to"
)
_SUBJECT = r"i|we|you|he|she|it|they|there|this|that|these|those|the|a|an|my|our|your|any|anyone|someone|everyone"
_ASKS = re.compile(rf"\b(?:{_WH})\b|^\W*(?:{_AUXILIARY})\b", re.IGNORECASE)
_JOINT = re.compile(
    rf"(?:,|;)?\s+(?:and|or|but)\s+(?:also\s+)?(?=(?:(?:{_BEFORE_WH})\s+)?(?:{_WH})\b"
    rf"|(?:{_AUXILIARY})\s+(?:{_SUBJECT})\b)|[,;]\s+(?=(?:{_WH})\s+(?:{_AUXILIARY})\b)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=\w[?!.])\s+(?=[A-Z])|(?<=[？。！])(?=\S)")
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|theirs|this|that|these|those|he|she|him|her|one|ones|so)\b", re.I
)
_PREPOSITION = r"in|at|on|for|by|to|from|with|under|during|after|before|per|of|through|via"
_TWICE = re.compile(
    rf"^(?P<stem>.+?)\s(?P<first>(?P<prep>{_PREPOSITION})\s[^,;]+?),?\s+(?:and|or)\s+(?P<second>(?P=prep)\s[^,;]+?)"
    r"(?P<end>\W*)$",
    re.IGNORECASE,
)
"""One preposition twice: "What does it cost by rail and by road?"."""
_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"\bbetween\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked."""

    text: str
    """In the question's own words."""
    context: str = ""
    """What must be read with it to understand it: the sentences before the question, or the part it points back to."""

    @property
    def query(self) -> str:
        """The part with its context, for searching and for judging passages."""
        return f"{self.context} {self.text}".strip()


def split_parts(question: str) -> tuple[Part, ...]:
    """The parts of `question`, at least one, in their order."""
    whole = " ".join(question.split())
    setting: list[str] = []
    asked: list[str] = []
    for sentence in _ENDS.split(whole):
        if _ASKS.search(sentence) or sentence.endswith(("?", "？")):
            asked.extend(_cut(sentence))
        else:
            setting.append(sentence)
    if len(asked) < 2:
        return (Part(whole),)
    before = " ".join(setting)
    first = asked[0]
    parts = [Part(first, before)]
    for text in asked[1:]:
        context = f"{before} {first}".strip() if _needs_context(text) else before
        parts.append(Part(text, context))
    return tuple(parts)


def _cut(sentence: str) -> list[str]:
    pieces = [sentence]
    for joint in _JOINT.finditer(sentence):
        left = pieces[-1][: joint.start() - (len(sentence) - len(pieces[-1]))]
        right = sentence[joint.end() :]
        if _stands(left, 3) and _stands(right, 2) and not _BETWEEN.search(left):
            pieces[-1:] = [left, right]
    return [half for piece in pieces for half in _halves(piece)]


def _halves(piece: str) -> list[str]:
    """ "What does it cost by rail and by road?" as "What does it cost by rail?" and "What does it cost by road?"."""
    twice = _TWICE.match(piece)
    if twice is None or not _stands(twice["stem"], 2) or _BETWEEN.search(piece):
        return [piece]
    return [f"{twice['stem']} {twice[half]}{twice['end']}" for half in ("first", "second")]


def _stands(text: str, words: int) -> bool:
    return len(_WORD.findall(text)) >= words and bool(_ASKS.search(text))


def _needs_context(text: str) -> bool:
    return bool(_POINTS_BACK.search(text)) or len(_WORD.findall(text)) < 6
