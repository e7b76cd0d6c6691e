"""Whether what was loaded lets its blocks be read."""

from __future__ import annotations

from core.models.block_requests import Blocks, Inspectable
from core.models.blocks import BlockAccess
from core.models.protocol import Model
from core.text.errors import ModelError
from core.text.language import _


async def readable(model: Model) -> tuple[Blocks, BlockAccess]:
    """The blocks of a model, made ready; raises `ModelError` saying why they cannot be read."""
    if not isinstance(model, Inspectable):
        raise ModelError(
            _("The blocks of this model cannot be read: it does not run in this program."),
            where=model.info.source,
            hint=_("Choose a GGUF file, or demo."),
        )
    access = await model.blocks.access()
    if access.unreadable is not None:
        raise ModelError(
            _(
                "The blocks of this model cannot be read ({unreadable}): {reason}",
                unreadable=access.unreadable,
                reason=access.reason,
            ),
            where=model.info.source,
        )
    return model.blocks, access
