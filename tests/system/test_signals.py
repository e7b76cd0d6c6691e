"""SIGTERM and SIGHUP end a command as Ctrl-C does, unless somebody else hears of them."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.system.signals import interrupts_wait, signals_end_as_interrupts

BEGIN = """
import os, signal, sys, time
from core.system import signals
def begun():
    print("begun", flush=True)
    time.sleep(60)
"""


@contextmanager
def begun(code: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has come to its `begun()`."""
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN + code], stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            process.kill()


def test_a_command_that_does_not_end_by_itself_is_ended_by_a_later_signal() -> None:
    code = """
signals._PATIENCE = 0.0
with signals.signals_end_as_interrupts():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    except KeyboardInterrupt:
        begun()
"""
    with begun(code) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == -signal.SIGTERM


def test_a_signal_that_is_switched_off_stays_so() -> None:
    code = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with signals.signals_end_as_interrupts():
    begun()
"""
    with begun(code) as process:
        process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM


def test_a_handler_that_is_set_later_hears_of_the_signal() -> None:
    heard: list[int] = []
    before = signal.getsignal(signal.SIGTERM)
    try:
        with signals_end_as_interrupts():
            signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
            signal.raise_signal(signal.SIGTERM)
            assert heard == [signal.SIGTERM]
        assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, before)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_signal_waits_where_ctrl_c_does() -> None:
    did = []

    def work() -> None:
        with signals_end_as_interrupts(), interrupts_wait():
            signal.raise_signal(signal.SIGTERM)
            did.append("all")

    with pytest.raises(SystemExit) as ended:
        work()
    assert did == ["all"]
    assert ended.value.code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
