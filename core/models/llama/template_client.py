"""Renders chat templates through a process that is started when first needed."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO

from core.models.llama.messages import Interrupted
from core.system.process_limits import TIMED_OUT
from core.text.errors import ModelError
from core.text.language import _

PATIENCE = 30.0
"""Seconds for starting the process and rendering; it ends itself earlier except on a very busy
machine."""
_POLL_SECONDS = 0.05
"""Seconds between two checks whether the request was cancelled."""
_MOST_ANSWER = 16 * 2**20
"""Most bytes of an answer."""


class Renderer:
    """Renders chat templates in a restricted process; see `template_renderer`."""

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        """`cancelled` is called while a template runs."""
        self._cancelled = cancelled
        self.process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def render(
        self, template: str, turns: Sequence[tuple[str, str]], tokens: Mapping[str, str]
    ) -> str:
        """The prompt of (role, content) turns.

        Raises `ModelError` when the template fails, takes too long or writes too much, and
        `Interrupted`.
        """
        request = {"template": template, "turns": list(turns), "tokens": dict(tokens)}
        answer = self._exchange(json.dumps(request).encode("ascii") + b"\n")
        if "error" in answer:
            raise _failed(answer["error"])
        return answer["text"]

    def close(self) -> int:
        """End the process, if there is one; its return code."""
        process, self.process = self.process, None
        if process is None:
            return 0
        if process.stdin is not None:
            with suppress(OSError):  # what could not be written any more
                process.stdin.close()
        return process.wait()

    def _exchange(self, line: bytes) -> dict[str, str]:
        process = self.process
        if process is None or process.poll() is not None:
            process = self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "core.models.llama.template_renderer"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self._answers = _lines_of(process.stdout)
        try:
            answer = self._talk(process, line)
        except (ModelError, Interrupted):
            process.kill()
            self.close()
            raise
        if answer is None:
            slow = self.close() == TIMED_OUT
            raise _failed("it takes too long" if slow else "it ended the process that renders it")
        return answer

    def _talk(self, process: subprocess.Popen[bytes], line: bytes) -> dict[str, str] | None:
        """Send a request and wait for its answer; None when the process ended instead."""
        if process.stdin is None:
            raise _failed("its process has no pipes")
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except BrokenPipeError:
            return None
        answer = self._next_line()
        if len(answer) == _MOST_ANSWER:
            raise _failed("it writes too much")
        if not answer.endswith(b"\n"):
            return None
        reply: dict[str, str] = json.loads(answer)
        return reply

    def _next_line(self) -> bytes:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self._cancelled():
                raise Interrupted
            with suppress(queue.Empty):
                return self._answers.get(timeout=_POLL_SECONDS)
        raise _failed("it takes too long")


def _lines_of(pipe: IO[bytes] | None) -> queue.SimpleQueue[bytes]:
    """The lines that come through a pipe. What comes last, maybe nothing, has no line break.

    A thread reads them: not every system can wait for a pipe and for something else.
    """
    if pipe is None:
        raise _failed("its process has no pipes")
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        with pipe:
            line = b"\n"
            while line.endswith(b"\n"):
                line = pipe.readline(_MOST_ANSWER)
                lines.put(line)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _failed(why: str) -> ModelError:
    return ModelError(
        _("The model's chat template fails: {why}.", why=why),
        hint=_("Use the base form, or another file of this model."),
    )
