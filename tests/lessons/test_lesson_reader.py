"""Lessons as files: what is read, and that nothing wrong goes without its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.lessons.bound_lesson import bind
from core.lessons.claims import KINDS
from core.lessons.lesson import Pane, Pointing
from core.lessons.lesson_reader import read_lesson
from core.lessons.library import bundled, named
from core.text.errors import DataError
from tests.lessons.support import lesson, write

WHOLE = """\
title: {en: One, it: Uno}
about: {en: This., it: Questo.}
benchmark: gita
minutes: 7
steps:
  - say: {en: Look., it: Guardate.}
    item: "0"
    set: {variant: 0-O0, s1: Un gatto dorme.}
    point: {statement: break}
    show: blocks
    predict:
      ask: {en: What now, it: E adesso}
      options:
        - text: {en: right, it: giusto}
          when: {right: story_class}
          then: {en: Well., it: Bene.}
        - text: {en: wrong, it: sbagliato}
          when: {wrong: story_class}
    after: {en: So., it: Ecco.}
    check:
      - gold: {layer: story_class, is: "false"}
      - first failure: nowhere
  - say: {en: Go on., it: Avanti.}
  - say: {en: Back., it: Indietro.}
    set: {}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "whole.yaml"


def test_a_lesson_is_read_whole(file: Path) -> None:
    file.write_text(WHOLE, encoding="utf-8")
    read = read_lesson(file)
    assert (read.name, read.benchmark, read.minutes) == ("whole", "gita", 7)
    assert read.title.languages == ("en", "it")
    first, second, third = read.steps
    assert (first.item, dict(first.setting)) == ("0", {"variant": "0-O0", "s1": "Un gatto dorme."})
    assert first.point is not None
    assert (first.point.kind, first.point.ref) == (Pointing.STATEMENT, "break")
    assert first.show is Pane.BLOCKS
    assert first.prediction is not None
    assert [option.text.spoken("it") for option in first.prediction.options] == [
        "giusto",
        "sbagliato",
    ]
    assert [claim.line for claim in first.checks] == [21, 22]
    assert first.after is not None
    assert first.after.spoken("en") == "So."
    assert (second.item, second.setting, second.item_line) == ("0", first.setting, 7)
    assert (third.item, dict(third.setting)) == ("0", {})


def test_another_item_begins_as_it_is(tmp_path: Path) -> None:
    read = lesson(
        tmp_path,
        """
        - {say: One., item: "0", set: {variant: 0-O0}}
        - {say: Two., item: "1"}
        """,
    )
    assert dict(read.steps[1].setting) == {}


