"""The pass over a Word file's XML before mammoth reads it: what mammoth leaves out or shows otherwise than Word does.

Equations and text boxes become runs and paragraphs, simple fields their results, tracked changes are accepted, hidden
and struck runs go, and each numbered paragraph begins with its number between two marks.
"""

from typing import Any

from lxml.etree import Element, SubElement

from rag_app.read.office.equations import equation_text
from rag_app.read.office.package import local
from rag_app.read.office.word_numbers import Numbering
from rag_app.read.office.word_styles import RunStyles, W, is_on

NUMBER_START, NUMBER_END = "\ue010", "\ue011"
"""Around a paragraph's number, until the HTML of the text is at hand."""
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_UNWRAPPED = ("fldSimple", "ins", "moveTo", "smartTag", "customXml")
_REMOVED = ("del", "moveFrom", "moveFromRangeStart", "moveFromRangeEnd")


class Changes:
    """What was done to the parts of one file, counted for the build report."""

    def __init__(self) -> None:
        self.tracked = 0
        self.drawings = 0


def prepare(root: Any, styles: RunStyles, numbering: Numbering, changes: Changes) -> None:
    """Changes the tree of document.xml or of a part with notes, headers or footers."""
    _accept_changes(root, changes)
    lift_text_boxes(root)
    changes.drawings += sum(1 for e in root.iter() if local(e) in ("chart", "relIds") and e.getparent() is not None)
    for equation in [e for e in root.iter(_M + "oMath") if next(e.iterancestors(_M + "oMath"), None) is None]:
        _replace(equation, [_run(equation_text(equation))])
    for wrapper in list(root.iter(_M + "oMathPara")):
        if local(wrapper.getparent()) == "p":
            _replace(wrapper, list(wrapper))
        else:
            wrapper.tag = W + "p"
    for wrapper in [e for e in root.iter() if local(e) == "fldSimple"]:
        _replace(wrapper, list(wrapper))
    for control in list(root.iter(W + "sdt")):
        if is_on(control.find(f"{W}sdtPr/{W}showingPlcHdr")):
            _empty(control)
    for run in list(root.iter(W + "r")):
        if styles.is_unseen(run):
            _remove(run)
        elif rise := styles.rise(run):
            _set_rise(run, rise)
    for initial in [e for e in root.iter(W + "framePr") if e.get(W + "dropCap", "none") != "none"]:
        _join_initial(initial.getparent().getparent())
    for paragraph in list(root.iter(W + "p")):
        if number := numbering.next(paragraph):
            properties = paragraph.find(W + "pPr")
            at = 0 if properties is None else paragraph.index(properties) + 1
            if any(True for _ in paragraph.iter(W + "t")):
                paragraph.insert(at, _run(f"{NUMBER_START}{number}{NUMBER_END}"))


def _join_initial(initial: Any) -> None:
    """Puts a first letter that hangs beside its text, and is a paragraph of its own, before the rest of its word."""
    text = initial.getnext()
    if text is None or local(text) != "p":
        return
    properties = text.find(W + "pPr")
    at = 0 if properties is None else text.index(properties) + 1
    text[at:at] = [run for run in initial if local(run) == "r"]
    _remove(initial)


def _accept_changes(root: Any, changes: Changes) -> None:
    for row in list(root.iter(W + "tr")):
        properties = row.find(W + "trPr")
        if properties is not None:
            deleted = properties.find(W + "del") is not None
            changes.tracked += deleted
            if deleted or is_on(properties.find(W + "hidden")):
                row.getparent().remove(row)
    for element in list(root.iter()):
        name = local(element)
        if name in _REMOVED and element.getparent() is not None and local(element.getparent()) != "rPr":
            if name in ("del", "moveFrom"):
                changes.tracked += 1
            _remove(element)
        elif name in ("ins", "moveTo") and local(element.getparent()) not in ("rPr", "trPr"):
            changes.tracked += 1
            _replace(element, list(element))
    for paragraph in list(root.iter(W + "p")):
        # A paragraph whose end was deleted too is gone, unless words are left that join the next paragraph.
        if paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None and next(paragraph.iter(W + "t"), None) is None:
            parent = paragraph.getparent()
            if sum(1 for _ in parent.iterchildren(W + "p")) > 1:
                parent.remove(paragraph)


def lift_text_boxes(root: Any) -> None:
    """Puts the paragraphs of text boxes below the paragraph that the box is anchored to, once each."""
    for choice in list(root.iter(_MC + "AlternateContent")):
        if choice.getparent() is None:
            continue
        preferred = choice.find(_MC + "Choice")
        fallback = choice.find(_MC + "Fallback")
        if preferred is not None and next(preferred.iter(W + "txbxContent"), None) is not None:
            _replace(choice, list(preferred))
        elif fallback is not None:
            _replace(choice, list(fallback))
        elif preferred is not None:
            _replace(choice, list(preferred))
    for box in reversed(list(root.iter(W + "txbxContent"))):  # the inner of nested boxes first
        anchor = next(box.iterancestors(W + "p"), None)
        if anchor is None:
            continue
        for block in reversed(list(box)):
            anchor.addnext(block)
        box.getparent().remove(box)


def text_paragraph(text: str) -> Any:
    """A paragraph of plain words."""
    paragraph = Element(W + "p")
    paragraph.append(_run(text))
    return paragraph


def _run(text: str) -> Any:
    run = Element(W + "r")
    words = SubElement(run, W + "t")
    words.set(_SPACE, "preserve")
    words.text = text
    return run


def _empty(control: Any) -> None:
    """Puts an ellipsis for the prompt of a field that is not filled in, lest its label be read with what follows."""
    runs = list(control.iter(W + "r"))
    for run in runs[1:]:
        _remove(run)
    if runs:
        _replace(runs[0], [_run("…")])


def _set_rise(run: Any, rise: str) -> None:
    """Makes a run superscript or subscript by itself: mammoth knows no style that says so, and no shifted position."""
    properties = run.find(W + "rPr")
    if properties is None:
        properties = Element(W + "rPr")
        run.insert(0, properties)
    mark = properties.find(W + "vertAlign")
    mark = SubElement(properties, W + "vertAlign") if mark is None else mark
    mark.set(W + "val", rise)


def _replace(element: Any, by: list[Any]) -> None:
    parent = element.getparent()
    at = parent.index(element)
    parent[at : at + 1] = by


def _remove(element: Any) -> None:
    element.getparent().remove(element)
