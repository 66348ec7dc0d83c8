"""Front matter and side files: what a document says about itself."""

import zipfile
from datetime import date
from pathlib import Path

import pytest

from rag_app.document import Document
from rag_app.errors import ReadError
from rag_app.principal import NOBODY, PUBLIC, AccessRule
from rag_app.read.documents import Problem, read_file, read_folder

OTHERS = Path(__file__).parent / "files" / "others"


def read(folder: Path, text: str, side: str | None = None, name: str = "a.md") -> Document:
    (folder / name).write_bytes(text.encode())
    if side is not None:
        (folder / f"{name}.meta.yaml").write_text(side)
    return read_file(folder / name, folder)


def code_of(folder: Path, text: str, side: str | None = None, name: str = "a.md") -> tuple[str, str]:
    with pytest.raises(ReadError) as caught:
        read(folder, text, side, name)
    return caught.value.details["code"], str(caught.value)


def test_all_fields_reach_the_document(tmp_path: Path) -> None:
    """Each field of the front matter stands in the document, and the text keeps the whole file."""
    head = (
        "---\ndocument_id: leave-2\ntitle: Leave\nsource_path: hr/leave.docx\nversion: 2\neffective_date: 2024-05-31\n"
        "supersedes: [leave-1, 007]\naccess_scope: role\nallowed_roles: [manager]\nother: [1, {x: y}]\n---\n"
    )
    document = read(tmp_path, head + "\n# Body\n")
    assert document.text == head + "\n# Body\n"
    assert document.text[document.body_start :] == "\n# Body\n"
    assert (document.document_id, document.title, document.source) == ("leave-2", "Leave", "hr/leave.docx")
    assert (document.version, document.effective_date) == ("2", date(2024, 5, 31))
    assert document.supersedes == ("leave-1", "007")
    assert document.access == AccessRule("role", ("manager",))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_body_begins_after_the_front_matter_whatever_the_line_ends(tmp_path: Path, newline: str, mark: str) -> None:
    """CRLF and a byte order mark do not move the body."""
    document = read(tmp_path, mark + newline.join(["---", "title: T ", "---  ", "Body --- here", "---", "more"]))
    assert document.title == "T"
    assert document.text[document.body_start :] == newline.join(["Body --- here", "---", "more"])
    assert not document.text.startswith("\ufeff")


@pytest.mark.parametrize(
    "text", ["Text\n\n---\ntitle: no\n\n---\n", "---\nText without an end", "--- a\ntitle: x\n\n---\n", "***\nx\n***\n"]
)
def test_rules_in_the_text_are_no_front_matter(tmp_path: Path, text: str) -> None:
    """Only a block that begins the file is front matter."""
    document = read(tmp_path, text)
    assert (document.body_start, document.title) == (0, "A")


def test_plain_text_has_front_matter_only_where_it_names_our_fields(tmp_path: Path) -> None:
    """Dashes around a plain text's first lines are text; an access rule there is honoured."""
    assert read(tmp_path, "---\nMinutes\n---\ntext", name="a.txt").body_start == 0
    document = read(tmp_path, "---\naccess_scope: public\n---\ntext", name="b.txt")
    assert (document.text[document.body_start :], document.access) == ("text", PUBLIC)


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("1.10", "1.10"),
        ("2024-01", "2024-01"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("yes", "yes"),
        ("", None),
        ("~", None),
    ],
)
def test_a_version_is_taken_as_written(tmp_path: Path, line: str, version: str | None) -> None:
    """YAML's types do not change what a person wrote."""
    assert read(tmp_path, f"---\nversion: {line}\n---\ntext").version == version


@pytest.mark.parametrize(
    "line", ["2024-05-31", "'2024-05-31'", "2024-5-31", "2024-05-31T10:00:00Z", "2024-05-31 10:00:00"]
)
def test_a_date_is_read(tmp_path: Path, line: str) -> None:
    """YAML dates, ISO texts and times of day give the day."""
    assert read(tmp_path, f"---\neffective_date: {line}\n---\ntext").effective_date == date(2024, 5, 31)


def test_a_single_superseded_id_needs_no_list(tmp_path: Path) -> None:
    """A text stands for a list of one; nothing for none."""
    assert read(tmp_path, "---\nsupersedes: leave-1\n---\ntext").supersedes == ("leave-1",)
    assert read(tmp_path, "---\nsupersedes:\n---\ntext").supersedes == ()


