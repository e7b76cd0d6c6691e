"""What is typed, before any command sees it: empty values, and Ctrl-C among the imports."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.support import run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("value", ["", " "])
@pytest.mark.parametrize(
    "words",
    [
        ("browse", "--model"),
        ("--model",),
        ("show", "gita", "0", "--data"),
        ("ask", "gita", "0", "--model"),
    ],
    ids=" ".join,
)
def test_an_option_with_an_empty_value_is_refused(words: tuple[str, ...], value: str) -> None:
    for ran in (run(*words, value), run(*words[:-1], f"{words[-1]}={value}")):
        assert ran.code == 2
        assert f"{words[-1]} has no value" in ran.err
        assert "Traceback" not in ran.err
        assert not ran.out


def test_a_switch_set_to_nothing_is_the_switch_s_own_matter() -> None:
    ran = run("show", "gita", "0", "--set", "s0=")
    assert ran.code == 2
    assert "The text is empty" in ran.err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("--lang it lesson run 6", "commonsense-tui lesson run 6 --lang it"),
        ("--model=demo ask gita 0", "commonsense-tui ask gita 0 --model=demo"),
        ("--json models", "commonsense-tui models --json"),
    ],
)
def test_an_option_in_front_of_a_command_is_told_where_it_belongs(words: str, meant: str) -> None:
    ran = run(*words.split())
    assert ran.code == 2
    assert meant in ran.err
    assert "browse" not in ran.err


def test_a_benchmark_called_like_a_command_opens_with_options_in_front_of_it() -> None:
    for words in (("--model", "demo", "accord"), ("--benchmark", "accord")):
        ran = run(*words)
        assert ran.code == 2
        assert "in front" not in ran.err
        assert "terminal" in ran.err


START = """
import os, signal, sys
at = int(sys.argv[1])
sys.argv = ["commonsense-tui", *sys.argv[2:]]
from tui.cli import start
imported = 0

def hear(event, told):
    global imported
    if event == "import":
        imported += 1
        if imported == at:
            os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(hear)
start.main()
"""
"""The program, which gets Ctrl-C when it imports its module of a number."""


@pytest.mark.parametrize("words", [(), ("show", "gita", "0"), ("--help",)], ids=" ".join)
def test_an_interrupt_among_the_imports_shows_no_traceback(words: tuple[str, ...]) -> None:
    for at in (1, 2, 5, 20, 40):
        ran = subprocess.run(
            [sys.executable, "-c", START, str(at), *words],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
            timeout=150,
        )
        assert "Traceback" not in ran.stderr, ran.stderr
        assert ran.returncode in {-signal.SIGINT, 130}


def test_an_interrupt_that_the_shell_has_switched_off_stays_so() -> None:
    """As for what is begun in the background: it goes on."""
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, signal\n"
            "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "from tui.shell.interrupts import ended_by_interrupt\n"
            "with ended_by_interrupt():\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "print('alive')\n",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=150,
        check=True,
    )
    assert ran.stdout == "alive\n"


@pytest.mark.parametrize("words", [("lesson", "check"), ("accord", "check")], ids=" ".join)
def test_a_path_that_no_system_takes_is_the_fault_of_who_typed_it(words: tuple[str, ...]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "from tui.cli.start import main; main()", *words, "a" * 5000],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert ran.returncode == 2, ran.stderr
    assert "File name too long" in ran.stderr
    assert "result" not in ran.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("models", "--json"), 0, ""),
        (
            ("evaluate", "gita", "--model", "demo", "--limit", "1", "--store", "runs.sqlite"),
            2,
            "The folder that you are in was removed",
        ),
    ],
)
def test_a_folder_that_was_removed_is_said(
    words: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-P",  # Like the installed command, which never looks for modules in the folder.
            "-c",
            "import os, sys\n"
            "os.rmdir(os.getcwd())\n"
            "from tui.cli.start import main\n"
            f"sys.argv = ['commonsense-tui', *{words!r}]\n"
            "main()\n",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert ran.returncode == code, ran.stderr
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "words",
    [("evaluate", "gita", "--model", "demo", "--limit", "1"), ("browse", "gita")],
    ids=" ".join,
)
def test_where_no_thread_can_be_started_a_person_is_told(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """Here there is no room for its stack; a container may allow no more threads."""
    started = (
        "import threading; threading.stack_size(2**46)\nfrom tui.cli.start import main; main()"
    )
    child, terminal = pty.openpty()
    ran = subprocess.run(
        [sys.executable, "-c", started, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal if words[0] == "browse" else subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=150,
    )
    os.close(child)
    os.close(terminal)
    assert "Traceback" not in ran.stderr
    assert "The system lets this account start no more threads." in ran.stderr
    assert ran.returncode == 2
