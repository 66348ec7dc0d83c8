"""The body of a reply, read piece by piece: never more of it than a page may have, packed or unpacked."""

import zlib
from collections.abc import Iterable

from rag_app.errors import FetchTooLarge, FetchUnreachable

ACCEPT_ENCODING = "gzip, deflate"
_STEP = 1 << 16


def read_body(pieces: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """The unpacked body.

    Args:
        pieces: as they come from the connection.
        encoding: the reply's Content-Encoding.

    Raises FetchTooLarge as soon as there is too much, and FetchUnreachable where it does not unpack.
    """
    unpack = _Unpacker(encoding.strip().lower(), max_bytes)
    received = 0
    for piece in pieces:
        received += len(piece)
        if received > max_bytes:
            raise too_large(max_bytes)
        unpack.feed(piece)
    return unpack.finish()


def unpack_gzip(data: bytes, max_bytes: int) -> bytes:
    """A gzip file unpacked; raises as `read_body`."""
    return read_body([data], "gzip", max_bytes)


def too_large(max_bytes: int) -> FetchTooLarge:
    return FetchTooLarge(f"It has more than {max_bytes:,} bytes, which no page needs.", max_bytes=max_bytes)


class _Unpacker:
    """Unpacks in small steps, so that a bomb is noticed before it has gone off."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise FetchUnreachable(f"It is compressed as {encoding!r}, which was not asked for.", encoding=encoding)
        self._encoding = encoding
        self._max = max_bytes
        self._packed = encoding not in ("", "identity")
        self._inflate: zlib._Decompress | None = None
        self._out: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> None:
        if not self._packed:
            self._take(piece)
            return
        while piece:
            if self._inflate is None:
                self._inflate = zlib.decompressobj(self._window(piece))
            piece = self._step(self._inflate, piece)

    def _step(self, inflate: "zlib._Decompress", piece: bytes) -> bytes:
        """Unpacks a piece; returns what is left of it for the next member of the file."""
        while True:
            try:
                out = inflate.decompress(piece, _STEP)
            except zlib.error as error:
                raise FetchUnreachable(f"It does not unpack ({error}).") from error
            self._take(out)
            piece = inflate.unconsumed_tail
            if inflate.eof:
                break
            if not piece and len(out) < _STEP:
                return b""
        rest = inflate.unused_data.lstrip(b"\0") if self._encoding != "deflate" else b""
        if not rest.startswith(b"\x1f"):  # gzip files may follow one another; anything else behind one is no part of it
            return b""
        self._inflate = None
        return rest

    def finish(self) -> bytes:
        if self._inflate is not None and not self._inflate.eof:
            raise FetchUnreachable("The connection ended before the page did.")
        return b"".join(self._out)

    def _window(self, piece: bytes) -> int:
        """zlib's parameter: with a gzip head, a zlib head, or bare, as some servers send "deflate"."""
        if self._encoding != "deflate":
            return zlib.MAX_WBITS | 16
        has_head = piece[0] & 0x0F == 8 and (len(piece) < 2 or int.from_bytes(piece[:2], "big") % 31 == 0)
        return zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS

    def _take(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._max:
            raise too_large(self._max)
        self._out.append(data)
