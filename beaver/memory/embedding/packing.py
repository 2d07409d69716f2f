"""Vectors as few bytes, pure: 8 bits a dimension for a whole passage, 4 for a word piece, many unpacked at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from simsimd import cdist

from beaver.memory.inference.level_products import level_products
from beaver.memory.inference.port import Vectors

_SCALE: Final = np.dtype("<f4")
_NUMBER: Final = np.dtype("<u2")
_EIGHT_BITS: Final = 127
_FOUR_BITS: Final = 7
_MIDDLE: Final = 8
"""What a piece's 0 is stored as."""
_LARGEST_MIN: Final = 1e-30
"""Below this a float's scale has too few digits; no encoder gives such a vector on purpose."""


def pack_vector(vector: Vectors) -> bytes:
    """(dimensions,) as one float, the scale, and an int8 for each. Raises ValueError for a vector without direction."""
    largest = float(np.abs(vector).max(initial=0.0))
    if not np.isfinite(vector).all() or largest < _LARGEST_MIN:
        raise ValueError("a vector must have a direction")
    levels, scale = _in_bytes(vector, largest)
    return scale.tobytes() + levels.tobytes()


def _in_bytes(vector: Vectors, largest: float) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scale = np.array(largest / _EIGHT_BITS, _SCALE)
    return np.rint(vector / scale).astype(np.int8), scale


def packed_bytes(dimensions: Any) -> Any:
    """How many bytes `pack_vector` makes of so many dimensions (a number, or a column of numbers)."""
    return dimensions + _SCALE.itemsize


def quantised(packed: Sequence[bytes]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Packed vectors of one model as int8 (n, dimensions) and their scales (n,): a vector is the product of the two."""
    if not packed:
        return np.zeros((0, 0), np.int8), np.zeros(0, np.float32)
    rows = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1)
    scales = rows[:, : _SCALE.itemsize].copy().view(_SCALE)[:, 0].astype(np.float32)
    return rows[:, _SCALE.itemsize :].view(np.int8), scales


def products_with(vector: Vectors, components: NDArray[np.int8]) -> NDArray[np.float64]:
    """(n,) products of a vector (dimensions,) with many of bytes (n, dimensions), to two thousandths of their lengths.

    The vector is taken as bytes too: a fifth of the time of floats, and nothing of the many is copied.
    """
    levels, scale = _in_bytes(vector, max(float(np.abs(vector).max(initial=0.0)), _LARGEST_MIN))
    if not len(components):
        return np.zeros(0)
    found: NDArray[np.float64] = np.asarray(cdist(levels[None], components, "dot")).reshape(-1)
    return found * float(scale)


def unpack_vectors(packed: Sequence[bytes]) -> Vectors:
    """Packed vectors of one model as float32 (n, dimensions)."""
    components, scales = quantised(packed)
    return components.astype(np.float32) * scales[:, None]


def pack_pieces(pieces: Vectors) -> bytes:
    """(n, dimensions) in half a byte a dimension: each piece by its largest component. Raises ValueError for an odd dimension."""
    if pieces.shape[1] % 2:
        raise ValueError("pieces must have an even number of dimensions")
    largest = np.abs(pieces).max(axis=1, keepdims=True, initial=np.finfo(np.float32).tiny)
    levels = (np.rint(pieces / largest * _FOUR_BITS) + _MIDDLE).astype(np.uint8)
    half = pieces.shape[1] // 2
    packed: bytes = (levels[:, :half] | (levels[:, half:] << 4)).tobytes()
    return packed


def measured(packed: Sequence[bytes], dimensions: int) -> list[bytes]:
    """What `pack_pieces` made of passages, each piece followed by its length: that takes longer to tell than all else of it."""
    pieces = np.frombuffer(b"".join(packed), np.uint8).reshape(-1, dimensions // 2)
    rows = np.concatenate([pieces, _lengths(_levels(pieces)).astype(_SCALE)[:, None].view(np.uint8)], axis=1)
    bounds = _bounds([2 * len(one) // dimensions for one in packed])
    return [rows[first:last].tobytes() for first, last in pairwise(bounds)]


def measured_bytes(piece_ids_bytes: int, vector_bytes: int) -> int:
    """How many bytes `measured` makes, told by the bytes of the pieces' numbers and of a vector of the same model."""
    return piece_ids_bytes // _NUMBER.itemsize * ((vector_bytes - _SCALE.itemsize) // 2 + _SCALE.itemsize)


@dataclass(frozen=True)
class Directions:
    """Vectors that pieces are compared with, as columns of whole numbers; `scales`: what one of a column is of a cosine."""

    weights: NDArray[np.int8]
    scales: Vectors
    middles: Vectors

    @classmethod
    def of(cls, vectors: Vectors) -> Directions:
        """Of (n, dimensions)."""
        largest = np.abs(vectors).max(axis=1, initial=_LARGEST_MIN) / _EIGHT_BITS
        weights = np.rint(vectors.T / largest).astype(np.int8)
        lengths = np.sqrt(np.square(weights, dtype=np.float32).sum(axis=0))
        return cls(weights, 1 / np.maximum(lengths, 1), _MIDDLE * weights.sum(axis=0, dtype=np.float32))


def piece_cosines(pieces: Sequence[bytes], directions: Directions) -> tuple[Vectors, NDArray[np.intp]]:
    """The cosines of the pieces of many passages, `measured`, with n directions, to a few thousandths: float32 (pieces, n).

    With them the bounds (passages + 1,): the pieces of passage i are those from bounds[i] to bounds[i + 1].
    """
    half = len(directions.weights) // 2
    row = half + _SCALE.itemsize
    rows = np.frombuffer(b"".join(pieces), np.uint8).reshape(-1, row)
    # A level is above its number by the middle.
    products = level_products(_levels(rows[:, :half]), directions.weights) - directions.middles
    lengths = rows[:, half:].copy().view(_SCALE)
    return products * directions.scales / lengths, _bounds([len(one) // row for one in pieces])


def _levels(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    half = packed.shape[1]
    levels = np.empty((len(packed), 2 * half), np.uint8)
    np.bitwise_and(packed, 15, out=levels[:, :half])
    np.right_shift(packed, 4, out=levels[:, half:])
    return levels


def _lengths(levels: NDArray[np.uint8]) -> Vectors:
    """The length of each row's numbers. A byte holds their squares, though not the numbers below zero themselves."""
    squares = levels - np.uint8(_MIDDLE)
    squares *= squares
    summed = level_products(squares, np.ones((levels.shape[1], 1), np.int8))[:, 0]
    return np.asarray(np.sqrt(np.maximum(summed, 1)))


def pack_piece_ids(numbers: NDArray[np.int32]) -> bytes:
    """(n,) numbers below 65,536 in two bytes each. Raises ValueError for one that is not."""
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() <= np.iinfo(_NUMBER).max:
        raise ValueError("a piece's number must lie below 65,536")
    return numbers.astype(_NUMBER).tobytes()


def unpack_piece_ids(packed: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """The numbers of many passages' pieces, one after the other, and bounds as `piece_cosines` gives them."""
    numbers = np.frombuffer(b"".join(packed), _NUMBER).astype(np.int32)
    return numbers, _bounds([len(one) // _NUMBER.itemsize for one in packed])


def _bounds(counts: Sequence[int]) -> NDArray[np.intp]:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.intp))).astype(np.intp)
