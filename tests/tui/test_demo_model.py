"""What is on screen comes from the model's weights, not from us."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from gguf import GGUFReader

from core.models.resolver import demo_file
from tests.tui.support import opened


def shuffled(path: Path, target: Path) -> Path:
    """A copy of a model whose weights are the same numbers in random places."""
    shutil.copyfile(path, target)
    target.chmod(0o600)
    random = np.random.default_rng(3)
    reader = GGUFReader(target, "r+")
    for tensor in reader.tensors:
        if tensor.data.ndim == 2:
            tensor.data[:] = random.permutation(tensor.data.reshape(-1, 34)).reshape(
                tensor.data.shape
            )
    reader.data.flush()
    return target


async def scores(model: str) -> list[tuple[float, ...]]:
    """Ask the first implausible story and read every option's score off the ladder."""
    async with opened(model=model) as program:
        await program.press("j")
        await program.ask()
        rungs = program.browse.state.rungs()
        assert program.ladder.count("◆ gold") == 3
        return [tuple(score.logprob for score in rung.verdict.scores) for rung in rungs]


async def test_other_weights_give_other_answers(tmp_path: Path) -> None:
    ours = await scores("demo")
    others = await scores(str(shuffled(demo_file(), tmp_path / "random.gguf")))
    assert [len(layer) for layer in ours] == [len(layer) for layer in others] == [2, 10, 14]
    assert all(
        abs(a - b) > 1e-3
        for mine, theirs in zip(ours, others, strict=True)
        for a, b in zip(mine, theirs, strict=True)
    )


async def test_the_screen_says_that_the_bundled_model_is_a_demonstration() -> None:
    async with opened() as program:
        bar = program.app.screen.query("TopBar").first().render_line(0).text
        assert "demonstration" in bar
        assert "not a result" in " ".join(program.ladder.split())


async def test_the_screen_says_where_the_bundled_model_is_at_chance() -> None:
    async with opened(benchmark="accord", size=(160, 60)) as program:

        def said() -> str:
            text = " ".join(program.ladder.split())
            return text.partition("This model is at chance ")[2].partition(".")[0]

        # Before anything is asked and above all layers: two hops, then one, then three.
        assert said() == "in: Bare question"
        ladder = " ".join(program.ladder.split())
        assert ladder.index("at chance") < ladder.index("≈ Bare question")
        await program.press("minus")
        assert said() == "in: Bare question"
        await program.press("plus", "plus")
        assert said() == "in: Bare question, Hop 3, Whole tree"
        await program.ask()
        assert said() == "in: Bare question, Hop 3, Whole tree"


async def test_a_model_that_cannot_be_loaded_is_said_and_the_program_lives(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(range(200)))
    async with opened(model=str(broken)) as program:
        assert "m chooses a model" in program.ladder
        assert "broken.gguf" in program.live
        await program.press("space", "v", "p")
        assert program.app.is_running
