"""Chats for the recall benchmark: a working week with standing instructions, and questions to LoCoMo's conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.bench.locomo_data import Conversation

QUESTIONS_A_CHAT: Final = 10


@dataclass(frozen=True)
class Turn:
    """What is said in a session. `needs`: the ids of items that it would otherwise have to be told; empty for none."""

    session: str
    prompt: str
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Chats:
    """Items that are kept by their id, and the turns that follow."""

    name: str
    items: dict[str, str]
    turns: Sequence[Turn]


_INSTRUCTIONS: Final = {
    "tabs": "Always indent Go code with tabs, never with spaces.",
    "commits": "Write commit messages in the imperative, at most 60 characters in the first line.",
    "german": "Letters to the Hamburg office are written in German, formally.",
    "port": "The staging server of the billing service listens on port 8443.",
    "review": "We decided that every pull request of the billing service needs two reviewers.",
    "vegan": "Ada is vegan and allergic to peanuts; plan team lunches accordingly.",
    "tables": "Prefer short tables to long paragraphs in weekly reports.",
    "pytest": "Use pytest with plain asserts for Python tests, never unittest classes.",
    "deploy": "Deployments happen on Tuesday and Thursday mornings only, never on Fridays.",
    "migrate": "The fix for the stuck migration was to drop the advisory lock 4711 before running it again.",
    "currency": "Quote prices to customers in euros, with VAT shown apart.",
    "names": "Database columns are named in snake_case with a _ms or _at ending for times.",
    "standup": "The stand-up notes go into the team wiki, under the page named Beaver.",
    "logo": "The logo must stand on white and may not be stretched in slides.",
    "retry": "External calls are retried at most three times, with jitter.",
    "backup": "Backups of the customer database are kept for 35 days in Frankfurt.",
}
_WEEK: Final = (
    ("Monday", "Good morning!", ""),
    ("Monday", "Write a Go function that reverses a slice, indented as it should be.", "tabs"),
    ("Monday", "Now the same as a generic Go function.", "tabs"),
    ("Monday", "ok thanks", ""),
    ("Monday", "Write the commit message for these Go functions.", "commits"),
    ("Monday", "What is the capital of Mongolia?", ""),
    ("Monday", "Which port does the billing service use on the staging server?", "port"),
    ("Monday", "Is that port open to the office network?", "port"),
    ("Monday", "Great!", ""),
    ("Tuesday", "Draft a letter to the Hamburg office about the new lease.", "german"),
    ("Tuesday", "Make the letter a little shorter.", "german"),
    ("Tuesday", "Thanks, that is fine.", ""),
    ("Tuesday", "By the way, plan a team lunch for Thursday; Ada comes too.", "vegan"),
    ("Tuesday", "Suggest a dessert for the lunch.", "vegan"),
    ("Tuesday", "Write Python tests for the date parser with pytest.", "pytest"),
    ("Tuesday", "Add one test for leap years.", "pytest"),
    ("Tuesday", "yes", ""),
    ("Tuesday", "How many reviewers does my pull request to the billing service need?", "review"),
    ("Wednesday", "The migration is stuck again, what was the fix?", "migrate"),
    ("Wednesday", "It worked, thank you", ""),
    ("Wednesday", "Can I do the deployment on Friday?", "deploy"),
    ("Wednesday", "Then when is the next deployment window?", "deploy"),
    ("Wednesday", "Name the columns of a database table for orders, with creation times.", "names"),
    ("Wednesday", "Add a column for the delivery time.", "names"),
    ("Wednesday", "Tell me a joke about beavers.", ""),
    ("Thursday", "Write an offer with prices for two customers.", "currency"),
    ("Thursday", "Raise the prices in the offer by five percent.", "currency"),
    ("Thursday", "ok", ""),
    ("Thursday", "New topic: where do the stand-up notes go?", "standup"),
    ("Thursday", "Make slides with our logo on a photo.", "logo"),
    ("Thursday", "Explain what a monad is in one paragraph.", ""),
    ("Thursday", "How often may an external call be retried?", "retry"),
    ("Friday", "Write the weekly report about the billing service.", "tables"),
    ("Friday", "Add what we deployed on Tuesday to the report.", "tables"),
    ("Friday", "How long are backups of the customer database kept?", "backup"),
    ("Friday", "And where are these backups kept?", "backup"),
    ("Friday", "Continue with the Go functions from Monday, please.", "tabs"),
    ("Friday", "Which port was that on staging again?", "port"),
    ("Friday", "好的，谢谢", ""),
    ("Friday", "Have a nice weekend!", ""),
)


def working_week() -> Chats:
    """Five days of one person's chats, a session a day; what an instruction would have to be repeated for says so."""
    turns = [Turn(day, prompt, frozenset(filter(None, [needs]))) for day, prompt, needs in _WEEK]
    return Chats("working week", dict(_INSTRUCTIONS), turns)


def questions_to(conversation: Conversation, questions_max: int) -> Chats:
    """The first questions about a conversation, ten a session, every third followed by thanks and a repetition."""
    texts = {one.key: f"{one.speaker}: {' '.join(one.text.split())}"[:400].strip() for one in conversation.said}
    # What was said twice is one item.
    kept = {text: key for key, text in reversed(texts.items())}
    turns = [
        Turn(turn.session, turn.prompt, frozenset(kept[texts[key]] for key in turn.needs))
        for turn in _asked(conversation, questions_max)
    ]
    return Chats(conversation.name, {key: text for text, key in kept.items()}, turns)


def _asked(conversation: Conversation, questions_max: int) -> Iterator[Turn]:
    probes = sorted(conversation.probes[:questions_max], key=lambda probe: min(probe.evidence))
    for number, probe in enumerate(probes):
        session = f"{conversation.name}-{number // QUESTIONS_A_CHAT}"
        yield Turn(session, probe.text, probe.evidence)
        if number % 3 == 2:
            yield Turn(session, "ok, thanks")
            yield Turn(session, probe.text, probe.evidence)
