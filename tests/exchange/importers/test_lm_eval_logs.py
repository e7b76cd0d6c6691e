"""Files of lm-evaluation-harness, with any value in any place."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from core.exchange.importers.lm_eval import ImportedRun, read
from core.exchange.importers.lm_eval_logs import Sample, find, read_samples
from core.text.errors import DataError

SENTENCES = ["Ada apre il frigo.", "Ada prende il latte.", "Ada beve.", "Ada esce.", "Piove."]
DOCUMENT = {
    "story_id": 0,
    "example_id": "0",
    "type": None,
    "sentences": SENTENCES,
    "plausible": True,
    "breakpoint": -1,
    "confl_sents": [],
    "states": "open",
}
SCORES = [["-1.5", "False"], ["-0.5", "True"]]
ROW = {
    "doc_id": 0,
    "doc": DOCUMENT,
    "target": "true",
    "arguments": {
        "gen_args_0": {"arg_0": "Prompt", "arg_1": " false"},
        "gen_args_1": {"arg_0": "Prompt", "arg_1": " true"},
    },
    "resps": [[score] for score in SCORES],
    "filtered_resps": SCORES,
    "filter": "none",
    "acc": 1.0,
}
OLD_ROW = {key: value for key, value in ROW.items() if key != "filtered_resps"} | {
    "arguments": [["Prompt", " false"], ["Prompt", " true"]]
}
RESULTS = {
    "results": {"story_class": {"acc,none": 1.0}},
    "configs": {
        "story_class": {"num_fewshot": 3, "metric_list": [{"metric": "acc", "aggregation": "mean"}]}
    },
    "n-samples": {"story_class": {"original": 1, "effective": 1}},
    "config": {"model_args": "pretrained=org/model", "limit": None, "fewshot_seed": 7},
    "model_name": "org/model",
    "chat_template": None,
}
VALUES = [
    "5", '"x"', '"12"', "null", "true", "[]", "{}", "1e400", "-1e300", str(-(10**30)), str(2**63),
    "9" * 5000, "NaN", "[5]", "[[5]]", "[[[]]]", '{"a": 5}', '"\\ud800"', "[" * 990 + "]" * 990,
]  # fmt: skip
HOLE = "a place for a value"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a value, to itself first."""
    yield path
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*path, key))


def changed(value: Any, path: tuple[Any, ...], text: str) -> str:
    """JSON of a value in which the JSON `text` stands at `path`."""
    if not path:
        return text
    copy = deepcopy(value)
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = HOLE
    return json.dumps(copy).replace(json.dumps(HOLE), text)


def write(folder: Path, lines: list[str], results: str = json.dumps(RESULTS)) -> Path:
    place = folder / "org__model"
    place.mkdir(parents=True, exist_ok=True)
    path = place / "samples_story_class_1.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "results_1.json").write_text(results, encoding="utf-8")
    return path


def outcome(folder: Path) -> ImportedRun | DataError:
    """What reading a folder ends in; anything else that is raised is a defect."""
    try:
        return read(folder)
    except DataError as error:
        return error


@pytest.mark.parametrize("text", VALUES, ids=lambda text: text[:8])
@pytest.mark.parametrize("row", [ROW, OLD_ROW], ids=["row", "old row"])
def test_any_value_in_any_place_of_a_sample(tmp_path: Path, row: Any, text: str) -> None:
    for place in places(row):
        path = write(tmp_path, [json.dumps(row | {"doc_id": 1}), changed(row, place, text)])
        run = outcome(tmp_path)
        if isinstance(run, DataError):
            assert run.where in {f"{path}:1", f"{path}:2"}, place
        else:
            assert len(run.verdicts) in {1, 2}, place


