"""Records what the installed program does as plain files, and compares two such recordings.

    python tools/behaviour.py record FOLDER --program .venv/bin/commonsense-tui
    python tools/behaviour.py compare BEFORE AFTER

A recording holds help, JSON, views, questions, exports, figures of the bundled model and screens of
the bundled samples. The program is only run, never imported, so that one script records the tree
before a change and the tree after it. `NAMES` in behaviour_comparison.py lists
the names that changed on purpose.
"""

from __future__ import annotations

import argparse
import functools
import json
import re
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from behaviour_comparison import compare
from behaviour_program import Program, Result, Terminal, WarmProgram

BENCHMARKS = ("gita", "com2", "accord", "abspyramid")
FORMATS = ("html", "svg", "md", "text", "json", "graphml", "dot", "mermaid")
SIZES = ((140, 40), (80, 24), (60, 20))
SCREEN_STEPS = (
    ("down", "j"),
    ("asked", " "),
    ("prompt", "p"),
    ("blocks", "x"),
    ("what-adds", "U"),
    ("attention", "O"),
    ("blocks-closed", "x"),
    ("trace", "X"),
    ("trace-closed", "X"),
    ("variant", "v"),
    ("help", "?"),
    ("export", "\x1be"),
    ("models", "\x1bm"),
    ("collections", "\x1bC"),
    ("switches", "\x1bs"),
    ("about", "\x1bb"),
    ("lessons", "\x1bQ"),
    ("run", "\x1br"),
    # Last, because what it says where nothing can be larger stays on the screen for a while.
    ("more", "\x1b+"),
)
"""Name of a screen and the keys that lead to it from the screen before; \\x1b is escape."""
CONTRASTS = {
    "gita": ("0-O0", "variant=0"),
    "com2": ("away-goal:intervention", "event.appeal=do=0"),
    "accord": ("lifeguard", "implied=A"),
    "abspyramid": ("personx-sprints-across-the-square-as-the-e408:verb-sprints", "component=event"),
}
"""Of each benchmark an item, and what its contrast has that it has not."""
NODE_STATES = ("do=1", "do=0", "observe=1", "observe=0", "imagine=1", "imagine=0")
NEW_TEXT = "Nobody knows what happened next."
NEW_NODE = '[["add","hail","Hail falls"]]'


class Recording:
    """A folder of plain files, without the paths of this machine."""

    def __init__(self, folder: Path, program: Program) -> None:
        self.folder = folder
        self.program = program
        self.tree = program.file.parents[2]
        self.samples = self.tree / "samples"
        self.items: dict[str, list[str]] = {}
        """The ids of the items of each benchmark."""

    def keep(self, name: str, content: str | bytes) -> None:
        """Write a file of the recording."""
        data = content.encode() if isinstance(content, str) else content
        for path, word in ((self.program.home, b"<home>"), (self.tree, b"<tree>")):
            data = data.replace(str(path).encode(), word)
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def keep_run(self, name: str, *words: str, home: str = "home") -> Result:
        """Run the program and record what it printed."""
        result = self.program.run(*words, home=home)
        self.keep(name, result.text)
        return result

    def keep_runs(self, section: str, run: Callable[..., Result], **names: str) -> None:
        """Run the commands of a section of behaviour.txt, in which names stand for words."""
        tables = Path(__file__).with_suffix(".txt").read_text("utf-8")
        table = tables.partition(f"[{section}]\n")[2].partition("\n[")[0]
        for line in table.strip().splitlines():
            for name, word in names.items():
                line = line.replace(f"{{{name}}}", word)
            file, _, words = line.partition(": ")
            self.keep(file, run(*words.split()).text)


# -- what is recorded ------------------------------------------------------------------------------


def record_help(recording: Recording, words: tuple[str, ...] = ()) -> None:
    """The help of a command and of those below it."""
    text = recording.program.run(*words, "--help").text
    recording.keep(f"help/{'-'.join(words) or 'main'}.txt", text)
    _, _, commands = text.partition("\nCommands:\n")
    for name in re.findall(r"(?m)^  ([a-z][\w-]*)  ", commands):
        record_help(recording, (*words, name))


