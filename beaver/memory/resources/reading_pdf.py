"""PDF into words, by pypdf, which is pure Python."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final

from beaver.errors import InvalidInput

if TYPE_CHECKING:
    from pypdf import PdfReader

PAGES_MAX: Final = 5_000


def read_pdf(data: bytes) -> tuple[str, str]:
    """The words of the pages, and the title that the file gives itself, else blank.

    Raises InvalidInput for a file that is broken, encrypted, or longer than 5,000 pages.
    """
    # Imported here: it takes a tenth of a second, and most documents are no PDF.
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, WrongPasswordError

    try:
        reader = PdfReader(BytesIO(data))
        pages = _pages(reader)
        title = reader.metadata.title if reader.metadata else None
    except (FileNotDecryptedError, WrongPasswordError, DependencyError):
        raise InvalidInput("file", "must not be encrypted") from None
    except InvalidInput:
        raise
    except Exception:
        # Bytes from anywhere: the parser fails with whatever it stumbles over, and its message may quote the file.
        raise InvalidInput("file", "is no PDF that can be read") from None
    return "\n\n".join(page for page in pages if page), title if isinstance(title, str) else ""


def _pages(reader: PdfReader) -> list[str]:
    if len(reader.pages) > PAGES_MAX:
        raise InvalidInput("file", f"must have at most {PAGES_MAX} pages")
    return [page.extract_text().strip() for page in reader.pages]
