"""index.toml and principals.json: what they say, and what is said about mistakes in them."""

import os
from pathlib import Path

import pytest

from rag_app.errors import DefinitionError, RagAppError, SetupError, UsageError
from rag_app.index.definition import load_definition, load_principals
from rag_app.pages.urls import read_list
from rag_app.principal import NOBODY, PUBLIC, AccessRule, Principal
from tests.index.workbench import Workbench

HEAD = '[index]\nname = "n"\ndescription = "d"\naccess = "rules"\n'


def write(folder: Path, text: str) -> Path:
    (folder / "index.toml").write_text(text, encoding="utf-8")
    return folder


def test_complete_definition(tmp_path: Path) -> None:
    """Every table of index.toml arrives under its name, with places counted from the folder."""
    text = HEAD + (
        '[documents]\nfolder = "texts"\nurls = "pages.txt"\n'
        '[models]\nembedding = "hf:x"\n[passages]\ntarget_words = 90\n'
        '[retrieval]\ncandidates = 30\n[gate]\nthreshold = 0.5\n[access]\n"hr/*.pdf" = { access_scope = "public" }\n'
    )
    definition = load_definition(write(tmp_path, text))
    assert definition.documents_folder == tmp_path.resolve() / "texts"
    assert definition.urls == tmp_path.resolve() / "pages.txt"
    assert definition.settings == {"embedding": "hf:x", "target_words": 90, "candidates": 30, "gate_threshold": 0.5}
    assert definition.access_globs == (("hr/*.pdf", PUBLIC),)
    assert definition.store_path == tmp_path.resolve() / ".store"


def test_rule_for(tmp_path: Path) -> None:
    """A document's own rule counts first, then the first glob that matches, then nobody may read."""
    globs = (
        '[access]\n"hr/*.pdf" = { access_scope = "role", allowed_roles = ["hr"] }\n'
        '"**/*.pdf" = { access_scope = "public" }\n'
    )
    definition = load_definition(write(tmp_path, HEAD + globs))
    hr = AccessRule("role", ("hr",))
    assert definition.rule_for("hr/pay.pdf", None) == hr
    assert definition.rule_for("hr/old/pay.pdf", None) == PUBLIC
    assert definition.rule_for("menu.pdf", None) == PUBLIC
    assert definition.rule_for("hr/pay.docx", None) == NOBODY
    assert definition.rule_for("hr/pay.pdf", NOBODY) == NOBODY


def test_a_pattern_that_matches_nothing_is_reported(bench: Workbench) -> None:
    """A build names the patterns that match no document, so that a mistyped one does not silently leave its documents
    to a wider rule; changed or not."""
    globs = (
        '[access]\n"documents/hr/*" = { access_scope = "role", allowed_roles = ["hr"] }\n'
        '"**" = { access_scope = "public" }'
    )
    bench.define("rules", globs)
    for report in (bench.build(), bench.build()):
        assert len(report.notes) == 1
        assert "documents/hr/*" in report.notes[0]
    bench.define("rules", globs.replace("documents/hr/*", "leave*"))
    assert bench.build().notes == ()


def test_open_index_ignores_rules(tmp_path: Path) -> None:
    """In an open index everybody reads everything, whatever a document says."""
    definition = load_definition(write(tmp_path, HEAD.replace('"rules"', '"open"')))
    assert definition.rule_for("a.md", AccessRule("role", ("hr",))) == PUBLIC


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[index\n", "not valid TOML"),
        ("[indx]\n", "did you mean 'index'"),
        (HEAD + "[passages]\ntarget_word = 3\n", "did you mean 'target_words'"),
        (HEAD + "[passages]\ntarget_words = 'many'\n", "target_words"),
        ('[index]\nname = "n"\naccess = "open"\n', 'description = "..."'),
        (HEAD.replace("rules", "closed"), '"open" or "rules"'),
        ('name = "n"\n', "[index]"),
        (HEAD + "[documents]\n", "[documents] needs"),
        (HEAD + '[access]\n"*.pdf" = "public"\n', "access_scope"),
        (HEAD + '[access]\n"*.pdf" = { access_scope = "role" }\n', "lets nobody read"),
        (HEAD + '[access]\n"*.pdf" = { acess_scope = "public" }\n', "did you mean 'access_scope'"),
        (HEAD.replace("rules", "open") + '[access]\n"*.pdf" = { access_scope = "public" }\n', 'access = "rules"'),
    ],
)
def test_mistakes(tmp_path: Path, text: str, named: str) -> None:
    """A mistake in index.toml is reported with the file and the key, and with what was probably meant."""
    with pytest.raises(DefinitionError) as caught:
        load_definition(write(tmp_path, text))
    assert named in str(caught.value)
    assert "index.toml" in str(caught.value)


