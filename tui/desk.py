"""What lies on the desk: the open item, its setting with its past, and what was answered.

No widget and no model is touched here; the browse screen asks the desk and draws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from core.benchmark import Benchmark, Collection, Layer
from core.errors import NotFoundError, SettingError
from core.ladder import climb
from core.layout.ladder import Phase, RungState, outcome
from core.question import Question, Verdict
from core.setting import Choice, Edits, Flag, NodeState, Order, Setting, Switch
from core.view import Graph, Role, View
from tui.history import History

Key = tuple[str, Setting]
"""An item's id and a setting of it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What asking an item came to, in a word for its row."""

    text: str
    role: Role


class Desk:
    """The items of one collection as a person works on them."""

    def __init__(self, benchmark: Benchmark, collection: Collection) -> None:
        self.benchmark = benchmark
        self.collection = collection
        self.index = -1
        self.item: Any = None
        self.marks: dict[str, Mark] = {}
        self._histories: dict[str, History] = {}
        self._answers: dict[Key, dict[str, RungState]] = {}

    def open(self, index: int) -> None:
        """Put the item at a position on the desk; raises `DataError` if it cannot be read."""
        self.item = self.collection.item(index)
        self.index = index

    @property
    def history(self) -> History:
        """The past of the open item's setting."""
        return self._histories.setdefault(self.item.id, History())

    @property
    def key(self) -> Key:
        """What is on screen: the item under its setting."""
        return self.item.id, self.history.now

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The open item's switches."""
        return self.benchmark.switches(self.item)

    def switch(self, key: str) -> Switch:
        """The switch with this key; raises `SettingError`."""
        for switch in self.switches:
            if switch.key == key:
                return switch
        raise SettingError(f"There is no switch “{key}” here.")

    def view(self) -> View:
        """What the open item looks like now."""
        return self.benchmark.view(self.item, self.history.now)

    @property
    def shown_id(self) -> str:
        """The id of what is on screen: of a variant, where the setting shows just that.

        A variant's id is the value that shows it, or that value after the name of its group.
        """
        item_id, setting = self.key
        if len(setting) == 1:
            (value,) = setting.values()
            group = self.collection.entry(self.index).group
            for name in (value, f"{group}:{value}"):
                if self._known(name):
                    return name
        return str(item_id)

    def _known(self, item_id: str) -> bool:
        try:
            self.collection.find(item_id)
        except NotFoundError:
            return False
        return True

    def _go(self, setting: Setting) -> None:
        """Make a setting the present one, if it can be looked at; raises `SettingError`."""
        self.benchmark.view(self.item, setting)
        self.history.go(setting)

    def set(self, switch: Switch, text: str) -> None:
        """Set a switch of the open item; raises `SettingError`.

        Another variant has other parts, so it is shown as it was made.
        """
        if isinstance(switch, Choice) and switch.cycles:
            self.nth_variant(switch.values.index(switch.parse(text)) + 1)
        else:
            self._go(self.history.now.with_value(switch, text))

    def _cycling(self) -> Choice:
        for switch in self.switches:
            if isinstance(switch, Choice) and switch.cycles:
                return switch
        raise SettingError("This item has no variants.")

    def next_variant(self) -> None:
        """Show the next variant, as it was made; raises `SettingError` where there is none."""
        choice = self._cycling()
        at = choice.values.index(self.history.now.value(choice))
        self.nth_variant((at + 1) % len(choice.values) + 1)

    def nth_variant(self, number: int) -> None:
        """Show the variant with this number, from 1; raises `SettingError`."""
        choice = self._cycling()
        if number > len(choice.values):
            raise SettingError(f"There is no variant {number}; there are {len(choice.values)}.")
        kept = {
            switch.key: self.history.now[switch.key]
            for switch in self.switches
            if isinstance(switch, Choice | Flag | Edits) and switch.key in self.history.now
        }
        kept[choice.key] = choice.values[number - 1]
        self._go(Setting.of(self.switches, kept))

    def swap(self, order_key: str, first: int, second: int) -> None:
        """Swap the parts that now stand at two places of an order."""
        switch = self.switch(order_key)
        if not isinstance(switch, Order):
            raise SettingError(f"{switch.label} is not an order.", where=switch.key)
        places = list(switch.indices(self.history.now.value(switch)))
        if not (0 <= first < len(places) and 0 <= second < len(places)):
            return
        places[first], places[second] = places[second], places[first]
        self.set(switch, ",".join(map(str, places)))

    def next_state(self, key: str, verb: str) -> str:
        """Set a node by a verb: to one state, at the next call to the other, then free it.

        Intervening and imagining begin with the opposite of what happens by itself, observing
        with just that. A state that contradicts the rest is passed over; returns why one was,
        empty if none was. Raises `SettingError`.
        """
        switch = self.switch(key)
        if not isinstance(switch, NodeState):
            raise SettingError(f"{switch.label} has no state to set.", where=switch.key)
        free = self.history.now.with_value(switch, switch.default)
        happens = self._happens(key, free)
        first = happens if verb == "observe" else not happens
        ring = [f"{verb}={int(first)}", f"{verb}={int(not first)}", switch.default]
        now = self.history.now.value(switch)
        following = ring[ring.index(now) + 1 :] if now in ring[:2] else ring
        passed_over = ""
        for number, state in enumerate(following, 1):
            try:
                self.set(switch, state)
            except SettingError as error:
                if number == len(following):
                    raise
                passed_over = passed_over or str(error)
            else:
                break
        return passed_over

    def _happens(self, key: str, setting: Setting) -> bool:
        for block in self.benchmark.view(self.item, setting).blocks:
            for node in block.nodes if isinstance(block, Graph) else ():
                if node.state_switch == key:
                    return node.role is not Role.ABSENT
        return True

    def toggle(self) -> None:
        """Jump between the item as it is and the last change; raises `SettingError`."""
        other = self.history.other
        if other is None:
            raise SettingError("Nothing was changed yet, so there is nothing to jump to.")
        self._go(other)

    def question(self, layer: Layer) -> Question | None:
        """What a layer asks now."""
        return self.benchmark.question(self.item, self.history.now, layer.id)

    def rungs(self) -> tuple[RungState, ...]:
        """What is known of each layer now."""
        known = self._answers.get(self.key, {})
        rungs = []
        for layer in self.benchmark.layers:
            question = self.question(layer)
            if layer.id in known:
                rungs.append(replace(known[layer.id], question=question))
            elif question is not None or not layer.optional:
                rungs.append(RungState(layer, question))
        return tuple(rungs)

    def record(
        self,
        key: Key,
        layer: Layer,
        question: Question,
        phase: Phase,
        *,
        verdict: Verdict | None = None,
        error: str = "",
    ) -> None:
        """Note how far a layer of an item is."""
        rungs = self._answers.setdefault(key, {})
        rungs[layer.id] = RungState(layer, question, verdict, phase, error)
        if key == self.key and (not key[1] or self.shown_id != key[0]):
            self._mark(self.shown_id, tuple(rungs.values()))

    def forget(self, key: Key) -> None:
        """Drop what was answered for an item under a setting, to ask again."""
        self._answers.pop(key, None)

    def forget_all(self) -> None:
        """Drop every answer: another model will give its own."""
        self._answers.clear()
        self.marks.clear()

    def _mark(self, item_id: str, rungs: tuple[RungState, ...]) -> None:
        failure = climb([r.verdict for r in rungs if r.verdict]).first_failure
        if failure is not None:
            number = [rung.layer.id for rung in self.rungs()].index(failure) + 1
            self.marks[item_id] = Mark(str(number), Role.BAD)
        elif outcome(rungs)[1] is Role.GOOD:
            self.marks[item_id] = Mark("", Role.GOOD)
