"""`accord count` and `accord trees`: counts and prints reasoning trees."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from core.benchmarks.accord.trees import enumeration
from core.benchmarks.accord.trees.counts import Counts, counts
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import kinds
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import sampled_trees
from core.benchmarks.accord.trees.skills import Skills
from core.benchmarks.accord.trees.tree import Template, Tree, canonical_id, id_of, word
from core.text.errors import SettingError
from core.text.quantities import counted
from tui.cli.options import JsonOption, LinesOption
from tui.cli.output import out, out_json

_BLOCK = 1000
"""Trees written at once."""

SkillsOption = Annotated[
    Path | None, typer.Option("--skills", help="Use your own skills (YAML) instead of the six.")
]
MatrixOption = Annotated[
    Path | None,
    typer.Option("--matrix", help="Use your own reductions (CSV) instead of the paper's 17."),
]
_RULES = (
    "free (any labels), cover (every template reduces with an adjacent one) or grow (grown by "
    "reductions)"
)


def count(
    most: Annotated[
        int, typer.Option("--max-size", metavar="T", help="Count trees of up to T templates.")
    ] = 5,
    rule: Annotated[
        str,
        typer.Option(
            "--rule", metavar="R,...", help=f"Grow trees by these comma-separated rules: {_RULES}."
        ),
    ] = "free",
    skills: SkillsOption = None,
    matrix: MatrixOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count unique trees and their paths.

    Trees are counted by size, paths by pairing, size and hops; under cover and grow, paths are
    counted up to size 6. Counts under your own skills and reductions stand beside the paper's.
    """
    with naming_option(rule="--rule"):
        rules = [Rule.named(name.strip()) for name in rule.split(",")]
    if len(set(rules)) < len(rules):
        raise SettingError("A rule is named twice.", where="--rule", hint="Keep one of them.")
    opened = open_matrix(skills, matrix)
    with naming_option(size="--max-size"):
        counted = [counts(opened, chosen, most) for chosen in rules]
    if as_json:
        # The counts of the first rule stand in the fields that a single rule has.
        by_rule = {each.rule.value: _document(each) for each in counted}
        out_json({**_document(counted[0]), "rules": by_rule, "matrix": _allowed(opened)})
        return
    own = skills is not None or matrix is not None
    papers = Matrix.shipped() if own else opened
    _print_matrix(opened, papers)
    for each in counted:
        _print_counts(each, counts(papers, each.rule, most) if own else each)


def trees(
    size: Annotated[int, typer.Option("--size", metavar="T", help="Print trees of T templates.")],
    rule: Annotated[
        str, typer.Option("--rule", metavar="R", help=f"Grow trees by this rule: {_RULES}.")
    ] = "free",
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            metavar="N",
            help="Draw N different trees, each equally likely, instead of all.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Draw with this seed.")] = 0,
    skills: SkillsOption = None,
    matrix: MatrixOption = None,
    as_lines: LinesOption = False,
) -> None:
    """Print the unique trees of a size.

    Each is printed once.
    """
    with naming_option(rule="--rule", size="--size"):
        opened, chosen = open_matrix(skills, matrix), Rule.named(rule)
        chosen_trees: Iterator[Tree]
        if sample is None:
            chosen_trees = enumeration.trees(size, opened, chosen)
        else:
            chosen_trees = islice(sampled_trees(opened, size, seed, chosen), sample)
        lines = _json_lines(chosen_trees) if as_lines else (_line(tree) for tree in chosen_trees)
        while block := list(islice(lines, _BLOCK)):
            sys.stdout.write("\n".join(block) + "\n")


@contextmanager
def naming_option(**options: str) -> Iterator[None]:
    """Name in a `SettingError` the option that was typed instead of the parameter."""
    try:
        yield
    except SettingError as error:
        where = options.get(error.where, error.where)
        raise SettingError.of(error, where=where) from error


def open_matrix(skills: Path | None, matrix: Path | None) -> Matrix:
    """Open the reduction matrix at `matrix`, or the paper's; raises `SkillError`, `MatrixError`."""
    known = Skills.shipped() if skills is None else Skills.read(skills)
    return Matrix.shipped(known) if matrix is None else Matrix.read(matrix, known)


def _json_lines(trees: Iterator[Tree]) -> Iterator[str]:
    """The trees as JSON lines, joined from the JSON of their templates: there may be millions.

    The names of skills are letters, digits and underscores, so they need no escaping.
    """
    texts: dict[Template, tuple[str, str]] = {}
    for tree in trees:
        try:
            known = [texts[template] for template in tree.templates]
        except KeyError:
            for template in tree.templates:
                texts[template] = _json_text(template), word(template)
            known = [texts[template] for template in tree.templates]
        listed, words = zip(*known, strict=True)
        yield f'{{"templates": [{", ".join(listed)}], "id": "{id_of(words)}"}}'


def _json_text(template: Template) -> str:
    parts = {"source": template.source, "skill": template.skill, "target": template.target}
    return json.dumps(parts)


def _line(tree: Tree) -> str:
    return f"{canonical_id(tree)}  {', '.join(map(str, tree.templates))}"


def _document(counted: Counts) -> dict[str, Any]:
    paths = {f"{skill}:{end.value}": sizes for (skill, end), sizes in counted.paths.items()}
    return {"trees": counted.trees, "paths": paths}


def _allowed(matrix: Matrix) -> dict[str, Any]:
    pairs = matrix.pairs()
    return {
        "reductions": sum(len(pair.reductions) for pair in pairs),
        "ways": sum(pair.ways for pair in pairs),
        "pairs": {
            f"{pair.first}:{pair.second}": [str(entry) for entry in pair.reductions]
            for pair in pairs
        },
        "absorbed": {
            f"{skill}:{end.value}": [
                f"{growth.skill}:{growth.end.value}" for growth in matrix.absorbed(skill, end)
            ]
            for skill, end in kinds(matrix)
        },
    }


def _print_matrix(matrix: Matrix, papers: Matrix) -> None:
    allowed, own, known = _allowed(matrix), _rules(matrix), _rules(papers)
    out(f"{allowed['reductions']} of {allowed['ways']} ways to join two templates reduce:")
    for text in own:
        out(f"  {text}" if text in known else f"  {text}  (not among the paper's)")
    for text in known:
        if text not in own:
            out(f"  without the paper's {text}")


def _rules(matrix: Matrix) -> dict[str, None]:
    """The reductions as text, in order."""
    return {str(entry): None for pair in matrix.pairs() for entry in pair.reductions}


def _print_counts(counts: Counts, papers: Counts) -> None:
    """Print counts, with the paper's beside those that differ."""
    out(f"\n{counts.rule.value}")
    for size, number in counts.trees.items():
        known = _beside(f"{number:,}", f"{papers.trees[size]:,}")
        out(f"  {counted(number, 'tree')} of {counted(size, 'template')}{known}")
    out("  paths by hops, of a pairing with its variable at the end named")
    for kind, sizes in counts.paths.items():
        for size, hops in sizes.items():
            numbers = _sum(hops)
            known = _beside(numbers, _sum(papers.paths.get(kind, {}).get(size, {})))
            out(f"    {kind[0]} {kind[1].value}, size {size}: {numbers}{known}")


def _sum(hops: Mapping[int, int]) -> str:
    return " + ".join(f"{number:,}" for number in hops.values()) or "0"


def _beside(number: str, papers: str) -> str:
    return "" if number == papers else f"  (the paper's: {papers})"
