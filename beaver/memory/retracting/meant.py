"""What a request to forget clearly means, pure: which statements of an observation it is about. Where that is not sure, none."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.memory.observations.attributes import Attribute, stated_in
from beaver.memory.observations.entries import TITLE_LENGTH_MAX, clip, folded
from beaver.memory.observations.reconcile import content_of
from beaver.memory.observations.records import Content, NewObservation, Observation
from beaver.memory.observations.saying import says_same
from beaver.memory.observations.words import spoken_words, turns
from beaver.memory.retrieval.beside.taken_back import TakenBack
from beaver.memory.retrieval.beside.telling import tells

MEANING_MIN: Final = 0.8
"""The cosine from which on an observation is meant whose words are others; it names the same names and numbers."""
_SELF: Final = frozenset(["i", "im", "ive", "we", "user", "the"])
_OWN: Final = frozenset(["my", "our"])
_NAME: Final = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w'-]*")
_TOKEN: Final = re.compile(r"[^\W_]+")
_WHERE: Final = frozenset({"lives in", "address", "home address", "hometown", "home town", "地址", "住址"})
_WORK: Final = frozenset({"works at", "works as", "job", "job title", "employer", "occupation", "职业"})
_BORN: Final = frozenset({"birthday", "date of birth", "born", "生日"})
_OLD: Final = frozenset({"age", "年龄"})
_NAMED: Final = frozenset(
    {"name", "full name", "first name", "last name", "middle name", "wants to be called", "名字", "姓名"}
)
_PHONE: Final = frozenset({"phone", "phone number", "电话", "手机号"})
_MAIL: Final = frozenset({"email", "email address", "e-mail", "e-mail address", "邮箱"})
_ATTRIBUTES: Final = (
    (r"(?:my )?(?:home |postal |street )?address|where (?:i|we) live|my (?:home|residence|city|town)", _WHERE),
    (r"我的?(?:地址|住址|住处)|我(?:现在)?住(?:在)?(?:哪里|哪儿|哪)", _WHERE),
    (r"my (?:job|work|job title|occupation|employer|profession|workplace)|where (?:i|we) work|who i work for", _WORK),
    (r"what i do(?: for a living)?|我的(?:工作|职业|公司|单位)|我在(?:哪里|哪儿|哪)(?:工作|上班)", _WORK),
    (r"my (?:birthday|date of birth|birth date)|when i was born|我的生日", _BORN),
    (r"my age|how old i am|我的(?:年龄|岁数)|我多大|我几岁", _OLD),
    (r"my (?:name|full name)|我的(?:名字|姓名)", _NAMED),
    (r"my (?:phone|phone number|mobile|mobile number|cell|number)|我的(?:电话|电话号码|手机号|手机号码)", _PHONE),
    (r"my e-?mail(?: address)?|我的(?:邮箱|电子邮件)", _MAIL),
    (r"my (?:marital|relationship) status", frozenset({"marital status"})),
    (r"my diet", frozenset({"diet"})),
    (r"where i (?:come|am) from|my (?:origin|nationality)", frozenset({"comes from", "nationality"})),
    (r"what i study|where i study|my studies|我的专业", frozenset({"studies", "studies at"})),
)


@dataclass(frozen=True)
class AskedAttribute:
    """An attribute whatever its value: whose (`subject`, empty for the user's own), by any of its names."""

    subject: str
    names: frozenset[str]

    def looked_for(self) -> list[Attribute]:
        """By which words statements of it are found."""
        return [Attribute(self.subject, name, "") for name in sorted(self.names)]


def asked_attribute(phrase: str) -> AskedAttribute | None:
    """What `my address` or `where I live` asks for; None for what is no attribute that has one value."""
    plain = folded(phrase).replace("\u2019", "'")
    known = next((names for pattern, names in _ATTRIBUTES if re.fullmatch(pattern, plain)), None)
    if known is not None:
        return AskedAttribute("", known)
    stated = stated_in(f"{plain} is x")
    return AskedAttribute(stated[0].subject, frozenset({stated[0].name})) if stated else None


def meant_by_attribute(asked: AskedAttribute, held: Observation) -> list[str]:
    """The statements of an observation, title and facts, that give the attribute a value."""
    named = {f"{name} of {asked.subject}" if asked.subject else name for name in asked.names}
    return [
        statement
        for statement in _of_the_user(held)
        if folded(statement.partition(": ")[0]) in named
        or any(one.subject == asked.subject and one.name in asked.names for one in stated_in(statement))
    ]


def meant_by(request: str, held: Observation, cosine: float) -> list[str]:
    """The statements of an observation, title and facts, that a request's statement says; `cosine` of the two as wholes."""
    said = [one for one in _of_the_user(held) if says_same(request, one)]
    is_near = cosine >= MEANING_MIN and not said and _may_be_same(request, held.title)
    return [held.title, *held.facts] if is_near else said


def _of_the_user(held: Observation) -> list[str]:
    """Title and facts, but for what another speaker said, who is named before it."""
    others = tuple(f"{name}: " for name in held.related_people)
    return [one for one in (held.title, *held.facts) if not one.startswith(others)]


def without(content: Content, said: Collection[str]) -> Content | None:
    """What is left of an observation without some of its statements; None where it says nothing else.

    With its title goes what was drawn from that. A fact that stays takes the title's place.
    """
    in_title = content.title in said
    gone = {fact for fact in content.facts if fact in said or (in_title and _is_drawn(fact, content.title))}
    facts = tuple(fact for fact in content.facts if fact not in gone)
    if not facts:
        return None
    narrative = "" if any(tells(content.narrative, one) for one in said) else content.narrative
    title = clip(facts[0], TITLE_LENGTH_MAX) if in_title else content.title
    return replace(content, title=title, narrative=narrative, facts=facts)


def still_said(new: NewObservation, taken: Sequence[TakenBack]) -> NewObservation | None:
    """Something captured without what was taken back after its messages were said; None where that leaves nothing."""
    said = {one for each in taken if _was_said_before(new, each) for one in _taken_from(new, each)}
    if not said:
        return new
    left = without(content_of(new), said)
    return None if left is None else replace(new, title=left.title, narrative=left.narrative, facts=left.facts)


def _was_said_before(new: NewObservation, one: TakenBack) -> bool:
    ids = {each.message_id for each in new.evidence}
    return ids <= one.message_ids or (new.observed_ms is not None and new.observed_ms < one.at_ms)


def _taken_from(new: NewObservation, one: TakenBack) -> list[str]:
    return [said for said in (new.title, *new.facts) if any(says_same(each, said) for each in one.statements)]


def _is_drawn(fact: str, title: str) -> bool:
    """Whether the value of a fact stands in the title."""
    value = fact.rpartition(": ")[2]
    return set(spoken_words(value)) <= set(spoken_words(title))


def _may_be_same(request: str, statement: str) -> bool:
    """Whether two statements in other words name the same, of the same person, and neither denies what the other says."""
    same_names = _names(request) == _names(statement)
    shared = set(spoken_words(request)) & set(spoken_words(statement))
    return same_names and bool(shared) and turns(request) == turns(statement) and _begin_alike(request, statement)


def _names(text: str) -> set[str]:
    return {folded(name) for name in _NAME.findall(text)}


def _begin_alike(one: str, other: str) -> bool:
    mine, theirs = (_TOKEN.findall(folded(text).replace("'", ""))[:2] for text in (one, other))
    if not mine or not theirs:
        return False
    if mine[0] in _OWN and theirs[0] in _OWN:
        return mine[1:] == theirs[1:]
    return mine[0] in _SELF and theirs[0] in _SELF
