"""PDFs from the world: encrypted for everybody, cut off, with pages that cannot be read, set for printing."""

from __future__ import annotations

from io import BytesIO

import pytest
from pypdf import PageObject, PdfReader, PdfWriter

from beaver.memory.resources.passages import silent_pages
from beaver.memory.resources.printed import as_written
from beaver.memory.resources.reading import read_file
from tests.unit.memory.resources.test_reading import pdf, refusal

WORDS = "The heron waits\n\f\nThe otter dives"


def content(data: bytes) -> str:
    return read_file(data, "a.pdf", "file:x").content


def encrypted(user: str, algorithm: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("The heron waits", "The otter dives"))))
    writer.encrypt(user, "the owner's", algorithm=algorithm)
    saved = BytesIO()
    writer.write(saved)
    return saved.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"])
def test_a_file_that_only_its_owner_may_change_is_read(algorithm: str) -> None:
    assert content(encrypted("", algorithm)) == WORDS


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_file_that_needs_a_password_is_refused(algorithm: str) -> None:
    assert refusal(encrypted("secret", algorithm), "a.pdf") == "must not need a password"


def test_a_file_without_its_end_or_with_a_wrong_one_is_read() -> None:
    whole = pdf("The heron waits", "The otter dives")
    end = whole.rindex(b"startxref")
    assert content(whole[:end]) == WORDS
    assert content(whole[:end] + b"startxref\n17\n%%EOF\n") == WORDS


def test_a_page_that_cannot_be_read_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    extract = PageObject.extract_text

    def broken_second(page: PageObject) -> str:
        if page.page_number == 1:
            raise ValueError("a font of no kind")
        return extract(page)

    monkeypatch.setattr(PageObject, "extract_text", broken_second)
    read = content(pdf("one", "two", "three"))
    assert read == "one\n\f\n\n\f\nthree"
    assert silent_pages(read) == [2]


def test_pages_without_words_keep_their_numbers() -> None:
    read = content(pdf("", "two", ""))
    assert silent_pages(read) == [1, 3]


def test_shapes_without_characters_are_no_words() -> None:
    fonts = b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [] >>"
    plain = pdf("<1F2A0B3C>").replace(b"(<1F2A0B3C>)", b"<1F2A0B3C>")
    data = plain.replace(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", fonts)
    assert refusal(data, "a.pdf").startswith("must hold text (pages that are scanned, or whose fonts")


def test_the_parser_says_nothing_on_standard_error(caplog: pytest.LogCaptureFixture) -> None:
    whole = pdf("The heron waits")
    content(whole[: whole.rindex(b"startxref")] + b"startxref\n17\n%%EOF\n")
    assert [record for record in caplog.records if record.name.startswith("pypdf")] == []


@pytest.mark.parametrize(
    ("printed", "written"),
    [
        ("ﬁne ﬂoats oﬀer eﬃcient waﬄes", "fine floats offer efficient waffles"),
        ("some informa-\ntion about frogs", "some information\nabout frogs"),
        ("some informa\u00ad\ntion", "some information"),
        ("informa-\ntion.\nNext", "information.\nNext"),
        ("a well-known one, as well-\nknown as that", "a well-known one, as well-known\nas that"),
        ("Anglo-\nSaxon", "Anglo-\nSaxon"),
        ("Vor-\nund Nachteile", "Vor-\nund Nachteile"),
        ("pages 10-\n12", "pages 10-\n12"),
        ("- one\n- two", "- one\n- two"),
        ("a -\nb", "a -\nb"),
        ("ge-\nwar-\ntet", "ge-\nwartet"),
        ("informa-\ntion\n\fnext", "information\n\fnext"),
    ],
)
def test_words_that_a_line_parted_are_whole_again(printed: str, written: str) -> None:
    assert as_written(printed).rstrip("\n") == written


def test_a_text_of_hyphens_and_of_letters_without_end_is_read() -> None:
    assert as_written("a-\n" * 200_000).count("a") == 200_000
    assert len(as_written("x" * 1_000_000 + "-\n" + "y" * 1_000_000)) == 2_000_001


@pytest.mark.parametrize(
    ("named", "title"),
    [
        ("untitled", "river"),
        ("Microsoft Word - Boiler manual.docx", "Boiler manual"),
        ("Annual report.indd", "Annual report"),
        ("River book", "River book"),
    ],
)
def test_a_title_that_a_program_made_up_is_none(named: str, title: str) -> None:
    assert read_file(pdf("words", title=named), "river.pdf", "file:x").title == title
