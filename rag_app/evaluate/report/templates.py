"""The templates of pages that need nothing else: no script, font or picture from anywhere. They escape everything."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e]")
"""What a terminal that prints the file would obey; the last two turn the direction of writing."""


@cache
def template(name: str) -> "Template":
    """The template in a file beside this one."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: _CONTROL.sub("\ufffd", value) if type(value) is str else value,
    )
    return environment.get_template(name)
