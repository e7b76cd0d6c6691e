"""What two options begin with: where options begin alike, they are told apart behind the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.blocks.pairing import Pairing
from core.blocks.spans import PromptSpan, beginning_span
from core.contract.question import Prompt
from core.models.block_requests import Blocks


@dataclass(frozen=True, slots=True)
class Beginning:
    """What two options begin with in a prompt and in its contrast prompt."""

    here: PromptSpan | None
    """None where they begin with other tokens, or have other ones in the contrast prompt."""
    contrast: PromptSpan | None
    decided: bool
    """Whether the token behind it, or else behind the prompt, is all that the options differ in, so
    that the last token before it is the readout."""

    def behind(self, pairing: Pairing) -> Pairing:
        """The spans of the prompts, and behind them what the options begin with."""
        if self.here is None:
            return pairing
        return Pairing((*pairing.spans, self.here), (*pairing.contrast, self.contrast))


async def read_beginning(
    blocks: Blocks, here: Prompt, contrast: Prompt, options: Sequence[str], compared: Sequence[str]
) -> Beginning:
    """What the compared options begin with, behind the tokens that all options share.

    Raises `ModelError`.
    """
    spans: list[PromptSpan] = []
    tails = []
    decided = True
    for prompt in (here, contrast):
        start = len(await blocks.tokens(prompt, options))
        shared = await blocks.shared(prompt, compared)
        spans.append(beginning_span(shared.tokens, start))
        tails.append(shared.tokens[start:])
        decided = decided and set(shared.left) == {1}
    if tails[0] != tails[1]:
        return Beginning(None, None, decided=False)
    if not tails[0]:
        return Beginning(None, None, decided=decided)
    return Beginning(spans[0], spans[1], decided=decided)
