"""Sentences with exact places, by nupunkt, and the rules that repair its cuts.

A cut in the wrong place changes what is said ("Not in Sec." / "2 of the plan"); a missing cut only makes a statement
longer. So the rules take cuts away, by the lists of `abbreviations.py`. `_OTHER_STOPS` adds some: the full stops of
scripts that nupunkt does not know, full stops that emphasis or a closing tag hides from it, and those before a function
word; `_WORD_STOP` those that nupunkt takes for an abbreviation's ("by the CTO. Requests above", "on the bus. Late").
"""

import re
from bisect import bisect_left
from functools import lru_cache

from nupunkt import PunktSentenceTokenizer
from nupunkt.models import load_default_model

from rag_app.document import Span
from rag_app.text.abbreviations import (
    CLOSING_LISTS,
    COMMON_WORDS,
    ENGLISH_WORDS,
    NEVER_LAST,
    SELDOM_LAST,
    STARTERS,
    UNITS,
)
from rag_app.text.closed_spans import OPENING, TAG, closed_spans
from rag_app.text.markdown import blank_comments

_SUBORDINATE = re.compile(
    r"(?:except(?:ing)?|excluding|unless|provided(?:\s+that)?)\b"
    r"|(?:not|nor|other\s+than|save|only\s+(?:if|when|where|for|with|after|until|in|on|by))\b[^,]*$",
    re.IGNORECASE,
)
"""A sentence of this kind limits the one before it. The first words do so with a comma too: "Unless a lamp is lit, in
which case ..." has no main clause, and where one has ("Unless you hold a pass, wait here.") nothing is lost."""

