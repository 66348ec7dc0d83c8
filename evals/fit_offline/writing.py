"""Numbers put into a table of fitted.toml, whose comments stay."""

import re
import tomllib
from collections.abc import Mapping


def written(text: str, table: str, values: Mapping[str, float]) -> str:
    """The text of a TOML file with the numbers of `[table]` replaced.

    Raises:
        ValueError: there is no such table, or the result would not read back as those numbers.
    """
    lines = [f"{name} = {value:.3g}" for name, value in values.items()]
    section = re.compile(rf"^\[{re.escape(table)}\]\n(?:[^\[\n].*\n)*", re.MULTILINE)
    replaced, count = section.subn("\n".join([f"[{table}]", *lines, ""]), text)
    read = tomllib.loads(replaced)
    for name in table.split("."):
        read = read.get(name, {})
    if count != 1 or set(read) != set(values):
        raise ValueError(f"The table [{table}] cannot be replaced: it must stand in the file once.")
    return replaced
