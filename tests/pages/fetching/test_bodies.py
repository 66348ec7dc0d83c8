"""Bodies of replies: unpacked exactly, and never more than may be."""

import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.errors import FetchTooLarge, FetchUnreachable
from rag_app.pages.fetching.bodies import read_body


def bare(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return squeeze.compress(data) + squeeze.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "as it is": ("", bytes),
    "identity": ("Identity", bytes),
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "gzip files in a row": ("gzip", lambda data: gzip.compress(data[:7]) + gzip.compress(data[7:])),
    "gzip with padding": ("gzip", lambda data: gzip.compress(data) + b"\0" * 9),
    "zlib": ("deflate", zlib.compress),
    "bare deflate": ("deflate", bare),
}
DATA = st.one_of(
    st.binary(max_size=300), st.builds(lambda b, n: b * n, st.binary(min_size=1, max_size=3), st.integers(1, 99_999))
)


@pytest.mark.parametrize("how", PACKERS)
@given(data=DATA, size=st.integers(1, 5000))
def test_a_body_is_unpacked_exactly(how: str, data: bytes, size: int) -> None:
    """However it is packed, and into whatever pieces the network cuts it, the same bytes come out."""
    encoding, pack = PACKERS[how]
    packed = pack(data)
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert read_body(pieces, encoding, max(len(data), len(packed))) == data


@pytest.mark.parametrize("how", PACKERS)
def test_one_byte_too_many_is_too_large(how: str) -> None:
    """The limit is exact, for what is unpacked too."""
    encoding, pack = PACKERS[how]
    data = b"abc" * 70_000
    assert read_body([pack(data)], encoding, len(data)) == data
    with pytest.raises(FetchTooLarge):
        read_body([pack(data)], encoding, len(data) - 1)


@pytest.mark.parametrize("how", ["gzip", "zlib", "bare deflate"])
def test_what_breaks_off_is_no_page(how: str) -> None:
    """Half a packed page is an error, since nobody can tell what is missing."""
    encoding, pack = PACKERS[how]
    packed = pack(b"".join(bytes([n % 251, n % 7]) for n in range(20_000)))
    with pytest.raises(FetchUnreachable, match="ended before"):
        read_body([packed[: len(packed) // 2]], encoding, 1_000_000)


def test_an_empty_body_is_empty_however_it_is_packed() -> None:
    """Servers send nothing for an empty page and call it gzip."""
    assert read_body([], "gzip", 10) == b""
