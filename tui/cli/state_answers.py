"""The answers of a model to the questions of every state that an exported item shows."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.rungs import build_rungs
from core.contract.setting import Setting
from core.contract.view import Grid
from core.exchange.exporters.answer_words import answers_table, source_words
from core.models.protocol import Model
from core.runs.asking import prepared
from core.runs.ladder import ask_rungs
from core.text.errors import ModelError
from tui.cli.model_loading import run_with_model
from tui.cli.output import WorkFailedError, say


def ask_states(
    name: str, benchmark: Benchmark, item: Item, states: Sequence[Setting]
) -> dict[Setting, Grid]:
    """Ask the model called `name` every task layer of an item in each state; zero-shot.

    Raises `WorkFailedError` when the model fails to answer.
    """
    tables: dict[Setting, Grid] = {}

    async def work(model: Model) -> None:
        try:
            form, scoring = await prepared(model, None, None)
            for state in states:
                rungs = build_rungs(benchmark, item, state)
                if all(rung.question is None for rung in rungs):
                    continue
                asked = await ask_rungs(model, benchmark, rungs, form=form, scoring=scoring)
                table = answers_table(asked, source_words(model.info, form, asked))
                if table is not None:
                    tables[state] = table
        except ModelError as error:
            raise WorkFailedError(error) from error

    say(f"Asking about {len(states)} states of {item.id}.")
    run_with_model(name, None, work)
    return tables
