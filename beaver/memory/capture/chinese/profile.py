"""Who a person is, where they live and what they work at, in Chinese."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.chinese.words import END, OFTEN, SELF, VALUE, one
from beaver.memory.capture.patterns import any_of, rule

_WORK: Final = any_of(
    r"""
    工程师 程序员 开发 开发者 设计师 老师 教师 医生 护士 律师 学生 研究生 博士生? 研究员 作家 记者 编辑 会计 厨师
    教授 经理 翻译 司机 摄影师 音乐家 销售 运营 产品 测试 前端 后端 警察 公务员 消防员 军人 农民 老板 店主 快递员
    导游 模特 演员 画家 博主 主播 自由职业者? 全职妈妈 家庭主妇 退休\S{0,4} 顾问 分析师 建筑师 药剂师 兽医
    心理咨询师 健身教练 教练 员工 咖啡师 面点师 裁缝 木匠 电工
    """
)
PROFILE: Final = (
    rule(
        "profile",
        one(
            rf"(?:我的(?:名字|全名|大名)(?:是|叫)|(?:我|本人)(?:名)?叫(?!(?:了|他|她|你|车|外卖|个|什么|不|"
            rf"我)))(?:做)?{VALUE}"
        ),
        "name",
    ),
    rule(
        "profile",
        one(
            rf"{SELF}{OFTEN}(?:家)?(?:就)?(?:住在?|居住在|搬到了?|搬来了?|搬去了?|定居在?|租住在|租在|家在|"
            rf"落户)(?!(?:哪|这里|那里|了[。，]|进)){VALUE}"
        ),
        "lives in",
    ),
    rule("profile", one(rf"(?:家|老家)(?:就)?(?:住|在|是)(?!(?:哪|这|那|我|你)){VALUE}"), "lives in"),
    rule(
        "profile", one(rf"{SELF}{OFTEN}(?:下个?月|明年|年底|下周|马上|准备|快)*(?:要)?搬(?:家)?(?:到|去|来|回)\S{{2,}}")
    ),
    rule(
        "profile",
        one(
            rf"{SELF}(?:老家|籍贯|祖籍)?(?:是)?(?:来自|在|是)(?P<value>[^，,。不这那说你他她]{{2,8}}(?:人|"
            rf"的))(?=[，,。！]|$)(?<!的人)(?<!认真的)(?<!有的)(?<!好的)(?<!对的)"
        ),
        "comes from",
    ),
    rule("profile", one(rf"{SELF}{OFTEN}(?:是)?来自(?!哪){VALUE}"), "comes from"),
    rule(
        "profile",
        one(
            rf"{SELF}{OFTEN}在(?P<value>[^，,。；;不想等家]{{1,20}}?)(?:工作|上班|任职|实习|创业|打工|开店|服役|"
            rf"[当做][^，,。饭梦]{{1,8}})(?=[，,。；;！!了]|$)"
        ),
        "works at",
    ),
    rule(
        "profile",
        one(
            rf"{SELF}{OFTEN}(?:在)(?P<value>[^，,。；;不]{{1,16}}?)(?:上学|读书|读研|读博|留学|念书|上大学|"
            rf"读大[一二三四]|读[高初][一二三]|进修)(?=[，,。；;！!]|$)"
        ),
        "studies at",
    ),
    rule(
        "profile",
        one(
            rf"{SELF}{OFTEN}(?:是|当|"
            rf"做)(?:了)?(?:一?[名个位])?(?P<value>[^，,。；;不你他她这那]{{0,12}}?{_WORK})(?=[，,。；;！!]|$)"
        ),
        "works as",
    ),
    rule(
        "profile",
        one(
            rf"(?:{SELF}|目前){OFTEN}(?:是|在)?(?:做|搞|干|从事|主修|负责|教|读|念|学|攻读|管)(?!完|好|不|了|得|到|"
            rf"个|一下|你|这|那|错|什|饭|出|会|过|成|死|懂|着|法|我|掉|嘛|吗|梦|"
            rf"一[本篇个段])[^，,。了吗]{{1,16}}(?:的|{END})(?<!下)"
        ),
    ),
    rule("profile", one(rf"(?:{SELF}|本人)?(?:是)?学(?!到|会|不|了|着|完|好|习一下)[^，,。了吗]{{1,8}}的{END}")),
    rule(
        "profile",
        one(
            rf"(?:{SELF})(?:在)?(?:上|读|念)?(?:今年)?(?:上|读|念)?(?:大[一二三四]|高[一二三]|初[一二三]|研[一二三]|"
            rf"博[一二三])(?!早|概)"
        ),
    ),
    rule(
        "profile",
        one(r"(?:我|本人)?今年(?:刚|快|满|刚满)?(?P<value>[\d一二三四五六七八九十]{2,4}岁?)(?=[，,。了！]|$)"),
        "age",
    ),
    rule(
        "profile",
        one(
            rf"(?:我)?(?:是)?(?:属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|[\d零一二三四五六七八九]{{2,4}}年(?:出生|"
            rf"生)?的?(?:人)?{END}|[\d零五六七八九]{{2}}后{END})"
        ),
    ),
    rule(
        "profile",
        one(
            rf"{SELF}{OFTEN}(?:开|拉|弹|练|学|玩|骑|跑|教|写|"
            rf"打)了?[^，,。这那个]{{1,8}}[\d一二三四五六七八九十两多几]+多?(?:年|个月)了?"
        ),
    ),
    rule("profile", one(rf"{SELF}(?:和|跟|与)[^，,。你]{{1,6}}(?:结婚|在一起|同居|住在?一起|合租|合伙)\S*")),
    rule("profile", one(rf"{SELF}{OFTEN}开(?:了|着|的)?(?:是)?(?:一?[家间辆个台])[^，,。会玩]{{1,10}}")),
)
