"""The kinds of claims: about the item, about a model's answers, and about its blocks.

The checks of a step are claims that must hold for its text to be true; each option of a prediction
has a claim that makes it come true. In the file a claim is a mapping from its kind to its value.
`KINDS` has one function for each kind, which reads the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from core.contract.question import shares
from core.contract.view import Node, Role
from core.files.strict_yaml import Value
from core.lessons.block_claims import leads_without_item, led, restores, settles
from core.lessons.claim import (
    Asked,
    Claim,
    Finding,
    describe_verdict,
    option_index,
    quoted_answer,
    quoted_options,
)
from core.lessons.claim_parts import (
    BOUNDS,
    flow,
    has_option,
    layer_and_option,
    read_range,
    read_values,
)
from core.lessons.evidence import Evidence
from core.lessons.survey import last_count
from core.text.errors import ModelError, NotFoundError
from core.text.escaping import quoted
from core.text.suggestions import suggestion

NOWHERE = "nowhere"
ANYWHERE = "anywhere"
PROBABILITY = re.compile(r"p=(\d?\.\d+)")
"""A probability as views write it beside a node."""


def read_claim(value: Value) -> Claim:
    """Read a claim, a mapping with one kind; raises `ConfigError`."""
    members = value.members(KINDS)
    if len(members) != 1:
        raise value.error("A claim is one kind with its value.", "Begin each with a dash: - right.")
    kind, content = next(iter(members.items()))
    return KINDS[kind](content)


# -- the item --------------------------------------------------------------------------------------


def _gold(value: Value) -> Claim:
    """The right option of a layer."""
    layer, option = layer_and_option(value)

    async def judge(evidence: Evidence) -> Finding:
        question = evidence.question(layer)
        sentence = (
            f"The right answer is {quoted_options(question.options, question.right_options)}."
        )
        return Finding(option_index(question, option) in question.right_options, sentence)

    text = f"gold: {{layer: {layer}, is: {option}}}"
    return Claim(
        value.line, text, has_option(layer, option), judge, asks_model=False, layers=(layer,)
    )


def _silent(value: Value) -> Claim:
    """A layer has no question."""
    layer = value.text()

    async def judge(evidence: Evidence) -> Finding:
        silent = evidence.find_question(layer) is None
        return Finding(silent, f"It asks {'nothing' if silent else 'something'}.")

    return Claim(
        value.line,
        f"silent: {layer}",
        lambda evidence: evidence.find_question(layer),
        judge,
        asks_model=False,
        layers=(layer,),
    )


def _node(value: Value) -> Claim:
    """Whether a node of the graph happens, its role, and the probability beside it."""
    parts = value.members(("is", "happens", "role", *BOUNDS), ("is",))
    ref = parts["is"].word()
    within = read_range(value, parts) if any(bound in parts for bound in BOUNDS) else None
    happens = parts["happens"].truth() if "happens" in parts else None
    role = parts["role"].one_of(Role) if "role" in parts else None
    texts = [f"is: {ref}"]
    if happens is not None:
        texts.append(f"happens: {'yes' if happens else 'no'}")
    if role is not None:
        texts.append(f"role: {role}")
    if within is not None:
        texts.append(str(within))
    if len(texts) == 1:
        raise value.error("Of this node nothing is claimed.", "Add happens, role or at least.")

    async def judge(evidence: Evidence) -> Finding:
        node = evidence.node(ref)
        holds = happens in (None, node.happens) and role in (None, node.role)
        if within is not None:
            holds = holds and probability(node) in within
        sign = f", with {node.sign} beside it" if node.sign else ""
        verb = "happens" if node.happens else "does not happen"
        return Finding(holds, f"“{node.text}” {verb}; its role is {node.role}{sign}.")

    text = f"node: {{{', '.join(texts)}}}"
    return Claim(value.line, text, lambda evidence: evidence.node(ref), judge, asks_model=False)


def probability(node: Node) -> float:
    """The probability written beside a node; one without is certain."""
    written = PROBABILITY.search(node.sign)
    return float(written[1]) if written else float(node.happens)


def _statement(value: Value) -> Claim:
    """The role of a statement."""
    parts = value.members(("is", "role"), ("is", "role"))
    ref, role = parts["is"].word(), parts["role"].one_of(Role)

    async def judge(evidence: Evidence) -> Finding:
        statement = evidence.statement(ref)
        sentence = f"“{statement.text}” has the role {statement.role}."
        return Finding(statement.role is role, sentence)

    text = f"statement: {{is: {ref}, role: {role}}}"
    return Claim(
        value.line, text, lambda evidence: evidence.statement(ref), judge, asks_model=False
    )


def _tagged(value: Value) -> Claim:
    """Tags of a layer's question, such as its language or its relation."""
    parts = value.members()
    if "layer" not in parts or len(parts) < 2:
        raise value.error("This names a layer and one tag or more.", "As {layer: answer, hops: 2}.")
    layer = parts["layer"].text()
    tags = {name: part.word() for name, part in parts.items() if name != "layer"}

    def validate(evidence: Evidence) -> None:
        known = evidence.question(layer).tags
        for name in tags:
            if name not in known:
                raise NotFoundError(
                    f"Layer {layer} has no tag {quoted(name)}.",
                    hint=suggestion("Tags", known, name),
                )

    async def judge(evidence: Evidence) -> Finding:
        known = evidence.question(layer).tags
        holds = all(known[name] == tag for name, tag in tags.items())
        return Finding(holds, f"It is {flow({name: known[name] for name in tags})}.")

    text = f"tagged: {flow({'layer': layer, **tags})}"
    return Claim(value.line, text, validate, judge, asks_model=False, layers=(layer,))


