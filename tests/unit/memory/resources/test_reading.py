"""Files into documents: what is kept, what is dropped, and what is refused with its rule."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO

import pytest
from pypdf import PdfReader, PdfWriter

from beaver.errors import InvalidInput
from beaver.memory.resources import reading
from beaver.memory.resources.reading import read_file


def pdf(*pages: str, title: str | None = None) -> bytes:
    """A PDF of one line of text a page, written by hand."""
    count = len(pages)
    bodies = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    bodies.append(f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode())
    bodies.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    written = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(bodies, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, start)
    return bytes(written) if title is None else _titled(bytes(written), title)


def _titled(plain: bytes, title: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(plain)))
    writer.add_metadata({"/Title": title})
    return _saved(writer)


def _saved(writer: PdfWriter) -> bytes:
    saved = BytesIO()
    writer.write(saved)
    return saved.getvalue()


def encrypted(plain: bytes) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(plain)))
    writer.encrypt("a password", algorithm="RC4-128")
    return _saved(writer)


def refusal(data: bytes, name: str) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_file(data, name, "file:x")
    assert refused.value.field == "file"
    return refused.value.rule


def test_markdown_keeps_its_words_and_takes_its_first_heading_as_title() -> None:
    text = "intro\n\n```sh\n# not a heading\n```\n\n## The *garden* plan ##\n\n- water\n"
    document = read_file(text.encode(), "notes.md", "file:notes.md")
    assert (document.uri, document.title, document.content) == (
        "file:notes.md",
        "The *garden* plan",
        text,
    )


def test_pictures_within_a_markdown_file_leave_no_letters() -> None:
    picture = "data:image/png;base64," + "iVBORw0KGgo" * 20_000 + "=="
    text = f"# Plan\n\n![the boiler]({picture})\n\n[one]: <{picture}>\n\nSee `data:image/png;base64,short`.\n"
    document = read_file(text.encode(), "plan.md", "file:plan.md")
    assert document.content == (
        "# Plan\n\n![the boiler](data:)\n\n[one]: <data:>\n\nSee `data:image/png;base64,short`.\n"
    )
    endless = "data:a/b;" * 100_000
    assert read_file(endless.encode(), "plan.md", "file:plan.md").content == endless


def test_what_no_reader_of_a_rendered_markdown_file_sees_is_not_stored() -> None:
    text = (
        "# Plan\n\n<!-- secret\nsecret -->Water it.<!--secret-->\n\n"
        "```html\n<!-- shown -->\n```\n\nWrite `<!-- shown -->` so.\n\nEnds <!-- never\n"
    )
    content = read_file(text.encode(), "plan.md", "file:plan.md").content
    assert "secret" not in content
    assert content.count("<!-- shown -->") == 2
    assert content.startswith("# Plan\n\nWater it.\n")
    assert content.endswith("Ends <!-- never\n")
    assert read_file(text.encode(), "plan.txt", "file:plan.txt").content == text
    many = "<!--" * 100_000
    assert read_file(many.encode(), "plan.md", "file:plan.md").content == many
    for hostile in ("`<!--`" * 300_000 + "-->", "`<!-- -->`" * 300_000, "``" * 500_000 + "<!-- -->" * 100_000 + "x"):
        assert read_file(hostile.encode(), "plan.md", "file:plan.md").content


def test_plain_text_is_named_after_its_file_and_its_marks_and_line_ends_are_taken_off() -> None:
    document = read_file(b"\xef\xbb\xbfone\r\ntwo", "a/b/shopping list.txt", "file:x")
    assert (document.title, document.content) == ("shopping list", "one\ntwo")


def test_utf_16_is_read_and_other_encodings_are_refused_unless_they_are_named() -> None:
    assert read_file("我喜欢猫".encode("utf-16"), "cat.txt", "file:x").content == "我喜欢猫"
    rule = "must be text in UTF-8, unless its encoding is named (--encoding)"
    assert refusal("Müller".encode("latin-1"), "name.txt") == rule
    assert refusal(bytes(range(256)), "name.txt") == rule


def test_html_drops_scripts_and_styles_and_keeps_headings_lists_and_preformatted_lines() -> None:
    page = """<!doctype html><html><head><title>Field  notes</title><style>p { color: red }</style>
    <script>steal("cookie")</script></head><body><nav>Home</nav><h1>Herons &amp; otters</h1>
    <p>They <b>fish</b> at
    dawn.</p><ul><li>heron</li><li>otter</li></ul><pre>a\n  b</pre><svg><title>no</title><text>drawn</text></svg></body></html>"""
    document = read_file(page.encode(), "notes.html", "file:x")
    assert document.title == "Field notes"
    assert document.content == (
        "Home\n\n# Herons & otters\n\nThey fish at dawn.\n\n- heron\n- otter\n\n```\na\n  b\n```"
    )


def test_html_without_a_title_is_named_by_its_first_heading_with_words() -> None:
    assert read_file(b"<h1><img src=x></h1><h2>Second</h2><h2>Third</h2>", "x.htm", "file:x").title == "Second"


def test_broken_html_is_read_as_it_comes() -> None:
    document = read_file(b"<head><title>T</title><p>one<div>two<b>three</p></style><script>x", "x.html", "file:x")
    assert (document.title, document.content) == ("T", "one\n\ntwothree")


def test_a_pdf_gives_the_words_of_its_pages_and_its_title() -> None:
    document = read_file(pdf("The heron waits", "The otter dives", title="River book"), "scan.bin", "file:x")
    assert (document.title, document.content) == ("River book", "The heron waits\n\f\nThe otter dives")


def test_a_pdf_without_a_title_is_named_after_its_file() -> None:
    assert read_file(pdf("words"), "river.pdf", "file:x").title == "river"


def test_an_encrypted_pdf_a_broken_one_and_one_without_words_are_told_apart() -> None:
    whole = pdf("The heron waits")
    assert refusal(encrypted(whole), "a.pdf") == "must not need a password"
    assert refusal(b"%PDF-1.4\nnothing of the kind", "a.pdf") == "is no PDF that can be read"
    assert refusal(b"plain", "a.pdf") == "is no PDF that can be read"
    assert refusal(pdf(""), "a.pdf").startswith("must hold text")


def test_a_truncated_pdf_is_refused_or_read_and_never_fails_otherwise() -> None:
    whole = pdf("The heron waits", "The otter dives")
    for length in range(8, len(whole), 37):
        with suppress(InvalidInput):
            assert read_file(whole[:length], "a.pdf", "file:x").content


def test_a_file_of_another_kind_or_without_words_or_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(b"PK", "a.docx").startswith("must end in one of .htm, .html")
    assert refusal(b" \n", "a.txt").startswith("must hold text")
    monkeypatch.setattr(reading, "FILE_BYTES_MAX", 3)
    assert refusal(b"four", "a.txt") == "must be at most 3 bytes"
    monkeypatch.setattr(reading, "TEXT_CHARACTERS_MAX", 2)
    assert refusal(b"abc", "a.txt") == "must hold at most 2 characters of text"


def test_a_title_is_one_line_that_can_be_shown_and_has_an_end() -> None:
    title = read_file(("# a\x07\u202eb " + "c" * 1000).encode(), "x.md", "file:x").title
    assert title.startswith("ab c")
    assert len(title) == reading.TITLE_CHARACTERS_MAX


def test_a_heading_of_nothing_but_space_and_a_word_is_read_to_its_end() -> None:
    document = read_file(b"# a" + b"\t " * 10_000 + b"b ##\n", "x.md", "file:x")
    assert document.title == "a b"


@pytest.mark.parametrize("mark", ["<!--", "<a b='", "<?", "</", "<![CDATA["])
def test_a_page_of_marks_that_never_end_is_read_to_its_end(mark: str) -> None:
    page = f"<p>The otter dives.</p>{mark * 200_000}"
    assert read_file(page.encode(), "x.html", "file:x").content.startswith("The otter dives.")
