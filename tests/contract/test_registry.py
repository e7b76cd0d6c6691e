"""The order in which benchmarks are offered, and plug-ins whose code fails when it opens a file."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.registry import SHIPPED, BrokenBenchmarkError
from core.text.errors import DataError
from tests.cli.support import ok, run
from tests.fifth.support import installed_broken, installed_shapes
from tests.tui.support import opened
from tui.app.recognition import recognise
from tui.cli.output import say

FAILS = """
from shapes_benchmark import Shapes

class Broken(Shapes):
    name = "broken"
    title = "Broken"

    def open(self, path):
        raise KeyError("line 1\\nline 2 \\x1b[31m")
"""


def test_our_benchmarks_come_first_in_a_fixed_order() -> None:
    with installed_shapes():
        names = registry.names()
    ours = [name for name in SHIPPED if name in names]
    assert names[: len(ours)] == tuple(ours)
    assert names[-1] == "shapes"
    assert registry.default() == names[0]


def test_the_table_of_our_benchmarks_equals_their_entry_points() -> None:
    points = {point.name: point for point in entry_points(group=registry.GROUP)}
    ours = [name for name in SHIPPED if name in points]
    assert ours
    for name in ours:
        assert type(registry.load(name)) is points[name].load()
        module, kind = SHIPPED[name]
        assert points[name].value == f"{module}:{kind}"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A file that the broken plug-in, which is installed for the test, is told to open."""
    path = tmp_path / "towers.json"
    path.write_text('[{"id": "a", "parts": ["cube"]}]')
    return path


REFUSED = {
    "another version": (
        "from shapes_benchmark import Shapes\nclass Broken(Shapes):\n    api_version = 2",
        "is written for API version 2; this program has 1.",
    ),
    "a version that is no number": (
        "from shapes_benchmark import Shapes\nclass Broken(Shapes):\n    api_version = '\\x1b[1m'",
        "is written for API version",
    ),
    "no version": (
        "from core.contract.benchmark import Benchmark\nclass Broken(Benchmark): pass",
        "does not state an API version.",
    ),
    "no title and no layers": (
        "from core.contract.benchmark import Benchmark\n"
        "class Broken(Benchmark):\n    api_version, name, summary, profiles = 1, 'b', '', ()",
        "lacks title, layers.",
    ),
    "a class of something else": (
        "class Broken: pass",
        "is not a subclass of core.contract.benchmark.Benchmark.",
    ),
    "no class": ("Broken = 1", "is not a subclass of core.contract.benchmark.Benchmark."),
}


@pytest.mark.parametrize(("code", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_plug_in_that_does_not_fit_is_refused_with_the_reason(
    tmp_path: Path, code: str, reason: str
) -> None:
    with installed_shapes(), installed_broken(tmp_path / "site", code):
        with pytest.raises(BrokenBenchmarkError) as raised:
            registry.load("broken")
        assert raised.value.what.startswith("Benchmark “broken” ")
        assert reason in raised.value.what
        assert "\x1b" not in raised.value.what
        assert raised.value.where == "package broken-package"
        assert raised.value.hint == "Update, reinstall or remove broken-package."
        assert registry.load("shapes").name == "shapes"
        ran = run("show", "broken", "a")
        assert ran.code == 2
        assert reason in ran.err
        assert "Traceback" not in ran.err


def test_an_unexpected_error_of_a_plug_in_names_its_package(tmp_path: Path, broken: Path) -> None:
    with installed_shapes(), installed_broken(tmp_path / "site", FAILS):
        with pytest.raises(BrokenBenchmarkError) as raised:
            registry.open_collection(registry.load("broken"), broken)
        assert raised.value.where == "package broken-package"
        assert "KeyError" in raised.value.what
        assert "\x1b" not in raised.value.what
        assert "\n" not in raised.value.what
        assert isinstance(raised.value.__cause__, KeyError)
        ran = run("show", "broken", "a", "--data", broken)
        assert ran.code == 2
        assert "broken-package" in ran.err
        assert "Traceback" not in ran.err


def test_a_failing_plug_in_leaves_the_file_to_the_others(
    tmp_path: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with installed_shapes(), installed_broken(tmp_path / "site", FAILS):
        assert recognise(broken, say)[0].name == "shapes"
        assert "broken-package" in capsys.readouterr().err


def test_a_data_error_passes_unchanged(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        registry.open_collection(registry.load("gita"), tmp_path / "none")


async def test_the_screen_shows_the_failure_and_goes_on(tmp_path: Path, broken: Path) -> None:
    with installed_shapes(), installed_broken(tmp_path / "site", FAILS):
        async with opened(benchmark="broken", path=broken) as program:
            assert "broken-package" in program.story
            await program.press("b", "question_mark")
            assert program.app.is_running


@pytest.mark.parametrize("lines", [b"one broken\n", b"\xff = a:b\n"], ids=["no sign", "no text"])
def test_a_package_with_unreadable_entry_points_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: bytes
) -> None:
    info = tmp_path / "malformed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: malformed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_bytes(b"[other.group]\n" + lines)
    known = registry.names()
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.entry_points_of.cache_clear()
    try:
        assert registry.names() == known
        assert registry.unreadable_packages() == ["malformed"]
        assert ok("show", "gita", "0").out
        assert "package malformed" in run("doctor").out
    finally:
        registry.entry_points_of.cache_clear()


@pytest.mark.parametrize(
    ("name", "used"), [("shapes", "shapes-benchmark"), ("gita", "commonsense-tui")]
)
def test_doctor_names_two_packages_with_one_name(tmp_path: Path, name: str, used: str) -> None:
    info = tmp_path / "another-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: another\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = another:Another\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        with installed_shapes():
            ran = run("doctor", "--json")
    assert ran.code == 1
    [told] = [one for one in ran.json["checks"] if not one["ok"] and one["name"].endswith(name)]
    assert f"that of {used} is used" in told["detail"]
    assert "another" in told["detail"]