# -- the answers -----------------------------------------------------------------------------------


def _is_right(value: Value, *, right: bool) -> Claim:
    """A layer, or each layer of a list, is answered right, or wrong."""
    if value.listed:
        return _together(value, [_is_right(part, right=right) for part in value.parts()])
    return answered(value.text(), right=right, line=value.line)


def answered(layer: str, *, right: bool, line: int = 0) -> Claim:
    """The claim that a layer is answered right, or wrong."""

    def validate(evidence: Evidence) -> None:
        if not evidence.question(layer).right_options:
            raise NotFoundError(f"Nobody knows the right answer of layer {layer} here.")

    async def judge(evidence: Evidence) -> Finding:
        verdict = await evidence.verdict(layer)
        return Finding(verdict.right is right, describe_verdict(verdict))

    kind = "right" if right else "wrong"
    return Claim(line, f"{kind}: {layer}", validate, judge, layers=(layer,))


def _first_failure(value: Value) -> Claim:
    """The first layer that is answered wrong: a certain one, `ANYWHERE` or `NOWHERE`."""
    layer = value.text()

    def validate(evidence: Evidence) -> None:
        if layer not in {NOWHERE, ANYWHERE}:
            evidence.question(layer)

    async def judge(evidence: Evidence) -> Finding:
        failed = await evidence.first_failure() or NOWHERE
        holds = failed != NOWHERE if layer == ANYWHERE else failed == layer
        return Finding(holds, f"The first failure is {failed}.")

    return Claim(value.line, f"first failure: {layer}", validate, judge)


def _answer(value: Value) -> Claim:
    """A layer is answered with a certain option."""
    layer, option = layer_and_option(value)

    async def judge(evidence: Evidence) -> Finding:
        verdict = await evidence.verdict(layer)
        wanted = option_index(evidence.question(layer), option)
        return Finding(wanted in verdict.picked_options, describe_verdict(verdict))

    text = f"answer: {{layer: {layer}, is: {option}}}"
    return Claim(value.line, text, has_option(layer, option), judge, layers=(layer,))


def _share(value: Value) -> Claim:
    """The probability of an option relative to the other options is within a range."""
    parts = value.members(("layer", "of", *BOUNDS), ("layer", "of"))
    within = read_range(value, parts)
    layer, option = parts["layer"].text(), parts["of"].word()

    async def judge(evidence: Evidence) -> Finding:
        verdict = await evidence.verdict(layer)
        probabilities = shares(verdict.scores)
        if not probabilities:
            return Finding(False, "The model gives no likelihoods.")
        share = probabilities[option_index(evidence.question(layer), option)]
        return Finding(share in within, f"Its share is {share:.3f}.")

    text = f"share: {{layer: {layer}, of: {option}, {within}}}"
    return Claim(value.line, text, has_option(layer, option), judge, layers=(layer,))


def _same_answer(value: Value, *, same: bool) -> Claim:
    """A layer has the same answer with other values of switches, or another answer."""
    parts = value.members(("layer", "with"), ("layer", "with"))
    layer, values = parts["layer"].text(), read_values(parts["with"])

    def validate(evidence: Evidence) -> None:
        here, there = evidence.question(layer), evidence.question(layer, values)
        if here.options != there.options:
            raise NotFoundError(f"Layer {layer} has other options with these values.")

    async def judge(evidence: Evidence) -> Finding:
        here, there = await evidence.verdict(layer), await evidence.verdict(layer, values)
        sentence = f"{quoted_answer(here)} here, {quoted_answer(there)} there."
        return Finding((here.picked_options == there.picked_options) is same, sentence)

    kind = "same answer" if same else "other answer"
    text = f"{kind}: {{layer: {layer}, with: {flow(values)}}}"
    return Claim(value.line, text, validate, judge, layers=(layer,))


