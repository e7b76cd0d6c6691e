"""Opens what the programs of ACCORD's authors wrote: skills, trees and groups; never writes.

Their reduction matrix is read by `Matrix.read`, their questions (`converted/*.jsonl`) by
`qa_source.open_questions`, their pairing templates (`paired/*.csv`) by `pairing_files`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core.benchmarks.accord.trees.skills import PLACE, Skill, Skills
from core.benchmarks.accord.trees.tree import Template, Tree, TreeError
from core.files.csv_table import csv_rows
from core.files.json_values import json_lines
from core.files.rows import decoding_problem
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.suggestions import suggestion

_SKILL_COLUMNS = ("type_", "description", "surface_form")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_QUOTED = 80
Row = TypeVar("Row", bound=msgspec.Struct)


class TemplateRow(msgspec.Struct, frozen=True):
    """A template as their trees hold it."""

    source_id: str
    relation_type: str
    target_id: str


class TreeRow(msgspec.Struct, frozen=True):
    """A tree as they write it: templates in any order, variables of any names."""

    templates: list[TemplateRow]


@dataclass(frozen=True, slots=True)
class NamedTree:
    """One of their trees, and what they call its variables."""

    tree: Tree
    names: tuple[str, ...]
    """By variable, in the order in which the file names them."""


def read_skills(path: Path) -> Skills:
    """The skills of `relations.csv`.

    It says nothing of a knowledge base, so a skill that the paper has keeps the relation of the
    paper, and another one stands for a relation of its own name.

    Raises:
        DataError: with file and line, for a malformed file, a name that is not lower-case letters,
            digits and underscores, a skill that stands there twice, a surface without exactly two
            `{}` or with a switch.
    """
    skills: dict[str, Skill] = {}
    shipped = Skills.shipped()
    for where, row in csv_rows(path, _SKILL_COLUMNS, _SKILL_COLUMNS):
        name, surface = row["type_"], row["surface_form"]
        shown = escape_control_characters(name, limit=_QUOTED)
        if not _NAME.fullmatch(name):
            hint = "A name is lower-case letters, digits and underscores, a letter first."
            raise DataError(f"“{shown}” cannot be a skill's name.", where=where, hint=hint)
        if name in skills:
            raise DataError(f"{shown} stands here twice.", where=where, hint="Keep one of the two.")
        if surface.count(PLACE) != 2:
            raise DataError(
                f"The surface of {shown} has {surface.count(PLACE)} placeholders, not 2.",
                where=where,
                hint="Write {} twice: for the source's term, then for the target's.",
            )
        if "[[" in surface or "]]" in surface:
            raise DataError(
                f"The surface of {shown} holds a switch.",
                where=where,
                hint="Only pairing templates have [[positive|negative]].",
            )
        relation = shipped[name].concept_net if name in shipped else name
        skills[name] = Skill(name, row["description"], surface, relation)
    if not skills:
        raise DataError("The file holds no skill.", where=escape_control_characters(str(path)))
    return Skills(skills)


def read_trees(path: Path, skills: Skills, errors: list[DataError]) -> Iterator[NamedTree]:
    """The trees of `relational_trees/T.jsonl`, one after another.

    What is no tree goes to `errors`, with its line. Raises `DataError` for a file that cannot be
    read at all.
    """
    for where, value in json_lines(path, errors):
        try:
            yield named_tree(converted(value, TreeRow, where).templates, skills, where)
        except DataError as error:
            errors.append(error)


def named_tree(rows: Sequence[TemplateRow], skills: Skills, where: str) -> NamedTree:
    """The tree that their templates make; raises `DataError` at `where` if they make none."""
    numbers: dict[str, int] = {}
    templates = []
    for row in rows:
        if row.relation_type not in skills:
            raise DataError(
                "There is no skill "
                f"“{escape_control_characters(row.relation_type, limit=_QUOTED)}”.",
                where=where,
                hint=suggestion("Skills", skills, row.relation_type),
            )
        source = numbers.setdefault(row.source_id, len(numbers))
        target = numbers.setdefault(row.target_id, len(numbers))
        templates.append(Template(source, row.relation_type, target))
    try:
        return NamedTree(Tree(tuple(templates)), tuple(numbers))
    except TreeError as error:
        raise DataError(error.what, where=where, hint=error.hint) from error


def converted(value: Any, kind: type[Row], where: str) -> Row:
    """A decoded JSON value as a row of a kind; raises `DataError` at `where`."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        what = f"This row is not as expected: {decoding_problem(error)}."
        hint = f"Expected are {', '.join(kind.__struct_fields__)}."
        raise DataError(what, where=where, hint=hint) from error
