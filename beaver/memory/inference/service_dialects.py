"""How each service of vectors wants to be asked, and where in its answer they are; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Purpose = Literal["passage", "question"]


@dataclass(frozen=True)
class Dialect:
    """How a service wants to be asked, and where in its answer the vectors are."""

    path: str
    body: Callable[[str, int, Purpose, Sequence[str]], Mapping[str, Any]]
    vectors: Callable[[Any], list[Any]]


def _openai_body(model: str, dimensions: int, _purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    # Its older models refuse to be told what they do anyway.
    told = {"dimensions": dimensions} if model.startswith("text-embedding-3") else {}
    return {"model": model, "input": list(texts), "encoding_format": "float", **told}


def _compatible_body(model: str, _dimensions: int, _purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    return {"model": model, "input": list(texts)}


def _voyage_body(model: str, dimensions: int, purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    kinds: Mapping[Purpose, str] = {"passage": "document", "question": "query"}
    return {"model": model, "input": list(texts), "input_type": kinds[purpose], "output_dimension": dimensions}


def _cohere_body(model: str, dimensions: int, purpose: Purpose, texts: Sequence[str]) -> Mapping[str, Any]:
    kinds: Mapping[Purpose, str] = {"passage": "search_document", "question": "search_query"}
    asked = {"embedding_types": ["float"], "output_dimension": dimensions}
    return {"model": model, "texts": list(texts), "input_type": kinds[purpose], **asked}


def _listed(answer: Any) -> list[Any]:
    """By `index`, where the entries have one: nobody promises their order."""
    entries = answer["data"]
    return [entry["embedding"] for entry in sorted(entries, key=lambda entry: int(entry.get("index", 0)))]


def _by_type(answer: Any) -> list[Any]:
    return list(answer["embeddings"]["float"])


OPENAI: Final = Dialect("/embeddings", _openai_body, _listed)
OPENAI_COMPATIBLE: Final = Dialect("/embeddings", _compatible_body, _listed)
VOYAGE: Final = Dialect("/embeddings", _voyage_body, _listed)
COHERE: Final = Dialect("/embed", _cohere_body, _by_type)
