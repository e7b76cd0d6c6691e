"""The closure of statements under the reduction matrix: everything that follows, in any order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.tree import Template
from core.text.errors import DataError

MOST_CLAIMS = 10_000
"""Most claims that are derived; a sound item of 20 templates and 5 choices has about 1,000."""


class ConsequencesError(DataError):
    """Statements that entail more than `MOST_CLAIMS` claims."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about two terms."""

    source: str
    skill: str
    target: str


Derived: TypeAlias = "dict[Claim, tuple[Claim, Claim] | None]"
"""Claims, each with the two from which it was reduced; None for a statement."""


def consequences(statements: Iterable[Claim], matrix: Matrix) -> Derived:
    """All claims that follow from statements, these included, each with one derivation.

    Any two claims that share one term are reduced, until nothing new follows. Raises
    `ConsequencesError` beyond `MOST_CLAIMS`.
    """
    numbers: dict[str, int] = {}
    derived: dict[Template, tuple[Template, Template] | None] = {}
    for claim in statements:
        ends = (numbers.setdefault(term, len(numbers)) for term in (claim.source, claim.target))
        derived.setdefault(Template(next(ends), claim.skill, next(ends)), None)
    terms = list(numbers)
    at: defaultdict[int, list[Template]] = defaultdict(list)
    waiting = [template for template in derived if template.source != template.target]
    # The list grows during iteration; two claims are reduced when the later one is reached.
    for template in waiting:
        if len(derived) > MOST_CLAIMS:
            raise ConsequencesError(f"More than {MOST_CLAIMS:,} claims follow from the statements.")
        for variable in (template.source, template.target):
            for other in at[variable]:
                reduced = matrix.reduce(template, other)
                if reduced is not None and reduced.template not in derived:
                    derived[reduced.template] = template, other
                    waiting.append(reduced.template)
        at[template.source].append(template)
        at[template.target].append(template)

    def named(template: Template) -> Claim:
        return Claim(terms[template.source], template.skill, terms[template.target])

    return {
        named(template): None if parents is None else (named(parents[0]), named(parents[1]))
        for template, parents in derived.items()
    }
