"""Renders chat templates through a process that is started when first needed."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from core.models.llama.messages import Interrupted
from core.text.errors import ModelError

PATIENCE = 30.0
"""Seconds for starting the process and rendering; it ends itself earlier except on a very busy
machine."""
_POLL_SECONDS = 0.05
"""Seconds between two checks whether the request was cancelled."""
_READ = 65_536
_MOST_ANSWER = 16 * 2**20


class Renderer:
    """Renders chat templates in a restricted process; see `template_renderer`."""

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        """`cancelled` is called while a template runs."""
        self._cancelled = cancelled
        self.process: subprocess.Popen[bytes] | None = None

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

    def _exchange(self, line: bytes) -> dict[str, str]:
        process = self.process
        if process is None or process.poll() is not None:
            process = self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "core.models.llama.template_renderer"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        try:
            answer = self._talk(process, line)
        except (ModelError, Interrupted):
            self.process = None
            process.kill()
            process.communicate()
            raise
        if answer is None:
            self.process = None
            process.communicate()
            slow = process.returncode == -signal.SIGPROF
            raise _failed("it takes too long" if slow else "it ended the process that renders it")
        return answer

    def _talk(self, process: subprocess.Popen[bytes], line: bytes) -> dict[str, str] | None:
        """Send a request and wait for its answer; None when the process ended instead."""
        if process.stdin is None or process.stdout is None:
            raise _failed("its process has no pipes")
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except BrokenPipeError:
            return None
        answer = bytearray()
        deadline = time.monotonic() + PATIENCE
        while not answer.endswith(b"\n"):
            if self._cancelled():
                raise Interrupted
            if time.monotonic() > deadline or len(answer) > _MOST_ANSWER:
                raise _failed("it takes too long")
            if not select.select([process.stdout], [], [], _POLL_SECONDS)[0]:
                continue
            part = os.read(process.stdout.fileno(), _READ)
            if not part:
                return None
            answer += part
        reply: dict[str, str] = json.loads(answer)
        return reply


def _failed(why: str) -> ModelError:
    return ModelError(
        f"The model's chat template fails: {why}.",
        hint="Use the base form, or another file of this model.",
    )
