"""The list of collections says what each is; a file of another kind gets the right next step."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Input, Static

from core.contract import registry
from core.contract.collection import Entry
from core.files.shipped import samples
from core.text.errors import DataError
from tests.cli.support import run
from tests.pilots import screen_rows
from tests.tui.support import Opened, idle, opened
from tui.app.opening import make_program
from tui.app.recognition import other_kind
from tui.browse.item_list import ItemList
from tui.shell import collection_choices, recent, themes
from tui.shell.collection_choices import described, offered_collections
from tui.shell.model_choices import folders
from tui.shell.path_dialogue import FileTree, PathDialogue
from tui.shell.prompts import PickOne

DUMP = b"/a/[/r/AtLocation/,/c/en/cat/,/c/en/sofa/]\t/r/AtLocation\t/c/en/cat\t/c/en/sofa\t{}\n"


async def in_tree(program: Opened, name: str) -> None:
    """Open the dialogue for a path, and put the tree's cursor onto a file."""
    await program.press("C")
    await program.until(lambda: isinstance(program.app.screen, PickOne))
    await program.press("end", "enter")
    await program.until(lambda: isinstance(program.app.screen, PathDialogue))
    tree = program.app.screen.query_one(FileTree)
    await program.until(lambda: len(tree.root.children) > 0)
    tree.focus()
    for _step in range(len(tree.root.children)):
        await program.press("down")
        if program.app.screen.query_one(Input).value.endswith(name):
            return
    raise AssertionError(program.app.screen.query_one(Input).value)


