"""What capture knows of a language: its rules, how its sentences are put together, and what is left unread in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from beaver.memory.capture.expressions import Expression
from beaver.memory.capture.patterns import Kind, Table


@dataclass(frozen=True)
class Shape:
    """How sentences are put together.

    `lead` is politeness before the matter, `request` what in a lead makes a wish of a question, `clause` what stands before a
    clause within a sentence, `setting` a beginning that belongs to the clause after it (when, where), `conditional` a
    condition, under which a rule may begin a later clause.
    """

    lead: Expression
    request: Expression
    clause: Expression
    setting: Expression
    conditional: Expression


@dataclass(frozen=True)
class Veto:
    """What keeps a sentence from being read, but for rules of the kinds that it `spares`."""

    pattern: Expression
    spares: frozenset[Kind] = frozenset()


@dataclass(frozen=True)
class Unread:
    """What keeps words from being read, or from being read as certain.

    `vetoes` are looked for after the lead, `tone` (irony) before it is taken off. `hedge` makes a sentence doubtful, `payload`
    hands over a text to work on, `private` asks not to be remembered, and a `secret` is not for memory. What is `leaning` begins
    with a word for what was said before it: behind another sentence it does not stand alone.
    """

    vetoes: tuple[Veto, ...]
    tone: Expression
    hedge: Expression
    payload: Expression
    private: Expression
    secret: Expression
    leaning: Expression


@dataclass(frozen=True)
class ToForget:
    """How a person asks that something be forgotten, looked for from the beginning of a sentence.

    A group `what` of `statement` is a statement that is to hold no longer, of `attribute` something that a person has one of;
    a group `asked` says that a question mark belongs to the wish. `last` means the message before, `everything` asks for too
    much at once, and where a sentence is `unsure` nothing is done. Of a statement the `ending` (please) and the `reason`
    (because, a comma) are no part; `parted` stands between two.
    """

    statement: tuple[Expression, ...]
    attribute: tuple[Expression, ...]
    last: Expression
    everything: tuple[Expression, ...]
    ending: Expression
    unsure: Expression
    parted: Expression
    reason: Expression


@dataclass(frozen=True)
class Language:
    """How one language says it; `folding` reads one character as another (traditional as simplified). What was learned of it
    is kept under its `name`. `people`: where somebody is named by what they are to the speaker, in a group `name`."""

    name: str
    tables: tuple[Table, ...]
    folding: Mapping[int, int]
    shape: Shape
    unread: Unread
    forget: ToForget
    people: Expression
