"""What EverOS holds, pure: bodies of its add; episodes and profiles as its get and search answer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from beaver.memory.portability.items import (
    Item,
    check_owner,
    list_of,
    message_of,
    object_of,
    observation_of,
    text_of,
    words_of,
)


def everos(value: Any, user_id: str) -> list[Item]:
    """The items of one body or answer."""
    body = object_of(value)
    if "messages" in body:
        session_id = text_of(body, "session_id")
        kept = [one for one in map(object_of, list_of(body, "messages")) if _is_said(one)]
        return [message_of(session_id, one, user_id) for one in kept]
    data = object_of(body.get("data", body))
    items: list[Item] = []
    for episode in map(object_of, list_of(data, "episodes")):
        check_owner(episode, user_id)
        told = episode.get("episode") or episode.get("summary")
        narrative = told if isinstance(told, str) else ""
        facts = [text_of(object_of(fact), "content") for fact in episode.get("atomic_facts") or []]
        items.append(
            observation_of(
                text_of(episode, "subject"), "event", narrative, at=episode.get("timestamp"), facts=tuple(facts)
            )
        )
    for profile in map(object_of, list_of(data, "profiles")):
        check_owner(profile, user_id)
        items += _profile(profile)
    return items


def _is_said(message: Mapping[str, Any]) -> bool:
    """What tools answer, calls of tools without a word, and pictures alone are no words of anybody."""
    content = message.get("content")
    is_readable = content is None or isinstance(content, str | list)
    return message.get("role") != "tool" and (not is_readable or bool(words_of(content)))


def _profile(profile: Mapping[str, Any]) -> list[Item]:
    """What was stated of the user, and what was gathered from how they are, each with what it rests on."""
    held = object_of(profile.get("profile_data", profile))
    at = profile.get("updated_at") or profile.get("timestamp")
    stated = [
        _told(text_of(info, "description"), info.get("category"), info.get("evidence"), at)
        for info in map(object_of, list_of(held, "explicit_info"))
    ]
    gathered = [
        _told(_named(trait), "trait", trait.get("basis") or trait.get("evidence"), at)
        for trait in map(object_of, list_of(held, "implicit_traits"))
    ]
    return [*stated, *gathered]


def _named(trait: Mapping[str, Any]) -> str:
    name = trait.get("trait")
    return (
        f"{name}: {text_of(trait, 'description')}"
        if isinstance(name, str) and name.strip()
        else text_of(trait, "description")
    )


def _told(said: str, tag: Any, basis: Any, at: Any) -> Item:
    tags = (tag,) if isinstance(tag, str) and tag.strip() else ()
    return observation_of(said, "discovery", basis if isinstance(basis, str) else "", at=at, tags=tags)
