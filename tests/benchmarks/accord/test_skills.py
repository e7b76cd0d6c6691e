"""Skills: the paper's six, and those of a person's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.benchmarks.accord.trees.skills import MOST_SKILLS, End, SkillError, Skills


def test_the_six_skills_of_the_paper() -> None:
    skills = Skills.shipped()
    assert {name: skill.concept_net for name, skill in skills.items()} == {
        "spatial": "AtLocation",
        "causal": "Causes",
        "part_of": "PartOf",
        "type_of": "IsA",
        "used_for": "UsedFor",
        "requires": "HasPrerequisite",
    }
    assert all(skill.name == name for name, skill in skills.items())


def test_each_end_has_another() -> None:
    assert [end.other for end in End] == [End.TARGET, End.SOURCE]


def one(name: str = "near", surface: str = "{} is near {}", relation: str = "AtLocation") -> str:
    return f'{name}:\n  description: Where\n  surface: "{surface}"\n  concept_net: {relation}\n'


def test_skills_of_ones_own_open(tmp_path: Path) -> None:
    path = tmp_path / "skills.yaml"
    path.write_text(one() + one("far", "{} is far from {}"))
    assert list(Skills.read(path)) == ["near", "far"]
    assert Skills.read(path)["far"].surface == "{} is far from {}"
    assert Skills.read(path) == Skills.read(path) != Skills.shipped()


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "is empty"),
        ("{}", 1, "no skill"),
        ("- near", 1, "names with values"),
        (one(surface="{} is near"), 3, "1 placeholders"),
        (one(surface="{} {} {}"), 3, "3 placeholders"),
        (one(surface="{} [[is|is not]] near {}"), 3, "two wordings"),
        (one() + one(), 5, "twice"),
        (one("Near"), 1, "cannot be a skill's name"),
        (one("near by"), 1, "cannot be a skill's name"),
        (one() + "far:\n  description: Where\n  surface: '{} {}'\n", 5, "lacks concept_net"),
        (one() + "  extra: yes\n", 5, "extra"),
        (one(relation="'At Location'"), 4, "cannot be a relation's name"),
        ("".join(one(f"s{i}") for i in range(MOST_SKILLS + 1)), 1, f"{MOST_SKILLS + 1} skills"),
        ("near: [\n", 2, "not YAML"),
    ],
)
def test_faults_are_reported_with_their_line(
    tmp_path: Path, text: str, line: int, what: str
) -> None:
    path = tmp_path / "skills.yaml"
    path.write_text(text)
    with pytest.raises(SkillError, match=what) as caught:
        Skills.read(path)
    assert caught.value.where == f"{path}:{line}"
    assert caught.value.hint


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match="cannot be read"):
        Skills.read(tmp_path / "none.yaml")


def test_an_unknown_skill_is_reported() -> None:
    with pytest.raises(SkillError, match="no skill “spacial”") as caught:
        Skills.shipped().named("spacial")
    assert "Did you mean “spatial”?" in caught.value.hint
