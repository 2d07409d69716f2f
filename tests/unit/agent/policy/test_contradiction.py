"""A plain correction takes the place of what it corrects; what only sounds like one stands beside it. English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.frames import gives_another_value
from beaver.agent.policy.likeness import relate
from beaver.agent.policy.stores import Hit, ItemType, MemoryItem
from beaver.cli.local_memory.attributes import ATTRIBUTES

NEARLY_THE_SAME = 0.95


def relation(old: str, new: str, kind: ItemType, semantic: float | None = None) -> str | None:
    scope = Candidate(kind, old, 0.9, "rules").scope
    item = MemoryItem("m_1", kind, old, scope, (), False, 0.9, 0, None, "rules", 0)
    found = relate(Candidate(kind, new, 0.9, "rules"), [Hit(item, semantic, 0.5)], ATTRIBUTES)
    return None if found is None else found.relation


CORRECTIONS: list[tuple[ItemType, str, str]] = [
    ("fact", "I live in Lyon", "I moved to Turin"),
    ("fact", "My name is Ada", "My name is Grace"),
    ("fact", "I work at Acme Corporation", "I work at Initech now"),
    ("fact", "My timezone is Europe/Paris", "My timezone is Europe/Rome"),
    ("fact", "My birthday is on the 3rd of May", "My birthday is on the 4th of May"),
    ("fact", "My dog is called Rex", "My dog is called Max"),
    ("fact", "Our database is PostgreSQL 14", "Our database is PostgreSQL 16"),
    ("fact", "The staging server runs on port 8443", "The staging server runs on port 9443"),
    ("fact", "our deploy day is Friday", "our deploy day is Monday"),
    ("fact", "the meeting is at 9 am on Mondays", "the meeting is now at 10 am on Mondays"),
    ("todo", "the meeting is at 9 am on Mondays", "the meeting is at 10 am on Mondays"),
    ("decision", "We use tabs for indentation", "We use spaces for indentation"),
    ("decision", "We use tabs in this project", "Actually, we use spaces in this project"),
    ("decision", "We use npm as our package manager", "We use pnpm as our package manager"),
    ("rule", "Always indent with 4 spaces", "Please indent with 2 spaces from now on"),
    ("rule", "Always answer in English", "Please always answer in French"),
    ("preference", "I prefer dark mode in the editor", "I prefer light mode in the editor"),
    ("preference", "I prefer tea over coffee in the morning", "I prefer coffee over tea in the morning"),
    ("preference", "I like short answers with examples", "I like detailed answers with examples"),
    ("preference", "Call me Ada", "Call me Grace"),
    ("fact", "我住在里昂", "我搬到了都灵"),
    ("fact", "我在腾讯工作", "我在阿里巴巴工作"),
    ("fact", "我最喜欢的颜色是绿色", "我最喜欢的颜色是蓝色"),
    ("fact", "我的生日是五月三日", "我的生日是五月四日"),
    ("fact", "我叫小明", "我叫小红"),
    ("fact", "我的狗叫旺财", "我的狗叫来福"),
    ("fact", "测试服务器的端口是8443", "测试服务器的端口现在是9443"),
    ("fact", "我们的部署日是周五", "我们的部署日是周一"),
    ("decision", "我们决定用PostgreSQL做归档库", "我们决定用SQLite做归档库"),
    ("decision", "我们的数据库是PostgreSQL", "我们的数据库是MySQL"),
    ("rule", "以后请用制表符缩进", "以后请用空格缩进"),
    ("rule", "请用英文回答我的问题", "请用中文回答我的问题"),
    ("rule", "缩进总是用4个空格", "缩进改用2个空格"),
    ("preference", "我喜欢深色模式的编辑器", "我喜欢浅色模式的编辑器"),
    ("preference", "代码里我喜欢用单引号", "代码里我喜欢用双引号"),
]

BESIDE: list[tuple[ItemType, str, str]] = [
    ("fact", "I live in Lyon", "My sister lives in Turin"),
    ("fact", "My name is Ada", "My dog's name is Rex"),
    ("fact", "My favourite colour is deep green", "My favourite food is ramen noodles"),
    ("fact", "The staging server runs on port 8443", "The production server runs on port 9443"),
    ("fact", "our deploy day is Friday", "our review day is Monday"),
    ("fact", "My dog is called Rex", "My cat is called Max"),
    ("fact", "Our database is slow on Mondays", "Our database is PostgreSQL"),
    ("fact", "Room 4 has a projector", "Room 5 has a projector"),
    ("fact", "I speak English at work", "I speak French at work"),
    ("fact", "I use a bicycle for errands", "I use a bus for errands"),
    ("decision", "We use tabs for indentation", "We use spaces for alignment"),
    ("decision", "We use PostgreSQL for the archive", "We use Redis for the queue"),
    ("rule", "Always run the linter before you commit", "Always run the tests before you commit"),
    ("rule", "Always answer in English", "Please always write commit messages in French"),
    ("rule", "Never deploy on Friday afternoons", "Never deploy on Monday mornings"),
    ("rule", "Never use tabs in the tables", "Never use spaces in the tables"),
    ("preference", "I like green tea in the morning", "I like black coffee in the morning"),
    ("preference", "I prefer dark mode in the editor", "I prefer light mode in the terminal"),
    ("todo", "Call the plumber at 9 am", "Call the plumber at 11 am"),
    ("fact", "我住在里昂", "我妹妹住在都灵"),
    ("fact", "我叫小明", "我的狗叫小红"),
    ("fact", "我的狗叫旺财", "我的猫叫来福"),
    ("fact", "我在腾讯工作", "我妻子在阿里巴巴工作"),
    ("fact", "我最喜欢的颜色是绿色", "我最喜欢的食物是拉面"),
    ("fact", "测试服务器的端口是8443", "生产服务器的端口是9443"),
    ("fact", "我们每周五部署", "我们每周一部署"),
    ("decision", "我们用制表符缩进代码", "我们用空格对齐注释"),
    ("decision", "我们决定用PostgreSQL做归档库", "我们决定用Redis做缓存"),
    ("rule", "请用英文回答我的问题", "请用中文写提交信息"),
    ("rule", "以后提交前总是运行测试", "以后合并前总是运行测试"),
    ("preference", "我喜欢喝绿茶和红茶", "我喜欢喝黑咖啡"),
    ("preference", "我喜欢深色模式的编辑器", "我喜欢浅色模式的终端"),
]


@pytest.mark.parametrize(("kind", "old", "new"), CORRECTIONS)
def test_a_plain_correction_takes_the_old_ones_place(kind: ItemType, old: str, new: str) -> None:
    assert relation(old, new, kind) == "contradicts"
    assert relation(old, new, kind, NEARLY_THE_SAME) == "contradicts"


@pytest.mark.parametrize(("kind", "old", "new"), CORRECTIONS)
def test_and_may_be_taken_back(kind: ItemType, old: str, new: str) -> None:
    if "moved" in new or "搬" in new:
        new, old = old, new.replace("moved to", "live in").replace("搬到了", "住在")
    assert relation(new, old, kind) == "contradicts"


@pytest.mark.parametrize(("kind", "old", "new"), BESIDE)
def test_what_is_about_something_else_stands_beside_it(kind: ItemType, old: str, new: str) -> None:
    assert relation(old, new, kind) is None
    assert relation(new, old, kind) is None


def test_what_holds_for_one_chat_leaves_what_holds_for_good() -> None:
    assert relation("Always answer in English", "Answer in French in this chat", "rule") is None
    assert relation("Answer in French in this chat", "Always answer in English", "rule") is None


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("fact", "Room 4 has a projector", "Room 5 has a projector"),
        ("rule", "Never deploy on Friday afternoons", "Never deploy on Monday afternoons"),
        ("fact", "我们每周五部署", "我们每周一部署"),
    ],
)
def test_what_differs_in_a_number_or_a_day_is_not_the_same_however_near_it_means(
    kind: ItemType, old: str, new: str
) -> None:
    assert relation(old, new, kind, NEARLY_THE_SAME) is None


@given(st.text(max_size=80), st.text(max_size=80))
def test_one_value_or_another_is_seen_from_both_sides(one: str, other: str) -> None:
    assert gives_another_value(one, other) is gives_another_value(other, one)
    assert not gives_another_value(one, one)
