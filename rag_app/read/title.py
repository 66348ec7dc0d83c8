"""What a document is called where it does not say so itself."""

import re
from itertools import pairwise
from pathlib import PurePosixPath

from rag_app.text.markdown import heading_text, parse_tokens

_WITHIN = 20_000
"""Code points of a document in which its title is looked for."""
_MEANINGLESS = re.compile(
    r"(?:word )?document\s*\d*|untitled.*|(?:no )?title|\(?anonymous\)?|slide \d+"
    r"|microsoft (?:word|powerpoint|excel)\b.*|.*\.\w{2,4}",
    re.IGNORECASE,
)
"""Titles that programs put into a file's properties: their own name, a file's name, a placeholder."""


def first_heading(markdown: str) -> str:
    """The first heading of level 1, else the first of any level, as plain words; "" without one."""
    tokens, env, _ = parse_tokens(markdown[:_WITHIN])
    first = ""
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open" and (words := heading_text(content, env)):
            if opening.tag == "h1":
                return words
            first = first or words
    return first


def property_title(title: str) -> str:
    """A title from a file's properties, or "" where a program put it there."""
    title = " ".join(title.split())
    return "" if _MEANINGLESS.fullmatch(title) else title


def file_title(path: str) -> str:
    """A file's name made readable: `leave-policy_2024.md` is "Leave policy 2024"."""
    stem = PurePosixPath(path).stem
    words = " ".join(re.sub(r"[-_\s]+", " ", stem).split()) or stem
    return words[:1].upper() + words[1:]