# -- several claims --------------------------------------------------------------------------------


def _together(value: Value, claims: Sequence[Claim], *, hold: bool = True) -> Claim:
    """All of several claims hold, or none does."""

    def validate(evidence: Evidence) -> None:
        for claim in claims:
            claim.validate(evidence)

    async def judge(evidence: Evidence) -> Finding:
        for claim in claims:
            finding = await claim.judge(evidence)
            if finding.holds is not hold:
                return Finding(False, finding.found)
        return Finding(True, f"{'All' if hold else 'None'} of {len(claims)} hold.")

    text = f"{'all' if hold else 'none'}: [{', '.join(f'{{{claim.text}}}' for claim in claims)}]"
    asks_model = any(claim.asks_model for claim in claims)
    layers: tuple[str, ...] = ()
    if all(claim.layers for claim in claims):
        layers = tuple(dict.fromkeys(layer for claim in claims for layer in claim.layers))
    return Claim(value.line, text, validate, judge, asks_model, layers)


def _of_all(value: Value) -> Claim:
    """The share of the collection's items for which a claim holds is within a range."""
    parts = value.members(("when", "of", "set", *BOUNDS), ("when",))
    within = read_range(value, parts)
    asked = read_asked(parts)

    async def judge(evidence: Evidence) -> Finding:
        counted = await last_count(asked, evidence)
        if not counted.n:
            raise ModelError("No item could be counted.")
        return Finding(counted.share in within, f"What is counted holds for {counted}.")

    text = f"of all: {{{asked.text}, {within}}}"
    # The step's own item need not be one of those that are counted.
    return Claim(value.line, text, lambda evidence: None, judge, counted=(asked,))


def _gap(value: Value) -> Claim:
    """How much more often a claim holds over the collection with some values than with others."""
    parts = value.members(("when", "of", "set", "than", *BOUNDS), ("when", "set", "than"))
    within = read_range(value, parts)
    here = read_asked(parts)
    there = replace(here, values=tuple(read_values(parts["than"]).items()))

    async def judge(evidence: Evidence) -> Finding:
        counted, other = await last_count(here, evidence), await last_count(there, evidence)
        if not counted.n or not other.n:
            raise ModelError("No item could be counted.")
        sentence = f"What is counted holds for {counted}; with the other values for {other}."
        return Finding(counted.share - other.share in within, sentence)

    text = f"gap: {{{here.text}, than: {flow(dict(there.values))}, {within}}}"
    return Claim(value.line, text, lambda evidence: None, judge, counted=(here, there))


def read_asked(parts: Mapping[str, Value]) -> Asked:
    """What is counted over a collection: a claim, of which items, with which values of switches."""
    return Asked(read_claim(parts["when"]), read_facts(parts), tuple(read_set(parts).items()))


def read_facts(parts: Mapping[str, Value]) -> tuple[Claim, ...]:
    """The facts by which items are chosen; none where they are left out."""
    facts = tuple(map(read_claim, parts["of"].parts())) if "of" in parts else ()
    for fact in facts:
        if fact.asks_model:
            raise parts["of"].error("Items are chosen by facts that need no model.")
    return facts


def read_set(parts: Mapping[str, Value]) -> dict[str, str]:
    """The values of switches; none where they are left out."""
    return read_values(parts["set"]) if "set" in parts else {}


def _each(value: Value, *, hold: bool) -> Claim:
    return _together(value, [read_claim(part) for part in value.parts()], hold=hold)


KINDS: Mapping[str, Callable[[Value], Claim]] = {
    "gold": _gold,
    "silent": _silent,
    "node": _node,
    "statement": _statement,
    "tagged": _tagged,
    "right": partial(_is_right, right=True),
    "wrong": partial(_is_right, right=False),
    "first failure": _first_failure,
    "answer": _answer,
    "share": _share,
    "same answer": partial(_same_answer, same=True),
    "other answer": partial(_same_answer, same=False),
    "settles": settles,
    "led": led,
    "leads without item": leads_without_item,
    "restores": restores,
    "all": partial(_each, hold=True),
    "none": partial(_each, hold=False),
    "of all": _of_all,
    "gap": _gap,
}
"""How each kind of claim is read, by its name in the file."""
