"""The kinds of claims: about the item, about a model's answers, and about its blocks.

The checks of a step are claims that must hold for its text to be true; each option of a prediction
has a claim that makes it come true. In the file a claim is a mapping from its kind to its value.
`KINDS` has one function for each kind, which reads the value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from core.contract.question import shares
from core.contract.view import Role
from core.files.strict_yaml import Value
from core.lessons.claim import (
    Claim,
    Finding,
    describe_verdict,
    option_index,
    quoted,
    quoted_answer,
)
from core.lessons.evidence import Evidence
from core.text.errors import NotFoundError
from core.text.suggestions import suggestion

NOWHERE = "nowhere"
ANYWHERE = "anywhere"
PROBABILITY = re.compile(r"p=(\d?\.\d+)")
"""A probability as views write it beside a node."""
_BOUNDS = ("at least", "at most")


def read_claim(value: Value) -> Claim:
    """Read a claim, a mapping with one kind; raises `ConfigError`."""
    members = value.members(KINDS)
    if len(members) != 1:
        raise value.error("A claim is one kind with its value.", "Begin each with a dash: - right.")
    kind, content = next(iter(members.items()))
    return KINDS[kind](content)


def read_values(value: Value) -> dict[str, str]:
    """Read switches with their values; raises `ConfigError`."""
    return {key: member.word() for key, member in value.members().items()}


# -- the item --------------------------------------------------------------------------------------


def _gold(value: Value) -> Claim:
    """The right option of a layer."""
    layer, option = _layer_and_option(value)

    async def find(evidence: Evidence) -> Finding:
        question = evidence.question(layer)
        found = f"The right answer is {quoted(question.options, question.right_options)}."
        return Finding(option_index(question, option) in question.right_options, found)

    text = f"gold: {{layer: {layer}, is: {option}}}"
    return Claim(value.line, text, _has_option(layer, option), find, asks_model=False)


def _silent(value: Value) -> Claim:
    """A layer has no question."""
    layer = value.text()

    async def find(evidence: Evidence) -> Finding:
        silent = evidence.find_question(layer) is None
        return Finding(silent, f"It asks {'nothing' if silent else 'something'}.")

    return Claim(
        value.line,
        f"silent: {layer}",
        lambda evidence: evidence.find_question(layer),
        find,
        asks_model=False,
    )


def _node(value: Value) -> Claim:
    """Whether a node of the graph happens, its role, and the probability beside it."""
    parts = value.members(("is", "happens", "role", *_BOUNDS), ("is",))
    ref = parts["is"].word()
    within = _range(value, parts) if any(bound in parts for bound in _BOUNDS) else None
    happens = parts["happens"].truth() if "happens" in parts else None
    role = _role(parts["role"]) if "role" in parts else None
    texts = [f"is: {ref}"]
    if happens is not None:
        texts.append(f"happens: {'yes' if happens else 'no'}")
    if role is not None:
        texts.append(f"role: {role}")
    if within is not None:
        texts.append(str(within))
    if len(texts) == 1:
        raise value.error("Of this node nothing is claimed.", "Add happens, role or at least.")

    async def find(evidence: Evidence) -> Finding:
        node = evidence.node(ref)
        holds = happens in (None, node.happens) and role in (None, node.role)
        if within is not None:
            written = PROBABILITY.search(node.sign)
            # A node without a probability beside it is certain.
            holds = holds and (float(written[1]) if written else float(node.happens)) in within
        sign = f", with {node.sign} beside it" if node.sign else ""
        verb = "happens" if node.happens else "does not happen"
        return Finding(holds, f"“{node.text}” {verb}; its role is {node.role}{sign}.")

    text = f"node: {{{', '.join(texts)}}}"
    return Claim(value.line, text, lambda evidence: evidence.node(ref), find, asks_model=False)


def _statement(value: Value) -> Claim:
    """The role of a statement."""
    parts = value.members(("is", "role"), ("is", "role"))
    ref, role = parts["is"].word(), _role(parts["role"])

    async def find(evidence: Evidence) -> Finding:
        statement = evidence.statement(ref)
        found = f"“{statement.text}” has the role {statement.role}."
        return Finding(statement.role is role, found)

    text = f"statement: {{is: {ref}, role: {role}}}"
    return Claim(value.line, text, lambda evidence: evidence.statement(ref), find, asks_model=False)


# -- the answers -----------------------------------------------------------------------------------


def _is_right(value: Value, *, right: bool) -> Claim:
    """A layer, or each layer of a list, is answered right, or wrong."""
    if value.listed:
        return _together(value, [_is_right(part, right=right) for part in value.parts()])
    layer = value.text()

    def check(evidence: Evidence) -> None:
        if not evidence.question(layer).right_options:
            raise NotFoundError(f"Nobody knows the right answer of layer {layer} here.")

    async def find(evidence: Evidence) -> Finding:
        verdict = await evidence.verdict(layer)
        return Finding(verdict.right is right, describe_verdict(verdict))

    return Claim(value.line, f"{'right' if right else 'wrong'}: {layer}", check, find)


def _first_failure(value: Value) -> Claim:
    """The first layer that is answered wrong: a certain one, `ANYWHERE` or `NOWHERE`."""
    layer = value.text()

    def check(evidence: Evidence) -> None:
        if layer not in {NOWHERE, ANYWHERE}:
            evidence.question(layer)

    async def find(evidence: Evidence) -> Finding:
        failed = await evidence.first_failure() or NOWHERE
        holds = failed != NOWHERE if layer == ANYWHERE else failed == layer
        return Finding(holds, f"The first failure is {failed}.")

    return Claim(value.line, f"first failure: {layer}", check, find)


def _answer(value: Value) -> Claim:
    """A layer is answered with a certain option."""
    layer, option = _layer_and_option(value)

    async def find(evidence: Evidence) -> Finding:
        verdict = await evidence.verdict(layer)
        wanted = option_index(evidence.question(layer), option)
        return Finding(wanted in verdict.picked_options, describe_verdict(verdict))

    text = f"answer: {{layer: {layer}, is: {option}}}"
    return Claim(value.line, text, _has_option(layer, option), find)


def _share(value: Value) -> Claim:
    """The probability of an option relative to the other options is within a range."""
    parts = value.members(("layer", "of", *_BOUNDS), ("layer", "of"))
    within = _range(value, parts)
    layer, option = parts["layer"].text(), parts["of"].word()

    async def find(evidence: Evidence) -> Finding:
        verdict = await evidence.verdict(layer)
        probabilities = shares(verdict.scores)
        if not probabilities:
            return Finding(False, "The model gives no likelihoods.")
        share = probabilities[option_index(evidence.question(layer), option)]
        return Finding(share in within, f"Its share is {share:.3f}.")

    text = f"share: {{layer: {layer}, of: {option}, {within}}}"
    return Claim(value.line, text, _has_option(layer, option), find)


def _same_answer(value: Value, *, same: bool) -> Claim:
    """A layer has the same answer with other values of switches, or another answer."""
    parts = value.members(("layer", "with"), ("layer", "with"))
    layer, values = parts["layer"].text(), read_values(parts["with"])

    def check(evidence: Evidence) -> None:
        here, there = evidence.question(layer), evidence.question(layer, values)
        if here.options != there.options:
            raise NotFoundError(f"Layer {layer} has other options with these values.")

    async def find(evidence: Evidence) -> Finding:
        here, there = await evidence.verdict(layer), await evidence.verdict(layer, values)
        found = f"{quoted_answer(here)} here, {quoted_answer(there)} there."
        return Finding((here.picked_options == there.picked_options) is same, found)

    kind = "same answer" if same else "other answer"
    return Claim(value.line, f"{kind}: {{layer: {layer}, with: {_flow(values)}}}", check, find)


# -- the model's blocks ----------------------------------------------------------------------------


def _settles(value: Value) -> Claim:
    """The block, counted from 0, after which the final answer leads for good.

    By the logit lens beyond the options' prior; nowhere, if that does not tell.
    """
    parts = value.members(("layer", *_BOUNDS), ("layer",))
    layer, within = parts["layer"].text(), _range(value, parts)

    async def find(evidence: Evidence) -> Finding:
        table = await evidence.table(layer)
        block = (table.calibrated or table).prediction_depth
        return Finding(block is not None and block in within, table.outcome())

    text = f"settles: {{layer: {layer}, {within}}}"
    return Claim(value.line, text, lambda evidence: evidence.question(layer), find)


def _led(value: Value) -> Claim:
    """An option, or any, leads after some block and is not the final answer (raw logit lens)."""
    parts = value.members(("layer", "option"), ("layer",))
    layer = parts["layer"].text()
    option = parts["option"].word() if "option" in parts else ""

    def check(evidence: Evidence) -> None:
        question = evidence.question(layer)
        if option:
            option_index(question, option)

    async def find(evidence: Evidence) -> Finding:
        table = await evidence.table(layer)
        *before, last = table.leading
        lost = {leader for leader in before if leader is not None and leader != last}
        holds = option_index(table.question, option) in lost if option else bool(lost)
        led = ", ".join("a tie" if i is None else table.question.options[i] for i in before)
        return Finding(holds, f"Before the last block led: {led}.")

    text = f"led: {{layer: {layer}{f', option: {option}' if option else ''}}}"
    return Claim(value.line, text, check, find)


def _restores(value: Value) -> Claim:
    """The most that a patch of one span at one block restores of the answer (causal tracing).

    0 is nothing and 1 the whole difference between the two prompts.
    """
    # `twin` is what `contrast` was called in older lessons.
    parts = value.members(("layer", "contrast", "twin", *_BOUNDS), ("layer",))
    layer, given = parts["layer"].text(), parts.get("contrast", parts.get("twin"))
    contrast = {} if given is None else read_values(given)
    within = _range(value, parts)

    def check(evidence: Evidence) -> None:
        evidence.question(layer)
        if contrast:
            evidence.question(layer, contrast)

    async def find(evidence: Evidence) -> Finding:
        table, _changed = await evidence.trace(layer, contrast)
        name, peak = table.contrast.name, table.peak()
        if table.failing:
            why = "; ".join(table.failing)
            return Finding(False, f"No share with the contrast prompt {name}: {why}.")
        if peak is None:
            return Finding(False, f"Nothing can be compared with the contrast prompt {name}.")
        span, block, share = peak
        text = table.pairing.spans[span].text
        found = f"Block {block} at “{text}” restores {share:.2f} of it (contrast prompt: {name})."
        return Finding(share in within, found)

    switches = f", contrast: {_flow(contrast)}" if contrast else ""
    text = f"restores: {{layer: {layer}{switches}, {within}}}"
    return Claim(value.line, text, check, find, contrast=contrast)


# -- several claims --------------------------------------------------------------------------------


def _together(value: Value, claims: Sequence[Claim], *, hold: bool = True) -> Claim:
    """All of several claims hold, or none does."""

    def check(evidence: Evidence) -> None:
        for claim in claims:
            claim.check(evidence)

    async def find(evidence: Evidence) -> Finding:
        for claim in claims:
            finding = await claim.find(evidence)
            if finding.holds is not hold:
                return Finding(False, finding.found)
        return Finding(True, f"{'All' if hold else 'None'} of {len(claims)} hold.")

    text = f"{'all' if hold else 'none'}: [{', '.join(f'{{{claim.text}}}' for claim in claims)}]"
    asks_model = any(claim.asks_model for claim in claims)
    return Claim(value.line, text, check, find, asks_model)


def _each(value: Value, *, hold: bool) -> Claim:
    return _together(value, [read_claim(part) for part in value.parts()], hold=hold)


KINDS: Mapping[str, Callable[[Value], Claim]] = {
    "gold": _gold,
    "silent": _silent,
    "node": _node,
    "statement": _statement,
    "right": partial(_is_right, right=True),
    "wrong": partial(_is_right, right=False),
    "first failure": _first_failure,
    "answer": _answer,
    "share": _share,
    "same answer": partial(_same_answer, same=True),
    "other answer": partial(_same_answer, same=False),
    "settles": _settles,
    "led": _led,
    "restores": _restores,
    "all": partial(_each, hold=True),
    "none": partial(_each, hold=False),
}
"""How each kind of claim is read, by its name in the file."""


# -- parts of claims -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Range:
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        bounds = zip(_BOUNDS, (self.low, self.high), strict=True)
        return ", ".join(f"{name} {bound:g}" for name, bound in bounds if math.isfinite(bound))


def _range(value: Value, parts: Mapping[str, Value]) -> _Range:
    low = parts["at least"].number() if "at least" in parts else -math.inf
    high = parts["at most"].number() if "at most" in parts else math.inf
    if (low, high) == (-math.inf, math.inf):
        raise value.error("This lacks a bound.", "Add at least, at most, or both.")
    if not low <= high:
        raise value.error(f"No number is at least {low:g} and at most {high:g}.")
    return _Range(low, high)


def _role(value: Value) -> Role:
    word = value.text()
    if word not in set(Role):
        raise value.error(f"There is no role “{word}”.", suggestion("Roles", Role, word))
    return Role(word)


def _layer_and_option(value: Value) -> tuple[str, str]:
    parts = value.members(("layer", "is"), ("layer", "is"))
    return parts["layer"].text(), parts["is"].word()


def _has_option(layer: str, option: str) -> Callable[[Evidence], object]:
    return lambda evidence: option_index(evidence.question(layer), option)


def _flow(values: Mapping[str, str]) -> str:
    """Values of switches as a YAML flow mapping."""
    return f"{{{', '.join(f'{key}: {value}' for key, value in values.items())}}}"
