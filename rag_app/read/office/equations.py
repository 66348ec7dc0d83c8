"""Equations of Word (OMML) as a line of text that says the same."""

from typing import Any

from rag_app.read.html.mathml import fraction, grouped, lowered, raised, root_of
from rag_app.read.office.package import local

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DEEPEST = 60


def equation_text(element: Any, depth: int = 0) -> str:
    """The words of an equation or a part of one."""
    name = local(element)
    if name.endswith("Pr"):
        return ""
    if name == "t" or depth > _DEEPEST:
        return "".join(element.itertext())
    match name:
        case "f":
            above, below = _part(element, "num", depth), _part(element, "den", depth)
            return f"{above}/{below}" if _setting(element, "fPr", "type") == "noBar" else fraction(above, below)
        case "sSup":
            return _part(element, "e", depth) + raised(_part(element, "sup", depth))
        case "sSub":
            return _part(element, "e", depth) + lowered(_part(element, "sub", depth))
        case "sSubSup":
            return (
                _part(element, "e", depth)
                + lowered(_part(element, "sub", depth))
                + raised(_part(element, "sup", depth))
            )
        case "sPre":
            return (
                raised(_part(element, "sup", depth))
                + lowered(_part(element, "sub", depth))
                + _part(element, "e", depth)
            )
        case "rad":
            return root_of(_part(element, "e", depth), _part(element, "deg", depth))
        case "d":
            begin, end = _setting(element, "dPr", "begChr", "("), _setting(element, "dPr", "endChr", ")")
            between = _setting(element, "dPr", "sepChr", "|")
            return begin + between.join(equation_text(e, depth + 1) for e in element.findall(_M + "e")) + end
        case "nary":
            sign = _setting(element, "naryPr", "chr", "∫")
            limits = lowered(_part(element, "sub", depth)) + raised(_part(element, "sup", depth))
            return f"{sign}{limits} {_part(element, 'e', depth)}"
        case "func":
            return f"{_part(element, 'fName', depth)} {grouped(_part(element, 'e', depth))}"
        case "limLow":
            return _part(element, "e", depth) + lowered(_part(element, "lim", depth))
        case "limUpp":
            return _part(element, "e", depth) + raised(_part(element, "lim", depth))
        case "m":
            rows = element.findall(_M + "mr")
            return "; ".join(", ".join(equation_text(e, depth + 1) for e in row) for row in rows)
        case "eqArr":
            return "; ".join(equation_text(e, depth + 1) for e in element.findall(_M + "e"))
    parts = [(child, equation_text(child, depth + 1)) for child in element]
    text = ""
    for child, part in parts:
        # A fraction behind a number is a mixed number: "3 1/4".
        text += (" " if local(child) == "f" and text[-1:].isdigit() and part[:1].isdigit() else "") + part
    return text


def _part(element: Any, name: str, depth: int) -> str:
    found = element.find(_M + name)
    return "" if found is None else equation_text(found, depth + 1)


def _setting(element: Any, properties: str, name: str, default: str = "") -> str:
    found = element.find(f"{_M}{properties}/{_M}{name}")
    return default if found is None else found.get(_M + "val", "")
