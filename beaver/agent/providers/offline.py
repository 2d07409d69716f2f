"""The provider without a model: an honest extract of what memory and the chat already say."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from typing import Final

from beaver.agent.messages import Completion, ProviderPiece, ProviderRequest, Usage
from beaver.agent.providers.evidence import (
    EARLIER,
    KNOWN,
    NEAREST,
    NOTED,
    RELATED,
    UNKNOWN,
    Evidence,
    gather,
    prompt_text,
)
from beaver.agent.providers.pieces import in_pieces
from beaver.agent.providers.relevance import is_question, scores, sentences, terms

QUOTES_MAX: Final = 3
_ANSWERING_MIN: Final = 0.12
_RELATED_MIN: Final = 0.34
_OF_BEST_MIN: Final = 0.5
_ABOUT_THE_USER: Final = re.compile(r"\b(?:me|my|us|our|know|remember)\b|[我俺咱]|知道|记得", re.I)
_WHAT_WAS_SAID: Final = re.compile(
    r"what (?:did|have) (?:i|we) (?:just )?(?:say|said|tell|told|write|written)(?: to)?(?: you)?(?: just now| before| earlier)?"
    r"|[我咱]们?(?:刚才|刚刚|刚|之前)?(?:跟你|对你)?(?:说|讲|告诉你)了?些?(?:什么|啥)",
    re.I,
)


class OfflineProvider:
    """Quotes what the messages state about the prompt and says where each quote is from.

    That there is no model is no part of an answer, which is stored: whoever shows one says so. It invents nothing, calls no tool,
    reaches nothing, and gives the same answer to the same request.
    """

    name = "offline"
    model = "extract"

    async def stream(self, request: ProviderRequest) -> AsyncIterator[ProviderPiece]:
        """Answer one prompt."""
        for piece in in_pieces(Completion(compose(request), (), Usage(), "stop")):
            yield piece

    async def aclose(self) -> None:
        """Nothing is open."""


def compose(request: ProviderRequest) -> str:
    """The answer's text."""
    prompt = prompt_text(request)
    evidence = gather(request)
    asked = any(is_question(sentence) for sentence in sentences(prompt))
    opening, quotes = _asked(prompt, evidence) if asked else _told(prompt, evidence)
    return "\n".join([opening, *(f"- {quote.text} ({quote.source})" for quote in quotes)])


def _asked(prompt: str, evidence: Sequence[Evidence]) -> tuple[str, Sequence[Evidence]]:
    query = terms(prompt)
    of_the_user = not query and _ABOUT_THE_USER.search(prompt)
    if evidence and (of_the_user or _WHAT_WAS_SAID.fullmatch(prompt.strip(" \n?？.。!！"))):
        return KNOWN, evidence[:QUOTES_MAX]
    if quotes := _best(query, evidence, _ANSWERING_MIN):
        return KNOWN, quotes
    # Recall may find by meaning what shares no word with the prompt.
    recalled = [quote for quote in evidence if quote.source.startswith(("from memory", "from resource"))]
    return (NEAREST, recalled[:1]) if recalled and query else (UNKNOWN, ())


def _told(prompt: str, evidence: Sequence[Evidence]) -> tuple[str, Sequence[Evidence]]:
    quotes = _best(terms(prompt), evidence, _RELATED_MIN)
    return (RELATED, quotes) if quotes else (NOTED, ())


def _best(query: frozenset[str], evidence: Sequence[Evidence], least: float) -> list[Evidence]:
    """The nearest pieces: what holds most of the query first, then this chat's own words; of equals what was gathered first.

    This chat's words need not be as near as what memory holds, only as near as each other.
    """
    found = scores(query, [piece.text for piece in evidence])
    weighed = [(score * piece.weight, piece) for score, piece in zip(found, evidence, strict=True)]
    best = max((score for score, _ in weighed), default=0.0)
    here = max((score for score, piece in weighed if piece.source == EARLIER), default=best)
    near = [
        (len(terms(piece.text) & query) * piece.weight, piece.source == EARLIER, score, piece)
        for score, piece in weighed
        if score >= max(least, _OF_BEST_MIN * (here if piece.source == EARLIER else best))
    ]
    return [piece for *_, piece in sorted(near, key=lambda each: each[:3], reverse=True)[:QUOTES_MAX]]
