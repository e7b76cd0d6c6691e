"""What the page about clusters says of servers and of parts of a collection."""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Form, Scoring
from core.files.shipped import samples
from core.models.openai.client import Limits, OpenAIModel
from core.runs.evaluation import Evaluation, plan_for
from core.runs.questions import Examples, QuestionSource, layer_questions
from core.runs.shots import RANDOM
from core.runs.store import Store
from tests.models.openai.faulty import Reply, faulty_server

PART = 21
"""Items of the part: the families stay whole."""


async def test_a_run_asks_a_server_one_question_at_a_time(tmp_path: Path) -> None:
    gita = registry.load("gita")
    collection = gita.open(gita.samples())
    with faulty_server(Reply(pieces=("Answer: true",), delay=0.02)) as server:
        model = await OpenAIModel.connect(server.url, limits=Limits(concurrency=4))
        source = QuestionSource(gita, collection, limit=3)
        plan = plan_for(model, source, gita.samples(), form=Form.CHAT, scoring=Scoring.GENERATED)
        with Store(tmp_path / "runs.sqlite") as store:
            evaluation = Evaluation(store, plan, model, source)
            async with aclosing(evaluation.steps()) as steps:
                async for _ in steps:
                    pass
        await model.close()
    assert len(server.heard) >= 3
    assert server.most_at_once == 1


@pytest.mark.parametrize(("shots", "same"), [(0, True), (2, False)])
def test_a_part_asks_what_the_whole_asks_only_without_worked_examples(
    shots: int, same: bool, tmp_path: Path
) -> None:
    gita = registry.load("gita")
    stories = json.loads((samples() / "gita" / "stories.json").read_text(encoding="utf-8"))
    part = tmp_path / "part.json"
    part.write_text(json.dumps(dict(list(stories.items())[:PART])), encoding="utf-8")
    prompts = []
    for path in (part, gita.samples()):
        source = QuestionSource(gita, gita.open(path))
        layer = gita.layers[0]
        asked = layer_questions(source, layer, None, Examples(shots, RANDOM, 1234))
        prompts.append([source.full_question(one, layer).base() for one in asked[:PART]])
    assert len(prompts[0]) == PART
    assert (prompts[0] == prompts[1]) is same
