"""How words go on, asked as the shells ask: by variables, with nothing typed behind."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest
from typer.core import TyperArgument, TyperOption

from core.contract import registry
from core.files import paths
from core.lessons.library import bundled, own_folder
from tests.cli.support import ROOT, recorded, run
from tui.cli.start import main

NAME = "commonsense-tui"
COMMAND = str(Path(sys.executable).with_name(NAME))


def asked(shell: str, **env: str) -> str:
    """What the program answers a shell."""
    out, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(errors):
        patch.chdir(ROOT)
        patch.setattr(sys, "argv", [COMMAND])
        patch.setenv("_COMMONSENSE_TUI_COMPLETE", f"complete_{shell}")
        for name, value in env.items():
            patch.setenv(name, value)
        # Taken back at the end: a process that completes does nothing else.
        for kind in (TyperArgument, TyperOption):
            patch.setattr(kind, "process_value", kind.process_value)
        with suppress(SystemExit):
            main()
    assert errors.getvalue() == ""
    return out.getvalue()


def bash(*words: str) -> list[str]:
    """The words that bash is offered for the last one, which it split at colons itself."""
    offered = asked("bash", COMP_WORDS="\n".join((NAME, *words)), COMP_CWORD=str(len(words))).split(
        "\n"
    )
    return [word for word in offered if word]


def zsh(line: str) -> str:
    return asked("zsh", _TYPER_COMPLETE_ARGS=f"{NAME} {line}")


def test_commands_go_on() -> None:
    assert bash("ev") == ["evaluate"]
    assert {"show", "ask", "doctor", "browse"} <= set(bash(""))
    assert "check" in bash("themes", "")
    assert '"evaluate"' in zsh("ev")


SLOW = {
    "pydantic",
    "textual",
    "rich",
    "yaml",
    "msgspec",
    "networkx",
    "numpy",
    "llama_cpp",
    "jinja2",
}
FINDS_BENCHMARKS = {"email", "zipfile"}
"""What Python brings along where installed packages are asked for their benchmarks."""


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (("ev",), SLOW | FINDS_BENCHMARKS | {"sqlite3", "core.contract.benchmark"}),
        (("ask", "--"), SLOW | FINDS_BENCHMARKS | {"sqlite3", "asyncio"}),
        (("accord", "tr"), SLOW | FINDS_BENCHMARKS | {"sqlite3", "core.contract.benchmark"}),
        (("show", "gi"), SLOW | {"sqlite3", "asyncio"}),
        (("ask", "gita", "1", "--model", "de"), SLOW | {"asyncio"}),
    ],
    ids=["commands", "options", "below", "benchmarks", "models"],
)
def test_a_word_goes_on_without_what_takes_long_to_import(
    words: tuple[str, ...], without: set[str]
) -> None:
    recorded(paths.runs())
    program = """
import os, sys
from tui.cli.start import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "_COMMONSENSE_TUI_COMPLETE": "complete_bash",
            "COMP_WORDS": "\n".join((NAME, *words)),
            "COMP_CWORD": str(len(words)),
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip()
    assert "tui.cli.completion" in done.stderr.split()
    assert set(done.stderr.split()) & without == set()


def test_benchmarks_go_on() -> None:
    assert bash("show", "gi") == ["gita"]
    assert set(bash("ask", "")) == set(registry.names())
    assert bash("browse", "--benchmark", "acc") == ["accord"]
    assert '"gita"' in zsh("show gi")


@pytest.mark.parametrize("benchmark", ["gita", "com2", "accord", "abspyramid"])
def test_ids_of_bundled_items_go_on(benchmark: str) -> None:
    there = registry.load(benchmark)
    collection = there.open(there.samples())
    ids = [collection.entry(i).id for i in range(len(collection))]
    assert bash("show", benchmark, "") == ids
    assert f'"{ids[-1]}"'.replace(":", r"\\:") in zsh(f"show {benchmark} {ids[-1][:3]}")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("show", "com2", "ring-road", ":", "dir"), ["direct"]),
        (("show", "com2", "ring-road", ":"), 4),
        (("ask", "com2", "ring-road", ":", "direct", "--model", "de"), ["demo"]),
        (("ask", "gita", "1", "--model", "=", "de"), ["demo"]),
        (("ask", "gita", "1", "--model", "="), 1),
    ],
)
def test_bash_splits_words_where_we_do_not(words: tuple[str, ...], offered: object) -> None:
    found = bash(*words)
    assert (len(found) if isinstance(offered, int) else found) == offered


def test_models_and_runs_go_on() -> None:
    folder = paths.models()
    folder.mkdir(parents=True)
    (folder / "small.gguf").write_bytes(b"GGUF")
    (folder / "not plain $(x).gguf").write_bytes(b"GGUF")
    name = recorded(paths.runs())
    assert bash("runs", "show", "") == [name]
    assert bash("runs", "agree", name, "") == [name]
    models = bash("ask", "gita", "1", "--model", "")
    assert models == ["demo", f"replay:{name}", str(folder / "small.gguf")]
    assert bash("ask", "gita", "1", "--model", "replay", ":") == [name]
    assert bash("evaluate", "gita", "--model", "rep") == [f"replay:{name}"]


