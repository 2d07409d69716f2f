"""PDF into words, by pypdf, which is pure Python."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from beaver.errors import InvalidInput
from beaver.logs import get_logger
from beaver.memory.resources.passages import NEXT_PAGE
from beaver.memory.resources.printed import as_written

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

PAGES_MAX: Final = 5_000
# What programs put there where nobody named the document.
_NO_TITLES: Final = frozenset(
    {"untitled", "untitled document", "untitled-1", "no title", "title", "document", "document1"}
)
_PROGRAM: Final = re.compile(
    r"^Microsoft (?:Word|PowerPoint|Excel) - |\.(?:docx?|pptx?|xlsx?|rtf|odt|indd|tex|dvi)$", re.IGNORECASE
)
_BETWEEN_PAGES: Final = f"\n{NEXT_PAGE}\n"
# What a file must end with that was cut off: a place that is surely wrong makes the parser look for the objects themselves.
_AN_END: Final = b"\nstartxref\n0\n%%EOF\n"


def read_pdf(data: bytes) -> tuple[str, str]:
    """The words of the pages, parted by form feeds, and the title that the file gives itself, else blank.

    A page that cannot be read is left blank. Raises InvalidInput for a file that is broken, cannot be read without a password,
    or is longer than 5,000 pages.
    """
    # Imported here: it takes a tenth of a second, and most documents are no PDF.
    from pypdf.errors import DependencyError, FileNotDecryptedError, WrongPasswordError

    # It tells on standard error, page by page, how a file breaks the standard.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = _opened(data)
        pages = list(_pages(reader))
        title = _title(reader)
    except (FileNotDecryptedError, WrongPasswordError, DependencyError):
        raise InvalidInput("file", "must not need a password") from None
    except InvalidInput:
        raise
    except Exception:
        # Bytes from anywhere: the parser fails with whatever it stumbles over, and its message may quote the file.
        raise InvalidInput("file", "is no PDF that can be read") from None
    return as_written(_BETWEEN_PAGES.join(pages)), title


def _opened(data: bytes) -> PdfReader:
    """The file, its pages counted; one that was cut off as far as it goes."""
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    try:
        reader = PdfReader(BytesIO(data))
        _ = len(reader.pages)
    except (FileNotDecryptedError, InvalidInput):
        raise
    except Exception:
        reader = PdfReader(BytesIO(data + _AN_END))
    if len(reader.pages) > PAGES_MAX:
        raise InvalidInput("file", f"must have at most {PAGES_MAX} pages")
    return reader


def _pages(reader: PdfReader) -> Iterator[str]:
    from pypdf.errors import FileNotDecryptedError

    unread = 0
    for page in reader.pages:
        try:
            yield _words(page)
        except FileNotDecryptedError:
            raise
        except Exception:
            # One page of hundreds: the others are worth as much as before.
            unread += 1
            yield ""
    if unread == len(reader.pages):
        raise InvalidInput("file", "is no PDF that can be read")
    if unread:
        get_logger().warning("resource.pages_unread", pages=unread)


def _words(page: PageObject) -> str:
    """Blank, too, where all fonts number their shapes and none says which characters these are."""
    fonts = [one.get_object() for one in (page.get("/Resources", {}).get_object().get("/Font") or {}).values()]
    if fonts and all(map(_has_shapes_alone, fonts)):
        return ""
    return page.extract_text().replace(NEXT_PAGE, "\n").strip()


def _has_shapes_alone(font: Any) -> bool:
    return str(font.get("/Encoding")).startswith("/Identity-") and "/ToUnicode" not in font


def _title(reader: PdfReader) -> str:
    try:
        title = reader.metadata.title if reader.metadata else None
    except Exception:
        return ""
    named = _PROGRAM.sub("", title).strip() if isinstance(title, str) else ""
    return "" if named.casefold() in _NO_TITLES else named
