"""Region profiles: data that is checked, from the package or from a file of the user's."""

import ast
from pathlib import Path

import pytest

from rag_app.errors import DefinitionError
from rag_app.web.compose import read_message
from rag_app.web.judging.terms import Text
from rag_app.web.region import FOLDER, known_regions, load_region

SMALL = """
code = "is"
name = "Iceland"
anchor = "Iceland"
aliases = ["Iceland", "Ísland"]
signs = ["Reykjavík", "Iceland", "Ísland"]
news_sites = ["ruv.is"]

[domains]
suffixes = [".is"]

[[collisions]]
name = "Strætó"
local = ["Strætó bs"]
kind = "bus"
foreign = ["Strato Berlin"]
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "profile.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_two_regions_come_with_the_package() -> None:
    """New Zealand, and a country with another script whose own name is a namesake's too."""
    assert known_regions() == ["ge", "nz"]
    assert load_region("NZ").name == "New Zealand"
    georgia = load_region("ge")
    assert georgia.foreign
    assert "საქართველო" in georgia.clear_names
    assert "Georgia" not in georgia.clear_names


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    """A profile in a file of the user's works as one of the package does."""
    profile = load_region(written(tmp_path, SMALL))
    assert profile.is_local("https://www.ruv.is/frett")
    assert not profile.is_local("https://this.isnt.com")
    assert load_region(str(tmp_path / "profile.toml")) == profile


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('code = "is"', 'code = "Iceland"', "code"),
        ('name = "Iceland"', 'nome = "Iceland"', "name"),
        ("[domains]", "[domain]", "domain"),
        ('suffixes = [".is"]', 'suffixes = ["https://is/"]', "suffixes"),
        ('suffixes = [".is"]', 'suffixes = ["."]', "suffixes"),
        ('news_sites = ["ruv.is"]', 'news_sites = ["ruv.com"]', "ruv.com"),
        ("foreign = [", "local_ = [", "collisions.0"),
        ('kind = "bus"', 'kind = ""', "collisions.0.kind"),
        ("[domains]", "[domains", "TOML"),
    ],
)
def test_a_wrong_profile_says_where(tmp_path: Path, old: str, new: str, says: str) -> None:
    """What is wrong is named with its file and key."""
    file = written(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(DefinitionError) as caught:
        load_region(file)
    assert str(file) in str(caught.value)
    assert says in str(caught.value)


def test_a_region_that_is_not_there(tmp_path: Path) -> None:
    """An unknown code names the known ones; a missing file is named."""
    with pytest.raises(DefinitionError, match="ge, nz"):
        load_region("atlantis")
    with pytest.raises(DefinitionError, match=r"none\.toml"):
        load_region(tmp_path / "none.toml")
    with pytest.raises(DefinitionError, match="no region"):
        load_region("world")  # the list of countries is no region


def test_nothing_of_a_region_stands_in_the_code() -> None:
    """No name, place, club or host of a profile occurs in a string of the code that uses it, docstrings left out."""
    files = [*FOLDER.parent.rglob("*.py")]
    assert {"intent.py", "relevance.py"} <= {file.name for file in files}
    for file in files:
        said = Text(strings_of(file))
        for profile in map(load_region, known_regions()):
            clubs = (name for c in profile.collisions if not c.is_common_word for name in (*c.names, *c.local))
            names = (profile.name, *profile.aliases, *profile.signs, *profile.news_sites, *clubs)
            assert said.first_of(names) is None, file


def strings_of(file: Path) -> str:
    """The string constants of a file that are no docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return "\n".join(str(node.value) for node in strings if id(node) not in docstrings)


def test_a_longer_name_is_not_the_shorter_one() -> None:
    """A message about the central bank does not mean the commercial bank whose name its name ends with."""
    (collision,) = read_message("National Bank of Georgia rate", load_region("ge")).collisions
    assert collision.kind == "central bank"
