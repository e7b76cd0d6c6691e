"""Values are decoded to a class for the first time in several threads at once."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAIN = {"msgspec.Raw", "list[msgspec.Raw]", "dict[str, msgspec.Raw]", "str"}
"""Types without a class whose fields are looked at."""
ONE_THREAD = {
    "core/models/llama/worker.py",
    "core/models/llama/block_worker.py",
    "core/benchmarks/com2/synthesis/provenance.py",
}
"""A process of their own, and a command."""
PLAIN_KINDS = {"core/exchange/exporters/verdict_table.py"}
RACE = """
from __future__ import annotations
import sys
from threading import Barrier, Thread
from typing import Annotated
import msgspec
from core.system.typed_values import ready
sys.setswitchinterval(1e-6)
for number in range(1_000):
    kinds = "Annotated[int, msgspec.Meta(ge=0)] | None = None"
    fields = "".join(f"    f{n}: {kinds}\\n" for n in range(20))
    exec(f"class Row{number}(msgspec.Struct, array_like=True):\\n{fields}")
    kind, together, found = globals()[f"Row{number}"], Barrier(3), []
    def decode():
        together.wait()
        found.append(msgspec.convert([1] * 20, ready(kind)).f19)
    threads = [Thread(target=decode) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1, 1, 1]
print("alive")
"""


def test_a_class_that_several_threads_decode_to_first_ends_no_process() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", RACE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (ran.returncode, ran.stdout) == (0, "alive\n"), ran.stderr


def test_every_type_that_is_decoded_to_is_ready() -> None:
    found = []
    for folder in ("core", "tui"):
        for file in (ROOT / folder).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            if name not in ONE_THREAD | PLAIN_KINDS:
                found += [f"{name}: {kind}" for kind in decoded_to(ast.parse(file.read_text()))]
    assert found == []


def decoded_to(module: ast.Module) -> list[str]:
    """The types that calls of msgspec name, but for plain ones and those that are made ready."""
    kinds = []
    for call in ast.walk(module):
        if isinstance(call, ast.Call):
            function = ast.unparse(call.func)
            if function == "msgspec.convert":
                kinds.append(ast.unparse(call.args[1]))
            elif function in {"msgspec.json.decode", "msgspec.msgpack.decode"}:
                kinds += [ast.unparse(each.value) for each in call.keywords if each.arg == "type"]
    return [kind for kind in kinds if kind not in PLAIN and not kind.startswith("ready(")]
