"""What of a page its readers see and may take as valid: hidden and struck-out content is taken out of the tree.

One rule for files and fetched pages. Hidden is what the page itself hides: `hidden`, a closed dialog, and the styles of
its attributes and `<style>` elements (`page_styles.py`). What a reader opens with a click stays: details, tabs, the
panels of accordions. Check boxes and filled-in fields keep their state as text; the words of a button stay where they
belong to a heading or a sentence.
"""

import re
from collections.abc import Iterator
from typing import Any

from rag_app.read.html.html_tree import NO_XML, remove_all
from rag_app.read.html.page_parts import TAB
from rag_app.read.html.page_styles import PageStyles, Style

BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """html body main article section header footer aside div p address blockquote pre figure figcaption hgroup hr
        nav h1 h2 h3 h4 h5 h6 ul ol menu dir li dl dt dd table caption thead tbody tfoot tr td th details summary dialog
        search form fieldset legend center frameset noframes""",
    )
)
"""What begins and ends a block; all else, unknown elements too, stands within a line, as in a browser."""
_STRUCK = ("del", "s", "strike")
_TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "th", "legend", "caption")
_NOTHING = re.compile(r"0*(?:\.0+)?(?:px|em|rem|pt|%)?")
_CUT_OFF = re.compile(r"inset\((?:50|100)%\)|rect\((?:[01](?:px)?[\s,]*){4}\)|circle\(0(?:px|%)?\)")
"""Of which nothing shows."""
_FAR = re.compile(r"-\d{3,}(?:\.\d+)?(?:px|em|rem|%|pt)")
_FIELDS = ("text", "number", "date", "time", "datetime-local", "month", "week", "email", "url", "tel", "")
_BLANK = "___"
_CLICKED = re.compile(r"\b(?:expand|collaps|toggle|accordion|spoiler)\w*", re.I)
"""How the classes of what stands before hidden content say that a click shows it."""
_COPIES = re.compile(r"\bcopy-?(?:btn|button|code|icon|to|snippet)|(?:^|[\s_-])copy(?:$|[\s_-])|\bclipboard\b", re.I)
"""How the classes of a control say that it copies the code beside it."""
_SAYS_COPY = re.compile(r"cop(?:y|ied)!?(?: (?:code|command|link|page|snippet|to clipboard))?", re.I)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
"""Letters without a shape; joiners (U+200C, U+200D) and directions stay, as they change how others look."""


def visible_text(text: str) -> str:
    """`text` without letters that have no shape."""
    return text if text.isascii() else NO_XML.sub(" ", _INVISIBLE.sub("", text))


def keep_visible(root: Any) -> None:
    """Takes hidden and struck content out of the tree, and turns controls into the words that they show."""
    styles = PageStyles(root)
    opened = _opened_by_click(root)
    gone: list[Any] = []
    for element in root.iter("*"):
        if element is root:
            continue
        if element.tag in _STRUCK:
            gone.append(element)
        elif element.attrib or styles or element.tag == "dialog":
            style = styles.of(element)
            if _is_struck(style) or (_is_hidden(element, style) and not _opens(element, opened, styles)):
                gone.append(element)
            elif style.get("vertical-align") in ("super", "sub") and element.tag not in BLOCKS:
                element.tag = "sup" if style["vertical-align"] == "super" else "sub"
    remove_all(gone)
    _show_fields(root)
    _show_buttons(root)
    for element in root.iter("*"):
        if element.text and not element.text.isascii():
            element.text = visible_text(element.text)
        if element.tail and not element.tail.isascii():
            element.tail = visible_text(element.tail)


def _is_struck(style: Style) -> bool:
    return "line-through" in style.get("text-decoration", "") + style.get("text-decoration-line", "")


