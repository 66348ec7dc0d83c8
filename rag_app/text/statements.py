"""Statements: the unit that is chosen, cited and shown. Every one is an exact slice of the text, and whole.

- A **sentence** of a paragraph, or of a later paragraph of a list item. Lines that are no prose, such as those of a
  log, are statements of their own.
- A **list item**: its own text without the lists nested in it. A bullet is left out of the slice, a number kept: a step
  may be referred to by it. An item of more than `MAX_ITEM_WORDS` is cut into sentences.
- A **table row**, from the first to the last cell; never cut. The header row is no statement but its rows' lead-in.
- A **code block** without its fences, from the beginning of its first line (so that indentation is kept). One of more
  than `MAX_CODE_LINES` lines is cut at blank lines that stand outside everything indented.

What a statement depends on is its `lead_in`: the items it is nested in, the line that introduces its list, table, code
or paragraph, the bold label its paragraph begins with, and the header row. Each lead-in is the place of another
statement, of the label that one begins with, or of a header row. Where the line that
introduces a list goes on below it ("..., if: - a - b, unless ..."), all of it is one statement: no part is true alone.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from rag_app.document import Span
from rag_app.text.block import Block
from rag_app.text.blocks import parse_blocks
from rag_app.text.sentences import count_words, cut_sentences, is_run_in_heading

MAX_ITEM_WORDS = 80
MAX_CODE_LINES = 60
MAX_LEAD_INS = 20  # the nearest; a text of nothing but colons would else grow with the square of its length
MAX_FRAME_WORDS = 150
MAX_LETTERS = 3000
"""A statement has no more characters: what has no end is cut at line ends."""
_TYPED_BULLET = re.compile(r"[•‣▪◦●○∙■]\s*(?=\S)")
_FEW_LINES, _MANY_LINES = 4, 8
_RECORD = re.compile(
    r"[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.:]\d\d[-/.:]\d\d|\d{9,}|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
    r"|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+\w{1,3}\s+\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
)
"""How a line of a log begins: with a date, a time or a level."""
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
_TAG = re.compile(r"<[^<>]*>")
_CODE_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n]|(?<=[^\r\n])$)")
_CODE_INDENT = re.compile(r"[ \t>]*")


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
        ends_sentence = line.rstrip(")*_`")[-1:] in ".!?" or len(self.made[id(above)]) > 1
        may_have_caption = block.kind in ("table_row", "code")
        return may_have_caption and not ends_sentence and len(_TAG.sub(" ", line).split()) <= _MAX_CAPTION_WORDS

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
        return self.text[slice(*block.lines[0])].lstrip("\"'“‘«([*_")[:1].islower()

    def slice(self, statement: Statement) -> str:
        return self.text[statement.start : statement.end]

    def statements(self, block: Block, lead_in: tuple[Span, ...]) -> list[Statement]:
        """The block's own statements, none longer than `MAX_LETTERS`."""
        return [piece for whole in self.uncut(block, lead_in) for piece in self.limited(whole)]

    def limited(self, statement: Statement) -> Iterator[Statement]:
        """A statement, or pieces of one that has no end: cut at line ends, else between words, else anywhere."""
        start = statement.start
        while statement.end - start > MAX_LETTERS:
            limit = start + MAX_LETTERS
            cut = max(self.text.rfind("\n", start + 1, limit), self.text.rfind("\r", start + 1, limit))
            if cut < 0:
                cut = self.text.rfind(" ", start + 1, limit)
            cut = cut if cut > start and self.text[start:cut].strip() else limit
            piece = self.text[start:cut]
            kept = start + len(piece.rstrip())
            yield replace(statement, start=start, end=kept)
            rest = self.text[cut : statement.end]
            start = statement.end - len(rest.lstrip())
        if start < statement.end:
            yield replace(statement, start=start)

    def lines_apart(self, block: Block, sentence: Span) -> list[Span]:
        """A sentence, or its lines where they are no prose: records of a log, each with what is indented below it, or
        many lines that hardly ever go on in small letters."""
        first, last = (bisect_right(block.lines, (at, len(self.text))) - 1 for at in (sentence[0], sentence[1] - 1))
        if last - first + 1 < _FEW_LINES:
            return [sentence]
        lines = [(max(a, sentence[0]), min(b, sentence[1])) for a, b in block.lines[first : last + 1]]
        lines = [(a, b) for a, b in lines if a < b]
        records = [at for at, line in enumerate(lines) if _RECORD.match(self.text, *line)]
        if len(records) * 2 >= len(lines):
            starts = [0, *(at for at in records if at)]
            return [(lines[a][0], lines[b - 1][1]) for a, b in pairwise([*starts, len(lines)])]
        small = sum(self.text[a].islower() for a, _ in lines)
        return lines if small * 4 <= len(lines) and len(lines) >= _MANY_LINES else [sentence]

    def uncut(self, block: Block, lead_in: tuple[Span, ...]) -> list[Statement]:
        if block.kind == "code":
            return [Statement("code", start, end, lead_in) for start, end in self.code_parts(block)]
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
            for start, end in self.lines_apart(block, sentence)
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

    def code_parts(self, block: Block) -> list[Span]:
        """Runs of whole lines, each up to a blank line below which the code is back at its outermost indentation."""
        code = self.text[block.start : block.end]
        lines = [match.span() for match in _CODE_LINE.finditer(code)]
        if len(lines) <= MAX_CODE_LINES:
            return [(block.start, block.end)]
        indents = [_CODE_INDENT.match(code, *line).end() - line[0] for line in lines]  # type: ignore[union-attr]
        filled = [bool(code[start:end].strip(" \t\r\n>")) for start, end in lines]
        outermost = min(indent for indent, is_filled in zip(indents, filled, strict=True) if is_filled)
        seams = [n for n in range(1, len(lines)) if filled[n] and not filled[n - 1] and indents[n] == outermost]
        parts: list[Span] = []
        first = 0
        for seam, following in pairwise([*seams, len(lines)]):
            if following - first > MAX_CODE_LINES:
                parts.append((first, seam))
                first = seam
        parts.append((first, len(lines)))
        return [
            (block.start + lines[first][0], block.start + len(code[: lines[last - 1][1]].rstrip()))
            for first, last in parts
        ]
