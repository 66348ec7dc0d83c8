"""MathML as a line of text that says the same: 1/2 is not 12, and ten to the sixth is not 106."""

import re
from typing import Any

from rag_app.read.numerals import SUBSCRIPTS, SUPERSCRIPTS

_RAISED, _LOWERED = str.maketrans(SUPERSCRIPTS), str.maketrans(SUBSCRIPTS)
_FIGURES = re.compile(r"[0-9+\-−=()]*[0-9+\-−][0-9+\-−=()]*")
_FORMULA = re.compile(r"(?=.{0,20}[0-9])[\w+\-−=/*·.,]{2,20}")
_SIMPLE = re.compile(r"[\w.,]+|\W")
_DEEPEST = 60
_SKIPPED = ("annotation", "annotation-xml", "mphantom", "none", "mprescripts")


def raised(text: str) -> str:
    """`text` as a superscript: in raised characters where there are such, else behind a caret."""
    text = text.strip()
    if re.fullmatch(r"[0-9+\-−=()n]+", text):
        return text.translate(_RAISED)
    if text in ("′", "'", "°", "∘", "∗", "*"):
        return text
    return f"^{grouped(text)}" if text else ""


def lowered(text: str) -> str:
    """`text` as a subscript: in lowered characters where there are such, else behind an underscore."""
    text = text.strip()
    if re.fullmatch(r"[0-9+\-−=()]+", text):
        return text.translate(_LOWERED)
    return f"_{grouped(text)}" if text else ""


def shifted(text: str, rise: int) -> str:
    """Words of a line that stand raised (1) or lowered (-1): figures as such, as 10 to the 6th must not read as 106."""
    if rise > 0 and re.fullmatch(r"[a-dfg]", text):  # the sign of a note; "1e" and "n°" are ordinal numbers
        return text.translate(_RAISED)
    if not rise or not (_FIGURES.fullmatch(text) or _FORMULA.fullmatch(text)):
        return text
    return raised(text) if rise > 0 else lowered(text)


def grouped(text: str) -> str:
    """`text` in parentheses unless it is one number, name or sign."""
    text = text.strip()
    return text if _SIMPLE.fullmatch(text) or (text[:1] == "(" and text.find(")") == len(text) - 1) else f"({text})"


def fraction(above: str, below: str) -> str:
    return f"{grouped(above)}/{grouped(below)}"


def root_of(inside: str, degree: str = "") -> str:
    return f"{raised(degree) if degree.strip() else ''}√{grouped(inside)}"


def math_text(element: Any) -> str:
    """The words of a `<math>` element on one line; its `alttext` where it has no other."""
    text = " ".join(_read(element, 0).split())
    return text or " ".join((element.get("alttext") or "").split())


def _read(element: Any, depth: int) -> str:
    tag = element.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(element.tag, str) else ""
    if tag in _SKIPPED:
        return ""
    if depth > _DEEPEST:
        return " ".join(element.itertext())
    parts = [_read(child, depth + 1) for child in element]
    own = element.text or ""
    if tag == "mo":
        return _operator(own.strip())
    if tag in ("mi", "mn", "mtext", "ms"):
        return own if tag == "mtext" else own.strip()
    if tag == "mspace":
        return " "
    match tag, parts:
        case "mfrac", [above, below]:
            return fraction(above, below)
        case "msqrt", _:
            return root_of("".join(parts))
        case "mroot", [inside, degree]:
            return root_of(inside, degree)
        case (("msup" | "mover"), [base, above]):
            return base + raised(above)
        case (("msub" | "munder"), [base, below]):
            return base + lowered(below)
        case (("msubsup" | "munderover"), [base, below, above]):
            return base + lowered(below) + raised(above)
        case "mfenced", _:
            separator = (element.get("separators") or ",")[:1]
            return f"{element.get('open', '(')}{f'{separator} '.join(parts)}{element.get('close', ')')}"
        case "mtable", _:
            return "; ".join(filter(str.strip, parts))
        case "mtr", _:
            return ", ".join(filter(str.strip, parts))
    return _joined(own, list(element), parts)


def _operator(sign: str) -> str:
    if sign in ("\u2061", "\u2062", "\u2063", "\u2064"):
        return " " if sign == "\u2062" else ""
    return f" {sign} " if sign in "=<>≤≥≠≈±∓×÷→⇒∈∉+−-∼≡·⋅" and sign else sign


def _joined(own: str, children: list[Any], parts: list[str]) -> str:
    """Parts in a row; a fraction after a number is a mixed number and stands apart from it."""
    text = own.strip()
    for child, part in zip(children, parts, strict=True):
        is_fraction = isinstance(child.tag, str) and child.tag.rpartition("}")[2].endswith("mfrac")
        if part[:1].isdigit() and text[-1:].isdigit() and (is_fraction or "/" in text[-4:]):
            text += " "
        text += part + (child.tail or "").strip()
    return text
