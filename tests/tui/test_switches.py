"""The list of switches: statements by the numbers they have on screen, one press for a value."""

from __future__ import annotations

from core.contract import registry
from core.contract.setting import Edits, Flag, NodeState, Number, Setting
from core.files.shipped import samples
from tests.tui.support import opened
from tui.browse.switches import arranged, next_value, shown_label, shown_value
from tui.shell.prompts import AskText, PickOne


def test_statements_are_numbered_as_they_stand_now() -> None:
    gita = registry.load("gita")
    item = gita.open(samples() / "gita" / "stories.json").item(0)
    switches = gita.switches(item)
    setting = Setting.of(switches, {"order": "4,1,2,3,0"})
    view = gita.view(item, setting)
    listed = [s for s in arranged(switches, view) if shown_label(s, view).startswith("Statement")]
    assert [shown_label(s, view) for s in listed] == [f"Statement {n}" for n in range(5)]
    assert [s.key for s in listed] == ["s4", "s1", "s2", "s3", "s0"]
    assert [shown_value(s, setting) for s in listed] == [
        item.story.sentences[i] for i in (4, 1, 2, 3, 0)
    ]
    assert sorted(s.key for s in arranged(switches, view)) == sorted(s.key for s in switches)


def test_one_press_gives_the_next_state_of_a_node() -> None:
    node = NodeState("rain", "Rain")
    seen, setting = [], Setting()
    for _ in node.VALUES:
        value = next_value(node, setting)
        assert value is not None
        setting = setting.with_value(node, value)
        seen.append(value)
    assert sorted(seen) == sorted(node.VALUES)
    assert next_value(Flag("a", "a"), Setting()) == "on"
    assert next_value(Number("n", "n", 1, 3, 1), Setting()) is None
    assert next_value(Edits("e", "e"), Setting()) is None


async def test_the_list_and_the_question_use_the_number_on_screen() -> None:
    async with opened() as program:
        first = program.browse.state.item.story.sentences[0]
        await program.press("tab", "full_stop", "s")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.pilot.pause()
        options = program.app.screen.query_one("OptionList").options  # type: ignore[attr-defined]
        lines = [str(option.prompt) for option in options]
        at = lines.index(f"Statement 1: {first}")
        await program.press(*["j"] * at, "enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))
        await program.pilot.pause()
        assert str(program.app.screen.query_one("Vertical").border_title) == "Statement 1"
        assert program.app.screen.query_one("Input").value == first  # type: ignore[attr-defined]