def _is_hidden(element: Any, style: Style) -> bool:
    hidden = element.get("hidden")
    if hidden is not None and hidden.lower() != "until-found":
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    if element.get("aria-hidden") == "true" and (
        element.tag in ("a", "span", "i") or element.get("role") in ("dialog", "alertdialog")
    ):
        return True  # icons, copies for the eye beside a text for screen readers (formulas), dialogs that are closed
    if not style:
        return False
    color = _color(style.get("color", ""))
    background = _color(style.get("background-color") or style.get("background", ""))
    small = all(_NOTHING.fullmatch(style.get(side, "1px")) for side in ("width", "height"))
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or style.get("content-visibility") == "hidden"
        or bool(_CUT_OFF.fullmatch(style.get("clip-path", "") or style.get("clip", "")))
        or bool(_NOTHING.fullmatch(style.get("opacity", "1")))
        or bool(_NOTHING.fullmatch(style.get("font-size", "1")))
        or (small and "hidden" in style.get("overflow", ""))
        or color == "transparent"
        or (color != "" and color == background)
        or any(_FAR.fullmatch(style.get(side, "")) for side in ("left", "top", "right", "bottom", "text-indent"))
    )


def _color(value: str) -> str:
    """A colour as "#rrggbb" where it is written so, short or as one of the commonest names or `rgb(...)`."""
    value = "".join(value.split())
    if match := re.fullmatch(r"#([0-9a-f])([0-9a-f])([0-9a-f])", value):
        return "#" + "".join(digit * 2 for digit in match.groups())
    if match := re.fullmatch(r"rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,1(?:\.0*)?)?\)", value):
        return "#" + "".join(f"{int(part):02x}" for part in match.groups())
    return {"white": "#ffffff", "black": "#000000"}.get(value, value)


def _opened_by_click(root: Any) -> set[str]:
    """Ids of the parts that some control of the page opens."""
    found: set[str] = set()
    for element in root.iter("a", "button", "summary", "div", "span", "li", "h2", "h3", "h4", "label", "input"):
        found.update((element.get("aria-controls") or "").split())
        for name in ("data-target", "data-bs-target"):
            found.add((element.get(name) or "").removeprefix("#"))
        if element.tag == "a" and (element.get("role") in ("tab", "button") or element.get("data-toggle")):
            found.add((element.get("href") or "").removeprefix("#"))
    found.discard("")
    return found


def _opens(element: Any, opened: set[str], styles: PageStyles) -> bool:
    """Whether hidden content is only collapsed: a tab's panel, or what the control before it opens."""
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    if element.get("role") == "tabpanel" or re.search(r"\btab(?:-?pane|-?panel|-?content)?\b|\bcollapse\b", names):
        return True
    if element.get("id") in opened:
        return element.get("role") not in ("dialog", "menu", "alertdialog", "tooltip")
    if element.get("hidden") is None and element.get("role") is None and styles.opens(element):
        return True
    before = element.getprevious()
    if before is None:
        return False
    if before.tag == "button" or before.get("aria-expanded") is not None or _CLICKED.search(before.get("class") or ""):
        return True
    return before.tag in _TITLES and next(
        (True for inner in before.iter("*") if inner.tag == "button" or inner.get("aria-expanded") is not None), False
    )


def _show_fields(root: Any) -> None:
    words: dict[Any, str] = {}
    tabs = _tab_switches(root)
    for element in root.iter("input", "select", "textarea"):
        kind = (element.get("type") or "").lower()
        shown = ""
        if element.tag == "select":
            chosen = [option for option in element.iter("option") if option.get("selected") is not None]
            shown = ", ".join(" ".join("".join(option.itertext()).split()) for option in chosen)
        elif element.tag == "textarea":
            shown = element.text or ""
        elif element in tabs or _is_switch(element):
            pass  # which tab or menu lies open is no state of a form
        elif kind in ("checkbox", "radio"):
            shown = "[x]" if element.get("checked") is not None else "[ ]"
        elif kind in _FIELDS:
            shown = element.get("value") or ""
        if not shown.strip() and _is_blank_line(element, kind):
            shown = _BLANK
        words[element] = f" {shown} " if shown.strip() else ""
    remove_all(words, words)


