"""Packing: what comes out points where what went in pointed, for many rows at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import simsimd
from hypothesis import assume, given
from hypothesis import strategies as st

from beaver.memory.embedding.packing import (
    Directions,
    measured,
    pack_piece_ids,
    pack_pieces,
    pack_vector,
    piece_cosines,
    products_with,
    quantised,
    unpack_piece_ids,
    unpack_vectors,
)
from beaver.memory.inference.port import Vectors


def directions(count: int, dimensions: int = 384, seed: int = 1) -> Vectors:
    drawn = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    normalised: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return normalised


def test_a_vector_keeps_its_direction_in_a_byte_a_dimension() -> None:
    vectors = directions(50)
    packed = [pack_vector(vector) for vector in vectors]
    assert {len(one) for one in packed} == {4 + 384}
    assert (np.einsum("ij,ij->i", unpack_vectors(packed), vectors) > 0.999).all()


def test_an_index_may_keep_the_bytes_and_multiply_by_the_scales() -> None:
    packed = [pack_vector(vector) for vector in directions(3)]
    components, scales = quantised(packed)
    assert components.dtype == np.int8
    np.testing.assert_allclose(components * scales[:, None], unpack_vectors(packed), rtol=1e-6)


def test_products_with_a_vector_are_those_of_floats_to_two_thousandths() -> None:
    asked, many = directions(1, seed=2)[0], directions(700)
    components, scales = quantised([pack_vector(vector) for vector in many])
    found = products_with(asked, components) * scales
    assert np.abs(found - unpack_vectors([pack_vector(vector) for vector in many]) @ asked).max() < 0.002


@pytest.mark.parametrize("dimensions", [1, 7, 384, 3072])
def test_products_of_the_largest_bytes_do_not_overflow(dimensions: int) -> None:
    largest = np.ones(dimensions, np.float32)
    components = np.stack([np.full(dimensions, 127, np.int8), np.full(dimensions, -127, np.int8)])
    expected = [127 * dimensions, -127 * dimensions]
    np.testing.assert_allclose(products_with(largest, components), expected, rtol=1e-6)


def test_products_are_the_same_on_processors_that_can_do_less() -> None:
    asked, (components, _) = directions(1, seed=2)[0], quantised([pack_vector(one) for one in directions(50)])
    fastest = products_with(asked, components)
    able = [name for name, there in simsimd.get_capabilities().items() if there and name != "serial"]
    try:
        for name in able:
            simsimd.disable_capability(name)
        slowest = products_with(asked, components)
    finally:
        for name in able:
            simsimd.enable_capability(name)
    assert np.array_equal(fastest, slowest)


def test_products_of_a_vector_with_none_are_none() -> None:
    assert products_with(np.ones(4, np.float32), np.zeros((0, 0), np.int8)).tolist() == []
    assert products_with(np.ones(4, np.float32), np.zeros((1, 4), np.int8)).tolist() == [0.0]


@given(st.lists(st.floats(-1000, 1000, width=32), min_size=1, max_size=8))
def test_no_component_is_off_by_more_than_half_a_step(components: list[float]) -> None:
    vector = np.array(components, np.float32)
    assume(float(np.abs(vector).max()) > 1e-9)
    (again,) = unpack_vectors([pack_vector(vector)])
    step = float(np.abs(vector).max()) / 127
    assert (np.abs(again - vector) <= 0.501 * step).all()


@pytest.mark.parametrize(
    "vector", [np.zeros(384), np.full(3, np.nan), np.array([1.0, np.inf]), np.full(3, 1e-40), np.zeros(0)]
)
def test_20_a_vector_without_direction_is_refused(vector: Vectors) -> None:
    with pytest.raises(ValueError, match="direction"):
        pack_vector(vector.astype(np.float32))


def test_pieces_keep_their_directions_in_half_a_byte_a_dimension() -> None:
    passages = [directions(count, seed=count) for count in (3, 1, 14)]
    packed = [pack_pieces(pieces) for pieces in passages]
    assert [len(one) for one in packed] == [3 * 192, 192, 14 * 192]
    cosines, bounds = piece_cosines(measured(packed, 384), Directions.of(np.concatenate(passages)))
    assert bounds.tolist() == [0, 3, 4, 18]
    assert (np.diag(cosines) > 0.98).all()
    assert cosines.max() <= 1.00001


def test_cosines_are_those_with_the_directions_asked_for() -> None:
    one, asked = directions(5, seed=1), directions(2, seed=2)
    cosines, _ = piece_cosines(measured([pack_pieces(one)], 384), Directions.of(asked))
    np.testing.assert_allclose(cosines, one @ asked.T, atol=0.03)


def test_a_passage_without_pieces_takes_no_row() -> None:
    pieces = measured([b"", pack_pieces(directions(2))], 384)
    assert pieces[0] == b""
    cosines, bounds = piece_cosines(pieces, Directions.of(directions(3)))
    assert (cosines.shape, bounds.tolist()) == ((2, 3), [0, 0, 2])
    assert measured([], 384) == []
    assert piece_cosines([], Directions.of(directions(3)))[1].tolist() == [0]


def test_pieces_need_an_even_number_of_dimensions() -> None:
    with pytest.raises(ValueError, match="even"):
        pack_pieces(directions(1, dimensions=3))


@given(st.lists(st.lists(st.integers(0, 65_535))))
def test_numbers_of_pieces_come_back_as_they_were(passages: list[list[int]]) -> None:
    numbers, bounds = unpack_piece_ids([pack_piece_ids(np.array(one, np.int32)) for one in passages])
    assert [numbers[start:end].tolist() for start, end in pairwise(bounds)] == passages


@pytest.mark.parametrize("number", [-1, 65_536])
def test_a_number_that_does_not_fit_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="65,536"):
        pack_piece_ids(np.array([1, number], np.int32))
