"""What is typed, before any command sees it: empty values, and Ctrl-C among the imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
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


START = """
import sys
sys.argv = ["commonsense-tui", *sys.argv[1:]]
from tui import start
print("go", flush=True)
start.main()
"""


@pytest.mark.parametrize("words", [(), ("show", "gita", "0"), ("--help",)], ids=" ".join)
def test_an_interrupt_among_the_imports_shows_no_traceback(words: tuple[str, ...]) -> None:
    told = []
    for delay in (0, 0.005, 0.02, 0.05, 0.1, 0.2):
        with subprocess.Popen(
            [sys.executable, "-c", START, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "go\n"
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        assert "Traceback" not in errors, errors
        told.append(process.returncode)
    assert told[0] in {-signal.SIGINT, 130}
    assert set(told) <= {-signal.SIGINT, 130, 0, 2}


def test_an_interrupt_that_the_shell_has_switched_off_stays_so() -> None:
    """As for what is begun in the background: it goes on."""
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, signal\n"
            "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "from tui.interrupts import ended_by_interrupt\n"
            "with ended_by_interrupt():\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "print('alive')\n",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout == "alive\n"
