"""What a request asks, whichever API it came by: the prompt, and the client's own history before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.agent.messages import PromptMessage
from beaver.errors import InvalidInput
from beaver.schemas.chat import ChatCompletionRequest, ChatMessage, ContentPart, SessionHints
from beaver.schemas.responses import InputItem, ResponsesRequest

TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True)
class Question:
    """`earlier` are (role, text) pairs as the client told them, in order, before the prompt."""

    model: str
    prompt: str
    earlier: tuple[tuple[str, str], ...]
    hints: SessionHints
    skills: tuple[str, ...]
    output_tokens_max: int | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """What the client sets as rules; they hold for this question alone."""
        return tuple(text for role, text in self.earlier if role == "system" and text.strip())

    def messages(self) -> tuple[PromptMessage, ...]:
        """The client's own messages as a prompt, for answers without memory; what it set as rules comes first."""
        rules = [PromptMessage("system", text, "identity") for text in self.rules]
        told = [_told(role, text) for role, text in self.earlier if role in {"user", "assistant"}]
        return (*rules, *told, PromptMessage("user", self.prompt, "prompt"))


def _told(role: str, text: str) -> PromptMessage:
    return PromptMessage("assistant" if role == "assistant" else "user", text, "history")


def of_chat(body: ChatCompletionRequest) -> Question:
    """The last user message is the prompt. Raises InvalidInput where there is none, or it holds more than text."""
    prompt, earlier = _parted(body.messages, "messages")
    return Question(body.model, prompt, earlier, body, tuple(body.beaver.skills), body.output_tokens_max)


def of_responses(body: ResponsesRequest) -> Question:
    """The same for `input`, be it a text or a list of items; `instructions` come first."""
    items = [InputItem(role="user", content=body.input)] if isinstance(body.input, str) else body.input
    prompt, earlier = _parted(items, "input")
    rules = (("system", body.instructions),) if body.instructions else ()
    return Question(body.model, prompt, (*rules, *earlier), body, tuple(body.beaver.skills), body.max_output_tokens)


def _parted(messages: Sequence[ChatMessage | InputItem], field: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            prompt = _prompt(messages[index].content, field if field == "input" else f"{field}.{index}.content")
            return prompt, tuple(_pair(message) for message in messages[:index])
    raise InvalidInput(field, "must hold a message of role user")


def _prompt(content: str | list[ContentPart] | None, field: str) -> str:
    if isinstance(content, list) and any(part.type not in TEXT_PARTS for part in content):
        raise InvalidInput(field, "must hold text parts only")
    text = _text(content)
    if not text.strip():
        raise InvalidInput(field, "must not be blank")
    return text


def _pair(message: ChatMessage | InputItem) -> tuple[str, str]:
    role = "system" if message.role == "developer" else message.role or ""
    return role, _text(message.content)


def _text(content: str | list[ContentPart] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text for part in content if part.type in TEXT_PARTS)
