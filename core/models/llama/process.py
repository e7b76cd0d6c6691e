"""The program's side of the worker process: starts it, talks to it, and notices its end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from pathlib import Path
from typing import Any, TypeVar

import core
from core.models.llama.messages import Wire, decode, encode, unpack_error
from core.text.errors import ModelError
from core.text.language import _, spoken

ResultT = TypeVar("ResultT")
_READ = 65_536
STOP_SECONDS = 1.0
"""How long a worker may take to exit or to cancel a request before it is killed."""
_CRASHES = (-signal.SIGSEGV, -signal.SIGILL)
_REMEMBERED = 3
_LINE = 500
"""Most characters of a line of the log."""
_ENDINGS = {
    "SIGABRT": "it stopped itself (SIGABRT): something in the file or the request is more "
    "than it can handle",
    "SIGSEGV": "it crashed (SIGSEGV)",
    "SIGBUS": "it crashed (SIGBUS): a file may have changed while it was in use",
    "SIGILL": "it was compiled for another processor (SIGILL)",
    "SIGFPE": "it crashed (SIGFPE)",
    "SIGKILL": "it was killed (SIGKILL), most likely because memory ran out",
    "SIGTERM": "it was ended from outside (SIGTERM)",
}


def exit_description(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        return f"it was ended by signal {-code}"
    return _ENDINGS.get(name, f"it was ended by {name}")


def worker_environment() -> dict[str, str]:
    """The environment of a process that loads llama.cpp, run with -P."""
    # -P and the path keep whatever lies in the working directory from being imported.
    root = str(Path(next(iter(core.__path__))).parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    return {
        **os.environ,
        "PYTHONPATH": path,
        # Errors of the process are shown as they are.
        "LANGUAGE": spoken(),
        # Without this an abort in llama.cpp starts a debugger to print a backtrace.
        "GGML_NO_BACKTRACE": "1",
        # Threads that wait must not keep the processor from the other programs.
        "OMP_WAIT_POLICY": "passive",
    }


class Exchange:
    """One request and the messages that answer it."""

    def __init__(self, number: int, where: str) -> None:
        self.number = number
        self.begun = asyncio.Event()
        """Set when the first message has arrived."""
        self.ended = asyncio.Event()
        """Set when the last message has arrived."""
        self._where = where
        self._messages: asyncio.Queue[Wire] = asyncio.Queue()

    def put(self, message: Wire) -> None:
        """Add a message from the worker."""
        self.begun.set()
        if not message.keys().isdisjoint({"result", "error", "cancelled"}):
            self.ended.set()
        self._messages.put_nowait(message)

    async def next(self) -> Wire:
        """The next message, the result last; raises `ModelError` if the worker sent an error."""
        message = await self._messages.get()
        if "error" in message:
            raise unpack_error(message["error"], self._where)
        return message


_SAME_EVERY_TIME = {
    "GGML_CUDA_DISABLE_FUSION": "1",
    "GGML_VK_DISABLE_FUSION": "1",
    "GGML_METAL_FUSION_DISABLE": "1",
    "GGML_CUDA_GRAPH_OPT": "0",
    "GGML_VK_DISABLE_GRAPH_OPTIMIZE": "1",
    "GGML_METAL_GRAPH_OPTIMIZE_DISABLE": "1",
}
"""Keeps accelerators from computing several nodes of a graph in one kernel, and from putting nodes
in another order: a node that is watched is computed by itself, and would else round differently,
and nodes are known by their places."""


class WorkerProcess:
    """A running worker. `start` makes one, `stop` ends it."""

    def __init__(self, process: Process, where: str, on_log: Callable[[str], None] | None) -> None:
        self._process = process
        self._where = where
        self._on_log = on_log
        self._exchanges: dict[int, Exchange] = {}
        self._logged: deque[str] = deque(maxlen=_REMEMBERED)
        self._printed: deque[str] = deque(maxlen=_REMEMBERED)
        self._numbers = 0
        self._ended = False
        self._reading = _task(self._read())
        # Tasks of their own, so that they finish even if nobody waits for them any more.
        self._stopping: asyncio.Task[None] | None = None
        self._clearing: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls, where: str, on_log: Callable[[str], None] | None, *, accelerated: bool
    ) -> WorkerProcess:
        """Start a worker; `where` names its model in errors.

        Where it is `accelerated`, an accelerator computes layers. Raises `ModelError`.
        """
        try:
            starting = asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "core.models.llama.worker"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=worker_environment() | (_SAME_EVERY_TIME if accelerated else {}),
                # A group of its own: Ctrl-C is for the program, which then ends its worker.
                process_group=0,
            )
            process = await _task(starting)
        except OSError as error:
            raise ModelError(
                _("The process for llama.cpp cannot be started: {why}.", why=error.strerror),
                where=where,
            ) from None
        return cls(process, where, on_log)

    @property
    def alive(self) -> bool:
        """Whether the process runs and takes requests."""
        return not self._ended and self._process.returncode is None

    @property
    def crashed(self) -> bool:
        """Whether it ended by a signal that wrong machine code for the processor causes."""
        return self._process.returncode in _CRASHES

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @asynccontextmanager
    async def exchange(self, operation: str, **fields: object) -> AsyncIterator[Exchange]:
        """Send a request. If it is unfinished on leaving, it is cancelled; see `cleared`."""
        self._numbers += 1
        exchange = Exchange(self._numbers, self._where)
        self._exchanges[exchange.number] = exchange
        self._send({"id": exchange.number, "op": operation, **fields})
        if self._ended:
            exchange.put(self._exit_error())
        try:
            yield exchange
        finally:
            if exchange.ended.is_set():
                del self._exchanges[exchange.number]
            else:
                self._clearing = _task(self._clear(exchange))
                await self.cleared()

    async def cleared(self) -> None:
        """Wait until the cancelled request has ended.

        A worker that does not cancel it within `STOP_SECONDS` is killed.
        """
        if self._clearing is not None:
            await asyncio.shield(self._clearing)

    async def stop(self) -> None:
        """Stop the process and wait for its exit. It stops even if this call is cancelled."""
        if self._stopping is None:
            self._stopping = _task(self._stop())
        await asyncio.shield(self._stopping)

    async def _stop(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._wait_or_kill(self._reading)

    async def _clear(self, exchange: Exchange) -> None:
        self._send({"op": "cancel", "id": exchange.number})
        await self._wait_or_kill(asyncio.create_task(exchange.ended.wait()))
        del self._exchanges[exchange.number]

    async def _wait_or_kill(self, expected: asyncio.Task[Any]) -> None:
        """Wait for a task; kill the worker if it takes longer than `STOP_SECONDS`."""
        done, _ = await asyncio.wait({expected}, timeout=STOP_SECONDS)
        if not done:
            self._kill()
        await expected

    def _send(self, message: Wire) -> None:
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            # A broken pipe is noticed where the answers are read.
            stdin.write(encode(message))

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _read(self) -> None:
        """Pass messages to their exchanges until the worker exits; then report the exit to all."""
        stdout, stderr = self._process.stdout, self._process.stderr
        if stdout is None or stderr is None:
            raise RuntimeError("the worker was started without pipes")
        printed = asyncio.create_task(self._read_printed(stderr))
        try:
            async for line in _lines(stdout):
                message = decode(line)
                if "log" in message:
                    self._log(message["log"], self._logged)
                elif (exchange := self._exchanges.get(message["id"])) is not None:
                    exchange.put(message)
        except BaseException:
            self._kill()
            raise
        finally:
            try:
                await self._process.wait()
                await printed
            finally:
                # Also when the program cancels this task: no exchange waits forever.
                self._ended = True
                for exchange in self._exchanges.values():
                    if not exchange.ended.is_set():
                        exchange.put(self._exit_error())

    async def _read_printed(self, stderr: asyncio.StreamReader) -> None:
        async for line in _lines(stderr, most=_LINE, last=True):
            self._log(line.decode("utf-8", "replace").rstrip(), self._printed)

    def _log(self, line: str, last: deque[str]) -> None:
        if line.strip():
            last.append(line)
        if self._on_log is not None:
            self._on_log(line)

    def _exit_error(self) -> Wire:
        code = self._process.returncode
        # An abort prints its reason to stderr, past the log.
        last_output = " ".join(" / ".join(self._printed or self._logged).split())
        return {
            "error": {
                "what": f"The process for llama.cpp is gone: {exit_description(code or 0)}.",
                "where": "",
                "hint": f"It said last: {last_output}" if last_output else "",
            }
        }


def _task(work: Coroutine[Any, Any, ResultT]) -> asyncio.Task[ResultT]:
    """A task of the process, which holds nothing of what its caller was about.

    Its pipes live on in the context in which they are made, and a context names Textual's worker.
    """
    return asyncio.create_task(work, context=Context())


async def _lines(
    stream: asyncio.StreamReader, *, most: int | None = None, last: bool = False
) -> AsyncIterator[bytes]:
    """Lines of any length, or cut to `most` bytes, without their ends.

    `last` also yields text after the last line break; an incomplete message is dropped otherwise.
    """
    part = bytearray()
    while block := await stream.read(_READ):
        *complete, rest = block.split(b"\n")
        for line in complete:
            part += line
            yield bytes(part[:most])
            part.clear()
        part += rest
        if most is not None:
            del part[most:]
    if part and last:
        yield bytes(part[:most])
