"""The command line as a program: help, places, health, pipes."""

from __future__ import annotations

import os
import pty
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from core.contract import registry
from core.files import config, paths, shipped
from core.runs.store import Store
from core.text.errors import DataError
from tests.cli.support import ROOT, in_process_of_its_own, ok, run, spawn
from tui.app.recognition import recognise
from tui.cli.groups import COMMANDS
from tui.cli.lazy_commands import Command, Group
from tui.cli.output import out_note

HEAVY = ("textual", "rich", "llama_cpp", "networkx", "numpy", "pyvis", "yaml", "sqlite3", "msgspec")


@pytest.mark.parametrize("words", [["--help"], ["accord", "--help"], ["--version"]], ids=" ".join)
def test_help_of_a_group_imports_no_command(words: list[str]) -> None:
    assert imported_for(words) & {*HEAVY, "core.contract.benchmark", "tui.cli.options"} == set()


@pytest.mark.parametrize(
    "name", ["show", "ask", "evaluate", "lesson run", "accord count", "published show"]
)
def test_help_of_a_command_imports_nothing_heavy(name: str) -> None:
    heavy = {"textual", "rich", "llama_cpp", "networkx", "numpy", "pyvis"}
    assert imported_for([*name.split(), "--help"]) & heavy == set()


def imported_for(words: list[str]) -> set[str]:
    """The modules that are there once the command line has done what the words say."""
    program = f"""
import sys
sys.argv = ["commonsense-tui", *{words!r}]
from tui.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert "commonsense-tui" in done.stdout or re.fullmatch(r"\d+\.\d+\.\d+\n", done.stdout)
    return set(done.stderr.split())


def test_every_command_has_help() -> None:
    listed = re.findall(r"^  ([a-z]\w*) {2,}", ok("--help").out, re.MULTILINE)
    assert set(listed) == {
        "browse", "show", "questions", "ask", "evaluate", "runs", "import", "models", "themes",
        "doctor", "locate", "export", "com2", "accord", "abspyramid", "blocks",
        "trace", "patch", "lesson", "serve", "config", "published", "shapes",
        "prompts", "get", "cluster", "study", "activations", "attention", "attribution",
    }  # fmt: skip
    for name in listed:
        assert "Usage:" in ok(name, "--help").out


def leaves(
    table: Mapping[str, Command | Group], words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Command, int]]:
    """Every command with its words, and the columns that its line in the group's help may have."""
    width = 80 - 6 - max(map(len, table))
    for name, entry in table.items():
        if isinstance(entry, Group):
            yield from leaves(entry.commands, (*words, name))
        else:
            yield (*words, name), entry, width


@pytest.mark.parametrize(
    ("words", "entry", "width"),
    leaves(COMMANDS),
    ids=lambda value: " ".join(value)[:30] if isinstance(value, tuple) else "",
)
def test_the_line_of_a_command_is_the_first_sentence_of_its_help(
    words: tuple[str, ...], entry: Command, width: int
) -> None:
    assert len(entry.help) <= width
    first = ok(*words, "--help").out.partition("\n\n")[2].partition("\n\n")[0]
    assert " ".join(first.split()) == entry.help


@pytest.mark.parametrize("rest", [(), ("gita",), ("--split", "dev")])
def test_a_misspelt_command_names_the_nearest_whatever_follows_it(rest: tuple[str, ...]) -> None:
    ran = run("evalute", *rest)
    assert ran.code == 2
    assert "There is neither a command nor a file “evalute”." in ran.err
    assert "Did you mean “evaluate”?" in ran.err


@pytest.mark.parametrize("name", sorted({*COMMANDS} & {*registry.SHIPPED}))
def test_commands_that_are_called_like_a_benchmark_say_how_to_open_it(name: str) -> None:
    last = f"To open the program on it: commonsense-tui --benchmark {name}"
    assert last in ok(name, "--help").out


@pytest.mark.parametrize("words", [(), ("browse",)], ids=["nothing", "browse"])
def test_the_program_needs_a_terminal(words: tuple[str, ...]) -> None:
    ran = in_process_of_its_own(*words)
    assert ran.code == 2
    assert "needs a terminal" in ran.err
    assert "Traceback" not in ran.err


