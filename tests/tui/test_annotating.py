"""The screen of questions: keys, sizes, hostile text, and a person's run on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.annotation.session import Annotating, Interlude, Progress
from core.annotation.tasks import Choice, Passage, Task
from core.annotation.votes import Round
from core.files import paths
from core.runs.records import RunState
from core.runs.store import Store
from core.text.errors import DataError
from tests.annotation.support import annotation
from tests.pilots import notices, screen_rows
from tests.tui.support import Opened, opened
from tui.annotation.screen import AnnotatingScreen
from tui.app.one_screen_app import OneScreenApp
from tui.browse.screen import BrowseScreen
from tui.shell.text_screen import TextScreen
from tui.widgets.choice_list import ChoiceLine

SIZES = [(60, 20), (80, 24), (160, 50)]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


class Asked:
    """A sitting of given tasks that remembers what was answered."""

    who = "Anna"

    def __init__(self, *tasks: Task) -> None:
        self.tasks = tasks
        self.at = 0
        self.answers: list[tuple[int, ...]] = []
        self.closed = False
        self.full = False
        self.trouble: DataError | None = None

    @property
    def present(self) -> Task | Interlude:
        return self.tasks[self.at] if self.at < len(self.tasks) else Interlude("Done", "Thanks")

    @property
    def progress(self) -> Progress | None:
        return (
            Progress("Round", self.at + 1, len(self.tasks)) if self.at < len(self.tasks) else None
        )

    @property
    def picked(self) -> tuple[int, ...]:
        return self.answers[self.at] if self.at < len(self.answers) else ()

    def answer(self, picks: tuple[int, ...]) -> DataError | None:
        if self.full:
            raise DataError("The disk is full.", where="[bold]votes[/bold]")
        self.answers[self.at : self.at + 1] = [picks]
        self.at += 1
        return self.trouble

    def back(self) -> bool:
        self.at, moved = max(0, self.at - 1), self.at > 0
        return moved

    def forward(self) -> bool:
        moved = bool(self.picked)
        self.at += moved
        return moved

    def close(self) -> None:
        self.closed = True


def task(number: int = 0, *, multiple: bool = False, choices: int = 3) -> Task:
    letters = "viu" + " " * choices
    return Task(
        f"t{number}",
        (Passage(f"a cat sat {number}", "Sentence", 2, 5),),
        "Is it?",
        tuple(Choice(f"c{n}", f"choice {n}", letters[n].strip()) for n in range(choices)),
        multiple,
    )


def text(app: OneScreenApp) -> str:
    """Every cell of the terminal."""
    return "\n".join(screen_rows(app))


def app_of(sitting: object) -> OneScreenApp:
    return OneScreenApp(AnnotatingScreen(sitting, "Annotating", "What the **answers** mean."))  # type: ignore[arg-type]


async def test_numbers_letters_and_the_cursor_answer_and_one_can_go_back() -> None:
    sitting = Asked(*(task(n) for n in range(4)))
    async with app_of(sitting).run_test(size=(60, 20)) as pilot:
        await pilot.press("2", "u")
        assert sitting.answers == [(1,), (2,)]
        await pilot.press("j", "j", "k", "enter")
        assert sitting.answers[2] == (0,)
        await pilot.press("backspace", "backspace")
        assert sitting.at == 1
        lines = [str(line.content) for line in pilot.app.screen.query(ChoiceLine)]
        assert [line.count("●") for line in lines] == [0, 0, 1]
        await pilot.press("v", "right")
        assert (sitting.at, sitting.answers) == (3, [(1,), (0,), (0,)])
        # No answer, so neither of these goes on.
        await pilot.press("right", "enter", "9", "x")
        assert (sitting.at, len(sitting.answers)) == (3, 3)


async def test_an_answer_is_said_to_be_saved_beside_what_went_wrong() -> None:
    sitting = Asked(task(), task(1))
    sitting.trouble = DataError("This is not a vote.", where="[bold]ben.jsonl:1[/bold]")
    async with app_of(sitting).run_test(size=(80, 24)) as pilot:
        await pilot.press("1")
        assert notices(pilot.app) == ["[bold]ben.jsonl:1[/bold]: This is not a vote."]
        assert "Saved" in text(pilot.app)  # type: ignore[arg-type]
        assert "a cat sat 1" in text(pilot.app)  # type: ignore[arg-type]


async def test_several_answers_are_marked_and_then_kept() -> None:
    sitting = Asked(task(multiple=True), task(1))
    async with app_of(sitting).run_test(size=(60, 20)) as pilot:
        await pilot.press("enter")
        assert sitting.at == 0
        await pilot.press("3", "1", "j", "space", "j", "space", "enter")
        # 3 and 1 were marked, then 2 was, then 3 no more.
        assert sitting.answers == [(0, 1)]


async def test_more_answers_than_digits_are_reached_with_the_cursor() -> None:
    sitting = Asked(task(choices=14))
    async with app_of(sitting).run_test(size=(60, 20)) as pilot:
        await pilot.press(*["j"] * 14)
        await pilot.pause()
        assert "choice 13" in text(pilot.app)  # type: ignore[arg-type]
        await pilot.press("enter")
    assert sitting.answers == [(13,)]


async def test_a_click_answers_and_help_says_what_the_answers_mean() -> None:
    sitting = Asked(task(), task(1))
    async with app_of(sitting).run_test(size=(80, 24)) as pilot:
        await pilot.click(list(pilot.app.screen.query(ChoiceLine))[1])
        assert sitting.answers == [(1,)]
        await pilot.press("question_mark")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, TextScreen)
        assert "What the **answers** mean." in screen.prose
        assert "Go back to the question before" in screen.prose


@pytest.mark.parametrize("key", ["q", "escape"])
async def test_leaving_closes_the_sitting_and_ends_the_program(key: str) -> None:
    sitting = Asked(task())
    app = app_of(sitting)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press(key)
        await pilot.pause()
    assert sitting.closed
    assert app.return_code == 0
    assert not sitting.answers


async def test_an_answer_that_is_not_kept_is_told_and_the_question_stays() -> None:
    sitting = Asked(task())
    sitting.full = True
    async with app_of(sitting).run_test(size=(80, 24)) as pilot:
        await pilot.press("1")
        await pilot.pause()
        told = notices(pilot.app)
        assert told == ["Not saved. [bold]votes[/bold]: The disk is full."]
        assert sitting.at == 0


@pytest.mark.parametrize("size", SIZES)
async def test_everything_is_in_sight_at_any_size(size: tuple[int, int]) -> None:
    async with app_of(Asked(task(), task(1))).run_test(size=size) as pilot:
        shown = text(pilot.app)  # type: ignore[arg-type]
        asked = ("a cat sat 0", "Is it?", "3 u  ○ choice 2")
        for part in ("Annotating: Anna", "Round  1 of 2", *asked, "1-9 answer", "leave"):
            assert part in shown


async def test_hostile_text_is_shown_and_never_obeyed() -> None:
    evil = "\x1b[31m[red]x[/red]\u202e @click=app.quit\x07"
    sitting = Asked(
        Task(
            evil,
            (Passage(evil, evil, 3, 9), Passage(evil, aside=True)),
            evil,
            (Choice(evil, evil),),
        )
    )
    sitting.who = evil
    async with app_of(sitting).run_test(size=(120, 40)) as pilot:
        shown = text(pilot.app)  # type: ignore[arg-type]
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert shown.count("␛[31m[red]x[/red]⟨RLO⟩ @click=app.quit␇") == 6
        await pilot.press("1")
        assert sitting.answers == [(0,)]


async def test_votes_given_at_the_keys_are_on_the_disk_before_the_next_question(
    tmp_path: Path,
) -> None:
    sitting = Annotating(annotation(tmp_path), "Anna", "Read this.")
    async with app_of(sitting).run_test(size=(60, 20)) as pilot:
        assert "Read this." in text(pilot.app)  # type: ignore[arg-type]
        await pilot.press("enter", "o", "e", "backspace", "n")
        votes = annotation(tmp_path).votes
        found = [votes.on(f"t{n}", Round.FIRST) for n in range(3)]
        assert [[ballot.choice for ballot in each.values()] for each in found] == [
            ["odd"], ["none"], [],
        ]  # fmt: skip


async def _answering(program: Opened) -> AnnotatingScreen:
    await program.press("R")
    await program.until(lambda: isinstance(program.app.screen, AnnotatingScreen))
    screen = program.app.screen
    assert isinstance(screen, AnnotatingScreen)
    await program.until(lambda: isinstance(screen.session.present, Task))
    await program.until(lambda: screen.choices is not None)
    return screen


async def test_a_person_answers_a_collection_on_one_screen_into_a_run_and_goes_on() -> None:
    async with opened(model="person:Anna", benchmark="com2") as program:
        screen = await _answering(program)
        progress = screen.session.progress
        assert progress is not None
        assert (progress.at, screen.session.who) == (1, "Anna")
        for number in range(3):
            before = screen.session.present
            assert screen.session.progress.at == number + 1  # type: ignore[union-attr]
            await program.press("1", "enter")
            # Who answers before the next question is put answers nothing.
            await program.until(lambda before=before: screen.session.present is not before)
            assert program.app.screen is screen
        await program.press("backspace")
        assert screen.session.progress.at == 4  # type: ignore[union-attr]
        await program.press("q")
        await program.until(lambda: isinstance(program.app.screen, BrowseScreen))
        await program.until(lambda: not program.app.collection_runs.asking)
        with Store(paths.runs(), create=False) as store:
            (run,) = store.runs()
            assert run.plan.model == "Anna"
            assert run.state is not RunState.DONE
            assert len(store.verdicts(run.id)) == 3
        again = await _answering(program)
        await program.until(lambda: again.session.progress is not None)
        assert again.session.progress.at == 4  # type: ignore[union-attr]


async def test_only_a_person_can_answer_all() -> None:
    async with opened(model="replay:none", benchmark="com2") as program:
        await program.press("R")
        await program.until(lambda: any("person:NAME" in one for one in notices(program.app)))
        assert isinstance(program.app.screen, BrowseScreen)
