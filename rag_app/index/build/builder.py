"""Build, update, rebuild and check: atomic, resumable, with progress.

Order of writes in an update, so that a stop anywhere leaves the earlier state answering: vectors (kept for good as they
come), documents staged in the catalog, dense and sparse index get what they lack, one transaction makes it all visible,
both lose what is no longer there. A first build or a rebuild does the same in a new generation, then switches to it.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rag_app.document import Document
from rag_app.errors import DefinitionError, IndexMismatch, StoreError, UsageError
from rag_app.index.build.document_source import DocumentSource, Progress
from rag_app.index.build.languages import language_notes
from rag_app.index.build.plan import Plan, make_plan, refuse_loss
from rag_app.index.build.report import BuildReport, CheckReport
from rag_app.index.build.spool import Spool
from rag_app.index.build.stage import stage
from rag_app.index.build.write import bring_into_force, open_for_writing
from rag_app.index.calibration import KEY as CALIBRATION
from rag_app.index.calibration import kept_calibration
from rag_app.index.catalog import Catalog
from rag_app.index.definition import IndexDefinition
from rag_app.index.lock import writing
from rag_app.index.package.verify import verify_catalog
from rag_app.index.records import StoredDocument
from rag_app.index.search.dense import remove_unused
from rag_app.index.search.vectors import VectorStore
from rag_app.index.sqlite import mapped_sqlite_errors
from rag_app.index.store import FIRST_ID, Generation, Store
from rag_app.llm.fingerprint import dimension_of, embedder_fingerprint, same_embedder
from rag_app.principal import NOBODY
from rag_app.read.documents import READER_VERSION, PdfReader, Problem, Unchanged, read_folder
from rag_app.read.spread import Spread, here
from rag_app.settings import Settings, load_settings
from rag_app.text.passages import SPLITTER_VERSION

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding


def build(
    definition: IndexDefinition,
    settings: Settings,
    embedder: "BaseEmbedding",
    *,
    source: DocumentSource | None = None,
    rebuild: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    spread: Spread = here,
) -> BuildReport:
    """Builds an index, or brings an existing one up to date; see `rag_app.build_index`.

    Args:
        source: further documents, besides the files of the documents folder.
        spread: where files are read and cut, and texts embedded; all is written here.
    """
    started = time.perf_counter()
    if definition.urls is not None and source is None:
        raise UsageError(f"{definition.urls} lists web pages: build the index with rag_app.build_index.")
    fingerprint = embedder_fingerprint(embedder)
    store = Store(definition.store_path, settings.chroma_url)
    store.create()
    if source is not None:
        source.fetch(progress)
    with writing(store.path), ExitStack() as stack:
        current, old = _in_use(store, stack, rebuild)
        before = old.read_manifest() if old else {}
        same = bool(before) and same_embedder(before["fingerprint"], fingerprint)
        if old and not same and not rebuild:
            raise _other_embedder(definition, before, embedder, fingerprint)
        cutting = cutting_of(settings)
        calibration, note = kept_calibration(before, same_embedder=same, cutting=cutting)
        manifest = {
            "name": definition.name,
            "access": definition.access,
            "access_globs": repr(definition.access_globs),
            "embedder": embedder.model_name,
            "fingerprint": before["fingerprint"] if same else fingerprint,
            "reader": f"{READER_VERSION} {settings.pdf_reader}",
            **({CALIBRATION: calibration} if calibration != before.get(CALIBRATION, "") else {}),
        }
        known = old.stored() if old else []
        same_rules = not rebuild and all(before.get(key) == manifest[key] for key in ("access", "access_globs"))
        same_reading = same_rules and before.get("reader") == manifest["reader"]
        unchanged = _need_no_reading(known, cutting) if same_reading else {}
        plan = make_plan(
            definition,
            _read(definition, source, unchanged, settings.pdf_reader, spread),
            known,
            spool := stack.enter_context(Spool(store.path)),
            cutting=cutting,
            everything=rebuild or old is None,
            keep_unreadable=same_rules,
            source_trouble=source.trouble if source else (),
            seen=lambda number: progress(number, 0, "reading") if progress else None,
        )
        if not force:
            refuse_loss(plan, len(known), definition)
        vectors = stack.enter_context(_open_vectors(store, fingerprint, rebuild))
        updated = None if rebuild or old is None else current
        generation = updated or _new_generation(store, plan, manifest, before, calibration)
        kept = old.vector_ids() if old else set()  # a question that began before may still want them
        with Catalog(generation.catalog) as catalog:
            embedded = stage(plan.to_stage, spool, catalog, vectors, embedder, settings, cutting, progress, spread)
            repaired = bring_into_force(plan.removed, catalog, generation, vectors, manifest, progress)
            report = BuildReport(
                **plan.counts,
                rebuilt=rebuild,
                **catalog.sizes(),
                repaired=repaired,
                embedded=embedded,
                problems=tuple(plan.problems),
                notes=(*plan.notes, *language_notes(plan.languages, embedder.model_name), *([note] if note else [])),
                revision=int(catalog.read_manifest()["revision"]),
                store=str(store.path),
                seconds=time.perf_counter() - started,
            )
            if generation != current:
                store.switch(generation)
            if plan.to_stage or plan.removed:
                vectors.prune(kept | catalog.vector_ids())
        if source is not None:
            source.remove_unlisted()
    return report


def cutting_of(settings: Settings) -> str:
    """Names the way in which documents are cut into passages and statements."""
    return f"{SPLITTER_VERSION}/{settings.target_words}/{settings.overlap_statements}"


def check(definition: IndexDefinition, *, source: DocumentSource | None = None) -> CheckReport:
    """Compares a built index with itself and repairs what can be; see `rag_app.building.check_index`."""
    store = Store(definition.store_path, load_settings(definition.settings).chroma_url)
    generation = store.opened(definition.path)
    with writing(store.path), Catalog(generation.catalog) as catalog:
        catalog.discard_staged()
        with mapped_sqlite_errors(generation.catalog):
            verify_catalog(generation.catalog, store.vectors, generation.number, is_foreign=False)
        with (
            VectorStore(store.vectors, catalog.read_manifest()["fingerprint"]) as vectors,
            open_for_writing(generation) as indexes,
        ):
            live = catalog.passage_ids()
            missing = {index.name: index.mend(live, catalog, vectors) for index in indexes}
            if any(index.orphans(live) for index in indexes) or any(missing.values()):
                catalog.flip((), {})
            orphans = {index.name: index.delete_others(live) for index in indexes}
        documents = catalog.stored()
        return CheckReport(
            documents=len(documents),
            passages=len(live),
            missing=missing,
            orphans=orphans,
            revision=int(catalog.read_manifest()["revision"]),
            store=str(store.path),
            drift=tuple(source.drift(documents)) if source else (),
        )


def _in_use(store: Store, stack: ExitStack, rebuild: bool) -> tuple[Generation | None, Catalog | None]:
    """The generation that answers now and its catalog, which the stack closes; generations that nobody uses go."""
    if rebuild:
        store.remove_damaged_current()
    current = store.current()
    remove_unused(store)
    stack.callback(remove_unused, store)  # the replaced generation, or a new one whose build failed
    return current, _open_old(stack, current, rebuild)


def _other_embedder(
    definition: IndexDefinition, before: Mapping[str, str], embedder: "BaseEmbedding", fingerprint: str
) -> IndexMismatch:
    return IndexMismatch(
        f"The index {definition.name} was built with {before['embedder']} and would be updated with "
        f"{embedder.model_name}, whose vectors differ: build again with --rebuild, or choose the embedder it "
        "was built with.",
        built_with=before["fingerprint"],
        asked_with=fingerprint,
    )


def _need_no_reading(known: list[StoredDocument], cutting: str) -> dict[tuple[str, str], str]:
    """The ids of documents that are not read again while their path and SHA-256 stay the same.

    Those that nobody may read are not among them: they are read again, to say in each report why.
    """
    return {
        (document.path, document.sha256): document.document_id
        for document in known
        if document.cutting == cutting and document.rule != NOBODY
    }


def _new_generation(
    store: Store, plan: Plan, manifest: Mapping[str, str], before: Mapping[str, str], calibration: str
) -> Generation:
    """An empty generation, from which nothing of the plan needs to be removed; its revisions go on counting."""
    plan.removed.clear()
    generation = store.new_generation()
    first = {"created": datetime.now(UTC).isoformat(timespec="seconds"), "revision": before.get("revision", "0")}
    first |= {CALIBRATION: calibration} if calibration else {}
    Catalog.create(generation.catalog, generation.number * FIRST_ID, {**manifest, **first})
    return generation


def _open_old(stack: ExitStack, current: Generation | None, rebuild: bool) -> Catalog | None:
    """The catalog in use; for a rebuild None where it cannot be read."""
    if current is None:
        return None
    try:
        catalog = stack.enter_context(Catalog(current.catalog))
        catalog.discard_staged()
        if rebuild:
            catalog.stored()
            catalog.vector_ids()
        return catalog
    except (StoreError, IndexMismatch):
        if rebuild:
            return None
        raise


def _open_vectors(store: Store, fingerprint: str, rebuild: bool) -> VectorStore:
    """The vectors of an embedder; for a rebuild new ones where they cannot be read."""
    try:
        vectors = VectorStore(store.vectors, fingerprint)
        if not rebuild:
            return vectors
        with vectors, mapped_sqlite_errors(store.vectors):
            vectors.verify(dimension_of(fingerprint))
        return VectorStore(store.vectors, fingerprint)
    except StoreError:
        if not rebuild:
            raise
        store.remove_vectors()
        # Ids of which the old catalog knows nothing: it must not find vectors of other texts under its own.
        return VectorStore(store.vectors, fingerprint, first_id=(max(store.numbers(), default=0) + 1) * FIRST_ID)


def _read(
    definition: IndexDefinition,
    source: DocumentSource | None,
    unchanged: Mapping[tuple[str, str], str],
    pdf_reader: PdfReader,
    spread: Spread,
) -> Iterator[Document | Problem | Unchanged]:
    if definition.documents_folder is not None:
        if not definition.documents_folder.is_dir():
            raise DefinitionError(
                f"There is no folder {definition.documents_folder}, which index.toml names under [documents].",
                path=str(definition.documents_folder),
            )
        yield from read_folder(
            definition.documents_folder,
            known=unchanged,
            links=definition.access == "open",
            pdf_reader=pdf_reader,
            spread=spread,
        )
    if source is not None:
        yield from source.read(unchanged)
