"""The wizard: steps, drafts that outlive the program, wrong input, hostile text."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from core.benchmarks.gita.author import StoryAuthor
from core.contract.authoring import Step
from core.contract.setting import Choice, Edits, Flag, NodeState, Number, Order, Switch, Text
from core.contract.view import Statement, Statements, View
from core.text.errors import DataError
from tests.mostly_slow import mostly_slow
from tests.tui.screen_host import ScreenHost
from tests.tui.support import until
from tui.authoring import drafts
from tui.authoring.drafts import Draft
from tui.authoring.step_editors import Accepted, editor
from tui.authoring.wizard import WizardScreen
from tui.shell import themes
from tui.shell.prompts import PickOne

PARTS = ("Olga lava le mele.", "Olga è in città.", "Olga mangia.")


class TinyAuthor:
    """A passage, then every other kind of switch; the order must be changed."""

    def steps(self) -> tuple[Step, ...]:
        return (
            Step(Text("name", "Name", "", limit=40), "Who is it?"),
            Step(Choice("kind", "Kind", ("a", "b", "c"), ("first", "second", "third")), "Which?"),
            Step(Flag("sure", "Sure"), "Are you sure?"),
            Step(Number("size", "Size", 1, 5, 3), "How many?"),
            Step(Order("order", "Order", PARTS), "In which order?"),
            Step(Text("story", "Story", "", limit=4000), "Tell it."),
        )

    def next_step(self, answers: Mapping[str, str]) -> Step | None:
        for step in self.steps():
            value = answers.get(step.switch.key)
            unchanged = isinstance(step.switch, Order) and value == step.switch.default
            if value is None or unchanged:
                return step
        return None

    def preview(self, answers: Mapping[str, str]) -> View:
        lines = [Statement(key, f"{key} = {text}") for key, text in answers.items()]
        return View("Draft", sections=(Statements("Draft", tuple(lines)),))

    def save(self, answers: Mapping[str, str], path: Path) -> tuple[str, ...]:
        if path.is_dir():
            raise DataError("This is a folder.", where=str(path))
        path.write_text(json.dumps(dict(answers)), encoding="utf-8")
        return ("own-1",)


BENCHMARK: Any = SimpleNamespace(name="tiny", title="Tiny", author=TinyAuthor())


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the item goes; drafts go beside it."""
    monkeypatch.setattr("core.files.paths.data", lambda: tmp_path / "data")
    return tmp_path / "own.json"


def host(target: Path) -> ScreenHost:
    return ScreenHost(lambda: WizardScreen(BENCHMARK, target))


def wizard(app: ScreenHost) -> WizardScreen:
    (screen,) = (s for s in app.screen_stack if isinstance(s, WizardScreen))
    return screen


def asked(app: ScreenHost) -> str:
    step = wizard(app).step
    return step.switch.key if step else ""


async def enter_text(pilot: Pilot[None], text: str) -> None:
    focused = pilot.app.screen.focused
    assert focused is not None
    focused.post_message(events.Paste(text))
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()


@mostly_slow("size", [(60, 20), (80, 24), (140, 40)])
async def test_every_kind_of_step_by_keyboard_alone(target: Path, size: tuple[int, int]) -> None:
    app = host(target)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        await pilot.press(*"Niccol", "ò", "enter")
        assert asked(app) == "kind"
        await pilot.press("j", "j", "k", "enter")
        assert asked(app) == "sure"
        await pilot.press("1", "enter")
        assert asked(app) == "size"
        await pilot.press("up", "enter")
        assert asked(app) == "order"
        await pilot.press("j", "full_stop", "enter")
        assert asked(app) == "story"
        await enter_text(pilot, "Perché no?\r\nLa città  è\tqui.\n\n")
        assert wizard(app).step is None
        assert "name = Niccolò" in app.text()
        await pilot.press("enter")
        await until(pilot, lambda: not app.open)
    assert app.result == target
    assert json.loads(target.read_text(encoding="utf-8")) == {
        "name": "Niccolò",
        "kind": "b",
        "sure": "on",
        "size": "4",
        "order": "0,2,1",
        "story": "Perché no?\nLa città è qui.",
    }
    assert not drafts.place("tiny").exists()


async def test_wrong_input_stays_with_its_reason(target: Path) -> None:
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        await pilot.press("enter")
        assert "empty" in app.shown("#error")
        await enter_text(pilot, "x" * 41)
        assert asked(app) == "name"
        assert "41" in app.shown("#error")
        assert wizard(app).draft.typed["name"] == "x" * 41
        await pilot.press("backspace")
        assert app.shown("#error") == ""
        await pilot.press("enter")
        assert wizard(app).draft.answers == {"name": "x" * 40}


