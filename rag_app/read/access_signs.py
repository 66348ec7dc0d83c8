"""Where a file seems to say who may read it in a way that is not read: the one rule for every kind of file.

Our own fields outside front matter and side files keep a file from being read. Fields of other systems (`visibility`,
`acl`, `restricted_to`) are named in the build report; under access rules nobody may read such a document until it says
itself who may: a pattern in index.toml could show it to people whom it means to shut out.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

_NEARLY = r"(?:x[_ -])?(?:access[\\_ -]{0,2}scopes?|allowed[\\_ -]{0,2}(?:role|department)s?|owner[_ -]?user[_ -]?ids?)"
_OWN = re.compile(_NEARLY, re.I)
_LINE = re.compile(rf"^[ \t]*(?::|#\+|<!--[ \t]*)?[\"']?{_NEARLY}[\"']?[ \t]*[:=]", re.I | re.M)
"""At the beginning of a line, as a field of reStructuredText or AsciiDoc too."""
_INLINE = re.compile(rf"[{{,][ \t]*[\"']{_NEARLY}[\"'][ \t]*:", re.I)
"""As a key of JSON."""
_OF_OTHERS = re.compile(
    r"visibility|visible_(?:to|for)|acls?|acl_\w+|access|access_(?!date|time|url)\w+|restrict(?:ed|ions?)?(?:_to)?|"
    r"permissions?|permitted_\w+|allow(?:ed)?(?:_\w+)?|den(?:y|ied)(?:_\w+)?|readers|viewers|shar(?:ed_with|ing)|"
    r"confidential(?:ity)?|sensitivity|private|protected|internal(?:_only)?|security_(?:level|label|group|classification)s?"
)
"""Names under which other systems keep who may read, written as `_name` writes them."""
_BY_VALUE = re.compile(r"class|classification|marking|label|msip_label_[0-9a-f_]+_name")
_CLOSED = re.compile(r"secret|confidential|restrict|internal|private|sensitive|protected|tlp", re.I)
"""What such a name has to hold, since it may as well be about a subject."""
_NOT_CLOSED = frozenset("public false no none null everyone everybody all open world off normal".split())
_NUMBER = re.compile(r"[-+]?[\d.,]+")
_HEAD = 30
"""Lines at the beginning of a file in which somebody may have meant to say who may read it."""
_BLOCK = re.compile(r"\s*(?:---|\+\+\+|<!--)")
_PAIR = re.compile(r"[\s\"'#:;*]*([A-Za-z][\w -]{1,40}?)[\"']?[ \t]*[:=][ \t]*(.*)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")


def is_own(name: str) -> bool:
    """Whether a name is, or nearly is, one of the fields that say who may read."""
    return bool(_OWN.fullmatch(_name(name)))


def access_names(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The names, of metadata with its values as texts, that seem to say that not everybody may read."""
    return tuple(dict.fromkeys(name for name, value in pairs if is_own(name) or _is_of_others(name, value)))


def signs_at_beginning(source: str) -> tuple[str, ...]:
    """As `access_names`, of the beginning of a file of text: our own fields in any form, and a block of fields."""
    head = "\n".join(_without_code(source)[:_HEAD])
    own = ("access_scope",) if _LINE.search(head) or _INLINE.search(head) else ()
    return (*own, *access_names(_block(head)))


def signs_in_text(text: str) -> tuple[str, ...]:
    """Our own fields at the beginning of any line; those in fenced code are examples, unless the text begins so."""
    lowered = text.lower()
    if not any(word in lowered for word in ("scope", "allowed", "owner")):
        return ()
    return ("access_scope",) if _LINE.search("\n".join(_without_code(text))) else ()


def _is_of_others(name: str, value: str) -> bool:
    value = " ".join(value.split()).strip("\"'").casefold()
    if not value or value in _NOT_CLOSED or _NUMBER.fullmatch(value):
        return False
    plain = _name(name).removeprefix("x_")
    return bool(_OF_OTHERS.fullmatch(plain) or (_BY_VALUE.fullmatch(plain) and _CLOSED.search(value)))


def _name(name: str) -> str:
    """A name as it may have been meant, in small letters: `visibleTo` and `Visible-To` are `visible_to`."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", unicodedata.normalize("NFKC", name).strip())
    return re.sub(r"[\s-]", "_", name.lower())


def _block(head: str) -> Iterator[tuple[str, str]]:
    """The fields of a block that a text opens with, whatever closes it."""
    opening = _BLOCK.match(head)
    if not opening:
        return
    for line in head[opening.end() :].split("\n")[1:]:
        if line.strip() in ("---", "+++", "...", "-->"):
            return
        if pair := _PAIR.fullmatch(line):
            yield pair[1], pair[2]


def _without_code(text: str) -> list[str]:
    """The lines outside of fenced code; a fence that is never closed holds none."""
    kept: list[str] = []
    fenced: list[str] = []
    mark = ""
    begun = False
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if mark:
            fenced.append(line)
            if fence and fence[1].startswith(mark) and not fence[2].strip():
                kept += [] if begun else fenced
                mark, fenced, begun = "", [], True
        elif fence:
            mark, fenced = fence[1], [line]
        else:
            kept.append(line)
            begun = begun or bool(line.strip())
    return kept + fenced
