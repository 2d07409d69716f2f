"""How each service of vectors wants to be asked, and where in its answer they are; pure."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Purpose = Literal["passage", "question"]


@dataclass(frozen=True)
class Dialect:
    """How a service wants to be asked, and where in its answer the vectors are."""

    path: str
    body: Callable[[str, int, Purpose, Sequence[str]], Mapping[str, Any]]
    vectors: Callable[[Any], list[Any] | None]


# Models from before a length could be chosen: they refuse to be told one.
_VOYAGE_OF_ONE_LENGTH: Final = re.compile(
    r"voyage-(?:(?:large|code|law|finance|multilingual|lite)-0?[12].*|0?[12]|3|3-lite)"
)
_COHERE_OF_ONE_LENGTH: Final = re.compile(r"v[123](?:\.\d)?$")


def _openai_body(model: str, dimensions: int, _purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    # Its older models refuse to be told what they do anyway.
    told = {"dimensions": dimensions} if model.startswith("text-embedding-3") else {}
    return {"model": model, "input": list(texts), "encoding_format": "float", **told}


def _compatible_body(model: str, _dimensions: int, _purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    return {"model": model, "input": list(texts)}


def _voyage_body(model: str, dimensions: int, purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    kinds: Mapping[Purpose, str] = {"passage": "document", "question": "query"}
    told = {} if _VOYAGE_OF_ONE_LENGTH.fullmatch(model) else {"output_dimension": dimensions}
    return {"model": model, "input": list(texts), "input_type": kinds[purpose], **told}


def _cohere_body(model: str, dimensions: int, purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    kinds: Mapping[Purpose, str] = {"passage": "search_document", "question": "search_query"}
    told = {} if _COHERE_OF_ONE_LENGTH.search(model) else {"output_dimension": dimensions}
    return {"model": model, "texts": list(texts), "input_type": kinds[purpose], "embedding_types": ["float"], **told}


def _listed(answer: Any) -> list[Any] | None:
    """By `index`, where the entries have one: nobody promises their order. None where two entries have the same."""
    entries = answer["data"]
    places = [int(entry["index"]) for entry in entries if "index" in entry]
    if len(set(places)) != len(places) or len(places) not in (0, len(entries)):
        return None
    if places:
        entries = [entry for _, entry in sorted(zip(places, entries, strict=True), key=lambda placed: placed[0])]
    return [_numbers(entry["embedding"]) for entry in entries]


def _numbers(vector: Any) -> Any:
    """The vector; also one in base64 of 32-bit floats, little-endian, as proxies answer that ask for it themselves."""
    if not isinstance(vector, str):
        return vector
    packed = base64.b64decode(vector, validate=True)
    return [number for (number,) in struct.iter_unpack("<f", packed)]


def _by_type(answer: Any) -> list[Any]:
    return list(answer["embeddings"]["float"])


OPENAI: Final = Dialect("/embeddings", _openai_body, _listed)
OPENAI_COMPATIBLE: Final = Dialect("/embeddings", _compatible_body, _listed)
VOYAGE: Final = Dialect("/embeddings", _voyage_body, _listed)
COHERE: Final = Dialect("/embed", _cohere_body, _by_type)
