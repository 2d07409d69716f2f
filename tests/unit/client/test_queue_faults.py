"""Conditions of a queue that a test cannot bring about at will are worded too, and no server's text is repeated."""

from __future__ import annotations

import socket

import pytest
from redis import exceptions

from beaver.client.queue_faults import fault_words

PLACE = "redis://queue.example"
QUOTED = "canary-of-a-job"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(-2, QUOTED), "its name cannot be resolved"),
        (PermissionError(13, QUOTED), "its socket may not be opened by this user"),
        (exceptions.BusyLoadingError(QUOTED), "is still loading its data"),
        (exceptions.OutOfMemoryError(QUOTED), "is out of memory and refuses writes"),
        (exceptions.ReadOnlyError(QUOTED), "is a replica and takes no writes"),
        (exceptions.ResponseError(f"MISCONF {QUOTED}"), "cannot save to its disk and refuses writes"),
        (exceptions.ResponseError(f"max number of clients reached {QUOTED}"), "takes no further connection"),
        (exceptions.ResponseError(f"WRONGTYPE {QUOTED}"), "holds keys of another program under our names"),
        (exceptions.ResponseError(QUOTED), "answers with an error"),
        (exceptions.NoPermissionError(f"no permissions to run the '{QUOTED * 9}' command"), "(NOPERM)"),
        (exceptions.TimeoutError(QUOTED), "timeout: no answer in time"),
        (exceptions.ConnectionError(QUOTED), "the connection was lost or could not be made"),
        (BrokenPipeError(32, QUOTED), "the connection was lost or could not be made"),
        (exceptions.WatchError(QUOTED), "WatchError"),
    ],
)
def test_a_condition_has_words_that_quote_nothing(error: Exception, words: str) -> None:
    found = fault_words(error, PLACE)
    assert words in found
    assert QUOTED not in found


def test_the_first_cause_that_says_more_is_the_one_that_is_told() -> None:
    lost = exceptions.ConnectionError("Error connecting")
    lost.__context__ = ConnectionRefusedError(111, "refused")
    assert fault_words(lost, PLACE) == "connection refused: nothing listens there"
