"""`doctor`: checks that what the program needs is there.

Nothing is written.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import NamedTuple

import typer

from core.contract import registry
from core.files import config, paths, shipped
from core.files.installation import command_to_add
from core.hub import cache, record
from core.hub.record import FetchedKind
from core.models.llama import threads
from core.models.llama.compilation import compilation
from core.models.llama.process import worker_environment
from core.models.llama.requirement import HOW_TO_ADD, HOW_TO_REPAIR
from core.runs.store import Store
from core.system.file_lock import can_lock
from core.text.errors import CommonsenseError
from core.text.quantities import counted
from core.text.sizes import human_bytes
from tui.cli.config import problems_of
from tui.cli.options import JsonOption, StoreOption
from tui.cli.output import out, out_json
from tui.shell import themes

OURS = "commonsense-tui"
PACKAGES = ("commonsense_tui", "core", "tui")
_ENGINE_SECONDS = 60


class Check(NamedTuple):
    """The result of one check."""

    name: str
    ok: bool | None
    """None for information that is neither right nor wrong."""
    detail: str
    hint: str = ""


def doctor(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Check that what the program needs is there.

    Exits with 1 if something is broken.
    """
    checks = check_all(store)
    broken = any(check.ok is False for check in checks)
    if as_json:
        out_json({"ok": not broken, "checks": [check._asdict() for check in checks]})
    else:
        for check in checks:
            mark = {True: "ok    ", False: "BROKEN", None: "      "}[check.ok]
            out(f"{mark} {check.name}: {check.detail}")
            if check.hint:
                out(f"       to do: {check.hint}")
    if broken:
        raise typer.Exit(1)


def check_all(store: Path | None) -> list[Check]:
    """All checks; one that cannot be made is broken, and the others are made."""
    groups: dict[str, Callable[[], Iterable[Check]]] = {
        "versions": _versions,
        "packages": shared_packages,
        "terminal": _terminal,
        "folders": _folders,
        "configuration": _config,
        "benchmarks": _benchmarks,
        "llama.cpp": _engine,
        "threads": _threads,
        "demo model": _demo,
        "fetched": fetched_checks,
        "store": partial(_store, store),
        "themes": _themes,
    }
    return [check for name, checks in groups.items() for check in _tried(name, checks)]


def _tried(name: str, checks: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """The checks of a group; a broken one ends them where something cannot be used."""
    try:
        yield from checks()
    except CommonsenseError as error:
        yield Check(name, False, str(error))
    except OSError as error:
        yield Check(name, False, f"cannot be tried: {error}")


def _versions() -> Iterator[Check]:
    system = f"{platform.system()} {platform.machine()}"
    yield Check("python", None, f"{platform.python_version()} on {system}")
    for package in (OURS, "textual"):
        try:
            yield Check(package, True, version(package))
        except PackageNotFoundError:
            yield Check(package, False, "not installed", f"Install it: {command_to_add(package)}")


def shared_packages() -> Iterator[Check]:
    """Our packages that another distribution has in this environment, too."""
    owners = packages_distributions()
    for package in PACKAGES:
        others = sorted({name for name in owners.get(package, ()) if name != OURS})
        if others:
            yield Check(
                f"package {package}",
                None,
                f"{', '.join(others)} has one of this name, too; one overwrites the other's files",
                "Give commonsense-tui an environment of its own: pipx install commonsense-tui, "
                "or uv tool install commonsense-tui",
            )


def _terminal() -> Iterator[Check]:
    kind = os.environ.get("TERM", "unknown")
    colours = os.environ.get("COLORTERM", "not set")
    encoding = (sys.stdout.encoding or "unknown").lower()
    stdout = "a terminal" if sys.stdout.isatty() else "no terminal (a pipe or a file)"
    detail = f"{stdout}, TERM {kind}, COLORTERM {colours}, encoding {encoding}"
    if encoding.replace("-", "") == "utf8":
        yield Check("terminal", None, detail)
    else:
        hint = "Use UTF-8 (LANG=C.UTF-8) to see every character."
        yield Check("terminal", None, detail, hint)


def _folders() -> Iterator[Check]:
    for name, path in paths.named_paths().items():
        yield from _tried(f"{name} at", partial(_folder, name, path))


def _folder(name: str, path: Path) -> Iterator[Check]:
    note = "" if path.exists() else " (not there yet)"
    yield Check(f"{name} at", None, f"{path}{note}")


def _config() -> Iterator[Check]:
    problems = problems_of(config.read())
    if problems:
        more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
        hint = "commonsense-tui config check prints all of them."
        yield Check("configuration", False, f"{problems[0]}{more}", hint)
    else:
        yield Check("configuration", True, "read" if paths.config().exists() else "all defaults")


def _benchmarks() -> Iterator[Check]:
    for package in registry.unreadable_packages():
        hint = f"Reinstall or remove {package}."
        yield Check(f"package {package}", False, "its entry points cannot be read", hint)
    for name, packages in registry.packages_by_name().items():
        if len(set(packages)) > 1:
            used = "commonsense-tui" if name in registry.SHIPPED else packages[-1]
            detail = f"{' and '.join(packages)} each have one; that of {used} is used"
            yield Check(f"benchmark {name}", False, detail, "Remove the other package.")
    for name in registry.names():
        yield from _tried(f"benchmark {name}", partial(_benchmark, name))


def _benchmark(name: str) -> Iterator[Check]:
    benchmark = registry.load(name)
    path = benchmark.samples()
    benchmark.recognises(path)
    collection = registry.open_collection(benchmark, path)
    yield Check(f"benchmark {name}", True, counted(len(collection), "bundled item"))


def _threads() -> Iterator[Check]:
    """How many threads were chosen for model files."""
    chosen = [f"{each.threads} for models {size}" for size, each in threads.choices().items()]
    detail = f"1 for models below {threads.SMALL // 1_000_000} million parameters"
    if chosen:
        detail = f"{detail}, {', '.join(chosen)} (measured)"
    others = "all others" if not chosen else "others"
    detail = f"{detail}, {threads.cores()} for {others} until a run measures"
    yield Check("threads", None, f"{detail}; on {threads.machine()}")


def _engine() -> Iterator[Check]:
    """Ask llama.cpp for accelerators in another process: a broken build may abort the process."""
    try:
        installed = version("llama-cpp-python")
    except PackageNotFoundError:
        if (waited := compilation()) is not None:
            yield Check("llama.cpp", False, waited.state, waited.error)
        else:
            yield Check("llama.cpp", False, "llama-cpp-python is not installed", HOW_TO_ADD)
        return
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "core.models.llama.devices"],
            env=worker_environment(),
            capture_output=True,
            text=True,
            timeout=_ENGINE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Check("llama.cpp", False, f"cannot be tried: {error}", HOW_TO_REPAIR)
        return
    if process.returncode == 0:
        yield Check("llama.cpp", True, f"llama-cpp-python {installed} loads")
        found = "; ".join(process.stdout.splitlines())
        yield Check("accelerator", None, found or "llama.cpp was built without one, or finds none")
        return
    lines = process.stderr.strip().splitlines()
    last = lines[-1] if lines else f"ended with {process.returncode}"
    yield Check("llama.cpp", False, f"does not load: {last}", HOW_TO_REPAIR)


