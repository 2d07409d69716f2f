"""A command at a terminal of its own: keys go in, what the screen was sent is looked at."""

from __future__ import annotations

import fcntl
import os
import pty
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.instance import BEAVER
from tests.support.waiting import wait_until

UP, LEFT, HOME, END = "\x1b[A", "\x1b[D", "\x01", "\x05"
BACKSPACE, KILL_LINE, ENTER, CTRL_C, CTRL_D = "\x7f", "\x15", "\r", "\x03", "\x04"


class Terminal:
    """The other end of a process's terminal."""

    def __init__(self, process: subprocess.Popen[bytes], end: int) -> None:
        self.process = process
        self._end = end
        self._screen = ""

    def types(self, *keys: str) -> None:
        """Press keys, one after the other."""
        self._look()
        self._screen = ""
        os.write(self._end, "".join(keys).encode())

    async def shows(self, words: str) -> None:
        """Wait until the screen was sent these words since the last keys."""

        async def shown() -> bool:
            self._look()
            return words in self._screen

        try:
            await wait_until(shown, within_s=60, what=repr(words))
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen was sent {self._screen!r}") from None

    def _look(self) -> None:
        # A terminal whose process has ended cannot be read from: EIO on Linux, an end of file elsewhere.
        with suppress(OSError):
            while piece := os.read(self._end, 65536):
                self._screen += piece.decode(errors="replace")


@contextmanager
def terminal(folder: Path, *arguments: str) -> Iterator[Terminal]:
    """`beaver` at a terminal, in a folder; ended with the block."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen(
        (*BEAVER, *arguments),
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_become_its_terminal,
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _become_its_terminal() -> None:
    # Without a controlling terminal Ctrl-C would reach nobody.
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
