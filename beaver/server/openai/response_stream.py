"""The events of a streamed response, in OpenAI's order and numbered from 0, from what a run tells. Pure: no IO, no clock."""

from __future__ import annotations

from beaver.agent.results import AgentRunResult
from beaver.schemas.problems import Problem
from beaver.schemas.responses import (
    ContentPartEvent,
    ItemStatus,
    OutputItemEvent,
    OutputMessage,
    OutputText,
    Response,
    ResponseEvent,
    StreamEvent,
    TextDeltaEvent,
    TextDoneEvent,
)
from beaver.server.openai.response_body import failed, finished, message, message_id


class ResponseStream:
    """Builds one stream. Text is in messages; the use of a tool ends one, and further text begins the next."""

    def __init__(self, response: Response) -> None:
        """`response` is the one in progress, without output."""
        self._response = response
        self._number = 0
        self._whole: list[OutputMessage] = []
        self._pieces: list[str] = []
        self._speaking = False

    def begin(self) -> list[StreamEvent]:
        """created, in_progress."""
        return [
            ResponseEvent(type="response.created", sequence_number=self._next(), response=self._response),
            ResponseEvent(type="response.in_progress", sequence_number=self._next(), response=self._response),
        ]

    def text(self, delta: str) -> list[StreamEvent]:
        """A delta, after the beginning of its message where it is the first."""
        opened = self._open()
        self._pieces.append(delta)
        event = TextDeltaEvent(
            sequence_number=self._next(), item_id=self._item_id, output_index=self._index, delta=delta
        )
        return [*opened, event]

    def tool(self) -> list[StreamEvent]:
        """The end of the message under way, if one is."""
        return self._close()

    def finish(self, result: AgentRunResult, *, completed_at: int) -> list[StreamEvent]:
        """The end of the last message, then completed or incomplete. An answer without a word is an empty message."""
        opened = [] if self._whole else self._open()
        closed = self._close()
        response = finished(self._response, result, self._whole, completed_at=completed_at)
        kind = "response.incomplete" if response.status == "incomplete" else "response.completed"
        return [*opened, *closed, ResponseEvent.model_validate(self._shown(kind, response))]

    def fail(self, problem: Problem) -> list[StreamEvent]:
        """failed, with what was said until then."""
        said = [*self._whole, self._message("incomplete")] if self._speaking else self._whole
        response = failed(self._response, problem.code, problem.message).model_copy(update={"output": tuple(said)})
        return [ResponseEvent.model_validate(self._shown("response.failed", response))]

    def _shown(self, kind: str, response: Response) -> dict[str, object]:
        return {"type": kind, "sequence_number": self._next(), "response": response}

    def _open(self) -> list[StreamEvent]:
        if self._speaking:
            return []
        self._speaking = True
        item = self._message("in_progress").model_copy(update={"content": []})
        return [
            OutputItemEvent(
                type="response.output_item.added", sequence_number=self._next(), output_index=self._index, item=item
            ),
            self._part("response.content_part.added"),
        ]

    def _close(self) -> list[StreamEvent]:
        if not self._speaking:
            return []
        item = self._message("completed")
        events: list[StreamEvent] = [
            TextDoneEvent(
                sequence_number=self._next(), item_id=item.id, output_index=self._index, text=item.content[0].text
            ),
            self._part("response.content_part.done"),
            OutputItemEvent(
                type="response.output_item.done", sequence_number=self._next(), output_index=self._index, item=item
            ),
        ]
        self._whole.append(item)
        self._pieces, self._speaking = [], False
        return events

    def _part(self, kind: str) -> ContentPartEvent:
        return ContentPartEvent.model_validate(
            {
                "type": kind,
                "sequence_number": self._next(),
                "item_id": self._item_id,
                "output_index": self._index,
                "part": OutputText(text="".join(self._pieces)),
            }
        )

    def _message(self, status: ItemStatus) -> OutputMessage:
        return message(self._response.id, self._index, "".join(self._pieces), status)

    @property
    def _index(self) -> int:
        return len(self._whole)

    @property
    def _item_id(self) -> str:
        return message_id(self._response.id, self._index)

    def _next(self) -> int:
        number, self._number = self._number, self._number + 1
        return number