@pytest.mark.parametrize(
    ("block", "hint"),
    [
        ("title: [", "line"),
        ("title: a: b", "quotes"),
        ("just words", "name: value"),
        ("- a\n- b", "name: value"),
        ("title: [a]", "title must be a text"),
        ("document_id: {a: b}", "document_id must be a text"),
        ("version: [1]", "version must be a text"),
        ("supersedes: {a: b}", "supersedes must be a text"),
        ("supersedes: [[a]]", "supersedes must be a text"),
        ("effective_date: 2024-02-30", "no date"),
        ("effective_date: next week", "no date"),
        ("effective_date: 31.05.2024", "no date"),
        ('document_id: "a\\x07"', "control"),
        ('title: "\\uD800"', "control"),
        ("a: &a [x, x]\ntitle: *a", "aliases"),
        ("access_scope: private\naccess_scope: public", "twice"),
        ("Access-Scope: private", "access_scope"),
        ("allowed_roles: !!python/object/apply:os.getcwd []", "constructor"),
        ("allowed_roles: " + "[" * 2000, "correct it"),
        ("allowed_roles: 2024-99-99", "correct it"),
        ("title: x\n" + "# padding\n" * 20_000, "shorten"),
    ],
)
def test_bad_front_matter_is_a_problem_that_says_what_is_wrong(tmp_path: Path, block: str, hint: str) -> None:
    """Neither half-read nor ignored: the file is named, with a hint."""
    code, reason = code_of(tmp_path, f"---\n{block}\n---\ntext")
    assert code == "front_matter"
    assert hint in reason


def test_front_matter_without_an_end_is_a_problem(tmp_path: Path) -> None:
    """A forgotten last line does not turn an access rule into text."""
    code, reason = code_of(tmp_path, "---\naccess_scope: private\nowner_user_id: ana\n\ntext")
    assert code == "front_matter"
    assert "---" in reason


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        ("title: x", None),
        ("access_scope: public", PUBLIC),
        ("access_scope: private\nowner_user_id: ana", AccessRule("private", ("ana",))),
        ("access_scope:", NOBODY),
        ("access_scope: everyone", NOBODY),
        ("access_scope: [public]", NOBODY),
        ("allowed_roles: [manager]", NOBODY),
        ("access_scope: role\nallowed_roles: manager", NOBODY),
        ("access_scope: role\nallowed_roles: [1]", NOBODY),
        ("access_scope: private\nowner_user_id: 42", NOBODY),
    ],
)
def test_a_document_states_its_readers_or_says_nothing(tmp_path: Path, block: str, rule: AccessRule | None) -> None:
    """Without an access field there is no rule; with an odd one the rule is nobody."""
    assert read(tmp_path, f"---\n{block}\n---\ntext").access == rule


def test_a_side_file_speaks_for_any_file_and_wins(tmp_path: Path) -> None:
    """Its fields come before those of the front matter, one by one."""
    document = read(tmp_path, "---\ntitle: Old\nversion: 1\n---\ntext", "title: New\nsource_name: Archive\n")
    assert (document.title, document.version, document.source) == ("New", "1", "Archive")
    assert read(tmp_path, "<p>x</p>", "document_id: page\naccess_scope: public", name="b.html").document_id == "page"


def test_access_fields_of_two_sources_are_never_mixed(tmp_path: Path) -> None:
    """A side file with one access field replaces the whole rule of the front matter."""
    document = read(tmp_path, "---\naccess_scope: role\nallowed_roles: [all]\n---\ntext", "allowed_departments: [hr]")
    assert document.access == NOBODY


@pytest.mark.parametrize("side", ["title: [", "words", "effective_date: soon", "\x00\x01\x02"])
def test_a_broken_side_file_is_a_problem_of_its_file(tmp_path: Path, side: str) -> None:
    """The file is not read without what the side file wanted to say."""
    assert code_of(tmp_path, "text", side)[0] == "side_file"


