"""Lists that show themselves as tables and become DataFrames; pandas is needed only where one is asked for."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar

from rag_app.errors import UsageError
from rag_app.show.html.style import escaped, fragment
from rag_app.show.lines import collapse, printable

if TYPE_CHECKING:
    import pandas

Cell = str | int | float | bool | None
Row = Mapping[str, Cell]
Item = TypeVar("Item")

_MOST = 100
"""Rows of a table in a notebook; all are in the list and in the DataFrame."""
_MOST_LINES = 20
"""The same as text."""
_WIDEST = 40
"""Characters of a cell in text."""
_LONG = 80
"""Characters from which on a cell in a notebook gets a wide column."""


class Table(list[Item], Generic[Item]):
    """A list with a second side: a row of plain values for each of its items."""

    def __init__(self, items: Iterable[Item], rows: Iterable[Row], label: str) -> None:
        """`rows` has one row for each item, all with the same columns; `label` is what the table is called."""
        super().__init__(items)
        self.rows = list(rows)
        self.label = label

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame with a row per item.

        Raises:
            UsageError: pandas is not installed.
        """
        try:
            frames = import_module("pandas")
        except ImportError as error:
            raise UsageError("A DataFrame needs pandas: run `pip install pandas`.") from error
        return frames.DataFrame(self.rows)

    def __repr__(self) -> str:
        return table_text(self.rows, self.label)

    def _repr_html_(self) -> str:
        return fragment(table_html(self.rows[:_MOST]) + _more(len(self.rows)), self.label)


def table_html(rows: list[Row]) -> str:
    """Rows under their columns' names, escaped."""
    if not rows:
        return "<p>Nothing.</p>"
    columns = _filled(rows)
    head = "".join(f'<th scope="col">{escaped(name.replace("_", " "))}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(_cell_html(_cell(row[name])) for name in columns)}</tr>" for row in rows)
    return f'<div class="ra-wide"><table><tr>{head}</tr>{body}</table></div>'


def table_text(rows: list[Row], label: str) -> str:
    """The first rows in columns, each cell cut to fit, for a terminal."""
    columns = _filled(rows)
    lines = [columns, *([_shortened(_cell(row[name])) for name in columns] for row in rows[:_MOST_LINES])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    more = [f"... and {len(rows) - _MOST_LINES} more"] if len(rows) > _MOST_LINES else []
    return printable("\n".join([f"{label}: {len(rows)}", *(shown if rows else []), *more]))


def _filled(rows: list[Row]) -> list[str]:
    """The columns in which some row says something."""
    return [name for name in (rows[0] if rows else ()) if any(row[name] not in (None, "") for row in rows)]


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _cell_html(text: str) -> str:
    return f'<td class="ra-long">{escaped(text)}</td>' if len(text) > _LONG else f"<td>{escaped(text)}</td>"


def _shortened(text: str) -> str:
    text = collapse(text)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _more(count: int) -> str:
    return f'<p class="ra-soft">… and {count - _MOST} more</p>' if count > _MOST else ""
