"""Importing logs of lm-evaluation-harness: the authors' own, and every shape they may have."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.benchmark import Gita
from core.benchmarks.gita.item import PAIRS, STATES
from core.benchmarks.gita.questions import CONFLICT, STATE, STORY
from core.contract import registry
from core.contract.question import Form, Scoring, Status
from core.contract.summary import Summary, Totals
from core.exchange.importers.lm_eval import ImportedRun, read
from core.text.errors import DataError

MODELS = ("Meta-Llama-3.1-8B", "Meta-Llama-3.1-8B-Instruct", "gemma-2-27b", "gemma-2-9b")
# By model: right answers per layer, ties in the first, and how many stories more than were asked
# the second layer would have had by the rules of the other set of tasks.
KNOWN = {
    "Meta-Llama-3.1-8B": ((217, 63, 27), 17, 5),
    "Meta-Llama-3.1-8B-Instruct": ((275, 89, 25), 1, 1),
    "gemma-2-27b": ((161, 15, 4), 8, 4),
    "gemma-2-9b": ((208, 28, 4), 6, 1),
}


def published(shared_data: Path, model: str) -> dict[str, float]:
    """The figures of a `metrics.txt`, a Markdown table."""
    text = (shared_data / "gita4calamita" / "logs" / model / "metrics.txt").read_text("utf-8")
    rows = re.findall(r"^\|([A-Z][\w ]+?) *\| *\d+\| *([\d.]+)\|$", text, flags=re.M)
    return {name: float(value) for name, value in rows}


def logs(shared_data: Path, model: str) -> Path:
    return shared_data / "gita4calamita" / "logs" / model


def scored(run: ImportedRun, profile: str = "unified") -> Summary:
    return Gita().summarise(run.verdicts, profile, run.totals)


def values(summary: Summary) -> dict[str, float | None]:
    return {figure.name: figure.value for figure in summary.figures}


@pytest.mark.parametrize("model", MODELS)
def test_every_published_figure_is_reproduced(shared_data: Path, model: str) -> None:
    run = read(logs(shared_data, model))
    summary = scored(run)
    expected = published(shared_data, model)
    assert len(expected) == 10
    assert values(summary) == pytest.approx(expected, abs=1e-9)
    rights, ties, leaked = KNOWN[model]
    layers = (STORY, CONFLICT, STATE)
    assert tuple(summary.counts[f"{layer} right"] for layer in layers) == rights
    assert summary.counts["story_class ties"] == ties
    asked = summary.counts["conflict_detec asked"]
    by_type = " ".join(scored(run, "by-type").notes)
    waits = f"“Which sentences?”: stories without an answer, {leaked} of {asked + leaked},"
    assert waits in by_type


def test_who_was_asked_and_how(shared_data: Path) -> None:
    base = read(logs(shared_data, "gemma-2-9b"))
    chat = read(logs(shared_data, "Meta-Llama-3.1-8B-Instruct"))
    assert (base.model, base.benchmark) == ("google/gemma-2-9b", "gita")
    assert (base.form, base.shots, base.seed) == (Form.BASE, 3, 1234)
    assert (chat.form, chat.shots) == (Form.CHAT, 3)
    assert base.notes == ()
    assert len({(v.layer, v.item) for v in base.verdicts}) == len(base.verdicts) == 571
    assert len(base.prompts) == 571
    first = next(iter((logs(shared_data, "gemma-2-9b")).glob("*/samples_story_class_*")))
    with first.open(encoding="utf-8") as handle:
        assert base.prompts[0] == json.loads(handle.readline())["prompt_hash"]


def test_stories_have_their_repaired_keys(shared_data: Path) -> None:
    run = read(logs(shared_data, "gemma-2-9b"))
    rows = (shared_data / "gita4calamita" / "gita_docs.jsonl").read_text("utf-8").splitlines()
    keys = [json.loads(row)["key"] for row in rows]
    assert [v.item for v in run.verdicts if v.layer == STORY] == keys


def test_baselines_of_the_released_stories(shared_data: Path) -> None:
    figures = {f.name: f for f in scored(read(logs(shared_data, "gemma-2-9b"))).figures}
    reached = {
        name: {key: each.value for key, each in figure.baselines.items()}
        for name, figure in figures.items()
    }
    assert reached["Accuracy"]["always false"] == pytest.approx(238 / 356)
    assert reached["Consistency"] == pytest.approx(
        {"chance": 1 / 20, "majority pair": 59 / 238, "best fixed answers": 59 / 238}
    )
    assert reached["Verifiability"] == pytest.approx(
        {"chance": 1 / 280, "majority pair and state": 9 / 238, "best fixed answers": 15 / 238}
    )
    assert figures["Plausible Accuracy"].n == 119


def test_denominators_by_type_and_by_repaired_key(shared_data: Path) -> None:
    run = read(logs(shared_data, "gemma-2-9b"))
    by_type = [figure.n for figure in scored(run, "by-type").figures]
    repaired = [figure.n for figure in scored(run, "repaired").figures]
    assert by_type == [356, 239, 239, 117, 122, 117, 117, 122, 117, 122]
    assert repaired == [356, 238, 238, 117, 122, 117, 117, 121, 117, 121]


def without(shared_data: Path, tmp_path: Path, model: str, *patterns: str) -> Path:
    folder = tmp_path / model
    shutil.copytree(logs(shared_data, model), folder)
    for pattern in patterns:
        (path,) = folder.rglob(pattern)
        path.unlink()
    return folder


def test_without_the_samples_of_the_third_layer(shared_data: Path, tmp_path: Path) -> None:
    run = read(without(shared_data, tmp_path, "gemma-2-9b", "samples_physical_state_*"))
    expected = published(shared_data, "gemma-2-9b")
    summary = scored(run)
    assert run.totals == {STATE: Totals(4, 28)}
    assert summary.not_checkable == ("Cloze Verifiability", "Order Verifiability")
    for name in summary.not_checkable:
        del expected[name]
    known = {name: value for name, value in values(summary).items() if value is not None}
    assert known == pytest.approx(expected, abs=1e-9)
    assert any("physical_state has no samples: only its total" in note for note in run.notes)


def test_without_the_samples_of_two_layers(shared_data: Path, tmp_path: Path) -> None:
    run = read(
        without(
            shared_data,
            tmp_path,
            "gemma-2-9b",
            "samples_physical_state_*",
            "samples_conflict_detec_*",
        )
    )
    summary = scored(run)
    assert run.totals == {CONFLICT: Totals(28, 187), STATE: Totals(4, 28)}
    assert len(summary.not_checkable) == 4
    expected = published(shared_data, "gemma-2-9b")
    for name in ("Accuracy", "Consistency", "Verifiability", "Plausible Accuracy"):
        assert values(summary)[name] == pytest.approx(expected[name], abs=1e-9)


@pytest.mark.parametrize("model", ["gemma-2-9b", "gemma-2-27b", "Meta-Llama-3.1-8B"])
def test_inferred_verdicts_are_those_that_were_recorded(
    shared_data: Path, tmp_path: Path, model: str
) -> None:
    whole = read(logs(shared_data, model))
    partial = read(without(shared_data, tmp_path, model, "samples_conflict_detec_*"))
    recorded = [(v.item, v.right) for v in whole.verdicts if v.layer == CONFLICT]
    inferred = [v for v in partial.verdicts if v.layer == CONFLICT]
    assert [(v.item, v.right) for v in inferred] == recorded
    assert {v.scoring for v in inferred} == {Scoring.INFERRED}
    assert all(v.answer is None for v in inferred if not v.right)
    assert values(scored(partial)) == values(scored(whole))
    assert any("The results file agrees" in note for note in partial.notes)


def test_nothing_is_inferred_without_the_first_layer(shared_data: Path, tmp_path: Path) -> None:
    run = read(without(shared_data, tmp_path, "gemma-2-9b", "samples_story_class_*"))
    summary = scored(run)
    assert run.totals == {STORY: Totals(208, 356)}
    assert values(summary)["Accuracy"] == pytest.approx(208 / 356)
    assert len(summary.not_checkable) == 9
    assert not any(v.layer == STORY for v in run.verdicts)


def test_memory_does_not_grow_with_the_prompts(shared_data: Path) -> None:
    folder = logs(shared_data, "gemma-2-9b")
    size = sum(path.stat().st_size for path in folder.rglob("samples_*"))
    read(folder)
    tracemalloc.start()
    read(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size


# -- logs of our own, in every shape --------------------------------------------------------------


def documents() -> list[dict[str, Any]]:
    """Three families of a plausible, an order and a cloze story."""
    found = []
    for family in range(3):
        sentences = [f"Frase {i} di {family}." for i in range(5)]
        swapped = [sentences[1], sentences[0], *sentences[2:]]
        replaced = [*sentences[:2], "La luce è già spenta.", *sentences[3:]]
        for letter, kind, told, pair in (
            ("", None, sentences, (-1, -1)),
            ("-O0", "order", swapped, (0, 1)),
            ("-C0", "cloze", replaced, (2, 4)),
        ):
            found.append(
                {
                    "story_id": family,
                    "example_id": f"{family}{letter}",
                    "type": kind,
                    "sentences": told,
                    "plausible": not letter,
                    "breakpoint": pair[1],
                    "confl_sents": [pair[0]] if letter else [],
                    "states": "open",
                }
            )
    return found


CHOICES = {
    STORY: ["false", "true"],
    CONFLICT: [f"{i} and {j}" for i, j in PAIRS],
    STATE: list(STATES),
}


def target(layer: str, doc: dict[str, Any]) -> str:
    if layer == STORY:
        return str(doc["plausible"]).lower()
    return f"{doc['confl_sents'][0]} and {doc['breakpoint']}" if layer == CONFLICT else "open"


def sample(layer: str, number: int, doc: dict[str, Any], *, right: bool) -> dict[str, Any]:
    """A line as version 0.4.3 writes it."""
    gold = CHOICES[layer].index(target(layer, doc))
    chosen = gold if right else (gold + 1) % len(CHOICES[layer])
    scores = [[str(0.0 - (i != chosen)), str(i == chosen)] for i in range(len(CHOICES[layer]))]
    requests = {
        f"gen_args_{i}": {"arg_0": f"{layer} {number}", "arg_1": f" {choice}"}
        for i, choice in enumerate(CHOICES[layer])
    }
    return {
        "doc_id": number,
        "doc": doc,
        "target": target(layer, doc),
        # As other programs may have sorted them: gen_args_10 before gen_args_2.
        "arguments": dict(sorted(requests.items())),
        "resps": [[score] for score in scores],
        "filtered_resps": scores,
        "acc": float(right),
    }


WRONG = {STORY: {"0-O0"}, CONFLICT: {"1-C0"}, STATE: {"2-O0"}}


def made() -> dict[str, list[dict[str, Any]]]:
    """The samples of a run: in each layer one story is answered wrong."""
    asked = documents()
    found = {}
    for layer in (STORY, CONFLICT, STATE):
        found[layer] = [
            sample(layer, i, doc, right=doc["example_id"] not in WRONG[layer])
            for i, doc in enumerate(asked)
        ]
        asked = [d for d in asked if d["example_id"] not in WRONG[layer] and not d["plausible"]]
    return found


EXPECTED = {
    "Accuracy": 8 / 9,
    "Consistency": 4 / 6,
    "Verifiability": 3 / 6,
    "Cloze Accuracy": 1.0,
    "Order Accuracy": 2 / 3,
    "Plausible Accuracy": 1.0,
    "Cloze Consistency": 2 / 3,
    "Order Consistency": 2 / 3,
    "Cloze Verifiability": 2 / 3,
    "Order Verifiability": 1 / 3,
}
STAMP = "2025-02-03T10-00-00.000001"


def write(
    folder: Path,
    samples: dict[str, list[dict[str, Any]]],
    *,
    stamp: str = STAMP,
    changes: Callable[[dict[str, Any]], None] = lambda results: None,
    leave_out: tuple[str, ...] = (),
    name: Callable[[str], str] = lambda task: task,
) -> Path:
    """Write a run as version 0.4.3 does, with one results file over all tasks."""
    place = folder / "org__model"
    place.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {
        "results": {},
        "configs": {},
        "n-samples": {},
        "config": {"limit": None, "fewshot_seed": 7},
        "model_name": "org/model",
        "chat_template": None,
    }
    for layer, rows in samples.items():
        task = name(layer)
        results["results"][task] = {"acc,none": sum(row["acc"] for row in rows) / len(rows)}
        results["configs"][task] = {"num_fewshot": 2, "metric_list": [{"metric": "acc"}]}
        results["n-samples"][task] = {"original": len(rows), "effective": len(rows)}
        if layer not in leave_out:
            with (place / f"samples_{task}_{stamp}.jsonl").open("w", encoding="utf-8") as handle:
                handle.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    changes(results)
    (place / f"results_{stamp}.json").write_text(json.dumps(results), encoding="utf-8")
    return folder


def test_a_log_of_json_lines(tmp_path: Path) -> None:
    run = read(write(tmp_path, made()))
    assert values(scored(run)) == pytest.approx(EXPECTED)
    assert (run.model, run.shots, run.seed, run.notes) == ("org/model", 2, 7, ())
    (physical,) = [v for v in run.verdicts if v.layer == STATE and v.item == "0-C0"]
    # Sorted as text, gen_args_10 would come before gen_args_2 and "open" would not be eighth.
    assert physical.options == STATES
    assert physical.scores[8].logprob == 0.0
    assert physical.scores[13].bytes == len("in pieces")


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk", [1, 7, 2**18])
def test_an_array_with_the_old_names(
    tmp_path: Path, indent: int | None, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.files.json_values._CHUNK", chunk)
    results: dict[str, Any] = {
        "results": {},
        "config": {"model": "hf", "model_args": "pretrained=org/old,dtype=float16", "limit": None},
    }
    for layer, rows in made().items():
        for row in rows:
            row["arguments"] = [[layer, f" {choice}"] for choice in CHOICES[layer]]
            row["filtered_resps"] = [[float(ll), is_best] for ll, is_best in row["filtered_resps"]]
        results["results"][layer] = {"acc,none": 0.0, "alias": layer}
        path = tmp_path / f"pretrained__org__old,dtype__float16_{layer}.jsonl"
        path.write_text(json.dumps(rows, indent=indent, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    run = read(tmp_path)
    assert run.model == "org/old"
    assert values(scored(run)) == pytest.approx(EXPECTED)


def test_samples_of_several_filters_count_once(tmp_path: Path) -> None:
    samples = made()
    samples[STORY] = [
        {**row, "filter": name, "metrics": ["acc"]}
        for row in samples[STORY]
        for name in ("none", "strict")
    ]
    run = read(write(tmp_path, samples))
    assert values(scored(run)) == pytest.approx(EXPECTED)
    assert any("strict" in note for note in run.notes)


def written(row: dict[str, Any], layer: str, text: str, answer: str) -> dict[str, Any]:
    """A sample of a task that lets the model write, with what its filter makes of the text."""
    request = {"arg_0": f"{layer} {row['doc_id']}", "arg_1": {"until": ["\n\n"]}}
    return row | {
        "arguments": {"gen_args_0": request},
        "resps": [[text]],
        "filtered_resps": [answer],
        "filter": "strict",
    }


def answered(row: dict[str, Any], layer: str) -> str:
    best = max(range(len(CHOICES[layer])), key=lambda i: float(row["filtered_resps"][i][0]))
    return CHOICES[layer][best]


def test_generated_answers_are_read_by_the_programs_rules(tmp_path: Path) -> None:
    samples = {
        layer: [
            written(row, layer, f"Let me see. {answered(row, layer)}.", answered(row, layer))
            for row in rows
        ]
        for layer, rows in made().items()
    }
    run = read(write(tmp_path, samples))
    assert values(scored(run)) == pytest.approx(EXPECTED)
    assert {verdict.scoring for verdict in run.verdicts} == {Scoring.GENERATED}
    assert {verdict.scores for verdict in run.verdicts} == {()}


def test_an_answer_that_a_filter_did_not_find_is_not_read(tmp_path: Path) -> None:
    samples = made()
    samples[STORY] = [
        written(row, STORY, "I cannot tell you.", "[invalid]") for row in samples[STORY]
    ]
    del samples[CONFLICT], samples[STATE]
    run = read(write(tmp_path, samples))
    assert {verdict.status for verdict in run.verdicts} == {Status.NO_ANSWER}
    assert {verdict.answer for verdict in run.verdicts} == {None}


def test_answers_that_no_filter_made_one_text_are_refused(tmp_path: Path) -> None:
    samples = made()
    samples[STORY] = [
        written(row, STORY, "true", "true") | {"filtered_resps": [["true", "false"]]}
        for row in samples[STORY]
    ]
    with pytest.raises(DataError, match="not one text") as raised:
        read(write(tmp_path, samples))
    assert "take_first" in raised.value.hint


def test_the_names_of_the_other_set_of_tasks(tmp_path: Path) -> None:
    names = {
        STORY: "gita_story_class",
        CONFLICT: "gita_conflict_detect",
        STATE: "gita_physical_state",
    }
    run = read(write(tmp_path, made(), name=names.__getitem__))
    assert values(scored(run)) == pytest.approx(EXPECTED)


def test_layers_are_joined_on_content_and_not_on_numbers(tmp_path: Path) -> None:
    samples = made()
    for row in samples[STATE]:
        row["doc"] = dict(reversed(row["doc"].items()))
    samples[CONFLICT].reverse()
    run = read(write(tmp_path, samples))
    assert values(scored(run)) == pytest.approx(EXPECTED)


def test_the_latest_of_several_logs_of_a_task(tmp_path: Path) -> None:
    older = made()
    older[STORY] = [sample(STORY, i, d, right=False) for i, d in enumerate(documents())]
    write(tmp_path, {STORY: older[STORY]}, stamp="2024-01-01T00-00-00.000000")
    run = read(write(tmp_path, made()))
    assert values(scored(run)) == pytest.approx(EXPECTED)
    assert any("logged 2 times" in note for note in run.notes)


def test_samples_go_with_the_results_of_their_own_time(tmp_path: Path) -> None:
    def limited(results: dict[str, Any]) -> None:
        results["config"]["limit"] = 3.0

    later = "2026-01-01T00-00-00.000000"
    write(tmp_path, made(), stamp=later, changes=limited, leave_out=(STORY, CONFLICT, STATE))
    run = read(write(tmp_path, made()))
    assert run.notes == ()
    assert values(scored(run)) == pytest.approx(EXPECTED)


@pytest.mark.parametrize(("more", "noted"), [(33, True), (0, False)])
def test_a_limited_log_is_reported_where_the_limit_left_something_out(
    tmp_path: Path, more: int, noted: bool
) -> None:
    def limited(results: dict[str, Any]) -> None:
        results["config"]["limit"] = 9.0
        for samples in results["n-samples"].values():
            samples["original"] += more

    run = read(write(tmp_path, made(), changes=limited))
    assert any("not comparable" in note for note in run.notes) is noted


def test_a_log_with_fewer_samples_than_its_results_is_told(tmp_path: Path) -> None:
    def larger(results: dict[str, Any]) -> None:
        results["n-samples"][STORY]["effective"] = 12

    run = read(write(tmp_path, made(), changes=larger))
    assert any("9 samples" in note and "12 questions" in note for note in run.notes)


def test_a_verdict_that_differs_from_the_log_is_reported(tmp_path: Path) -> None:
    samples = made()
    samples[STORY][0]["acc"] = 0.0
    run = read(write(tmp_path, samples))
    assert any("judges 1 answer otherwise" in note for note in run.notes)


def test_survivors_are_inferred_without_a_results_file(tmp_path: Path) -> None:
    folder = write(tmp_path, made(), leave_out=(CONFLICT,))
    next(folder.rglob("results_*")).unlink()
    run = read(folder)
    assert values(scored(run)) == pytest.approx(EXPECTED)
    assert run.model == "org/model"
    assert any("No results file confirms it" in note for note in run.notes)


def contradicting_total(results: dict[str, Any]) -> None:
    results["results"][CONFLICT]["acc,none"] = 1 / 5


def contradicting_count(results: dict[str, Any]) -> None:
    results["n-samples"][CONFLICT]["effective"] = 20


@pytest.mark.parametrize("changes", [contradicting_total, contradicting_count])
def test_survivors_that_contradict_the_total_are_not_inferred(
    tmp_path: Path, changes: Callable[[dict[str, Any]], None]
) -> None:
    run = read(write(tmp_path, made(), leave_out=(CONFLICT,), changes=changes))
    assert not any(v.layer == CONFLICT for v in run.verdicts)
    assert any("not inferred" in note for note in run.notes)
    assert (
        run.totals[CONFLICT].right
        == {0.2: 1, 0.8: 16}[run.totals[CONFLICT].right / run.totals[CONFLICT].n]
    )


def test_stories_that_were_wrong_before_are_no_survivors(tmp_path: Path) -> None:
    samples = made()
    stray = next(doc for doc in documents() if doc["example_id"] == "0-O0")
    samples[STATE].append(sample(STATE, len(samples[STATE]), stray, right=True))
    run = read(write(tmp_path, samples, leave_out=(CONFLICT,)))
    assert not any(v.layer == CONFLICT for v in run.verdicts)
    assert any("wrong before" in note for note in run.notes)


def test_other_means_are_not_taken_for_totals(tmp_path: Path) -> None:
    def own_mean(results: dict[str, Any]) -> None:
        results["configs"][STATE]["metric_list"] = [
            {"metric": "acc", "aggregation": "def mean(items): ..."}
        ]

    run = read(write(tmp_path, made(), leave_out=(STATE,), changes=own_mean))
    assert run.totals == {}
    assert any("Of layer physical_state nothing is recorded" in note for note in run.notes)


def test_a_total_that_is_no_count_is_left_out(tmp_path: Path) -> None:
    def odd(results: dict[str, Any]) -> None:
        results["results"][STATE]["acc,none"] = 0.33

    run = read(write(tmp_path, made(), leave_out=(STATE,), changes=odd))
    assert run.totals == {}
    assert any("no whole number" in note for note in run.notes)


def test_results_without_samples_give_a_run_of_totals(tmp_path: Path) -> None:
    run = read(write(tmp_path, made(), leave_out=(STORY, CONFLICT, STATE)))
    assert run.verdicts == ()
    assert run.totals == {STORY: Totals(8, 9), CONFLICT: Totals(4, 5), STATE: Totals(3, 4)}
    assert values(scored(run))["Accuracy"] == pytest.approx(8 / 9)


@pytest.mark.parametrize("logged", [True, False])
def test_no_survivors_are_zeros_and_need_no_further_logs(tmp_path: Path, logged: bool) -> None:
    rows = [sample(STORY, i, d, right=d["plausible"]) for i, d in enumerate(documents())]
    folder = write(tmp_path, {STORY: rows})
    if logged:
        (folder / "org__model" / f"samples_conflict_detec_{STAMP}.jsonl").touch()
    run = read(folder)
    assert run.notes == ()
    assert run.totals == {}
    summary = scored(run)
    assert not summary.not_checkable
    assert values(summary)["Consistency"] == values(summary)["Order Verifiability"] == 0.0


def test_invalid_scores_are_noted_and_give_no_answer(tmp_path: Path) -> None:
    samples = made()
    for row, places in ((samples[STORY][0], (0,)), (samples[STORY][4], (0, 1))):
        for place in places:
            row["filtered_resps"][place][0] = "nan"
    run = read(write(tmp_path, samples))
    unknown = [v for v in run.verdicts if v.status is Status.NO_ANSWER]
    assert len(unknown) == 2
    assert {v.layer for v in unknown} == {STORY}
    assert all(v.answer is None and v.right is False for v in unknown)
    (note,) = [note for note in run.notes if "NaN" in note]
    assert f"Task {STORY}: 2 of 9 samples" in note
    assert not any("judges" in note for note in run.notes)
    assert values(scored(run))["Accuracy"] == pytest.approx(6 / 9)


def test_names_in_a_log_are_shown_as_plain_text(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\u202ename" + "x" * 5000

    def changes(results: dict[str, Any]) -> None:
        results["model_name"] = hostile
        results["configs"][hostile] = {}

    samples = made()
    samples[STORY] = [row | {"filter": "first"} for row in samples[STORY]]
    samples[STORY] += [row | {"filter": hostile} for row in samples[STORY]]
    run = read(write(tmp_path, samples, changes=changes))
    assert run.model.startswith("␛]0;owned␇⟨RLO⟩name")
    assert len(run.model) < 300
    told = "".join((*run.notes, run.model, *run.not_imported))
    assert "owned" in "".join(run.notes)
    assert "owned" in "".join(run.not_imported)
    assert not {"\x1b", "\x07", "\u202e"} & set(told)
    assert len(told) < 5000


def test_unknown_tasks_are_named_with_control_characters_escaped(tmp_path: Path) -> None:
    rows = [row | {"acc": 1.0} for row in made()[STORY]]
    folder = write(tmp_path, {STORY: rows}, name=lambda task: f"other\x1b[31m{'y' * 100}")
    for file in folder.rglob("samples_*"):
        file.unlink()
    with pytest.raises(DataError, match="other␛") as caught:
        read(folder)
    assert "\x1b" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
ROW = made()[STORY][1]


@given(
    st.sampled_from([*ROW, *ROW["doc"]]), JSON, st.sampled_from(["results", "configs", ""]), JSON
)
def test_any_value_in_any_field_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: Any, part: str, other: Any
) -> None:
    folder = write(tmp_path_factory.mktemp("logs"), made())
    (path,) = folder.rglob("samples_story_class_*")
    lines = path.read_text("utf-8").splitlines()
    row = json.loads(lines[1])
    (row if name in row else row["doc"])[name] = value
    lines[1] = json.dumps(row)
    path.write_text("\n".join(lines), encoding="utf-8")
    (path,) = folder.rglob("results_*")
    results = json.loads(path.read_text("utf-8"))
    (results[part] if part else results)[STORY if part else "config"] = other
    path.write_text(json.dumps(results), encoding="utf-8")
    try:
        run = read(folder)
    except DataError as error:
        where = error.where
    else:
        where = "read"
        assert len(scored(run).figures) == 10
    assert where


def test_other_tasks_are_named(tmp_path: Path) -> None:
    write(tmp_path, {"arc_easy": [{"acc": 1.0, "doc": {}}]})
    run = read(write(tmp_path, made()))
    assert run.not_imported == ("arc_easy",)


def test_equal_scores_are_a_tie(tmp_path: Path) -> None:
    samples = made()
    samples[STORY][3]["filtered_resps"] = [["-3.5", "False"], ["-3.5", "False"]]
    run = read(write(tmp_path, samples))
    assert (run.verdicts[3].answer, run.verdicts[3].status) == (0, Status.TIE)


def cut_off(lines: list[str]) -> None:
    lines[4] = lines[4][: len(lines[4]) // 2]


def no_document(lines: list[str]) -> None:
    lines[4] = '{"doc_id": 4, "arguments": {}, "resps": []}'


def not_an_object(lines: list[str]) -> None:
    lines[4] = "[1, 2]"


def no_number(lines: list[str]) -> None:
    lines[4] = lines[4].replace('"filtered_resps": [["', '"filtered_resps": [["x')


def too_few_answers(lines: list[str]) -> None:
    row = json.loads(lines[4])
    lines[4] = json.dumps({**row, "filtered_resps": row["filtered_resps"][:1]})


def a_text(lines: list[str]) -> None:
    row = json.loads(lines[4])
    lines[4] = json.dumps({**row, "arguments": [["prompt", {"until": ["."]}]]})


def unordered(lines: list[str]) -> None:
    lines[4] = lines[4].replace("gen_args_1", "gen_args_x")


def repeated(lines: list[str]) -> None:
    lines[4] = lines[3]


def another_choice(lines: list[str]) -> None:
    lines[4] = lines[4].replace('" false"', '" nein"').replace('" true"', '" ja"')


def another_story(lines: list[str]) -> None:
    lines[4] = lines[4].replace('"sentences"', '"lines"')


def deep(lines: list[str]) -> None:
    lines[4] = '{"doc": ' + "[" * 100_000


def a_long_number(lines: list[str]) -> None:
    lines[4] = '{"doc": ' + "9" * 5000 + "}"


@pytest.mark.parametrize(
    "damage",
    [
        cut_off,
        no_document,
        not_an_object,
        no_number,
        too_few_answers,
        a_text,
        unordered,
        repeated,
        another_choice,
        another_story,
        deep,
        a_long_number,
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, damage: Callable[[list[str]], None]) -> None:
    write(tmp_path, made())
    (path,) = tmp_path.rglob("samples_story_class_*")
    lines = path.read_text("utf-8").splitlines()
    damage(lines)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read(tmp_path)
    assert caught.value.where == f"{path}:5"


@pytest.mark.parametrize(
    ("cut", "line"), [(lambda text: text[:-1], 5), (lambda text: text.replace("{", "", 1), 2)]
)
def test_a_damaged_array_is_named(tmp_path: Path, cut: Callable[[str], str], line: int) -> None:
    rows = [json.dumps(row) for row in made()[STORY][:3]]
    path = tmp_path / "m_story_class.jsonl"
    path.write_text(cut("[\n" + ",\n".join(rows) + "\n]"), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read(tmp_path)
    assert caught.value.where == f"{path}:{line}"


def test_logs_of_several_models_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", made())

    def renamed(results: dict[str, Any]) -> None:
        results["model_name"] = "org/other"

    write(tmp_path / "b", made(), changes=renamed)
    with pytest.raises(DataError, match="2 models: org/model, org/other"):
        read(tmp_path)


def test_a_folder_without_logs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(DataError, match="no logs"):
        read(tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(DataError, match="a file and no folder"):
        read(tmp_path / "notes.json")


def test_logs_of_unknown_tasks_name_the_known_ones(tmp_path: Path) -> None:
    write(tmp_path, {"arc_easy": [{"acc": 1.0, "doc": {}}]})
    with pytest.raises(DataError) as caught:
        read(tmp_path)
    assert "arc_easy" in caught.value.what
    assert "physical_state" in caught.value.hint


# -- a benchmark that somebody else installs ------------------------------------------------------

COINS = """
from core.contract.benchmark import Benchmark
from core.contract.question import Question, score_by_likelihood
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer


