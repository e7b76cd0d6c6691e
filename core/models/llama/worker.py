"""The process that llama.cpp runs in: it reads requests from stdin and writes answers to stdout.

Run as `python -m core.models.llama.worker`; see `messages` for the protocol. A thread reads the
requests, so that a cancellation is noticed while C code runs. The process ends with its stdin, so
it never outlives the program, however that ended.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import msgspec

from core.contract.question import Prompt
from core.models.llama.compilation import compilation
from core.models.llama.messages import Interrupted, Wire, decode, encode, pack_error
from core.models.llama.requirement import HOW_TO_ADD, HOW_TO_REPAIR
from core.text.errors import ModelError
from core.text.language import _, of_environment, speak

_NICENESS = 5


class Line:
    """Sends messages to the program; threads may share it."""

    def __init__(self) -> None:
        """Take over stdout; what C code prints there goes to stderr."""
        self._descriptor = os.dup(1)
        os.dup2(2, 1)
        self._lock = threading.Lock()

    def send(self, message: Wire) -> None:
        """Send one message, whole."""
        data = memoryview(encode(message))
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]


class Requests:
    """Reads requests in a thread, and keeps which of them were cancelled."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Wire] = queue.SimpleQueue()
        self._cancelled_up_to = 0
        self.current = 0

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> Wire:
        """Wait for the next request."""
        request = self._waiting.get()
        self.current = request["id"]
        return request

    def cancelled(self) -> bool:
        """Whether the present request was cancelled."""
        return self.current <= self._cancelled_up_to

    def _read(self) -> None:
        try:
            for line in sys.stdin.buffer:
                message = decode(line)
                if message["op"] == "cancel":
                    self._cancelled_up_to = message["id"]
                else:
                    self._waiting.put(message)
        finally:
            # The program closed the pipe or is gone; C code could go on for a long time.
            os._exit(0)


class Worker:
    """Answers one request after the other."""

    def __init__(self, line: Line, requests: Requests) -> None:
        self._line = line
        self._requests = requests
        self._log: Any = None
        """llama.cpp's log; referenced here because C code calls it until the process ends."""
        self._engine: Any = None
        self._prompting: Any = None
        self._operations: dict[str, Callable[[Wire], Any]] = {"load": self._load}

    def serve(self) -> None:
        """Answer requests until the process ends."""
        while True:
            request = self._requests.next()
            number = request["id"]
            try:
                if self._requests.cancelled():
                    raise Interrupted
                result = self._operations[request["op"]](request)
            except Interrupted:
                self._line.send({"id": number, "cancelled": True})
            except ModelError as error:
                self._line.send({"id": number, "error": pack_error(error)})
            else:
                self._line.send({"id": number, "result": result})

    def _load(self, request: Wire) -> Wire:
        self._log = log = _import_engine(self._line)
        from core.models.llama.block_worker import BlockWorker
        from core.models.llama.engine import Engine
        from core.models.llama.template_client import Renderer
        from core.models.llama.template_values import fixed_values
        from core.models.llama.tokenizer import Prompting

        number = request["id"]
        try:
            engine = Engine(
                request["path"],
                request["context"],
                extra_buffers=request["extra_buffers"],
                gpu_layers=request["gpu_layers"],
                gpu_bytes=request["gpu_bytes"],
                threads=request["threads"],
                known_threads=request["known_threads"],
                exact=request["exact"],
                progress=lambda share: self._line.send({"id": number, "progress": share}),
                cancelled=self._requests.cancelled,
            )
        except ModelError as error:
            raise ModelError(error.what, hint=error.hint or log.last_errors()) from None
        prompting = Prompting(engine, Renderer(self._requests.cancelled))
        chat = bool(engine.template) and prompting.takes(["user", "assistant", "user"])
        if engine.template and not chat:
            self._line.send({"log": "The chat template cannot be used: turns are not offered."})
        self._engine, self._prompting = engine, prompting
        blocks = BlockWorker(engine, prompting, self._requests.cancelled, self._line.send)
        self._operations |= {
            "score": self._score,
            "generate": self._generate,
            "score_together": self._score_together,
            "generate_together": self._generate_together,
            "choose_threads": self._choose_threads,
        }
        self._operations |= blocks.operations()
        return {
            "context": engine.context,
            "blocks": engine.blocks,
            "gpu_layers": engine.gpu_layers,
            "threads": engine.threads,
            "parameters": engine.parameters,
            "chat": chat,
            "template": fixed_values(engine.template) if chat else "",
            "system_turn": chat and prompting.takes(["system", "user"]),
        }

    def _score(self, request: Wire) -> list[Any]:
        from core.models.llama.completion import score_options

        prepared = self._prepared(request)
        start, sequences = self._prompting.encode_options(prepared, request["options"])
        return score_options(self._engine, start, sequences)

    def _generate(self, request: Wire) -> None:
        from core.models.llama.completion import generate_greedily

        prompt = self._prompting.encode(self._prepared(request))
        for token in generate_greedily(
            self._engine, prompt, request["max_tokens"], request["stop"]
        ):
            self._line.send({"id": request["id"], "token": token})

    def _score_together(self, request: Wire) -> list[list[Any]]:
        from core.models.llama.batches import score_together

        encoded = [
            self._prompting.encode_options(self._prepared(question), question["options"])
            for question in request["questions"]
        ]
        return score_together(self._engine, encoded, request["batch"])

    def _generate_together(self, request: Wire) -> list[list[Any]]:
        from core.models.llama.batches import Continuation, generate_together

        questions = [
            Continuation(
                self._prompting.encode(self._prepared(question)),
                question["max_tokens"],
                question["stop"],
            )
            for question in request["questions"]
        ]
        return generate_together(self._engine, questions, request["batch"])

    def _choose_threads(self, _request: Wire) -> Wire:
        seconds = self._engine.choose_threads()
        return {"threads": self._engine.threads, "seconds": seconds}

    def _prepared(self, request: Wire) -> Any:
        return self._prompting.prepare(msgspec.convert(request["prompt"], Prompt))


def _import_engine(line: Line) -> Any:
    try:
        from core.models.llama.log import Log
    except ModuleNotFoundError as error:
        if (waited := compilation()) is not None:
            raise ModelError(
                _("Models that are files have to wait: {state}.", state=waited.state),
                hint=waited.error,
            ) from None
        raise ModelError(
            _(
                "llama-cpp-python, which runs models that are files, cannot be imported: {error}.",
                error=error,
            ),
            hint=HOW_TO_ADD,
        ) from None
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            _("llama-cpp-python does not load: {error}.", error=error), hint=HOW_TO_REPAIR
        ) from None
    return Log(lambda text: line.send({"log": text}))


def main() -> None:
    """Serve until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    speak(of_environment())
    # The person at the keys comes first: on few cores decoding would make every key wait.
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    requests = Requests()
    line = Line()
    requests.start()
    Worker(line, requests).serve()


if __name__ == "__main__":
    main()