async def test_a_number_out_of_range_and_an_unchanged_order_are_refused(target: Path) -> None:
    drafts.write(drafts.place("tiny"), Draft({"name": "A", "kind": "a", "sure": "on"}))
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        await pilot.press("enter")
        await until(pilot, lambda: asked(app) == "size")
        await pilot.press("backspace", "9", "enter")
        assert asked(app) == "size"
        assert "from 1 to 5" in app.shown("#error")
        await pilot.press("down", "enter")
        assert wizard(app).draft.answers["size"] == "5"
        await pilot.press("enter")
        assert asked(app) == "order"
        assert app.shown("#error") != ""
        await pilot.press("full_stop", "comma", "comma", "j", "full_stop", "enter")
        assert asked(app) == "story"
        assert wizard(app).draft.answers["order"] == "0,2,1"


async def test_back_keeps_the_answer_in_its_field(target: Path) -> None:
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        await pilot.press(*"Ada", "enter", "3", "enter", "1", "enter")
        await pilot.press("escape", "escape", "escape")
        assert asked(app) == "name"
        assert wizard(app).draft.answers == {}
        await pilot.press("!", "enter", "enter", "enter")
        assert wizard(app).draft.answers == {"name": "Ada!", "kind": "c", "sure": "on"}


async def test_a_draft_is_gone_on_with_after_the_program_ended(target: Path) -> None:
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        await pilot.press(*"Ada", "enter", "2", "enter")
        assert drafts.read(drafts.place("tiny")).answers == {"name": "Ada", "kind": "b"}
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        assert "2 answers" in app.text()
        await pilot.press("enter")
        await until(pilot, lambda: asked(app) == "sure")
        assert "name = Ada" in app.text()


async def test_starting_over_forgets_the_draft(target: Path) -> None:
    drafts.write(drafts.place("tiny"), Draft({"name": "Ada"}, {"kind": "c"}))
    app = host(target)
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        await pilot.press("j", "enter")
        await until(pilot, lambda: asked(app) == "name")
        assert wizard(app).draft == Draft()


async def test_leaving_keeps_the_draft_unless_it_is_thrown_away(target: Path) -> None:
    for keys, kept in (("enter",), True), (("j", "j", "enter"), False):
        app = host(target)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda app=app: asked(app) == "name")  # type: ignore[misc]
            await pilot.press(*"Ada", "enter", "ctrl+g")
            await until(pilot, lambda app=app: isinstance(app.screen, PickOne))  # type: ignore[misc]
            await pilot.press(*keys)
            await until(pilot, lambda app=app: not app.open)  # type: ignore[misc]
        assert app.result is None
        assert drafts.place("tiny").exists() is kept
        drafts.discard(drafts.place("tiny"))


async def test_an_untouched_wizard_is_left_without_a_question(target: Path) -> None:
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        await pilot.press("escape")
        await until(pilot, lambda: not app.open)
    assert not drafts.place("tiny").exists()


@pytest.mark.parametrize(
    "damage",
    [b"{", b"[]", b'{"answers": {"name": 3}, "typed": {}}', b"\xff\xfe", b"[" * 200_000],
    ids=["cut", "list", "number", "bytes", "deep"],
)
async def test_a_damaged_draft_is_kept_aside(target: Path, damage: bytes) -> None:
    file = drafts.place("tiny")
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        assert "damaged" in app.shown("#error")
    assert file.with_name("tiny.damaged-1.json").read_bytes() == damage


@pytest.mark.timeout(60)
def test_a_pipe_in_place_of_a_draft_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a\nb.json"
    os.mkfifo(path)
    with pytest.raises(DataError, match="The draft cannot be read") as caught:
        drafts.read(path)
    assert caught.value.where == f"{tmp_path}/a␊b.json"


def test_a_draft_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'{"answers": {}, "typed": {"a": "' + b"a" * 4_000_000 + b'"}}')
    with pytest.raises(DataError, match="larger than"):
        drafts.read(path)


async def test_control_characters_are_shown_and_never_obeyed(target: Path) -> None:
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        await enter_text(pilot, "a\x1b[31mb\u202ec [b]d[/b]")
        assert wizard(app).draft.answers["name"] == "a␛[31mb⟨RLO⟩c [b]d[/b]"
        assert "name = a␛[31mb⟨RLO⟩c [b]d[/b]" in app.text()
        assert "\x1b" not in app.text()


async def test_a_stored_answer_with_control_characters_is_shown(target: Path) -> None:
    drafts.write(drafts.place("tiny"), Draft({}, {"name": "x\x1b]0;owned\x07\ud800"}))
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        await pilot.press("enter")
        await until(pilot, lambda: asked(app) == "name")
        await pilot.pause()
        assert "x␛]0;owned␇" in app.text()


async def test_what_cannot_be_saved_keeps_the_draft(target: Path) -> None:
    target.mkdir()
    answers = {"name": "A", "kind": "a", "sure": "on", "size": "1", "order": "2,1,0", "story": "x"}
    drafts.write(drafts.place("tiny"), Draft(answers))
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        await pilot.press("enter")
        await until(pilot, lambda: "Complete" in app.text())
        await pilot.press("enter")
        await until(pilot, lambda: "folder" in app.shown("#error"))
        assert app.open
        assert drafts.read(drafts.place("tiny")).answers == answers


