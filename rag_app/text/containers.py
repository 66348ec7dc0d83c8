"""The lists, list items and quotations that are open while Markdown is read."""

from dataclasses import dataclass

from rag_app.text.block import Block, Position


@dataclass(slots=True)
class OpenList:
    marker: str
    above: Block | None
    """What stands above the first item."""
    number: int
    """Of the last item."""
    blocks_at_end: int = 0


@dataclass(slots=True)
class Container:
    """A list item or quotation that is open, or the page itself."""

    position: Position
    item: Block | None = None
    """The list item whose text is read; in a quotation, and before an item's own text, the one around."""
    own_list: OpenList | None = None
    """The list of an item whose own text is still to come."""
    number: str = ""
    """`3.` of an item, where nothing stands between it and the item's own text."""
    closed_list: OpenList | None = None
    """The last list that ended in this container, while another could be its continuation."""
