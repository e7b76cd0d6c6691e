"""Reasoning skills: the relations between the two ends of a template.

ACCORD (Roewer-Després et al., 2024), section 3.1 and table 2. A skill is a recurring pattern of
commonsense reasoning; its surface form turns a template into a sentence. The six skills of the
paper are in `skills.yaml` beside this file; users can supply their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.text.errors import ConfigError, DataError
from core.text.escaping import quoted
from core.text.suggestions import suggestion

MOST_SKILLS = 12
"""Most skills of a file."""
PLACEHOLDER = "{}"
"""Stands for a term in a surface form."""

_FILE = Path(__file__).with_name("skills.yaml")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
RELATION = re.compile(r"[A-Za-z][A-Za-z0-9_/]{0,59}", re.ASCII)
_PARTS = ("description", "surface", "concept_net")


class End(StrEnum):
    """The two ends of a template."""

    SOURCE = "source"
    TARGET = "target"

    @property
    def other(self) -> End:
        """The end across."""
        return End.TARGET if self is End.SOURCE else End.SOURCE


class SkillError(DataError):
    """Skills that cannot be used, or a skill that does not exist."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One pattern of reasoning."""

    name: str
    surface: str
    """A plain statement with two `{}`: the source's term, then the target's."""
    concept_net: str
    """The relation of a knowledge base that holds its facts, such as "AtLocation"."""


@dataclass(frozen=True, slots=True)
class Skills(Mapping[str, Skill]):
    """Skills by name, in the order of their file."""

    by_name: Mapping[str, Skill] = field(repr=False)

    @staticmethod
    def shipped() -> Skills:
        """The six skills of the paper."""
        return _shipped()

    @staticmethod
    def read(path: Path) -> Skills:
        """The skills of a YAML file: description, surface and concept_net by name.

        Raises:
            SkillError: with file and line, for a file that cannot be read, a name that is not
                lower-case letters, digits and underscores, a skill that is repeated or lacks a
                part, a surface without exactly two `{}` or with `[[one|another]]`, no skill at all
                or too many.
        """
        try:
            return Skills(_read(path))
        except ConfigError as error:
            raise SkillError.of(error) from error

    def __getitem__(self, name: str) -> Skill:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __hash__(self) -> int:
        return hash(tuple(self.by_name.values()))

    def named(self, name: str, *, where: str = "") -> Skill:
        """The skill called `name`; raises `SkillError` with the nearest names."""
        skill = self.by_name.get(name)
        if skill is None:
            raise SkillError(
                f"There is no skill {quoted(name)}.",
                where=where,
                hint=suggestion("Skills", self.by_name, name),
            )
        return skill


@cache
def _shipped() -> Skills:
    return Skills.read(_FILE)


def _read(path: Path) -> dict[str, Skill]:
    root = strict_yaml.read(path, "The skills", _expected())
    skills = {name: _skill(name, value) for name, value in root.members(lacks=_expected()).items()}
    if not skills:
        raise root.error("The file holds no skill.", _expected())
    if len(skills) > MOST_SKILLS:
        raise root.error(f"The file holds {len(skills)} skills.", f"At most {MOST_SKILLS} fit.")
    return skills


def _skill(name: str, value: Value) -> Skill:
    if not _NAME.fullmatch(name):
        hint = "A name is lower-case letters, digits and underscores, a letter first."
        where = f"{value.file}:{value.line}"
        raise ConfigError(f"{quoted(name)} cannot be a skill's name.", where=where, hint=hint)
    parts = value.members(_PARTS, _PARTS, f"A skill has {', '.join(_PARTS)}.")
    surface = parts["surface"]
    placeholders = surface.text().count(PLACEHOLDER)
    if placeholders != 2:
        hint = "Write {} twice: for the source's term, then for the target's."
        what = f"The surface of {name} has {placeholders} placeholders, not 2."
        raise surface.error(what, hint)
    if "[[" in surface.text():
        hint = "Only a question's own pairing template holds [[one|another]] wording."
        raise surface.error(f"The surface of {name} has two wordings.", hint)
    relation = parts["concept_net"]
    if not RELATION.fullmatch(relation.text()):
        hint = "Write a relation as ConceptNet does, such as AtLocation."
        raise relation.error(f"{quoted(relation.text())} cannot be a relation's name.", hint)
    return Skill(name, surface.text(), relation.text())


def _expected() -> str:
    return f"Expected are skills by name, each with {', '.join(_PARTS)}."
