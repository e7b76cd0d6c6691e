"""The filter of the list: a text that items contain, and fields of the answers to them.

"zoe answer:wrong layer:conflict" lists the items that contain "zoe" and have an answer in the layer
"conflict" that is wrong. One answer must fit every field. "reached:conflict" is about all answers
to an item: those before "conflict" are right, and the one there is wrong. "reached:end" is about
items that are right at every layer, not those that were asked in part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.contract.benchmark import Benchmark
from core.contract.question import Verdict
from core.runs.records import replace_surrogates
from core.text.text_index import folded

ANSWERS = ("right", "wrong", "unread")
"""What `answer:` may be."""
_REACHED = "reached"
_END = "end"
"""What `reached:` is for items that are right at every layer."""
_FIELDS = ("answer", _REACHED, "layer", "option", "gold", "status", "scoring")
_FIELD = re.compile(r'(?<!\S)([\w-]+):("[^"]*"?|\S*)')
_MOST_VALUES = 60
"""Most values of a tag that completion offers."""


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What is typed into the filter."""

    text: str
    """What the item contains."""
    fields: tuple[tuple[str, str], ...] = ()
    """Names and values, in small letters, that an answer has."""


class VerdictFilter:
    """Finds items by the answers to them."""

    def __init__(
        self,
        benchmark: Benchmark,
        verdicts: Iterable[Verdict],
        right_at_every_layer: Callable[[str], bool],
    ) -> None:
        """`right_at_every_layer` says so of the item with an id."""
        self._right_at_every_layer = right_at_every_layer
        self._layers = {
            layer.id: (layer.id, layer.title, layer.shown) for layer in benchmark.layers
        }
        self._counted = [layer.id for layer in benchmark.layers if not layer.aside]
        self._by_item: dict[str, list[Verdict]] = {}
        self._values: dict[str, dict[str, None]] = {}
        for verdict in verdicts:
            self._by_item.setdefault(replace_surrogates(verdict.item), []).append(verdict)
            for tag, value in verdict.tags.items():
                self._values.setdefault(tag, {})[value] = None

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that can be named: those of every answer, and the tags of these."""
        return (*_FIELDS, *sorted(set(self._values) - set(_FIELDS)))

    def parse(self, typed: str) -> ListQuery:
        """What is typed, as a text and fields; a field of an unknown name is text."""
        known = set(self.names)
        fields = [
            (name.casefold(), folded(value.strip('"')))
            for name, value in _FIELD.findall(typed)
            if name.casefold() in known
        ]
        text = _FIELD.sub(lambda m: "" if m[1].casefold() in known else m[0], typed)
        return ListQuery(" ".join(text.split()) if fields else typed, tuple(fields))

    def holds(self, item_id: str, fields: Sequence[tuple[str, str]]) -> bool:
        """Whether an answer to an item has every field."""
        verdicts = self._by_item.get(replace_surrogates(item_id), ())
        reached = [value for name, value in fields if name == _REACHED]
        if reached and not all(self._reached(item_id, verdicts, value) for value in reached):
            return False
        of_one = [(name, value) for name, value in fields if name != _REACHED]
        return any(all(self._has(v, name, value) for name, value in of_one) for v in verdicts)

    def _reached(self, item_id: str, verdicts: Sequence[Verdict], value: str) -> bool:
        """Whether the first wrong layer of an item has a name, or all are right for `_END`."""
        right = {verdict.layer: verdict.right for verdict in verdicts}
        known = [layer for layer in self._counted if right.get(layer) is not None]
        wrong = next((layer for layer in known if not right[layer]), None)
        if wrong is None:
            return (
                bool(known)
                and _END.startswith(value)
                and (not value or self._right_at_every_layer(item_id))
            )
        return any(value in folded(each) for each in self._layers[wrong])

    def _has(self, verdict: Verdict, name: str, value: str) -> bool:
        match name:
            case "answer":
                return _result(verdict).startswith(value)
            case "layer":
                names = self._layers.get(verdict.layer, (verdict.layer,))
                return any(value in folded(each) for each in names)
            case "option":
                return _named(verdict, verdict.picked_options, value)
            case "gold":
                return _named(verdict, verdict.right_options, value)
            case "status":
                return value in verdict.status.value
            case "scoring":
                return value in verdict.scoring.value
        known = verdict.tags.get(name)
        if known is None:
            return False
        # 1 is not 10, while a part of a name is enough.
        return value == known if known.isdecimal() else value in folded(known)

    def completion(self, typed: str) -> str | None:
        """What is typed, with its last word completed to a field or a value; None for none."""
        word = typed.rpartition(" ")[2]
        if len(word) < 2 or word.endswith('"'):
            return None
        offered = [f"answer:{each}" for each in ANSWERS]
        offered += [f"layer:{layer}" for layer in self._layers]
        offered += [f"{_REACHED}:{each}" for each in (*self._counted, _END)]
        offered += [f"{name}:" for name in self.names]
        for tag, values in self._values.items():
            # A terminal would obey what cannot be printed.
            words = [value for value in values if value and " " not in value]
            shown = filter(str.isprintable, words[:_MOST_VALUES])
            offered += [f"{tag}:{value}" for value in sorted(shown)]
        longer = (each for each in offered if each.startswith(word) and each != word)
        completed = next(longer, None)
        return None if completed is None else typed.removesuffix(word) + completed


def _result(verdict: Verdict) -> str:
    """One of `ANSWERS`; empty where the right answer is not known."""
    if verdict.unread:
        return "unread"
    return {True: "right", False: "wrong", None: ""}[verdict.right]


def _named(verdict: Verdict, indices: Iterable[int], value: str) -> bool:
    return any(value in folded(verdict.options[index]) for index in indices)


def latest(run: Iterable[Verdict], asked: Iterable[Verdict]) -> list[Verdict]:
    """The answers of a run, in the place of which stand those that were asked one by one."""
    by_question: Mapping[tuple[str, str], Verdict] = {
        (verdict.layer, replace_surrogates(verdict.item)): verdict for verdict in (*run, *asked)
    }
    return list(by_question.values())
