"""Finds the benchmarks that are installed, ours and other people's."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from core.text.errors import CommonsenseError, NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from core.text.suggestions import suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from core.contract.benchmark import Benchmark, Collection

GROUP = "commonsense_tui.benchmarks"
"""The entry-point group: a benchmark's name = the class that fulfils the contract."""
ORDER = ("gita", "accord", "com2", "abspyramid")
"""The order in which benchmarks are offered, the one that the program opens on first; those that
are not named here come after these, by name."""
_SHIPPED = {
    "gita": ("core.benchmarks.gita.benchmark", "Gita"),
    "accord": ("core.benchmarks.accord.benchmark", "Accord"),
    "com2": ("core.benchmarks.com2.benchmark", "Com2"),
    "abspyramid": ("core.benchmarks.abspyramid.benchmark", "AbsPyramid"),
}
"""Where the program's own benchmarks are. Entry points say the same, but to find them every
installed package is looked at, which the first picture would have to wait for."""

_SAID = 400
"""Most characters of what a broken package said."""


@cache
def _found() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=GROUP))}


def names() -> tuple[str, ...]:
    """Names of the installed benchmarks, in the order in which they are offered."""
    found = _found()
    ours = [name for name in ORDER if name in found]
    return (*ours, *(name for name in found if name not in ours))


def default() -> str:
    """Name of the benchmark that the program opens on."""
    return ORDER[0]


class BrokenBenchmarkError(CommonsenseError):
    """The package of a benchmark is installed, and its code fails where it must not."""

    title = N_("This benchmark cannot be used")


@cache
def load(name: str) -> Benchmark:
    """Import and make the benchmark called `name`.

    Raises `NotFoundError` when none is called so, and `BrokenBenchmarkError` when its own code
    fails.
    """
    if name in _SHIPPED:
        module, kind = _SHIPPED[name]
        shipped: Benchmark = getattr(import_module(module), kind)()
        return shipped
    point = _found().get(name)
    if point is None:
        raise NotFoundError(
            _("There is no benchmark “{name}”.", name=name),
            hint=suggestion(_("Installed"), names(), name),
        )
    try:
        benchmark: Benchmark = point.load()()
    except (Exception, SystemExit) as error:
        # This is other people's code, run for the first time: it may fail in any way at all.
        raise _broken(name, _("cannot be loaded"), error) from error
    return benchmark


def open_collection(benchmark: Benchmark, path: Path) -> Collection:
    """Let a benchmark open a file or folder.

    Raises the `DataError` that the contract allows, and `BrokenBenchmarkError` for all others.
    """
    try:
        return benchmark.open(path)
    except CommonsenseError:
        raise
    except Exception as error:
        # Other people's code reads other people's files here: what its author did not foresee is
        # a defect of that package, which a person must hear by its name.
        raise _broken(
            benchmark.name,
            _("fails to open {path}", path=escape_control_characters(str(path))),
            error,
        ) from error


def _broken(name: str, how: str, error: BaseException) -> BrokenBenchmarkError:
    point = _found().get(name)
    package = name if point is None else point.dist.name if point.dist else point.module
    said = escape_control_characters(" ".join(str(error).split()), limit=_SAID)
    return BrokenBenchmarkError(
        _(
            "Benchmark “{name}” {how}: {error}: {said}",
            name=name,
            how=how,
            error=type(error).__name__,
            said=said,
        ),
        where=f"package {package}",
        hint=_("Update, reinstall or remove {package}.", package=package),
    )


def loaded() -> tuple[list[Benchmark], list[BrokenBenchmarkError]]:
    """The installed benchmarks that can be used, in order, and why the others cannot."""
    usable: list[Benchmark] = []
    broken = []
    for name in names():
        try:
            usable.append(load(name))
        except BrokenBenchmarkError as error:
            broken.append(error)
    return usable, broken
