"""What a lesson may claim of an item, whatever a model says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from core.contract.view import Graph, Role, View
from core.lessons.claims import Finding, Range, option_index, quoted
from core.lessons.evidence import Evidence
from core.text.errors import NotFoundError
from core.text.suggestions import suggestion

_FIGURE = re.compile(r"p=(\d?\.\d+)")
"""A probability as views write it beside a node."""


def without_figures(view: View) -> View:
    """The view as it is shown while its probabilities are still to be predicted."""
    sections = [
        replace(section, nodes=tuple(replace(n, sign=_unfigured(n.sign)) for n in section.nodes))
        if isinstance(section, Graph)
        else section
        for section in view.sections
    ]
    return replace(view, sections=tuple(sections))


def _unfigured(sign: str) -> str:
    return " ".join(_FIGURE.sub("", sign).split())


@dataclass(frozen=True, slots=True)
class Gold:
    """The right option of a layer."""

    asks_model: ClassVar[bool] = False
    layer: str
    option: str
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"gold: {{layer: {self.layer}, is: {self.option}}}"

    def check(self, evidence: Evidence) -> None:
        """The layer must ask something, and have the option."""
        option_index(evidence.question(self.layer), self.option)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether that option is right."""
        question = evidence.question(self.layer)
        names = [question.options[index] for index in question.right_options]
        found = f"The right answer is {quoted(names)}."
        return Finding(option_index(question, self.option) in question.right_options, found)


@dataclass(frozen=True, slots=True)
class Silent:
    """A layer has nothing to ask."""

    asks_model: ClassVar[bool] = False
    layer: str
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"silent: {self.layer}"

    def check(self, evidence: Evidence) -> None:
        """There must be such a layer."""
        known = [layer.id for layer in evidence.benchmark.layers]
        if self.layer not in known:
            raise NotFoundError(
                f"{evidence.benchmark.title} has no layer “{self.layer}”.",
                hint=suggestion("Layers", known, self.layer),
            )

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it asks nothing."""
        silent = evidence.benchmark.question(evidence.item, evidence.setting, self.layer) is None
        return Finding(silent, f"It asks {'nothing' if silent else 'something'}.")


@dataclass(frozen=True, slots=True)
class NodeIs:
    """How a node of the graph is: whether it happens, its role, the figure beside it."""

    asks_model: ClassVar[bool] = False
    ref: str
    happens: bool | None
    role: Role | None
    figure: Range | None
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        parts = [f"is: {self.ref}"]
        if self.happens is not None:
            parts.append(f"happens: {'yes' if self.happens else 'no'}")
        if self.role is not None:
            parts.append(f"role: {self.role}")
        if self.figure is not None:
            parts.append(str(self.figure))
        return f"node: {{{', '.join(parts)}}}"

    def check(self, evidence: Evidence) -> None:
        """The node must be there."""
        evidence.node(self.ref)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it is like that."""
        node = evidence.node(self.ref)
        holds = self.happens in (None, node.happens) and self.role in (None, node.role)
        sign = f", with {node.sign} beside it" if node.sign else ""
        if self.figure is not None:
            written = _FIGURE.search(node.sign)
            # What has no figure beside it is certain.
            holds = holds and (float(written[1]) if written else float(node.happens)) in self.figure
        happens = "happens" if node.happens else "does not happen"
        return Finding(holds, f"“{node.text}” {happens}; its role is {node.role}{sign}.")


@dataclass(frozen=True, slots=True)
class StatementIs:
    """How a statement is: its role."""

    asks_model: ClassVar[bool] = False
    ref: str
    role: Role
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"statement: {{is: {self.ref}, role: {self.role}}}"

    def check(self, evidence: Evidence) -> None:
        """The statement must be there."""
        evidence.statement(self.ref)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it has that role."""
        statement = evidence.statement(self.ref)
        found = f"“{statement.text}” has the role {statement.role}."
        return Finding(statement.role is self.role, found)
