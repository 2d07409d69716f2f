"""What Chinese asks to be forgotten: a statement, an attribute, or everything at once; said to the assistant and nobody else."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.chinese.words import one
from beaver.memory.capture.language import ToForget

_OPENING: Final = r"^(?:(?:你好|您好|好的|好吧|嗯|对了|另外|那|还有|谢谢)[，,。！!\s]*)*"
_POLITE: Final = (
    r"(?P<asked>(?:你|您)?(?:能不能|可不可以|可以|能)(?!我))?(?:请|麻烦|拜托|帮我|帮忙|我(?:想|要|希望)(?:请)?(?=你|您|让你|让您))*"
    r"(?:让)?(?:你|您)?(?:可以|把?这件?事)?"
)
_ASK: Final = _OPENING + _POLITE
_NO_MORE: Final = r"(?:别|不要|不用)再(?:记得|记着|记住|记|提)"
_OUT: Final = r"(?:忘记|忘掉|忘了|忘|(?:从|在)?(?:你的)?记忆[里中](?:删除|删掉|删了|清除|抹掉|移除))"
_WHAT: Final = r"(?P<what>(?:我|我们)(?!的[^，,。是在有]{1,8}$)(?!刚|说|问|提|讲)[^，,。]{2,40}?)"
_WHERE: Final = r"(?:哪里|哪儿|哪)"
_ATTRIBUTE: Final = (
    rf"(?P<what>我的[^，,。是在有]{{1,8}}|我(?:现在)?住(?:在)?{_WHERE}|我在{_WHERE}(?:工作|上班)|我多大|我几岁)"
)
_END: Final = r"(?:这件?事|这一点|的事情?)?(?:吧|了吧)?"
FORGET: Final = ToForget(
    statement=(
        one(rf"{_ASK}(?:忘记|忘掉|{_NO_MORE}){_WHAT}{_END}$"),
        one(rf"{_OPENING}(?:请|麻烦|拜托)(?:你|您)?忘了{_WHAT}{_END}$"),
        one(rf"{_ASK}把{_WHAT}{_END}(?:给)?{_OUT}(?:吧|掉|了)*$"),
    ),
    attribute=(
        one(rf"{_ASK}(?:忘记|忘掉|{_NO_MORE}){_ATTRIBUTE}{_END}$"),
        one(rf"{_OPENING}(?:请|麻烦|拜托)(?:你|您)?忘了{_ATTRIBUTE}{_END}$"),
        one(rf"{_ASK}把{_ATTRIBUTE}{_END}(?:给)?{_OUT}(?:吧|掉|了)*$"),
    ),
    last=one(rf"{_ASK}(?:忘记|忘掉)我(?:刚刚|刚才|刚)(?:说|讲|发)的?(?:话|那句话|内容|消息)?$"),
    everything=(one(rf"{_ASK}(?:忘记|忘掉|删除|删掉|清空)(?:关于|所有|一切|全部|有关)"),),
    ending=one(r"(?:[，,]?\s*(?:谢谢你?|好吗|可以吗|行吗|拜托了?))+[。！!]*$"),
    unsure=one(r"如果|要是|除非|等到|直到|暂时|今天|今晚|什么|怎么|多少|是谁|是否|为什么|吗|呢"),
    parted=one(r"[，,]?(?:还有|以及|和)(?=我)"),
    reason=one(r"[，,；;：:—（(].*$"),
)
