"""Words that say nothing about what is asked, so that a query never hangs on them. Only queries drop them, never the index."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = """
a about above after again against ago all also am an and any are aren as at be because been before being below between
both but by can cannot could couldn did didn do does doesn doing don down during each else ever few for from further
get gets getting give got had hadn has hasn have haven having he her here hers herself hey hi him himself his how i if
in into is isn it its itself just know let ll like m may me might mine more most much must my myself no nor not now of
off ok okay on once one only or other our ours ourselves out over own please re really s same say shall she should
shouldn so some such t tell than thank thanks that the their theirs them themselves then there these they thing things
this those through to too under until up upon us ve very was wasn we were weren what whatever when where which while who
whom whose why will with without would wouldn yes yet you your yours yourself yourselves
"""

# Left out on purpose: German words that are English ones with a meaning of their own (die, war, man, hat, bin, will).
_GERMAN: Final = """
aber alle als auch auf aus bei bist das dass dem den denn der des dich dir doch du durch ein eine einem einen einer eines
er es euch euer fur fuer gegen haben habe habt hatte ich ihm ihn ihnen ihr ihre im ist ja jede jeder kann kein keine mein
meine meinem meinen meiner mich mir mit nach nein nicht nichts noch nur oder ohne sehr sein seine sich sie sind uber
ueber um und uns unser unter vom von vor wann warum was welche welcher welches wenn wer werden wie wieder wir wird wo
wurde zu zum zur
"""

# Pairs of characters, as words.py makes them: question words, pronouns, copulas, particles.
_CHINESE: Final = """
什么 怎么 么样 为什 哪里 哪个 哪些 多少 请问 一下 可以 如何 我们 你们 他们 我的 你的 他的 她的 这个 那个 这是 那是 是什 叫什
的是 是不 不是 有没 没有 告诉 诉我 知道 记得 的吗 了吗
什麼 怎麼 麼樣 為什 哪裡 哪個 請問 我們 你們 他們 這個 那個 這是 是什 沒有 告訴 訴我 記得 的嗎 了嗎
"""
_JAPANESE: Final = """
です ます ました まし した して てい いる する こと もの から まで ので った ない とは のか すか でし たか は何 何で 何を 何の
教え えて てく くだ ださ さい どこ いつ なに 私の 誰が 誰で
"""
_KOREAN: Final = """
니다 습니 입니 어요 아요 예요 에요 나요 까요 인가 가요 세요 해요 무엇 엇인 뭐야 뭐예 누구 어디 언제 나의 내가 저의 제가 있는 하는
"""

STOP_WORDS: Final = frozenset(" ".join((_ENGLISH, _GERMAN, _CHINESE, _JAPANESE, _KOREAN)).split())
