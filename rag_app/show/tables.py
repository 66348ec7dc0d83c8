"""Lists that show themselves as tables and become DataFrames; pandas is needed only where one is asked for."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar

from rag_app.errors import UsageError
from rag_app.show.html.style import escaped, fragment

if TYPE_CHECKING:
    import pandas

Cell = str | int | float | bool | None
Row = Mapping[str, Cell]
Item = TypeVar("Item")

_MOST = 100
"""Rows of a table in a notebook; all are in the list and in the DataFrame."""


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

    def _repr_html_(self) -> str:
        return fragment(table_html(self.rows[:_MOST]) + _more(len(self.rows)), self.label)


def table_html(rows: list[Row]) -> str:
    """Rows under their columns' names, escaped."""
    if not rows:
        return "<p>Nothing.</p>"
    head = "".join(f'<th scope="col">{escaped(name.replace("_", " "))}</th>' for name in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row.values())}</tr>" for row in rows)
    return f'<div class="ra-wide"><table><tr>{head}</tr>{body}</table></div>'


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else escaped(str(value))


def _more(count: int) -> str:
    return f'<p class="ra-soft">… and {count - _MOST} more</p>' if count > _MOST else ""
