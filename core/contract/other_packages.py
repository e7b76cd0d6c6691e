"""Runs the code of benchmarks from other packages, and says whose it is where it fails.

Only the program's own benchmarks are used as they are: they pay nothing for this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from core.contract.benchmark import Benchmark
from core.contract.collection import About, Collection, Entry, ItemT
from core.contract.prompt_parts import PromptPart
from core.contract.question import Question, Verdict
from core.contract.review import Suggestion
from core.contract.setting import Switch
from core.contract.summary import Inference, Summary
from core.contract.task_layer import TaskLayer
from core.contract.view import View
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _

Blame = Callable[[str, BaseException], CommonsenseError]
"""Makes the error that names the package, from what fails ("fails in view") and what was raised."""
_Checked = TypeVar("_Checked")
_Kinds = tuple[Any, ...]
_NONE = type(None)
_ANYTHING: _Kinds = (object,)
_METHODS: Mapping[str, _Kinds] = {
    "samples": (Path,),
    "more_samples": (Mapping,),
    "recognises": _ANYTHING,
    "switches": (Sequence,),
    "view": (View,),
    "contrasts": (Sequence,),
    "question": (Question, _NONE),
    "question_in_order": (Question, _NONE),
    "prompt_parts": (Sequence,),
    "skip_reason": (str,),
    "shot_layers": (Sequence,),
    "score": (Verdict,),
    "remark": (str,),
    "summarise": (Summary,),
    "meets_every_layer": _ANYTHING,
    "infer": (Inference, _NONE),
    "save": (Path,),
    "suggestions": (Sequence,),
    "review": _ANYTHING,
    "from_harness": (Sequence,),
    "logged_question": (Question, _NONE),
}
"""What the methods of a benchmark return, except `open`, for which the registry cares."""
_COLLECTION: Mapping[str, _Kinds] = {
    "about": (About,),
    "repairs": (Sequence,),
    "errors": (Sequence,),
    "content_hash": (str,),
    "entry": (Entry,),
    "item": _ANYTHING,
    "find": (int,),
    "matching": (Sequence,),
}
_AUTHOR: Mapping[str, _Kinds] = {"next_step": _ANYTHING, "preview": (View,), "save": (Sequence,)}
_ELEMENTS: Mapping[str, Any] = {
    "switches": Switch,
    "prompt_parts": PromptPart,
    "shot_layers": str,
    "suggestions": Suggestion,
    "layers": TaskLayer,
    "profiles": str,
}
"""What the sequences among these consist of."""
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
    its code raises, and `TypeError` where it is not as the contract says.
    """
    members: dict[str, object] = {
        "__module__": plugin.__module__,
        "__qualname__": plugin.__qualname__,
        "name": name,
        "title": escape_control_characters(_checked("title", plugin.title, (str,))),
        "summary": escape_control_characters(_checked("summary", plugin.summary, (str,))),
        "layers": tuple(map(_shown, _checked("layers", plugin.layers, (Sequence,)))),
        "profiles": tuple(_checked("profiles", plugin.profiles, (Sequence,))),
    }
    for text in _LONG_TEXTS:
        raw = _checked(text, getattr(plugin, text), (str,))
        members[text] = escape_control_characters(raw, lines=True, limit=len(raw))

    def method(attribute: str, kinds: _Kinds) -> Callable[..., Any]:
        @wraps(getattr(plugin, attribute))
        def called(self: Any, *args: Any, **options: Any) -> Any:
            with blamed(blame, _("fails in {place}", place=attribute)):
                result = getattr(super(guarded, self), attribute)(*args, **options)
                return _checked(attribute, result, kinds)

        return called

    def author(self: Any) -> Any:
        with blamed(blame, _("fails in {place}", place="author")):
            found = super(guarded, self).author
        return found and _Guarded(found, _AUTHOR, blame)

    members |= {attribute: method(attribute, kinds) for attribute, kinds in _METHODS.items()}
    members["author"] = property(author)
    kind: Any = type(plugin)
    guarded = kind(plugin.__name__, (plugin,), members)
    made: Benchmark = guarded()
    for attribute in _METHODS:
        # A package's own `__getattribute__` may raise for these, too.
        getattr(made, attribute)
    return made


def guarded_collection(collection: Collection[ItemT], blame: Blame) -> Collection[ItemT]:
    """A collection of another package, whose failures name the package from then on."""
    with blamed(blame, _("fails in {place}", place="open")):
        if not isinstance(collection, Sized):
            raise TypeError(f"open is {type(collection).__name__}, not {Collection.__name__}")
    return cast("Collection[ItemT]", _Guarded(collection, _COLLECTION, blame))


class _Guarded:
    """Stands for an object of another package: what fails in it names the package."""

    def __init__(self, inner: Any, kinds: Mapping[str, _Kinds], blame: Blame) -> None:
        self._inner, self._kinds, self._blame = inner, kinds, blame

    def __len__(self) -> int:
        with blamed(self._blame, _("fails in {place}", place="__len__")):
            return len(self._inner)

    def __getattr__(self, attribute: str) -> Any:
        kinds = self._kinds.get(attribute)
        if kinds is None:
            return getattr(self._inner, attribute)
        what = _("fails in {place}", place=attribute)
        with blamed(self._blame, what):
            value = getattr(self._inner, attribute)
            if not callable(value):
                return _checked(attribute, value, kinds)

        def called(*args: Any, **options: Any) -> Any:
            with blamed(self._blame, what):
                return _checked(attribute, value(*args, **options), kinds)

        return called


def _checked(attribute: str, value: _Checked, kinds: _Kinds) -> _Checked:
    """The value that a package gives for an attribute; raises `TypeError` for a wrong type."""
    wanted = " or ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
    if not isinstance(value, kinds):
        raise TypeError(f"{attribute} is {type(value).__name__}, not {wanted}")
    kind = _ELEMENTS.get(attribute)
    if kind is not None and isinstance(value, Sequence):
        for each in value:
            if not isinstance(each, kind):
                raise TypeError(f"{attribute} has {type(each).__name__} in it")
    return value


def _shown(layer: TaskLayer) -> TaskLayer:
    """A layer whose texts can be shown."""
    return replace(
        layer,
        title=escape_control_characters(layer.title),
        asks=escape_control_characters(layer.asks),
        fault=escape_control_characters(layer.fault),
    )
