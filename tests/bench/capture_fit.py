"""Fits the weights of the learned part of capture: `uv run python -m tests.bench.capture_fit`, two minutes on one core.

A logistic regression for being worth keeping, and one a kind, on all messages that are looked at; ridge, by an accelerated
gradient. First, fitted on four fifths of them at a time and counted on the rest, what to expect. The same messages give the same
files, on another machine perhaps but for a last digit.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

import beaver.memory.capture.learned as learned
from beaver.memory.capture.learned.judging import ODDS_MIN
from beaver.memory.capture.learned.marks import marks_of
from beaver.memory.capture.learned.weights import KINDS, SCALE
from beaver.memory.capture.patterns import Kind
from beaver.memory.capture.rules import sentences_read
from beaver.memory.inference.local import LOCAL_MODEL, open_local_encoder
from tests.unit.memory.capture.messages import EVERYDAY, LATER, OWN_WORDS
from tests.unit.memory.capture.unseen import UNSEEN

Floats = NDArray[np.float64]

KIND_OF: Final[dict[str, Kind]] = {
    "preference": "preference",
    "rule": "rule",
    "decision": "decision",
    "fact": "profile",
    "fix": "fix",
    "todo": "task",
}
WORTH: Final = {*KIND_OF, "explicit"}
STEPS: Final = 300
POWERS: Final = 20
STRETCH: Final = 3.0
"""How long the vector of a sentence's marks is, and that of its meaning, beside the penalty."""
PARTS: Final = 5


@dataclass(frozen=True)
class Way:
    """How a language is fitted: the `penalty` of weights, how many sentences a mark must be met in, and with which vectors."""

    penalty: float
    met_min: int
    model: str | None


WAYS: Final = {"English": Way(1.0, 3, LOCAL_MODEL), "Chinese": Way(0.3, 2, None)}


@dataclass(frozen=True)
class Rows:
    """Sentences with their labels, marks and vectors (n, dimensions), of no dimension without a model."""

    labels: list[str]
    marks: list[frozenset[str]]
    vectors: Floats

    def only(self, chosen: Sequence[int]) -> Rows:
        return Rows([self.labels[one] for one in chosen], [self.marks[one] for one in chosen], self.vectors[chosen])


async def labelled_rows(language: str) -> Rows:
    """Each sentence of a message that is not worth keeping; a message that is, where it is one sentence."""
    said = {}
    for label, text in (*UNSEEN[language], *EVERYDAY[language], *LATER[language], *OWN_WORDS[language]):
        sentences = sentences_read(text)
        if label not in WORTH or len(sentences) == 1:
            said.update(
                {
                    sentence.text: (label, marks_of(sentence.plain))
                    for sentence, read_as in sentences
                    if read_as.name == language.lower()
                }
            )
    labels, marks = zip(*said.values(), strict=True)
    return Rows(list(labels), list(marks), await vectors_of(list(said), WAYS[language].model))


async def vectors_of(texts: list[str], model: str | None) -> Floats:
    if model is None:
        return np.zeros((len(texts), 0))
    encoder = open_local_encoder()
    encoded = await encoder.encode_passages(texts)
    await encoder.close()
    return np.array([one.vector for one in encoded], np.float64)


def known_marks(rows: Rows, met_min: int) -> list[str]:
    met = Counter(mark for marks in rows.marks for mark in marks)
    return sorted(mark for mark, times in met.items() if times >= met_min)


def features(rows: Rows, known: Sequence[str]) -> Floats:
    """(n, marks + dimensions + 1): each known mark's share, the vector, and a one."""
    place = {mark: number for number, mark in enumerate(known)}
    shares = np.zeros((len(rows.marks), len(known)))
    for row, marks in enumerate(rows.marks):
        places = [place[mark] for mark in marks if mark in place]
        shares[row, places] = 1 / np.sqrt(max(1, len(places)))
    return np.hstack([shares * STRETCH, rows.vectors * STRETCH, np.ones((len(shares), 1))])