def _is_switch(element: Any) -> bool:
    """Whether a box stands outside of all parts of a page, without words: a theme opens its menus by it."""
    parent = element.getparent()
    return parent is not None and parent.tag == "body" and (element.get("id") or "").startswith("__")


def _is_blank_line(element: Any, kind: str) -> bool:
    """Whether a field that nobody filled in stands behind its label, which must not run into the next words."""
    before = element.getprevious()
    label = element.getparent() if before is None else before
    can_be_blank = element.tag == "textarea" or (element.tag == "input" and kind in _FIELDS)
    return can_be_blank and label is not None and label.tag == "label"


def _tab_switches(root: Any) -> set[Any]:
    """The radio buttons that lay tabs open without a script: their labels stand together, or before the panels."""
    labels = {label.get("for"): label for label in root.iter("label") if label.get("for")}
    found: set[Any] = set()
    for element in root.iter("input"):
        label = labels.get(element.get("id")) if (element.get("type") or "").lower() == "radio" else None
        if label is None:
            continue
        after, panel = element.getnext(), label.getnext()
        if label.getparent() is not element.getparent() or (
            after is label and panel is not None and panel.tag == "div"
        ):
            found.add(element)
            if panel is not None and panel.tag == "div":
                label.set(TAB, "")
            label.tail = f" {label.tail or ''}"
    return found


def _show_buttons(root: Any) -> None:
    spoken: dict[Any, bool] = {}
    ids = {element.get("id") for element in root.iter("*") if element.get("id")}
    dropped: list[Any] = []
    for control in list(root.iter("button", "a", "span", "div", "clipboard-copy")):
        if control.tag in ("a", "span", "div") and control.get("role") != "button":
            if _SAYS_COPY.fullmatch(_line(control)) and _COPIES.search(control.get("class") or ""):
                dropped.append(control)
            continue
        if _copies(control):
            dropped.append(control)
        elif control.tag == "button":
            if _is_title(control, ids) or _in_sentence(control, spoken):
                control.tag = "span"
            else:
                dropped.append(control)
    remove_all(dropped)


def _copies(control: Any) -> bool:
    """Whether a control belongs to the code that it stands in or beside, and is no part of the text."""
    if control.tag == "clipboard-copy" or next(control.iterancestors("pre"), None) is not None:
        return True
    said, title = _line(control), next(control.iterancestors(*_TITLES), None)
    beside_title = title is not None and _line(title) != said and _SAYS_COPY.fullmatch(said)
    return bool(beside_title or _COPIES.search(control.get("class") or ""))


def _line(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _is_title(button: Any, ids: set[Any]) -> bool:
    """Whether a button is the title of what it opens; what stays hidden (menus, dialogs) is out of the tree by now."""
    opens = f"{button.get('aria-controls') or ''} {button.get('data-bs-target') or button.get('data-target') or ''}"
    is_of_panel = any(name.removeprefix("#") in ids for name in opens.split())
    if is_of_panel or button.get("aria-expanded") is not None or button.get("role") == "tab":
        return next(button.iterancestors("nav", "header", "footer"), None) is None
    return next(button.iterancestors(*_TITLES), None) is not None


def _in_sentence(button: Any, spoken: dict[Any, bool]) -> bool:
    """Whether other words stand in the same line as the button."""
    parent = button.getparent()
    while parent is not None:
        if parent not in spoken:
            spoken[parent] = any(any(map(str.isalnum, text)) for text in _words_in_line(parent))
        if spoken[parent]:
            return True
        if parent.tag in BLOCKS:
            return False
        parent = parent.getparent()
    return False


def _words_in_line(parent: Any) -> Iterator[str]:
    yield parent.text or ""
    for child in parent:
        if child.tag not in BLOCKS and child.tag not in (
            "button",
            "script",
            "style",
            "noscript",
            "template",
            "svg",
            "a",
        ):
            yield from child.itertext()
        yield child.tail or ""