def _demo() -> Iterator[Check]:
    folder = shipped.samples() / "models"
    models = sorted(folder.glob("*.gguf")) if folder.is_dir() else []
    if models:
        yield Check("demo model", True, f"{models[0]}, {models[0].stat().st_size:,} bytes")
    else:
        hint = "Reinstall commonsense-tui, or name another model with --model."
        yield Check("demo model", False, f"no model in {folder}", hint)


def fetched_checks() -> Iterator[Check]:
    """What `get` needs, and what it has fetched."""
    network = "offline (HF_HUB_OFFLINE)" if cache.offline() else "online"
    yield Check("get", None, f"{network}, cache {cache.folder()}")
    fetched = record.read()
    for kind, name in ((FetchedKind.MODEL, "models fetched"), (FetchedKind.DATA, "data fetched")):
        here = [each for each in fetched if each.kind is kind and each.is_there]
        listed = (f"{each.name} ({human_bytes(each.bytes)})" for each in here)
        yield Check(name, None, ", ".join(listed) or "none")


def _store(path: Path | None) -> list[Check]:
    store, hint = path or paths.runs(), "Name another file with --store."
    # A loop of links, which does not exist either, cannot be made.
    with Store(store, create=False) as opened:
        count = counted(len(opened.runs()), "run")
    if store.exists():
        parts = (store, store.parent)
        writable = all(os.access(part, os.W_OK) for part in parts) and can_lock(store.parent)
        how = "writable" if writable else "can only be read"
        return [Check("store", writable, f"{store}: {count}, {how}", "" if writable else hint)]
    folder = store.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if folder.is_dir() and os.access(folder, os.W_OK):
        if not shutil.disk_usage(folder).free:
            return [Check("store", False, f"the disk of {folder} is full", hint)]
        return [Check("store", True, f"{store}: none yet, can be made")]
    return [Check("store", False, f"{folder} is no folder that can be written", hint)]


def _themes() -> Iterator[Check]:
    files = themes.installed_files()
    findings = [finding for file in files for finding in themes.check(file)]
    if not files:
        yield Check("themes", False, "none is there", "Reinstall commonsense-tui.")
    elif findings:
        first = f"{findings[0].where}: {findings[0].what}"
        yield Check("themes", False, first, "commonsense-tui themes check prints all of them.")
    else:
        yield Check("themes", True, f"{len(files)} valid")
