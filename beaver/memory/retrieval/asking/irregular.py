"""Irregular forms of English words, pure: who asks what somebody bought asks for what they buy too. No stemmer knows them.

Left out: forms of words that say nothing (stopwords.py), and those that are words of another meaning first (rose, lay, ground).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_VERBS: Final = """
arise arose arisen, awake awoke awoken, become became, begin began begun, bend bent, bite bitten, bleed bled, blow blew blown,
break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen,
cling clung, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk,
drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled,
fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen,
gave given, go goes went gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt,
knew known, lead led, lean leant, leap leapt, learn learnt, leave left, lend lent, light lit, lose lost, make made,
mean meant, meet met, mistake mistook mistaken, overcome overcame, pay paid, prove proven, ride rode ridden,
ring rang rung, rise risen, run ran, see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken,
shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept,
slide slid, smell smelt, speak spoke spoken, speed sped, spend spent, spill spilt, spin spun, spit spat, spoil spoilt,
stand stood, steal stole stolen, stick stuck, sting stung, strike struck, strive strove striven, swear swore sworn,
sweep swept, swell swollen, swim swam swum, swing swung, take took taken, teach taught, tear tore torn, think thought,
throw threw thrown, understand understood, undertake undertook undertaken, wake woke woken, wear wore worn,
weave wove woven, weep wept, win won, withdraw withdrew withdrawn, write wrote written
"""
_NOUNS: Final = """
calf calves, child children, foot feet, goose geese, half halves, knife knives, loaf loaves, man men, mouse mice,
person people, shelf shelves, thief thieves, tooth teeth, wife wives, wolf wolves, woman women
"""


def _alike() -> dict[str, tuple[str, ...]]:
    words = [tuple(forms.split()) for forms in f"{_VERBS},{_NOUNS}".split(",")]
    return {form: forms for forms in words for form in forms}


FORMS: Final = _alike()
"""Each word with all forms of its own, itself among them."""


def with_forms(spellings: Iterable[str]) -> tuple[str, ...]:
    """A word's spellings, and the other forms of each."""
    given = tuple(spellings)
    return tuple(dict.fromkeys((*given, *(form for one in given for form in FORMS.get(one, ())))))