async def test_a_draft_that_cannot_be_stored_says_so(target: Path) -> None:
    drafts.place("tiny").parent.parent.mkdir(parents=True)
    drafts.place("tiny").parent.write_text("not a folder")
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"Ada", "enter")
        await until(pilot, lambda: asked(app) == "kind")
        await until(pilot, lambda: "cannot be stored" in app.shown("#error"))


def test_answers_that_the_author_no_longer_takes_are_asked_again() -> None:
    stored = Draft({"name": "Ada", "kind": "gone", "sure": "on"})
    found = drafts.settled(stored, TinyAuthor())
    assert found.answers == {"name": "Ada"}
    assert found.typed == {"kind": "gone", "sure": "on"}


async def test_two_windows_keep_a_draft_each(target: Path) -> None:
    drafts.write(drafts.place("tiny"), Draft({"name": "Olga"}))
    app = host(target)
    with drafts.own_place("tiny") as other:
        assert other == drafts.place("tiny")
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: asked(app) == "name")
            await pilot.press(*"Ada", "enter")
            await until(pilot, lambda: asked(app) == "kind")
        assert drafts.read(other).answers == {"name": "Olga"}
    drafts.discard(other)
    # The one that is left is offered, though the first place is free again.
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        await pilot.press("enter")
        await until(pilot, lambda: asked(app) == "kind")
        assert wizard(app).draft.answers == {"name": "Ada"}
    assert [file.suffix for file in other.parent.iterdir()] == [".json"]


async def test_a_draft_is_free_as_soon_as_its_wizard_is_left(target: Path) -> None:
    app = host(target)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: asked(app) == "name")
        wizard(app).dismiss(None)
        with drafts.own_place("tiny") as free:
            assert free == drafts.place("tiny")


def test_a_kill_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    """A process that stores growing drafts is killed: the file is always a whole draft."""
    file = tmp_path / "draft.json"
    program = textwrap.dedent(f"""
        from pathlib import Path
        from tui.authoring.drafts import Draft, write
        n = 0
        while True:
            n += 1
            write(Path({str(file)!r}), Draft({{"n": str(n), "text": "è" * n}}))
            print(n, flush=True)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        told = [int(line) for line in process.stdout]
    found = drafts.read(file).answers
    assert int(found["n"]) >= max(told, default=20)
    assert found["text"] == "è" * int(found["n"])


STORY = {
    "actor": "Ada",
    "location": "cucina",
    "objects": "forno",
    "s0": "Ada apre il forno.\nAda inforna la torta.\nAda aspetta.\nLa torta è cotta.\nAda mangia.",
    "order_variant": "no",
    "cloze_variant": "yes",
    "cloze_sentence": "3",
    "cloze_text": "La torta è cruda.",
}


@pytest.mark.parametrize("size", [(60, 20), (140, 40)])
async def test_a_conflict_pair_without_the_new_sentence_is_explained_and_can_be_changed(
    target: Path, size: tuple[int, int]
) -> None:
    drafts.write(drafts.place("gita"), Draft(STORY))
    gita: Any = SimpleNamespace(name="gita", title="GITA", author=StoryAuthor())
    app = ScreenHost(lambda: WizardScreen(gita, target))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        await pilot.press("enter")
        await until(pilot, lambda: asked(app) == "cloze_pair")
        await pilot.press("1", "enter")
        await pilot.pause()
        assert asked(app) == "cloze_pair"
        assert "Sentence 3 is new" in app.shown("#error")
        assert "Choose a pair with 3." in app.shown("#error")
        # The way on and the way back are both open.
        await pilot.press("3", "enter")
        await pilot.pause()
        assert asked(app) == "cloze_state"
        assert wizard(app).draft.answers["cloze_pair"] == "0,3"
        assert app.text().count("Plausible story") <= 1
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert asked(app) == "cloze_text"


@pytest.mark.parametrize("size", [(60, 20), (140, 40)])
async def test_the_keys_that_are_named_are_those_of_the_registry(
    target: Path, size: tuple[int, int]
) -> None:
    drafts.write(drafts.place("tiny"), Draft({"name": "A", "kind": "a", "sure": "on", "size": "1"}))
    app = host(target)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        await pilot.press("enter")
        await until(pilot, lambda: asked(app) == "order")
        line = app.shown("#keys")
        for keys in ("j k", ", .", "enter", "esc", "ctrl+g"):
            assert keys in line


@pytest.mark.parametrize(
    ("switch", "keys", "value"),
    [
        (NodeState("rain", "Rain"), ("j", "j", "enter"), "do=0"),
        (Edits("edits", "Edits"), ("enter",), ""),
    ],
)
async def test_a_node_s_state_and_edits_of_a_graph_have_editors(
    switch: Switch, keys: tuple[str, ...], value: str
) -> None:
    heard: list[str] = []

    class Host(App[None]):
        def compose(self) -> ComposeResult:
            yield editor(switch, switch.default)

        def on_accepted(self, event: Accepted) -> None:
            heard.append(event.text)

        def get_theme_variable_defaults(self) -> dict[str, str]:
            return themes.variable_defaults()

    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("tab")
        await pilot.press(*keys)
        await pilot.pause()
    assert heard == [value]
    assert switch.parse(heard[0]) == value
