"""Keeps every test away from the person's own files and from animations."""

from __future__ import annotations

import gc
import itertools
import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
import textual.constants
from hypothesis import HealthCheck, settings

from core.models.resolver import demo_file
from core.text import language
from tests.exchange.exporters import chromium
from tests.runs.engines import clusters

# How long an example takes, or its making, says how busy the machine is, not whether the program is
# right. Examples are the same in every run; `--hypothesis-profile=default` looks for others.
settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")

# A shell that runs the tests in the background has them, and all that they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# For processes that tests start; in this one a plug-in of pytest has imported Textual already.
os.environ["TEXTUAL_ANIMATIONS"] = "none"
vars(textual.constants)["TEXTUAL_ANIMATIONS"] = "none"


_tests = itertools.count(1)
"""Numbers the homes of the tests of this process."""
_programs = itertools.count(1)
"""Counts the tests of this process that opened a program."""


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all homes: pytest reads that of its own whenever it makes one more in it."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def _own_home(_homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home that holds nothing: no configuration, no runs, no themes, no models."""
    home = _homes / str(next(_tests))
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name, folder in {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
        "XDG_STATE_HOME": ".local/state",
    }.items():
        monkeypatch.setenv(name, str(home / folder))


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """No size of the terminal that the tests were started in, which pytest hands to its workers."""
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """English, whatever the environment says and whatever the test before spoke."""
    monkeypatch.setenv("LANGUAGE", language.ENGLISH)
    yield
    language.speak(language.ENGLISH)


# Eleven thousand tests are a million objects that stay. Looking through them again and again would
# take a fifth of the time, so they are frozen, and nothing thaws them.
_freeze = gc.freeze
gc.set_threshold(5_000, 10, 100)


def pytest_collection_finish() -> None:
    """What the tests are made of is no longer looked through for garbage."""
    gc.collect()
    _freeze()


@pytest.fixture(autouse=True)
def _collected(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Memory comes back, although a program that opens has no garbage of before it looked for."""
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "unfreeze", lambda: None)
    threshold = gc.get_threshold()
    yield
    # The threshold tells that a program was opened.
    if gc.get_threshold() != threshold:
        gc.set_threshold(*threshold)
        # Each time would take longer than many a test.
        if next(_programs) % 20 == 0:
            gc.collect()


@pytest.fixture(autouse=True)
def _kept_css(monkeypatch: pytest.MonkeyPatch) -> None:
    """CSS that is parsed once for all programs."""
    from tests import kept_css

    kept_css.keep_rules(monkeypatch)


@pytest.fixture(autouse=True)
def _unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Widgets that are drawn, but no picture of the whole where there is no terminal."""
    from tests import unpainted

    unpainted.draw_only(monkeypatch)


@pytest.fixture(autouse=True)
def _patient_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that have been handled when the pilot goes on, however busy the machine is."""
    from tests import pilots

    pilots.be_patient(monkeypatch)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    """A headless Chromium that reaches no network, for all tests of a process."""
    if chromium.found() is None:
        pytest.skip("needs Chromium: apt install chromium")
    with chromium.running(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="session")
def dask_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[clusters.Workers]:
    """A scheduler of dask.distributed with two workers, for all tests of a process."""
    with clusters.running(tmp_path_factory.mktemp("dask")) as started:
        yield started


@pytest.fixture
def demo_model() -> None:
    """Skips where the bundled model was not made."""
    if not demo_file().is_file():
        pytest.skip("needs the bundled demo model")


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data beside the checkout; the test skips where it is absent."""
    folder = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real data: shared/data/ beside the checkout")
    return folder


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a long text by its beginning: processes send each other the names of all tests."""
    if isinstance(val, str | bytes) and len(val) > 80:
        return f"{val[:40]!r} and so on, {len(val)} in all"
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
) -> Generator[None, None, None]:
    """Count, at the end, what was skipped by what is missing."""
    yield
    reasons = [
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
        if isinstance(report.longrepr, tuple)
    ]
    if reasons:
        counts = Counter(reason.split(":")[0].replace("needs", "need", 1) for reason in reasons)
        missing = (f"{count} {why}" for why, count in counts.most_common())
        terminalreporter.write_line(f"skipped: {', '.join(missing)}")