def test_a_side_file_without_its_file_is_a_problem(tmp_path: Path) -> None:
    """A misspelt name would leave a document without its access rule, so it is named."""
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "b.md.meta.yaml").write_text("access_scope: private")
    found = list(read_folder(tmp_path))
    assert [type(one) for one in found] == [Document, Problem]
    assert isinstance(found[1], Problem)
    assert (found[1].path, found[1].code) == ("b.md.meta.yaml", "side_file")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dots.md", "---\nauthor: Ana\naccess_scope: private\nowner_user_id: ana\n...\n\nA secret.\n"),
        ("unclosed.md", "---\nauthor: Ana\naccess_scope: private\n\nA secret.\n"),
        ("comment.md", "<!-- c -->\n---\naccess_scope: private\n---\nA secret.\n"),
        ("hash.md", "--- # meta\naccess_scope: private\n---\nA secret.\n"),
        ("zero.md", "\u200b---\naccess_scope: private\n---\nA secret.\n"),
        ("quoted.txt", '---\n"access_scope": private\n---\nA secret.\n'),
        ("spelled.txt", "---\nAccess-Scope: private\n---\nA secret.\n"),
        ("page.html", "---\naccess_scope: private\n---\n<p>A secret.</p>\n"),
        ("toml.md", '+++\naccess_scope = "private"\n+++\nA secret.\n'),
        ("misspelt.txt", "---\nallowed_role: [board]\n---\nA secret.\n"),
        ("later.md", "---\ntitle: x\n--- \naccess_scope: private\n---\nA secret.\n"),
        ("twice.md", "---\naccess_scope: public\n---\n---\naccess_scope: private\n---\nA secret.\n"),
        ("nested.md", "---\nmeta:\n  access_scope: private\n---\nA secret.\n"),
        ("flow.md", "---\nmeta: [{access_scope: private}]\n---\nA secret.\n"),
        ("merged.md", "---\n<<: {access_scope: private}\n---\nA secret.\n"),
        ("singular.md", "---\nallowed_role: [board]\n---\nA secret.\n"),
        ("typo.md", "---\nacces_scope: private\n---\nA secret.\n"),
        ("cyrillic.md", "---\n\u0430ccess_scope: private\n---\nA secret.\n"),
        ("wide.md", "---\naccess\uff3fscope: private\n---\nA secret.\n"),
        ("field.rst", ":access_scope: private\n:owner_user_id: ana\n\nA secret.\n"),
        ("attribute.adoc", "= Pay\n:access_scope: private\n\nA secret.\n"),
        ("line.json", '{"access_scope": "private", "text": "A secret."}'),
        ("second.json", '[{"text": "A secret.", "owner_user_id": "ana"}]'),
        ("record.jsonl", '{"text": "A secret.", "allowed_roles": ["board"]}\n'),
        ("block.md", '---json\n{"access_scope": "private"}\n---\nA secret.\n'),
        ("head.html", '<html><head><meta name="access_scope" content="private"></head><p>A secret.</p></html>'),
    ],
)
def test_access_that_is_not_in_front_matter_is_a_problem(tmp_path: Path, name: str, text: str) -> None:
    """A file that means to say who may read it, in a form that is not read, never becomes a document without a rule."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    (found,) = read_folder(tmp_path)
    assert isinstance(found, Problem)
    assert found.code == "front_matter"


def test_a_text_may_be_about_access_fields(tmp_path: Path) -> None:
    """A document that says who may read it in its front matter may show such lines in its text."""
    text = "---\naccess_scope: public\n---\n# Front matter\n\n```yaml\naccess_scope: private\n```\n"
    assert read(tmp_path, text).access == PUBLIC


@pytest.mark.parametrize("suffix", [".meta.yml", ".META.YAML", ".Meta.yaml", ".meta", ".meta.json"])
@pytest.mark.parametrize("dot", ["", "."])
def test_a_misspelt_side_file_keeps_its_file_from_being_read(tmp_path: Path, suffix: str, dot: str) -> None:
    """A file that something nearly called like its side file lies beside is a problem that says what to rename: a rule
    by glob could show it to people whom the side file means to shut out."""
    (tmp_path / "pay.txt").write_text("A secret.")
    (tmp_path / f"{dot}pay.txt{suffix}").write_text("access_scope: private\nowner_user_id: ana\n")
    (tmp_path / "other.txt").write_text("Other.")
    found = list(read_folder(tmp_path))
    assert [one.path for one in found if isinstance(one, Document)] == ["other.txt"]
    (problem,) = [one for one in found if isinstance(one, Problem) and one.path == "pay.txt"]
    assert problem.code == "side_file"
    assert "pay.txt.meta.yaml" in problem.reason


def test_tabs_are_taken_wherever_yaml_allows_them(tmp_path: Path) -> None:
    """After a colon, in a list, before a comment and at a line's end a tab is white space like any other."""
    fields = "title:\tHarbour\t# its name\nversion: '3'\t\naccess_scope:\trole\t\nallowed_roles: [a,\tb]\n"
    (tmp_path / "a.md").write_text(f"---\n{fields}---\nText.\n")
    document = read_file(tmp_path / "a.md", tmp_path)
    assert (document.title, document.version) == ("Harbour", "3")
    assert document.access is not None
    assert document.access.names == ("a", "b")


