"""Parts that Chinese patterns share; they are written in simplified characters, as which traditional ones are read."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.expressions import Expression
from beaver.memory.capture.patterns import any_of

one: Final = Expression

END: Final = r"(?=[，,。；;！!]|$)"
VALUE: Final = r"(?P<value>[^，,。；;！!？?、（(\s][^，,。；;！!？?（(]*?)(?=[，,。；;！!？?（(]|$|了$)"
SELF: Final = r"(?:我们?|本人|咱们?|俺)"
OFTEN: Final = (
    r"(?:现在|目前|一直|平时|其实|个人|自己|这人|这个人|比较|更|很|最|特别|非常|超级?|真的|真心|挺|蛮|"
    r"还是|还|也|都|就|只|一般|通常|基本上?|"
    r"从来|从小|向来|已经|刚刚?|今年|确实|尤其|有点|绝对|本来|主要|实在|完全|是真|倒是){0,4}"
)
BEFORE: Final = r"(?:[^，,。；;我你您他她它吗呢]{1,12})?"
"""A topic or a time before the speaker."""
ELSEWHERE: Final = r"(?!于?(?:你|您)|它|这(?!种|类)|那(?!种|类)|他|她|了|吗|上了|死|透|就好)"
TIME: Final = any_of(
    r"""
    今天 今晚 明天 明早 明晚 后天 大后天 周[一二三四五六日末天] 星期[一二三四五六日天] 礼拜[一二三四五六日天]
    下个?周[一二三四五六日]? 这?周内 这周 本周 下下周 下个?月 这个月 本月 月底 月初 年底 年前 \d{1,2}月
    [一二三四五六七八九十]{1,2}月 \d{1,2}[号日点] [一二三四五六七八九十]{1,3}[号点] 待会儿? 等会儿? 一会儿? 回头
    下班后? 睡前 中午 晚上 早上 下午 过两天 过几天 国庆 春节 节前
    """
)
KIN: Final = any_of(
    r"""
    前夫 前妻 妻子 老婆 太太 媳妇 爱人 丈夫 老公 先生 女朋友 男朋友 女友 男友 对象 未婚妻 未婚夫 儿子 女儿 闺女 孩子
    小孩 宝宝 娃 双胞胎 妈妈? 爸爸? 爸妈 父母 母亲 父亲 公公 婆婆 岳父 岳母 丈母娘 爷爷 奶奶 外公 外婆 姥姥 姥爷
    哥哥? 弟弟 姐姐? 妹妹 表[哥弟姐妹] 堂[哥弟姐妹] 侄[子女] 外甥女? 叔叔 舅舅 姑姑 阿姨 姨妈 狗狗? 猫咪? 柯基 金毛
    兔子 仓鼠 鹦鹉 老板 领导 上司 经理 主管 医生 牙医 室友 房东 导师 助理 搭档 合伙人
    """
)
