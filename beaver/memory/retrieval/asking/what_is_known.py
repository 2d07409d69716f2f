"""Questions that ask for all that is known of the user, pure: nothing in them could be looked for."""

from __future__ import annotations

import re
from typing import Final

CHARACTERS_MAX: Final = 120
"""A longer text asks for more than that."""

_BEFORE: Final = r"(?:(?:and|so|hey|hi|hello|ok|okay|well|please|beaver|und|et|y)[ ,]+){0,3}"
_AFTER: Final = r"(?:[ ,]+(?:please|so far|already|bitte))?"
_ENGLISH: Final = (
    r"who am i(?: to you)?|"
    r"(?:(?:can|could|would) you )?(?:tell me |show me |list |say )?(?:what|everything|all)(?: (?:that|do|all|else))* you "
    r"(?:(?:already|still|actually) )?(?:know|remember|recall|have (?:stored|saved|learned))(?: (?:about|of) (?:me|us|myself))?|"
    r"(?:do|can) you (?:still )?(?:know|remember) (?:me|us|who i am|anything about (?:me|us))|"
    r"what (?:do|did|have|can) (?:i|we|you) (?:ever |already )?(?:tell|told|say|said)(?: to)?(?: you| me)? about "
    r"(?:me|us|myself)|"
    r"what (?:have|did) (?:i|we) (?:ever |already )?(?:told|tell) you|"
    r"(?:tell me|what is stored|what do you have)(?: something| more| all)? about (?:me|us|myself)"
)
_GERMAN: Final = (
    r"wer bin ich|"
    r"(?:sag mir |erzähl mir )?(?:was|alles,? was) (?:du )?(?:weisst|weiss|hast) (?:du )?(?:alles |noch )?"
    r"(?:über|von) (?:mich|mir|uns)(?: (?:gespeichert|gemerkt|weisst))?"
)
_FRENCH: Final = r"qui suis[ -]je|(?:que|qu'est[ -]ce que) (?:tu )?(?:sais|connais)[ -]?(?:tu )?(?:sur|de) (?:moi|nous)"
_SPANISH: Final = r"quién soy|quien soy|(?:qué|que) (?:sabes|recuerdas) (?:sobre|de|acerca de) (?:mí|mi|nosotros)"
_CHINESE: Final = (
    "我是谁|我是誰|"
    "你?还?(?:知道|记得|記得|了解)(?:关于|關於)?我们?的?(?:什么|什麼|哪些事?|多少)?[吗嗎]?|"
    "你?[对對]我(?:知道|了解)(?:些?什么|多少)|"
    "(?:关于|關於)我你?都?(?:知道|记得)(?:些?什么|多少)"
)
_JAPANESE: Final = (
    "(?:私|僕|俺)は(?:誰|だれ)(?:ですか)?|"
    "(?:私|僕|俺)(?:について|のこと)は?(?:何|なに)を?(?:知って|覚えて)い?(?:ますか|る)"
)
_KOREAN: Final = (
    "(?:나는|저는|내가|제가) 누구(?:야|예요|인가요|입니까)?|"
    "[나저]에 대해 (?:뭘|무엇을|뭐) (?:알아|알고 있어|아세요|기억해)요?"
)
_LANGUAGES: Final = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _CHINESE, _JAPANESE, _KOREAN)
_WHOLE: Final = re.compile(f"{_BEFORE}(?:{'|'.join(_LANGUAGES)}){_AFTER}")


def asks_what_is_known(text: str) -> bool:
    """Whether it asks for nothing but what is known of the user."""
    plain = " ".join(text.casefold().replace("\u2019", "'").split()).strip("?!.,。？！¿¡ ")
    return len(plain) <= CHARACTERS_MAX and _WHOLE.fullmatch(plain) is not None
