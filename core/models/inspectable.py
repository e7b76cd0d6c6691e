"""A model whose transformer blocks may be read.

What can be asked of the blocks is not imported here: until a person asks about them, the program
only has to know whether there are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from core.models.protocol import Model
from core.text.errors import ModelError
from core.text.language import _

if TYPE_CHECKING:
    from core.models.block_requests import Blocks
    from core.models.blocks import BlockAccess


@runtime_checkable
class Inspectable(Protocol):
    """A model that may let its blocks be read; `Blocks.access` says whether it does."""

    @property
    def blocks(self) -> Blocks:
        """Its transformer blocks."""
        ...


def blocks_of(model: Model) -> Blocks:
    """The blocks of a model; raises `ModelError` for one that does not run in this program."""
    if not isinstance(model, Inspectable):
        raise ModelError(
            _("The blocks of this model cannot be read: it does not run in this program."),
            where=model.info.source,
            hint=_("Choose a GGUF file, or demo."),
        )
    return model.blocks


async def readable(model: Model) -> tuple[Blocks, BlockAccess]:
    """The blocks of a model, ready to be read; raises `ModelError` where they cannot be."""
    blocks = blocks_of(model)
    access = await blocks.access()
    if access.unreadable is not None:
        raise ModelError(
            _(
                "The blocks of this model cannot be read ({unreadable}): {reason}",
                unreadable=access.unreadable,
                reason=access.reason,
            ),
            where=model.info.source,
        )
    return blocks, access
