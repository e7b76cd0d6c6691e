"""Finds the benchmarks that are installed, ours and those of other packages."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from core.text.errors import DataError, NotFoundError
from core.text.escaping import escape_control_characters, shortened
from core.text.language import N_, _
from core.text.suggestions import suggestion

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    from core.contract.benchmark import Benchmark
    from core.contract.collection import Collection, ItemT

GROUP = "commonsense_tui.benchmarks"
"""The entry-point group: the name of a benchmark = its subclass of `Benchmark`."""
SHIPPED = {
    "gita": ("core.benchmarks.gita.benchmark", "Gita"),
    "accord": ("core.benchmarks.accord.benchmark", "Accord"),
    "com2": ("core.benchmarks.com2.benchmark", "Com2"),
    "abspyramid": ("core.benchmarks.abspyramid.benchmark", "AbsPyramid"),
}
"""Modules and classes of the program's own benchmarks, in the order in which they are offered, the
default first; others follow by name. The entry points say the same, but reading them takes a look
at every installed package, for which the first screen would have to wait."""
_REQUIRED = ("name", "title", "summary", "layers", "profiles")
"""Class attributes of `Benchmark` that have no default."""
_UNREADABLE = (TypeError, ValueError)
"""What Python raises for a malformed file of entry points."""
_MAX_CAUSE = 400
"""Most characters of another package's error message that are shown."""


class BrokenBenchmarkError(DataError):
    """The package of a benchmark is installed but does not work, so that its data are of no use."""

    title = N_("This benchmark cannot be used")


@cache
def entry_points_of(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group in all installed packages, by name.

    Packages whose entry points cannot be read have none; `unreadable_packages` names them. Of two
    with one name the last counts; `packages_by_name` lists both.
    """
    return {point.name: point for point in _all_entry_points(group)}


def packages_by_name() -> dict[str, list[str]]:
    """The packages that have a benchmark, by its name; that of the last one is used."""
    packages: dict[str, list[str]] = {}
    for point in _all_entry_points(GROUP):
        packages.setdefault(point.name, []).append(package_of(point.name, point))
    return packages


def _all_entry_points(group: str) -> list[EntryPoint]:
    from importlib.metadata import distributions, entry_points

    points: Iterable[EntryPoint]
    try:
        points = entry_points(group=group)
    except _UNREADABLE:  # One package is enough for that, whatever group it is about.
        points = [
            point
            for each in distributions()
            if not _is_unreadable(each)
            for point in each.entry_points.select(group=group)
        ]
    return sorted(points)


def unreadable_packages() -> list[str]:
    """The names of installed packages whose entry points cannot be read."""
    from importlib.metadata import distributions

    return [str(each.metadata["Name"]) for each in distributions() if _is_unreadable(each)]


def _is_unreadable(distribution: Distribution) -> bool:
    try:
        distribution.entry_points  # noqa: B018
    except _UNREADABLE:
        return True
    return False


def names() -> tuple[str, ...]:
    """Names of the installed benchmarks, in the order in which they are offered."""
    installed = entry_points_of(GROUP)
    ours = [name for name in SHIPPED if name in installed]
    return (*ours, *(name for name in installed if name not in ours))


def default() -> str:
    """Name of the benchmark that the program opens on."""
    return next(iter(SHIPPED))


@cache
def load(name: str) -> Benchmark:
    """Import and create the benchmark called `name`.

    Raises `NotFoundError` when there is none, and `BrokenBenchmarkError` when its package fails,
    or names something that is not a benchmark of the present API version. Later, too, the methods
    of another package's benchmark raise that wherever they do not keep to the contract.
    """
    if name in SHIPPED:
        module, class_name = SHIPPED[name]
        shipped: Benchmark = getattr(import_module(module), class_name)()
        return shipped
    point = entry_points_of(GROUP).get(name)
    if point is None:
        raise NotFoundError(
            _("There is no benchmark “{name}”.", name=shortened(name)),
            hint=suggestion(_("Installed"), names(), name),
        )
    from core.contract.other_packages import blamed, guarded_benchmark

    blame = partial(_failure, name)
    with blamed(blame, _("cannot be loaded")):
        plugin = point.load()
        refusal = _refusal(name, plugin)
        if not refusal:
            return guarded_benchmark(name, plugin, blame)
    raise _broken(name, refusal)


def installed(name: str) -> Benchmark | None:
    """The benchmark called `name`; None where there is none, or none that works."""
    try:
        return load(name)
    except (NotFoundError, BrokenBenchmarkError):
        return None


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


def open_collection(benchmark: Benchmark[ItemT], path: Path) -> Collection[ItemT]:
    """Let a benchmark open a file or folder.

    Raises the `DataError` that the contract allows, and `BrokenBenchmarkError`, which is one, too,
    for all others. What fails later in the collection of another package is told likewise.
    """
    from core.contract.other_packages import blamed, guarded_collection

    blame = partial(_failure, benchmark.name)
    with blamed(blame, _("fails to open {path}", path=escape_control_characters(str(path)))):
        collection = benchmark.open(path)
    return collection if benchmark.name in SHIPPED else guarded_collection(collection, blame)


def package_of(name: str, point: EntryPoint | None) -> str:
    """The installed package that an entry point belongs to, without control characters."""
    if point is not None:
        name = point.dist.name if point.dist else point.module
    return escape_control_characters(name)


def cause_of(error: BaseException) -> str:
    """What another package raised, on one line without control characters."""
    message = ""
    with suppress(Exception):  # Its text, too, comes from code of that package.
        message = escape_control_characters(" ".join(str(error).split()), limit=_MAX_CAUSE)
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def _refusal(name: str, plugin: object) -> str:
    """Why what a package names cannot be used as a benchmark; empty where it can."""
    from core.contract.benchmark import API_VERSION, Benchmark

    if not (isinstance(plugin, type) and issubclass(plugin, Benchmark)):
        base = f"{Benchmark.__module__}.{Benchmark.__name__}"
        return _("Benchmark “{name}” is not a subclass of {base}.", name=name, base=base)
    version = getattr(plugin, "api_version", None)
    if version is None:
        return _("Benchmark “{name}” does not state an API version.", name=name)
    if version != API_VERSION:
        return _(
            "Benchmark “{name}” is written for API version {version}; this program has {ours}.",
            name=name,
            version=escape_control_characters(str(version)),
            ours=API_VERSION,
        )
    missing = ", ".join(each for each in _REQUIRED if not hasattr(plugin, each))
    return _("Benchmark “{name}” lacks {missing}.", name=name, missing=missing) if missing else ""


def _failure(name: str, what: str, error: BaseException) -> BrokenBenchmarkError:
    """The error of a benchmark whose code raised something that it must not raise."""
    return _broken(
        name,
        _("Benchmark “{name}” {how}: {error}", name=name, how=what, error=cause_of(error)),
    )


def _broken(name: str, what: str) -> BrokenBenchmarkError:
    package = package_of(name, entry_points_of(GROUP).get(name))
    return BrokenBenchmarkError(
        what,
        where=f"package {package}",
        hint=_("Update, reinstall or remove {package}.", package=package),
    )
