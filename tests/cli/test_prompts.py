"""`prompts`, and `evaluate --prompts`."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from tests.cli.support import ok, recorded, run


def test_the_printed_prompts_have_placeholders() -> None:
    printed = ok("prompts", "gita").out
    assert '"story_class":  # {story}' in printed
    templates = ok("prompts", "gita", "--json").json
    assert list(templates) == ["story_class", "conflict_detec", "physical_state"]
    [template] = templates["story_class"]
    assert template["placeholders"] == ["story"]
    assert template["text"] == "The story is as follows:\n{story}\nIs the story plausible?"


def test_several_wordings_are_runs_with_their_spread(tmp_path: Path) -> None:
    file, store = tmp_path / "wordings.yaml", tmp_path / "runs.sqlite"
    file.write_text('story_class: ["{story} True?", "{story} Plausible:"]')
    words = ("evaluate", "gita", "--limit", "3", "--model", "demo", "--store", store)
    shown = ok(*words, "--prompts", file, "--json").json
    assert shown["prompts"] == {"story_class": {"instruction": "", "text": "{story} True?"}}
    [repeats] = shown["repeats"]
    assert repeats["wordings"] == repeats["k"] == 2
    assert [each["prompts"]["story_class"]["text"] for each in repeats["runs"]] == [
        "{story} True?",
        "{story} Plausible:",
    ]
    values = repeats["values"]["Accuracy"]
    spread = repeats["spread"]["Accuracy"]
    assert spread["mean"] == statistics.fmean(values)
    assert (spread["min"], spread["max"], spread["k"]) == (min(values), max(values), 2)
    text = ok("runs", "show", repeats["runs"][1]["run"], "--store", store).out
    assert "Prompt of story_class: “{story} Plausible:”" in text
    assert "Over 2 wordings of the prompts" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('stands: ["{tower}, {part}"]', "Layer stands has no placeholder “{part}”"),
        ('standz: ["{tower}"]', "Did you mean “stands”?"),
    ],
)
def test_a_mistake_in_the_file_is_refused_and_nothing_asked(
    tmp_path: Path, text: str, message: str
) -> None:
    file, store = tmp_path / "wordings.yaml", tmp_path / "runs.sqlite"
    model = f"replay:{recorded(store)}"
    file.write_text(text)
    words = ("evaluate", "shapes", "--model", model, "--store", store, "--prompts", file)
    refused = run(*words)
    assert refused.code == 2
    assert f"{file}:1" in refused.err
    assert message in refused.err
    assert len(ok("runs", "list", "--store", store, "--json").json["runs"]) == 1
