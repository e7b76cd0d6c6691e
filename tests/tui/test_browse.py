"""The main screen: nothing blank, every key does what it says, the ladder tells the truth."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from textual.widgets import Input

from core.contract.question import Form
from core.contract.rungs import Phase
from core.files.shipped import samples
from tests.pilots import screen_rows
from tests.tui.support import Opened, idle, opened
from tui.browse.item_list import ItemList
from tui.shell.clipboard import copy
from tui.shell.jump import JumpScreen
from tui.shell.prompts import AskText, PickOne
from tui.shell.text_screen import TextScreen

STORIES = json.loads((samples() / "gita" / "stories.json").read_text(encoding="utf-8"))


async def test_opens_on_the_first_story_with_nothing_blank() -> None:
    async with opened() as program:
        first = next(iter(STORIES.values()))
        assert first["sentences"][3] in program.story
        assert "Irene" in program.list
        assert "Not asked yet" in program.ladder
        assert "space asks the model" in program.ladder
        assert "space" in program.browse.query("KeyBar").first().render_line(0).text


async def test_the_ladder_shows_every_layer_with_gold_and_answer() -> None:
    async with opened() as program:
        await program.press("j")
        await program.ask()
        rungs = program.browse.state.rungs()
        assert [rung.phase for rung in rungs] == [Phase.ANSWERED] * 3
        assert program.ladder.count("◆ gold") == 3
        assert program.ladder.count("▸") == 3
        assert "not a result" in " ".join(program.ladder.split())
        wrong = next((n for n, r in enumerate(rungs, 1) if r.verdict.right is False), None)
        if wrong is None:
            assert "Right at every layer" in program.ladder
        else:
            assert f"First failure: layer {wrong}" in program.ladder
        assert "Plausible?" in program.live


async def test_a_plausible_story_asks_only_its_first_layer() -> None:
    async with opened() as program:
        await program.ask()
        assert program.ladder.count("nothing to ask") == 2


async def test_variants_come_by_key_and_number_and_go_by_undo() -> None:
    async with opened() as program:
        await program.press("v")
        assert "■" in program.story
        shown = program.browse.item_text.border_title
        assert "0-O0" in str(shown)
        await program.press("3")
        assert "0-C0" in str(program.browse.item_text.border_title)
        await program.press("u", "u")
        assert "■" not in program.story
        await program.press("ctrl+r")
        assert "■" in program.story
        await program.press("a")
        assert "■" not in program.story
        await program.press("a")
        assert "■" in program.story


async def test_moving_a_sentence_into_a_known_variant_brings_its_gold() -> None:
    swapped = STORIES["0-O0"]["sentences"]
    plain = STORIES["0"]["sentences"]
    first = next(i for i in range(5) if swapped[i] != plain[i])
    async with opened() as program:
        await program.press("tab", *["j"] * first, "full_stop")
        assert "■" in program.story
        state = program.browse.state
        assert state.rungs()[0].question.gold is not None


async def test_an_edit_that_nobody_annotated_has_no_gold() -> None:
    async with opened() as program:
        await program.press("tab", "semicolon", "j", "j", "j", "j", "semicolon")
        assert program.browse.state.rungs()[0].question.gold is None
        await program.ask()
        assert "no gold" in program.ladder
        assert "◆" not in program.ladder


def complaint(program: Opened) -> str:
    """What the dialogue that asks for a line says against it."""
    return str(program.app.screen.query(".error").first().render())


async def test_a_sentence_can_be_retyped_and_markup_in_it_is_text() -> None:
    async with opened() as program:
        await program.press("tab", "enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))
        program.app.screen.query_one(Input).value = "[red]Irene[/] ha spento la torcia."
        await program.press("enter")
        await program.until(lambda: "[red]Irene[/] ha spento la torcia." in program.story)


async def test_an_empty_sentence_is_refused_where_it_was_typed() -> None:
    async with opened() as program:
        await program.press("tab", "enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))
        program.app.screen.query_one(Input).value = "   "
        await program.press("enter")
        await program.until(lambda: "empty" in complaint(program))
        await program.press("escape")
        assert not program.browse.state.history.now


async def test_filter_lists_what_contains_the_text() -> None:
    async with opened() as program:
        everything = len(program.browse.query_one(ItemList).positions)
        await program.press("slash", *"zoe")
        items = program.browse.query_one(ItemList)
        await program.until(lambda: 0 < len(items.positions) < everything)
        listed = [items.collection.item(i).story.actor for i in items.positions]
        assert set(listed) == {"Zoe"}
        await program.press("enter", "escape")
        await program.until(lambda: len(items.positions) == everything)


async def test_a_filter_that_finds_nothing_says_how_to_go_on() -> None:
    async with opened() as program:
        await program.press("slash", *"qqqq")
        await program.until(lambda: "esc" in program.story)
        assert "No item contains this" in program.story


async def test_leaving_a_filter_that_found_nothing_goes_back_to_where_one_was() -> None:
    async with opened() as program:
        await program.press("down", "down", "slash", "z")
        items, state = program.browse.query_one(ItemList), program.browse.state
        await program.until(lambda: state.index not in (2, -1))
        await program.press(*"zz")
        await program.until(lambda: "No item contains this" in program.story)
        await program.press("escape")
        await program.until(lambda: len(items.positions) == len(state.collection))
        await program.until(lambda: state.index == 2)


async def test_enter_types_another_sentence_in_the_story_only() -> None:
    async with opened() as program:
        for pane in ("ladder", "live"):
            program.browse.enter_pane(pane)
            await program.press("enter")
            assert program.app.screen is program.browse
        program.browse.enter_pane("view")
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))


async def test_the_prompt_tab_holds_exactly_what_is_sent() -> None:
    async with opened() as program:
        question = program.browse.state.rungs()[0].question
        await program.press("p")
        assert program.browse.live.current == "prompt"
        assert program.browse.live.copy_text() == ("prompt", question.base())
        assert program.browse.asking.form is Form.BASE


async def test_copying_takes_what_is_focused() -> None:
    async with opened() as program:
        await program.press("y")
        assert program.app.clipboard == "0"
        await program.press("tab", "y")
        assert program.app.clipboard == "\n".join(STORIES["0"]["sentences"])
        await program.ask()
        await program.press("tab", "y")
        assert program.app.clipboard in {"true", "false"}


async def test_a_copied_text_cannot_control_the_terminal_in_which_it_is_pasted() -> None:
    async with opened() as program:
        copy(program.app, "item", "one\ttwo\n\x1b[201~\rrm -r x\r\u202e\x07")
        copied = program.app.clipboard
        assert copied.startswith("one\ttwo\n")
        assert "[201~" in copied
        assert all(sign.isprintable() for sign in copied.replace("\t", "").replace("\n", ""))


async def test_licence_and_citation_are_one_key_away() -> None:
    async with opened() as program:
        await program.press("b")
        assert isinstance(program.app.screen, TextScreen)
        text = str(program.app.screen.query("Static").first().render())
        assert "CC BY 4.0" in text
        assert "Pensa" in text


async def test_help_explains_the_focused_pane_first() -> None:
    async with opened() as program:
        for keys, word in (((), "The list"), (("tab",), "The item"), (("tab",), "The ladder")):
            await program.press(*keys, "question_mark")
            assert word in program.app.screen.prose
            await program.press("escape")


async def test_every_size_shows_the_pane_one_is_in() -> None:
    async with opened(size=(12, 4)) as program:
        for size in ((12, 4), (30, 10), (60, 20), (80, 24), (100, 30), (140, 40)):
            await program.pilot.resize_terminal(*size)
            for pane in ("list", "view", "ladder", "live"):
                assert program.browse.pane == pane
                widget = program.browse.pane_widget(pane)
                assert widget.has_focus
                assert widget.region.area > 0 or min(size) < 6
                await program.press("tab")


async def test_another_collection_is_opened_by_its_path(tmp_path: Path) -> None:
    other = write_stories(tmp_path / "stories.json", "Una storia di prova.", actor="Prova")
    async with opened() as program:
        await program.press("C")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.press("end", "enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))
        program.app.screen.query_one(Input).value = str(tmp_path / "nothing")
        await program.press("enter")
        await program.until(lambda: "no such file" in complaint(program))
        program.app.screen.query_one(Input).value = str(other)
        await program.press("enter")
        await program.until(lambda: "Una storia di prova." in program.story)


async def test_jump_mode_goes_where_its_letter_says() -> None:
    async with opened() as program:
        await program.press("ctrl+o")
        await program.until(lambda: isinstance(program.app.screen, JumpScreen))
        await program.press("l")
        await program.until(lambda: program.browse.pane == "ladder")


async def test_the_letter_of_a_pane_stands_before_its_title() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await program.press("ctrl+o")
        await program.until(lambda: isinstance(program.app.screen, JumpScreen))
        said = "\n".join(screen_rows(program.app))
        assert " i Items ─" in said
        assert " l Ladder ─" in said
        assert " b live  p prompt  o log ─" in said


async def test_clicking_a_row_opens_it() -> None:
    async with opened() as program:
        await program.pilot.click(ItemList, offset=(4, 3))
        await program.pilot.pause()
        assert program.browse.state.item.id == "1"


def write_stories(path: Path, sentence: str, **fields: object) -> Path:
    story = dict(next(iter(STORIES.values()))) | fields
    story["sentences"] = [sentence, *story["sentences"][1:]]
    path.write_text(json.dumps({"0": story}), encoding="utf-8")
    return path


HOSTILE = (
    ("[red]rosso[/] e [/]", "[red]rosso[/] e [/]"),
    ("\x1b[31mrosso\x1b[0m", "␛[31mrosso"),
    ("\x1b]8;;http://x\x07link", "␛]8;;http://x␇link"),
    ("\x1b]52;c;cm0=\x07", "␛]52;c;cm0=␇"),
    ("prima\u202eodnoces", "prima⟨RLO⟩odnoces"),
    ("nul\x00la", "nul␀la"),
    ("x" * 1_000_000, "(1,000,000 characters)"),
    ("$x @click=app.quit [@click=app.quit]via[/]", "[@click=app.quit]via[/]"),
)
"""What a file may say, and how it is shown."""


async def test_hostile_text_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "stories.json"
    stories = {}
    for number, (hostile, _) in enumerate(HOSTILE):
        story = dict(STORIES["0"]) | {"actor": hostile, "location": hostile, "story_id": number}
        story["sentences"] = [hostile, *story["sentences"][1:]]
        stories[str(number)] = story
    path.write_text(json.dumps(stories), encoding="utf-8")
    async with opened(path=path) as program:
        view = program.browse.item_text
        for hostile, shown in HOSTILE:
            assert program.browse.state.item.story.actor == hostile
            drawn = "".join(span.text for row in view.rows for span in row)
            assert shown.replace(" ", "") in drawn.replace("\n", "").replace(" ", "")
            await program.ask()
            await program.press("p", "y")
            assert "\x1b" not in program.app.export_screenshot()
            await program.press("b", "escape")
            assert program.app.is_running
            program.browse.enter_pane("list")
            await program.press("j")
        await program.press("question_mark", "escape")
        assert program.app.is_running


async def test_a_file_that_cannot_be_read_is_an_error_in_the_pane(tmp_path: Path) -> None:
    path = tmp_path / "stories.json"
    path.write_text('{"0": {"sentences": [', encoding="utf-8")
    async with opened(path=path) as program:
        assert "stories.json:1" in program.story.replace("\n", "").replace(" ", "")
        await program.press("space", "v", "tab", "comma", "enter", "s", "y", "b", "r", "u")
        assert program.app.is_running


async def test_one_bad_story_leaves_the_good_ones_open(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    good = json.dumps(next(iter(STORIES.values())))
    path.write_text(f'{good}\n{{"story_id": 9, "sentences": 3}}\n', encoding="utf-8")
    async with opened(path=path) as program:
        assert "Irene" in program.story
        box = program.browse.query_one("#list-box")
        assert "1 unreadable" in str(box.border_subtitle)
        await program.press("b")
        text = str(program.app.screen.query("Static").first().render())
        assert "stories.jsonl:2" in text


async def test_the_log_says_that_an_edited_item_was_asked() -> None:
    async with opened() as program:
        await program.press("tab", "full_stop")
        await program.ask()
        assert "0, changed: asking" in program.live


async def test_what_was_asked_is_marked_at_the_variant_that_was_shown() -> None:
    async with opened() as program:
        await program.press("v")
        await program.ask()
        assert "0-O0: asking" in program.live
        rows = program.list.split("\n")
        shown = next(row for row in rows if "0-O0" in row)
        assert "▸" in shown
        assert "✗" in shown or "✓" in shown
        assert not any(sign in rows[0] for sign in "✗✓")


async def test_a_variant_with_fewer_sentences_drops_the_order_of_the_other(tmp_path: Path) -> None:
    stories = {key: dict(STORIES[key]) for key in ("0", "0-O0")}
    stories["0"]["sentences"] = stories["0"]["sentences"][:1]
    path = tmp_path / "stories.json"
    path.write_text(json.dumps(stories), encoding="utf-8")
    async with opened(path=path) as program:
        await program.press("j", "tab", "full_stop")
        assert "edited" in str(program.browse.item_text.border_subtitle)
        await program.press("s")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.press("enter")
        await program.until(lambda: dict(program.browse.state.history.now) == {"variant": "0"})
        await program.press("escape")
        assert program.app.is_running


async def test_a_file_that_changes_while_it_is_open_is_said_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    line = json.dumps(STORIES["0"])
    path.write_text(
        "".join(line.replace('"0"', f'"{i}"') + "\n" for i in range(200)), encoding="utf-8"
    )
    async with opened(path=path) as program:
        path.write_bytes(path.read_bytes()[:3000])
        await program.press("end")
        assert "cannot be read" in program.list
        await program.press("home", "v", "space", "r", "escape", "y")
        assert program.app.is_running


async def test_a_statement_is_retyped_without_drawing_its_control_characters(
    tmp_path: Path,
) -> None:
    hostile = "È \x1b[31mrossa\u202e."
    story = STORIES["0"] | {"sentences": [hostile] * len(STORIES["0"]["sentences"])}
    path = tmp_path / "stories.json"
    path.write_text(json.dumps({"0": story}), encoding="utf-8")
    async with opened(path=path) as program:
        await program.press("tab", "enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))
        rows = "".join(screen_rows(program.app))
        assert "[31mrossa" in rows
        assert "\x1b" not in rows
        assert "\u202e" not in rows
        assert program.app.screen.query_one(Input).value == hostile


@pytest.mark.parametrize("benchmark", ["gita", "abspyramid"])
async def test_a_file_that_is_emptied_while_it_is_open_ends_nothing(
    benchmark: str, tmp_path: Path
) -> None:
    """Another program may write it in place; what is not read yet is then missing."""
    folder = tmp_path / benchmark
    shutil.copytree(samples() / benchmark, folder)
    async with opened(path=folder, benchmark=benchmark) as program:
        await program.press("j", "v")
        for path in folder.rglob("*"):
            if path.is_file():
                os.truncate(path, 0)
        for keys in (("v", "1", "a"), ("slash", "w", "escape"), ("space",), ("f3", "escape")):
            await program.press(*keys)
            await idle(program.pilot)
        await program.press("r", "escape", "G", "v", "s", "escape", "u", "g", "j", "v")
        await idle(program.pilot)
        await program.pilot.resize_terminal(80, 24)
        program.browse.list_filter.go_to("nowhere")
        assert program.app.is_running
        assert not [line for line in program.app.log_lines if "Traceback" in line]


async def test_the_live_tab_follows_its_end_until_one_scrolls_up() -> None:
    async with opened() as program:
        log = program.browse.live.tab("live")
        for number in range(100):
            log.add(f"line {number}")
        await program.until(lambda: "line 99" in log.render_line(log.size.height - 1).text)
        log.move_cursor(-20)
        await program.pilot.pause()
        log.add("one more")
        await program.pilot.pause()
        assert "one more" not in log.render_line(log.size.height - 1).text


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_small_screens_keep_the_model_and_that_it_is_a_demonstration(
    size: tuple[int, int],
) -> None:
    async with opened(size=size) as program:
        assert "demo" in program.app.screen.query("TopBar").first().render_line(0).text
        await program.press("v")
        await program.ask()
        for number in "123":
            assert f"{number} " in program.ladder


async def test_where_panes_lie_behind_each_other_keys_bring_theirs_to_the_front() -> None:
    async with opened(size=(60, 20)) as program:
        assert "tab" in program.app.screen.query("KeyBar").first().render_line(0).text
        await program.press("enter")
        await program.until(lambda: program.browse.pane == "view")
        await program.press("shift+tab", "v")
        assert program.browse.pane == "view"
        await program.ask()
        assert program.browse.pane == "ladder"


async def no_traceback(program: Opened) -> None:
    assert program.app.is_running
    assert program.app.return_code is None


async def test_mashing_keys_breaks_nothing() -> None:
    async with opened(size=(80, 24)) as program:
        keys = (
            "space v a u ctrl+r tab j k comma full_stop s escape slash x escape p f g t y b escape"
        )
        await program.press(*keys.split())
        await no_traceback(program)
