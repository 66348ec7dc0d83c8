"""The questions within a question.

"How long is it, and who approves it?" asks two things. Questions are split by the interrogative words of English alone,
and only where both sides stand as questions. Where in doubt a question stays whole: one part too few costs a little
recall, a wrong split changes what is asked.
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
_ASKS = re.compile(rf"\b(?:{_WH})\b|^\W*(?:compare|{_AUXILIARY})\b", re.IGNORECASE)
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
_NAME = r"[A-Z][\w’'-]*(?: [A-Z0-9][\w’'-]*)*"
_TWO_NAMES = re.compile(
    rf"(?<=[\w,] )(?P<first>{_NAME})(?:,? and|,? or| with| vs\.?| versus) (?P<second>{_NAME})(?=\W|$)"
)
_TWO_NOUNS = re.compile(
    r"\b(?P<first>(?P<article>the|an?|my|our|your) [a-z][\w-]*),? (?:and|or|vs\.?|versus) "
    r"(?P<second>(?P=article) [a-z][\w-]*)"
    r"(?= (?:cost|work|differ|take|last|need|require|have|do|get|say|start|open|close)\b)"
)
_THAN = re.compile(rf"(?<=\w )(?P<first>{_NAME})(?P<middle> [^.?!]*?) than (?P<second>{_NAME})(?=\W|$)")
_REQUESTS = re.compile(
    rf"\W*(?:(?:{_BEFORE_WH})\s+)?(?:{_WH})\b|\W*(?:please\s+)?(?:tell|explain|list|name|give|show|describe|say)\b",
    re.IGNORECASE,
)
"""How a sentence without a question mark asks something all the same."""
_ABOUT = re.compile(r"\b(?:what|how) about\s", re.IGNORECASE)
_DETERMINED = re.compile(r"(?:the|my|our|your|his|her|their|its|a|an|any)\s", re.IGNORECASE)
_BETWEEN_ITEMS = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)
_LONGEST_ITEM = 5  # words of a thing that is one of several asked about
_THING = r"(?:[\w’'-]+ ){0,4}[\w’'-]+"
_DIFFERENCE = re.compile(
    rf"(?P<between>(?:the )?differences? between )(?P<first>{_THING}) and (?P<second>{_THING})(?=\W*$)", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"\bbetween\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked."""

    text: str
    """In the question's own words."""
    context: str = ""
    """What must be read with it to understand it: the sentences before the question, or the part it points back to."""
    is_follow_up: bool = False
    """Whether the context comes from earlier turns of a conversation. Then what answers the context alone is not asked
    for, and passages are judged by the part alone too."""

    @property
    def query(self) -> str:
        """The part with its context, for searching and for judging passages."""
        return f"{self.context} {self.text}".strip()

    @property
    def readings(self) -> tuple[str, ...]:
        """The texts that passages are judged by; the last is the narrowest."""
        return (self.query, self.text) if self.is_follow_up and self.context else (self.query,)


def split_parts(question: str) -> tuple[Part, ...]:
    """The parts of `question`, at least one, in their order."""
    whole = " ".join(question.split())
    setting: list[str] = []
    asked: list[str] = []
    sentences = _ENDS.split(whole)
    has_mark = any(sentence.endswith(("?", "？")) for sentence in sentences)
    for sentence in sentences:
        # Beside a question, "The supplier who wrote to us is new." only says what it is about.
        asks = _REQUESTS.match(sentence) if has_mark else _ASKS.search(sentence)
        if asks or sentence.endswith(("?", "？")):
            asked.extend(_cut(sentence))
        else:
            setting.append(sentence)
    if len(asked) < 2:
        return (Part(whole),)
    before = " ".join(setting)
    first = asked[0]
    parts = [Part(first, before)]
    for text in asked[1:]:
        is_beside = _is_twin(text, first) or (_ABOUT.search(first) and _ABOUT.search(text))
        context = f"{before} {first}".strip() if _needs_context(text) and not is_beside else before
        parts.append(Part(text, context))
    return tuple(parts)


