"""Items in a notebook: found, toggled, drawn and exported, whatever their texts are."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import commonsense_tui as ct
from core.files.shipped import samples
from tests.cli.support import run

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text outside of style sheets."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_an_item_is_found_by_id_and_by_position() -> None:
    stories = ct.open("gita")
    ids = [story.id for story in stories]
    assert len(ids) == len(stories) == len(set(ids))
    assert stories[3].id == stories[ids[3]].id == ids[3]
    assert stories[-1].id == ids[-1]
    with pytest.raises(IndexError):
        stories[len(stories)]
    with pytest.raises(ct.NotFoundError, match="1-C0"):
        stories["1-C9"]
    with pytest.raises(ct.SettingError, match="by its position or its id"):
        stories[0:2]  # type: ignore[index]


def test_an_unknown_benchmark_and_a_missing_file_are_typed_errors(tmp_path: Path) -> None:
    with pytest.raises(ct.NotFoundError, match="gita"):
        ct.open("gitta")
    with pytest.raises(ct.DataError):
        ct.open("gita", tmp_path / "nothing.json")


def test_a_file_is_opened_by_its_path() -> None:
    scenarios = ct.open("com2", samples() / "com2" / "away-goal.yaml")
    assert [each.id.partition(":")[0] for each in scenarios] == ["away-goal"] * len(scenarios)
    assert len(scenarios) > 1


def test_toggling_does_what_the_option_set_does() -> None:
    story = ct.open("gita")["1-C0"].with_setting({"order": "1,0,2,3,4"})
    shown = run("show", "gita", "1-C0", "--set", "order=1,0,2,3,4", "--json").json
    assert dict(story.setting) == shown["setting"] == {"order": "1,0,2,3,4"}
    assert story.view.title == shown["view"]["title"]
    assert [switch.key for switch in story.switches] == [each["key"] for each in shown["switches"]]
    assert story.with_setting({"order": "0,1,2,3,4"}).setting == ct.Setting()
    with pytest.raises(ct.SettingError):
        story.with_setting({"order": "0,0"})


def test_questions_are_those_of_the_command_line() -> None:
    printed = run("questions", "gita", "--jsonl").out.splitlines()
    asked = [json.loads(line) for line in printed]
    story = ct.open("gita")["1-C0"]
    expected = {each["layer"]: each for each in asked if each["item"] == "1-C0"}
    assert {q.layer for q in story.questions()} == set(expected)
    for question in story.questions():
        assert question.base() == expected[question.layer]["prompt"]
        assert question == story.question(question.layer)


def test_a_layer_that_is_not_there_or_asks_nothing_is_a_typed_error() -> None:
    stories = ct.open("gita")
    with pytest.raises(ct.NotFoundError, match="story_class"):
        stories["1-C0"].question("story_clas")
    with pytest.raises(ct.SettingError, match="nothing to ask"):
        stories["1"].question("conflict_detec")


@pytest.mark.parametrize("form", ["svg", "json", "md", "graphml"])
def test_an_export_is_that_of_the_command(form: str, tmp_path: Path) -> None:
    file = tmp_path / "item"
    assert run("export", form, "com2", "away-goal:direct", "--out", str(file)).code == 0
    assert ct.open("com2")["away-goal:direct"].export(form) == file.read_text("utf-8")


@pytest.mark.parametrize("benchmark", ct.benchmark_names())
def test_every_benchmark_is_drawn_with_its_texts_and_no_script(benchmark: str) -> None:
    item = ct.open(benchmark)[0]
    drawn = Elements(item._repr_html_())
    kinds = {tag for tag, _ in drawn.found}
    assert kinds <= {"div", "style", "img", "details", "summary", "pre", "span"}
    has_graph = any(isinstance(section, ct.Graph) for section in item.view.sections)
    assert ("img" in kinds) is has_graph
    assert " ".join(item.view.title.split()) in " ".join(drawn.text.split())


def hostile_story(folder: Path) -> ct.OpenedItem:
    stories = json.loads((samples() / "gita" / "stories.json").read_text("utf-8"))
    story = stories["1-C0"] | {"actor": SCRIPT, "location": SCRIPT}
    story["sentences"] = [f"{SCRIPT} {sentence}" for sentence in story["sentences"]]
    file = folder / "stories.json"
    file.write_text(json.dumps({"1-C0": story}), encoding="utf-8")
    return ct.open("gita", file)["1-C0"]


def hostile_graph(folder: Path) -> ct.OpenedItem:
    file = folder / "graph.yaml"
    text = json.dumps(SCRIPT)
    file.write_text(
        f"id: graph\ntitle: {text}\nevents:\n  a: {{text: {text}, leak: 1}}\n"
        f"  b: {{text: {text}}}\nlinks:\n  - {{from: a, to: b}}\n",
        encoding="utf-8",
    )
    return ct.open("com2", file)[0]


@pytest.mark.parametrize("hostile", [hostile_story, hostile_graph])
def test_hostile_texts_stay_texts(hostile, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    drawn = Elements(hostile(tmp_path)._repr_html_())
    assert "<script>alert(1)" in drawn.text
    pictures = [attributes for tag, attributes in drawn.found if tag == "img"]
    for tag, attributes in drawn.found:
        assert tag not in {"script", "iframe", "object", "svg"}
        assert not [name for name in attributes if name.startswith("on")]
    for attributes in pictures:
        kind, _, data = (attributes["src"] or "").partition(",")
        assert kind == "data:image/svg+xml;base64"
        tree = ElementTree.fromstring(base64.b64decode(data))
        names = {re.sub(r"\{.*\}", "", element.tag) for element in tree.iter()}
        assert names <= {"svg", "title", "desc", "style", "rect", "g", "path", "text"}
    assert len(pictures) == (hostile is hostile_graph)
