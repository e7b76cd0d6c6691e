"""Hides from the program, and from nobody else, what Python has on POSIX systems only.

Python imports this by itself where this folder is on its path, in every process.
"""

import builtins
import signal
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

OURS = ("core", "tui", "commonsense_tui")
NO_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NO_NAMES = {
    "os": (
        "chown chroot fchmod fchown fork forkpty getegid geteuid getgid getloadavg getpgid getpgrp "
        "getsid getuid killpg lchown mkfifo mknod nice openpty posix_fadvise posix_spawn pread "
        "pwrite sched_getaffinity sendfile setsid statvfs sync sysconf uname wait O_CLOEXEC "
        "O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC SEEK_HOLE SEEK_DATA WNOHANG"
    ),
    "signal": (
        "SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGTSTP "
        "SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH ITIMER_PROF ITIMER_REAL alarm pause pthread_kill "
        "pthread_sigmask setitimer siginterrupt sigwait"
    ),
    "mmap": "MAP_PRIVATE MAP_SHARED PROT_READ PROT_WRITE",
    "select": "epoll poll select",
}


class Signals(dict[str, signal.Signals]):
    """`signal.Signals` with fewer members."""

    @property
    def __members__(self) -> dict[str, signal.Signals]:
        return self

    def __call__(self, number: int) -> signal.Signals:
        return {each.value: each for each in self.values()}[number]


def without(module: ModuleType, names: set[str]) -> ModuleType:
    """A copy of a module that lacks some names."""
    copy = ModuleType(module.__name__, module.__doc__)
    copy.__dict__.update({k: v for k, v in vars(module).items() if k not in names})
    if module is signal:
        members = signal.Signals.__members__.items()
        copy.__dict__["Signals"] = Signals({k: v for k, v in members if k not in names})
    return copy


original = builtins.__import__
copies: dict[str, ModuleType] = {}


def hiding(name: str, *where: Any, **named: Any) -> ModuleType:
    """`import`, with less to be found for modules of the program."""
    found = original(name, *where, **named)
    scope: Mapping[str, Any] = (where[0] if where else named.get("globals")) or {}
    importer = scope.get("__name__", "")
    if importer == "__main__" and scope.get("__spec__") is not None:
        importer = scope["__spec__"].name
    if importer.partition(".")[0] not in OURS:
        return found
    if name in NO_MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    if name in NO_NAMES:
        if name not in copies:
            copies[name] = without(sys.modules[name], set(NO_NAMES[name].split()))
        return copies[name]
    return found


builtins.__import__ = hiding  # type: ignore[assignment]


def no_handlers(*_arguments: object) -> None:
    """What event loops do elsewhere."""
    raise NotImplementedError


def hide_signal_handlers() -> None:
    """Event loops take no signals."""
    import asyncio

    asyncio.SelectorEventLoop.add_signal_handler = no_handlers  # type: ignore[method-assign]


hide_signal_handlers()
