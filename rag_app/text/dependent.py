"""Sentences that cannot be understood without the one before: "It must be filed within 30 days"."""

import re

_POINTS_BACK = re.compile(
    r"\W*(?:it|its|they|their|them|this|these|those|that|he|she|his|her|such|both|neither|either|"
    r"later|otherwise|then|there|in (?:that|this|which) case|if so|if not)\b",
    re.IGNORECASE,
)


def points_back(sentence: str) -> bool:
    """Whether a sentence opens with a word that stands for something said before (English)."""
    return bool(_POINTS_BACK.match(sentence))
