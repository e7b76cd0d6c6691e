"""A lesson on the screen: what is told, counted and revealed, and that one can look around."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.contract.question import OptionScore, Prompt
from core.contract.rungs import Phase
from core.layout.hands import draw_hands
from core.layout.rows import plain
from core.lessons.lesson import Lesson
from core.lessons.library import named
from core.text.language import LANGUAGES, speak
from tests.lessons.showing import NO_MODEL, opened_lesson
from tests.lessons.support import lesson
from tests.pilots import screen_rows
from tests.tui.support import opened, until
from tui.browse.ladder_pane import LadderPane
from tui.browse.screen import BrowseScreen
from tui.lessons.counting import CountsView
from tui.lessons.narration_pane import NarrationPane
from tui.lessons.screen import LessonScreen
from tui.shell.model_holder import ModelPhase
from tui.shell.prompts import PickOne
from tui.widgets.bars import KeyBar

STEPS = """
- say: First.
  item: 0-O0
  point: {statement: break}
- say: Second.
  predict:
    ask: What is it?
    layer: story_class
  after: Now it is known.
- say: Third.
  set: {variant: plausible}
  predict:
    ask: Is there a conflict?
    options:
      - {text: yes there is, when: {gold: {layer: story_class, is: "false"}}, then: It was.}
      - {text: no there is none, when: {gold: {layer: story_class, is: "true"}}, then: It was not.}
  after: So it is.