def record_questions(recording: Recording, benchmark: str) -> None:
    """The prompts of all questions, with worked examples and as turns; finds the items."""
    name, words = f"questions/{benchmark}", ("questions", benchmark, "--jsonl")
    lines = recording.keep_run(f"{name}.jsonl", *words).out.splitlines()
    recording.items[benchmark] = list(dict.fromkeys(json.loads(line)["item"] for line in lines))
    recording.keep_run(f"{name}-chat.jsonl", *words, "--form", "chat")
    for rule in ("random", "varied"):
        recording.keep_run(f"{name}-{rule}.jsonl", *words, "--shots", "2", "--shot-rule", rule)
    first = json.loads(
        recording.program.run("show", benchmark, recording.items[benchmark][0], "--json").out
    )
    for switch in first["switches"]:
        if "values" not in switch or switch.get("cycles") or switch.get("implied"):
            continue
        for value in switch["values"]:
            if value != switch["default"]:
                setting = f"{switch['key']}={value}"
                recording.keep_run(f"{name}-{setting}.jsonl", *words, "--set", setting)


def other_values(switch: dict[str, Any]) -> list[str]:
    """What a switch is set to: all of few values, a fixed handful of many."""
    default = switch["default"]
    if re.search(r"\.([4-9]|\d\d)$", switch["key"]):
        return []
    if "values" in switch:
        return [value for value in switch["values"] if value != default]
    if "parts" in switch:
        order = default.split(",")
        orders = (order[::-1], [*order[1:2], *order[:1], *order[2:]], [*order[1:], *order[:1]])
        return list(dict.fromkeys(",".join(each) for each in orders if each != order))
    if "low" in switch:
        low, high = switch["low"], switch["high"]
        values = range(low, high + 1) if high - low < 9 else (low + 1,)
        return [str(value) for value in values if str(value) != default]
    if default in {"on", "off"}:
        return ["off" if default == "on" else "on"]
    if default == "free":
        return [NODE_STATES[len(switch["key"]) % 6]]
    return [NEW_TEXT] if "limit" in switch else [NEW_NODE]


def record_views(recording: Recording, part: int, parts: int) -> None:
    """Every so many-th item's view under its default setting, and with each switch set otherwise.

    Items whose ids begin alike have the same switches: they are tried on the first one.
    """
    program = WarmProgram(recording.program)
    items = [(name, item) for name in BENCHMARKS for item in recording.items[name]]
    for benchmark in BENCHMARKS:
        program.run("show", benchmark, recording.items[benchmark][0], warm=True)
    first = {(name, item.partition(":")[0]): item for name, item in reversed(items)}
    for benchmark, item in items[part::parts]:
        shown = program.run("show", benchmark, item, "--json")
        recording.keep(f"views/{benchmark}/{item}.json", shown.text)
        texts = [program.run("show", benchmark, item).text]
        every = first[benchmark, item.partition(":")[0]] == item
        for switch in json.loads(shown.out)["switches"] if every else ():
            for value in other_values(switch):
                setting = f"{switch['key']}={value}"
                text = program.run("show", benchmark, item, "--set", setting).text
                texts.append(f"=== {setting}\n{text}")
        recording.keep(f"views/{benchmark}/{item}.txt", "\n".join(texts))
    program.close()