def test_a_collection_is_described_by_items_size_licence_and_day(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    shutil.copy(samples() / "gita" / "stories.json", path)
    recent.remember("gita", path)
    offered = offered_collections(registry.loaded()[0])
    title, facts, first = described(offered, 0).split("\n")
    assert title.startswith("A hundred families")
    assert facts.startswith("300 items · ")
    assert facts.endswith(" kB · licence: CC BY 4.0")
    assert first == "0 Irene · cantina, 0-O0 Irene · cantina, 0-C0 Irene · cantina, …"
    accord = next(at for at, place in enumerate(offered) if place.benchmark.name == "accord")
    assert described(offered, accord).split("\n")[2].startswith("kettle: Steam rises")
    own = described(offered, len(offered) - 1)
    assert f"opened {recent.read()[0].day}" in own
    path.unlink()
    offered = offered_collections(registry.loaded()[0])
    assert "nothing any more" in described(offered, len(offered) - 1)


def test_every_bundled_collection_beside_the_samples_says_what_it_is() -> None:
    labels = [place.label for place in offered_collections(registry.loaded()[0])]
    assert "ACCORD: bundled" in labels
    assert "ACCORD: bundled, a grid of all hops and distractors (sweep)" in labels
    assert "Com²: bundled, one large graph of causes and effects (causenet)" in labels


async def test_a_narrow_list_shows_what_tells_its_lines_apart() -> None:
    full = ["factual, 1 hop, 0 distractors", "anti-factual, 1 hop, 1 distractor"]
    details = [("bare question", ""), *zip(full, ("short 1", "short 2"), strict=True)]
    details.append(("no short one", ""))
    entries = [
        Entry(f"a-long-id-{i}", "A question", detail, "kettle", short)
        for i, (detail, short) in enumerate(details)
    ]

    class Lines(App[None]):
        def get_theme_variable_defaults(self) -> dict[str, str]:
            return themes.variable_defaults()

        def compose(self) -> ComposeResult:
            yield ItemList()

    for columns, shown in ((60, full), (32, ["short 1", "short 2"])):
        app = Lines()
        async with app.run_test(size=(columns, 8)):
            items = app.query_one(ItemList)
            collection = SimpleNamespace(entry=entries.__getitem__)
            items.show(collection, range(4))  # type: ignore[arg-type]
            rows = [items.render_line(y).text for y in range(4)]
        assert [row[1:].strip() for row in rows[1:]] == [*shown, "no short one"]


def test_a_large_collection_is_not_opened_to_be_described(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def opened(*_: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(registry, "open_collection", opened)
    monkeypatch.setattr(collection_choices, "_LARGEST", 1000)
    offered = offered_collections(registry.loaded()[0])
    assert "looked into when it is opened" in described(offered, 0)


async def test_the_line_under_the_cursor_is_described() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await program.press("C")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        about = program.app.screen.query_one(".about", Static)
        await program.until(lambda: "300 items" in str(about.content))
        await program.press("j")
        await program.until(lambda: "107 items" in str(about.content))


async def test_the_cursor_begins_on_the_collection_that_is_open() -> None:
    async with opened(benchmark="com2", model="/nowhere.gguf") as program:
        await program.press("C")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        about = program.app.screen.query_one(".about", Static)
        await program.until(lambda: "289 items" in str(about.content))


async def test_a_file_of_the_tree_is_opened_by_the_benchmark_that_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(samples() / "abspyramid" / "Detection", tmp_path / "[red]a" / "Detection")
    shutil.copy(samples() / "gita" / "stories.json", tmp_path / "z.json")
    monkeypatch.chdir(tmp_path)
    async with opened(benchmark="com2", model="/nowhere.gguf") as program:
        await in_tree(program, "z.json")
        assert "[red]a" in "\n".join(screen_rows(program.app))
        await program.press("enter")
        await program.until(lambda: program.browse.benchmark.name == "gita")

        await in_tree(program, "[red]a")
        line = program.app.screen.query_one(Input)
        line.focus()
        await program.press("enter")
        await program.until(lambda: program.browse.benchmark.name == "abspyramid")


async def test_a_file_of_another_kind_gets_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "net.csv").write_bytes(DUMP)
    monkeypatch.chdir(tmp_path)
    async with opened(model="/nowhere.gguf") as program:
        await in_tree(program, "net.csv")
        await program.press("enter")
        told = program.app.screen.query_one(".error", Static)
        await program.until(lambda: "This is a ConceptNet dump." in str(told.content))
        assert f"commonsense-tui accord kb build {tmp_path / 'net.csv'}" in str(told.content)


def store(path: Path) -> None:
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE a (b)")


@pytest.mark.parametrize(
    ("make", "what", "command"),
    [
        (lambda path: path.write_bytes(DUMP), "a ConceptNet dump", "accord kb build"),
        (lambda path: path.write_bytes(gzip.compress(DUMP)), "a ConceptNet dump", "accord kb"),
        (lambda path: path.write_bytes(b"GGUF\3\0"), "a model", "browse --model"),
        (store, "a store of runs", "runs list --store"),
        (
            lambda path: path.write_bytes(b"ACCORDKB\1"),
            "a compiled knowledge base",
            "accord kb info",
        ),
        (
            lambda path: shutil.copy(samples() / "lessons" / "1-three-layers.yaml", path),
            "a lesson",
            "lesson run",
        ),
    ],
)
def test_other_kinds_are_known_by_their_beginning(
    make: object, what: str, command: str, tmp_path: Path
) -> None:
    path = tmp_path / "it's"
    make(path)  # type: ignore[operator]
    error = other_kind(path)
    assert error is not None
    assert what in error.what
    assert f"commonsense-tui {command}" in error.hint
    with pytest.raises(DataError, match=what):
        make_program(path, None, None)
    ran = run("show", path, "0")
    assert ran.code == 2
    assert what in ran.err


def test_collections_are_of_no_other_kind() -> None:
    for benchmark in registry.loaded()[0]:
        for path in (benchmark.samples(), *benchmark.more_samples()):
            files = [path] if path.is_file() else list(path.rglob("*"))
            assert [each for each in files if other_kind(each) is not None] == []


def test_a_relative_folder_of_models_is_passed_over_without_a_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    configured = (Path("models"), tmp_path)
    assert folders(configured)[:2] == (here / "models", tmp_path)
    here.rmdir()
    assert folders(configured)[0] == tmp_path


async def test_a_removed_working_folder_leaves_models_and_files_to_choose_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    async with opened(model="/nowhere.gguf") as program:
        here.rmdir()
        await program.press("m")
        await idle(program.pilot)
        assert "Traceback" not in "".join(program.app.log_lines)
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.browse)
        await program.press("C")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.press("end", "enter")
        await program.until(lambda: isinstance(program.app.screen, PathDialogue))
        assert program.app.screen.query_one(FileTree).path == Path.home()
