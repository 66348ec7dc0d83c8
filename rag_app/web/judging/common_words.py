"""Whether a word of everyday language stands in a message as somebody's name: Spark, Contact, The Warehouse."""

import re

from rag_app.web.judging.terms import fold, is_function_word, word_matches, words_of

_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)[\W_]*$")
_SINGULAR = frozenset("is was has isn't wasn't hasn't does doesn't".split())
_ASKING = frozenset("why how what when where and so but".split())
_GOES_ON = frozenset("of with from between".split())


def stands_as_name(message: str, name: str) -> bool:
    """Whether `name` stands in a message of more than a few words as a name.

    It does with a capital within a sentence, unless a longer name goes on; and as the subject of a verb in the singular
    without an article, in whatever letter case: "is spark down", "Spark has sold it". In English a thing that can be
    counted has an article there, and a name has none.
    """
    matches = list(word_matches(message))
    written = [_without_possessive(match[0]) for match in matches]
    folded = [fold(word) for word in written]
    wanted = [fold(word) for word in words_of(name)]
    has_case = any(map(str.isupper, message)) and any(map(str.islower, message))
    for place in range(len(written) - len(wanted) + 1):
        end = place + len(wanted)
        if folded[place:end] != wanted:
            continue
        after = written[end] if end < len(written) else ""
        opens = _SENTENCE_START.search(message[: matches[place].start()]) is not None
        if has_case and not opens and _is_capital(written[place:end]) and not after[:1].isupper():
            return True
        if _is_subject([] if opens else folded[:place], fold(after)):
            return True
    return False


def _is_capital(words: list[str]) -> bool:
    """Whether every word has a capital, but for function words: "the Warehouse"."""
    return all(word[:1].isupper() or is_function_word(word) for word in words)


def _is_subject(before: list[str], after: str) -> bool:
    if not before or all(word in _ASKING for word in before):
        return after in _SINGULAR
    *asking, verb = before
    return verb in _SINGULAR and all(word in _ASKING for word in asking) and after not in _GOES_ON


def _without_possessive(word: str) -> str:
    return re.sub(r"['’]s$", "", word)
