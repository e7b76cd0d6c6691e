"""Formats chains, questions and options for prompts and worked examples."""

from __future__ import annotations

from collections.abc import Sequence

from core.benchmarks.com2.item import letter
from core.benchmarks.com2.synthesis.reply_values import Asked, Chain, Chains
from core.benchmarks.com2.synthesis.requirements import advice_events
from core.benchmarks.com2.synthesis.stages import Make


def numbered(lines: Sequence[str], first: int = 1) -> str:
    """Number the lines."""
    return "\n".join(f"{i}. {line}" for i, line in enumerate(lines, first))


def lettered(lines: Sequence[str]) -> str:
    """Letter the lines."""
    return "\n".join(f"{letter(i)}) {line}" for i, line in enumerate(lines))


def shown(chains: Chains, make: Make) -> str:
    """Chains for the question stage; the two of a decision are numbered consecutively."""
    if make is not Make.DECISION or len(chains.chains) == 1:
        return written_chains(chains)
    likely = len(chains.chains[0].events)
    events = advice_events(chains)
    return f"{numbered(events[:likely])}\nLess likely:\n{numbered(events[likely:], likely + 1)}"


def written_chains(chains: Chains) -> str:
    """Chains in the form of a reply; a single one has no heading."""
    if len(chains.chains) == 1:
        return numbered(chains.chains[0].events)
    return "\n".join(f"{_heading(chain)}:\n{numbered(chain.events)}" for chain in chains.chains)


def written_asked(asked: Asked) -> str:
    """A question without an intervention or advice, in the form of a reply."""
    options = lettered([option.text for option in asked.options])
    answer = ", ".join(asked.answer)
    return f"Question: {asked.question}\nOptions:\n{options}\nAnswer: {answer}"


def question_values(chains: Chains, make: Make) -> dict[str, str]:
    """The placeholder values of a question stage."""
    tails = [chain.events[-1] for chain in chains.chains]
    right = tails.pop(-1 if make in (Make.INTERVENTION, Make.COUNTERFACTUAL) else 0)
    return {
        "root": chains.chains[0].events[0],
        "other_root": chains.chains[-1].events[0],
        "tail": right,
        "other_tails": "; ".join(tails),
        "chains": shown(chains, make),
    }


def _heading(chain: Chain) -> str:
    return f"{chain.name} (link {chain.link})" if chain.link else chain.name
