"""What a person likes and does by habit, in Chinese."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.chinese.words import BEFORE, ELSEWHERE, END, OFTEN, SELF, VALUE, one
from beaver.memory.capture.patterns import any_of, rule

_LIKE: Final = any_of(
    r"""
    (?:不(?:太|大|怎么|是很|是特别|那么)?|没那么)?(?:喜欢|喜爱|热爱|偏爱|偏好|偏向|倾向于?|享受|钟爱|爱(?=[吃喝看听玩用穿逛去睡坐打跑做熬养收写读唱拍])|习惯(?!了吗|了[。，！]|了$))
    讨厌 厌恶 反感 嫌弃 受不了 忍不了 (?:吃|喝|看|用|听|穿|坐|住)不惯 宁愿 宁可 更愿意 更想
    怕(?=[冷热吵辣麻苦黑高狗猫虫水生蛇酸甜晒痒]) 烦(?=[那这种别人有人被开]) 迷上 沉迷于? 着迷于? 离不开 喜好 痴迷于?
    """
)
_HABIT: Final = any_of(
    r"""
    一般 通常 平时 平常 基本上? 总是 从来 从不 每天 每晚 每周 每月 周末 不怎么 几乎 向来 坚持 定期 经常 常年 往往
    大多 多半
    """
)
_EVERYDAY: Final = r"[吃喝抽用看听碰玩穿坐买开熬接回骑走住睡打跑戴写读追刷逛涂]"
PREFERENCES: Final = (
    rule("preference", one(rf"我最(?:喜欢|爱)的(?P<of>[^，,。是]{{1,8}})是{VALUE}"), "最喜欢的"),
    rule("preference", one(rf"{BEFORE}{SELF}{OFTEN}(?:挺|很|最|超|特别)?{_LIKE}{ELSEWHERE}(?!的\S{{1,6}}来了)\S+")),
    rule(
        "preference",
        one(
            rf"{SELF}(?!(?:朋友|同事|同学|邻居|觉得|听|知道|以为|不知|怕|"
            rf"的))[^，,。你您他她说问想]{{1,6}}{_LIKE}{ELSEWHERE}\S+"
        ),
    ),
    rule(
        "preference",
        one(
            rf"(?:平时|一般|从小|周末|其实|最|特别|超级?|比较|更|就|不太|也|还是|尤其|真心|"
            rf"个人)+{_LIKE}{ELSEWHERE}\S+"
        ),
        opens=True,
    ),
    rule(
        "preference",
        one(
            rf"{BEFORE}{SELF}[^，,。你他她我]{{0,4}}?{_HABIT}(?:都|会|只|也|不|是|要|得|就|在|上|于)*(?!没|在想|"
            rf"这样|那样|了)[^，,。了吗]{{2,}}{END}"
        ),
    ),
    rule(
        "preference",
        one(
            rf"{BEFORE}{SELF}{OFTEN}(?:从来|从|都|一直|绝对|一概|一律|基本)*(?:只|不|都不|从不|不怎么)(?:太|能|再|"
            rf"敢)?{_EVERYDAY}{ELSEWHERE}(?!饭|完|到|出|懂|惯|下|得|见|起|了|来|过|掉|我)\S*"
        ),
    ),
    rule(
        "preference",
        one(
            rf"[^，,。；我你他她]{{2,12}}[，,]?我(?:基本上?|一般|平时|通常)?都(?:是|会|只)?{_EVERYDAY}(?!了|完|"
            rf"过)\S*"
        ),
    ),
    rule("preference", one(rf"{BEFORE}{SELF}(?:不太|不怎么|不大|不)能(?:吃|喝|碰|闻){ELSEWHERE}(?!下|完|到)\S+")),
    rule(
        "preference",
        one(
            rf"{BEFORE}{SELF}{OFTEN}(?:对)[^，,。]{{1,12}}(?:没(?:有|什么|啥)?兴趣|不感兴趣|感兴趣|无感|着迷|上瘾|"
            rf"情有独钟|没感觉)(?!了吗)"
        ),
    ),
    rule(
        "preference",
        one(
            rf"{SELF}{OFTEN}(?:是|算是|属于)(?:个|一?[个名]|那种)?[^，,。你他她这那]{{0,8}}(?:控|迷|粉丝?|党|奴|派|"
            rf"爱好者|夜猫子|吃货|铁粉|发烧友|早起的?人)(?=[哈，,。！~]|$)"
        ),
    ),
    rule(
        "preference",
        one(
            r"[^，,。我你他她]{1,10}我(?:是)?(?:绝对|从来|一概|一律|都|基本)*不(?:看|吃|喝|用|听|碰|玩|"
            r"穿)的?(?=[，,。；;！!]|$)"
        ),
    ),
    rule(
        "preference",
        one(rf"{BEFORE}{SELF}[^，,。你他她]{{0,4}}{_EVERYDAY}不(?:了|来|惯|得)(?=[，,。！]|$|[^，,。吗呢])"),
    ),
    rule(
        "preference",
        one(
            rf"{BEFORE}{SELF}(?:能|可以)(?:连着?|天天|每天|一直|顿顿)[^，,。吗]{{1,}}|对我(?:来说|"
            rf"而言)[^，,。吗你]{{3,}}"
        ),
    ),
    rule(
        "preference",
        one(
            r"[^，,。你他她这那]{1,6}(?:一概|从来|绝对|坚决|完全|根本)不(?:吃|喝|碰|看|用|买|穿|听|玩|去|"
            r"沾)(?=[，,。！的]|$)"
        ),
    ),
    rule(
        "preference",
        one(
            rf"{SELF}(?:一到|每到|睡前|饭后|起床后?|下班后?|到家后?)[^，,。你他她吗]{{0,8}}(?:就|都|一定|"
            rf"必须)要?\S{{2,}}"
        ),
    ),
    rule(
        "preference",
        one(
            rf"{SELF}[^，,。你他她]{{0,4}}(?:口味|胃口|嘴|饭量|酒量|脾气|性子|审美|风格)(?:比较|偏|很|特别|"
            rf"有点)?(?:偏|淡|重|挑|刁|小|大|急|慢|清淡|简约)\S*|{SELF}(?:算是|是)(?:个|一个)?(?:晨型人|早起型|"
            rf"夜型人|急性子|慢性子|完美主义者?|社恐|宅[男女]?|吃货|I人|E人|i人|e人)\S*"
        ),
    ),
    rule(
        "preference",
        one(
            rf"{BEFORE}{SELF}[^，,。你他她]{{0,6}}(?:只想|最看重|最在意|最在乎|就图|图个|必须加|喜(?!欢)|嗜|偏|恋|"
            rf"宅|从不|永远不|再也不|不太会|不擅长|擅长|不善于|看重|讲究|在意|介意)(?!了|你|这|那)\S{{1,}}|"
            rf"{SELF}(?:这辈子|打死|死)(?:都|也)不\S{{2,}}|{BEFORE}{SELF}[^，,。你他她]{{0,4}}都是[^，,。了吗]{{1,}}"
        ),
    ),
    rule(
        "preference",
        one(r"[^，,。我你他她这那]{2,12}(?:对我来说|更?适合我|最合我|不适合我|不是我的菜|最对我)\S*"),
        opens=True,
    ),
)
