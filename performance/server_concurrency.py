"""Servers: the requests a second that a run reaches with many questions under way.

python performance/server_concurrency.py [--under-way N...] [--seconds S] [--rounds N]
    [--lm-eval PYTHON]

A server on this machine, in a process of its own, answers each request after 200 ms, so N under
way can reach N / 0.2 s. A whole run (questions built, answers streamed, read, scored and recorded)
takes turns with lm-evaluation-harness, which makes as many requests of the same size, so that a
busy machine slows both. PYTHON is one in which `lm_eval[api]` is installed; without it the run is
compared with what the server allows. Processor time is for an answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

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
PEER = Path(__file__).with_name("lm_eval_requests.py")
_EVENT = b'data: {"choices": [{"delta": {"content": "Answer: yes"}, "finish_reason": "stop"}]}\n\n'
_BODY = _EVENT + b"data: [DONE]\n\n"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
_WHOLE = b'{"choices": [{"index": 0, "message": {"content": "Answer: yes"}}]}'
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
            answer = _BODY if b'"stream": true' in body else _WHOLE
            asyncio.get_running_loop().call_later(DELAY, self.answer, answer)
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


def lm_eval(python: str, url: str, under_way: int, requests: int) -> tuple[float, float]:
    """Its requests a second, and its seconds of processor for one."""
    command = [python, str(PEER), url, "stub", str(requests), str(under_way), "64"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return said["per_second"], said["processor"]


def has_lm_eval(python: str) -> bool:
    """Whether this Python can make its requests."""
    return not subprocess.run(
        [python, "-c", "import lm_eval.models.openai_completions, aiohttp, tenacity"],
        capture_output=True,
        check=False,
    ).returncode


def main() -> None:
    """Print a line for each number of questions under way; exit with 1 below the target."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--under-way", type=int, nargs="+", default=[8, 32, 128])
    options.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--lm-eval", metavar="PYTHON", default=sys.executable)
    chosen = options.parse_args()
    peer = chosen.lm_eval if has_lm_eval(chosen.lm_eval) else ""
    if not peer:
        print(f"lm-eval is not installed for {chosen.lm_eval}: compared with the server alone")
    ours, theirs = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}"
    failed = False
    try:
        with installed_shapes():
            for under_way in chosen.under_way:
                failed |= not measured(url, under_way, chosen.seconds, chosen.rounds, peer)
    finally:
        server.terminate()
    raise SystemExit(int(failed))


def measured(url: str, under_way: int, seconds: float, rounds: int, peer: str) -> bool:
    """Measure and print; whether the target is reached, of what `peer` reaches."""
    most = under_way / DELAY
    requests = round(most * seconds)
    whole, theirs, answers = [], [], 0
    processor, their_processor = 0.0, 0.0
    for _ in range(rounds):
        if peer:
            speed, their_processor = lm_eval(peer, url, under_way, requests)
            theirs.append(speed)
        started = time.process_time()
        speed, answered = asyncio.run(run(url, under_way, requests))
        processor += time.process_time() - started
        whole.append(speed)
        answers += answered
    reached = statistics.median(whole)
    line = f"{under_way:4} under way: {reached:6.1f} a second, {reached / most:5.1%} of {most:.0f};"
    if peer:
        other = statistics.median(theirs)
        line += f" lm-eval {other:6.1f}, run / lm-eval {reached / other:.2f};"
    line += f" {1000 * processor / answers:.1f} ms of processor an answer"
    print(line + (f", lm-eval {1000 * their_processor:.1f}" if peer else ""), flush=True)
    return reached >= TARGET * (other if peer else most)


if __name__ == "__main__":
    main()
