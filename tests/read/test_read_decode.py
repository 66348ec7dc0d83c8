"""Decoding: the right text, or an error; never mojibake."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.errors import ReadError
from rag_app.read.decode import decode

WIDE = "Naïve “quotes”\r\nNBSP\u00a0here, emoji 🙂👩‍💻, 漢字かな, שלום, مرحبا\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_files_keep_every_character(encoding: str) -> None:
    """CRLF, NBSP, emoji, CJK and right-to-left text survive, UTF-16 also without a byte order mark."""
    assert decode(WIDE.encode(encoding)) == WIDE


@pytest.mark.parametrize(
    "text", ["café", "Größe: 5 €, “ja” – nein", "Ærø £9", "äöü ß é\n", "Señor Núñez pidió 3 cañas"]
)
def test_western_text_is_read_as_cp1252(text: str) -> None:
    """Latin-1 and CP1252, curly quotes and euro signs included, come out right."""
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_utf16_mark_before_something_else_is_an_error(mark: bytes) -> None:
    """A byte order mark that does not fit is not ignored."""
    with pytest.raises(ReadError) as caught:
        decode(mark + b"\xd8\x00\xd8")
    assert caught.value.details["code"] == "encoding"


@pytest.mark.parametrize(
    "data",
    [
        "Привет, как дела сегодня".encode("cp1251"),
        "今日は天気がいいですね。".encode("shift_jis"),
        "你好，今天天气很好".encode("gbk"),
        "Καλημέρα, τι κάνετε σήμερα".encode("iso8859-7"),
        "ein schöner Tag, größer".encode()[:-3] + b"\xff",
        "naïve café".encode() + b"\xe9",
    ],
)
def test_an_unknown_or_damaged_encoding_is_an_error(data: bytes) -> None:
    """Cyrillic, Japanese, Chinese or Greek bytes and damaged UTF-8 are not passed off as Western text."""
    with pytest.raises(ReadError) as caught:
        decode(data)
    assert caught.value.details["code"] == "encoding"


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="windows-1251">', "cp1251"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>", "cp932"),
        ("<META CHARSET=koi8-r>", "koi8-r"),
        ('<?xml version="1.0" encoding="ISO-8859-5"?>', "iso8859-5"),
        ('<meta charset="gb2312">', "gb18030"),
        ('<meta charset="iso-8859-1">', "cp1252"),
        ('<meta charset="utf-8">', "utf-8"),
        ('<meta charset="iso-8859-1">', "utf-8"),
        ('<meta charset="utf-8">', "cp1252"),
        ('<meta charset="utf-16">', "utf-8"),
        ('<meta charset="nonsense">', "utf-8"),
        ('<meta charset="unicode_escape">', "utf-8"),
    ],
)
def test_a_page_is_read_in_the_encoding_that_it_declares(head: str, encoding: str) -> None:
    """The declaration is followed; one that cannot be true (UTF-8 bytes said to be Latin-1, say) is not."""
    words = {"cp1251": "Привет", "koi8-r": "Привет", "iso8859-5": "Привет", "cp932": "天気①", "gb18030": "你好"}
    page = f"<html><head>{head}</head><p>{words.get(encoding, 'Größe – naïve €')}</p>"
    assert decode(page.encode(encoding), html=True) == page


def test_only_pages_declare_an_encoding() -> None:
    """Markdown that shows a <meta> tag is not decoded by it."""
    text = '`<meta charset="koi8-r">` größer\n'
    assert decode(text.encode()) == text


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02\x03" * 40, b"abc\0def", b"\x7fELF\x02", b"\x89PNG\r\n", b"\xff\xfe\x00\x00a\x00"]
)
def test_binary_data_is_an_error(data: bytes) -> None:
    """Zero bytes and the signatures of well-known formats are not text."""
    with pytest.raises(ReadError) as caught:
        decode(data)
    assert caught.value.details["code"] == "binary"


def test_a_log_with_terminal_colours_is_text() -> None:
    """A few control characters do not make a file binary."""
    text = "\x1b[32mINFO\x1b[0m service started on port 8080\n" * 3
    assert decode(text.encode()) == text


@given(
    st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1), st.sampled_from(["utf-16-le", "utf-16-be"])
)
@settings(deadline=None)
def test_ascii_in_utf16_without_a_mark_comes_back_exactly(text: str, encoding: str) -> None:
    """UTF-16 is recognised by its zero bytes, in either byte order, even a single word of it."""
    assert decode((text + "\n").encode(encoding)) == text + "\n"


@given(st.binary(max_size=80), st.booleans())
@settings(deadline=None)
def test_any_bytes_are_text_or_a_read_error(data: bytes, html: bool) -> None:
    """Decoding never fails in another way, and never yields a zero byte."""
    try:
        text = decode(data, html=html)
    except ReadError:
        return
    assert "\0" not in text
