"""A collection of 100,000 stories: opening, filtering as one types, memory.

python performance/collection.py
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path

from terminal import PROGRAM, Terminal, median_ms, painted, percentile_ms

from core.files.shipped import samples

STORIES = 100_000


def write_stories(path: Path) -> None:
    """Write invented stories, made of the bundled ones' sentences, one JSON object a line."""
    bundled = json.loads((samples() / "gita" / "stories.json").read_text(encoding="utf-8"))
    shapes = list(bundled.values())
    rnd = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        for number in range(STORIES // 3):
            for kind, letter in ((None, ""), ("order", "-O0"), ("cloze", "-C0")):
                shape = dict(rnd.choice(shapes))
                key = f"{number}{letter}"
                shape |= {"story_id": number, "type": kind, "example_id": key}
                shape["sentences"] = [f"{s} ({number})" for s in shape["sentences"]]
                file.write(json.dumps(shape, ensure_ascii=False) + "\n")


def seconds_to_list(terminal: Terminal, key: str) -> float:
    """Type one character of the filter; seconds until the list has changed for it."""
    terminal.settle(0.4)
    before = "\n".join(terminal.lines)

    def listed(lines: list[str]) -> bool:
        return any(" of 99,99" in line for line in lines) and "\n".join(lines) != before

    pressed = time.perf_counter()
    terminal.send(key.encode())
    return terminal.until(listed, 20) - pressed


def main() -> None:
    """Print the figures and the targets beside them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stories.jsonl")
        write_stories(path)
        size = path.stat().st_size / 1e6
        terminal = Terminal([*PROGRAM, "browse", str(path)])
        try:
            shown = terminal.until(painted("99,99"), 60) - terminal.started
            time.sleep(2)
            terminal.send(b"/")
            waits = [seconds_to_list(terminal, key) for key in "33210"]
            memory = terminal.resident_bytes() / 1e6
        finally:
            terminal.close()
    print(f"{STORIES // 3 * 3:,} stories, {size:.0f} MB")
    print(f"open to first paint  {shown:6.2f} s    (target 1.5)")
    print(
        f"filter, per key      {median_ms(waits):6.0f} ms   "
        f"(worst {percentile_ms(waits, 1):.0f}, target 100)"
    )
    print(f"memory               {memory:6.0f} MB   (target 300)")


if __name__ == "__main__":
    main()
