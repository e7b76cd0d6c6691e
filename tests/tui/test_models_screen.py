"""The screen that lists models: what is found, what fits, what is refused, what is given back."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import gguf
import numpy as np
import pytest
from textual.pilot import Pilot

from core.contract.question import OptionScore, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.contract.view import Role
from core.files.config import Config
from core.models import model_files
from core.models.model_files import find_models
from core.runs.records import Plan
from core.runs.store import Store
from core.text.errors import CommonsenseError
from tests.tui.screen_host import ScreenHost
from tests.tui.support import idle, opened, until
from tui.browse.model_list import ModelList
from tui.browse.models_screen import ModelsScreen
from tui.shell import model_choices
from tui.shell.model_choices import Kind
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.prompts import AskText
from tui.widgets.bars import TopBar

SIZES = pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)])

VERDICT = Verdict(
    item="1",
    layer="plausible",
    setting=Setting(),
    options=("true", "false"),
    scores=(OptionScore(-1.0, 1, 4), OptionScore(-2.0, 1, 5)),
    answer=0,
    gold=0,
    status=Status.OK,
    scoring=Scoring.LOGLIKELIHOOD,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with nothing in it; the program was started in an empty folder below it."""
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("core.files.paths.data", lambda: tmp_path / "data")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def write_model(path: Path) -> Path:
    """A well-formed GGUF file with one small tensor."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(128)
    writer.add_block_count(1)
    writer.add_tensor("token_embd.weight", np.zeros((32, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def host(state: ModelState | None = None, *folders: Path) -> ScreenHost:
    config = Config(model_folders=folders)
    return ScreenHost(lambda: ModelsScreen(config, state or ModelState()))


def front(app: ScreenHost) -> ModelsScreen:
    (screen,) = (s for s in app.screen_stack if isinstance(s, ModelsScreen))
    return screen


def names(app: ScreenHost) -> list[str]:
    return [entry.name for entry in front(app).query_one(ModelList).entries]


async def searched(pilot: Pilot[None], app: ScreenHost) -> None:
    """Wait for the end of the search, and until all of it is listed."""
    await until(pilot, lambda: isinstance(app.screen, ModelsScreen) and app.screen.is_mounted)
    await idle(pilot)


async def stand_on(pilot: Pilot[None], app: ScreenHost, name: str) -> None:
    await pilot.press("home")
    for _ in range(names(app).index(name)):
        await pilot.press("j")


@SIZES
async def test_the_bundled_model_is_first_and_loads(home: Path, size: tuple[int, int]) -> None:
    app = host()
    async with app.run_test(size=size) as pilot:
        await searched(pilot, app)
        assert names(app)[0] == "The bundled model"
        assert names(app)[-1] == "type a path, a server's address, or person:NAME…"
        assert "demonstration" in app.text()
        assert "No GGUF file" in app.text()
        await pilot.press("enter")
        await pilot.pause()
    assert app.result == "demo"


@SIZES
async def test_a_found_file_is_given_back_as_an_absolute_path(
    home: Path, size: tuple[int, int]
) -> None:
    own = write_model(home / "elsewhere" / "deep" / "own.gguf")
    write_model(home / "models" / "usual.GGUF")
    app = host(None, home / "elsewhere")
    async with app.run_test(size=size) as pilot:
        await searched(pilot, app)
        assert names(app)[1:3] == ["own.gguf", "usual.GGUF"]
        assert "needs" in app.text()
        await stand_on(pilot, app, "own.gguf")
        await pilot.press("enter")
        await pilot.pause()
    assert app.result == str(own)


async def test_a_model_that_does_not_fit_is_refused_in_words(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(home / "models" / "big.gguf")
    monkeypatch.setattr(model_files, "available_memory", lambda: 1000)
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        await searched(pilot, app)
        await stand_on(pilot, app, "big.gguf")
        assert "memory" in app.text()
        await pilot.press("enter")
        await pilot.pause()
        assert "Not loaded" in app.shown("#detail")
        assert app.open


async def test_what_is_no_model_is_listed_and_refused(home: Path) -> None:
    (home / "models").mkdir()
    (home / "models" / "letter.gguf").write_bytes(b"Dear all, this is a letter.")
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        await searched(pilot, app)
        await stand_on(pilot, app, "letter.gguf")
        assert "cannot be loaded" in app.text()
        await pilot.press("enter")
        await pilot.pause()
        assert "Not loaded" in app.shown("#detail")
        assert app.open


async def test_hostile_file_names_are_shown_and_never_obeyed(home: Path) -> None:
    name = "a\x1b[31m\u202e[b]b.gguf"
    path = write_model(home / "models" / name)
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        await searched(pilot, app)
        assert "a␛[31m⟨RLO⟩[b]b.gguf" in app.text()
        assert "\x1b" not in app.text()
        await stand_on(pilot, app, name)
        await pilot.pause()
        assert "\x1b" not in app.text()
        await pilot.press("enter")
        await pilot.pause()
    assert app.result == str(path)


async def test_a_name_that_is_not_utf8_is_listed(home: Path) -> None:
    folder = home / "models"
    folder.mkdir()
    (Path(os.fsdecode(bytes(folder) + b"/caf\xe9.gguf"))).write_bytes(b"GGUF")
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        await searched(pilot, app)
        await pilot.press("j")
        await pilot.pause()
        assert "caf\ufffd.gguf" in app.text()


async def test_recorded_runs_can_be_replayed(home: Path) -> None:
    with Store(home / "data" / "runs.sqlite") as store:
        empty = store.start(Plan("m", "f", "gita", "stories.json", "h"))
        run = store.add(Plan("Minerva 3B", "g", "gita", "stories.json", "h"), [VERDICT], {})
    app = host()
    async with app.run_test(size=(80, 40)) as pilot:
        await searched(pilot, app)
        assert empty.id not in names(app), "a run without answers has nothing to replay"
        assert "Minerva 3B · gita · 1 item" in app.text()
        await stand_on(pilot, app, run.id)
        await pilot.press("enter")
        await pilot.pause()
    assert app.result == f"replay:{run.id}"


async def test_a_store_that_cannot_be_read_says_so_and_the_rest_is_listed(home: Path) -> None:
    (home / "data").mkdir()
    (home / "data" / "runs.sqlite").write_bytes(b"this is no database" * 100)
    write_model(home / "models" / "m.gguf")
    app = host()
    async with app.run_test(size=(80, 40)) as pilot:
        await searched(pilot, app)
        assert "m.gguf" in names(app)
        assert "Recorded runs" in app.text()
        text, role = front(app).query_one(ModelList).notes[Kind.RUN]
        assert "runs.sqlite" in text
        assert role is Role.BAD


async def test_a_store_of_an_old_format_says_so_and_the_rest_is_listed(home: Path) -> None:
    store = home / "data" / "runs.sqlite"
    Store(store).close()
    with closing(sqlite3.connect(store)) as db:
        db.execute("PRAGMA user_version = 1")
    write_model(home / "models" / "m.gguf")
    app = host()
    async with app.run_test(size=(80, 40)) as pilot:
        await searched(pilot, app)
        assert "m.gguf" in names(app)
        text, role = front(app).query_one(ModelList).notes[Kind.RUN]
        assert "an older version of the program (format 1)" in text
        assert role is Role.BAD


async def test_filter_then_escape_then_leave(home: Path) -> None:
    write_model(home / "models" / "alpha.gguf")
    write_model(home / "models" / "beta.gguf")
    app = host()
    async with app.run_test(size=(60, 20)) as pilot:
        await searched(pilot, app)
        await pilot.press("slash", *"BETA")
        await pilot.pause()
        assert names(app) == ["beta.gguf", "type a path, a server's address, or person:NAME…"]
        await pilot.press("q")
        await pilot.pause()
        assert "Nothing here contains this" in app.text()
        await pilot.press("escape")
        await pilot.pause()
        assert "alpha.gguf" in names(app)
        await pilot.press("escape")
        await pilot.pause()
    assert app.result is None


async def test_typing_a_path(home: Path) -> None:
    path = write_model(home / "out" / "typed.gguf")
    app = host()
    async with app.run_test(size=(60, 20)) as pilot:
        await searched(pilot, app)
        await pilot.press("end", "enter")
        await until(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.press(*"nothing-here", "enter")
        await until(pilot, lambda: "no such file" in app.shown(".error"))
        app.screen.query_one("Input").value = "~/out/typed.gguf"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: not app.open)
    assert app.result == str(path)


@pytest.mark.parametrize("text", ["", "  ", "\0", "replay:never", "~nobody-here/x", "x" * 5000])
def test_what_is_typed_wrongly_is_an_error_in_words(home: Path, text: str) -> None:
    with pytest.raises(CommonsenseError) as caught:
        model_choices.typed_entry(text)
    assert caught.value.what


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (ModelState(), "No model is loaded"),
        (ModelState(ModelPhase.LOADING, "demo", 0.4), "Loading demo: 40%"),
        (ModelState(ModelPhase.FAILED, "x", error="x.gguf: it is cut off."), "it is cut off"),
    ],
)
async def test_the_head_says_what_is_loaded(home: Path, state: ModelState, words: str) -> None:
    app = host(state)
    async with app.run_test(size=(80, 24)) as pilot:
        await searched(pilot, app)
        assert words in app.shown("#now")


def test_links_are_not_followed_and_nothing_is_listed_twice(tmp_path: Path) -> None:
    real = write_model(tmp_path / "a" / "one.gguf")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "again.gguf").symlink_to(real)
    (tmp_path / "b" / "nowhere.gguf").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "b" / "pipe.gguf")
    assert list(find_models([tmp_path, tmp_path / "a", tmp_path / "none"])) == [real]


def test_parts_after_the_first_hidden_folders_and_deep_ones_are_left_out(tmp_path: Path) -> None:
    kept = {
        write_model(tmp_path / "m-00001-of-00002.gguf"),
        write_model(tmp_path / "1" / "2" / "3" / "4" / "deep.gguf"),
        write_model(tmp_path / "state-of-the-art.gguf"),
    }
    for name in ("m-00002-of-00002.gguf", "mmproj-m.gguf", ".hidden/m.gguf", "1/2/3/4/5/m.gguf"):
        write_model(tmp_path / name)
    assert set(find_models([tmp_path])) == kept


def test_the_search_is_bounded(tmp_path: Path) -> None:
    for i in range(3000):
        (tmp_path / f"{i:04}").mkdir()
    entered: list[Path] = []
    assert list(find_models([tmp_path], entered.append)) == []
    assert len(entered) <= 2000


def test_order_of_the_parts_is_fixed() -> None:
    assert list(Kind) == [Kind.DEMO, Kind.FILE, Kind.RUN, Kind.PUBLISHED, Kind.PATH]


async def test_a_click_on_the_name_of_the_model_opens_the_list_of_models() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await program.pilot.click(TopBar, offset=(program.app.size.width - 3, 0))
        await program.until(lambda: isinstance(program.app.screen, ModelsScreen))