_OTHER_STOPS = re.compile(
    r"[。！？｡](?=[^\s。！？｡」』）》】”’\"')\]])"  # Chinese and Japanese need no space after a full stop
    r"|[。！？｡؟۔।॥።։][」』）》】”’\"')\]]{0,6}\s+"
    r"|[.!?][\"'”’)\]]{0,4}[*_~†‡⁰¹²³⁴-⁹][*_~†‡⁰¹²³⁴-⁹\"'”’)\]]{0,6}\s+"
    r"|</(?:p|li|tr|dd|dt|div|h\d|summary)>\s+"
    r"|(?<=[a-z]{4})\.\s+(?=@\w{2}|[a-z][\w.-]{2,}\([\w ]*\))"  # "journalctl(1) shows ...", "@params are ..."
    rf"|(?<=[a-z]{{3}})\.\s+(?=(?:{'|'.join(sorted(map(str.title, STARTERS)))})\s)",
)
_BEHIND = re.compile(r"\s(?:\[\^?\d{1,3}\]|[:;]-?[)D(])$")
_CALLED = re.compile(r"[a-z][\w.-]{2,}\([\w ]*\)")
"""The name of a command or function, which stays in small letters at the beginning of a sentence."""
_WORD_STOP = re.compile(r"(?<=[^\W\d_])\.[\"'”’»)]{0,3}\s+(?=[\"'“‘„«(]?[^\W\d_])")
_GLUED = re.compile(r"(?:\[\^?\w{1,8}\]|[)\]}\"'”’»」*_~])+\s+")  # footnote marks and closing marks after a full stop
_MARKS_BEHIND = re.compile(r"(?:\[\^?\d{1,3}\]|[:;]-?[)D(])\s+(?=[^\W\d_]?[A-ZÄÖÜ])")
"""A footnote mark or a smiley set apart behind a full stop: it belongs to the sentence before."""
_CLOSING = "\"'”’»」』)）]*_~†‡⁰¹²³⁴⁵⁶⁷⁸⁹"
_CONTINUING = ",;:.!?%&/=+)]}…—–-"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CHUNK = re.compile(r"\S{1,20}")
_WORD = re.compile(r"[^\W\d_]+(?=[\s,'’]|$)")
_INITIALISM = re.compile(r"(?:[^\W\d_]{1,2}\.)*[^\W\d_]|\d{1,2}|[ivxlc]+|(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
_ROMAN = re.compile(r"[ivxlc]+")
_LETTERED = frozenset("art dr jr mr mrs ms no nos nr prof sec sr st vol abs bd tel ziff".split())
_HEADING_NUMBER = re.compile(
    r"(?:^(?:[^\W\d_]\S*\s+)?|[a-zäöüß]{4,}[.!?:;][\"'”’»)\]]*\s+[A-ZÄÖÜ][^\W\d_]+\s+)\d[\d.]*\.$"
)
"""A number at the beginning, or behind one word: "Table 10.7. Fees", "Step 1. Mix"."""
_ENGLISH = re.compile(r"\b(?:the|of|to|and|is|are|was|for|in|at|by|with|on|or|than|under|over|from)\b")
_BEGINS = re.compile(
    r"[A-ZÄÖÜ][a-zäöüß]+(?:(?:en|ern|eln) Sie| (?:is|are|was|were|may|must|should|can|will|ist|sind|kann|muss|wird))\b"
)
"""How a sentence begins, and hardly what only goes on behind a list: "Beachten Sie", "Examples are"."""
_NUMBER_BEFORE = re.compile(r"\d\s*[^\W\d_]+\.$")
_GERMAN = re.compile(r"\b(?:der|die|das|und|nicht|ist|sind|wird|werden|mit|von|für|bei|den|dem)\b|[äöüß]")
_LABELLED = re.compile(
    r"\b(?:plan|option|room|class|type|part|group|level|zone|category|line|gate|block|building|hall|annex|appendix"
    r"|schedule|exhibit|table|unit|form|grade|team|vitamin|Klasse|Gruppe|Anlage|Typ|Tarif|Zone|Stufe|Block)\s+[A-Z]\.$",
    re.IGNORECASE,
)
_NAMED_BY_LETTER = re.compile(r"(?:^|[\s(])(?:[^\W\d_A-ZÄÖÜ][^\W\d_]+\s[^\W\d_]|[^\W\d_]{2,}\s[^\W\d_A-ZÄÖÜ])\.$")
"""A letter that is no initial: behind a word in small letters ("written in C."), or small itself ("ends in m.")."""
_LIKE_WORD = re.compile(
    r"[aeiouy].*(?:[aeiouy]|[aeiouy][bdgklmnprstwx]|n[dtkgs]|[sfx]t|l[dlt]|t[hs]|r[dkmnst]|sh|ch|ck|ss|ght|ds|[mpk]s)$"
)
"""How an English word of some length ends, and an abbreviation hardly."""
_SHORT = 5
"""Letters: a word as short as this before a figure or sign is taken for an abbreviation ("qty. 5", "gem. § 5")."""
_RUN_IN_HEADING = re.compile(r"(\*\*|__|\*|_)(?!\s)[^*_]+\1[.:!?]?")


@lru_cache(maxsize=1)
def _tokenizer() -> PunktSentenceTokenizer:
    return load_default_model()


def cut_sentences(text: str, lines: tuple[Span, ...], *, comments_show: bool = False) -> list[Span]:
    """The sentences of one block, in order, without white space at their ends; together they hold all of its words.

    `lines` are the block's lines in `text`. Between them lie line ends and quotation markers, which the tokenizer sees
    as spaces; comments it does not see either, unless `comments_show`, as in plain text.
    """
    offset = lines[0][0]
    masked = _mask(text, lines)
    if not comments_show:
        masked = blank_comments(masked)
    cuts = _cuts(masked)
    bounds = zip([0, *cuts], [*cuts, len(masked)], strict=True)
    spans = [_trim(masked, start, end) for start, end in bounds]
    filled = [(start, end) for start, end in spans if start < end]
    if not filled:  # nothing but comments
        return [(offset, lines[-1][1])]
    return [(offset + start, offset + end) for start, end in _join_fragments(masked, filled)]


def count_words(text: str) -> int:
    """Words; two characters of a script without spaces, and twenty of anything that has none, count as one."""
    unspaced = 0
    if not text.isascii():
        text, unspaced = _UNSPACED.subn(" ", text)
    return len(_CHUNK.findall(text)) + (unspaced + 1) // 2


def _mask(text: str, lines: tuple[Span, ...]) -> str:
    """The block's text with everything between its lines, and every odd kind of white space, as spaces."""
    pieces: list[str] = []
    done = lines[0][0]
    for start, end in lines:
        pieces += " " * (start - done), text[start:end]
        done = end
    return re.sub(r"\s", " ", "".join(pieces))


def _cuts(masked: str) -> list[int]:
    """Where a new sentence begins, in order."""
    found = {_after_glued(masked, start) for start, _ in list(_tokenizer().span_tokenize(masked))[1:]}
    found |= {match.end() for match in _OTHER_STOPS.finditer(masked)}
    found = {_behind_marks(masked, cut) for cut in found}
    cuts = {cut for cut in found if 0 < cut < len(masked) and _is_cut(masked, cut)}
    more = (match.end() for match in _WORD_STOP.finditer(masked))
    cuts = sorted(cuts | {cut for cut in more if cut not in found and _is_cut(masked, cut) and _ends_word(masked, cut)})
    if not cuts:
        return []
    closed = closed_spans(masked)
    starts = [start for start, _ in closed]
    return [cut for cut in cuts if (at := bisect_left(starts, cut)) == 0 or closed[at - 1][1] <= cut]


def _after_glued(masked: str, start: int) -> int:
    """The cut, moved behind footnote and closing marks that belong to the sentence before; 0 in mid-word."""
    if masked[start - 1].isspace():
        return start
    glued = _GLUED.match(masked, start)
    return glued.end() if glued else 0


def _behind_marks(masked: str, cut: int) -> int:
    marks = _MARKS_BEHIND.match(masked, cut)
    return marks.end() if marks else cut


def _is_cut(masked: str, cut: int) -> bool:
    """Whether the words on both sides look like the end of one sentence and the beginning of another."""
    after = TAG.sub("", masked[cut : cut + 200]).lstrip(OPENING + " ")
    if (after[:1].islower() and not _CALLED.match(after)) or (after[:1] or ",") in _CONTINUING:
        return False
    before = (masked[max(0, cut - 100) : cut].rstrip() or masked[:cut].rstrip()).rstrip(_CLOSING)
    before = _BEHIND.sub("", before)
    if before.endswith(("..", "…", ". .")):
        return False
    token = before.rsplit(maxsplit=1)[-1] if before.strip() else ""
    if not token.endswith("."):
        return True
    abbreviation = token.lstrip(OPENING + "`-–—/")[:-1]
    word = abbreviation.lower()
    following = _WORD.match(after)
    next_word = following[0] if following else ""
    if _is_acronym(abbreviation) and not (next_word.isupper() and len(next_word) > 1):
        return after[:1].isalpha()
    if word in NEVER_LAST:
        return word in ENGLISH_WORDS and next_word[:1].isupper() and not _GERMAN.search(before)
    if word[-1:].isdigit() and _HEADING_NUMBER.search(before):
        return False
    if next_word.lower() in STARTERS:
        return not _is_initial(before)
    if word in CLOSING_LISTS and _BEGINS.match(after):
        return True
    if word.isdigit() and after[:1].isupper() and _ENGLISH.search(before) and not _GERMAN.search(before):
        return True  # English writes no ordinals with a full stop: "under 25. Apply by ..."
    if word in SELDOM_LAST or _INITIALISM.fullmatch(word) or _is_label(abbreviation, after):
        return bool(next_word) and _may_end(word, before)
    return not (len(word) <= _SHORT and not after[:1].isalpha() and word not in COMMON_WORDS and after[:1] not in "`@")


def _is_acronym(word: str) -> bool:
    """Whether a word is written in capitals alone and stands for itself: CTO, EU, HR."""
    lower = word.lower()
    return (
        len(word) > 1 and word.isupper() and word.isalpha() and not _ROMAN.fullmatch(lower) and lower not in _LETTERED
    )


def _may_end(word: str, before: str) -> bool:
    """Whether what may be an abbreviation is rather a word ("on the bus") or a unit behind its number ("2 kg")."""
    if word in UNITS and _NUMBER_BEFORE.search(before):
        return not _GERMAN.search(before)
    return word in COMMON_WORDS


def _ends_word(masked: str, cut: int) -> bool:
    """Whether a full stop that nupunkt takes for an abbreviation's ends a sentence after all."""
    before = masked[max(0, cut - 100) : cut].rstrip().rstrip(_CLOSING)
    token = before.rsplit(maxsplit=1)[-1].lstrip(OPENING + "`-–—/")[:-1]
    word = token.lower()
    following = _WORD.match(masked[cut : cut + 200].lstrip(OPENING + " "))
    starts = following is not None and following[0].lower() in STARTERS
    if len(token) == 1:
        return _LABELLED.search(before) is not None or (starts and _NAMED_BY_LETTER.search(before) is not None)
    if token.isupper() or (starts and word.isalpha()):
        return True
    if word in COMMON_WORDS or word in UNITS:
        return True
    known = word in _tokenizer().abbreviations  # a list made by machine, with "month" and "lead" in it
    return len(word) > 2 and (not known or (_LIKE_WORD.search(word) is not None and not _GERMAN.search(before)))


def _is_initial(before: str) -> bool:
    """Whether a text ends in the initial of a name, and not in the letter of a thing: "plan B."."""
    if not re.search(r"(?:^|\s)[^\W\d_]\.$", before) or before.endswith("I."):
        return False
    return not (_LABELLED.search(before) or _NAMED_BY_LETTER.search(before))


def _is_label(word: str, after: str) -> bool:
    """Whether a short word in capitals and a figure name one thing: "Gl. 5", "Kap. 3", "Q. 7"."""
    return len(word) <= 4 and word[:1].isupper() and after[:1].isdigit()


def _join_fragments(masked: str, spans: list[Span]) -> list[Span]:
    """Puts what says nothing alone to its neighbour: limits and remarks to the sentence before, labels to the next."""
    joined: list[Span] = []
    for start, end in spans:
        sentence = masked[start:end]
        if joined and (_limits(sentence) or (_is_short(sentence, 3) and _asks(masked[slice(*joined[-1])]))):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    result: list[Span] = []
    label: int | None = None
    for start, end in joined:
        sentence = masked[start:end]
        if label is None and end != joined[-1][1] and (_is_short(sentence) or is_run_in_heading(sentence)):
            label = start
        elif result and end == joined[-1][1] and label is None and _is_short(sentence):
            result[-1] = (result[-1][0], end)
        else:
            result.append((start if label is None else label, end))
            label = None
    return result


def _limits(sentence: str) -> bool:
    in_parentheses = sentence[0] in "(（" and sentence.rstrip(".。!?")[-1:] in (")", "）")
    return in_parentheses or bool(_SUBORDINATE.match(sentence))


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING)[-1:] in ("?", "？", "؟")


def _is_short(sentence: str, words: int = 1) -> bool:
    if _CJK.search(sentence):
        return len(sentence) <= 2 + 2 * words
    return sum(any(map(str.isalnum, word)) for word in sentence.split(maxsplit=2 * words)) <= words


def is_run_in_heading(sentence: str) -> bool:
    """Whether a few words stand in emphasis alone, as `**Overtime.**` does before what it is about."""
    return len(sentence.split()) <= 8 and bool(_RUN_IN_HEADING.fullmatch(sentence))


def _trim(masked: str, start: int, end: int) -> Span:
    piece = masked[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())
