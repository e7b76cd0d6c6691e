"""Records what the installed program does as plain files, and compares two such recordings.

    python tools/behaviour.py record FOLDER --program .venv/bin/commonsense-tui
    python tools/behaviour.py compare BEFORE AFTER

A recording holds help, JSON, views, questions, exports, figures of the bundled model and screens of
the bundled samples. The program is only run, never imported, so that one script records the tree
before a change and the tree after it. `NAMES` below lists the names that changed on purpose.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import gc
import json
import os
import re
import runpy
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import typer

NAMES: tuple[tuple[str, str, str], ...] = (
    # The files it is replaced in, the name before as a regular expression, the name after.
    ("help/*", r"(?<=commonsense-tui )layers\b", "blocks"),
    ("help/main.txt", r"(?m)^( +)layers\b", r"\1blocks"),
    ("help/export.txt", r"--layers\b", "--blocks"),
    ("[he]*/*", r"--twin\b", "--contrast"),
    ("errors/*", r"--layers\b", "--blocks"),
)
"""Names that changed on purpose: they are replaced in the recording before."""

EXPECTED: dict[str, str] = {}
"""Files of a recording that may differ, with the reason."""

NOISE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00|Z)?", "<time>"),
    (r'("seconds": )[\d.e-]+', r"\1<seconds>"),
    # How often a run says how far it is depends on how fast the machine is.
    (r"(?m)^.*\b\d+/\d+ asked.*\n", ""),
    (r"\b\d+(\.\d+)? (m?s|tokens?/s|tok/s)\b *", "<duration> "),
)
"""What differs between two runs of the same tree."""

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
    "com2": ("away-goal:intervention", "event.void=do=0"),
    "accord": ("lifeguard", "implied=A"),
    "abspyramid": ("personx-sprints-across-the-square-as-the-e408:verb-sprints", "component=event"),
}
"""Of each benchmark an item, and what its contrast has that it has not."""
NODE_STATES = ("do=1", "do=0", "observe=1", "observe=0", "imagine=1", "imagine=0")
NEW_TEXT = "Nobody knows what happened next."
NEW_NODE = '[["add","hail","Hail falls"]]'


@dataclass(frozen=True)
class Result:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All of it, as it is recorded."""
        parts = [self.out]
        if self.err:
            parts.append(f"--- stderr\n{self.err}")
        if self.code:
            parts.append(f"--- exit code {self.code}\n")
        return "".join(parts)


