"""On the screen, too, the failures of another package's benchmark name the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.contract import registry
from tests.fifth.support import INSTALLED, installed_broken, installed_shapes
from tests.tui.support import opened
from tui.app.app import CommonsenseApp
from tui.widgets.bars import TopBar

BROKEN = (
    "from shapes_benchmark import Shapes\nclass Panic(BaseException): pass\nclass Broken(Shapes):\n"
)
FAILS = {
    "view is nothing": "def view(self, *args): return None",
    "question is a number": "def question(self, *args): return 5",
    "question panics": "def question(self, *args): raise Panic",
    "switches panics": "def switches(self, item): raise Panic",
    "open panics": "def open(self, path): raise Panic",
}


@pytest.mark.parametrize("code", FAILS.values(), ids=list(FAILS))
async def test_the_pane_of_an_item_names_the_package_that_fails(tmp_path: Path, code: str) -> None:
    with installed_shapes(), installed_broken(tmp_path, f"{BROKEN}    {code}"):
        async with opened(benchmark="broken", path=INSTALLED / "shapes.json") as program:
            await program.until(lambda: "broken-package" in program.story)
            await program.press("down")
            assert program.app.is_running


async def test_a_worker_that_fails_in_a_package_names_it(tmp_path: Path) -> None:
    code = f"{BROKEN}    def score(self, *args): raise Panic"
    with installed_shapes(), installed_broken(tmp_path, code):
        async with opened(benchmark="broken", path=INSTALLED / "shapes.json") as program:
            await program.press("space")
            await program.until(lambda: notices(program.app))
            assert "broken-package" in notices(program.app)
            assert "defect" not in notices(program.app)
            assert program.app.is_running


async def test_a_failure_that_no_pane_shows_ends_the_program_with_its_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = f"{BROKEN}    author = property(lambda self: [1][1])"
    with installed_shapes(), installed_broken(tmp_path, code):
        with pytest.raises(Exception, match="fails in author: IndexError"):
            async with opened(benchmark="broken", path=INSTALLED / "shapes.json") as program:
                await program.press("down", "n")
        said = " ".join(capsys.readouterr().err.split())
        assert "broken-package: Benchmark “broken” fails in author: IndexError" in said
        assert "Traceback" not in said


async def test_a_title_of_a_package_is_drawn_as_one_plain_line(tmp_path: Path) -> None:
    code = f"{BROKEN}    title = 'a\\x1b[31mb\\nc'"
    with installed_shapes(), installed_broken(tmp_path, code):
        assert registry.load("broken").title == "a␛[31mb␊c"
        async with opened(benchmark="broken", path=INSTALLED / "shapes.json") as program:
            await program.until(lambda: program.browse.state)
            assert "a␛[31mb␊c" in program.browse.query_one(TopBar).render_line(0).text


def notices(app: CommonsenseApp) -> str:
    return "\n".join(each.message for each in app._notifications)
