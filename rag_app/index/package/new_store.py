"""A place for an index from elsewhere, which is there as a whole or not at all."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rag_app.errors import StoreLocked, UsageError
from rag_app.index.lock import writing
from rag_app.index.sqlite import mapped_os_errors
from rag_app.index.store import Store


@contextmanager
def new_store(folder: Path, chroma_url: str, files: Sequence[str]) -> Iterator[Store]:
    """An empty store in a folder of its own, locked; both are gone again where the block fails, and so are `files`.

    A mark stands in it until the block ends, so that an installation that was killed can be begun again over it.

    Raises UsageError where the folder is in use, and StoreLocked where somebody else installs there.
    """
    store = Store(folder.resolve() / ".store", chroma_url)
    places = [folder / name for name in files]
    with mapped_os_errors(folder):
        stopped = store.is_unfinished()
        if folder.exists() and not stopped and not _is_free(folder, store):
            raise UsageError(f"{folder} is in use: choose a folder that is empty or not there yet.", path=str(folder))
        made = _first_missing(folder)
    with ExitStack() as stack:
        try:
            store.create()
            stack.enter_context(writing(store.path))
        except StoreLocked:  # somebody else's
            raise
        except BaseException:
            _remove([made] if made else [])
            raise
        if store.current() is not None:
            raise UsageError(f"{folder} is in use: another installation there has just finished.", path=str(folder))
        try:
            with mapped_os_errors(folder):
                if stopped:
                    _remove([store.vectors, store.path / "generations", *places])
                    store.create()
                store.unfinished.touch()
            yield store
            store.unfinished.unlink()
        except BaseException:
            _remove([made] if made else [store.path, *places])
            raise


def _is_free(folder: Path, store: Store) -> bool:
    """Whether nothing is there, or no more than the beginning of a store."""
    return folder.is_dir() and {path.name for path in folder.iterdir()} <= {store.path.name} and not store.numbers()


def _first_missing(folder: Path) -> Path | None:
    """The outermost folder that has to be made for `folder`; None where it is there."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    return missing[-1] if missing else None


def _remove(places: Sequence[Path]) -> None:
    for place in places:
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
