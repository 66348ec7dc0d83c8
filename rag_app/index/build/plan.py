"""What an update has to do: the files as they are now against the catalog as it was."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import NamedTuple

from rag_app.document import Document
from rag_app.errors import BuildError, DefinitionError
from rag_app.index.build.claims import Claim, find_losers
from rag_app.index.build.spool import Spool, ToStage
from rag_app.index.build.unreadable import unreadable_now
from rag_app.index.definition import IndexDefinition
from rag_app.index.records import StoredDocument
from rag_app.principal import NOBODY, PUBLIC, AccessRule
from rag_app.read.documents import Problem, Unchanged
from rag_app.show.lines import counted
from rag_app.text.language import language_of

_MANY = 10
"""From so many documents on, losing more than half of them looks like a mistake."""


@dataclass(slots=True)
class Plan:
    """What is to be done, with the counts of the report."""

    to_stage: list[ToStage] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)
    """Rows of the catalog that go: documents that are gone, and earlier versions of those to be staged."""
    problems: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("added", "changed", "removed", "moved", "access_changed", "unchanged"), 0
        )
    )
    documents: int = 0
    """In the index afterwards."""
    notes: list[str] = field(default_factory=list)
    """What of a file that was read is not in its text, with the file's path."""
    unheeded: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of the documents that were read into an open index, by path the fields that say that not everybody may read."""
    languages: dict[str, list[str]] = field(default_factory=dict)
    """Of the documents that were read, the paths of those in each language other than English."""


def make_plan(
    definition: IndexDefinition,
    found: Iterable[Document | Problem | Unchanged],
    known: list[StoredDocument],
    spool: Spool,
    *,
    cutting: str,
    everything: bool,
    keep_unreadable: bool,
    source_trouble: Collection[str],
    seen: Callable[[int], None],
) -> Plan:
    """Compares what was read with what the catalog knows.

    Args:
        found: documents and problems, in a fixed order.
        spool: keeps the documents, so that no more than one of their texts is held at a time.
        cutting: names the way passages are cut now.
        everything: stage unchanged documents too (a rebuild).
        keep_unreadable: whether a file that cannot be read at the moment keeps its earlier version.
        source_trouble: codes of problems by which a document of another source keeps its earlier version.
        seen: called with the number of files read so far.

    Raises:
        DefinitionError: a document of a plain folder says who may read it.
    """
    plan = Plan()
    by_id = {document.document_id: document for document in known}
    files: list[ToStage | StoredDocument] = []
    for number, item in enumerate(found, start=1):
        seen(number)
        if isinstance(item, Unchanged):
            files.append(by_id[item.document_id])
        elif (problem := item if isinstance(item, Problem) else _not_text(item)) is not None:
            plan.problems.append(problem)
        elif isinstance(item, Document):
            files.append(_accepted(item, definition, spool, plan))
    plan.notes += starmap(_idle, definition.idle_globs([file.path for file in files]).items())
    plan.notes += _for_all_the_same(plan.unheeded)
    kept = unreadable_now(plan.problems, known, source_trouble) if keep_unreadable else {}
    read = {file.path for file in files}  # a page in trouble is there too, with the text it had
    unread = [document for documents in kept.values() for document in documents if document.path not in read]
    losers = find_losers(_claim(file, by_id) for file in (*files, *unread))
    indexed = _each_once(files, losers, plan)
    new: list[ToStage] = []
    for file in indexed:
        before = by_id.get(file.document_id)
        if isinstance(file, StoredDocument):
            plan.counts["unchanged"] += 1
        elif before is None:
            new.append(file)
        else:
            _compare(before, file, plan, cutting, everything)
    ids = {file.document_id for file in indexed}
    gone = {document.document_id: document for document in known if document.document_id not in ids}
    _keep(plan, kept, gone)
    _count_moved(plan, new, gone)
    plan.to_stage.extend(new)
    plan.to_stage.sort(key=lambda file: file.path)
    plan.removed.update(document.doc for document in gone.values())
    plan.problems.sort(key=lambda problem: problem.path)
    plan.documents = sum(plan.counts.values()) - plan.counts["removed"]
    return plan


def refuse_loss(plan: Plan, before: int, definition: IndexDefinition) -> None:
    """Raises BuildError where nothing is there to index, or most documents would disappear (a folder not mounted)."""
    folder = definition.documents_folder or definition.path
    if not plan.documents and not before:
        why = plan.problems[0] if plan.problems else None
        if why and definition.urls and definition.documents_folder is None:
            raise BuildError(
                f"No page of {definition.urls} could be made a document; {why.path}: {why.reason} `rag-app urls check "
                f"{definition.path}` says what is wrong with each; nothing was built.",
                path=str(definition.urls),
                problems=plan.problems,
            )
        what = f" that can be read; {why.path}: {why.reason}" if why else ": put documents into it."
        raise BuildError(f"{folder} holds no document{what}", path=str(folder), problems=plan.problems)
    if plan.documents * 2 >= before or (plan.documents and before < _MANY):
        return
    raise BuildError(
        f"{folder} holds {plan.documents} documents now and the index has {before}: nothing was changed. If that is "
        "right, build again with --force.",
        path=str(folder),
        before=before,
        after=plan.documents,
    )


def _accepted(document: Document, definition: IndexDefinition, spool: Spool, plan: Plan) -> ToStage:
    """A document that was read, put aside until it is staged; its language and what its text lacks are noted."""
    if definition.plain and document.access is not None:
        raise _plain_folder_has_readers(definition, document)
    stated = ("access_scope",) if document.access not in (None, PUBLIC) else ()
    if definition.access == "open" and (names := stated or document.unread_access):
        plan.unheeded[document.path] = names
    if (language := language_of(document.text[document.body_start :])) not in ("", "English"):
        plan.languages.setdefault(language, []).append(document.path)
    plan.notes += (f"{document.path}: {note}" for note in document.notes)
    return spool.put(document, definition.rule_for(document.path, document.access, document.unread_access))


def _each_once(
    files: Iterable[ToStage | StoredDocument], losers: Mapping[str, Claim], plan: Plan
) -> list[ToStage | StoredDocument]:
    """The files that are indexed: of those with one id or one content only one; the others are problems."""
    by_content: dict[tuple[object, ...], str] = {}
    indexed: list[ToStage | StoredDocument] = []
    for file in files:
        if (problem := _loser(file, losers) or _duplicate(file, by_content)) is not None:
            plan.problems.append(problem)
            continue
        indexed.append(file)
        if file.rule == NOBODY and not isinstance(file, StoredDocument):
            plan.problems.append(_hidden(file))
    return indexed


def _compare(before: StoredDocument, now: ToStage, plan: Plan, cutting: str, everything: bool) -> None:
    """Counts how a document differs from its earlier version, which it replaces where it does."""
    kind = _difference(before, now, cutting)
    plan.counts[kind] += 1
    if everything or kind != "unchanged":
        plan.to_stage.append(now)
        plan.removed.add(before.doc)


def _hidden(file: ToStage) -> Problem:
    said = "Its access data is malformed or unknown" if file.states_access else "Its access data is missing"
    if file.unread_access:
        said = f"{', '.join(file.unread_access)} in it may say who may read it and is not understood"
    reason = f"{said}, so nobody may read it: give it access_scope and the names that belong to it."
    return Problem(path=file.path, code="nobody", reason=reason)


def _for_all_the_same(unheeded: Mapping[str, Sequence[str]]) -> list[str]:
    """A note where documents of an open index seem to be meant for some people only."""
    if not unheeded:
        return []
    path, names = next(iter(unheeded.items()))
    more = f" and of {counted(len(unheeded) - 1, 'more document')}" if len(unheeded) > 1 else ""
    return [
        f"Everybody may read this index. If {', '.join(names)} of {path}{more} should say otherwise, write "
        'access = "rules" under [index] in index.toml.'
    ]


def _idle(glob: str, earlier: str) -> str:
    """A rule that is meant for some documents and decides about none leaves them to another, perhaps wider rule."""
    if earlier:
        return (
            f'The pattern "{glob}" in [access] decides about no document, since "{earlier}" stands before it: the '
            "first that matches counts."
        )
    return f'The pattern "{glob}" in [access] matches no document: write paths within the documents folder.'


def _not_text(document: Document) -> Problem | None:
    """A problem where a document holds what cannot be stored."""
    try:
        "\0".join((document.text, document.title, document.source, document.document_id)).encode()
    except UnicodeEncodeError:
        reason = "It holds characters that are not text (lone surrogates): save it again as UTF-8."
        return Problem(path=document.path, code="encoding", reason=reason)
    return None


def _claim(file: ToStage | StoredDocument, by_id: Mapping[str, StoredDocument]) -> Claim:
    before = by_id.get(file.document_id)
    return Claim(file.document_id, file.path, file.rule, before is not None and before.path == file.path)


def _loser(file: ToStage | StoredDocument, losers: Mapping[str, Claim]) -> Problem | None:
    """A problem where another file gets the id that this one claims."""
    winner = losers.get(file.path)
    if winner is None:
        return None
    same = f"{file.path} and {winner.path} have the same document_id {file.document_id!r}"
    return Problem(path=file.path, code="duplicate_id", reason=f"{same}: give one of them another.")


class _Content(NamedTuple):
    """What makes two documents the same."""

    rule: AccessRule
    sha256: str
    title: str
    body_sha: str
    version: str | None
    effective_date: str | None
    supersedes: tuple[str, ...]


def _content(file: ToStage | StoredDocument) -> _Content:
    return _Content(*(getattr(file, name) for name in _Content._fields))


def _duplicate(file: ToStage | StoredDocument, by_content: dict[tuple[object, ...], str]) -> Problem | None:
    """A problem where the same content was met before, as a file or in words."""
    content = _content(file)
    same_file = ("file", content.rule, content.sha256)
    same_words = ("words", content.rule, *content[2:])
    first = by_content.get(same_file) or by_content.get(same_words)
    if first is not None:
        reason = f"It has the same content and readers as {first}, which is indexed: remove one of them."
        return Problem(path=file.path, code="duplicate", reason=reason)
    by_content[same_file] = by_content[same_words] = file.path
    return None


def _difference(before: StoredDocument, now: ToStage, cutting: str) -> str:
    if before.cutting != cutting or before.body_sha != now.body_sha or before.title != now.title:
        return "changed"
    if before.rule != now.rule:
        return "access_changed"
    if before.sha256 != now.sha256:
        return "changed"
    return "unchanged" if before.path == now.path else "moved"


def _keep(plan: Plan, kept: Mapping[int, list[StoredDocument]], gone: dict[str, StoredDocument]) -> None:
    """Takes documents that cannot be read at the moment out of `gone`."""
    for number, documents in kept.items():
        kept_here = [gone.pop(d.document_id) for d in documents if gone.get(d.document_id) is d]
        plan.counts["unchanged"] += len(kept_here)
        if kept_here:
            problem = plan.problems[number]
            plan.problems[number] = replace(problem, reason=f"{problem.reason} The earlier version still answers.")


def _count_moved(plan: Plan, new: list[ToStage], gone: dict[str, StoredDocument]) -> None:
    """Counts new documents whose content is that of a vanished one as moved, and the rest as added and removed."""
    vanished = Counter((document.sha256, document.rule) for document in gone.values())
    for file in new:
        key = (file.sha256, file.rule)
        if vanished[key]:
            vanished[key] -= 1
            plan.counts["moved"] += 1
        else:
            plan.counts["added"] += 1
    plan.counts["removed"] += vanished.total()


def _plain_folder_has_readers(definition: IndexDefinition, document: Document) -> DefinitionError:
    return DefinitionError(
        f"{document.path} says who may read it, but {definition.path} has no index.toml, and so everybody could. "
        "Write there a file index.toml with these lines:\n"
        f'[index]\nname = "{definition.name}"\ndescription = "..."\naccess = "rules"\n[documents]\nfolder = "."',
        path=document.path,
    )
