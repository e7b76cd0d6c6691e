"""State of an item screen: the open item, its setting with its history, and the answers so far.

It uses no widget and asks no model; the screen reads the state and draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Question, Verdict
from core.contract.rungs import Rung, build_rungs, with_verdict
from core.contract.setting import (
    Choice,
    Dial,
    Edits,
    NodeState,
    Number,
    Order,
    Setting,
    Switch,
    Text,
)
from core.contract.view import Role, View
from core.text.errors import DataError, NotFoundError, SettingError
from core.text.language import _
from tui.browse.family_answers import FamilyAnswers
from tui.browse.history import History
from tui.browse.setting_changes import (
    dial_switch,
    implied_choice,
    nth_implied,
    other_implied,
    stepped_value,
    swapped_order,
    variant_choice,
    variant_setting,
)
from tui.browse.verdict_filter import latest
from tui.runs.marks import Mark, RunAnswers, mark_of

Key = tuple[str, Setting]
"""An item's id and a setting of it."""


class BrowseState:
    """One collection as a person works on it: the open item, its setting, the answers."""

    def __init__(self, benchmark: Benchmark, collection: Collection) -> None:
        self.benchmark = benchmark
        self.collection = collection
        self.index = -1
        self.marks: dict[str, Mark] = {}
        self.run: RunAnswers | None = None
        """Answers of a run over the collection with the present model and prompt form."""
        self.on_answer: Callable[[Key, Question], None] | None = None
        """Called with every question that was answered, and the item and setting it is about."""
        self._item: Item | None = None
        self._group = ""
        """The group of the open item; its file may change while it is open."""
        self._histories: dict[str, History] = {}
        self._answers = FamilyAnswers()
        self._built: tuple[Key, tuple[Rung, ...]] | None = None
        """The rungs of the open item under its setting, with their questions, once built."""

    @property
    def is_open(self) -> bool:
        """Whether an item is open."""
        return self._item is not None

    @property
    def item(self) -> Item:
        """The open item; raises `LookupError` where none is."""
        if self._item is None:
            raise LookupError
        return self._item

    def open(self, index: int) -> None:
        """Open the item at a position; where it cannot be read, none is open: `DataError`."""
        self._item = None
        item, group = self.collection.item(index), self.collection.entry(index).group
        # What an item reads only when it is drawn is read now, too, and kept in it.
        self.benchmark.switches(item)
        self._item, self._group, self.index = item, group, index
        self._answers.add_item(item.id, group or item.id)

    def close(self) -> None:
        """Close the open item, which cannot be read any more."""
        self._item = None

    @property
    def history(self) -> History:
        """The history of the open item's setting."""
        history = self._histories.get(self.item.id)
        if history is None:
            first = self.run.setting(self.item) if self.run is not None else Setting()
            history = self._histories[self.item.id] = History(first)
        return history

    def show_run(self, run: RunAnswers | None) -> bool:
        """Take the answers of a run, and show items as it asked about them.

        Items that a person changed stay as they are. Returns whether the run is another one now.
        """
        if run is self.run:
            return False
        self.run, self._built = run, None
        for item_id, history in list(self._histories.items()):
            if not history.changed:
                del self._histories[item_id]
        return True

    @property
    def key(self) -> Key:
        """The open item's id and its setting."""
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
        raise SettingError(_("There is no switch “{key}” here.", key=key))

    def view(self) -> View:
        """The view of the open item under its setting; raises `DataError` if a file changed."""
        return self.benchmark.view(self.item, self.history.now)

    @property
    def shown_id(self) -> str:
        """The id of what is on screen: of a variant, where the setting shows just that.

        A variant's id is the value that shows it, or that value after the name of its group.
        """
        item_id, setting = self.key
        if len(setting) == 1:
            (value,) = setting.values()
            for name in (value, f"{self._group}:{value}"):
                with suppress(NotFoundError, DataError):
                    self.collection.find(name)
                    return name
        return str(item_id)

    @property
    def changed(self) -> bool:
        """Whether a setting is on screen that is no item of the collection."""
        item_id, setting = self.key
        return bool(setting) and self.shown_id == item_id

    def go(self, setting: Setting) -> None:
        """Make a setting the present one; raises `SettingError` if the item cannot be shown so."""
        self.benchmark.view(self.item, setting)
        self.history.go(setting)

    def set(self, switch: Switch, text: str) -> None:
        """Set a switch of the open item; raises `SettingError`."""
        if isinstance(switch, Choice) and switch.cycles:
            self.nth_variant(switch.values.index(switch.parse(text)) + 1)
        else:
            self.go(self.history.now.with_value(switch, text))

    def turn(self, dial: Dial, by: int) -> None:
        """Turn the number that a dial stands for; raises `SettingError` where there is none.

        Values that are drawn at random or stepped through start again after the last one.
        """
        self._step(dial_switch(self.switches, dial), by, restarts=dial in {Dial.DRAW, Dial.STEP})

    def sample_again(self, key: str) -> None:
        """Take the next sample of the number with this key; raises `SettingError`."""
        switch = self.switch(key)
        assert isinstance(switch, Number)
        self._step(switch, 1, restarts=True)

    def _step(self, switch: Number, by: int, *, restarts: bool) -> None:
        self.set(switch, stepped_value(switch, self.history.now, by, restarts=restarts))

    @property
    def offers(self) -> frozenset[str]:
        """What the open item offers beyond being shown, for the keys named below it."""
        offers = {"failures"} if self.failed_any else set()
        offers |= {"unread"} if self.unread_any else set()
        offers |= {"reply"} if self.is_open and self._replied else set()
        if self.is_open and self.benchmark.suggestions(self.item):
            offers.add("review")
        offers |= {"author"} if self.benchmark.author is not None else set()
        for switch in self.switches if self.is_open else ():
            match switch:
                case Choice(implied=True):
                    offers.add("implied")
                case Choice(cycles=True):
                    offers.add("variants")
                case Number(dial=Dial() as dial):
                    offers.add(dial.value)
                case NodeState():
                    offers.add("states")
                case Edits():
                    offers.add("edits")
                case Order():
                    offers.add("order")
                case Text():
                    offers.add("text")
        return frozenset(offers)

    @property
    def _replied(self) -> bool:
        """Whether a rung of the open item has an answer that was written."""
        rungs = self.rungs()
        own = [rung.verdict for rung in rungs]
        others = [rung.compared.verdict for rung in rungs if rung.compared is not None]
        return any(verdict is not None and verdict.text for verdict in (*own, *others))

    def nth(self, number: int) -> None:
        """Choose by number, from 1: the answer that is implied, else a variant."""
        implied = implied_choice(self.switches)
        if implied is None:
            self.nth_variant(number)
        else:
            self.set(implied, nth_implied(implied, number))

    def next_variant(self) -> None:
        """Show the next variant, as it was made; raises `SettingError` where there is none."""
        choice = variant_choice(self.switches)
        at = choice.values.index(self.history.now.value(choice))
        self.nth_variant((at + 1) % len(choice.values) + 1)

    def nth_variant(self, number: int) -> None:
        """Show the variant with this number, from 1; raises `SettingError`."""
        self.go(variant_setting(self.switches, self.history.now, number))

    def swap(self, order_key: str, first: int, second: int) -> None:
        """Swap the parts at two positions of the present order."""
        switch = self.switch(order_key)
        assert isinstance(switch, Order)
        order = swapped_order(switch, self.history.now, first, second)
        if order is not None:
            self.set(switch, order)

    def toggle(self) -> None:
        """Jump between the item as it is and the last change; raises `SettingError`.

        Where the item implies an answer, only that one jumps: between the default and the last
        other one, at first the one after the default.
        """
        implied = implied_choice(self.switches)
        if implied is not None:
            last = self.history.last(implied.key)
            self.set(implied, other_implied(implied, self.history.now, last))
            return
        other = self.history.toggle_target
        if other is None:
            raise SettingError(_("Nothing was changed yet, so there is nothing to jump to."))
        self.go(other)

    @property
    def unasked_rungs(self) -> tuple[Rung, ...]:
        """The rungs of the open item under its setting, without answers.

        Their questions are built once and kept until another item or setting is shown.
        """
        if self._built is None or self._built[0] != self.key:
            rungs = build_rungs(self.benchmark, self.item, self.history.now)
            self._built = self.key, tuple(map(self._as_asked, rungs))
        return self._built[1]

    def _as_asked(self, rung: Rung) -> Rung:
        """A rung with its question in the order and wording of the run."""
        if rung.question is None or self.run is None:
            return rung
        return replace(rung, question=self.run.question(self.item, self.history.now, rung.question))

    def rungs(self) -> tuple[Rung, ...]:
        """The rungs of the open item under its setting, with the answers so far."""
        return tuple(map(self._with_answer, self.unasked_rungs))

    def rungs_under(self, setting: Setting) -> tuple[Rung, ...]:
        """The rungs of the open item under another setting, with the answers so far."""
        return tuple(map(self._with_answer, build_rungs(self.benchmark, self.item, setting)))

    def _with_answer(self, rung: Rung) -> Rung:
        """A rung with its own answer, else with that of the run."""
        if rung.question is None:
            return rung
        known = self._answers.rung(self.item.id, rung.question)
        if known is not None:
            return replace(known, question=rung.question)
        if self.run is None:
            return rung
        verdict = self.run.verdict(self.shown_id, rung.question)
        return rung if verdict is None else with_verdict(self.benchmark, rung, verdict)

    def is_of_run(self, rung: Rung) -> bool:
        """Whether the answer of a rung of the open item is that of the run."""
        return (
            rung.verdict is not None
            and rung.question is not None
            and self._answers.rung(self.item.id, rung.question) is None
        )

    def verdicts(self) -> list[Verdict]:
        """The answers to the items as they are, of the run and of what was asked one by one."""
        asked = [
            rung.verdict
            for rung in self._answers
            if rung.verdict is not None and self._is_as_listed(rung.verdict)
        ]
        return latest(self.run.verdicts if self.run is not None else (), asked)

    def _is_as_listed(self, verdict: Verdict) -> bool:
        """Whether an answer is about an item as it was shown first: as it is, or as in the run."""
        history = self._histories.get(verdict.item)
        return verdict.setting == (history.first if history is not None else Setting())

    def record(self, key: Key, rung: Rung) -> None:
        """Keep the rung of a layer of an item, asked or answered."""
        question = rung.question
        assert question is not None
        self._answers.record(key[0], question, rung)
        if rung.verdict is not None and self.on_answer is not None:
            self.on_answer(key, question)
        if (
            self.is_open
            and key == self.key
            and (key[1] == self.history.first or self.shown_id != key[0])
        ):
            mark = mark_of(self.rungs())
            if mark is not None:
                self.marks[self.shown_id] = mark
            else:
                self.marks.pop(self.shown_id, None)

    def forget(self, item_id: str, rungs: Iterable[Rung]) -> None:
        """Drop the answers to the questions of some rungs of an item."""
        questions = [rung.question for rung in rungs if rung.question is not None]
        self._answers.forget(item_id, questions)

    def forget_all(self) -> None:
        """Drop every answer, for another model."""
        self._answers.clear()
        self.marks.clear()
        self.show_run(None)

    @property
    def failed_any(self) -> bool:
        """Whether any item failed, as far as they were asked."""
        marked = any(mark.role is Role.BAD for mark in self.marks.values())
        return marked or (self.run is not None and self.run.failed_any)

    @property
    def unread_any(self) -> bool:
        """Whether any written answer could not be read."""
        asked = any(rung.verdict and rung.verdict.unread for rung in self._answers)
        return asked or (self.run is not None and self.run.unread_any)

    def mark(self, item_id: str) -> Mark | None:
        """The mark of an item that was asked; else that of the run."""
        return self.marks.get(item_id) or (self.run.mark(item_id) if self.run else None)

    def right_at_every_layer(self, item_id: str) -> bool:
        """Whether an item is marked as right at every layer."""
        mark = self.mark(item_id)
        return mark is not None and mark.role is Role.GOOD
