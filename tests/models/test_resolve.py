"""Names of models, and records in the place of one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.contract.question import Answer, OptionScore, Question
from core.models.protocol import Ability, Replaying
from core.models.replay import ReplayModel
from core.models.resolver import load_model
from core.text.errors import CommonsenseError, ModelError, NotFoundError

SCORES = (OptionScore(-1.0), OptionScore(-2.0))
QUESTION = Question("7", "story_class", "", "text", ("yes", "no"), 0)


async def test_a_path(tiny: Path) -> None:
    model = await load_model(str(tiny))
    assert model.info.source == str(tiny)
    assert model.info.name == "Tiny test model"
    assert not model.info.demo
    await model.close()


async def test_demo_is_the_bundled_model(demo_model: None) -> None:
    model = await load_model("demo")
    assert model.info.demo
    assert model.info.source == "demo"
    assert len(await model.score("Storia", [" sì", " no"])) == 2
    await model.close()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("http://localhost:8080/v1", ModelError),
        ("replay:3", ModelError),
        ("no-such-model", NotFoundError),
        ("", NotFoundError),
        ("~nobody-of-that-name/m.gguf", NotFoundError),
        (".", ModelError),
        ("a\0b.gguf", ModelError),
        ("\ud800.gguf", ModelError),
        ("http://[", ModelError),
    ],
)
async def test_names_that_mean_no_model(name: str, kind: type[CommonsenseError]) -> None:
    with pytest.raises(kind) as caught:
        await load_model(name)
    assert caught.value.what


async def test_replay_answers_what_was_asked_then() -> None:
    def opened(name: str) -> ReplayModel:
        return ReplayModel(
            name, {(QUESTION.digest(), "story_class", ("yes", "no")): Answer(SCORES)}
        )

    model = await load_model("replay:run 3", replay=opened)
    assert isinstance(model, Replaying)
    assert model.info.name == "run 3"
    assert model.info.abilities == {Ability.SCORE}
    assert model.recorded(QUESTION) == Answer(SCORES)
    namesake = replace(QUESTION, text="Another story under the same id.")
    assert model.recorded(namesake) is None
    with pytest.raises(ModelError, match="not recorded"):
        await model.score("text", [" yes"])
    with pytest.raises(ModelError, match="not recorded"):
        model.generate("text", max_tokens=1)
    await model.close()
