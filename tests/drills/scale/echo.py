"""What the drill's model says: it repeats what it was asked, and counts what it was told before."""

from __future__ import annotations

from typing import Final

from beaver.agent.messages import ProviderRequest, TextDelta
from beaver.agent.providers.scripted import Act, Pause

SLOWLY: Final = "slowly"
"""A prompt that holds this word is answered with pauses, so that much can happen meanwhile."""
PAUSE_S: Final = 0.04


def answer_to(prompt: str, told: int) -> str:
    """The answer to a prompt that stands behind so many messages of its session."""
    return f"After {told} messages I was asked: {prompt}, and so I say it again."


def answer(request: ProviderRequest) -> list[Act]:
    """The scripted provider's step: one piece a word, slowly where that was asked for."""
    prompt = request.messages[-1].text
    told = sum(message.label == "history" for message in request.messages)
    pieces: list[Act] = [TextDelta(f"{word} ") for word in answer_to(prompt, told).split(" ")]
    pieces[-1] = TextDelta(answer_to(prompt, told).rpartition(" ")[2])
    if SLOWLY not in prompt:
        return pieces
    return [either for piece in pieces for either in (Pause(PAUSE_S), piece)]
