"""The files that chat services give their users, pure: `conversations.json` of ChatGPT and of Claude, a conversation a member.

What is told is what the user saw last: of a conversation that was edited or answered anew the branch that stands; neither what
tools and the system said nor thoughts; pictures and files leave their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from beaver.errors import InvalidInput
from beaver.memory.portability.items import Item, list_of, message_of, object_of, text_of, words_of

_TOLD: Final = frozenset({"text", "multimodal_text"})
_ROLES: Final = {"human": "user", "assistant": "assistant"}


def chatgpt(value: Any, user_id: str) -> list[Item]:
    """The messages of one conversation of ChatGPT's, oldest first."""
    conversation = object_of(value)
    identity = conversation.get("conversation_id") or text_of(conversation, "id")
    at = conversation.get("create_time")
    items: list[Item] = []
    for message in _branch(conversation):
        at = message.get("create_time") or at
        words = _words(message)
        if words:
            line = {"role": message["author"]["role"], "content": words, "timestamp": at}
            items.append(message_of(f"chatgpt:{identity}", line, user_id))
    return items


def claude(value: Any, user_id: str) -> list[Item]:
    """The messages of one conversation of Claude's, oldest first."""
    conversation = object_of(value)
    session_id = f"claude:{text_of(conversation, 'uuid')}"
    items: list[Item] = []
    for message in map(object_of, list_of(conversation, "chat_messages")):
        role = _ROLES.get(str(message.get("sender")))
        if role is None:
            raise InvalidInput("sender", "must be human or assistant")
        words = words_of(message.get("content")) or words_of(message.get("text"))
        if words:
            at = message.get("created_at") or conversation.get("created_at")
            items.append(message_of(session_id, {"role": role, "content": words, "timestamp": at}, user_id))
    return items


def _branch(conversation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The messages from the root to where the conversation stands, or to the node that was made last."""
    nodes = conversation.get("mapping")
    if not isinstance(nodes, dict):
        raise InvalidInput("mapping", "must be an object")
    at = conversation.get("current_node")
    if at not in nodes:
        at = next(reversed(nodes), None)
    path: dict[Any, Mapping[str, Any]] = {}
    while at in nodes and at not in path:
        path[at] = object_of(nodes[at])
        at = path[at].get("parent")
    for node in reversed(path.values()):
        if node.get("message") is not None:
            yield object_of(node["message"])


def _words(message: Mapping[str, Any]) -> str:
    """Blank for what no user sees, and what is addressed to a tool."""
    author, content = object_of(message.get("author")), object_of(message.get("content"))
    hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    is_told = author.get("role") in ("user", "assistant") and content.get("content_type") in _TOLD
    if hidden or not is_told or message.get("recipient", "all") != "all":
        return ""
    return "\n".join(part for part in list_of(content, "parts") if isinstance(part, str) and part.strip())
