"""What must hold when all is quiet again: every conversation stands in the store as its client remembers it."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import select

from beaver.db.tables import runs
from tests.drills.scale.crowd import Conversation
from tests.drills.scale.doors import LEFT, Doors
from tests.drills.scale.echo import answer_to
from tests.drills.scene import Scene

READERS: Final = 8


async def check_histories(doors: Doors, conversations: Iterable[Conversation]) -> None:
    """The same pairs through every server: no turn is lost, doubled, or in another one's place."""
    left = list(conversations)

    async def reader() -> None:
        while left:
            conversation = left.pop()
            messages = await _history(doors, conversation.session_id)
            try:
                _check_history(conversation, messages)
            except AssertionError as error:
                stored = "\n".join(f"{message['run_id']} {message['content']}" for message in messages)
                remembered = "\n".join(map(str, conversation.attempts))
                raise AssertionError(
                    f"{error}\nthe client remembers:\n{remembered}\nthe store holds:\n{stored}"
                ) from None

    await asyncio.gather(*(reader() for _ in range(READERS)))


async def check_runs(scene: Scene, conversations: Sequence[Conversation]) -> None:
    """Each answer is one completed run and one turn of the ledger, each crash one crashed run; there are no others."""
    answered = {answer.run_id for conversation in conversations for answer in conversation.answered}
    async with scene.ledger.database.read() as tx:
        found = (await tx.execute(select(runs.c.id, runs.c.session_id, runs.c.status, runs.c.error_code))).all()
    completed = {run.id for run in found if run.status == "completed"}
    assert completed == answered, f"not by a client: {completed - answered}, not in the store: {answered - completed}"
    assert set(await scene.ledger.states()) == answered
    others = [run for run in found if run.status != "completed"]
    assert {(run.status, run.error_code) for run in others} <= LEFT, others
    crashed = Counter(run.session_id for run in others)
    assert crashed == Counter({each.session_id: each.crashes for each in conversations if each.crashes})


async def _history(doors: Doors, session_id: str) -> list[dict[str, Any]]:
    """The messages of a session, after a look through every server."""
    path = f"/v1/sessions/{session_id}/messages"
    through = [(await doors.http.get(url + path)).json()["data"] for url in doors.urls]
    assert all(other == through[0] for other in through), f"{session_id}: the servers tell different histories"
    messages: list[dict[str, Any]] = through[0]
    return messages


def _check_history(conversation: Conversation, messages: Sequence[dict[str, Any]]) -> None:
    left = deque((message["role"], message["content"], message["run_id"]) for message in messages)
    told = 0
    for attempt in conversation.attempts:
        if attempt.answer is None:
            # The run may have crashed before it began, or after its prompt was stored.
            if left and left[0][:2] == ("user", attempt.prompt):
                left.popleft()
                told += 1
            continue
        run_id, said = attempt.answer.run_id, answer_to(attempt.prompt, told)
        pair = [left.popleft() for _ in range(min(2, len(left)))]
        assert pair == [("user", attempt.prompt, run_id), ("assistant", said, run_id)], conversation.session_id
        assert attempt.answer.text == said, f"{conversation.session_id}: the client heard something else"
        told += 2
    assert not left, f"{conversation.session_id}: nobody said {list(left)}"
