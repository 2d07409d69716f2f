"""`beaver chat`: one turn, or a chat at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from beaver.cli.options import Json, Root, instance_paths
from beaver.cli.output import print_json
from beaver.text import json_line, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beaver.cli.talk.background import BackgroundLoop
    from beaver.cli.talk.conversation import Answer, Conversation, Question, Show
    from beaver.cli.talk.opening import Notice
    from beaver.cli.talk.standing import Standing

# How long the hand-over of the turns may take without a word, and at most.
_QUIET_S: Final = 1.5
_SETTLE_S: Final = 20.0


def chat(
    message: Annotated[str | None, typer.Option("-m", "--message", help="Ask this and leave.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Go on with this session.")] = None,
    skill: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Activate a skill; may be repeated.")] = None,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Talk with Beaver: one message, or a chat.

    Goes through a running `beaver up` (with the key in BEAVER_API_KEY, where it wants one), or starts the parts for as
    long as you talk. Without -m it is a chat at the terminal; a message may also come on standard input. One that begins
    with /memory asks Beaver what it remembers, not the model.
    """
    import os
    import signal

    from beaver.cli.talk.background import BackgroundLoop
    from beaver.cli.talk.opening import open_conversation
    from beaver.ids import new_id, validate_session_id

    session_id = new_id("session") if session is None else validate_session_id(session, "--session")
    prompt = _prompt(message, as_json=as_json)
    signal.signal(signal.SIGTERM, _leave)
    notice = _json_notice if as_json else _notice
    opening = open_conversation(instance_paths(root), os.environ, notice)
    with BackgroundLoop() as background, background.entered(opening) as conversation:
        talk = _Talk(background, conversation, session_id, tuple(skill or ()), notice, is_named=session is not None)
        code = talk.at_terminal(root) if prompt is None else talk.said(prompt, as_json=as_json)
        talk.hand_over()
    raise typer.Exit(code)


class _Talk:
    """The commands' half of a conversation: what is asked, what is shown."""

    def __init__(
        self,
        background: BackgroundLoop,
        conversation: Conversation,
        session_id: str,
        skills: tuple[str, ...],
        notice: Notice,
        *,
        is_named: bool,
    ) -> None:
        """`is_named`: somebody chose the session's id, and may have mistyped it."""
        self._background = background
        self._conversation = conversation
        self._session_id = session_id
        self._skills = skills
        self._notice = notice
        self._is_named = is_named
        self._has_noted_extracts = False

    def said(self, prompt: str, *, as_json: bool) -> int:
        """One message; returns the exit code."""
        from beaver.cli.talk.terminal import MEMORY

        if prompt.split()[:1] == [MEMORY]:
            return self._remember(prompt.strip(), as_json=as_json)
        return self._once(prompt, as_json=as_json)

    def _remember(self, line: str, *, as_json: bool) -> int:
        told = self._memory(line, self._session_id)
        if as_json:
            print_json({"session_id": self._session_id, "lines": told})
        else:
            for each in told:
                typer.echo(printable(each))
        return 0

    def _once(self, prompt: str, *, as_json: bool) -> int:
        from beaver.cli.talk.conversation import Question
        from beaver.cli.talk.terminal import show_piece
        from beaver.errors import STATUS_AND_EXIT

        standing = self._standing()
        question = Question(prompt, self._session_id, self._skills)
        answer = self._ask(question, None if as_json else show_piece)
        if as_json:
            print_json(_answer_json(answer, standing))
        else:
            _close(answer, standing)
        return 0 if answer.error is None else STATUS_AND_EXIT[answer.error][1]

    def at_terminal(self, root: Any) -> int:
        """Questions until the person leaves."""
        from beaver.cli.talk.terminal import chat_at_terminal

        instance_paths(root).former_chat_history.unlink(missing_ok=True)
        if self._is_named:
            self._notice(self._standing().words)
        chat_at_terminal(self._ask, self._memory, self._session_id, self._skills, self._said())
        _say_session(f"session {self._session_id}", self._session_id)
        return 0

    def hand_over(self) -> None:
        """Wait, within a bound, until the turns have reached the Memory Gateway."""
        if self._settled(_QUIET_S):
            return
        self._notice("Handing your words to the Memory Gateway …")
        if not self._settled(_SETTLE_S):
            self._notice("They are stored, and reach the Memory Gateway when Beaver runs next.")

    def _standing(self) -> Standing:
        from beaver.cli.talk.standing import fresh, standing_of

        if not self._is_named:
            return fresh(self._session_id)
        return self._background.run(standing_of(self._conversation, self._session_id))

    def _said(self) -> Sequence[str]:
        """What the person said in the session before; nothing where that cannot be found out."""
        from beaver.errors import BeaverError

        if not self._is_named:
            return ()
        try:
            return self._background.run(self._conversation.said(self._session_id))
        except BeaverError:
            return ()

    def _ask(self, question: Question, show: Show | None) -> Answer:
        """Ask; where the answer was shown, end its line, and say once of answers without a model what they are."""
        from beaver.cli.talk.patience import awaited
        from beaver.config.provider import NO_MODEL, OFFLINE
        from beaver.errors import BeaverError

        pieces: list[str] = []
        asked = self._conversation.ask(question, show and _keeping(show, pieces))
        try:
            answer = self._background.run(asked if show is None else awaited(asked, pieces, self._notice))
        except BeaverError:
            _end_line(pieces)
            raise
        _end_line(pieces)
        if show is not None and answer.provider == OFFLINE and not self._has_noted_extracts:
            self._has_noted_extracts = True
            self._notice(NO_MODEL)
        return answer

    def _memory(self, line: str, session_id: str) -> list[str]:
        return self._background.run(self._conversation.memory(line, session_id))

    def _settled(self, within_s: float) -> bool:
        return self._background.run(self._conversation.settled(within_s=within_s))


def _prompt(message: str | None, *, as_json: bool) -> str | None:
    """The one message to ask; None for a chat at the terminal."""
    import sys

    from beaver.errors import InvalidInput

    if message is None and sys.stdin.isatty():
        if as_json:
            raise InvalidInput("--json", 'needs a message: -m "…", or one on standard input')
        return None
    prompt = sys.stdin.read() if message is None else message
    if not prompt.strip():
        raise InvalidInput("the message", "must not be blank")
    return prompt


def _end_line(pieces: list[str]) -> None:
    """End the line of what was shown; where nothing was, there is none."""
    import sys

    if pieces:
        typer.echo()
        sys.stdout.flush()


def _keeping(show: Show, pieces: list[str]) -> Show:
    def keep(piece: str) -> None:
        pieces.append(piece)
        show(piece)

    return keep


def _answer_json(answer: Answer, standing: Standing) -> dict[str, Any]:
    from dataclasses import asdict

    from beaver.cli.failures import step_after

    return {**asdict(answer), "next_step": step_after(answer.error, answer.run_id), "new_session": standing.is_new}


def _close(answer: Answer, standing: Standing) -> None:
    from beaver.cli.failures import say_failure

    if answer.error is not None:
        say_failure(answer.text, answer.error, answer.run_id)
    _say_session(standing.words, answer.session_id)


def _say_session(words: str, session_id: str) -> None:
    import shlex

    _notice(f"{words} (go on with: beaver chat --session {shlex.quote(session_id)})")


def _notice(text: str) -> None:
    typer.secho(printable(text), dim=True, err=True)


def _json_notice(text: str) -> None:
    typer.echo(json_line({"notice": text}), err=True)


def _leave(_number: int, _frame: Any) -> None:
    # SIGTERM becomes an exit that unwinds, so that the parts are drained.
    raise SystemExit(143)
