"""Attributes that have one value at a time, pure: where somebody lives, what their favourite colour is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from beaver.memory.observations.entries import Said, folded
from beaver.memory.observations.words import label_words, says_within, spoken_words


@dataclass(frozen=True)
class Attribute:
    """Whose attribute (`subject`, empty for the user's own), which one, and its value as it was said."""

    subject: str
    name: str
    value: str

    def is_other_than(self, other: Attribute) -> bool:
        """Whether the two give one attribute two values, of which neither only says more than the other."""
        mine, theirs = _value_words(self.value), _value_words(other.value)
        same = (self.subject, self.name) == (other.subject, other.name)
        return same and not (says_within(mine, theirs) or says_within(theirs, mine))


_RESIDENCE: Final = "lives in"
_EMPLOYER: Final = "works at"
_OCCUPATION: Final = "works as"
_AGE: Final = "age"
_DIET: Final = "diet"
_STANDING: Final = "marital status"
_DIETS: Final = "vegan vegetarian pescatarian flexitarian omnivore"
_STANDINGS: Final = "single married engaged divorced widowed"
_SINGLE: Final = (
    r"(?:(?:favou?rite|preferred|default|primary|main|current)\s[\w\s'-]{1,40}?|(?:full\s|first\s|last\s|middle\s)?name|birthday|"
    r"date of birth|e-?mail(?:\saddress)?|phone(?:\snumber)?|address|age|job|job title|employer|home\s?town|time\s?zone|deadline|"
    r"native language|nationality|(?:locker|door|gate|alarm|entry|building|garage|access|lock|zip|postal)\s(?:code|number)|"
    r"pin(?:\scode)?|(?:shoe|shirt|dress|ring)\ssize|(?:room|office)\snumber|(?:licen[cs]e|number)\splate)"
)
_STATED: Final = re.compile(
    rf"(?P<subject>.*?)\b(?P<name>{_SINGLE})\s*(?:\s(?:is|are|was changed to|changed to|has changed to|became)\s|:\s)"
    r"(?:now\s|currently\s)?(?P<value>.+)"
)
# A flat, a tool and a way of working are no place that somebody lives in instead of a town.
_A_PLACE: Final = (
    r"(?!(?:an?|my|our|your|his|her|their|this|that|using|use)\b)(?!.*\b(?:mode|version|team|role|project|branch|stack|editor|plan|"
    r"job|position|department)s?\b)"
)
_LIVES: Final = re.compile(
    r"(?P<subject>.*?)\b(?:lives?|living|resides?|moved|relocated|(?:is|am|are) based)\s(?:now\s)?(?:in|to):?\s"
    rf"(?P<value>{_A_PLACE}.+)"
)
_WORKS: Final = re.compile(r"(?P<subject>.*?)\b(?:works?|working|employed)\s(?P<how>at|for|as):?\s(?P<value>.+)")
# How old anybody is, with its unit; of oneself the number is enough.
_OLD: Final = re.compile(
    r"(?P<subject>.*?)(?:\b(?:is|am|are|turned)|'m)\s(?:now\s)?(?P<value>\d{1,3})\syears?(?:\sold)?(?:\s(?:now|today))?"
    r"|(?P<own>i)(?:\sam|'m|\s(?:just\s)?turned)\s(?:now\s)?(?P<years>\d{1,3})(?:\s(?:now|today))?"
)
_KEEPS: Final = re.compile(
    r"(?P<subject>.*?)(?:\b(?:is|am|are|became|become|turned|went)|'m)\s(?:(?:an?|now|just|strictly|fully)\s)*"
    rf"(?:(?P<diet>{_DIETS.replace(' ', '|')})|(?P<standing>{_STANDINGS.replace(' ', '|')}))"
    r"(?:\s(?:again|now|since|to)\b.*|,.*)?"
)
_CHINESE_LIVES: Final = re.compile(
    "(?P<subject>.{0,12}?)(?:住在|居住在|定居在|搬到了?|搬去了?|搬家到了?)(?P<value>[^,,。;;]+)"
)
_CHINESE_WORKS: Final = re.compile("(?P<subject>.{0,12}?)在(?P<value>[^,,。;;]+?)(?:工作|上班)")
_CHINESE_STATED: Final = re.compile(
    "(?P<subject>.{0,8}?)(?P<name>最(?:喜欢|喜歡|爱|愛)的[^是]{1,12}?|名字|姓名|生日|邮箱|電子郵件|电话|電話|手机号|地址|年龄|年齡|职业|職業)"
    "(?:现在|現在)?(?:是|叫|改成了?|改为|變成了?|变成了?)(?P<value>[^,,。;;]+)"
)
_PAST: Final = re.compile(
    r"\b(?:not|never|used to|formerly|previously|once|if|would|will|might|could|should|n't)\b|以前|曾经|曾經|不|没|如果"
)
_SELF: Final = frozenset(
    (
        "i",
        "my",
        "me",
        "we",
        "our",
        "us",
        "user",
        "user's",
        "users",
        "我",
        "我的",
        "我们",
        "我们的",
        "用户",
        "用户的",
        "本人",
    )
)
_FILLERS: Final = re.compile(
    r"(?:\b(?:the|has|have|had|just|now|recently|finally|currently|is|am|are|new|actually|correction|update|sorry|'s|'ve|'m)\b"
    r"|现在|現在|目前|已经|已經|最近|刚刚|了)"
)
_END_MARKS: Final = ".!\u3002 "
_SUBJECT_WORDS_MAX: Final = 4
_SPELLINGS: Final = (
    ("favorite", "favourite"),
    ("color", "colour"),
    ("e-mail", "email"),
    ("喜歡", "喜欢"),
    ("愛", "爱"),
)
_CUES: Final = {
    _RESIDENCE: "lives living resides moved relocated based 住在 居住 定居 搬到 搬去",
    _EMPLOYER: "works employed 工作 上班",
    _OCCUPATION: "works employed 工作",
    _AGE: "age years old",
    _DIET: _DIETS,
    _STANDING: _STANDINGS,
}


def attributes_of(said: Said) -> tuple[Attribute, ...]:
    """The attributes that an observation states, of title and facts, once each."""
    return tuple(dict.fromkeys(one for statement in (said.title, *said.facts) for one in stated_in(statement)))


def stated_in(statement: str) -> Sequence[Attribute]:
    """The attribute that one statement is about; none, mostly."""
    return list(_stated(folded(statement).replace("\u2019", "'").rstrip(_END_MARKS)))


def cue_words(attributes: Sequence[Attribute]) -> list[str]:
    """Stems by which statements about the same attributes are found, however they are put."""
    names = [f"{_CUES.get(attribute.name, attribute.name)} {attribute.subject}" for attribute in attributes]
    return label_words(" ".join(names))


def _stated(statement: str) -> Iterator[Attribute]:
    for pattern, name in (
        (_LIVES, _RESIDENCE),
        (_CHINESE_LIVES, _RESIDENCE),
        (_CHINESE_WORKS, _EMPLOYER),
        (_WORKS, None),
        (_OLD, _AGE),
        (_KEEPS, None),
        (_STATED, None),
        (_CHINESE_STATED, None),
    ):
        found = pattern.fullmatch(statement)
        if found is None or _PAST.search(found["subject"] or ""):
            continue
        subject = _subject(found["subject"] or "")
        if len(subject.split()) <= _SUBJECT_WORDS_MAX:
            yield Attribute(subject, name or _name(found), _value(found))
        return


def _name(found: re.Match[str]) -> str:
    named = found.groupdict()
    if "diet" in named:
        return _DIET if named["diet"] else _STANDING
    if "how" in named:
        return _OCCUPATION if named["how"] == "as" else _EMPLOYER
    name = named["name"]
    for spelling, ours in _SPELLINGS:
        name = name.replace(ours, spelling).replace(spelling, ours)
    return " ".join(name.split())


def _value(found: re.Match[str]) -> str:
    named = found.groupdict()
    value = next(value for name in ("value", "years", "diet", "standing") if (value := named.get(name)))
    return str(value).strip()


def _subject(before: str) -> str:
    """Whose it is: `Ada's`, `Ada:`; empty for the user."""
    words = _FILLERS.sub(" ", before.replace("'s ", " ").rstrip(": ")).split()
    return " ".join(word.strip(":,'") for word in words if word not in _SELF)


def _value_words(value: str) -> list[str]:
    return spoken_words(value) or folded(value).split()
