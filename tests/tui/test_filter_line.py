"""The line in which a list is filtered: what it takes, and how often it tells of it."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.events import Key, Paste
from textual.widgets import Input

from tui.shell.typed_text import FilterLine


class Filtering(App[None]):
    """A filter line, and what it told."""

    def compose(self) -> ComposeResult:
        yield FilterLine("contains")

    def on_mount(self) -> None:
        self.told: list[str] = []
        self.line.open()

    @property
    def line(self) -> FilterLine:
        return self.query_one(FilterLine)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.told.append(event.value)

    def on_input_submitted(self) -> None:
        self.told.append("done")


async def test_a_filter_tells_of_keys_that_wait_once() -> None:
    async with Filtering().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, Filtering)
        for letter in "abc" * 20:
            app.post_message(Key(letter, letter))
        await pilot.pause()
        assert app.told[-1] == "abc" * 20
        assert len(app.told) < 20
        app.told.clear()
        await pilot.press("d")
        await pilot.pause()
        assert app.told == ["abc" * 20 + "d"]


async def test_a_filter_tells_what_it_holds_before_it_is_done() -> None:
    async with Filtering().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, Filtering)
        for key, letter in (("a", "a"), ("enter", "\r")):
            app.post_message(Key(key, letter))
        await pilot.pause()
        assert app.told == ["a", "done"]


async def test_a_filter_that_is_emptied_in_silence_tells_nothing_of_before() -> None:
    async with Filtering().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, Filtering)
        app.line.value = "before"
        with app.line.prevent(Input.Changed):
            app.line.value = ""
        await pilot.pause()
        assert app.told == []


async def test_a_filter_holds_no_more_than_a_person_writes() -> None:
    async with Filtering().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, Filtering)
        app.line.post_message(Paste("a" * 100_000))
        await pilot.pause()
        assert len(app.line.value) == 500
