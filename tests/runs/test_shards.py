"""Shards ask together what the whole run asks, and merge into a run like it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract import registry
from core.contract.question import Form, OptionScore, Prompt, Scoring
from core.contract.summary import Totals
from core.models.protocol import Ability
from core.runs.evaluation import Evaluation
from core.runs.merging import MergedRun, merge
from core.runs.pack import pack
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Plan, RunState
from core.runs.shards import Shard, answers_of_all_shards
from core.runs.shots import RANDOM, VARIED
from core.runs.store import Store
from core.text.errors import DataError, RunError, SettingError
from tests.exchange.plots.stores import verdict
from tests.runs.models import BLOCKS, INFO, BlockModel, HashingModel

BOTH = replace(INFO, abilities=frozenset({Ability.SCORE, Ability.GENERATE}))
ALL = [Shard(number, 3) for number in (1, 2, 3)]


class OftenRight(HashingModel):
    """Always answers the same in the first two layers, so that some of it is right."""

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        scores = await super().score(prompt, options)
        likely = {"false", "2 and 4"}
        return tuple(
            score if option.strip() in likely or len(options) > 10 else OptionScore(-1e9)
            for option, score in zip(options, scores, strict=True)
        )


def evaluate(
    store: Path,
    name: str = "gita",
    shard: Shard | None = None,
    survivors: Path | None = None,
    *,
    shots: int = 3,
    rule: str = RANDOM,
    limit: int | None = 42,
    orders: Sequence[int] = (0,),
    model: HashingModel | None = None,
    prior: bool = False,
    items: Path | None = None,
    chosen: Sequence[int] = (),
    restart: bool = False,
) -> Evaluation:
    """Ask the first 42 items of a benchmark, or those of a file; returns the last evaluation."""
    benchmark, asked = registry.load(name), model or BlockModel(BOTH)
    path = items or benchmark.samples()
    collection = benchmark.open(path)

    async def work() -> Evaluation:
        with Store(store) as opened:
            for order in orders:
                source = QuestionSource(benchmark, collection, limit=limit, order=order)
                plan = plan_for(
                    asked,
                    source,
                    path,
                    form=Form.BASE,
                    shots=shots,
                    shot_rule=rule,
                    scoring=Scoring.LOGLIKELIHOOD,
                    blocks=BLOCKS if isinstance(asked, BlockModel) else 0,
                    chosen=chosen,
                )
                known = answers_of_all_shards(survivors, plan, source) if survivors else None
                evaluation = Evaluation(
                    opened,
                    plan,
                    asked,
                    source,
                    shard=shard,
                    elsewhere=known,
                    prior=prior,
                    restart=restart,
                )
                async for _ in evaluation.steps():
                    pass
        return evaluation

    return asyncio.run(work())


def put_together(into: Path, *paths: Path, items: Path | None = None) -> list[MergedRun]:
    return merge(paths, into, items)


def recorded(store: Path) -> list[dict[str, object]]:
    """All runs and verdicts, but for the times."""
    with closing(sqlite3.connect(store)) as db:
        db.row_factory = sqlite3.Row
        rows = [
            dict(row)
            for question in ("runs ORDER BY rowid", "verdicts ORDER BY run, seq")
            for row in db.execute(f"SELECT * FROM {question}")
        ]
    for row in rows:
        row.pop("created", None)
        row.pop("seconds", None)
    return rows


@pytest.fixture
def stores(tmp_path: Path) -> list[Path]:
    return [tmp_path / f"shard-{shard.number}.sqlite" for shard in ALL]


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    return tmp_path / "merged.sqlite"


@given(st.integers(0, 200), st.integers(1, 60))
def test_shards_share_no_item_hold_all_and_are_of_one_size(count: int, of: int) -> None:
    shards = [Shard(number, of).positions(count) for number in range(1, of + 1)]
    assert sorted(position for shard in shards for position in shard) == list(range(count))
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def test_every_kind_of_story_is_in_every_shard() -> None:
    # Stories come as plausible, order, cloze, over and over.
    for shard in ALL:
        assert {position % 3 for position in shard.positions(42)} == {0, 1, 2}


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "¹/3"])
def test_a_text_that_names_no_shard_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        Shard.parse(text)
    assert str(Shard.parse("2/3")) == "2/3"


@pytest.mark.parametrize(("shots", "rule"), [(0, RANDOM), (1, VARIED), (3, RANDOM), (10, RANDOM)])
def test_merged_shards_of_gated_layers_are_the_undivided_run(
    shots: int, rule: str, stores: list[Path], merged: Path, tmp_path: Path
) -> None:
    whole = tmp_path / "whole.sqlite"
    everything = OftenRight()
    evaluate(whole, shots=shots, rule=rule, model=everything)
    models = [OftenRight() for _ in ALL]
    layers = len(registry.load("gita").layers)
    for number in range(layers):
        survivors = merged if number else None
        for shard, store, model in zip(ALL, stores, models, strict=True):
            evaluate(store, shard=shard, survivors=survivors, shots=shots, rule=rule, model=model)
        [run] = put_together(merged, *stores)
        done = number == layers - 1
        assert run.run.state is (RunState.DONE if done else RunState.PAUSED)
        assert bool(run.missing) is not done
    assert sorted(p for model in models for p in model.asked) == sorted(everything.asked)
    assert recorded(merged) == recorded(whole)
    assert {row["layer"] for row in recorded(merged) if "layer" in row} == {
        layer.id for layer in registry.load("gita").layers
    }


@pytest.mark.parametrize("name", ["accord", "com2", "abspyramid"])
def test_benchmarks_without_gated_layers_need_one_round(
    name: str, stores: list[Path], merged: Path, tmp_path: Path
) -> None:
    whole = tmp_path / "whole.sqlite"
    evaluate(whole, name, limit=12, orders=(0, 1) if name == "accord" else (0,))
    for shard, store in zip(ALL, stores, strict=True):
        evaluation = evaluate(
            store, name, shard, limit=12, orders=(0, 1) if name == "accord" else (0,)
        )
        assert evaluation.waiting is None
        assert evaluation.run.state is RunState.PAUSED
    runs = put_together(merged, *stores)
    assert {each.run.state for each in runs} == {RunState.DONE}
    assert recorded(merged) == recorded(whole)


def test_merging_again_and_in_another_order_changes_nothing(
    stores: list[Path], merged: Path
) -> None:
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, shard=shard)
    [first] = put_together(merged, *stores)
    assert first.added == first.run.verdicts == 42
    before = recorded(merged)
    for again in (stores, stores[::-1], [merged, stores[0]]):
        [run] = put_together(merged, *again)
        assert run == replace(first, added=0)
    assert recorded(merged) == before


def test_an_incomplete_merge_says_what_is_missing_and_goes_on(
    stores: list[Path], merged: Path, tmp_path: Path
) -> None:
    for shard, store in zip(ALL[:2], stores, strict=False):
        evaluate(store, shard=shard)
    [run] = put_together(merged, *stores[:2])
    assert run.run.state is RunState.PAUSED
    assert run.missing == {"story_class": 14, "conflict_detec": None, "physical_state": None}
    whole = tmp_path / "whole.sqlite"
    evaluate(whole)
    evaluate(merged)
    assert recorded(merged) == recorded(whole)


def test_what_nobody_chose_to_ask_is_not_missing(
    stores: list[Path], merged: Path, tmp_path: Path
) -> None:
    chosen = range(3, 40, 2)
    model, whole = OftenRight(BOTH), tmp_path / "whole.sqlite"
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, shard=shard, chosen=chosen, model=model)
    [run] = put_together(merged, *stores)
    assert run.missing is not None
    assert run.missing["story_class"] == 0
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, shard=shard, survivors=merged, chosen=chosen, model=model)
    put_together(merged, *stores)
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, shard=shard, survivors=merged, chosen=chosen, model=model)
    [run] = put_together(merged, *stores)
    assert (run.run.state, run.missing) == (RunState.DONE, {})
    evaluate(whole, chosen=chosen, model=model)
    assert recorded(merged) == recorded(whole)


def test_notes_on_the_parts_are_notes_on_the_whole(stores: list[Path], merged: Path) -> None:
    for shard, store in zip(ALL, stores, strict=True):
        run = evaluate(store, shard=shard).run
        with Store(store) as opened:
            opened.mark_reader(run.id, "Read by two rules.")
    with Store(stores[2]) as opened:
        opened.mark_reader(run.id, "Read by three.")
    [whole] = put_together(merged, *stores)
    assert whole.run.notes == ("Read by two rules.", "Read by three.")


def test_a_shard_stops_before_a_layer_that_depends_on_others(stores: list[Path]) -> None:
    evaluation = evaluate(stores[0], shard=ALL[0])
    assert evaluation.waiting is not None
    assert evaluation.waiting.id == "conflict_detec"
    assert {verdict.layer for verdict in evaluation.answered} == {"story_class"}
    assert evaluation.run.verdicts == 14
    assert evaluation.run.state is RunState.PAUSED


def test_one_shard_of_one_is_the_whole_run(stores: list[Path]) -> None:
    evaluate(stores[0])
    evaluation = evaluate(stores[1], shard=Shard(1, 1))
    assert evaluation.waiting is None
    assert recorded(stores[1]) == recorded(stores[0])


def test_survivors_that_are_not_all_there_are_refused_and_nothing_is_asked(
    stores: list[Path], merged: Path
) -> None:
    for shard, store in zip(ALL[:2], stores, strict=False):
        evaluate(store, shard=shard)
    put_together(merged, *stores[:2])
    model = BlockModel()
    with pytest.raises(RunError, match="14 answers of layer story_class are missing"):
        evaluate(stores[0], shard=ALL[0], survivors=merged, model=model)
    with pytest.raises(RunError, match="no run of the same model"):
        evaluate(stores[0], shard=ALL[0], survivors=merged, model=model, shots=2)
    with pytest.raises(RunError, match="no run of the same model"):
        evaluate(stores[0], shard=ALL[0], survivors=merged.with_name("none"), model=model)
    assert model.asked == []


def test_a_shard_whose_store_is_lost_asks_nothing_that_was_merged(
    stores: list[Path], merged: Path
) -> None:
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, shard=shard)
    put_together(merged, *stores)
    stores[0].unlink()
    evaluation = evaluate(stores[0], shard=ALL[0], survivors=merged)
    assert {verdict.layer for verdict in evaluation.answered} == {"conflict_detec"}


def changed(store: Path, statement: str) -> None:
    with closing(sqlite3.connect(store)) as db, db:
        db.execute(statement)


def test_two_verdicts_on_one_question_are_refused_by_name_and_nothing_is_added(
    stores: list[Path], merged: Path
) -> None:
    # The runs of Com² come first, and would be added if the merge were not one transaction.
    for store in stores[:2]:
        evaluate(store, "com2", limit=3)
        evaluate(store, shard=ALL[0])
    changed(stores[1], "UPDATE verdicts SET answer = 1 - answer WHERE item = '1-O0'")
    evaluate(stores[2], shard=ALL[1])
    put_together(merged, stores[2])
    before = recorded(merged)
    with pytest.raises(RunError, match="“1-O0” has two different verdicts") as error:
        put_together(merged, *stores)
    assert error.value.where == f"{stores[0]}, {stores[1]}"
    assert recorded(merged) == before


def test_what_is_noted_of_a_shard_that_is_merged_later_is_kept(
    stores: list[Path], merged: Path
) -> None:
    for shard, path in zip(ALL, stores, strict=True):
        run = evaluate(path, shard=shard).run
        with Store(path) as store:
            store.mark_reader(run.id, f"Noted of shard {shard}.")
    put_together(merged, *stores[:2])
    for again in (stores[2:], stores):
        [whole] = put_together(merged, *again)
        assert whole.run.notes == tuple(f"Noted of shard {shard}." for shard in ALL)


def test_two_runs_of_one_plan_in_a_store_are_told_apart(
    stores: list[Path], merged: Path, tmp_path: Path
) -> None:
    first = evaluate(stores[0]).run
    again = evaluate(stores[0], restart=True).run
    [whole] = put_together(merged, stores[0])
    assert (whole.run.state, whole.run.verdicts) == (RunState.DONE, first.verdicts)
    changed(
        stores[0],
        f"""UPDATE verdicts SET answer = 1 - answer
        WHERE item = '1-O0' AND layer = 'story_class' AND run = '{again.id}'""",
    )
    with pytest.raises(RunError, match=f"{first.id} and {again.id} asked the same") as error:
        put_together(tmp_path / "another.sqlite", stores[0])
    assert error.value.where == str(stores[0])
    # The way out that the message names.
    packed = tmp_path / "packed.sqlite"
    packed.touch()
    with Store(stores[0], create=False) as store:
        pack(store, [first.id], packed, texts=True, program="1")
    [run] = put_together(tmp_path / "other.sqlite", packed)
    assert run.run.verdicts == first.verdicts


def test_a_verdict_that_differs_from_the_merged_one_is_refused(
    stores: list[Path], merged: Path
) -> None:
    evaluate(stores[0], shard=ALL[0])
    put_together(merged, stores[0])
    before = recorded(merged)
    changed(stores[0], "UPDATE verdicts SET scores = replace(scores, '-', '-1') WHERE seq < 9")
    with pytest.raises(RunError, match="two different verdicts"):
        put_together(merged, stores[0])
    changed(stores[0], "UPDATE verdicts SET seq = seq + 1000")
    with pytest.raises(RunError, match="another order"):
        put_together(merged, stores[0])
    assert recorded(merged) == before


def test_shards_that_make_a_run_that_cannot_be_read_are_refused(
    stores: list[Path], merged: Path
) -> None:
    evaluate(stores[0], "accord", limit=2)
    notes = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60000)"
    for store, mark in zip(stores[:2], "ab", strict=True):
        store.write_bytes(stores[0].read_bytes())
        changed(
            store,
            f"UPDATE runs SET notes = ({notes} SELECT json_group_array('{mark}' || i) FROM n)",
        )
    with pytest.raises(RunError, match="cannot be recorded"):
        put_together(merged, *stores[:2])
    put_together(merged, stores[0])
    before = recorded(merged)
    with pytest.raises(RunError, match="cannot be recorded"):
        put_together(merged, stores[1])
    assert recorded(merged) == before


def test_priors_that_a_shard_asked_later_are_added(
    stores: list[Path], merged: Path, tmp_path: Path
) -> None:
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, "accord", shard, limit=9)
    put_together(merged, *stores)
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, "accord", shard, limit=9, prior=True)
    [run] = put_together(merged, *stores)
    assert run.added == 0
    whole = tmp_path / "whole.sqlite"
    evaluate(whole, "accord", limit=9, prior=True)
    assert recorded(merged) == recorded(whole)


def test_scores_after_blocks_are_kept_where_one_store_lacks_them(
    stores: list[Path], merged: Path
) -> None:
    """Programs of before did not record them."""
    evaluate(stores[0], limit=2, shots=0)
    stores[1].write_bytes(stores[0].read_bytes())
    changed(stores[0], "UPDATE verdicts SET block_scores = NULL")
    put_together(merged, *stores[:2])
    assert recorded(merged) == recorded(stores[1])


def test_items_that_moved_are_named(stores: list[Path], merged: Path, tmp_path: Path) -> None:
    items, elsewhere = tmp_path / "stories.json", tmp_path / "moved.json"
    items.write_text(registry.load("shapes").samples().read_text(encoding="utf-8") + "\n")
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, "shapes", shard, items=items)
    items.rename(elsewhere)
    [run] = put_together(merged, *stores)
    assert (run.run.state, run.missing) == (RunState.PAUSED, None)
    [run] = put_together(merged, *stores, items=elsewhere)
    assert run.missing is not None
    assert set(run.missing) == {layer.id for layer in registry.load("shapes").layers}


def test_a_shard_that_is_just_recorded_gives_what_it_has(
    stores: list[Path], merged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(stores[0], shard=ALL[0])
    read = Store.blocks

    def read_while_another_program_records(store: Store, *given: Any) -> Any:
        monkeypatch.setattr(Store, "blocks", read)
        evaluate(stores[0], shard=ALL[1])
        return read(store, *given)

    monkeypatch.setattr(Store, "blocks", read_while_another_program_records)
    [run] = put_together(merged, stores[0])
    assert run.added == 14
    [run] = put_together(merged, stores[0])
    assert run.added == 14


def test_a_run_that_is_just_recorded_takes_nothing(stores: list[Path], merged: Path) -> None:
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, "shapes", shard)
    [run] = put_together(merged, stores[0])
    before = recorded(merged)
    with (
        Store(merged) as store,
        store.hold(run.run.id),
        pytest.raises(RunError, match="just recording"),
    ):
        put_together(merged, *stores)
    assert recorded(merged) == before


def test_a_merged_store_can_be_read_by_many_machines_at_once(
    stores: list[Path], merged: Path
) -> None:
    for shard, store in zip(ALL, stores, strict=True):
        evaluate(store, "shapes", shard)
    for _again in range(2):
        put_together(merged, *stores)
        with Store(merged, create=False) as store:
            assert len(store.runs()) == 1
            # Write-ahead mode needs a file in shared memory beside the store.
            assert [path.name for path in merged.parent.glob("merged*")] == [merged.name]
    with Store(merged), closing(sqlite3.connect(merged)) as reader:
        reader.execute("SELECT count(*) FROM runs").fetchone()
        put_together(merged, *stores)


def test_what_is_no_store_with_runs_is_refused(merged: Path, tmp_path: Path) -> None:
    text, empty = tmp_path / "text", tmp_path / "empty.sqlite"
    text.write_text("no store at all\n" * 400)
    with Store(empty):
        pass
    for path, error in ((text, RunError), (empty, RunError), (tmp_path / "none", DataError)):
        with pytest.raises(error):
            put_together(merged, path)
    assert not merged.exists()


# -- imported runs -----------------------------------------------------------------------------


LOG = Plan(
    "m", "log:1", "inspect", "/logs/a.eval", "l" * 64, form=Form.CHAT, scoring=Scoring.GENERATED
)


def with_log(store: Path, *, right: bool = True, plan: Plan = LOG) -> Path:
    """A store with an imported run of one verdict, a total and a note."""
    one = verdict("a", "match", right)
    with Store(store) as opened:
        opened.add(plan, [one], {"other": Totals(1, 2)}, ["Noted."])
    return store


def test_imported_runs_are_taken_over_once(tmp_path: Path) -> None:
    into = with_log(tmp_path / "into.sqlite", plan=replace(LOG, fingerprint="log:2"))
    source = with_log(tmp_path / "logs.sqlite")
    [merged] = put_together(into, source)
    # The id of the source is taken.
    assert (merged.run.id, merged.added, merged.missing) == ("inspect-m-2", 1, {})
    assert merged.run.state is RunState.IMPORTED
    assert (merged.run.totals, merged.run.notes) == ({"other": Totals(1, 2)}, ("Noted.",))
    before = recorded(into)
    assert [each.added for each in put_together(into, source)] == [0]
    assert recorded(into) == before


def test_the_same_log_with_other_verdicts_is_refused_by_name(tmp_path: Path) -> None:
    into, other = with_log(tmp_path / "a.sqlite"), with_log(tmp_path / "b.sqlite", right=False)
    with pytest.raises(RunError, match="Layer match of item “a” has two different verdicts"):
        put_together(into, other)
