"""Chunking: passages cover a text, keep their bound, and end where a reader pauses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from beaver.memory.retrieval.chunking import PASSAGE_LENGTH_MAX, indexed_spans, passages_of


def pieces(text: str) -> list[str]:
    return [text[span.start : span.start + span.length] for span in passages_of(text)]


@given(st.text(alphabet=st.sampled_from("ab \n.。\u4e00"), max_size=6000))
def test_passages_joined_are_the_text_and_none_is_too_long(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert all(0 < len(piece) <= PASSAGE_LENGTH_MAX for piece in pieces(text))


def test_a_short_text_is_one_passage() -> None:
    assert pieces("Short.") == ["Short."]


def test_a_paragraph_is_the_best_place_to_end() -> None:
    first = "One sentence. " * 70 + "\n\n"
    assert pieces(first + "Another sentence. " * 60)[0] == first


def test_a_sentence_is_not_cut_where_it_can_be_helped() -> None:
    assert pieces("Ten words make up this sentence of the test text. " * 60)[0].endswith(". ")
    assert pieces("这是一个用来测试的句子。" * 200)[0].endswith("。")


def test_text_without_a_pause_is_cut_at_the_bound() -> None:
    assert [len(piece) for piece in pieces("x" * 3000)] == [1200, 1200, 600]


def test_every_passage_is_found_by_the_heading() -> None:
    spans = indexed_spans("word " * 500, heading="Handbook", observed_ms=1)
    assert len(spans) > 1
    assert all(span.words.startswith("handbook word") for span in spans)
