"""Bytes into text: in UTF-8 or UTF-16, or in the encoding that a person, or an HTML page itself, names. Nothing is guessed."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import Final

from beaver.errors import InvalidInput

_DECLARED_WITHIN: Final = 4096
"""Bytes of a page in which it may name its encoding; browsers look at 1,024."""
_DECLARATION: Final = re.compile(
    rb"""<\?xml[^>]{0,200}\sencoding\s*=\s*["']?([\w.:-]{1,40})|<meta[^>]{0,400}\scharset\s*=\s*["']?([\w.:-]{1,40})"""
    rb"""|<meta[^>]{0,400}["'\s;]charset=([\w.:-]{1,40})""",
    re.IGNORECASE,
)
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What browsers read under a name: what was written on Windows calls itself by the name of the smaller set.
_READ_AS: Final = {
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
# fmt: off
_KNOWN: Final = frozenset({
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "big5hkscs", "cp950", "cp932", "euc_jp",
    "iso2022_jp", "cp949", "cp874", "cp437", "cp850", "cp866", "koi8-r", "koi8-u", "mac-roman",
    *(f"cp125{number}" for number in range(9)), *(f"iso8859-{number}" for number in range(2, 17)),
})
# fmt: on
_UNSAID: Final = "must be text in UTF-8, unless its encoding is named (--encoding)"


def decoded(data: bytes, named: str | None = None) -> str:
    """The text, with line breaks of one kind. `named`: the encoding that somebody says it has, which then must fit.

    Raises InvalidInput for bytes in another encoding, and for what is no text.
    """
    read = _unmarked(data) if named is None else _read(data, _encoding(named))
    if read is None:
        raise InvalidInput("file", _UNSAID if named is None else f"is not in {named}")
    return _in_lines(read)


def decoded_page(data: bytes, named: str | None = None) -> str:
    """The same for HTML, which may name its encoding itself; UTF-8 where it is that, whatever a page that was saved anew says."""
    if named is not None:
        return decoded(data, named)
    declared = _declared(data)
    read = _read(data, declared) if declared == "iso2022_jp" else _unmarked(data)
    if read is None and declared is not None:
        read = _read(data, declared)
    if read is None:
        raise InvalidInput("file", _UNSAID)
    return _in_lines(read)


def _unmarked(data: bytes) -> str | None:
    """What says by a mark, by its zero bytes or by being it that it is in Unicode; None for anything else."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None and b"\x00" in data:
        encoding = "utf-16-le" if data[1::2].count(0) > data[::2].count(0) else "utf-16-be"
    read = _read(data, encoding or "utf-8")
    return None if read is None or "\x00" in read else read


def _read(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError:
        # Five bytes that the set leaves open; browsers pass them on.
        return data.decode("latin-1") if encoding == "cp1252" else None


def _declared(data: bytes) -> str | None:
    """What a page says of itself, where that is an encoding that we read."""
    found = _DECLARATION.search(data[:_DECLARED_WITHIN])
    if found is None:
        return None
    try:
        return _encoding(next(filter(None, found.groups())).decode("ascii", "replace"))
    except InvalidInput:
        return None


def _encoding(named: str) -> str:
    known = named.strip().lower()
    with suppress(LookupError, ValueError):
        known = codecs.lookup(known).name
    encoding = _READ_AS.get(known, known)
    if encoding not in _KNOWN:
        raise InvalidInput("--encoding", "must be the name of a character encoding, as gbk, shift_jis or windows-1252")
    return encoding


def _in_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
