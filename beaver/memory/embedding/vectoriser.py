"""Texts of passages into packed vectors; the same text is encoded once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from beaver.errors import PeerFault
from beaver.memory.embedding.packing import pack_piece_ids, pack_pieces, pack_vector
from beaver.memory.embedding.store import Packed
from beaver.memory.inference.port import Encoded, Encoder

REMEMBERED_MAX: Final = 512
"""Texts whose vectors are kept in memory, about 3 KB each."""


class Vectoriser:
    """Encodes texts and remembers the last 512. Raises what the encoder raises."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._remembered: OrderedDict[bytes, Packed] = OrderedDict()

    async def vectors(self, texts: Sequence[str]) -> list[Packed]:
        """One for each text, in order. Raises PeerFault when the encoder gives a vector that cannot be used."""
        unknown = {_hash(text): text for text in texts}
        made = {key: packed for key in unknown if (packed := self._recalled(key)) is not None}
        new = {key: text for key, text in unknown.items() if key not in made}
        if new:
            encoded = await self._encoder.encode_passages(list(new.values()))
            made |= {key: self._packed(one) for key, one in zip(new, encoded, strict=True)}
            self._remember(made)
        return [made[_hash(text)] for text in texts]

    async def vectors_each(self, texts: Iterable[str]) -> list[Packed | None]:
        """The same one by one: None for a text that the encoder does not take. Raises Unavailable still."""
        found: list[Packed | None] = []
        for text in texts:
            try:
                found += await self.vectors([text])
            except PeerFault:
                found.append(None)
        return found

    def _packed(self, encoded: Encoded) -> Packed:
        if encoded.vector.shape != (self._encoder.dimensions,):
            raise PeerFault(
                f"the encoder gave {encoded.vector.size} dimensions where {self._encoder.dimensions} were expected"
            )
        try:
            vector = pack_vector(np.asarray(encoded.vector))
        except ValueError:
            raise PeerFault("the encoder gave an empty vector") from None
        if encoded.pieces is None or encoded.piece_ids is None:
            return Packed(self._encoder.dimensions, vector)
        return Packed(self._encoder.dimensions, vector, pack_pieces(encoded.pieces), pack_piece_ids(encoded.piece_ids))

    def _recalled(self, key: bytes) -> Packed | None:
        if key in self._remembered:
            self._remembered.move_to_end(key)
        return self._remembered.get(key)

    def _remember(self, made: Mapping[bytes, Packed]) -> None:
        self._remembered.update(made)
        while len(self._remembered) > REMEMBERED_MAX:
            self._remembered.popitem(last=False)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
