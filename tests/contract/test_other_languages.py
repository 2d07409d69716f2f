"""What was said in Chinese, Japanese, Korean and German is found by its words alone, without an encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime

NOON_MS = 1_780_000_000_000
DEPTH = 5
HITS_MIN = 0.95

# What was said, and what is asked about it; for each question all the others of its language are distractors.
SAID: dict[str, list[tuple[str, str]]] = {
    "Chinese": [
        ("我妹妹在成都开了一家面馆", "妹妹的面馆在哪里"),
        ("下个月我要去青岛出差三天", "什么时候去青岛出差"),
        ("我对花生过敏，不能吃花生酱", "对什么过敏"),
        ("家里的路由器密码写在冰箱门上", "路由器密码写在哪里"),
        ("爸爸喜欢在阳台上种番茄", "谁在阳台种番茄"),
        ("我们的项目用蓝色作为主色", "项目的主色是什么"),
        ("周三晚上我要上钢琴课", "钢琴课是哪天"),
        ("小猫昨天打破了一个花瓶", "谁打破了花瓶"),
    ],
    "Japanese": [
        ("姉は札幌でパン屋を営んでいます", "札幌のパン屋は誰の店ですか"),
        ("毎週木曜日に合気道の稽古があります", "合気道の稽古は何曜日ですか"),
        ("私はそばアレルギーがあります", "アレルギーは何ですか"),
        ("合鍵は植木鉢の下に置いてあります", "合鍵はどこにありますか"),
        ("新しい自転車は緑色です", "自転車の色は何ですか"),
        ("祖父は金沢で生まれました", "祖父はどこで生まれましたか"),
        ("来月から図書館で働きます", "図書館で働くのはいつからですか"),
        ("犬の名前はポチではなくハナです", "犬の名前は"),
    ],
    "Korean": [
        ("우리 누나는 대전에서 꽃집을 한다", "누나 꽃집 어디"),
        ("매주 화요일에 수영 수업이 있어요", "수영 수업 요일"),
        ("저는 새우 알레르기가 있어요", "알레르기 뭐가 있나요"),
        ("여권은 책상 서랍에 넣어 두었다", "여권 어디에 두었나요"),
        ("새 자동차는 하얀색이다", "자동차 색"),
        ("할머니는 전주에서 태어나셨다", "할머니 태어난 곳"),
        ("다음 달에 치과 예약이 있다", "치과 예약 언제"),
        ("고양이 이름은 보리입니다", "고양이 이름"),
    ],
    "German": [
        ("Meine Tante führt in Görlitz eine Bäckerei", "Wo hat die Tante eine Baeckerei?"),
        ("Jeden Dienstag habe ich Geigenunterricht", "Wann ist der Geigenunterricht?"),
        ("Ich vertrage keine Haselnüsse", "Vertrage ich Haselnuesse?"),
        ("Der Ersatzschlüssel hängt hinter dem Kühlschrank", "Wo hängt der Ersatzschlüssel?"),
        ("Das neue Fahrrad ist grün", "Welche Farbe hat das Fahrrad?"),
        ("Mein Großvater wurde in Münster geboren", "Wo wurde der Grossvater geboren?"),
        ("Ab Oktober arbeite ich in der Stadtbücherei", "Ab wann arbeite ich in der Stadtbuecherei?"),
        ("Unser Kater heißt Möhrchen", "Wie heißt der Kater?"),
    ],
}


@pytest.mark.parametrize("language", SAID)
async def test_it_is_among_the_first_five_for_95_of_100_questions(language: str, tmp_path: Path) -> None:
    runtime = await MemoryRuntime.open(f"sqlite:///{tmp_path / 'memory.db'}")
    try:
        user = await runtime.create_user("ada")
        namespace = Namespace("default", "default", user.user_id)
        for number, (said, _) in enumerate(SAID[language]):
            await runtime.add(namespace, f"chat:{number}", [NewMessage("user", "ada", NOON_MS, said)])
        hits = 0
        for said, asked in SAID[language]:
            found = await runtime.search(namespace, Question(asked, "chat:now", ("all_user_memory",), DEPTH))
            hits += said in [one.text for one in found]
        assert hits / len(SAID[language]) >= HITS_MIN
    finally:
        await runtime.close()
