"""llama-server: log-likelihoods of options beside those of the same file that is loaded here.

python performance/server_likelihoods.py [--items N] [--build] [--llama-server FILE]

Every option of the first task layer of bundled stories is scored in both ways. Prints how the
server's scores were proved, the largest difference and how fast it scores; fails beyond the bound.
`--build` first builds the server of the llama.cpp that is installed, with its page off.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.contract import registry
from core.contract.setting import Setting
from core.files.shipped import samples
from core.models.llama.client import LlamaModel
from core.models.openai.client import OpenAIModel
from core.models.resolver import demo_file
from core.text.errors import ModelError
from performance.peer import llama_server

BOUND = 1e-3
"""Most nats by which an option may score otherwise."""
START_SECONDS = 60


@contextmanager
def served(program: Path) -> Iterator[str]:
    """The address of the bundled model on a server of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(program), "-m", str(demo_file()), "--host", "127.0.0.1", "--port", str(port)]
    command += ["-c", "2048", "-t", "1", "-fa", "off"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()


async def connected(url: str) -> OpenAIModel:
    """The server's model, when it is loaded."""
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            return await OpenAIModel.connect(url)
        except ModelError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.5)


async def measure(url: str, items: int) -> bool:
    """Score in both ways, and print; whether the difference is within the bound."""
    gita = registry.load("gita")
    collection = gita.open(samples() / "gita")
    server, local = await connected(url), await LlamaModel.load(demo_file())
    started = time.perf_counter()
    await server.prove_likelihoods()
    print(f"{server.info.likelihoods}; proved in {time.perf_counter() - started:.1f} s")
    largest, options, seconds = 0.0, 0, 0.0
    for number in range(min(items, len(collection))):
        item = collection.item(number)
        question = gita.question(item, Setting(), gita.layers[0].id)
        if question is None:
            continue
        started = time.perf_counter()
        there = await server.score(question.base(), question.continuations())
        seconds += time.perf_counter() - started
        here = await local.score(question.base(), question.continuations())
        for score, same in zip(there, here, strict=True):
            if score.tokens != same.tokens:
                print(f"{question.item}: {score.tokens} tokens, and {same.tokens} here")
                return False
            largest = max(largest, abs(score.logprob - same.logprob))
        options += len(there)
    await server.close()
    await local.close()
    print(
        f"{options} options: at most {largest:.6f} nats otherwise (bound {BOUND});"
        f" {options / seconds:.1f} options a second"
    )
    return largest <= BOUND


def main() -> None:
    """Measure, or say why not; exit with 1 beyond the bound."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--items", type=int, default=20)
    options.add_argument("--build", action="store_true", help="build llama-server first")
    options.add_argument("--llama-server", type=Path, metavar="FILE")
    chosen = options.parse_args()
    program = chosen.llama_server or llama_server(build=chosen.build)
    if program is None:
        print("skipped: llama-server was not built; --build builds it")
        return
    with served(program) as url:
        raise SystemExit(int(not asyncio.run(measure(url, chosen.items))))


if __name__ == "__main__":
    main()