class Coin(str):
    @property
    def id(self):
        return str(self)


class Coins(Benchmark):
    api_version = 1
    name = "coins"
    title = "Coins"
    summary = "Does it show heads?"
    layers = (TaskLayer("heads", "Heads?", "Does it show heads?"),)
    profiles = ("all",)
    # Nothing of these is needed to import a log.
    samples = open = switches = view = summarise = None
    harness_tasks = {"coins_task": "heads"}

    def from_harness(self, documents):
        return [Coin(document.fields["coin"]) for document in documents]

    def logged_question(self, item, layer):
        return Question(item.id, layer, "", "Heads?", ("no", "yes"), 1, Setting())

    def question(self, item, setting, layer, shots=()):
        return self.logged_question(item, layer)

    def score(self, question, answer):
        return score_by_likelihood(question, answer)
"""


@pytest.fixture
def _coins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    place = tmp_path / "site"
    info = place / "coins-1.0.dist-info"
    info.mkdir(parents=True)
    (place / "coins_benchmark.py").write_text(COINS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coins\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\ncoins = coins_benchmark:Coins\n")
    monkeypatch.syspath_prepend(str(place))
    for cached in (registry.entry_points_of, registry.load):
        cached.cache_clear()
    importlib.invalidate_caches()
    yield
    sys.modules.pop("coins_benchmark", None)
    for cached in (registry.entry_points_of, registry.load):
        cached.cache_clear()


@pytest.mark.usefixtures("_coins")
def test_another_benchmark_takes_part_by_naming_its_tasks(tmp_path: Path) -> None:
    rows = [
        {
            "doc_id": i,
            "doc": {"coin": name},
            "arguments": [["Heads?", " yes"], ["Heads?", " no"]],
            "resps": [[["-1.0", "True"]], [["-2.0", "False"]]],
            "acc": 1.0,
        }
        for i, name in enumerate(("lira", "euro"))
    ]
    run = read(write(tmp_path / "logs", {"coins_task": rows}))
    assert run.benchmark == "coins"
    # The log's options stand in another order than the benchmark's: the log is what was asked.
    assert [(v.item, v.options, v.right) for v in run.verdicts] == [
        ("lira", ("yes", "no"), True),
        ("euro", ("yes", "no"), True),
    ]
