"""How Chinese sentences are put together: the words before the matter, and where clauses begin."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.chinese.words import one
from beaver.memory.capture.language import Shape

SHAPE: Final = Shape(
    lead=one(
        r"^(?:(?:你好|您好|嗨|哈喽|hi|hello|对了|另外|还有|好的|好吧|嗯+|哦|啊|其实|顺便说一?下|顺便提一?下|"
        r"顺便|补充一下|补充一点|谢谢|说实话|老实说|话说|ok|OK|好的?明白了|那个|哎|唉|哈哈+|总之|反正|"
        r"事情是这样的?)[，,。！!～~\s]*|"
        r"(?:请|麻烦|拜托|劳烦)(?:你|您)?(?!假|客|教|问))+"
    ),
    request=one(r"(?!)"),  # no Chinese lead is a question
    clause=one(r"[，,：:、—；;（(\s]+(?:但是?|而且|因为|所以|并且|也|还有|不过|然后|另外|其实|顺便|对了|同时)*"),
    setting=one(r"^(?:在|如果|若|当|每当|每次|平时|周末|早上|晚上|经过)"),
    conditional=one(
        r"^(?:如果|若|当(?!然|时|过|了)|每当|每次|只要|凡是|但凡|遇到|[^，,。]{1,12}(?<!小)时候|"
        r"[^，,。]{1,12}的话)"
    ),
)