class Recording:
    """A folder of plain files, without the paths of this machine."""

    def __init__(self, folder: Path, program: Path) -> None:
        self.folder = folder
        self.program = program
        self.tree = program.parents[2]
        self.samples = self.tree / "samples"
        self.home = Path(tempfile.mkdtemp(prefix="behaviour-"))
        self.help: dict[tuple[str, ...], str] = {}
        """The help of every command."""
        self.items: dict[str, list[str]] = {}
        """The ids of the items of each benchmark."""

    def option(self, command: str, *names: str) -> str:
        """The first of several names that is an option of a command."""
        return next(name for name in names if re.search(rf"{name}\b", self.help[(command,)]))

    def environment(self, home: str = "home") -> dict[str, str]:
        """An environment with a home of its own, in English, without colours or movement."""
        place = self.home / home
        place.mkdir(exist_ok=True)
        xdg = {"CONFIG": ".config", "DATA": ".local/share", "CACHE": ".cache", "STATE": ".state"}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(place),
            **{f"XDG_{name}_HOME": str(place / folder) for name, folder in xdg.items()},
            "LANG": "C.UTF-8",
            "LANGUAGE": "en",
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
        }

    def run(self, *words: str, home: str = "home") -> Result:
        """Run the program in a process of its own."""
        done = subprocess.run(
            [self.program, *words],
            capture_output=True,
            env=self.environment(home),
            cwd=self.home,
            timeout=300,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def keep(self, name: str, content: str | bytes) -> None:
        """Write a file of the recording."""
        data = content.encode() if isinstance(content, str) else content
        for path, word in ((self.home, b"<home>"), (self.tree, b"<tree>")):
            data = data.replace(str(path).encode(), word)
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def keep_run(self, name: str, *words: str, home: str = "home") -> Result:
        """Run the program and record what it printed."""
        result = self.run(*words, home=home)
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


class WarmProgram:
    """The program with its modules loaded, forked for every command: a start takes no time."""

    def __init__(self, recording: Recording) -> None:
        self._files = [Path(tempfile.mkstemp(dir=recording.home)[1]) for _ in range(2)]
        self._process = subprocess.Popen(
            [recording.program.with_name("python"), __file__, "worker", recording.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=recording.environment(),
            cwd=recording.home,
            text=True,
        )

    def run(self, *words: str, warm: bool = False) -> Result:
        """Run the program; `warm` keeps the modules that this command loads for the later ones."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        job = {"words": words, "files": [str(file) for file in self._files], "warm": warm}
        print(json.dumps(job), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        return Result(code, *(file.read_text("utf-8") for file in self._files))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def worker(program: str) -> None:
    """Run commands as standard input names them; the other end of `WarmProgram`."""
    replies = os.fdopen(os.dup(1), "w")
    # Typer makes all commands again for every run, which takes longer than most of them.
    typer.main.get_command = functools.cache(typer.main.get_command)
    sys.path[0] = str(Path(program).parent)

    def execute(job: dict[str, Any]) -> int:
        for number, file in enumerate(job["files"], start=1):
            opened = os.open(file, os.O_WRONLY | os.O_TRUNC)
            os.dup2(opened, number)
            os.close(opened)
        sys.argv = [program, *job["words"]]
        try:
            runpy.run_path(program, run_name="__main__")
            code = 0
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else int(leave.code is not None)
        sys.stdout.flush()
        sys.stderr.flush()
        return code

    for line in sys.stdin:
        job = json.loads(line)
        if job["warm"]:
            code = execute(job)
            gc.freeze()
        elif child := os.fork():
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            code = 1
            try:
                code = execute(job)
            finally:
                os._exit(code)
        print(code, file=replies, flush=True)


# -- what is recorded ------------------------------------------------------------------------------


def record_help(recording: Recording, words: tuple[str, ...] = ()) -> None:
    """The help of a command and of those below it."""
    text = recording.run(*words, "--help").text
    recording.help[words] = text
    name = "blocks" if words == ("layers",) else "-".join(words) or "main"
    recording.keep(f"help/{name}.txt", text)
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
        recording.run("show", benchmark, recording.items[benchmark][0], "--json").out
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
    program = WarmProgram(recording)
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
    blocks = recording.option("export", "--blocks", "--layers")
    jobs: list[tuple[str, str, tuple[str, ...]]]
    jobs = [(item, form, ()) for item in (items[0], items[len(items) // 2]) for form in FORMATS]
    jobs += [
        (items[1], form, options)
        for form in ("html", "md", "text", "json")
        for options in ((blocks,), ("--trace",), (blocks, "--trace"))
    ]
    for item, form, options in jobs:
        made = recording.home / f"export-{benchmark}"
        result = recording.run("export", form, benchmark, item, "--out", str(made), *options)
        kind = "-".join(("", *options)).replace(blocks, "blocks").replace("--", "")
        name = f"exports/{benchmark}/{item}{kind}.{form}"
        recording.keep(name, made.read_bytes() if made.exists() else result.text)
        made.unlink(missing_ok=True)


def record_model(recording: Recording, benchmark: str) -> None:
    """What the bundled model answers, a run over some items, and its blocks on one item."""
    items = recording.items[benchmark]
    item, contrast = CONTRASTS[benchmark]
    names = {"--contrast": recording.option("patch", "--contrast", "--twin")}
    recording.keep_runs(
        "model",
        functools.partial(recording.run, home=f"run-{benchmark}"),
        benchmark=benchmark,
        limit={"gita": "12", "accord": "5"}.get(benchmark, "30"),
        first=items[0],
        second=items[1],
        last=items[-1],
        blocks="blocks" if ("blocks",) in recording.help else "layers",
        item=item,
        contrast=contrast,
        **names,
    )


def record_commands(recording: Recording) -> None:
    """What the commands print that need nothing but the bundled samples, and their errors."""
    made = recording.home
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
    names = {"--blocks": recording.option("export", "--blocks", "--layers")}
    names["--contrast"] = recording.option("trace", "--contrast", "--twin")
    recording.keep_runs(
        "samples", recording.run, made=str(made), samples=str(recording.samples), **names
    )
    for lesson in sorted((recording.samples / "lessons").glob("*.yaml")):
        page = made / f"{lesson.stem}.html"
        recording.run("lesson", "export", lesson.stem, "--to", str(page))
    files = (*made.glob("*.html"), *made.glob("suite/*.jsonl"), *made.glob("sets/*/merged*/*.json"))
    for file in (made / "lesson.yaml", *files):
        recording.keep(f"json/made/{file.relative_to(made)}", file.read_bytes())


def record_graphs(recording: Recording) -> None:
    """Probabilities and separation of every graph, and what every scenario asks."""
    program = WarmProgram(recording)
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


class Terminal:
    """The program in a pseudo terminal."""

    def __init__(self, recording: Recording, words: list[str], size: tuple[int, int]) -> None:
        import pyte
        from ptyprocess import PtyProcess

        environment = recording.environment("-".join(map(str, (*words, *size))))
        self._process = PtyProcess.spawn(
            [str(recording.program), *words],
            dimensions=size[::-1],
            cwd=str(recording.home),
            env={name: value for name, value in environment.items() if name != "COLUMNS"},
        )
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)

    def stable(self, quiet: float = 0.8, within: float = 120) -> str:
        """The screen, when nothing was drawn and nothing computed for some seconds."""
        end, begun, used = time.monotonic() + within, time.monotonic(), self._used()
        while time.monotonic() < end:
            if select.select([self._process.fd], [], [], 0.1)[0]:
                self._stream.feed(self._process.read(65536))
            elif time.monotonic() - begun < quiet:
                continue
            elif self._used() - used <= 2:
                return "\n".join(line.rstrip() for line in self._screen.display) + "\n"
            begun, used = time.monotonic(), self._used()
        raise TimeoutError("\n".join(self._screen.display))

    def press(self, keys: str) -> None:
        """Type keys; escape needs a moment, or it would begin a sequence."""
        for key in keys:
            self._process.write(key.encode())
            time.sleep(0.3 if key == "\x1b" else 0)

    def close(self) -> None:
        """End the program."""
        self._process.kill(signal.SIGKILL)
        self._process.wait()
        self._process.close()

    def _used(self) -> int:
        """Processor time of the program and the processes that it started, in ticks."""
        total, pids = 0, [self._process.pid]
        while pids:
            place = Path("/proc", str(pids.pop()))
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                children = [file.read_text() for file in place.glob("task/*/children")]
            except OSError:
                continue
            total += int(fields[11]) + int(fields[12])
            pids += [int(pid) for text in children for pid in text.split()]
        return total


def record_screens(recording: Recording, benchmark: str, size: tuple[int, int]) -> None:
    """What the program shows of a benchmark's samples, key after key."""
    terminal = Terminal(recording, ["browse", benchmark], size)
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
    recording = Recording(folder, program.absolute())
    with ThreadPoolExecutor(2) as pool:

        def both(tasks: list[Callable[[], None]], what: str) -> None:
            begun = time.monotonic()
            for done in [pool.submit(task) for task in tasks]:
                done.result()
            print(f"{what}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)

        both([functools.partial(record_help, recording)], "help")
        both(
            [functools.partial(record_questions, recording, name) for name in BENCHMARKS],
            "questions",
        )
        both([functools.partial(record_views, recording, i, 2) for i in range(2)], "views")
        both(
            [functools.partial(record_exports, recording, name) for name in BENCHMARKS],
            "exports",
        )
        both(
            [functools.partial(record_model, recording, name) for name in BENCHMARKS],
            "model",
        )
        both(
            [functools.partial(each, recording) for each in (record_commands, record_graphs)],
            "json",
        )
        screens = [(name, size) for size in SIZES for name in BENCHMARKS]
        both([functools.partial(record_screens, recording, *each) for each in screens], "screens")
    shutil.rmtree(recording.home)


# -- comparing -------------------------------------------------------------------------------------


def read(folder: Path) -> dict[str, str]:
    """The files of a recording without what differs from run to run."""
    files = {}
    for file in sorted(folder.rglob("*")):
        if not file.is_file():
            continue
        text = file.read_bytes().decode("utf-8", "backslashreplace")
        for pattern, word in NOISE:
            text = re.sub(pattern, word, text)
        files[file.relative_to(folder).as_posix()] = text
    return files


def renamed(name: str, text: str) -> str:
    """A file of the recording before with the names of after."""
    for files, pattern, new in NAMES:
        if fnmatch.fnmatch(name, files):
            text = re.sub(pattern, new, text)
    return text


def lines_of(name: str, text: str, *, loose: bool) -> list[str]:
    """What is compared; loosely, how text is spaced and wrapped does not matter.

    A new name of another length moves what stands behind it.
    """
    if name.endswith(".jsonl"):
        rows = [line for line in text.splitlines() if line.startswith("{")]
        text = "\n".join(json.dumps(json.loads(row), indent=1, ensure_ascii=False) for row in rows)
    if not loose:
        return text.splitlines()
    if name.startswith("screens/"):
        return [re.sub(r"[ ─━]+", " ", line).strip() for line in text.splitlines()]
    return re.sub(r" (?=--?\w)|(?<=[.:]) ", "\n", " ".join(text.split())).splitlines()


def differences(
    before: dict[str, str], after: dict[str, str], *, rename: bool
) -> Iterator[tuple[str, list[str]]]:
    """The files that differ, with their differences."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            yield name, [f"only in {'BEFORE' if name in before else 'AFTER'}"]
            continue
        old = renamed(name, before[name]) if rename else before[name]
        loose = old != before[name]
        was, now = (lines_of(name, text, loose=loose) for text in (old, after[name]))
        if was != now:
            yield name, list(unified_diff(was, now, lineterm="", n=1))[2:]


def compare(before: Path, after: Path, most: int, *, rename: bool) -> int:
    """Print how two recordings differ; 1 where they do and should not."""
    old, new = read(before), read(after)
    found = dict(differences(old, new, rename=rename))
    alike: dict[str, list[str]] = {}
    unexpected = Counter[str]()
    for name, diff in found.items():
        reason = next((EXPECTED[key] for key in EXPECTED if fnmatch.fnmatch(name, key)), "")
        if reason:
            print(f"{name}: differs as expected, {reason}")
            continue
        unexpected[name.partition("/")[0]] += 1
        change = [line for line in diff if not line.startswith((" ", "@@"))]
        alike.setdefault("\n".join(change), []).append(name)
    for first, *others in alike.values():
        diff = found[first]
        print(f"--- {first}")
        print("\n".join(line if len(line) < 240 else f"{line[:240]}…" for line in diff[:most]))
        if len(diff) > most:
            print(f"… {len(diff) - most} more lines")
        if others:
            print(
                f"The same in {len(others)} more: {', '.join(others[:5])}{'…' * (len(others) > 5)}"
            )
    every = Counter(name.partition("/")[0] for name in old.keys() | new.keys())
    differing = Counter(name.partition("/")[0] for name in found)
    for kind, count in sorted(every.items()):
        same_count = count - differing[kind]
        print(f"{kind}: {same_count} of {count} files the same, {unexpected[kind]} not as expected")
    return 1 if unexpected.total() else 0


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
    commands.add_parser("worker").add_argument("program")
    given = parser.parse_args()
    if given.command == "worker":
        worker(given.program)
    elif given.command == "record":
        record(given.folder, given.program)
    else:
        return compare(given.before, given.after, given.most, rename=not given.same_names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