@pytest.mark.parametrize("text", VALUES, ids=lambda text: text[:8])
def test_any_value_in_any_place_of_the_results(tmp_path: Path, text: str) -> None:
    for place in places(RESULTS):
        path = write(tmp_path, [json.dumps(ROW)], changed(RESULTS, place, text))
        path.unlink()
        write(tmp_path / "with samples", [json.dumps(ROW)], changed(RESULTS, place, text))
        for folder in (tmp_path / "with samples", tmp_path / "org__model"):
            run = outcome(folder)
            if isinstance(run, DataError):
                assert run.where.startswith(str(folder)), place
            else:
                assert -(2**63) <= run.seed < 2**63, place
                assert -(2**63) <= run.shots < 2**63, place
                assert all(0 <= total.right <= total.n < 2**63 for total in run.totals.values())


def sample(folder: Path, **fields: Any) -> Sample:
    (found,) = read_samples(write(folder, [json.dumps(ROW | fields)]))
    return found


def test_logged_answers_are_read(tmp_path: Path) -> None:
    (old,) = read_samples(write(tmp_path, [json.dumps(OLD_ROW)]))
    for found in (sample(tmp_path), old):
        assert (found.options, found.logprobs) == (("false", "true"), (-1.5, -0.5))
        assert found.scored
    # Some versions write numbers instead of text.
    assert sample(tmp_path, filtered_resps=[[-1.5, False], [-0.5, True]]).logprobs == (-1.5, -0.5)


def test_invalid_scores_are_marked(tmp_path: Path) -> None:
    for nan in ("nan", math.nan):
        assert not sample(tmp_path, filtered_resps=[[nan, "False"], ["-1", "True"]]).scored
    assert sample(tmp_path, filtered_resps=[["-inf", "False"], ["-1", "True"]]).scored


def test_digits_in_a_text_are_not_answers(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not numbers"):
        sample(tmp_path, filtered_resps="12")


@pytest.mark.timeout(90)
@pytest.mark.parametrize("name", ["results_2.json", "samples_story_class_2.jsonl"])
def test_a_pipe_among_the_logs_is_not_waited_for(tmp_path: Path, name: str) -> None:
    pipe = write(tmp_path, [json.dumps(ROW)]).with_name(name)
    os.mkfifo(pipe)
    with pytest.raises(DataError, match="not a regular file") as caught:
        read(tmp_path)
    assert caught.value.where == str(pipe)


def test_a_dangling_results_file_is_named(tmp_path: Path) -> None:
    link = write(tmp_path, [json.dumps(ROW)]).with_name("results_2.json")
    link.symlink_to("absent")
    with pytest.raises(DataError) as caught:
        read(tmp_path)
    assert caught.value.where == str(link)


@pytest.mark.parametrize("blanks", ["\n" * 300_000, " \r\n\t"])
def test_blanks_before_an_array(tmp_path: Path, blanks: str) -> None:
    path = write(tmp_path, [blanks + json.dumps([ROW, ROW])])
    line = 1 + blanks.count("\n")
    wheres = [sample.document.where for sample in read_samples(path)]
    assert wheres == [f"{path}:{line}"] * 2


@pytest.mark.parametrize("blank", ["\x0b", "\u00a0"])
def test_unicode_blanks_are_not_json_blanks(tmp_path: Path, blank: str) -> None:
    path = write(tmp_path, [f"{blank}[]"])
    with pytest.raises(DataError) as caught:
        list(read_samples(path))
    assert caught.value.where == f"{path}:1"


def test_a_byte_order_mark_is_skipped_as_in_every_file_of_rows(tmp_path: Path) -> None:
    assert not list(read_samples(write(tmp_path, ["\ufeff[]"])))


def test_names_cannot_forge_lines(tmp_path: Path) -> None:
    folder = tmp_path / "a\nError: forged"
    path = write(folder, ["{}"])
    with pytest.raises(DataError) as caught:
        list(read_samples(path))
    assert "\n" not in str(caught.value)
    other = json.dumps(RESULTS | {"model_name": "b\nError: forged"})
    write(folder / "other", [json.dumps(ROW)], other)
    for place in (folder, tmp_path / "c\nd", tmp_path / ("a" * 5000)):
        with pytest.raises(DataError) as caught:
            find(place, ())
        assert "\n" not in str(caught.value)
