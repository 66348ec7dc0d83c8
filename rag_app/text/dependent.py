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


_HANGS_ON = re.compile(
    r"\W*(?:(?:after|before|until|since|apart from|in addition to|besides|instead of) (?:that|this|which)\b"
    r"|(?:after|there)(?:wards|after)\b|(?:in addition|instead|likewise|the same (?:is|applies|holds|goes))\b"
    r"|(?:the|its) (?:default|minimum|maximum|limit|value|latter|former|rest|remainder|others?|exceptions?)"
    r"(?: (?:value|amount|period))? (?:is|are|was|were|has|have|may|must|can|applies|apply|do|does)\b)",
    re.IGNORECASE,
)
_OF_ITSELF = re.compile(
    r"\W*(?:there (?:is|are|was|were|will|must|may|can)\b|(?:this|these) (?:document|page|section|chapter|guide|"
    r"handbook|manual|policy|procedure|agreement|contract|rules?|form|notice|version)s?\b)",
    re.IGNORECASE,
)


def hangs_on(sentence: str) -> bool:
    """Whether a sentence needs the one before to be understood: it points back, goes on from it ("After that, …"), or
    says something of a thing that it leaves unnamed ("The default is 8") (English)."""
    return bool(_HANGS_ON.match(sentence)) or (points_back(sentence) and not _OF_ITSELF.match(sentence))
