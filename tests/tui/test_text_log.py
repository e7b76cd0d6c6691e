"""A log stays at its end whatever becomes of its pane, until a person scrolls up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult

from tests.mostly_slow import mostly_slow
from tests.pilots import settled
from tui.shell import themes
from tui.widgets.text_log import TextLog

_WORDS = "a line that is longer than the narrowest of panes"


class Host(App[None]):
    """A log of nine rows and nothing else."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return themes.variable_defaults()

    def compose(self) -> ComposeResult:
        log = TextLog()
        log.styles.height = 9
        yield log

    @property
    def log_(self) -> TextLog:
        return self.query_one(TextLog)

    @property
    def last(self) -> str:
        log = self.log_
        return log.render_line(log.size.height - 1).text.strip()


def shorter(log: TextLog) -> None:
    log.styles.height = 5


def taller(log: TextLog) -> None:
    log.styles.height = 14


def wider(log: TextLog) -> None:
    log.styles.width = 70


def narrower(log: TextLog) -> None:
    log.styles.width = 30


def away(log: TextLog) -> None:
    log.display = False


def back(log: TextLog) -> None:
    log.display = True


def flat(log: TextLog) -> None:
    log.styles.height = 0
    log.styles.width = 0


@mostly_slow("begun", [12, 4])
@pytest.mark.parametrize(
    "changes",
    [
        (shorter, taller),
        (taller, shorter),
        (narrower, wider),
        (away, shorter, back),
        (flat, shorter, wider),
    ],
    ids=lambda changes: "-".join(change.__name__ for change in changes),
)
async def test_the_end_stays_in_sight(
    changes: tuple[Callable[[TextLog], None], ...], begun: int
) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        for number in range(begun):
            app.log_.add(f"{number} {_WORDS}")
        await settled(pilot)
        for change in changes:
            change(app.log_)
            await settled(pilot)
            app.log_.add(f"then {_WORDS}")
            await settled(pilot)
        if app.log_.max_scroll_y:
            assert app.last.endswith("panes")
        for number in range(12):
            app.log_.add(f"after {number}")
            await settled(pilot)
        assert app.last == "after 11"


async def test_who_reads_further_up_is_left_there_until_going_back_to_the_end() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        log = app.log_
        for number in range(30):
            log.add(f"{number}")
        await settled(pilot)
        log.move_cursor(-10)
        top = log.scroll_offset.y
        for change in (shorter, away, back):
            change(log)
            log.add("more")
            await settled(pilot)
        assert log.scroll_offset.y == top
        log.scroll_end(animate=False)
        await settled(pilot)
        log.add("after")
        await settled(pilot)
        assert app.last == "after"


async def test_who_went_up_sees_new_lines_once_there_is_room_for_all() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        log = app.log_
        for number in range(12):
            log.add(f"{number}")
        await settled(pilot)
        log.move_cursor(-1)
        taller(log)
        await settled(pilot)
        for number in range(12):
            log.add(f"after {number}")
        await settled(pilot)
        assert app.last == "after 11"


async def test_a_text_that_is_shown_whole_keeps_its_beginning_in_sight() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        log = app.log_
        log.replace("\n".join(map(str, range(30))))
        await settled(pilot)
        log.move_cursor(4)
        log.replace("\n".join(map(str, range(7))))
        await settled(pilot)
        shorter(log)
        await settled(pilot)
        assert log.render_line(0).text.strip() == "0"
