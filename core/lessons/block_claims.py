"""Claims about what happens between the blocks of a model."""

from __future__ import annotations

from core.files.strict_yaml import Value
from core.lessons.claim import Claim, Finding, option_index
from core.lessons.claim_parts import BOUNDS, flow, read_range, read_values
from core.lessons.evidence import Evidence


def settles(value: Value) -> Claim:
    """The block, counted from 0, after which the final answer leads for good.

    By the logit lens beyond the options' prior; nowhere, if that does not tell.
    """
    parts = value.members(("layer", *BOUNDS), ("layer",))
    layer, within = parts["layer"].text(), read_range(value, parts)

    async def judge(evidence: Evidence) -> Finding:
        table = await evidence.table(layer)
        block = (table.calibrated or table).prediction_depth
        return Finding(block is not None and block in within, table.outcome())

    text = f"settles: {{layer: {layer}, {within}}}"
    return Claim(
        value.line, text, lambda evidence: evidence.question(layer), judge, layers=(layer,)
    )


def led(value: Value) -> Claim:
    """An option, or any, leads after some block and is not the final answer (raw logit lens)."""
    parts = value.members(("layer", "option"), ("layer",))
    layer = parts["layer"].text()
    option = parts["option"].word() if "option" in parts else ""

    def validate(evidence: Evidence) -> None:
        question = evidence.question(layer)
        if option:
            option_index(question, option)

    async def judge(evidence: Evidence) -> Finding:
        table = await evidence.table(layer)
        *before, last = table.leading
        lost = {leader for leader in before if leader is not None and leader != last}
        holds = option_index(table.question, option) in lost if option else bool(lost)
        led = ", ".join("a tie" if i is None else table.question.options[i] for i in before)
        return Finding(holds, f"Before the last block led: {led}.")

    text = f"led: {{layer: {layer}{f', option: {option}' if option else ''}}}"
    return Claim(value.line, text, validate, judge, layers=(layer,))


def leads_without_item(value: Value) -> Claim:
    """Wherever an option leads by the raw lens, it leads without the item's content too.

    It does not hold where the option never leads.
    """
    parts = value.members(("layer", "option"), ("layer", "option"))
    layer, option = parts["layer"].text(), parts["option"].word()

    async def judge(evidence: Evidence) -> Finding:
        table = await evidence.table(layer)
        if table.content_free is None:
            return Finding(False, "The content-free prompt was not read.", applies=False)
        place = option_index(table.question, option)
        here = [block for block, leader in enumerate(table.leading) if leader == place]
        without = table.content_free.leading()
        held = sum(without[block] == place for block in here)
        sentence = (
            f"“{table.question.options[place]}” leads after {len(here)} blocks, "
            f"after {held} of them with the content-free prompt too."
        )
        return Finding(bool(here) and held == len(here), sentence)

    def validate(evidence: Evidence) -> None:
        option_index(evidence.question(layer), option)

    text = f"leads without item: {{layer: {layer}, option: {option}}}"
    return Claim(value.line, text, validate, judge, layers=(layer,))


def restores(value: Value) -> Claim:
    """The most that a patch of one span at one block restores of the answer (causal tracing).

    0 is nothing and 1 the whole difference between the two prompts.
    """
    # `twin` is what `contrast` was called in older lessons.
    parts = value.members(("layer", "contrast", "twin", *BOUNDS), ("layer",))
    layer, contrast_value = parts["layer"].text(), parts.get("contrast", parts.get("twin"))
    contrast = {} if contrast_value is None else read_values(contrast_value)
    within = read_range(value, parts)

    def validate(evidence: Evidence) -> None:
        evidence.question(layer)
        if contrast:
            evidence.question(layer, contrast)

    async def judge(evidence: Evidence) -> Finding:
        table, _changed = await evidence.trace(layer, contrast)
        name, peak = table.contrast.name, table.peak()
        if table.failing:
            why = "; ".join(table.failing)
            return Finding(
                False, f"No share with the contrast prompt {name}: {why}.", applies=False
            )
        if peak is None:
            sentence = f"Nothing can be compared with the contrast prompt {name}."
            return Finding(False, sentence, applies=False)
        span, block, share = peak
        text = table.rows.spans[span].text
        place = f"Block {block} at “{text}”"
        sentence = f"{place} restores {share:.2f} of it (contrast prompt: {name})."
        return Finding(share in within, sentence)

    switches = f", contrast: {flow(contrast)}" if contrast else ""
    text = f"restores: {{layer: {layer}{switches}, {within}}}"
    return Claim(value.line, text, validate, judge, layers=(layer,), contrast=contrast)
