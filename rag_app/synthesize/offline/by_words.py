"""Choosing statements by words alone, where the models cannot read the language of the question.

Models for English give statements in other scripts numbers that mean nothing: what is absent scores as high as what is
there. There only a statement that holds every word of the question, with its headings, is quoted; the rest is refused.
No word of any corpus: of each language the words that ask, and particles.
"""

import re
from collections.abc import Sequence

from rag_app.question import Part
from rag_app.spelling import UNSPACED, fold, pairs
from rag_app.synthesize.offline.features import Candidate
from rag_app.text.words import content_stems

_BEHIND = 0.2
"""How much less of the question's characters a second statement may hold by itself."""
_IN_STATEMENT = 0.5
"""Share of the question's characters that a statement must hold without its headings."""


def _any_of(words: str) -> str:
    return "|".join(sorted(words.split(), key=lambda word: (-len(word), word)))


_ASKING = re.compile(
    _any_of(
        "什么时候 为什么 什么 怎么样 怎么 怎样 如何 哪里 哪儿 哪些 哪个 多少 几点 几 谁 何时 何 是否 能否 "
        "可否 可以 请问 吗 呢 吧 了 的 是 有 在 我 你 您 能 要 嗎 什麼 怎麼 為什麼 請問 幾 "
        "何時 何日 何人 何曜日 何 誰 いつ いくら いくつ どこ どのくらい どれくらい どうやって どう どの どれ なぜ "
        "でしょうか ましたか ませんか ですか ますか ています いますか ありますか できますか なりますか されますか "
        "しますか です ます ません ください "
        "ไหม หรือไม่ หรือเปล่า เท่าไร เท่าไหร่ กี่ อะไร เมื่อไร เมื่อไหร่ ที่ไหน ใคร อย่างไร ยังไง "
        "ทำไม คือ ได้ ครับ ค่ะ คะ มี เป็น ที่ ของ"
    )
)
_KOREAN_ASKING = re.compile(
    _any_of(
        "무엇 무슨 언제 어디서 어디 누구 누가 얼마나 얼마 몇 어떻게 왜 있습니까 있나요 있어요 "
        "입니까 인가요 합니까 하나요 됩니까 되나요 습니까 나요"
    )
)
_KOREAN_ENDING = re.compile(
    r"(?<=[\uac00-\ud7af])(?:에서|에게|으로|까지|부터|은|는|이|가|을|를|에|의|로|와|과|도|만|께)$"
)
_PARTICLES = r"には|では|からの|までの|から|まで|より|は|が|を|に|へ|と|で|の|も|や|か"
_AT_EDGES = re.compile(rf"^(?:{_PARTICLES})|(?:{_PARTICLES})$")
_PIECE = re.compile(rf"[\u3040-\u309f]+|[\uac00-\ud7af]+|(?:(?![\u3040-\u309f\uac00-\ud7af])[{UNSPACED}])+")
_ELSEWHERE = frozenset(
    "كم ما ماذا من متى أين كيف لماذا هل في على إلى عن هو هي أي هذا هذه "
    "что кто где когда как какой какая какие каков какова каковы сколько почему можно ли в на с и у по для из за до "
    "от это мне мы нужно есть "
    "τι ποιος ποια ποιο ποιες πού πότε πώς πόσο πόση πόσα γιατί είναι το η ο τα οι της του των να στο στη για με "
    "σε από "
    "מה מי איפה מתי איך כמה למה האם של את על "
    "क्या कौन कब कहाँ कैसे कितना कितने कितनी क्यों है हैं का की के में को से पर".split()
)
_WORD = re.compile(rf"(?:(?![{UNSPACED}\d_])[\w\u0900-\u0dff])+")
_ENDING = 2
"""Letters of a word that its form may change."""


def choose_by_words(part: Part, ranked: Sequence[Candidate], most: int) -> list[Candidate]:
    """The statements that hold every word of the part, with their headings, and most of them themselves.

    Args:
        ranked: candidates, best first.
        most: how many are chosen at most.
    """
    wanted = _wanted(fold(part.text))
    if not wanted:
        return []
    held: list[tuple[float, Candidate]] = []
    for candidate in ranked:
        place = candidate.place
        statement = fold(place.statement).casefold()
        if all(_holds(f"{statement}\n{fold(place.headings).casefold()}", word) for word in wanted):
            own = sum(len(word) for word in wanted if _holds(statement, word)) / sum(map(len, wanted))
            held.append((own, candidate))
    best = max((own for own, _ in held), default=0.0)
    return [candidate for own, candidate in held if own >= max(best - _BEHIND, _IN_STATEMENT)][:most]


def _wanted(question: str) -> list[str]:
    """The words of a question without those that ask: pieces of unspaced scripts, words of the others."""
    text = _ASKING.sub(" ", _KOREAN_ASKING.sub(" ", question.casefold()))
    found: list[str] = []
    for piece in _PIECE.findall(text):
        if re.match(r"[\u3040-\u309f]", piece):
            piece = _AT_EDGES.sub("", _AT_EDGES.sub("", piece, count=1), count=1)
            if len(piece) < 2:  # an ending
                continue
        found.append(_KOREAN_ENDING.sub("", piece))
    found += (word for word in _WORD.findall(text) if word not in _ELSEWHERE and (len(word) > 1 or not word.isascii()))
    found += re.findall(r"\d+(?:[.,:]\d+)*", text)
    return list(dict.fromkeys(found))


def _holds(text: str, word: str) -> bool:
    """Whether `text` holds a word: of an unspaced script, each of its characters in a pair that stands there."""
    if re.match(f"[{UNSPACED}]", word):
        if len(word) == 1:
            return word in text
        stands = [pair in text for pair in pairs(word)]
        return all(before or behind for before, behind in zip([False, *stands], [*stands, False], strict=True))
    if word[0].isdigit():
        return bool(re.search(rf"(?<![\d.,]){re.escape(word)}(?!\d|[.,]\d)", text))
    if word.isascii():
        return set(content_stems(word)) <= set(content_stems(text))
    stem = word[: max(3, len(word) - _ENDING)]
    return bool(re.search(rf"(?<!\w){re.escape(stem)}", text))
