"""The local encoder: known weights or a clear word; the pieces that carry meaning; what it leaves to others."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from beaver.errors import Unavailable
from beaver.memory.inference import local
from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.minilm import MiniLm
from beaver.memory.inference.port import Encoded, Encoder
from beaver.memory.inference.wordpiece import bert_vocabulary

PIECES = list(bert_vocabulary())


@pytest.fixture(scope="module")
async def encoder() -> AsyncIterator[Encoder]:
    opened = open_local_encoder()
    yield opened
    await opened.close()


def words(encoded: Encoded) -> list[str]:
    assert encoded.piece_ids is not None
    return [PIECES[number] for number in encoded.piece_ids]


async def test_of_a_passage_only_pieces_with_meaning_are_kept(encoder: Encoder) -> None:
    (passage,) = await encoder.encode_passages(["Caroline: I start at the bakery on Monday!"])
    assert words(passage) == ["caroline", "start", "bakery", "monday"]


@pytest.mark.parametrize(
    ("text", "kept"), [("the of and", ["the", "of", "and"]), ("?!", ["?", "!"]), ("", ["[CLS]", "[SEP]"])]
)
async def test_where_no_piece_carries_meaning_all_are_kept(encoder: Encoder, text: str, kept: list[str]) -> None:
    (passage,) = await encoder.encode_passages([text])
    assert words(passage) == kept


async def test_a_question_keeps_every_piece_and_knows_which_carry_meaning(encoder: Encoder) -> None:
    question = await encoder.encode_question("When did Caroline go to the bakery?")
    assert question.content is not None
    assert words(question) == ["when", "did", "caroline", "go", "to", "the", "bakery", "?"]
    assert [word for word, content in zip(words(question), question.content, strict=True) if content] == [
        "caroline",
        "go",
        "bakery",
    ]


@pytest.mark.parametrize(("text", "kept"), [("the 🥳 bakery", ["the", "bakery"]), ("🥳?", ["?"]), ("🥳", [])])
async def test_of_a_question_what_the_model_does_not_know_is_left_out(
    encoder: Encoder, text: str, kept: list[str]
) -> None:
    question = await encoder.encode_question(text)
    assert words(question) == kept
    assert question.pieces is not None
    assert question.pieces.shape == (len(kept), encoder.dimensions)


async def test_like_texts_are_nearer_than_unlike_ones(encoder: Encoder) -> None:
    question = await encoder.encode_question("Which pet does she have?")
    pet, ship = await encoder.encode_passages(["Her dog is called Bruno", "The ship left the harbour at nine"])
    assert pet.vector @ question.vector > ship.vector @ question.vector + 0.1


async def test_a_text_of_any_company_has_the_vectors_that_it_has_alone(encoder: Encoder) -> None:
    texts = ["short", "a rather longer text about boats " * 9, "of middle length, about a dog", "x", "the last one"]
    together = await encoder.encode_passages(texts)
    for text, one in zip(texts, together, strict=True):
        (alone,) = await encoder.encode_passages([text])
        np.testing.assert_allclose(one.vector, alone.vector, atol=1e-4)
        assert one.pieces is not None
        assert alone.pieces is not None
        np.testing.assert_allclose(one.pieces, alone.pieces, atol=1e-3)


async def test_a_question_waits_for_no_passages(encoder: Encoder) -> None:
    passages = asyncio.create_task(
        encoder.encode_passages([f"a text about matter number {n} " * 30 for n in range(40)])
    )
    await encoder.encode_question("Who asks?")
    assert not passages.done()
    await passages


async def test_a_missing_wheel_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "WEIGHTS_PACKAGE", "no_such_wheel")
    with pytest.raises(Unavailable, match="no_such_wheel is not installed: the extra `gateway` brings it"):
        open_local_encoder()


async def test_other_weights_than_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "other_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('its code is never run')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(local, "WEIGHTS_PACKAGE", "other_weights")
    with pytest.raises(Unavailable, match="SHA-256 differs"):
        open_local_encoder()
    (package / "model.onnx").write_bytes(b"weights")
    with pytest.raises(Unavailable, match="SHA-256 differs"):
        open_local_encoder()


async def test_weights_that_cannot_be_loaded_and_a_closed_encoder_are_unavailable(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"weights")
    encoder = MiniLm(tmp_path / "model.onnx")
    with pytest.raises(Unavailable, match="cannot be loaded"):
        await encoder.encode_question("Who asks?")
    await encoder.close()
    with pytest.raises(Unavailable, match="closed"):
        await encoder.encode_passages(["text"])
