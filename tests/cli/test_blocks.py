"""`blocks`, `trace` and `patch`, on the bundled model."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.files import paths
from tests.cli.support import ok, recorded, run
from tests.gguf_files import not_a_number

pytestmark = pytest.mark.usefixtures("demo_model")

BLOCKS = 6
FILLED = "s0=Il portone era bloccato e nessuno quel giorno è riuscito ad aprirlo."
"""As many tokens as the sentence that it replaces."""


@cache
def result(*words: str) -> Any:
    """What a command prints as JSON; the model is asked once a process for all tests here."""
    return ok(*words, "--json").json


def traced() -> Any:
    return result("trace", "gita", "1-C0", "--contrast", FILLED)


def test_layers_end_with_the_model_s_own_scores() -> None:
    found = result("blocks", "gita", "1-C0", "--layer", "story")
    asked = result("ask", "gita", "1-C0")["verdicts"][0]
    assert found["layer"] == asked["layer"] == "story_class"
    assert found["options"] == asked["options"]
    assert found["final"] == asked["scores"] == found["blocks"][-1]
    assert found["max_abs_diff_last_block"] == 0
    assert [len(row) for row in found["blocks"]] == [2] * BLOCKS
    best = [row.index(max(row)) for row in found["blocks"]]
    assert found["leading"] == best
    raw = found["raw"]
    settled = raw["settles_at"]
    assert set(best[settled:]) == {best[-1]}
    assert settled == 0 or best[settled - 1] != best[-1]
    gold = found["gold_index"]
    kinds = {
        (True, True): "wins",
        (False, True): "led, then lost",
        (False, False): "never led",
    }
    assert raw["class"] == kinds[best[-1] == gold, gold in best]
    assert [len(row) for row in found["beyond_prior"]] == [2] * BLOCKS
    assert (found["class"] is None) == (found["withheld"] is not None)
    if found["withheld"] is None:
        led = found["leading_beyond_prior"]
        assert set(led[found["settles_at"] :]) == {best[-1]}


def test_what_is_beyond_the_prior_is_less_the_priors_of_the_options() -> None:
    found = result("blocks", "gita", "1-C0", "--layer", "story")
    other = result("blocks", "gita", "8-O0", "--layer", "story")
    # Without its content a story's prompt is every story's, so what is taken off is the same.
    taken = [np.subtract(each["blocks"], each["beyond_prior"]) for each in (found, other)]
    assert np.allclose(*taken, atol=1e-9)


@pytest.mark.parametrize(
    ("bench", "item"),
    [
        ("accord", "kettle"),
        ("abspyramid", "personx-sprints-across-the-square-as-the-e408:noun-coach"),
    ],
)
def test_layers_of_every_benchmark(bench: str, item: str) -> None:
    found = result("blocks", bench, item)
    assert found["max_abs_diff_last_block"] == 0
    assert len(found["blocks"]) == BLOCKS


def test_all_right_options_are_told_where_several_are() -> None:
    words = ("com2", "birch-pollen:decision")
    found = result("blocks", *words, "--layer", "answer")
    assert found["max_abs_diff_last_block"] == 0
    assert found["gold_index"] is None
    assert found["gold_indices"] == [0, 1, 4]
    kinds = {True: ("wins",), False: ("led, then lost", "never led", "tie at the end")}
    verdict = next(
        one
        for one in result("ask", *words, "--scoring", "log-likelihood")["verdicts"]
        if one["layer"] == "answer"
    )
    assert found["class"] in kinds[verdict["right"]]


def test_layers_are_printed_with_what_they_are() -> None:
    text = ok("blocks", "gita", "1-C0", "--form", "base").out
    words = " ".join(text.split())
    assert "Zero-shot, base prompt, log-likelihood." in words
    assert "is a projection, not a belief" in words
    assert "Commonsense demonstration model" in words
    assert "on 98 tokens" in words
    assert "its figures are no results" in words
    assert "▸" in text
    assert "Settles at block" in words
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.slow
def test_both_are_drawn_into_a_file_where_one_is_named(tmp_path: Path) -> None:
    to = tmp_path / "plots" / "lens.pdf"
    assert ok("blocks", "gita", "1-C0", "--to", to).out == f"{to}\n"
    assert to.read_bytes().startswith(b"%PDF-")
    again = run("blocks", "gita", "1-C0", "--to", to)
    assert again.code == 2
    assert "--force" in again.err
    svg = tmp_path / "trace.svg"
    words = ("trace", "gita", "1-C0", "--contrast", FILLED, "--part", "attn")
    assert ok(*words, "--to", svg, "--json").json["part"] == "attention"
    drawn = re.sub(r"<!--|-->|<[^>]*>", " ", svg.read_text())
    assert "Copied of each block: attention." in " ".join(drawn.split())
    other = run("trace", "gita", "1-C0", "--to", tmp_path / "trace.jpg")
    assert other.code == 2
    assert ".pdf, .svg, .png" in other.err


def test_a_trace_shares_out_the_margin() -> None:
    found = traced()
    assert found["form"] in ("base", "chat")
    assert found["blocks"] == list(range(BLOCKS))
    assert len(found["spans"]) == len(found["restored"]) == len(found["comparable"])
    assert found["comparable"] == [True] * len(found["spans"])
    assert found["valid"] is True
    edges = [span["tokens"] for span in found["spans"]]
    assert [start for start, _ in edges] == [0, *(stop for _, stop in edges[:-1])]
    assert edges[-1][1] == found["tokens"]
    assert {span["kind"] for span in found["spans"]} == {"instruction", "sentence", "statement"}
    for row in found["restored"]:
        assert all(math.isfinite(share) for share in row)
    # Up to where the prompts differ, and of the last block before the answer, nothing can change.
    differs = next(n for n, span in enumerate(found["spans"]) if "Davide" in span["text"])
    assert {share for row in found["restored"][:differs] for share in row} == {0}
    assert {row[-1] for row in found["restored"][:-1]} == {0}
    assert found["restored"][-1][-1] == pytest.approx(1)


@pytest.mark.slow
def test_a_trace_has_the_other_way_round_and_a_random_control() -> None:
    words = ("trace", "gita", "1-C0", "--contrast", FILLED)
    found = result(*words, "--controls")
    assert {key: found[key] for key in ("restored", "effects")} == {
        key: traced()[key] for key in ("restored", "effects")
    }
    first, second = found["compared"]
    here, there = found["margins"]
    lost, falls = found["noising"]["lost"], found["noising"]["falls"]
    for span in (2, 3):
        patch = result("patch", *words[1:], "--copy", f"residual:2@{span}")
        fall = here - (patch["patched"][first] - patch["patched"][second])
        assert falls[span][2] == pytest.approx(fall)
        assert lost[span][2] == pytest.approx(fall / (here - there))
    # All of the answer is lost where the readout itself is copied.
    assert lost[-1][-1] == pytest.approx(1)
    assert found["no_control"] is None
    control = found["control"]
    assert control["item"].split("-")[0] != "1", "an item of another family"
    assert np.shape(control["effects"]) == np.shape(found["effects"])
    differs = next(n for n, span in enumerate(found["spans"]) if "Davide" in span["text"])
    # What both prompts begin with changes nothing.
    assert {figure for row in control["effects"][:differs] for figure in row} == {0}
    assert control["effects"] != found["effects"]
    text = ok(*words, "--controls").out
    assert text.index("denoising") < text.index("noising, compared") < text.index("random control")


def test_means_and_samples_are_taken_from_other_items() -> None:
    words = ("patch", "gita", "1-C0", "--task-layer", "story_class")
    effects = {}
    for option in ("--zero", "--mean", "--resample"):
        found = result(*words, option, "attn:3")
        effects[option] = found["patched"]
        taken = option != "--zero"
        assert (found["references"] > 1) is taken
        # What all prompts begin with stays as it is.
        assert 0 < found["replaced_tokens"] < found["tokens"] or not taken
        assert found["scores"] == result(*words, "--zero", "attn:3")["scores"]
    assert len({tuple(scores) for scores in effects.values()}) == 3
    text = " ".join(ok(*words, "--mean", "attn:3").out.split())
    assert "mean in place of attention of block 3" in text
    assert "prompts of other items, drawn at random" in text


def test_a_cell_is_the_patch_of_the_other_way_round() -> None:
    found = traced()
    back = ["--contrast", f"s0={found['spans'][2]['text']}", "--set", FILLED]
    patched = result("patch", "gita", "1-C0", *back, "--copy", "residual:1@2")
    assert patched["restored"] == [[pytest.approx(found["restored"][2][1])]]
    assert patched["spans"][0]["tokens"] == found["spans"][2]["tokens"]
    assert patched["comparable"] == [True]


def test_the_contrast_prompt_that_fits_is_chosen() -> None:
    text = ok("trace", "gita", "1-C0", "--form", "base").out
    words = " ".join(text.split())
    assert "Zero-shot, base prompt, log-likelihood." in words
    assert "one pair of prompts" in words
    assert "△ 3 Davide si è sfilato" in words
    assert "not comparable" not in words
    assert "Margin of “false” over “true”" in words


@pytest.mark.slow
def test_spans_behind_one_of_another_length_are_counted_from_the_end() -> None:
    words = ("gita", "1-C0", "--contrast", "variant=1")
    found = result("trace", *words, "--controls")
    last = len(found["spans"]) - 1
    assert found["comparable"] == [index != 2 for index in range(last + 1)]
    shift = found["shifts"][last]
    assert shift != 0
    assert found["shifts"] == [0, 0, 0] + [shift] * (last - 2)
    assert found["restored"] == [[None] * BLOCKS] * (last + 1)
    assert found["effects"][2] == found["noising"]["falls"][2] == [None] * BLOCKS
    here, there = found["margins"]
    for effects in (found["effects"], found["noising"]["falls"]):
        assert effects[last][BLOCKS - 1] == pytest.approx(here - there, abs=1e-4), "the readout"
    patched = result("patch", *words, "--copy", f"residual:1@{last}")
    assert [edit["shift"] for edit in patched["edits"]] == [shift]
    scores, plain = patched["patched"], patched["scores"]
    first, second = found["compared"]
    fall = (plain[first] - plain[second]) - (scores[first] - scores[second])
    assert found["noising"]["falls"][last][1] == pytest.approx(fall)
    text = " ".join(ok("trace", *words).out.split())
    assert f"Spans 3 to {last} are counted from the end" in text
    assert text.count("not comparable") == 1


@pytest.mark.slow
def test_options_that_begin_alike_are_traced_where_they_part() -> None:
    words = ("trace", "gita", "1-C0", "--task-layer", "conflict_detec")
    found = result(*words)
    first, second = (found["options"][option] for option in found["compared"])
    last = found["spans"][-1]
    assert last["kind"] == "beginning"
    assert first.startswith(last["text"])
    assert second.startswith(last["text"])
    assert last["tokens"][0] == found["tokens"]
    assert found["valid"]
    readout, before = found["restored"][-1], found["restored"][-2]
    assert readout[-1] == pytest.approx(1, abs=1e-3)
    assert before[-1] == 0
    assert max(readout[:-1]) > 0.1, "what decides gets there in middle blocks"
    text = ok(*words).out
    row = next(line for line in text.splitlines() if "both options begin" in line)
    assert f"both options begin “{last['text']}”" in row
    assert "╱╱" in row
    assert text.count("╱╱") == 1
    ran = run("patch", *words[1:], "--zero", f"residual:1@{len(found['spans']) - 1}")
    assert ran.code == 2
    assert "There is no span" in ran.err


def test_everything_copied_is_the_contrast_prompt_s_own_answer() -> None:
    words = ("patch", "gita", "1-C0", "--contrast", FILLED, "--copy", f"residual:{BLOCKS - 2}")
    found = result(*words)
    own = result("ask", "gita", "1-C0", "--set", FILLED)["verdicts"][0]
    assert found["patched"] == own["scores"]
    assert found["restored"] == [[1]]
    assert "brings: 1.00" in " ".join(ok(*words).out.split())


def test_skipping_a_block_is_zeroing_both_of_its_parts() -> None:
    skipped = result("patch", "gita", "1-C0", "--skip", "3")
    zeroed = result("patch", "gita", "1-C0", "--zero", "attn:3", "--zero", "ffn:3")
    assert skipped["patched"] == zeroed["patched"] != skipped["scores"]
    assert skipped["scores"] == result("blocks", "gita", "1-C0", "--layer", "story")["final"]
    assert skipped["blocks"] == [3]
    assert skipped["restored"] == [[None]]


def test_a_head_is_traced_and_is_its_patch() -> None:
    found = result("trace", "gita", "1-C0", "--contrast", FILLED, "--part", "head:1")
    assert (found["part"], found["head"]) == ("head", 1)
    back = ["--contrast", f"s0={found['spans'][2]['text']}", "--set", FILLED]
    patched = result("patch", "gita", "1-C0", *back, "--copy", "head:1.1@2")
    assert patched["restored"] == [[pytest.approx(found["restored"][2][1])]]
    whole = traced()
    assert whole["head"] is None
    assert found["restored"] != whole["restored"]


def test_a_vector_is_added_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    path.write_text("[0]")
    told = run("patch", *ITEM, "--add", f"residual:2={path}")
    assert told.code == 2
    width = int(told.err.split("Residual takes ")[1].split()[0])
    path.write_text(json.dumps([0.0] * width))
    found = ok("patch", *ITEM, "--add", f"residual:2={path}", "--json").json
    assert found["patched"] == found["scores"], "nothing was added"
    np.save(tmp_path / "v.npy", np.linspace(-9, 9, width))
    moved = ok("patch", *ITEM, "--add", f"residual:2@3={tmp_path / 'v.npy'}", "--json").json
    assert moved["patched"] != moved["scores"] == found["scores"]
    text = ok("patch", *ITEM, "--add", f"residual:2@3={path}").out
    assert "add a vector to residual of block 2" in " ".join(text.split())
    assert re.search(r"Zero-shot, \w+ prompt, log-likelihood\.", " ".join(text.split()))


def test_with_and_without_do_are_compared() -> None:
    # By the words of this item something is as long as what is forced.
    item = "away-goal:direct"
    found = result("trace", "com2", item)
    assert found["setting"]
    ((event, value),) = found["setting"].items()
    ((other, same),) = found["contrast"]["setting"].items()
    assert event != other
    assert value[:3] == same[:3] == "do="
    assert found["comparable"] == [True] * len(found["spans"])
    text = " ".join(ok("trace", "com2", item).out.split())
    assert f"so this prompt has {event}={value}" in text
    contrast = [
        "--set",
        f"{event}={value}",
        "--contrast",
        f"{event}=free",
        "--contrast",
        f"{other}={same}",
    ]
    assert ok("trace", "com2", item, *contrast, "--json").json["restored"] == found["restored"]


ITEM = ("gita", "1-C0")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("blocks", *ITEM, "--layer", "story_clss"), "Did you mean “story_class”?"),
        (("blocks", *ITEM, "--layer", ""), "no value"),
        (("blocks", "gita", "1", "--layer", "conflict_detec"), "nothing to ask"),
        (("blocks", *ITEM, "--set", "varant=1"), "Did you mean “variant”?"),
        (("blocks", *ITEM, "--model", "no/such.gguf"), "no/such.gguf"),
        (("trace", *ITEM, "--contrast", "variant=1-C0"), "the same is asked"),
        (("trace", *ITEM, "--contrast", "variant"), "no “=”"),
        (("trace", *ITEM, "--contrast", "variant=9"), "not a value"),
        (("trace", *ITEM, "--part", "head"), "No head was named"),
        (("trace", *ITEM, "--part", "head:99"), "no head 99"),
        (("trace", *ITEM, "--part", "heads"), "cannot be traced"),
        (("trace", *ITEM, "--contrast", "layer=tale"), "no task layer “tale”"),
        (("patch", *ITEM, "--add", "attn:1"), "names no file"),
        (("patch", *ITEM, "--add", "attn:1=no/such.npy"), "no such file"),
        (("patch", *ITEM, "--add", "attn:1=/dev/zero"), "not a regular file"),
        (("patch", *ITEM), "Nothing is to be changed"),
        (("patch", *ITEM, "--copy", "residual:1"), "nothing to copy from"),
        (("patch", *ITEM, "--zero", "attn:6"), "from 0 to 5"),
        (("patch", *ITEM, "--zero", "head:1"), "No head was named"),
        (("patch", *ITEM, "--skip", "1@99"), "no span 99"),
        (
            ("patch", *ITEM, "--contrast", "variant=1", "--copy", "residual:1@2"),
            "Span 2 is not comparable",
        ),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_two(words: tuple[str, ...], named: str) -> None:
    ran = run(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert named in ran.err
    assert len(ran.err.splitlines()) <= 3


def test_a_model_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    path = not_a_number(tmp_path / "m.gguf")
    ran = run("blocks", *ITEM, "--model", path)
    assert ran.code == 2
    assert "cannot be read (numbers)" in ran.err
    ran = run("blocks", *ITEM, "--model", f"replay:{recorded(paths.runs())}")
    assert ran.code == 2
    assert "does not run in this program" in ran.err