"""


@pytest.fixture
def three(tmp_path: Path) -> Lesson:
    """A lesson of three steps, the last of which needs no model."""
    return lesson(tmp_path, STEPS)


async def test_a_step_shows_its_item_and_points(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        assert shown.said == "First."
        screen = shown.screen
        assert (screen.narration.border_title, screen.narration.border_subtitle) == (
            "One",
            "1 of 3",
        )
        assert screen.state is not None
        assert screen.state.key == ("0-O0", screen.player.bound_step.setting)
        view = screen.item_text
        found = view.statement()
        assert view.has_focus
        assert found is not None
        assert found[1].role == "break"
        await shown.press("space")
        assert shown.said == "Second."
        await shown.press("space")
        assert screen.state.history.now["variant"] == "0"
        await shown.press("backspace", "backspace", "backspace")
        assert shown.said == "First."
        assert not screen.state.history.now


async def test_a_click_on_the_name_of_the_keys_that_count_hands_counts_none(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        await shown.press("space")
        await shown.until(lambda: shown.screen.player.options)
        bar = shown.screen.query_one(KeyBar)
        named = bar.render_line(0).text
        assert "count hands" in named
        for name in ("1-", "count hands"):
            await shown.pilot.click(KeyBar, offset=(named.index(name), 0))
        await shown.settle()
        assert shown.app.is_running
        assert sum(shown.screen.player.hands) == 0


async def test_hands_are_counted_and_taken_back(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        await shown.press("space", "1", "1", "2", "9")
        assert shown.screen.player.hands == (2, 1)
        assert shown.hands.splitlines() == [
            " What is it?",
            "   1 false",
            f"     {'█' * 13} 2",
            "   2 true",
            f"     {'█' * 7} 1",
        ]
        await shown.press("minus")
        assert shown.screen.player.hands == (2, 0)
        await shown.press("space", "backspace")
        assert shown.screen.player.hands == (2, 0)


async def test_only_what_is_predicted_is_asked_and_shown(three: Lesson) -> None:
    async with opened_lesson(three, model="demo") as shown:
        assert shown.app.model_state.phase is ModelPhase.READY
        await shown.press("space", "1")
        assert (shown.asked, shown.after) == (set(), "")
        await shown.press("r")
        assert shown.asked == {"story_class"}
        ladder = shown.screen.query_one(LadderPane)
        verdict = next(rung.verdict for rung in ladder.rungs if rung.verdict)
        revealed = shown.screen.player.result
        assert revealed is not None
        assert revealed.true == (verdict.answer,)
        assert f"▸ {verdict.answer + 1} {verdict.options[verdict.answer]}" in shown.hands
        assert shown.after == "Now it is known."
        await shown.press("space", "backspace")
        assert shown.after == "Now it is known."


async def test_facts_are_revealed_without_a_model(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        assert shown.app.model_state.phase is ModelPhase.FAILED
        await shown.press("space", "r")
        assert shown.screen.player.result is None
        await shown.press("space", "2", "r")
        assert shown.screen.player.result is not None
        assert shown.screen.player.result.true == (1,)
        assert shown.after == "It was not.\n\nSo it is."


async def test_what_no_longer_holds_is_told_instead_of_what_was_written(tmp_path: Path) -> None:
    steps = STEPS.replace(
        "  after: So it is.", "  check: [{silent: story_class}]\n  after: So it is."
    )
    async with opened_lesson(lesson(tmp_path, steps)) as shown:
        await shown.press("space", "space", "r")
        assert "written for another answer. It asks something." in shown.hands.replace("\n", "")
        assert "So it is" not in shown.after


async def test_one_can_look_around_and_return(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        state = shown.screen.state
        assert state is not None
        await shown.press("v", "j", "tab", "tab")
        assert state.history.now["variant"] == "0"
        await shown.press("2")
        assert state.history.now["variant"] == "0"
        await shown.press("1", "space", "backspace")
        assert not state.history.now
        await shown.press("enter", "enter", "v", "r")
        assert state.history.now == shown.screen.player.bound_step.setting
        assert shown.screen.player.result is not None


async def test_nothing_leads_out_of_a_lesson_but_leaving(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        for key in ("slash", "n", "C", "R", "P", "f8"):
            await shown.press(key)
            assert shown.app.screen_stack == [shown.screen]
            assert not shown.screen.query_one("#filter").display
        await shown.press("escape")
        await shown.until(lambda: isinstance(shown.app.screen, PickOne))
        await shown.press("escape")
        assert shown.app.screen_stack == [shown.screen]
        await shown.press("escape")
        await shown.until(lambda: isinstance(shown.app.screen, PickOne))
        await shown.pilot.press("enter")
        await until(shown.pilot, lambda: not shown.app.is_running)


async def test_a_lesson_goes_on_where_it_was_left(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        await shown.press("space", "escape")
        await shown.until(lambda: isinstance(shown.app.screen, PickOne))
        await shown.pilot.press("enter")
        await until(shown.pilot, lambda: not shown.app.is_running)
    async with opened_lesson(three) as shown:
        assert shown.said == "Second."
        # The last step is left without a question, and the lesson begins anew.
        await shown.press("space")
        await shown.pilot.press("escape")
        await until(shown.pilot, lambda: not shown.app.is_running)
    async with opened_lesson(three) as shown:
        assert shown.said == "First."
    async with opened_lesson(three, step=3) as shown:
        assert shown.said == "Third."


async def test_a_reveal_waits_for_the_model(three: Lesson) -> None:
    async with opened_lesson(three, model="demo", settled=False, step=2) as shown:
        assert shown.app.model_state.is_pending
        await shown.pilot.press("r")
        await shown.until(lambda: shown.screen.player.result is not None)
        assert shown.after == "Now it is known."


HIDDEN = """
- say: First.
  item: 1-O0
  hide: [marks, why]
  predict:
    ask: Where does it break?
    point: {statement: break}
    options:
      - {text: one, when: {statement: {is: s1, role: break}}}
      - {text: two, when: {statement: {is: s2, role: break}}}
