"""What an update has to do: the files as they are now against the catalog as it was."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rag_app.corpus.document import Document
from rag_app.corpus.read import Problem, Unchanged
from rag_app.corpus.web_pages import PAGE_TROUBLE
from rag_app.errors import BuildError, DefinitionError
from rag_app.index.catalog import KnownDocument
from rag_app.index.definition import IndexDefinition
from rag_app.principal import NOBODY, AccessRule

TROUBLE_READING = ("unreadable", "broken", *PAGE_TROUBLE)
"""Problems that say nothing about what the author wants: an earlier version of such a file or page stays."""
_MANY = 10
"""From so many documents on, losing more than half of them looks like a mistake."""


@dataclass(frozen=True, slots=True)
class ToStage:
    """A document to be cut, embedded and stored."""

    document: Document
    rule: AccessRule
    body_sha: str


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


def make_plan(
    definition: IndexDefinition,
    found: Iterable[Document | Problem | Unchanged],
    known: list[KnownDocument],
    *,
    cutting: str,
    everything: bool,
    keep_unreadable: bool,
    seen: Callable[[int], None],
) -> Plan:
    """Compares what was read with what the catalog knows.

    Args:
        found: documents and problems, in a fixed order.
        cutting: names the way passages are cut now.
        everything: stage unchanged documents too (a rebuild).
        keep_unreadable: whether a file that cannot be read at the moment keeps its earlier version.
        seen: called with the number of files read so far.

    Raises:
        DefinitionError: a document of a plain folder says who may read it.
    """
    plan = Plan()
    by_id = {document.document_id: document for document in known}
    by_path = {document.path: document for document in known}
    by_content: dict[tuple[str | None, ...], str] = {}
    new: list[ToStage] = []
    in_place: set[str] = set()
    for number, item in enumerate(found, start=1):
        seen(number)
        if isinstance(item, Problem):
            plan.problems.append(item)
            continue
        if isinstance(item, Unchanged):
            before = by_path[item.path]
            if (problem := _duplicate(item.path, _content(before), by_content)) is not None:
                plan.problems.append(problem)
            else:
                in_place.add(before.document_id)
                plan.counts["unchanged"] += 1
            continue
        if definition.plain and item.access is not None:
            raise _plain_folder_has_readers(definition, item)
        work = ToStage(item, definition.rule_for(item.path, item.access), _sha(item.text[item.body_start :]))
        if (problem := _unusable(work, by_content)) is not None:
            plan.problems.append(problem)
            continue
        if work.rule == NOBODY:
            plan.problems.append(_hidden(work))
        in_place.add(item.document_id)
        before = by_id.get(item.document_id)
        if before is None:
            new.append(work)
            continue
        kind = _difference(before, work, cutting)
        plan.counts[kind] += 1
        if everything or kind != "unchanged":
            plan.to_stage.append(work)
            plan.removed.add(before.doc)
    gone = {d.document_id: d for d in known if d.document_id not in in_place}
    if keep_unreadable:
        _keep_unreadable(plan, gone)
    _tell_moved(plan, new, gone)
    plan.to_stage.extend(new)
    plan.to_stage.sort(key=lambda work: work.document.path)
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


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _hidden(work: ToStage) -> Problem:
    said = "is malformed or unknown" if work.document.access is not None else "is missing"
    reason = f"Its access data {said}, so nobody may read it: give it access_scope and the names that belong to it."
    return Problem(path=work.document.path, code="nobody", reason=reason)


def _unusable(work: ToStage, by_content: dict[tuple[str | None, ...], str]) -> Problem | None:
    """Why a document cannot be stored: it is one already, or holds what is no text."""
    document = work.document
    try:
        "\0".join((document.text, document.title, document.source, document.document_id)).encode()
    except UnicodeEncodeError:
        reason = "It holds characters that are no text (lone surrogates): save it anew as UTF-8."
        return Problem(path=document.path, code="encoding", reason=reason)
    content = _Content(
        work.rule.rule_id,
        document.sha256,
        document.title,
        work.body_sha,
        document.version,
        document.effective_date.isoformat() if document.effective_date else None,
        json.dumps(document.supersedes),
    )
    return _duplicate(document.path, content, by_content)


class _Content(NamedTuple):
    """What makes two documents the same."""

    rule_id: str
    sha256: str
    title: str
    body_sha: str
    version: str | None
    effective_date: str | None
    supersedes: str


def _content(known: KnownDocument) -> _Content:
    return _Content(*(getattr(known, name) for name in _Content._fields))


def _duplicate(path: str, content: _Content, by_content: dict[tuple[str | None, ...], str]) -> Problem | None:
    """A problem where the same content was met before, as a file or in words."""
    same_file = ("file", content.rule_id, content.sha256)
    same_words = ("words", content.rule_id, *content[2:])
    first = by_content.get(same_file) or by_content.get(same_words)
    if first is not None:
        reason = f"It has the same content and readers as {first}, which is indexed: remove one of them."
        return Problem(path=path, code="duplicate", reason=reason)
    by_content[same_file] = by_content[same_words] = path
    return None


def _difference(before: KnownDocument, now: ToStage, cutting: str) -> str:
    if before.cutting != cutting or before.body_sha != now.body_sha or before.title != now.document.title:
        return "changed"
    if before.rule_id != now.rule.rule_id:
        return "access_changed"
    if before.sha256 != now.document.sha256:
        return "changed"
    return "unchanged" if before.path == now.document.path else "moved"


def _keep_unreadable(plan: Plan, gone: dict[str, KnownDocument]) -> None:
    """Takes documents whose file or folder cannot be read at the moment out of `gone`."""
    for number, problem in enumerate(plan.problems):
        if problem.code not in TROUBLE_READING:
            continue
        folder = f"{problem.path}/"
        is_page = (
            problem.code in PAGE_TROUBLE
        )  # a page in trouble says nothing about those whose URLs begin like its own
        kept = [d for d in gone.values() if d.path == problem.path or (d.path.startswith(folder) and not is_page)]
        for document in kept:
            del gone[document.document_id]
            plan.counts["unchanged"] += 1
        if kept:
            plan.problems[number] = replace(problem, reason=f"{problem.reason} The earlier version still answers.")


def _tell_moved(plan: Plan, new: list[ToStage], gone: dict[str, KnownDocument]) -> None:
    """Counts new documents whose content is that of a vanished one as moved, and the rest as added and removed."""
    vanished: dict[tuple[str, str], int] = {}
    for document in gone.values():
        key = (document.sha256, document.rule_id)
        vanished[key] = vanished.get(key, 0) + 1
    for work in new:
        key = (work.document.sha256, work.rule.rule_id)
        if vanished.get(key, 0):
            vanished[key] -= 1
            plan.counts["moved"] += 1
        else:
            plan.counts["added"] += 1
    plan.counts["removed"] += sum(vanished.values())


def _plain_folder_has_readers(definition: IndexDefinition, document: Document) -> DefinitionError:
    return DefinitionError(
        f"{document.path} says who may read it, but {definition.path} has no index.toml, and so everybody could. "
        "Write there a file index.toml with these lines:\n"
        f'[index]\nname = "{definition.name}"\ndescription = "..."\naccess = "rules"\n[documents]\nfolder = "."',
        path=document.path,
    )
