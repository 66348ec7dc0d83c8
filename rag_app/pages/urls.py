"""urls.txt: which pages an index is made of, one https URL a line.

    # a comment
    ## Getting started                      a group of pages, up to the next such line
    https://docs.example.org/install        # a comment behind white space

A fragment (`#part`) is cut off: a page is indexed as a whole. Nothing in the file is ever changed but that lines may be
made comments.
"""

import codecs
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rag_app.errors import DefinitionError, FetchUnsafe, UsageError
from rag_app.index.sqlite import read_regular
from rag_app.pages.fetching.addresses import check_url


@dataclass(frozen=True, slots=True)
class UrlLine:
    """A line that names a page."""

    number: int
    """From 1."""
    url: str
    """In its one spelling; "" where the line names none that may be fetched."""
    written: str
    """As it stands in the file."""
    group: str = ""
    """The heading above it; "" without one."""
    problem: str = ""
    """Why the page cannot be fetched, in a sentence."""
    verdict: Literal["", "not a URL", "unsafe address"] = ""
    """The same in a word; "" where there is no problem."""


@dataclass(frozen=True, slots=True)
class UrlList:
    """A list of pages as it was read."""

    path: Path
    data: bytes
    lines: tuple[UrlLine, ...]

    @property
    def urls(self) -> list[str]:
        """Every page once, in order."""
        return list(dict.fromkeys(line.url for line in self.lines if line.url))

    def place(self, line: UrlLine) -> str:
        """How a line is named in a report."""
        return f"{self.path.name}, line {line.number}"

    def first(self, line: UrlLine) -> UrlLine:
        """The first line that names the same page."""
        return next(other for other in self.lines if other.url == line.url)


def read_list(path: Path) -> UrlList:
    """The pages that a file lists.

    Raises DefinitionError where there is no such file or it is no text. A bad line is an entry with its problem.
    """
    try:
        data = read_regular(path)
        text = data.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DefinitionError(
            f"There is no file {path}: write one, with one https URL a line.", path=str(path)
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path} cannot be read ({error}): save it as UTF-8.", path=str(path)) from error
    lines: list[UrlLine] = []
    group = ""
    for number, written in enumerate(_split(text), start=1):
        line = written.strip()
        if line.startswith("##"):
            group = line.strip("# \t=-")
        elif line and not line.startswith("#"):
            lines.append(_line(number, line, group))
    return UrlList(path, data, tuple(lines))


def check_writable(pages: UrlList) -> None:
    """Raises UsageError where lines of the list could not be made comments."""
    target = pages.path.resolve()
    # The mode is read too, since a file that is marked read-only could be replaced, and by root even written.
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK) or not os.access(target.parent, os.W_OK):
        raise UsageError(
            f"{pages.path} cannot be written: check who may write it and its folder.", path=str(pages.path)
        )


def comment_out(pages: UrlList, reasons: Mapping[int, str]) -> None:
    """Turns lines, by number, into comments that begin with the reason; every other byte of the file stays.

    Raises UsageError where the file was changed meanwhile.
    """
    if pages.path.read_bytes() != pages.data:
        raise UsageError(f"{pages.path} was changed meanwhile and was left alone: run the check again.")
    lines = pages.data.splitlines(keepends=True)
    for number, reason in reasons.items():
        line = lines[number - 1]
        mark = codecs.BOM_UTF8 if number == 1 and line.startswith(codecs.BOM_UTF8) else b""
        indent = line[: len(line) - len(line.removeprefix(mark).lstrip(b" \t"))]
        lines[number - 1] = indent + f"# {reason}: ".encode() + line[len(indent) :]
    target = pages.path.resolve()
    temporary = target.with_name(f".{target.name}.new")
    try:
        temporary.write_bytes(b"".join(lines))
        temporary.chmod(target.stat().st_mode)
        os.replace(temporary, target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UsageError(f"{pages.path} cannot be written ({error}): check who may write it.") from error


def _split(text: str) -> list[str]:
    """Lines as `bytes.splitlines` parts them, which knows fewer line ends than `str.splitlines`."""
    return [line.decode("utf-8") for line in text.encode("utf-8").splitlines()]


def _line(number: int, line: str, group: str) -> UrlLine:
    url, *rest = line.split(maxsplit=1)
    if "://" not in url:
        return UrlLine(number, "", line, group, "It is not a URL: write one that begins with https://.", "not a URL")
    if rest and not rest[0].startswith("#"):
        problem = "There is something behind the URL: write one URL a line, and comments behind ' #'."
        return UrlLine(number, "", line, group, problem, "not a URL")
    try:
        return UrlLine(number, check_url(url), url, group)
    except FetchUnsafe as error:
        return UrlLine(number, "", url, group, str(error), "unsafe address")