@pytest.mark.parametrize("command", ["run", "check", "export", "follow"])
def test_names_of_lessons_are_completed(command: str) -> None:
    assert bash("lesson", command, "2-") == ["2-read-or-recite"]


def test_own_lessons_go_on_after_the_bundled_ones() -> None:
    own_folder().mkdir(parents=True)
    for name in ("mine.yaml", "not plain $(x).yaml", "mine.txt"):
        (own_folder() / name).write_text("")
    offered = bash("lesson", "check", "1-three-layers", "")
    assert offered == [*(path.stem for path in bundled()), "mine"]


def test_what_cannot_be_read_offers_nothing() -> None:
    paths.runs().parent.mkdir(parents=True)
    paths.runs().write_bytes(b"no store")
    assert bash("runs", "show", "") == []
    assert bash("show", "nobody", "x") == []
    assert bash("show", "gita", "--data", "x", "") == []


@pytest.mark.parametrize("where", ["", "x", "99", "-1"])
def test_nonsense_from_the_shell_is_no_traceback(where: str) -> None:
    done = subprocess.run(
        [COMMAND],
        env={
            **os.environ,
            "_COMMONSENSE_TUI_COMPLETE": "complete_zsh",
            "_TYPER_COMPLETE_ARGS": f"{NAME} show {where}",
            "COMP_WORDS": "x",
            "COMP_CWORD": where,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_itself_completes_with_the_script_that_it_is_given() -> None:
    script = f"""
{asked("", _COMMONSENSE_TUI_COMPLETE="source_bash")}
PATH={Path(COMMAND).parent}:$PATH
COMP_WORDS=({NAME} show com2 ring-road : dir); COMP_CWORD=5
_commonsense_tui_completion {NAME}
echo "${{COMPREPLY[@]}}"
COMP_WORDS=({NAME} show gi); COMP_CWORD=2
_commonsense_tui_completion {NAME}
echo "${{COMPREPLY[@]}}"
"""
    # Of a locale that is not there bash itself complains.
    env = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        ["bash", "-c", script], env=env, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("direct\ngita\n", "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_given_a_script_too(shell: str) -> None:
    script = asked("", _COMMONSENSE_TUI_COMPLETE=f"source_{shell}")
    assert f"_COMMONSENSE_TUI_COMPLETE=complete_{shell}" in script


# -- checking the configuration ------------------------------------------------------------------


def test_config_check_tells_every_mistake_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("theme: dsuk\nkeymap:\n  browse.cpoy: Y\n  browse.copy: u\n  app.help: f7\n")
    ran = run("config", "check", file)
    assert ran.code == 2
    assert "Did you mean “dusk”?" in ran.err
    assert "Did you mean “browse.copy”?" in ran.err
    assert "browse.copy and browse.undo would both have the key “u”" in ran.err
    told = run("config", "check", file, "--json").json
    assert told["ok"] is False
    assert [p["where"] for p in told["problems"]] == [f"{file}:{n}" for n in (1, 3, 4)]


def test_config_check_refuses_what_cannot_be_read(tmp_path: Path) -> None:
    ran = run("config", "check", tmp_path / "none.yaml")
    assert ran.code == 2
    assert "none.yaml" in ran.err


def test_config_show_prints_a_configuration_that_means_the_same(tmp_path: Path) -> None:
    file = paths.config()
    assert run("config", "check").out.endswith("none, all defaults\n")
    file.parent.mkdir(parents=True)
    file.write_text('model: "a: b"\nmodel_folders: [/m]\nkeymap: {browse.copy: "Y, del"}\n')
    assert run("config", "check").code == 0
    first = run("config", "show")
    file.write_text(first.out)
    assert run("config", "show").out == first.out
    assert run("config", "show", "--json").json == {
        "model": "a: b",
        "model_folders": ["/m"],
        "theme": "dusk",
        "language": "en",
        "keymap": {"browse.copy": "Y,delete"},
        "concurrency": 8,
        "gpu_layers": 0,
        "context": 0,
    }


def test_doctor_tells_of_a_keymap_that_cannot_be_used() -> None:
    file = paths.config()
    file.parent.mkdir(parents=True)
    file.write_text("keymap: {browse.cpoy: Y}\n")
    told = {check["name"]: check for check in run("doctor", "--json").json["checks"]}
    assert told["configuration"]["ok"] is False
    assert "browse.cpoy" in told["configuration"]["detail"]


def test_languages_go_on_wherever_one_may_be_named() -> None:
    for words in (
        ("lesson", "run", "2"),
        ("lesson", "export", "2"),
        ("lesson", "list"),
        ("browse",),
    ):
        assert bash(*words, "--lang", "") == ["en", "it"]