def record_exports(recording: Recording, benchmark: str) -> None:
    """Two items in every format, and one with what a model's blocks say of it."""
    items = recording.items[benchmark]
    jobs: list[tuple[str, str, tuple[str, ...]]]
    jobs = [(item, form, ()) for item in (items[0], items[len(items) // 2]) for form in FORMATS]
    jobs += [
        (items[1], form, options)
        for form in ("html", "md", "text", "json")
        for options in (("--blocks",), ("--trace",), ("--blocks", "--trace"))
    ]
    for item, form, options in jobs:
        made = recording.program.home / f"export-{benchmark}"
        words = ("export", form, benchmark, item, "--out", str(made), *options)
        result = recording.program.run(*words)
        kind = "-".join(("", *options)).replace("--", "")
        name = f"exports/{benchmark}/{item}{kind}.{form}"
        recording.keep(name, made.read_bytes() if made.exists() else result.text)
        made.unlink(missing_ok=True)


def record_model(recording: Recording, benchmark: str) -> None:
    """What the bundled model answers, a run over some items, and its blocks on one item."""
    items = recording.items[benchmark]
    item, contrast = CONTRASTS[benchmark]
    recording.keep_runs(
        "model",
        functools.partial(recording.program.run, home=f"run-{benchmark}"),
        benchmark=benchmark,
        limit={"gita": "12", "accord": "5"}.get(benchmark, "30"),
        first=items[0],
        second=items[1],
        last=items[-1],
        item=item,
        contrast=contrast,
    )


def record_commands(recording: Recording) -> None:
    """What the commands print that need nothing but the bundled samples, and their errors."""
    made = recording.program.home
    kinds = ("direct", "decision", "transition", "intervention", "counterfactual")
    written: dict[str, list[dict[str, Any]]] = {
        "answers": [
            {"type": kinds[i % 5], "options": [*"xyz"], "gold": "ABC"[i % 3], "answer": "AB"[i % 2]}
            for i in range(30)
        ],
        "labels": [
            {"label": i % 2, "p_yes": i * 7 % 24 / 24, "pred": i * 7 % 24 // 12}
            | {"type": ("noun", "verb", "event")[i % 3], "event": f"event {i // 2}"}
            for i in range(48)
        ],
        "said": [{"label": ["animal", "pet"], "pred": said} for said in ("animal", "a pet", "oak")],
    }
    for name, rows in written.items():
        (made / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    recording.keep_runs(
        "samples", recording.program.run, made=str(made), samples=str(recording.samples)
    )
    for lesson in sorted((recording.samples / "lessons").glob("*.yaml")):
        page = made / f"{lesson.stem}.html"
        recording.program.run("lesson", "export", lesson.stem, "--to", str(page))
    files = (*made.glob("*.html"), *made.glob("suite/*.jsonl"), *made.glob("sets/*/merged*/*.json"))
    for file in (made / "lesson.yaml", *files):
        recording.keep(f"json/made/{file.relative_to(made)}", file.read_bytes())


def record_graphs(recording: Recording) -> None:
    """Probabilities and separation of every graph, and what every scenario asks."""
    program = WarmProgram(recording.program)
    program.run("com2", "query", recording.items["com2"][0], warm=True)
    for graph in dict.fromkeys(item.partition(":")[0] for item in recording.items["com2"]):
        switches = json.loads(program.run("show", "com2", graph, "--json").out)["switches"]
        events = [each["key"][6:] for each in switches if each["key"].startswith("event.")]
        if events:
            first, middle, last = events[0], events[len(events) // 2], events[-1]
            names = {"graph": graph, "first": first, "middle": middle, "last": last}
            recording.keep_runs("graph", program.run, **names)
    for item in recording.items["com2"]:
        graph, _, kind = item.partition(":")
        words = ("com2", "scenario", graph, "--kind", kind, "--json")
        recording.keep(f"json/com2/{graph}-{kind}.json", program.run(*words).text)
    program.close()


# -- screens ---------------------------------------------------------------------------------------


def record_screens(recording: Recording, benchmark: str, size: tuple[int, int]) -> None:
    """What the program shows of a benchmark's samples, key after key."""
    terminal = Terminal(recording.program, ["browse", benchmark], size)
    folder = f"screens/{benchmark}-{size[0]}x{size[1]}"
    try:
        recording.keep(f"{folder}/00-opened.txt", terminal.stable(quiet=2))
        for number, (name, keys) in enumerate(SCREEN_STEPS, start=1):
            terminal.press(keys)
            recording.keep(f"{folder}/{number:02}-{name}.txt", terminal.stable())
    finally:
        terminal.close()


def record(folder: Path, program: Path) -> None:
    """Record everything, with two processes at a time."""
    if folder.exists():
        sys.exit(f"{folder} is there already.")
    recording = Recording(folder, Program(program.absolute()))
    screens = [(name, size) for size in SIZES for name in BENCHMARKS]
    parts: dict[str, list[Callable[[], None]]] = {
        "help": [functools.partial(record_help, recording)],
        "questions": [functools.partial(record_questions, recording, name) for name in BENCHMARKS],
        "views": [functools.partial(record_views, recording, i, 2) for i in range(2)],
        "exports": [functools.partial(record_exports, recording, name) for name in BENCHMARKS],
        "model": [functools.partial(record_model, recording, name) for name in BENCHMARKS],
        "json": [functools.partial(each, recording) for each in (record_commands, record_graphs)],
        "screens": [functools.partial(record_screens, recording, *each) for each in screens],
    }
    with ThreadPoolExecutor(2) as pool:
        for part, tasks in parts.items():
            begun = time.monotonic()
            for future in [pool.submit(task) for task in tasks]:
                future.result()
            print(f"{part}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    shutil.rmtree(recording.program.home)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser("record", help="record what an installed program does")
    recorder.add_argument("folder", type=Path)
    recorder.add_argument("--program", type=Path, required=True)
    comparer = commands.add_parser("compare", help="print how two recordings differ")
    comparer.add_argument("before", type=Path)
    comparer.add_argument("after", type=Path)
    comparer.add_argument("--most", type=int, default=40, help="most lines printed of a file")
    comparer.add_argument(
        "--same-names", action="store_true", help="of trees between which no name was changed"
    )
    given = parser.parse_args()
    if given.command == "compare":
        return compare(given.before, given.after, given.most, rename=not given.same_names)
    record(given.folder, given.program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
