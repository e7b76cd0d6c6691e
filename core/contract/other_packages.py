"""Runs the code of benchmarks from other packages, and says whose it is where it fails.

Only the program's own benchmarks are used as they are: they pay nothing for this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from inspect import isfunction
from typing import Any, cast, get_type_hints

from core.contract.authoring import Author
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, ItemT
from core.contract.contract_checks import check
from core.contract.task_layer import MOST_LAYERS, TaskLayer
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _

Blame = Callable[[str, BaseException], CommonsenseError]
"""Makes the error that names the package, from what fails ("fails in view") and what was raised."""
METHODS = tuple(
    name
    for name, member in vars(Benchmark).items()
    if isfunction(member) and name not in {"__init__", "open"}
)
"""The methods of a benchmark except `open`, for which the registry cares."""
_LONG_TEXTS = ("paper", "item_help", "graph_help", "reviewed", "edit_help")


@contextmanager
def blamed(blame: Blame, what: str) -> Iterator[None]:
    """Turn whatever the code of another package raises inside into an error that names it.

    The errors that the contract allows pass, and so do Ctrl-C and the end of a task.
    """
    try:
        yield
    except (CommonsenseError, KeyboardInterrupt):
        raise
    except BaseException as error:
        # A panic of code in Rust, and the exit of a package that would end the whole program, are
        # no `Exception`.
        from asyncio import CancelledError  # Few commands need it otherwise, and it takes long.

        if isinstance(error, CancelledError):
            raise
        raise blame(what, error) from error


def guarded_benchmark(name: str, plugin: type[Benchmark], blame: Blame) -> Benchmark:
    """Create the benchmark of another package, whose failures name the package from then on.

    Its texts are without control characters, and its name is that of its entry point. Raises what
    its code raises, and `TypeError` or `ValueError` where it is not as the contract says.
    """
    for attribute, wanted in get_type_hints(Benchmark).items():
        check(getattr(plugin, attribute), wanted, attribute)
    if not plugin.profiles:
        raise ValueError("profiles is empty")
    ids = [layer.id for layer in plugin.layers]
    if len(set(ids)) < max(1, len(ids)):
        raise ValueError("layers is empty, or has an id twice")
    if len(ids) > MOST_LAYERS:
        raise ValueError(f"layers has more than {MOST_LAYERS:,}")
    members: dict[str, object] = {
        "__module__": plugin.__module__,
        "__qualname__": plugin.__qualname__,
        "name": name,
        "title": escape_control_characters(plugin.title),
        "summary": escape_control_characters(plugin.summary),
        "layers": tuple(map(_shown, plugin.layers)),
    }
    for text in _LONG_TEXTS:
        raw = getattr(plugin, text)
        members[text] = escape_control_characters(raw, lines=True, limit=len(raw))

    def method(attribute: str) -> Callable[..., Any]:
        wanted = _returned(getattr(Benchmark, attribute))

        @wraps(getattr(plugin, attribute))
        def called(self: Any, *args: Any, **options: Any) -> Any:
            with blamed(blame, _("fails in {place}", place=attribute)):
                result = getattr(super(guarded, self), attribute)(*args, **options)
                check(result, wanted, attribute)
                return result

        return called

    def author(self: Any) -> Any:
        with blamed(blame, _("fails in {place}", place="author")):
            found = super(guarded, self).author
        return None if found is None else _Guarded(found, Author, blame)

    members |= {attribute: method(attribute) for attribute in METHODS}
    members["author"] = property(author)
    kind: Any = type(plugin)
    guarded = kind(plugin.__name__, (plugin,), members)
    made: Benchmark = guarded()
    for attribute in METHODS:
        # A package's own `__getattribute__` may raise for these, too.
        getattr(made, attribute)
    return made


def guarded_collection(collection: Collection[ItemT], blame: Blame) -> Collection[ItemT]:
    """A collection of another package, whose failures name the package from then on."""
    with blamed(blame, _("fails in {place}", place="open")):
        if not isinstance(collection, Sized):
            raise TypeError(f"open is {type(collection).__name__}, not {Collection.__name__}")
    return cast("Collection[ItemT]", _GuardedCollection(collection, Collection, blame))


class _Guarded:
    """Stands for an object of another package: what fails in it names the package."""

    def __init__(self, inner: Any, contract: type, blame: Blame) -> None:
        self._inner, self._contract, self._blame = inner, contract, blame

    def __getattr__(self, attribute: str) -> Any:
        member = vars(self._contract).get(attribute)
        if member is None:
            return getattr(self._inner, attribute)
        what = _("fails in {place}", place=attribute)
        wanted = _returned(member.fget if isinstance(member, property) else member)
        with blamed(self._blame, what):
            value = getattr(self._inner, attribute)
            if isinstance(member, property):
                check(value, wanted, attribute)
                return value

        def called(*args: Any, **options: Any) -> Any:
            with blamed(self._blame, what):
                result = value(*args, **options)
                check(result, wanted, attribute)
                return result

        return called


class _GuardedCollection(_Guarded):
    def __len__(self) -> int:
        with blamed(self._blame, _("fails in {place}", place="__len__")):
            return len(self._inner)

    @property
    def content_hash(self) -> str:
        """The hash, under which runs are recorded."""
        found: str = self.__getattr__("content_hash")
        with blamed(self._blame, _("fails in {place}", place="content_hash")):
            if not found.isascii() or not found.isprintable():
                raise ValueError("content_hash is not in hexadecimal")
        return found


@cache
def _returned(function: Callable[..., Any]) -> Any:
    """What the contract says that a function returns."""
    return get_type_hints(function)["return"]


def _shown(layer: TaskLayer) -> TaskLayer:
    """A layer whose texts can be shown."""
    return replace(
        layer,
        title=escape_control_characters(layer.title),
        asks=escape_control_characters(layer.asks),
        fault=escape_control_characters(layer.fault),
    )