def fitted(of: Floats, is_so: NDArray[np.bool_], penalty: float) -> Floats:
    """The weights (features,) that make what is so likely; the last, of the one, goes free."""
    penalties = np.full(of.shape[1], penalty)
    penalties[-1] = 1e-3
    step = 1 / (steepest(of) / 4 + penalty)
    weights = ahead = np.zeros(of.shape[1])
    pace = 1.0
    for _ in range(STEPS):
        surprise = 1 / (1 + np.exp(-of @ ahead)) - is_so
        moved = ahead - step * (of.T @ surprise + penalties * ahead)
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        ahead = moved + (pace - 1) / faster * (moved - weights)
        weights, pace = moved, faster
    return weights


def steepest(of: Floats) -> float:
    """The greatest eigenvalue of the features' products, by powers of them, a little above."""
    direction = np.ones(of.shape[1])
    for _ in range(POWERS):
        direction = of.T @ (of @ (direction / np.linalg.norm(direction)))
    return float(np.linalg.norm(direction)) * 1.05


def columns(rows: Rows, known: Sequence[str], penalty: float) -> Floats:
    """(features, 1 + kinds): for being worth keeping, and, of what is, for each kind."""
    of, labels = features(rows, known), np.array(rows.labels)
    kept = np.isin(labels, list(KIND_OF))
    kinds = np.array([KIND_OF.get(label, "") for label in rows.labels])[kept]
    worth = fitted(of, np.isin(labels, list(WORTH)), penalty)
    return np.stack([worth, *(fitted(of[kept], kinds == kind, penalty) for kind in KINDS)], axis=1)


def expected(rows: Rows, way: Way) -> str:
    """What weights come to on sentences that they were not fitted on."""
    part = np.random.default_rng(1).integers(0, PARTS, len(rows.labels))
    odds, is_worth = np.zeros(len(rows.labels)), np.isin(rows.labels, list(WORTH))
    for number in range(PARTS):
        fit, rest = (rows.only(np.flatnonzero(each).tolist()) for each in (part != number, part == number))
        known = known_marks(fit, way.met_min)
        odds[part == number] = features(rest, known) @ fitted(
            features(fit, known), np.isin(fit.labels, list(WORTH)), way.penalty
        )
    kept = odds >= ODDS_MIN
    return f"precision {is_worth[kept].mean():.3f}, recall {kept[is_worth].mean():.3f}, without any rule or guard"


def write(file: Path, known: Sequence[str], found: Floats, model: str | None) -> None:
    """As whole numbers, a mark a line."""
    numbers = np.rint(found * SCALE * np.array([*[STRETCH] * (len(found) - 1), 1.0])[:, None]).astype(int).tolist()
    marks = ",\n".join(f"{json.dumps(mark, ensure_ascii=False)}:{_row(numbers[n])}" for n, mark in enumerate(known))
    vector = ",\n".join(map(_row, numbers[len(known) : -1]))
    file.write_text(
        f'{{"model":{json.dumps(model)},\n"bias":{_row(numbers[-1])},\n"marks":{{\n{marks}\n}},\n"vector":[\n{vector}\n]}}\n',
        encoding="utf-8",
    )


def _row(numbers: Sequence[int]) -> str:
    return json.dumps(numbers, separators=(",", ":"))


async def main() -> None:
    """Fit both languages, say what to expect, and write their files."""
    folder = Path(str(learned.__file__)).parent
    for language, way in WAYS.items():
        rows = await labelled_rows(language)
        print(f"{language}: {len(rows.labels)} sentences; {expected(rows, way)}")
        known = known_marks(rows, way.met_min)
        write(folder / f"{language.lower()}.json", known, columns(rows, known, way.penalty), way.model)


if __name__ == "__main__":
    asyncio.run(main())