def test_places_follow_the_operating_system() -> None:
    listed = ok("locate", "--json").json
    assert listed == {name: str(place) for name, place in paths.named_paths().items()}
    for name, place in listed.items():
        assert ok("locate", name).out == f"{place}\n"
    assert Path(listed["runs"]).is_relative_to(os.environ["HOME"])
    assert run("locate", "them").code == 2


def test_doctor_tells_what_is_broken(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    file.write_text("no store\n" * 100)
    ran = run("doctor", "--store", file, "--json")
    assert ran.code == 1
    assert ran.json["ok"] is False
    checks = {check["name"]: check for check in ran.json["checks"]}
    assert checks["store"]["ok"] is False
    assert "not a store" in checks["store"]["detail"]
    assert checks["benchmark shapes"]["ok"] is True
    assert checks["themes"]["ok"] is True
    assert checks["llama.cpp"]["ok"] is True
    assert checks["accelerator"]["detail"] == "llama.cpp was built without one, or finds none" or (
        "free" in checks["accelerator"]["detail"]
    )
    assert "BROKEN store" in run("doctor", "--store", file).out
    assert not paths.runs().exists()


@pytest.mark.parametrize(
    ("folder", "broken"),
    [
        ("XDG_DATA_HOME", {"data at", "runs at", "fetched", "store"}),
        ("XDG_CONFIG_HOME", {"config at", "themes at", "configuration", "themes"}),
    ],
)
def test_doctor_makes_the_other_checks_where_a_folder_cannot_be_entered(
    folder: str, broken: set[str], tmp_path: Path
) -> None:
    """A name that is too long stops even those who may enter every folder."""
    ran = in_process_of_its_own("doctor", "--json", env={folder: str(tmp_path / ("x" * 300))})
    assert (ran.code, ran.err) == (1, "")
    checks = {check["name"]: check for check in ran.json["checks"]}
    assert {name for name, check in checks.items() if check["ok"] is False} == broken
    assert all("File name too long" in checks[name]["detail"] for name in broken)
    assert {"python", "benchmark gita", "llama.cpp", "demo model"} < checks.keys()


def test_doctor_tells_of_a_folder_of_themes_that_is_none() -> None:
    paths.themes().parent.mkdir(parents=True)
    paths.themes().write_text("no folder")
    ran = run("doctor", "--json")
    assert ran.code == 1
    checks = {check["name"]: check for check in ran.json["checks"]}
    assert "Not a directory" in checks["themes"]["detail"]
    assert checks["store"]["ok"] is True


def test_doctor_changes_no_store(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with Store(store):
        pass
    with closing(sqlite3.connect(store)) as direct:
        direct.execute("PRAGMA journal_mode = DELETE")
    before = store.read_bytes()
    assert "0 runs, writable" in run("doctor", "--store", store).out
    assert store.read_bytes() == before
    assert list(tmp_path.iterdir()) == [store]


def test_a_store_that_is_a_loop_of_links_is_no_empty_store(tmp_path: Path) -> None:
    loop = tmp_path / "runs.sqlite"
    loop.symlink_to(loop)
    for words in (("runs", "list"), ("runs", "verify"), ("study", "list")):
        ran = run(*words, "--store", loop)
        assert (ran.code, ran.out) == (2, "")
        assert "The store cannot be opened" in ran.err
    assert "The store cannot be opened" in run("doctor", "--store", loop).out


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
def test_without_a_folder_for_data_every_benchmark_is_shown(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", os.devnull)
    first = ok("show", name, "--json").json[0]["id"]
    assert ok("show", name, first).out
    assert "is no folder that can be written" in run("doctor").out


def test_doctor_finds_nothing_in_a_whole_installation(demo_model: None) -> None:
    ran = run("doctor", "--json")
    assert [c for c in ran.json["checks"] if c["ok"] is False] == []
    assert ran.code == 0


def test_bundled_themes_are_valid_and_a_broken_one_is_told(tmp_path: Path) -> None:
    checked = ok("themes", "check", "--json").json
    assert checked["ok"] is True
    assert len(checked["themes"]) == len(list(shipped.themes().glob("*.yaml")))
    theme = tmp_path / "mine.yaml"
    theme.write_text("name: mine\ncolour: red\n")
    ran = run("themes", "check", theme)
    assert ran.code == 1
    assert f"{theme}:2" in ran.out


def old_store(path: Path) -> str:
    """A store in the first format, which nothing leads on to ours; what is to be said of it."""
    Store(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")
    return "This store was made by an older version of the program (format 1)."


def no_store(path: Path) -> str:
    """Another program's database in the store's place; what is to be said of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE songs (title TEXT)")
    return "This is a database of another program."


def test_models_lists_the_bundled_one_files_and_runs(tmp_path: Path) -> None:
    folder = paths.models()
    folder.mkdir(parents=True)
    (folder / "some.gguf").write_bytes(b"GGUF" + bytes(100))
    sources = [entry["source"] for entry in ok("models", "--json").json["models"]]
    assert sources[0] == "demo"
    assert str(folder / "some.gguf") in sources
    assert "some.gguf" in ok("models").out


@pytest.mark.parametrize("make", [old_store, no_store])
def test_models_are_listed_although_the_runs_cannot_be_read(
    tmp_path: Path, make: Callable[[Path], str]
) -> None:
    folder = paths.models()
    folder.mkdir(parents=True)
    (folder / "some.gguf").write_bytes(b"GGUF" + bytes(100))
    why = make(paths.runs())
    before = paths.runs().read_bytes()
    listed = ok("models")
    assert "some.gguf" in listed.out
    assert f"The recorded runs cannot be read: {paths.runs()}: {why}" in listed.err
    told = ok("models", "--json").json
    assert {"demo", str(folder / "some.gguf")} <= {entry["source"] for entry in told["models"]}
    assert [why in note for note in told["notes"]] == [True]
    assert paths.runs().read_bytes() == before
    assert ok("models", "--store", tmp_path / "other.sqlite", "--json").json["notes"] == []


def test_a_reader_that_leaves_is_no_error() -> None:
    process = spawn("questions", "gita", "--jsonl")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=150) == 0
    assert err == ""
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("full", ["stdout", "stderr"])
def test_a_stream_that_is_full_stops_no_run(full: str, tmp_path: Path, demo_model: None) -> None:
    store = tmp_path / "runs.sqlite"
    words = ("evaluate", "gita", "--limit", "2", "--model", "demo", "--store", store)
    with Path("/dev/full").open("w") as device:
        ran = in_process_of_its_own(*words, **{full: device})
    [run_of_two] = ok("runs", "list", "--store", store, "--json").json["runs"]
    assert run_of_two["state"] == "done"
    if full == "stderr":
        assert (ran.code, run_of_two["id"] in ran.out) == (0, True)
        with Path("/dev/full").open("w") as device:
            wrong = in_process_of_its_own("show", "gita", "nope", stderr=device)
        assert (wrong.out, wrong.code) == ("", 2)
    else:
        assert ran.code == 1
        assert "The result cannot be written: No space left on device." in ran.err
        assert "recorded is kept" in ran.err


def test_a_note_is_broken_at_spaces_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    note = "Not compared with published figures: 3-shot, here 0-shot."
    out_note(note)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "46")
    out_note(note)
    whole, *lines = capsys.readouterr().out.splitlines()
    assert whole == f" {note}"
    assert lines == [" Not compared with published figures: 3-shot,", " here 0-shot."]


def test_on_a_terminal_the_program_opens(tmp_path: Path) -> None:
    """In a real terminal; what the screens do is tested elsewhere."""
    main, side = pty.openpty()
    command = Path(sys.executable).with_name("commonsense-tui")
    env = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen([command], stdin=side, stdout=side, stderr=side, env=env, cwd=ROOT)
    os.close(side)
    seen = b""
    while b"GITA" not in seen and len(seen) < 200_000:
        seen += os.read(main, 4096)
    os.write(main, b"q")
    try:
        while os.read(main, 4096):
            pass
    except OSError:
        pass  # The terminal is gone: the program has ended.
    os.close(main)
    assert process.wait(timeout=150) == 0


def test_what_is_recognised_is_opened_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes((shipped.samples() / "gita" / "stories.json").read_bytes())
    benchmark, collection = recognise(file, print)
    file.unlink()
    assert benchmark.name == "gita"
    assert collection.item(0).story.sentences


def test_what_no_benchmark_can_read_is_told_before_the_program_opens(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no stories")
    with pytest.raises(DataError):
        recognise(file, print)


# -- the configuration ---------------------------------------------------------------------------


def test_a_configuration_is_read(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "model: /m.gguf\nmodel_folders: [~/a, /b]\ntheme: dusk\nconcurrency: 32\ngpu_layers: 12\n"
        "context: 32768\n"
        "keymap: {x.y: 'a,b'}\nprices: {input: 0.5, output: 2}\n"
    )
    read = config.read(file)
    assert read.model == "/m.gguf"
    assert read.model_folders == (Path.home() / "a", Path("/b"))
    assert read.theme == "dusk"
    assert read.concurrency == 32
    assert read.gpu_layers == 12
    assert read.context == 32_768
    assert read.prices == (0.5, 2.0)
    assert read.keymap == {"x.y": "a,b"}


def test_no_configuration_is_all_defaults() -> None:
    assert config.read() == config.Config()


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("model: demo\nthem: dusk\n", 2, "Did you mean “theme”?"),
        ("model: demo\n\nmodel: demo\n", 3, "twice"),
        ("theme: [dusk]\n", 1, "must be a text"),
        ("theme: 3\n", 1, "must be a text"),
        ("model:\n", 1, "must be a text"),
        ("model_folders: /a\n", 1, "must be a list"),
        ("model_folders:\n  - /a\n  - 7\n", 3, "must be a text"),
        ("model_folders: ['~nobody-is-called-this/a']\n", 1, "home folder that does not exist"),
        ('model_folders: ["\\0"]\n', 1, "cannot be the name of a folder"),
        ('model_folders: ["\\uD83D"]\n', 1, "cannot be the name of a folder"),
        ("keymap: [a]\n", 1, "names with values"),
        ("concurrency: many\n", 1, "must be a number"),
        ("concurrency: 0\n", 1, "whole number from 1 to 512"),
        ("prices: {input: 1}\n", 1, "input and output"),
        ("prices: {input: 1, output: -1}\n", 1, "input and output"),
        ("prices: {input: 1, output: dear}\n", 1, "must be a number"),
        ("concurrency: 1.5\n", 1, "whole number from 1 to 512"),
        ("gpu_layers: -1\n", 1, "whole number from 0 to 1000"),
        ("context: 16777217\n", 1, "whole number from 0 to 16777216"),
        ("keymap:\n  a: b\n  a: c\n", 3, "twice"),
        ("- model\n", 1, "names with values"),
        ("model: 'demo\n", 2, "not YAML"),
        ("model: !!python/object/apply:os.system ['true']\n", 1, "must be a text"),
        ("model_folders: &a [*a]\n", 1, "must be a text"),
        ("model_folders: [~nobody-has-this-name/m]\n", 1, "home folder"),
    ],
)
def test_a_mistake_in_the_configuration_has_its_line(
    tmp_path: Path, text: str, line: int, named: str
) -> None:
    file = paths.config()
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with pytest.raises(config.ConfigError) as raised:
        config.read()
    assert raised.value.where == f"{file}:{line}"
    assert named in str(raised.value)
    ran = run("models")
    assert ran.code == 2
    assert named in ran.err


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"#" * 2_000_000, b"a: \x00"])
def test_a_file_that_is_no_configuration_is_told(content: bytes) -> None:
    file = paths.config()
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    ran = run("models")
    assert ran.code == 2
    assert str(file) in ran.err


def test_the_samples_and_themes_are_there() -> None:
    assert (shipped.samples() / "gita" / "stories.json").is_file()
    assert list(shipped.themes().glob("*.yaml"))
