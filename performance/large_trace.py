"""How long one item's trace takes with a model of 1.2 billion parameters.

python performance/large_trace.py [--model FILE] [--item ID]

Runs `commonsense-tui trace gita ITEM` as a person does, sentence by block, from start to end: the
model is loaded, its blocks are tested, a contrast prompt is looked for, and every cell is computed
(target: 45 seconds on two cores). Without `--model`: random weights in Q8_0, whose words are those
of the item's prompt, so that it has as many tokens as with a real model.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import commonsense_tui as ct
from tests.cli.support import ok
from tests.gguf_files import Tiny, byte_letters, write

TARGET = 45
LARGE = Tiny(
    blocks=16,
    width=2048,
    heads=32,
    key_value_heads=8,
    hidden=8192,
    context=2048,
    deviation=0.02,
    precision="q8_0",
)
"""1.24 billion parameters with `VOCABULARY` words; some two minutes and 1.3 GB."""
VOCABULARY = 128_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--item", default="1-C0")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = asked.model or _random_model(Path(folder), asked.item)
        started = time.perf_counter()
        done = ok("trace", "gita", asked.item, "--model", model, "--json")
        took = time.perf_counter() - started
    spans, blocks, tokens = len(done.json["spans"]), len(done.json["blocks"]), done.json["tokens"]
    size = f"{spans} spans x {blocks} blocks, {tokens} tokens"
    print(f"{size}: {took:.1f} s (target {TARGET} s)")


def _random_model(folder: Path, item: str) -> Path:
    """Writes the random weights."""
    letters = byte_letters()
    prompts = " ".join(question.base() for question in ct.open("gita")[item].questions())
    words = {
        "".join(letters[byte] for byte in word.encode())
        for word in re.findall(r" ?[^\W\d_]+", prompts)
    }
    known = list(dict.fromkeys([*letters.values(), *sorted(words)]))
    filler = [f"<filler{number}>" for number in range(VOCABULARY - len(known))]
    return write(folder / "large.gguf", LARGE, tokens=[*known, *filler])


if __name__ == "__main__":
    main()
