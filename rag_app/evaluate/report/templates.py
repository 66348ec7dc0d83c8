"""The templates of pages that need nothing else: no script, font or picture from anywhere. They escape everything."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent


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
    )
    return environment.get_template(name)