def _cut(sentence: str) -> list[str]:
    pieces = [sentence]
    for joint in _JOINT.finditer(sentence):
        left = pieces[-1][: joint.start() - (len(sentence) - len(pieces[-1]))]
        right = sentence[joint.end() :]
        if _stands(left, 3) and _stands(right, 2) and not _BETWEEN.search(left):
            pieces[-1:] = [left, right]
    return [text for piece in pieces for half in (_subjects(piece) or _halves(piece)) for text in _listed(half)]


def _listed(piece: str) -> list[str]:
    """ "What about the deposit, the keys, and the permit?" as one question about each of them."""
    about = _ABOUT.search(piece)
    if about is None:
        return [piece]
    end = re.search(r"\W*$", piece)
    last = end.start() if end else len(piece)
    items = _BETWEEN_ITEMS.split(piece[about.end() : last])
    is_list = len(items) > 2 or all(_DETERMINED.match(item) for item in items)
    if len(items) < 2 or not is_list or not all(0 < len(_WORD.findall(item)) <= _LONGEST_ITEM for item in items):
        return [piece]
    return [f"{piece[: about.end()]}{item}{piece[last:]}" for item in items]


def _halves(piece: str) -> list[str]:
    """ "What does it cost by rail and by road?" as "What does it cost by rail?" and "What does it cost by road?"."""
    twice = _TWICE.match(piece)
    if twice is None or not _stands(twice["stem"], 2) or _BETWEEN.search(piece):
        return [piece]
    return [f"{twice['stem']} {twice[half]}{twice['end']}" for half in ("first", "second")]


def _subjects(piece: str) -> list[str]:
    """ "What do Elm House and Oak House cost?" as the same question about each; empty where it names no two subjects.

    They are two names, or two nouns behind the same article, joined by "and", "or", "with" or "than". After a "between"
    they are one thing, except where the difference is asked for, which what each of them is shows."""
    if (two := _DIFFERENCE.search(piece)) and _REQUESTS.match(piece) and _are_of_one_kind(two["first"], two["second"]):
        return [f"{piece[: two.start()]}{two[one]}{piece[two.end() :]}" for one in ("first", "second")]
    for pattern in (_TWO_NAMES, _TWO_NOUNS, _THAN):
        found = pattern.search(piece)
        if found is None or _BETWEEN.search(piece) or found["first"].casefold() == found["second"].casefold():
            continue
        before, after = piece[: found.start("first")], piece[found.end("second") :]
        middle = "" if pattern is not _THAN else found["middle"]
        whole = [f"{before}{found[one]}{middle}{after}" for one in ("first", "second")]
        if _stands(whole[0], 3):
            return whole
    return []


def _are_of_one_kind(first: str, second: str) -> bool:
    """Whether each of two things stands for itself: of "gross and net pay" the first one does not."""
    is_named = all(_DETERMINED.match(one) or one[0].isupper() or one[0] == "-" for one in (first, second))
    return is_named or (first.split()[1:] == second.split()[1:] != [] and not _ASKS.search(first))


def _stands(text: str, words: int) -> bool:
    return len(_WORD.findall(text)) >= words and bool(_ASKS.search(text))


def _needs_context(text: str) -> bool:
    return bool(_POINTS_BACK.search(text)) or len(_WORD.findall(text)) < 6


def _is_twin(text: str, first: str) -> bool:
    """Whether a part asks the same as the first one about another subject, in its own words."""
    mine, theirs = (_WORD.findall(part.casefold()) for part in (text, first))
    return mine[0] == theirs[0] and not _POINTS_BACK.search(text) and 2 * len({*mine} & {*theirs}) >= len({*mine})


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def asking_sentences(question: str) -> str:
    """The sentences of a question that ask, apart from those that set the scene: "I am off Monday. What do I bill?".

    Those with a question mark; without any, the last one.
    """
    sentences = _SENTENCE_END.split(question)
    return " ".join(sentence for sentence in sentences if "?" in sentence) or sentences[-1]
