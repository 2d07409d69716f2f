"""WordPiece: the same numbers as the model was trained on."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.memory.inference.wordpiece import bert_vocabulary, piece_ids

VOCABULARY = bert_vocabulary()
PIECES = list(VOCABULARY)

# What the Rust library `tokenizers` 0.23 makes of the same texts with the same vocabulary.
KNOWN = [
    ("Caroline: I start at the bakery on Monday", [7981, 1024, 1045, 2707, 2012, 1996, 18112, 2006, 6928]),
    ("", []),
    ("   \t\n ", []),
    ("Don't! (really?) --", [2123, 1005, 1056, 999, 1006, 2428, 1029, 1007, 1011, 1011]),
    ("it's $5.00 + 3^2 = `x", [2009, 1005, 1055, 1002, 1019, 1012, 4002, 1009, 1017, 1034, 1016, 1027, 1036, 1060]),
    ("naïve café, Ångström", [15743, 7668, 1010, 17076, 15687]),
    ("İstanbul ẞtraße ﬁne", [9960, 1096, 6494, 17499, 1984, 2638]),
    ("ΑΣΣΟΣ σας", [1155, 29733, 29733, 29730, 29733, 1173, 14608, 19579]),
    ("我喜欢猫and dogs", [1855, 100, 100, 100, 1998, 6077]),
    ("東京タワー 서울", [1879, 1755, 1709, 30262, 30265, 1461, 30008, 29999, 30014, 30022]),
    ("हिन्दी עברית", [1339, 29877, 29863, 29861, 29878, 1259, 29789, 29811, 29796, 29813]),
    ("🐶🐶 ok👍🏽", [100, 100]),
    ("zero\u200bwidth soft\u00adhyphen", [5717, 9148, 11927, 2232, 3730, 10536, 8458, 2368]),
    ("nul\x00 bom\ufeff bad\ufffd", [16371, 2140, 8945, 2213, 2919]),
    ("line\u2028sep\u3000ideographic\u00a0nbsp", [2240, 19802, 8909, 8780, 14773, 1050, 5910, 2361]),
    ("x" * 100, [22038, *[20348] * 49]),
    ("x" * 101, [100]),
    ("a\u0301e\u0302 o\u0338", [29347, 1051]),
    ("user@example.com/path?x=1", [5310, 1030, 2742, 1012, 4012, 1013, 4130, 1029, 1060, 1027, 1015]),
    ("½ ² № ™ €", [1092, 1082, 1578, 1580, 1574]),
    ("«quote» “smart” ‘x’ …", [1077, 14686, 1090, 1523, 6047, 1524, 1520, 1060, 1521, 1529]),
    ("don\u2019t stop\u2014now", [2123, 1521, 1056, 2644, 1517, 2085]),
]


def test_the_vocabulary_is_whole() -> None:
    assert len(VOCABULARY) == 30_522
    assert [VOCABULARY[mark] for mark in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")] == [0, 100, 101, 102, 103]


@pytest.mark.parametrize(("text", "inner"), KNOWN)
def test_known_texts_give_the_known_numbers(text: str, inner: list[int]) -> None:
    assert piece_ids(text, VOCABULARY, pieces_max=256) == [101, *inner, 102]


def test_a_long_text_ends_with_its_mark_at_the_bound() -> None:
    ids = piece_ids("word " * 1000, VOCABULARY, pieces_max=256)
    assert (len(ids), ids[0], ids[-1]) == (256, 101, 102)


def test_a_word_without_end_is_one_unknown_and_takes_no_time() -> None:
    assert piece_ids("a" * 1_000_000 + " dogs", VOCABULARY, pieces_max=256) == [101, 100, 6077, 102]


def test_a_mark_in_a_text_is_no_mark() -> None:
    assert not {101, 102, 103} & set(piece_ids("[CLS] and [MASK] [SEP]", VOCABULARY, pieces_max=256)[1:-1])


@given(st.text())
def test_any_text_gives_numbers_of_the_vocabulary_within_the_bound(text: str) -> None:
    ids = piece_ids(text, VOCABULARY, pieces_max=16)
    assert 2 <= len(ids) <= 16
    assert all(0 <= number < len(PIECES) for number in ids)


@given(st.lists(st.sampled_from([piece for piece in PIECES if piece.isascii() and piece.isalpha()])))
def test_words_of_the_vocabulary_are_one_piece_each(words: list[str]) -> None:
    ids = piece_ids(" ".join(words), VOCABULARY, pieces_max=len(words) + 2)
    assert [PIECES[number] for number in ids[1:-1]] == words


def _long_assigned(character: str) -> bool:
    """Of the same kind in Unicode 3.2 and now: the library's tables are older than Python's."""
    return unicodedata.ucd_3_2_0.category(character) == unicodedata.category(character)


@pytest.fixture(scope="module")
def library() -> Any:
    """Where it is installed: uv run --with tokenizers pytest tests/unit/memory/inference."""
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordPiece(dict(VOCABULARY), unk_token="[UNK]", max_input_chars_per_word=100)
    built = tokenizers.Tokenizer(model)
    built.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    built.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return built


@given(st.text(st.characters(codec="utf-8").filter(_long_assigned)) | st.text(st.sampled_from("aAé'.-, ßÅ½猫\u0301")))
def test_any_text_gives_what_the_library_gives(library: Any, text: str) -> None:
    expected = library.encode(text).ids
    assert piece_ids(text, VOCABULARY, pieces_max=len(expected) + 9)[1:-1] == expected
