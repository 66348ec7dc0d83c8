"""reStructuredText (.rst) by docutils, through its HTML. Nothing is included from other files."""

import re
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import Directive, directives, roles

from rag_app.errors import ReadError
from rag_app.read.access_signs import signs_at_beginning
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.front_matter import split_front_matter
from rag_app.read.html.html_file import html_to_markdown

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "syntax_highlight": "none",
    "math_output": "MathML",
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "toc_backlinks": False,
    "footnote_references": "superscript",
    "doctitle_xform": False,
    "initial_header_level": 1,
    "smart_quotes": False,
}
_COUNTS = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}
_COUNTED = re.compile(rf"<ol (?=class=\"({'|'.join(_COUNTS)})\b)")
"""How docutils says in HTML that a list is counted in letters or Roman numbers."""
_SHOWN = (
    "versionadded versionchanged deprecated seealso todo glossary hlist tabs tab-set "
    "centered productionlist describe object function class method attribute data exception module "
    "py:function py:class py:method py:attribute py:data py:module c:function option envvar confval program code-group"
).split()
_TITLED = "tab tab-item dropdown details collapse".split()
_UNSHOWN = "toctree index currentmodule highlight tabularcolumns sectionauthor codeauthor".split()
_ELSEWHERE = "automodule autoclass autofunction automethod autosummary literalinclude include raw".split()
_TAGS_OF_PAGES = ("html", "builder_html", "format_html")
_NOT_HERE = "Not shown: only "
_LOST = "Not read: "
_ROLES = (
    "ref doc term class func meth mod attr data exc obj option envvar file guilabel menuselection kbd command program "
    "samp abbr numref download keyword token any py:class py:func py:meth py:mod py:attr py:exc c:func"
).split()


class _Shown(Directive):
    """A directive of Sphinx: its argument and its content are text."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = None

    def run(self) -> list[nodes.Node]:
        block = nodes.container()
        if self.arguments:
            words = {"deprecated": "Deprecated since", "versionadded": "Added in", "versionchanged": "Changed in"}
            lead = words.get(self.name, "")
            first, _, rest = self.arguments[0].partition("\n")
            text = f"{lead} {first}: {rest}" if lead and rest else f"{lead} {self.arguments[0]}".strip()
            block += nodes.paragraph("", "", *self.state.inline_text(text, self.lineno)[0])
        self.state.nested_parse(self.content, self.content_offset, block)
        return [block]


class _Titled(_Shown):
    """A tab, or what opens by a click: its content belongs to its title."""

    def run(self) -> list[nodes.Node]:
        block = nodes.definition()
        self.state.nested_parse(self.content, self.content_offset, block)
        if not self.arguments or not len(block) or next(block.findall(nodes.section), None) is not None:
            return super().run()
        term = nodes.term("", "", *self.state.inline_text(self.arguments[0], self.lineno)[0])
        return [nodes.definition_list("", nodes.definition_list_item("", term, block))]


class _Only(_Shown):
    """What is shown in some outputs: here as in a page, of a build without tags."""

    def run(self) -> list[nodes.Node]:
        condition = " ".join(self.arguments)
        block = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, block)
        return [block] if holds(condition) else [self.state.document.reporter.warning(f"{_NOT_HERE}{condition}")]


class _Unshown(_Shown):
    """A directive that holds no text."""

    def run(self) -> list[nodes.Node]:
        return []


class _Elsewhere(_Shown):
    """A directive whose text stands elsewhere, or is made for one kind of output."""

    def run(self) -> list[nodes.Node]:
        said = " ".join([f"{self.name}::", *self.arguments])
        return [self.state.document.reporter.warning(f"{_LOST}{said}")]


def holds(condition: str) -> bool:
    """Whether a condition of tags with `and`, `or`, `not` and parentheses holds for a page; False for what is none."""
    words = re.findall(r"\(|\)|[\w.-]+", condition)
    at = 0

    def either() -> bool:
        nonlocal at
        value = both()
        while at < len(words) and words[at] == "or":
            at += 1
            value = both() or value
        return value

    def both() -> bool:
        nonlocal at
        value = one()
        while at < len(words) and words[at] == "and":
            at += 1
            value = one() and value
        return value

    def one() -> bool:
        nonlocal at
        word, at = words[at] if at < len(words) else "", at + 1
        if word == "not":
            return not one()
        if word != "(":
            return word in _TAGS_OF_PAGES
        value = either()
        at += 1
        return value

    return either()


def _role(name: str, raw: str, text: str, line: int, inliner: Any, options: Any = None, content: Any = ()) -> Any:
    words = text.partition("<")[0].strip() or text.strip("<>")
    if name in ("kbd", "command", "option", "envvar", "file", "samp", "program"):
        return [nodes.literal(raw, words)], []
    return [nodes.inline(raw, words.lstrip("~!"))], []


def read_rst(data: bytes) -> Extracted:
    """The text as Markdown, headings by their order of underlines. Raises ReadError."""
    source = decode(data)
    front_matter, start = split_front_matter(source, always=False)
    signs = () if start else signs_at_beginning(source)
    for name in _SHOWN:
        directives.register_directive(name, _Shown)
    kinds = ((_TITLED, _Titled), (_UNSHOWN, _Unshown), (_ELSEWHERE, _Elsewhere), (("only",), _Only))
    for names, kind in kinds:
        for name in names:
            directives.register_directive(name, kind)
    for name in _ROLES:
        roles.register_local_role(name, _role)
    try:
        tree = publish_doctree(source[start:], settings_overrides=_SETTINGS)
        lost = _lost(tree)
        html = publish_from_doctree(
            tree, writer="html5", settings_overrides={**_SETTINGS, "output_encoding": "unicode"}
        )
    except (Exception, RecursionError) as error:  # docutils lets many kinds out of odd files
        raise ReadError("The reStructuredText cannot be read: export it as HTML.", code="broken") from error
    html = html if isinstance(html, str) else html.decode("utf-8")
    _, text = html_to_markdown(_COUNTED.sub(lambda found: f'<ol type="{_COUNTS[found[1]]}" ', html))
    return Extracted(text, front_matter=front_matter, access_signs=signs, notes=tuple(lost))


def _lost(tree: nodes.document) -> list[str]:
    """What docutils could not read, from its messages, which are taken out of the text."""
    lost: list[str] = []
    for message in [*tree.findall(nodes.system_message), *tree.parse_messages]:
        first = message.astext().splitlines()[0].partition(") ")[2].strip()
        if first.startswith(_NOT_HERE):
            lost.append(f"What stands under '{first.removeprefix(_NOT_HERE)}' is not for pages and was not read.")
        elif first.startswith(_LOST):
            lost.append(f"{first.removeprefix(_LOST)} was not read: nothing is included, and nothing is run.")
        elif "Unknown directive" in first or "Unknown interpreted text role" in first:
            lost.append(f"{first} What stands there was not read.")
        if message.parent is not None and message in message.parent.children:
            message.parent.remove(message)
    return sorted(set(lost))
