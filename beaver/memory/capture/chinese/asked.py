"""What a person asks for in Chinese outright: to remember something, or to be reminded."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.chinese.words import TIME, one
from beaver.memory.capture.patterns import rule

_NOTED: Final = (
    r"(?:你)?(?:要|得|一定要?)?(?:帮我|替我|给我)?(?:记住|记一下|记下来?|记着|记好|记个?笔记|牢记|"
    r"备注一下|备注|备忘|存一下|存下来|保存一下|别忘了|不要忘了?|不要忘记|"
    r"你?(?:要|得|需要|应该)知道|跟你说一[声下]|告诉你一[声下]|和你说一[声下])"
)
REMEMBER: Final = (
    rule(
        "remember",
        one(r"(?:千万|一定)?(?:别|不要|可别)(?:让|叫)我(?:又)?(?:忘了?|忘记)(?P<content>[^，,。！!]{2,}.*)"),
        observed="task",
    ),
    rule(
        "remember",
        one(
            r"(?:把)?(?P<content>[^，,。！!]{2,30})(?:加到|加进|放进|写进|列入|记到)(?:我的)?(?:待办|清单|日程|"
            r"购物单|任务)"
        ),
        observed="task",
    ),
    rule(
        "remember",
        one(
            r"(?:我的)?(?:待办|清单|购物单|购物清单|日程|任务)(?:事项|列表)?(?:里|上|中)?(?:再)?(?:加|添|"
            r"记)(?:上|一条|一项|个|一下)*[：:，,]?(?P<content>\S{2,}.*)"
        ),
        observed="task",
    ),
    rule("remember", one(r"(?:待办|要做的事|任务)(?:事项|清单)?\s*[：:]\s*(?P<content>\S.+)"), observed="task"),
    rule(
        "remember",
        one(
            r"(?P<content>[^，,。！!？?]{2,30}[，,]?)(?:记得|到时候?|请|麻烦)?(?:提醒|叫)(?:我|一下我)(?:一下|"
            r"一声)?[。！!]?$"
        ),
        observed="task",
    ),
    rule(
        "remember",
        one(
            rf"(?P<content>(?:[^，,。！!我你]{{0,6}}{TIME}[^，,。！!我你]{{0,8}})(?:记得|请|要|到时候?)?(?:提醒|"
            rf"叫|催)(?:我|一下我)(?!了|的|们|什么|想起|很|不)\S{{1,}}.*)"
        ),
        observed="task",
    ),
    rule(
        "remember",
        one(
            r"(?:到时候?|一定|记得)?(?:要)?(?:提醒|催|叫)(?:一下)?我(?!了|的|们|什么|想起|阿|小|老|哥|姐|去死|"
            r"很|不)(?P<content>\S{2,}.*)"
        ),
        observed="task",
    ),
    rule(
        "remember",
        one(rf"(?:千万)?(?:别|不要)忘了?(?:记)?(?P<content>(?:{TIME}|去|给|买|带|交|把|关|拿|还|打)\S{{1,}}.*)"),
        observed="task",
    ),
    rule(
        "remember",
        one(
            rf"{_NOTED}(?:了|哈|啊|哦|呀|吧)*[，，,：:\s]*(?!(?:吗|你|我们说|这|那|什么|怎么|"
            rf"了))(?P<content>\S.{{2,}})"
        ),
    ),
    rule(
        "remember",
        one(
            r"(?=.*记)(?P<content>\S{4,}.*)[，,](?:请|麻烦|帮我|你|要)*(?:记住|记一下|记下来?|记着|记住了)(?:哦|"
            r"啊|哈|了|这一?点|这个|它)*[。！!]*$"
        ),
        opens=True,
    ),
    rule(
        "remember",
        one(r"(?:一定要?|千万)?(?:记得|别忘了?)(?!我|你|吗|上次|那|当时|以前|小时候|很|有)(?P<content>\S.{2,})"),
        observed="task",
    ),
)
