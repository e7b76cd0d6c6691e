"""Servers: the requests a second that a run reaches with many questions under way.

python performance/server_concurrency.py [--under-way N...] [--seconds S] [--rounds N]

A server on this machine, in a process of its own, answers each request after 200 ms, so N under
way can reach N / 0.2 s. A whole run (questions built, answers read, scored and recorded) takes
turns with a bare httpx client that sends as many requests of the same size and reads the streams,
so that a busy machine slows both. Processor time is that of this process, for an answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx

from core.contract import registry
from core.contract.question import Form, Scoring
from core.models.openai.client import OpenAIModel
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.fifth.support import installed_shapes, towers

DELAY = 0.2
TARGET = 0.95
_EVENT = b'data: {"choices": [{"delta": {"content": "Answer: yes"}, "finish_reason": "stop"}]}\n\n'
_BODY = _EVENT + b"data: [DONE]\n\n"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n"
_MODELS = json.dumps({"data": [{"id": "stub"}]}).encode()


class Stub(asyncio.Protocol):
    """Answers every request of a connection that is kept open."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.unread = b""

    def data_received(self, data: bytes) -> None:
        self.unread += data
        head, end, body = self.unread.partition(b"\r\n\r\n")
        if head.startswith(b"GET"):
            self.answer(_MODELS)
        elif end and len(body) >= int(head.lower().partition(b"content-length:")[2].split()[0]):
            asyncio.get_running_loop().call_later(DELAY, self.answer, _BODY)
        else:
            return
        self.unread = b""

    def answer(self, body: bytes) -> None:
        self.transport.write(_HEAD % len(body) + body)


def serve(told: Connection) -> None:
    """Serve on a free port, which is told first."""

    async def listen() -> None:
        server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=1024)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    with suppress(KeyboardInterrupt):
        asyncio.run(listen())


async def bare(url: str, under_way: int, requests: int) -> float:
    """Requests a second of a client that does nothing else."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    body = {"model": "stub", "stream": True, "messages": [{"role": "user", "content": "x" * 300}]}
    left = iter(range(requests))
    async with httpx.AsyncClient(limits=limits, timeout=60, trust_env=False) as client:

        async def ask() -> None:
            for _ in left:
                async with client.stream(
                    "POST", f"{url}/v1/chat/completions", json=body
                ) as response:
                    async for _line in response.aiter_lines():
                        pass

        started = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(under_way)))
        return requests / (time.perf_counter() - started)


async def run(url: str, under_way: int, requests: int) -> tuple[float, int]:
    """Answers a second of a run's first layer, and how many answers the run had in all."""
    shapes = registry.load("shapes")
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "runs.sqlite")) as store:
        file = Path(folder, "towers.json")
        file.write_text(json.dumps(towers(requests)))
        model = await OpenAIModel.connect(url)
        source = QuestionSource(shapes, shapes.open(file))
        plan = plan_for(model, source, file, form=Form.CHAT, scoring=Scoring.GENERATED)
        evaluation = Evaluation(store, plan, model, source, concurrency=under_way)
        started, ended, first, answers = 0.0, 0.0, 0, 0
        async for progress in evaluation.steps():
            answers += progress.verdict is not None
            # The first layer asks about every tower.
            if progress.layer is shapes.layers[0]:
                ended = time.perf_counter()
                started, first = started or ended, answers
        await model.close()
        return first / (ended - started), answers


def main() -> None:
    """Print a line for each number of questions under way; exit with 1 below the target."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--under-way", type=int, nargs="+", default=[8, 32, 128])
    options.add_argument("--seconds", type=float, default=6.0, help="of each measurement")
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    ours, theirs = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}"
    failed = False
    try:
        with installed_shapes():
            for under_way in chosen.under_way:
                failed |= not measured(url, under_way, chosen.seconds, chosen.rounds)
    finally:
        server.terminate()
    raise SystemExit(int(failed))


def measured(url: str, under_way: int, seconds: float, rounds: int) -> bool:
    """Measure and print; whether the target is reached, of what the bare client reaches at most."""
    most = under_way / DELAY
    requests = round(most * seconds)
    whole, alone, answers = [], [], 0
    processor = 0.0
    for _ in range(rounds):
        alone.append(asyncio.run(bare(url, under_way, requests)))
        started = time.process_time()
        speed, answered = asyncio.run(run(url, under_way, requests))
        processor += time.process_time() - started
        whole.append(speed)
        answers += answered
    reached, possible = statistics.median(whole), min(most, statistics.median(alone))
    print(
        f"{under_way:4} under way: {reached:6.1f} a second, {reached / most:5.1%} of {most:.0f};"
        f" bare httpx {statistics.median(alone):6.1f}, run / bare {reached / possible:.2f};"
        f" {1000 * processor / answers:.1f} ms of processor an answer",
        flush=True,
    )
    return reached >= TARGET * possible


if __name__ == "__main__":
    main()
