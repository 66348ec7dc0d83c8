"""The sentences of a question that ask, apart from those that set the scene: "I am off on Monday. What do I bill?"."""

import re

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def asking_sentences(question: str) -> str:
    """The sentences with a question mark; without any, the last one."""
    sentences = _SENTENCE_END.split(question)
    return " ".join(sentence for sentence in sentences if "?" in sentence) or sentences[-1]
