"""Symbols in a question: names that are written, not spoken, such as `read_all`, os.path, F-15, --force or parse()."""

import re

_QUOTED = re.compile(r"`([^`\n]+)`")
_TOKEN = re.compile(r"-{0,2}[^\W_][\w.:+#/-]*(?:\(\))?|_\w+(?:\(\))?")
_SYMBOL = re.compile(
    r"""--?[a-z]            # --force, -v
    | .*\(\)$               # parse()
    | .*[^\W_]_+[^\W_] | _  # read_all, _private
    | [^\W\d]\w*(?:\.|::)[^\W\d]  # os.path, std::fs; not 3.5
    | [a-z]\w*[A-Z] | [A-Z]\w*[a-z]\w*[A-Z]  # readAll, ReadAll
    | [A-Z]+-?\d            # F-15, E0308
    """,
    re.VERBOSE,
)
_PART = re.compile(r"[^\W_](?:[\w-]*\w)?|_\w+")


def asked_symbols(question: str) -> tuple[tuple[str, ...], ...]:
    """The symbols in `question`, each as its parts: `Schedule.ramp` is ("schedule", "ramp"). In lower case."""
    quoted = _QUOTED.findall(question)
    tokens = [token.rstrip(".:/-+") for token in _TOKEN.findall(_QUOTED.sub(" ", question))]
    symbols = [*quoted, *(token for token in tokens if _SYMBOL.match(token))]
    parts = (tuple(part.casefold() for part in _PART.findall(symbol)) for symbol in symbols)
    return tuple(dict.fromkeys(found for found in parts if any(len(part) > 1 for part in found)))  # not e.g., U.S.


def names_symbol(symbols: tuple[tuple[str, ...], ...], text: str) -> bool:
    """Whether every part of one of the symbols stands in `text` as a whole word."""
    if not symbols:
        return False
    folded = text.casefold()
    return any(all(_stands(part, folded) for part in symbol) for symbol in symbols)


def _stands(part: str, text: str) -> bool:
    return re.search(rf"(?<!\w)(?<!\w-){re.escape(part)}(?!\w)", text) is not None
