"""Statements: the unit that is chosen, cited and shown. Every one is an exact slice of the text, and whole.

- A **sentence** of a paragraph, or of a later paragraph of a list item. Lines that are no prose, such as those of a
  log, are statements of their own.
- A **list item**: its own text without the lists nested in it. A bullet is left out of the slice, a number kept: a step
  may be referred to by it. An item of more than `MAX_ITEM_WORDS` is cut into sentences.
- A **table row**, from the first to the last cell; never cut. The header row is no statement but its rows' lead-in.
- A **code block** without its fences, from the beginning of its first line (so that indentation is kept). One of more
  than `lengths.MAX_CODE_LINES` lines is cut at blank lines that stand outside everything indented.

What a statement depends on is its `lead_in`: the items it is nested in, the line that introduces its list, table, code
or paragraph, the bold label its paragraph begins with, and the header row. Each lead-in is the place of another
statement, of the label that one begins with, or of a header row. Where the line that
introduces a list goes on below it ("..., if: - a - b, unless ..."), all of it is one statement: no part is true alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from rag_app.document import Span
from rag_app.text.block import Block, begins_small
from rag_app.text.blocks import parse_blocks
from rag_app.text.lengths import bounded, code_parts, lines_apart
from rag_app.text.plain.plain_lines import BULLETS
from rag_app.text.sentences import count_words, cut_sentences, is_run_in_heading

MAX_ITEM_WORDS = 80
MAX_LEAD_INS = 20  # the nearest; a text of nothing but colons would else grow with the square of its length
MAX_FRAME_WORDS = 150
_TYPED_BULLET = re.compile(rf"[{BULLETS}]\s*(?=\S)")
_MAX_LABEL_WORDS = 3
_COLON_AT_END = re.compile(r"""[:：]["'”’»)\]*_~`\s]*$""")
_BOLD_LABEL = re.compile(r"(\*\*|__)(?=\S)[^*_\r\n]{1,60}(?:[:：]\1|\1[ \t]?[:：])")
_ENUMERATED = re.compile(r"\(?(?:(?P<number>\d{1,3})|(?P<roman>[ivx]{1,5})|(?P<letter>[a-z])|(?P<capital>[A-Z]))[.)]\s")
_FOLLOWS = re.compile(r"""\b(?:the[\s>]+following|as[\s>]+follows)["'”’»)\]*_`]*[.!]?["'”’»)\]*_`]*$""", re.IGNORECASE)
_ANNOUNCES = re.compile(r"\b(?:following|as[\s>]+follows|below|these(?:[\s>]+\w+)?[\s>]*[.!]?$)", re.IGNORECASE)
_UNFINISHED = re.compile(r"[^.!?。！？…\s\"'”’»)\]*_~`>|][\"'”’»)\]*_~`\s]*$")
"""A line that ends like this goes on below: "Visitors must not" above a list."""
_MAX_ANNOUNCING_WORDS = 40
_MAX_CAPTION_WORDS = 12
_NUMBERED_CAPTION = re.compile(r"[*_]*(?:tab(?:le|elle|\.)|fig(?:ure|\.)|abb(?:ildung|\.)|listing)\s*\d", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Statement:
    """One whole statement: `text[start:end]` of the text it was cut from."""

    kind: Literal["sentence", "list_item", "table_row", "code"]
    start: int
    end: int
    lead_in: tuple[Span, ...] = ()
    """Places of the lines that it depends on, outermost first."""
    lead_out: tuple[Span, ...] = ()
    """Places of what limits it or what it announces: footnotes, remarks, the list or code after its colon."""

    @property
    def needed(self) -> tuple[Span, ...]:
        """Everything that is shown with it."""
        return *self.lead_in, *self.lead_out

    @property
    def span(self) -> Span:
        return self.start, self.end


def split_statements(text: str, markup: Literal["markdown", "plain"] = "markdown", start: int = 0) -> list[Statement]:
    """The statements of `text[start:]` in order, none overlapping another; places are code points of `text`."""
    return [statement for statement, _ in cut_statements(text, parse_blocks(text, markup, start), markup)]


def cut_statements(
    text: str, blocks: list[Block], markup: Literal["markdown", "plain"]
) -> list[tuple[Statement, Block]]:
    """The statements of the blocks of `text`, each with the block that it begins in."""
    return _Cutter(text, comments_show=markup == "plain").cut(blocks)


class _Cutter:
    """Cuts blocks in reading order; a lead-in is always cut before what it introduces."""

    def __init__(self, text: str, *, comments_show: bool) -> None:
        self.text = text
        self.comments_show = comments_show
        self.result: list[tuple[Statement, Block]] = []
        self.made: dict[int, list[Statement]] = {}
        """The statements of each block, by the block's identity. A joined statement belongs to all its blocks."""
        self.introductions: dict[int, tuple[Span, ...]] = {}
        """What introduces each block, a label that became part of its first sentence included."""

    def cut(self, blocks: list[Block]) -> list[tuple[Statement, Block]]:
        for block in blocks:
            above = block.above
            if block.kind == "paragraph" and above and self.is_label(above, block):
                self.add_labelled(block, above)
            elif block.kind == "paragraph" and above and self.begins_small(block):
                self.add_continuing(block, above)
            else:
                self.add(block, self.statements(block, self.lead_in(block)))
        return self.result

    def add(self, block: Block, statements: list[Statement]) -> None:
        self.made[id(block)] = statements
        self.result += ((statement, block) for statement in statements)

    def add_labelled(self, block: Block, label_block: Block) -> None:
        """A paragraph below "Note:", which becomes part of its first sentence."""
        label, first_block = self.result.pop()
        first, *others = self.statements(block, label.lead_in)
        joined = replace(first, start=label.start)
        if _COLON_AT_END.search(self.slice(label)):
            self.introductions[id(block)] = (*label.lead_in, label.span)
            others = [replace(other, lead_in=self.introductions[id(block)]) for other in others]
        self.result.append((joined, first_block))
        self.result += ((statement, block) for statement in others)
        self.made[id(block)] = [joined, *others]
        self.made[id(label_block)] = [joined]

    def add_continuing(self, block: Block, above: Block) -> None:
        """A paragraph in small letters below a list, table or code: it goes on with the sentence that introduced it."""
        top = above
        while top.item is not None and top.item is not block.item:
            top = top.item
        intro = top.above
        if top.kind == "paragraph" or intro is None or not self.introduces(intro, top):
            self.add(block, self.statements(block, self.lead_in(block)))
            return
        opening = self.made[id(intro)][-1]
        first, *others = self.statements(block, (*opening.lead_in, opening.span))
        frame = next(at for at in range(len(self.result) - 1, -1, -1) if self.result[at][0] is opening)
        if top.kind == "list_item" and count_words(self.text[opening.start : first.end]) <= MAX_FRAME_WORDS:
            first = Statement("sentence", opening.start, first.end, opening.lead_in)
            inside = {id(of) for _, of in self.result[frame + 1 :]}
            for key in inside:
                self.made[key] = [first]
            self.made[id(intro)][-1] = first
            self.result[frame:] = [(first, intro)]
            others = [replace(other, lead_in=first.lead_in) for other in others]
            self.made[id(block)] = [first, *others]
            self.result += ((other, block) for other in others)
        else:
            self.add(block, [first, *(replace(other, lead_in=opening.lead_in) for other in others)])

    def lead_in(self, block: Block) -> tuple[Span, ...]:
        spans: list[Span] = []
        if block.item:
            own_text = self.made[id(block.item)][0]
            spans += *own_text.lead_in, own_text.span
        if block.above and self.introduces(block.above, block):
            line = self.made[id(block.above)][-1]
            spans += *line.lead_in, line.span
        elif sibling := self.sibling(block):
            spans += self.introductions.get(id(sibling), ())
        if block.group:
            spans.append(block.group)
        if block.header:
            spans.append(block.header)
        self.introductions[id(block)] = tuple(dict.fromkeys(spans))[-MAX_LEAD_INS:]
        return self.introductions[id(block)]

    def sibling(self, block: Block) -> Block | None:
        """A block above with the same introduction: an earlier paragraph of a series in small letters or with numbers
        of the same kind, which is a list without its markers; or the code before a list in small letters."""
        above = block.above
        if block.kind == "list_item" and above and above.kind == "code" and self.begins_small(block):
            return above
        if block.kind != "paragraph":
            return None
        style = self.enumeration(block)
        for _ in range(MAX_LEAD_INS):
            if above is None or above.kind != "paragraph" or above.item is not block.item:
                return None
            if style is None:
                return above if self.begins_small(block) and self.begins_small(above) else None
            if style & (self.enumeration(above) or set()):
                return above
            above = above.above
        return None

    def enumeration(self, block: Block) -> set[str] | None:
        """The kinds of number that a paragraph begins with, of which "(i)" has two; None where it begins with none."""
        if _TYPED_BULLET.match(self.text, *block.lines[0]):
            return {"bullet"}
        match = _ENUMERATED.match(self.text, *block.lines[0])
        if not match:
            return None
        kind = match.lastgroup or ""
        return {"roman", "letter"} if kind == "roman" and len(match["roman"]) == 1 else {kind}

    def introduces(self, above: Block, block: Block) -> bool:
        """Whether the last statement above announces the block: it ends with a colon, stands alone in bold, breaks off
        above a list, speaks of "the following" or "these", or is a caption: a few words without a full stop."""
        if above.kind not in ("paragraph", "list_item"):
            return False
        line = self.slice(self.made[id(above)][-1])
        if _COLON_AT_END.search(line):
            return True
        if above.kind == "list_item":
            return False
        if is_run_in_heading(line):
            return True
        if block.kind == "list_item" and _UNFINISHED.search(line):
            return True
        if block.kind in ("list_item", "table_row") and _ANNOUNCES.search(line):
            return len(line.split()) <= _MAX_ANNOUNCING_WORDS
        if block.kind == "paragraph" and _FOLLOWS.search(line):
            return len(line.split()) <= _MAX_ANNOUNCING_WORDS
        if self.is_caption_of_above(above, line):
            return False
        ends_sentence = line.rstrip(")*_`")[-1:] in ".!?" or len(self.made[id(above)]) > 1
        may_have_caption = block.kind in ("table_row", "code")
        return may_have_caption and not ends_sentence and len(_TAG.sub(" ", line).split()) <= _MAX_CAPTION_WORDS

    def is_caption_of_above(self, caption: Block, line: str) -> bool:
        """Whether a numbered caption stands below its table or code: that had none above it."""
        before = caption.above
        if before is None or before.kind not in ("table_row", "code") or not _NUMBERED_CAPTION.match(line):
            return False
        return not any(_NUMBERED_CAPTION.match(self.text, *span) for span in self.introductions.get(id(before), ()))

    def is_label(self, above: Block, block: Block) -> bool:
        """Whether a paragraph is only a label of the paragraph below it, in the same list item."""
        made = self.made[id(above)]
        if above.kind != "paragraph" or above.item is not block.item or made[-1] is not self.result[-1][0]:
            return False
        if len(made) > 1 or made[0].start != above.start:
            return False
        label = self.slice(made[0])
        return is_run_in_heading(label) or (
            _COLON_AT_END.search(label) is not None and count_words(label) <= _MAX_LABEL_WORDS
        )

    def begins_small(self, block: Block) -> bool:
        return begins_small(self.text[slice(*block.lines[0])])

    def slice(self, statement: Statement) -> str:
        return self.text[statement.start : statement.end]

    def statements(self, block: Block, lead_in: tuple[Span, ...]) -> list[Statement]:
        """The block's own statements, none longer than `lengths.MAX_LETTERS`."""
        return [
            whole if span == whole.span else replace(whole, start=span[0], end=span[1])
            for whole in self.uncut(block, lead_in)
            for span in bounded(self.text, whole.span)
        ]

    def uncut(self, block: Block, lead_in: tuple[Span, ...]) -> list[Statement]:
        if block.kind == "code":
            return [
                Statement("code", start, end, lead_in) for start, end in code_parts(self.text, block.start, block.end)
            ]
        if block.kind == "table_row":
            return [Statement("table_row", block.start, block.end, lead_in)]
        is_item = block.kind == "list_item"
        if block.whole or (is_item and count_words(self.text[block.start : block.end]) <= MAX_ITEM_WORDS):
            return [Statement("list_item" if is_item else "sentence", block.start, block.end, lead_in)]
        if not is_item and (typed := self.typed_items(block, lead_in)):
            return typed
        sentences = [
            Statement("sentence", start, end, lead_in)
            for sentence in cut_sentences(self.text, block.lines, comments_show=self.comments_show)
            for start, end in lines_apart(self.text, block.lines, sentence)
        ]
        if not is_item:
            return list(self.with_labels(sentences))
        first = replace(sentences[0], kind="list_item")
        return [first, *(replace(later, lead_in=(*lead_in, first.span)) for later in sentences[1:])]

    def typed_items(self, block: Block, lead_in: tuple[Span, ...]) -> list[Statement]:
        """The items of a list whose bullets are only typed, line by line, with the line above them; [] without any."""
        firsts = [at for at, line in enumerate(block.lines) if _TYPED_BULLET.match(self.text, *line)]
        if not firsts or firsts == [0]:
            return []
        found: list[Statement] = []
        if firsts[0]:
            above = cut_sentences(self.text, block.lines[: firsts[0]], comments_show=self.comments_show)
            found = [Statement("sentence", start, end, lead_in) for start, end in above]
            line = self.slice(found[-1])
            if _COLON_AT_END.search(line) or _UNFINISHED.search(line) or _ANNOUNCES.search(line):
                lead_in = (*lead_in, found[-1].span)
        for first, end in pairwise([*firsts, len(block.lines)]):
            bullet = _TYPED_BULLET.match(self.text, *block.lines[first])
            start = bullet.end() if bullet else block.lines[first][0]
            found.append(Statement("list_item", start, block.lines[end - 1][1], lead_in))
        return found

    def with_labels(self, sentences: list[Statement]) -> Iterator[Statement]:
        """Sentences of one paragraph, each with the bold label that stands before it or begins an earlier one."""
        label: tuple[Span, ...] = ()
        for sentence in sentences:
            if own := _BOLD_LABEL.match(self.text, sentence.start, sentence.end):
                label = (own.span(),)
                yield sentence
            else:
                yield replace(sentence, lead_in=(*sentence.lead_in, *label))