@pytest.mark.parametrize(
    "side_file",
    ["pay.txt.metadata.yaml", "pay.txt.metadata.json", "pay.txt.yaml", "pay.metadata.json", "pay.acl", "pay.meta.yaml"],
)
def test_side_files_of_other_systems_keep_their_file_from_being_read(tmp_path: Path, side_file: str) -> None:
    """What other systems call a side file is not taken for one, and its file is not read as if there were none."""
    (tmp_path / "pay.txt").write_text("A secret.")
    (tmp_path / side_file).write_text("access_scope: private")
    problems = {one.path: one for one in read_folder(tmp_path) if isinstance(one, Problem)}
    assert problems["pay.txt"].code == "side_file"
    assert side_file in problems["pay.txt"].reason


@pytest.mark.parametrize("other", ["pay.yaml", "pay.toml", "pay.pdf", "pay.access.md", "payments.meta", "pay.txt.bak"])
def test_files_of_like_names_are_no_side_files(tmp_path: Path, other: str) -> None:
    """A file may lie beside another that is called alike."""
    (tmp_path / "pay.txt").write_text("For all.")
    (tmp_path / other).write_text("data: 1")
    assert "pay.txt" in [one.path for one in read_folder(tmp_path) if isinstance(one, Document)]


@pytest.mark.parametrize("name", [" .md", "  .md"])
def test_a_name_of_spaces_is_a_problem(tmp_path: Path, name: str) -> None:
    """An id is what a citation names: one of spaces alone names nothing."""
    assert code_of(tmp_path, "Text.", name=name)[0] == "name"


PADDING = "A line of text.\n\n" * 40
MAIL = "From: ana@example.org\nSubject: Pay\n{}\n\nA secret.\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("late.md", f"{PADDING}access_scope: private\nowner_user_id: ana\n\nA secret.\n"),
        ("late.txt", f"{PADDING}allowed_roles: [board]\n"),
        ("comment.md", "<!-- access_scope: private -->\nA secret.\n"),
        ("begins-with-code.md", "```yaml\naccess_scope: private\n```\nA secret.\n"),
        ("mail.eml", MAIL.format("X-Access-Scope: private")),
        ("list.mbox", f"From ana Mon Jan  1 10:00:00 2024\n{MAIL.format('X-Allowed-Roles: board')}"),
        ("head.html", f"<html><head>{'<link>' * 3}{chr(10) * 40}<meta content=x name='access_scope'></head><p>x</p>"),
        ("record.jsonl", '{"text": "x"}\n' * 40 + '{"text": "A secret.", "allowed_roles": ["board"]}\n'),
        ("columns.csv", "text,allowed_roles\nA secret,board\n"),
        ("notebook.ipynb", '{"metadata": {"access_scope": "private"}, "cells": [{"cell_type": "raw", "source": "x"}]}'),
    ],
)
def test_access_fields_anywhere_in_a_file_are_a_problem(tmp_path: Path, name: str, text: str) -> None:
    """However late in a file and in whatever kind of file our own fields stand: where they are not read, the file is
    not."""
    assert code_of(tmp_path, text, name=name)[0] == "front_matter"
    stated = read(tmp_path, text, "access_scope: private\nowner_user_id: ana", name=name)
    assert stated.access == AccessRule("private", ("ana",))  # the remedy that the problem names


