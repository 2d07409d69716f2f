"""Which encodings of text and HTML are read, whoever names them, and that nothing is guessed."""

from __future__ import annotations

import pytest

from beaver.errors import InvalidInput
from beaver.memory.resources.reading import read_file

GERMAN = "Der Kessel wird im März gewartet."
CHINESE = "锅炉三月保养。"
JAPANESE = "ボイラーの点検は三月です。"


def content(data: bytes, name: str, encoding: str | None = None) -> str:
    return read_file(data, name, "file:x", encoding=encoding).content


@pytest.mark.parametrize(
    ("said", "written", "named"),
    [
        (GERMAN, "latin-1", "iso-8859-1"),
        (f"{GERMAN} – 5 €", "cp1252", "Latin1"),
        (CHINESE, "gbk", "GB2312"),
        ("鍋爐三月保養。", "big5hkscs", "big5"),
        (JAPANESE, "cp932", "Shift_JIS"),
        (JAPANESE, "cp932", "windows-31j"),
        (JAPANESE, "euc_jp", "euc-jp"),
        ("보일러 점검은 삼월입니다.", "cp949", "ks_c_5601-1987"),
        ("Котёл проверяют в марте.", "koi8-r", "koi8-r"),
        (GERMAN, "utf-16-le", "utf-16le"),
        (GERMAN, "utf-8-sig", "utf-8"),
    ],
)
def test_a_text_is_read_in_the_encoding_that_is_named(said: str, written: str, named: str) -> None:
    assert content(said.encode(written), "a.txt", named) == said


@pytest.mark.parametrize("written", ["utf-16-le", "utf-16-be"])
def test_unicode_without_a_mark_is_known_by_its_zero_bytes(written: str) -> None:
    assert content(GERMAN.encode(written), "a.txt") == GERMAN


@pytest.mark.parametrize("named", ["klingon", "rot13", "hex", "unicode_escape", "utf-7", ""])
def test_what_is_no_encoding_of_texts_is_refused_with_the_field(named: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        content(b"x", "a.txt", named)
    assert refused.value.field == "--encoding"


def test_an_encoding_that_does_not_fit_or_is_named_for_a_pdf_is_refused() -> None:
    with pytest.raises(InvalidInput, match="file: is not in gbk"):
        content(b"\xff\xff\xff", "a.txt", "gbk")
    with pytest.raises(InvalidInput, match="--encoding: must not be named for a PDF"):
        content(b"%PDF-1.4", "a.pdf", "gbk")


@pytest.mark.parametrize(
    ("head", "written", "said"),
    [
        ('<meta charset="gbk">', "gbk", CHINESE),
        ("<META CHARSET=gb2312 >", "gb18030", CHINESE),
        ('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', "cp932", JAPANESE),
        ("<meta content='text/html;charset=euc-jp' http-equiv=content-type>", "euc_jp", JAPANESE),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>', "cp1252", f"{GERMAN} – 5 €"),
        ('<meta charset="iso-2022-jp">', "iso2022_jp", JAPANESE),
        ('<meta charset="utf-16">', "utf-8", CHINESE),
    ],
)
def test_a_page_is_read_in_the_encoding_that_it_names(head: str, written: str, said: str) -> None:
    page = f"{head}<title>{said}</title><p>{said}</p>".encode(written)
    read = read_file(page, "a.html", "file:x")
    assert (read.title, read.content) == (said, said)


def test_a_page_that_was_saved_anew_in_utf_8_is_utf_8_whatever_it_says() -> None:
    assert content(f'<meta charset="iso-8859-1"><p>{GERMAN}{CHINESE}'.encode(), "a.html") == GERMAN + CHINESE


def test_a_page_that_names_no_encoding_or_one_that_nobody_knows_is_not_guessed() -> None:
    for head in ("", '<meta charset="klingon">', '<meta charset="hex">'):
        with pytest.raises(InvalidInput, match="unless its encoding is named"):
            content(f"{head}<p>{GERMAN}".encode("latin-1"), "a.html")
    assert content(f"<p>{GERMAN}".encode("latin-1"), "a.html", "latin-1") == GERMAN


def test_line_breaks_of_every_system_are_one() -> None:
    assert content(b"one\rtwo\r\nthree\nfour", "a.txt") == "one\ntwo\nthree\nfour"
