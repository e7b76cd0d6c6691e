"""Groups of commands that other packages add, and those that fail."""

from __future__ import annotations

from importlib.metadata import EntryPoint, distributions, entry_points
from pathlib import Path

import pytest

from core.contract import registry
from tests.cli.support import in_process_of_its_own, ok, run
from tests.fifth.support import BREAKS, installed_commands
from tui.cli.groups import COMMANDS
from tui.cli.plugin_groups import GROUP, plugin_groups

BROKEN = {
    **{name: code for name, code in BREAKS.items() if "Shapes" not in code},
    "is no group": "app = 1",
    "panics": "class Panic(BaseException): pass\nraise Panic",
}
RAISES = """
import typer
app = typer.Typer()

@app.command()
def fail():
    raise RuntimeError("line 1\\nline 2 \\x1b[31m")

class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no text")

@app.command()
def mumble():
    raise Unspeakable

@app.command()
def end():
    raise GeneratorExit

@app.command()
def stop():
    raise SystemExit(4)

@app.command()
def leave():
    raise typer.Exit(3)

@app.command()
def refuse():
    raise typer.BadParameter("no such part")
"""


def test_the_table_of_our_groups_says_what_their_entry_points_say() -> None:
    ours = [point for point in entry_points(group=GROUP) if point.value.startswith("tui.")]
    assert {point.name for point in ours} == {"accord", "com2", "abspyramid"}
    for point in ours:
        assert point.load() is COMMANDS[point.name]


@pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN)
def test_a_group_that_cannot_be_loaded_is_one_message(tmp_path: Path, code: str) -> None:
    with installed_commands(tmp_path, code):
        ran = run("broken", "go")
        assert ran.code == 2
        assert ran.err.startswith("These commands cannot be used")
        assert "package broken-package" in ran.err
        assert len(ran.err.splitlines()) == 3
        assert "Commands of the package broken-package." in ok("--help").out
        assert "Nico" in ok("show", "gita", "11-O0").out


def test_only_an_unexpected_error_of_a_command_names_the_package(tmp_path: Path) -> None:
    with installed_commands(tmp_path, RAISES):
        failed = run("broken", "fail")
        assert failed.code == 2
        assert "RuntimeError: line 1 line 2" in failed.err
        assert "\x1b" not in failed.err
        for command, raised in (("mumble", "Unspeakable"), ("end", "GeneratorExit")):
            failed = run("broken", command)
            assert failed.code == 2
            assert f"fail: {raised}" in failed.err
            assert "broken-package" in failed.err
        assert run("broken", "leave").code == 3
        assert run("broken", "stop").code == 4
        refused = run("broken", "refuse")
        assert refused.code == 2
        assert "no such part" in refused.err
        assert "broken-package" not in refused.err


def test_a_group_takes_the_name_of_no_command_of_ours(tmp_path: Path) -> None:
    with installed_commands(tmp_path, "raise RuntimeError", name="com2"):
        assert "separate" in ok("com2", "--help").out
        assert "broken-package" not in ok("--help").out


def test_a_shell_completes_other_commands_beside_a_broken_group(tmp_path: Path) -> None:
    with installed_commands(tmp_path, "raise RuntimeError"):
        for words, expected in (("", "broken"), ("broken ", ""), ("com2 q", "query")):
            env = {
                "_COMMONSENSE_TUI_COMPLETE": "complete_bash",
                "COMP_WORDS": "\n".join(["commonsense-tui", *words.split(" ")]),
                "COMP_CWORD": str(len(words.split(" "))),
                "PYTHONPATH": str(tmp_path),
            }
            ran = in_process_of_its_own(env=env)
            assert expected in ran.out
            assert "Traceback" not in ran.err


def test_a_group_whose_name_cannot_be_shown_is_left_out(tmp_path: Path) -> None:
    with installed_commands(tmp_path, "app = None", name="evil\x1b[31m"):
        assert plugin_groups().keys().isdisjoint({"evil\x1b[31m"})


def test_the_name_of_a_package_is_without_control_characters(tmp_path: Path) -> None:
    info = tmp_path / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\x1b[31m\nVersion: 1.0\n")
    package = next(iter(distributions(path=[str(tmp_path)])))
    entry_point = EntryPoint("evil", "evil:app", GROUP)._for(package)
    assert registry.package_of("evil", entry_point) == "evil␛[31m"