"""


async def test_marks_and_explanation_are_hidden_until_they_are_revealed(tmp_path: Path) -> None:
    async with opened_lesson(lesson(tmp_path, HIDDEN)) as shown:
        before = "\n".join(screen_rows(shown.app))
        assert "Davide ha appeso il cappotto" in before
        for told in ("conflict · changed", "breakpoint", "■", "no longer wearing", "wearing"):
            assert told not in before
        await shown.press("r")
        await shown.until(lambda: "breakpoint" in "\n".join(screen_rows(shown.app)))
        after = "\n".join(screen_rows(shown.app))
        assert "■" in after
        assert "no longer wearing" in after


async def test_what_came_true_is_counted_over_the_collection(three: Lesson) -> None:
    async with opened_lesson(three, model="demo", step=2) as shown:
        await shown.press("r")
        counts = shown.screen.query_one(CountsView)
        await shown.until(lambda: "95 % interval" in plain(counts.draw(48)).replace("\n", " "))


async def test_the_value_that_a_step_reveals_is_told(demo_model: None) -> None:
    async with opened_lesson(named("4"), size=(60, 20), step=2) as shown:
        assert "p = " not in shown.hands
        await shown.press("r")
        assert "long bend”: p = 1.00" in " ".join(shown.hands.split())


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_a_lesson_asks_before_it_is_left(key: str) -> None:
    async with opened_lesson(named("4"), step=2) as shown:
        await shown.press(key)
        await shown.until(lambda: isinstance(shown.app.screen, PickOne))
        assert shown.app.is_running


async def test_going_on_while_the_model_is_asked_leaves_nothing_asked(
    three: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened_lesson(three, model="demo") as shown:
        model = shown.app.model_state.model
        assert model is not None
        forever = asyncio.Event()

        async def score(prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
            await forever.wait()
            return ()

        monkeypatch.setattr(model, "score", score)
        await shown.pilot.press("space", "r")
        state = shown.screen.state
        assert state is not None
        await until(shown.pilot, lambda: state.rungs()[0].phase is Phase.ASKING)
        await shown.press("backspace")
        assert state.rungs()[0].phase is Phase.IDLE
        assert not shown.screen.player.revealed


async def test_one_can_jump_to_the_text(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        await shown.press("ctrl+o", "n")
        assert shown.screen.narration.has_focus
        await shown.press("space")
        assert shown.said == "Second."
        await shown.press("left")
        assert shown.said == "First."


async def test_another_model_is_asked_again(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        await shown.press("space", "space", "r")
        assert shown.screen.player.revealed
        shown.app.load_model(NO_MODEL)
        await until(shown.pilot, lambda: not shown.screen.player.revealed)


@pytest.mark.parametrize(
    ("name", "size"), [("three-layers", (80, 24)), ("see-do-imagine", (60, 20))]
)
async def test_text_and_what_it_points_at_are_in_sight(name: str, size: tuple[int, int]) -> None:
    async with opened_lesson(named(name), size=size, language="it") as shown:
        for _ in shown.screen.player.lesson.steps:
            front = shown.screen.pane
            if front == "lesson":
                front = "graph" if shown.screen.has_class("-graph") else "view"
            pane = shown.screen.pane_widget(front)
            for widget in (shown.screen.narration, pane):
                assert widget.region.width >= min(28, size[0] // 3)
                assert widget.region.height >= 7
                assert shown.screen.region.contains_region(widget.region)
            assert not shown.screen.narration.region.overlaps(pane.region)
            assert shown.said == shown.screen.player.step.say.spoken("it")
            await shown.press("space")


HOSTILE = """
- say: |
    ## [red]Head[/red]

    [press](https://example.org) <https://example.org> \\u001b]8;; <b onclick="x">bold</b>
    ![](file:///etc/passwd) [/] [link=x]y
  item: 0-O0
  predict:
    ask: "[bold]Which[/bold] \\e[31m"
    options:
      - {text: "[@click=app.quit]one[/]", when: {right: story_class}}
      - {text: two, when: {wrong: story_class}}
"""


async def test_a_hostile_lesson_is_shown_as_it_is_written(tmp_path: Path) -> None:
    async with opened_lesson(lesson(tmp_path, HOSTILE)) as shown:
        text = "\n".join(screen_rows(shown.app))
        for written in (
            "[red]Head[/red]",
            "[press](https://example.org)",
            "<https://example.org>",
            "[@click=app.quit]one[/]",
            "[bold]Which[/bold] ␛[31m",
        ):
            assert written in text
        narration = shown.screen.query_one(NarrationPane)
        for y in range(narration.region.y, narration.region.bottom):
            for x in range(narration.region.x, narration.region.right):
                style = shown.screen.get_style_at(x, y)
                assert not style.link
                assert not set(style.meta) & {"@click", "href"}


@pytest.mark.parametrize("code", list(LANGUAGES))
async def test_a_lesson_is_begun_from_the_browser_and_left_for_it(code: str) -> None:
    """It speaks the language of the program, without asking for one."""
    speak(code)
    async with opened(model=NO_MODEL) as program:
        await program.press("f8")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.pilot.pause()
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, LessonScreen))
        screen = program.app.screen
        assert isinstance(screen, LessonScreen)
        await program.until(lambda: bool(screen.query("#say")) and screen.state is not None)
        assert screen.player.language == code
        await program.press("escape")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.pilot.press("enter")
        await program.until(lambda: type(program.app.screen) is BrowseScreen)
        assert program.app.is_running


def test_bars_are_shares_of_all_hands() -> None:
    rows = draw_hands(["one", "two " * 9], [3, 1], (1,), 30, len)
    assert plain(rows).splitlines() == [
        "   1 one",
        "     ███████████████ 3",
        " ▸ 2 two two two two two two",
        "     two two two",
        "     █████ 1",
    ]
