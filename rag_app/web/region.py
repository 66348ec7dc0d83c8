"""A region, as data: its names, its part of the web, and what shares a name with something elsewhere.

A profile is a TOML file. Those of `rag_app/web/regions/` come with the package, any other is given by its path.
Nothing of any region stands in the code.
"""

import re
import tomllib
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from rag_app.errors import DefinitionError
from rag_app.web.domains import ascii_host, covered, host_of

FOLDER = Path(__file__).parent / "regions"
_WORLD = FOLDER / "world.toml"
_CODE = re.compile(r"[a-z]{2}(?:-[a-z0-9]{1,3})?")
_MODEL = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, str_min_length=1)
Words = tuple[str, ...]
"""Words or phrases. They are found in any letter case and with or without diacritics, as whole words; in scripts other
than Latin from the beginning of a word on, since endings change there."""


class DomainRules(BaseModel):
    """Which hosts are of the region."""

    model_config = _MODEL

    suffixes: Words
    """Whole top-level domains, or names under which anybody of the region registers, as ".nz"."""
    hosts: Words = ()
    """Further hosts, each with everything under it: local ones under a top-level domain of nobody."""

    @field_validator("suffixes", "hosts")
    @classmethod
    def _in_ascii(cls, names: Words) -> Words:
        found = []
        for name in names:
            bare = name.removeprefix(".")
            host = ascii_host(f"x.{bare}")
            if host is None or not bare or ":" in name or "/" in name:
                raise ValueError(f"{name!r} is no domain")
            found.append(host.removeprefix("x."))
        return tuple(found)


class Collision(BaseModel):
    """A name of the region that something elsewhere has too."""

    model_config = _MODEL

    name: str
    """As people write it: "Warriors"."""
    aliases: Words = ()
    """Other spellings and scripts of that name."""
    local: Words = Field(min_length=1)
    """The local one in full."""
    kind: str
    """Its sport or trade, in words that a search takes: added to every query for the name."""
    native_kind: str = Field(default="", min_length=0)
    """The same for a query in the region's own script; "" where that is Latin."""
    context: Words = ()
    """Words beside the name that speak for the local one."""
    foreign: Words = Field(min_length=1)
    """Words beside the name that speak for a namesake."""
    is_common_word: bool = False
    """Whether the name is a word of everyday language, so that only its capital or its context makes it a name."""

    @property
    def names(self) -> Words:
        return (self.name, *self.aliases)

    @property
    def speaks_for_local(self) -> Words:
        return (*self.local, *self.speaks_beside)

    @property
    def speaks_beside(self) -> Words:
        """What speaks for the local one without naming it."""
        return (self.kind, *([self.native_kind] if self.native_kind else []), *self.context)


class RegionProfile(BaseModel):
    """Everything that the web search knows of a region."""

    model_config = _MODEL

    code: str
    """ISO 3166-1 alpha-2 in lower case, or such a code with a subdivision."""
    name: str
    anchor: str
    """What is added to a query that does not name the region."""
    native_anchor: str = Field(default="", min_length=0)
    """The same for a query in the region's own script; "" where that is Latin."""
    aliases: Words = Field(min_length=1)
    """Names of the region. A query with one of them has its anchor, if the name is among the `signs` too."""
    country: str = Field(default="", min_length=0)
    """The country as the search service names it, to prefer its results; "" for none."""
    signs: Words = Field(min_length=1)
    """Words that show that a text is about the region, and about no namesake of it."""
    foreign: Words = ()
    """Words that show that the region's own name means something else."""
    news_words: Words = ()
    """What makes a message one about news."""
    fillers: Words = ()
    """Words of a message that are not searched."""
    particular: Words = ()
    """Words that ask for one thing in particular of what a message names: a time, a place, a number."""
    news_sites: Words = Field(min_length=1)
    """Hosts of the region's news; each must be local by the domain rules."""
    home_words: Words = ()
    """Words by which a message means the region without naming it, so that it is not plainly international: "our"."""
    international: Words = ()
    """Further markers of what is plainly international, beside those of `world.toml`."""
    domains: DomainRules
    collisions: tuple[Collision, ...] = ()

    @field_validator("code")
    @classmethod
    def _is_code(cls, code: str) -> str:
        if not _CODE.fullmatch(code):
            raise ValueError(f"{code!r} is no country code in lower case")
        return code

    @model_validator(mode="after")
    def _fits(self) -> "RegionProfile":
        for site in self.news_sites:
            if not self.is_local(f"https://{site}/"):
                raise ValueError(f"news_sites: {site!r} is not local by [domains]; add it to hosts")
        return self

    def is_local(self, url: str) -> bool:
        """Whether a page is of the region, by its host alone."""
        return self.is_local_host(host_of(url))

    def is_local_host(self, host: str | None) -> bool:
        """Whether a host, as `domains.host_of` gives it, is of the region."""
        return covered(host, (*self.domains.suffixes, *self.domains.hosts))

    @cached_property
    def clear_names(self) -> Words:
        """Names of the region that nothing elsewhere has."""
        clear = {sign.casefold() for sign in self.signs}
        return tuple(alias for alias in self.aliases if alias.casefold() in clear)

    @cached_property
    def world(self) -> Words:
        """What makes a message plainly international: `international`, and the countries and bodies of the world."""
        own = {name.casefold() for name in (*self.aliases, self.name)}
        listed = (*self.international, *_world()["countries"], *_world()["world"])
        return tuple(word for word in listed if word.casefold() not in own)

    @property
    def from_home(self) -> Words:
        """Words by which a message that names one other country is about the region too: "flights"."""
        return tuple(_world()["from_home"])


def recency_words() -> dict[str, Words]:
    """Words that ask for something new, of every region: by "today", "this_week" and "latest"."""
    return {name: tuple(_world()[name]) for name in ("today", "this_week", "latest")}


def known_regions() -> list[str]:
    """The codes of the profiles that come with the package."""
    return sorted(file.stem for file in FOLDER.glob("*.toml") if file != _WORLD)


def load_region(region: str | Path) -> RegionProfile:
    """The profile with that code, or in that TOML file.

    Raises:
        DefinitionError: there is no such profile, or it is wrong; the message names file and key.
    """
    if isinstance(region, str) and not region.endswith(".toml"):
        code = region.strip().lower()
        if not code:
            raise DefinitionError(
                f"Say for which region the web is searched: --region with one of {', '.join(known_regions())}, or the "
                "path of a profile, a .toml file; in code WebSearch(REGION).",
                region=region,
            )
        if code not in known_regions():
            raise DefinitionError(
                f"There is no region {region!r}; there is: {', '.join(known_regions())}. For another one give the path "
                "of its profile, a .toml file.",
                region=region,
            )
        region = FOLDER / f"{code}.toml"
    return _checked(Path(region))


def _checked(file: Path) -> RegionProfile:
    try:
        return RegionProfile.model_validate(_read(file))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        where = f"{file}, {key}" if key else str(file)
        raise DefinitionError(
            f"{where}: {first['msg'].removeprefix('Value error, ')}.", path=str(file), key=key
        ) from error


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise DefinitionError(f"The region profile {file} cannot be read: {error.strerror}.", path=str(file)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DefinitionError(f"The region profile {file} is not TOML: {error}.", path=str(file)) from error


@lru_cache(maxsize=1)
def _world() -> dict[str, list[str]]:
    return _read(_WORLD)