def test_examples_in_code_are_no_access_data(tmp_path: Path) -> None:
    """A manual may show access fields in fenced code."""
    text = f"# Front matter\n\n```yaml\naccess_scope: private\n```\n\n{PADDING}~~~\nallowed_roles: [board]\n~~~\n"
    assert read(tmp_path, text).access is None


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("a.md", "---\nvisibility: internal\n---\nA secret.\n", "visibility"),
        ("a.md", "---\ntitle: Pay\nacl:\n  - board\n---\nA secret.\n", "acl"),
        ("a.md", "---\nrestricted_to: [board]\n---\nA secret.\n", "restricted_to"),
        ("a.md", "---\npermissions: {read: [board]}\n---\nA secret.\n", "permissions"),
        ("a.md", "---\nmeta:\n  visibleTo: board\n---\nA secret.\n", "visibleTo"),
        ("a.md", "---\nclassification: TLP:RED\n---\nA secret.\n", "classification"),
        ("a.md", "+++\nvisibility = 'internal'\n+++\nA secret.\n", "visibility"),
        ("a.md", "---\ntitle: x\n---\n---\nvisibility: internal\n---\nA secret.\n", "visibility"),
        ("a.txt", "---\nallowed-users: board\n---\nA secret.\n", "allowed-users"),
        ("a.eml", MAIL.format("Sensitivity: Company-Confidential"), "Sensitivity"),
        ("a.html", "<meta name=visibility content=internal><p>A secret.</p>", "visibility"),
        ("a.json", '[{"text": "A secret.", "acl": ["board"]}]', "acl"),
        ("a.csv", "text,visibility\nA secret,internal\n", "visibility"),
        ("a.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Secret\nCLASS:PRIVATE\nEND:VEVENT\nEND:VCALENDAR\n", "CLASS"),
    ],
)
def test_access_data_of_other_systems_is_noticed(tmp_path: Path, name: str, text: str, field: str) -> None:
    """A document knows which fields of other systems seem to say who may read it, unless it says so in ours."""
    assert read(tmp_path, text, name=name).unread_access == (field,)
    assert read(tmp_path, text, "access_scope: public", name=name).unread_access == ()


@pytest.mark.parametrize("file", ["word-plain.docx", "sheet-prices.xlsx", "slides-typed-dashes.pptx", "word-list.odt"])
@pytest.mark.parametrize(
    ("name", "value", "signs"),
    [
        ("MSIP_Label_0a1b-22_Name", "Confidential", ("MSIP_Label_0a1b-22_Name",)),
        ("Classification", "Internal", ("Classification",)),
        ("MSIP_Label_0a1b-22_Name", "Public", ()),
        ("Project", "Confidential", ()),
    ],
)
def test_labels_of_office_files_are_noticed(
    tmp_path: Path, file: str, name: str, value: str, signs: tuple[str, ...]
) -> None:
    """A property of an Office file that says that it is not for everybody is access data too."""
    custom = "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"
    part, text = "docProps/custom.xml", f'<p xmlns="{custom}"><property name="{name}"><v>{value}</v></property></p>'
    if file.endswith(".odt"):
        meta = "urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
        part, text = "meta.xml", f'<m xmlns:n="{meta}"><n:user-defined n:name="{name}">{value}</n:user-defined></m>'
    with zipfile.ZipFile(OTHERS / file) as old, zipfile.ZipFile(tmp_path / file, "w") as new:
        for other in set(old.namelist()) - {part}:
            new.writestr(other, old.read(other))
        new.writestr(part, text)
    assert read_file(tmp_path / file, tmp_path).unread_access == signs


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "---\nvisibility: public\nprivate: false\naccess_date: 2024-05-01\n---\nText.\n"),
        ("a.md", "---\nclassification: Mammals\nacl:\n---\nText.\n"),
        ("a.md", "Visibility: good. Access: by the north gate.\n"),
        ("a.csv", "day,visibility\nMonday,4000\n"),
        ("a.html", "<meta name=classification content=News><p>Text.</p>"),
        ("a.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Open day\nCLASS:PUBLIC\nEND:VEVENT\nEND:VCALENDAR\n"),
    ],
)
def test_what_is_for_everybody_or_about_something_else_is_no_access_data(tmp_path: Path, name: str, text: str) -> None:
    """Fields that shut nobody out, and words of the text, are not taken for access data."""
    assert read(tmp_path, text, name=name).unread_access == ()