BROKEN = {
    "nothing": ("", 1, "empty"),
    "no steps": ("title: One\nabout: It.\nbenchmark: gita\nminutes: 1\n", 1, "lacks steps"),
    "an unknown key": (WHOLE.replace("minutes", "minuts"), 4, "minuts"),
    "code": (WHOLE + "    run: rm\n", 26, "run"),
    "too long": (WHOLE.replace("minutes: 7", "minutes: 700"), 4, "1 to 90"),
    "half a minute": (WHOLE.replace("minutes: 7", "minutes: 1.5"), 4, "1 to 90"),
    "a language missing": (WHOLE.replace("{en: So., it: Ecco.}", "{en: So.}"), 19, "lacks it"),
    "one language": (WHOLE.replace("{en: So., it: Ecco.}", "So."), 19, "en and it"),
    "a third language": (WHOLE.replace("{en: So., it:", "{en: So., de:"), 19, "de"),
    "an empty text": (WHOLE.replace("{en: So., it: Ecco.}", "{en: '', it: Ecco.}"), 19, "text"),
    "no item": (WHOLE.replace('    item: "0"\n', ""), 6, "first step names an item"),
    "two places": (WHOLE.replace("statement: break", "statement: 1, node: a"), 9, "one thing"),
    "an unknown pane": (WHOLE.replace("show: blocks", "show: block"), 10, "Did you mean"),
    "an unknown claim": (WHOLE.replace("first failure", "first fail"), 22, "first failure"),
    "two claims in one": (
        WHOLE.replace("- first failure: nowhere", "- {right: a, wrong: b}"),
        22,
        "one kind",
    ),
    "one option": (
        WHOLE.replace(
            "        - text: {en: wrong, it: sbagliato}\n          when: {wrong: story_class}\n", ""
        ),
        14,
        "2 to 9",
    ),
    "layer and options": (
        WHOLE.replace("      options:", "      layer: story_class\n      options:"),
        12,
        "either",
    ),
    "a claim without bound": (
        WHOLE.replace("- first failure: nowhere", "- settles: {layer: story_class}"),
        22,
        "bound",
    ),
    "an empty range": (
        WHOLE.replace(
            "- first failure: nowhere", "- settles: {layer: story_class, at least: 3, at most: 2}"
        ),
        22,
        "No number",
    ),
    "an unknown role": (
        WHOLE.replace("- first failure: nowhere", "- statement: {is: 1, role: brake}"),
        22,
        "Did you mean “break”",
    ),
    "an object": (WHOLE.replace('item: "0"', "item: !!python/name:os.system x"), 7, "text"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_told_with_its_line(file: Path, case: str) -> None:
    text, line, said = BROKEN[case]
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_lesson(file)
    assert caught.value.where == f"{file}:{line}"
    assert said in str(caught.value)


ASTRAY = {
    "item": ('- say: One.\n  item: "777"', 7, "777"),
    "switch": ('- say: One.\n  item: "0"\n  set:\n    varant: 0-O0', 9, "variant"),
    "value": ('- say: One.\n  item: "0"\n  set:\n    variant: 0-O9', 9, "0-O9"),
    "statement": ('- say: One.\n  item: "0"\n  point: {statement: 6}', 8, "s4"),
    "statement by role": ('- say: One.\n  item: "0"\n  point: {statement: break}', 8, "role"),
    "node": ('- say: One.\n  item: "0"\n  point: {node: a}', 8, "No node"),
    "rung": ('- say: One.\n  item: "0"\n  point: {rung: conflict_detec}', 8, "asks nothing"),
    "layer": ('- say: One.\n  item: "0"\n  check:\n    - right: story', 9, "story_class"),
    "option": (
        '- say: One.\n  item: "0"\n  check:\n    - answer: {layer: story_class, is: "maybe"}',
        9,
        "maybe",
    ),
    "layer with too many options": (
        "- say: One.\n  item: 0-O0\n  predict: {ask: Which, layer: conflict_detec}",
        8,
        "10 options",
    ),
    "contrast prompt": (
        "- say: One.\n  item: 0-O0\n  check:\n"
        "    - restores: {layer: story_class, contrast: {variant: 9}, at least: 0}",
        9,
        "variant",
    ),
    "contrast prompt by its former name": (
        "- say: One.\n  item: 0-O0\n  check:\n"
        "    - restores: {layer: story_class, twin: {variant: 9}, at least: 0}",
        9,
        "variant",
    ),
}


@pytest.mark.parametrize("case", ASTRAY)
def test_what_the_collection_has_not_is_told_with_its_line(tmp_path: Path, case: str) -> None:
    steps, line, said = ASTRAY[case]
    file = write(tmp_path / "astray.yaml", steps)
    with pytest.raises(DataError) as caught:
        bind(read_lesson(file))
    assert caught.value.where == f"{file}:{line}"
    assert said in str(caught.value)


def test_a_benchmark_that_is_not_there(tmp_path: Path) -> None:
    file = write(tmp_path / "one.yaml", "- {say: One., item: x}", "gitta")
    with pytest.raises(DataError, match="gita") as caught:
        bind(read_lesson(file))
    assert caught.value.where == f"{file}:3"


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(data=st.data())
def test_a_mangled_lesson_is_read_or_refused_and_nothing_else(
    file: Path, data: st.DataObject
) -> None:
    source = WHOLE.encode()
    at = data.draw(st.integers(0, len(source) - 1))
    cut = data.draw(st.integers(0, 12))
    piece = data.draw(st.binary(max_size=6) | st.sampled_from([b"&a ", b"*a", b"{", b"- ", b"!!"]))
    file.write_bytes(source[:at] + piece + source[at + cut :])
    complaint: DataError | None = None
    try:
        bind(read_lesson(file))
    except DataError as error:
        complaint = error
    assert complaint is None or complaint.where.startswith(str(file))


def test_every_bundled_lesson_speaks_both_languages_and_finds_its_items() -> None:
    assert len(bundled()) >= 6
    for path in bundled():
        read = read_lesson(path)
        assert read.title.languages == ("en", "it")
        assert 5 <= read.minutes <= 10
        for step in read.steps:
            # A figure over the collection that is drawn before the class has nothing to claim.
            assert step.checks or step.figures or not (step.after or step.prediction)
        bind(read)


def test_lessons_are_found_by_name_number_and_file(tmp_path: Path) -> None:
    assert named("1").name == named("three-layers").name == named("1-three-layers").name
    file = write(tmp_path / "mine.yaml", '- {say: One., item: "0"}')
    assert named(str(file)).name == "mine"
    with pytest.raises(DataError):
        named(str(write(tmp_path / "broken.yaml", "- {say: One.}")))


def test_the_documents_name_every_kind_of_claim() -> None:
    page = (bundled()[0].parent / "README.md").read_text(encoding="utf-8")
    missing = [kind for kind in KINDS if f"`{kind}: " not in page]
    assert missing == []


BY_LANGUAGE = """\
title: {en: One, it: Uno}
about: {en: Nothing much., it: Quasi nulla.}
benchmark: gita
minutes: 1
steps:
  - say: {en: Look., it: Guardate.}
    item: {en: "0", it: "1"}
    set: {en: {variant: 0-O0}, it: {variant: 1-O0}}
    point: {en: {statement: 1}, it: {statement: 2}}
    predict:
      ask: {en: Which, it: Quale}
      point: {rung: story_class}
      options:
        - text: {en: a, it: a}
          when: {en: {right: story_class}, it: {wrong: story_class}}
        - text: {en: b, it: b}
          when: {en: {wrong: story_class}, it: {right: story_class}}
    check:
      en: [{statement: {is: 1, role: plain}}]
      it: [{statement: {is: 2, role: plain}}]
"""


def test_item_setting_point_and_claims_may_be_given_for_each_language(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(BY_LANGUAGE, encoding="utf-8")
    told = {}
    for language in ("en", "it"):
        (step,) = read_lesson(file, language).steps
        assert step.prediction is not None
        told[language] = (
            step.item,
            dict(step.setting),
            [point.ref for point in step.points],
            [claim.text for claim in step.claims],
        )
    assert told["en"] == (
        "0",
        {"variant": "0-O0"},
        ["1", "story_class"],
        ["statement: {is: 1, role: plain}", "right: story_class", "wrong: story_class"],
    )
    assert told["it"] == (
        "1",
        {"variant": "1-O0"},
        ["2", "story_class"],
        ["statement: {is: 2, role: plain}", "wrong: story_class", "right: story_class"],
    )


def test_what_is_given_for_one_language_is_given_for_all(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(
        BY_LANGUAGE.replace("point: {en: {statement: 1}, it: {statement: 2}}", "point: {en: {}}"),
        encoding="utf-8",
    )
    with pytest.raises(DataError) as refused:
        read_lesson(file)
    assert refused.value.where == f"{file}:9"


@pytest.mark.parametrize(
    "step",
    [
        "item: {long}",
        "item: '0'\n  set: {{variant: {long}}}",
        "item: '0'\n  set: {{{long}: a}}",
        "item: '0'\n  point: {{statement: {long}}}",
        "item: '0'\n  point: {{node: {long}}}",
        "item: '0'\n  point: {{rung: {long}}}",
        "item: '0'\n  check: [silent: {long}]",
        "item: '0'\n  check: [gold: {{layer: story_class, is: {long}}}]",
        "item: '0'\n  check: [tagged: {{layer: story_class, {long}: a}}]",
        "item: '0'\n  show: {long}",
    ],
)
def test_a_message_repeats_only_the_beginning_of_a_long_name(tmp_path: Path, step: str) -> None:
    with pytest.raises(DataError) as caught:
        bind(lesson(tmp_path, "- say: Look.\n  " + step.format(long="x" * 1000)))
    assert "x" * 50 in str(caught.value)
    assert "x" * 100 not in str(caught.value)