def test_no_folder(tmp_path: Path) -> None:
    """A folder that is not there, or a file in its place, is reported in a sentence."""
    with pytest.raises(DefinitionError, match="There is no folder"):
        load_definition(tmp_path / "nowhere")
    file = tmp_path / "a.md"
    file.write_text("x")
    with pytest.raises(DefinitionError, match="is a file"):
        load_definition(file)


def test_plain_folder(tmp_path: Path, cache_home: Path) -> None:
    """A folder without index.toml is an open index whose store lies in the user's cache folder, one for each folder."""
    one, other = tmp_path / "one" / "docs", tmp_path / "other" / "docs"
    for folder in (one, other):
        folder.mkdir(parents=True)
    definition = load_definition(one)
    assert definition.plain
    assert definition.access == "open"
    assert definition.documents_folder == one.resolve()
    assert definition.store_path.is_relative_to(cache_home)
    assert definition.store_path != load_definition(other).store_path


@pytest.mark.parametrize("name", ["Index.toml", ".index.toml", "index.toml.txt", "index.toml ", "index.toml.bak"])
def test_a_misspelt_definition_is_no_plain_folder(tmp_path: Path, name: str) -> None:
    """A folder whose index.toml is called nearly so is refused: without it everybody would read everything."""
    (tmp_path / name).write_text(HEAD)
    with pytest.raises(DefinitionError, match=r"must be called index\.toml"):
        load_definition(tmp_path)


@pytest.mark.parametrize("name", ["index.toml", "principals.json", "urls.txt"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """A file that defines an index and is a pipe is refused at once: nobody may ever write into it."""
    write(tmp_path, HEAD)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(RagAppError, match=name):
        {"index.toml": load_definition, "principals.json": load_principals, "urls.txt": read_list}[name](
            tmp_path if name == "index.toml" else tmp_path / name
        )


def test_a_key_of_very_many_parts_is_refused(tmp_path: Path) -> None:
    """Such a key takes minutes to read, and an index may come from elsewhere; dots within texts are none of a key."""
    with pytest.raises(DefinitionError, match="too deeply"):
        load_definition(write(tmp_path, HEAD + "a . 'b'. " * 30_000 + "c = 1\n"))
    assert load_definition(write(tmp_path, HEAD.replace('"d"', f'"{"a.b " * 500}"'))).name == "n"


@pytest.mark.parametrize("place", ["\\u0000", "z" * 300])
@pytest.mark.parametrize("key", ["folder", "urls"])
def test_places_that_cannot_be_are_refused(tmp_path: Path, key: str, place: str) -> None:
    """A place that no file can have is an error that names the key."""
    with pytest.raises(RagAppError, match=f"{key} under"):
        load_definition(write(tmp_path, HEAD + f'[documents]\n{key} = "{place}"\n'))


def test_the_working_directory_may_be_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path means nothing where the working directory was removed, and the error says so."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SetupError, match="working directory"):
        load_definition(".")


def test_a_person_stands_once_in_principals(tmp_path: Path) -> None:
    """Of two entries with one name, or two lists of roles, one would not count: neither does."""
    for text in ('{"ana": {"roles": ["hr"]}, "ana": {}}', '{"ana": {"roles": ["hr"], "roles": ["board"]}}'):
        (tmp_path / "principals.json").write_text(text)
        with pytest.raises(DefinitionError, match="twice"):
            load_principals(tmp_path)


def test_read_only_folder(tmp_path: Path, cache_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store of a folder that cannot be written to lies in the user's cache folder."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert load_definition(write(tmp_path, HEAD)).store_path.is_relative_to(cache_home)


def test_principals(tmp_path: Path) -> None:
    """principals.json maps names to people; a missing user_id is the name."""
    (tmp_path / "principals.json").write_text(
        '{"ana": {"roles": ["hr"]}, "boss": {"user_id": "b", "departments": ["x"]}}'
    )
    found = load_principals(tmp_path)
    assert found == {"ana": Principal("ana", ("hr",)), "boss": Principal("b", (), ("x",))}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[]", "must map names"),
        ("{", "cannot be read"),
        ('{"ana": []}', "'ana' must be an object"),
        ('{"ana": {"role": ["hr"]}}', "did you mean 'roles'"),
        ('{"ana": {"roles": "hr"}}', "must be a list"),
        ('{"ana": {"roles": [""]}}', "'ana' is wrong"),
    ],
)
def test_mistakes_in_principals(tmp_path: Path, text: str, named: str) -> None:
    """A mistake in principals.json is reported with the file and the entry."""
    (tmp_path / "principals.json").write_text(text)
    with pytest.raises(DefinitionError) as caught:
        load_principals(tmp_path)
    assert named in str(caught.value)
    assert "principals.json" in str(caught.value)


def test_no_principals(tmp_path: Path) -> None:
    """Asking for principals where there is no such file is a usage error."""
    with pytest.raises(UsageError, match="There is no"):
        load_principals(tmp_path)
