"""The pane that shows the options after every block of the model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.geometry import Region, Spacing

from core.blocks.attention import SpanAttention, with_attention
from core.contract.task_layer import layer_titles
from core.contract.view import Role, View
from core.layout.heatmap import HeatMap
from core.layout.rows import Ink, Row, paragraph
from core.text.errors import CommonsenseError, ModelError, SettingError
from core.text.language import N_, _
from tui.blocks.block_pane import BlockPane
from tui.blocks.head_maps import SHOWN
from tui.blocks.xray import Reader, Xray
from tui.blocks.xray_cursor import Axis, Face, XrayCursor
from tui.blocks.xray_drawing import draw_xray, map_of
from tui.blocks.xray_help import XRAY_HELP
from tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from tui.browse.feature import ItemHost

_PATIENCE = 0.12
"""Seconds that the cursor must rest on a cell before it is read."""
_MORE = "more"
"""The group of the worker that reads what the present face lacks."""


class XrayPane(BlockPane):
    """Options by blocks, the attribution to their parts, and the attention of their heads."""

    NAME = "xray"
    COPIED = N_("blocks")
    HELP = XRAY_HELP

    def __init__(self, host: ItemHost) -> None:
        super().__init__(host)
        self.xray: Xray | None = None
        """The results; None before the blocks were read."""
        self.position = XrayCursor()
        self._reader = Reader()
        self.status = ""
        """The present step, until the blocks are read."""
        self.error: CommonsenseError | None = None
        """Why the blocks cannot be read."""
        self.waiting = ""
        """What is being read for the present face."""
        self.failed: dict[object, str] = {}
        """Errors of readings for a face, by `_key`."""
        self._wanted: tuple[int, int] | None = None
        """The block and the head to show as soon as the blocks are read."""
        self._shown_head: tuple[SpanAttention, int] | None = None
        """The head whose weights are drawn beside the item."""

    # -- reading -----------------------------------------------------------------------------------

    def subject_changed(self) -> None:
        """Stop reading the former subject, and read the new one."""
        self.stop()
        self.stop(_MORE)
        # Going from item to item reads none of the items that are passed over.
        patience = _PATIENCE if self.xray is not None or self.status else 0.0
        self.xray, self.status, self.error, self.waiting = None, "", None, ""
        self.failed = {}
        # A head that was to be drawn on the former item is not drawn on this one.
        self._wanted = None
        self._update_item()
        if self.subject is not None:
            self.status = _("Waiting for the model…")
            self.start(partial(self._read, patience))
        elif not self.why_not:
            self.position = XrayCursor()

    async def _read(self, patience: float) -> None:
        subject = self.subject
        assert subject is not None
        await asyncio.sleep(patience)
        try:
            xray = await self._reader.read(subject, self._show_status)
        except ModelError as error:
            self.fail(error)
            self.redraw()
            return
        self.status, self.xray = "", xray
        leader = xray.table.leading[-1]
        self.position = XrayCursor(
            self.position.face,
            token=xray.last,
            option=leader or 0,
            block=xray.table.blocks - 1,
            head=min(self.position.head, max(0, xray.access.heads - 1)),
        )
        self.redraw()
        if self._wanted is None:
            self._read_more(at_once=True)
        else:
            self._go_to_wanted()

    def fail(self, error: CommonsenseError) -> None:
        """Show an error in the place of the readings, or of those that the present face lacks."""
        if self.xray is None:
            self.status, self.error = "", error
        else:
            self.failed[self._key], self.waiting = str(error), ""

    def _show_status(self, status: str) -> None:
        self.status = status
        self.redraw()

    def _read_more(self, *, at_once: bool = False) -> None:
        """Read what the present face lacks, once the cursor rests."""
        self.stop(_MORE)
        self.waiting = ""
        missing = self._missing()
        if missing is None:
            return
        self.waiting, read = missing
        delay = 0.0 if at_once else _PATIENCE
        self.start(partial(self._read_missing, self._key, read, delay), _MORE)

    def _missing(self) -> tuple[str, Callable[[], Awaitable[None]]] | None:
        """What is to be read for the present face, in words and as a request."""
        xray, position = self.xray, self.position
        if xray is None or self._key in self.failed:
            return None
        match position.face:
            case Face.OPTIONS if (
                position.token != xray.last and position.token not in xray.positions
            ):
                token = position.token
                reading = _("Reading every block after token {token}…", token=token)
                return reading, lambda: xray.read_position(token)
            case Face.PARTS if xray.attribution is None:
                return _("Reading what each part of each block adds…"), xray.read_parts
            case Face.HEAD_MAP if xray.heads.done(position.shown) < xray.heads.cells or (
                not xray.heads.cells
            ):
                shown = position.shown
                reading = _("Reading the heads: {what}…", what=_(shown))
                return reading, lambda: xray.heads.read(shown, xray.compared, self.redraw)
            case Face.HEADS if position.block not in xray.attended:
                block = position.block
                reading = _("Reading attention in block {block}…", block=block)
                return reading, lambda: xray.read_attention(block)
        return None

    @property
    def _key(self) -> object:
        """Identifies the reading that the present face shows."""
        position = self.position
        return {
            Face.OPTIONS: (Face.OPTIONS, position.token),
            Face.PARTS: (Face.PARTS, 0),
            Face.HEADS: (Face.HEADS, position.block),
            Face.HEAD_MAP: (Face.HEAD_MAP, position.shown),
        }[position.face]

    async def _read_missing(
        self, key: object, read: Callable[[], Awaitable[None]], delay: float
    ) -> None:
        await asyncio.sleep(delay)
        try:
            await read()
        except (ModelError, SettingError) as error:
            self.failed[key] = str(error)
        self.waiting = ""
        self._go_to_heaviest()
        self.redraw()
        self._update_item()

    # -- faces -------------------------------------------------------------------------------------

    def show_parts(self) -> None:
        """Show the attribution to the parts, then the maps of heads, then the options again."""
        position = self.position
        if position.face is Face.PARTS:
            position.shown = SHOWN[0]
            self._show_face(Face.HEAD_MAP)
        elif position.face is Face.HEAD_MAP and position.shown is not SHOWN[-1]:
            position.shown = SHOWN[SHOWN.index(position.shown) + 1]
            self._show_face(Face.HEAD_MAP)
        else:
            self._show_face(Face.OPTIONS if position.face is Face.HEAD_MAP else Face.PARTS)

    def next_head(self) -> None:
        """Show the attention of the block's first head, then of each next one, then of none."""
        xray, position = self.xray, self.position
        if position.face is not Face.HEADS:
            self._draw_head(position.block, 0)
        elif xray is None or position.head + 1 < xray.sizes(position)[Axis.HEAD]:
            position.head += 1
            self._go_to_heaviest()
            self._moved()
        else:
            self._show_face(Face.OPTIONS)

    def show_head(self, block: int, head: int) -> None:
        """Show the attention of a head, which is drawn on the item; later, if need be."""
        self._wanted = block, head
        self._go_to_wanted()

    def _go_to_wanted(self) -> None:
        if self.xray is not None and self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self._draw_head(*wanted)

    def _draw_head(self, block: int, head: int) -> None:
        self.position.block, self.position.head = block, head
        self._show_face(Face.HEADS)
        self._go_to_heaviest()
        self.redraw()

    def _go_to_heaviest(self) -> None:
        """Move the cursor to the span with most of the head's weight."""
        if self._head is not None and not self.position.above:
            attention, head = self._head
            self.position.span = attention.heaviest(head)

    def _show_face(self, face: Face) -> None:
        """Show another face, and read it if that was not done yet."""
        self.position.face, self.position.above = face, False
        self.scroll_to(y=0, animate=False, immediate=True)
        self._moved()

    @property
    def _head(self) -> tuple[SpanAttention, int] | None:
        """The head whose weights are drawn."""
        xray, position = self.xray, self.position
        attention = xray.attended.get(position.block) if xray is not None else None
        if position.face is not Face.HEADS or attention is None or position.head >= attention.heads:
            return None
        return attention, position.head

    def _update_item(self) -> None:
        """Draw the item again if the weights beside it changed."""
        if self._head != self._shown_head:
            self._shown_head = self._head
            self.call_later(self.host.refresh_item)

    def with_attention(self, view: View) -> View:
        """The item's view, with the weights of the head under the cursor."""
        if self._head is None or self.subject is None:
            return view
        return with_attention(view, *self._head, self.subject.model.info.name)

    def leave(self) -> bool:
        """Go back to the options at the answer position; False if they are shown already."""
        xray, position = self.xray, self.position
        last = position.token if xray is None else xray.last
        if position.face is Face.OPTIONS and position.token == last:
            return False
        position.token = last
        self._show_face(Face.OPTIONS)
        return True

    def enter(self) -> None:
        """Try a failed reading again."""
        if self.error is not None:
            self.subject_changed()
            self.redraw()
        elif self.failed.pop(self._key, None) is not None:
            self._read_more(at_once=True)
            self.redraw()

    # -- moving ------------------------------------------------------------------------------------

    def move_cursor(self, by: int) -> None:
        """Go up or down; below the last row, scroll to the notes."""
        if self.xray is None or not self.position.move(by, self.xray.sizes(self.position)):
            self.scroll_relative(y=by, animate=False)
        else:
            self._moved()

    def sideways(self, by: int) -> None:
        """Move over the blocks or heads; on the line above the map, over tokens or blocks."""
        if self.xray is not None:
            self.position.sideways(by, self.xray.sizes(self.position))
            self._moved()

    def _moved(self) -> None:
        """After the cursor moved: read what is missing, draw, and keep the cursor in sight."""
        self._read_more()
        self.redraw()
        self._reveal()
        self._update_item()

    def watch_cursor(self, old: str, new: str) -> None:
        """Post the new cursor; `position` holds what it is on."""
        if old != new:
            self.post_message(self.CursorMoved(self, new))

    def go_to(self, ref: str) -> None:
        """Move the cursor to the cell with this ref."""
        if self.xray is not None:
            self.position.go(ref)
            self._moved()

    def _reveal(self) -> None:
        row = self._first_row.get(self.cursor)
        if row is None:
            return
        self.scroll_to_region(
            Region(0, row, 1, 1),
            spacing=Spacing(top=self.pinned),
            animate=False,
            force=True,
            immediate=True,
        )

    # -- drawing -----------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Draw, with the cursor where `position` has it even if that is not drawn yet."""
        before = self.cursor
        super().redraw()
        if self.xray is not None:
            self.set_reactive(XrayPane.cursor, self.position.ref)
            self._repaint(self._with(before, self.cursor))

    def _set_titles(self) -> None:
        """Name the face and the question's layer in the border."""
        subject = self.subject
        if subject is None:
            self.entitle(_("Blocks of the model"), "")
            return
        titles = layer_titles(subject.benchmark.layers)
        layer = titles.get(subject.question.layer, subject.question.layer)
        self.entitle(self.position.title, layer)

    def draw(self, width: int) -> list[Row]:
        """The present face, or why it cannot be shown."""
        self.pinned = 0
        self._set_titles()
        if self.subject is None:
            return super().draw(width)
        if (error := self.error) is not None:
            rows = paragraph(error.what, Role.BAD, width, cell_len)
            rows += paragraph(error.where, Ink.GLOSS, width, cell_len)
            rows += paragraph(error.hint, Role.PLAIN, width, cell_len)
            rows += paragraph(_("Everything else works as before."), Role.PLAIN, width, cell_len)
            keys = _("enter tries again, m chooses a model")
            return [*rows, (), *paragraph(keys, Ink.KEY, width, cell_len)]
        if self.xray is None:
            return paragraph(self.status, Role.CHANGED, width, cell_len)
        failed = self.failed.get(self._key, "")
        failed = _("{error} enter tries again.", error=failed) if failed else ""
        drawn = draw_xray(self.xray, self.position, self.waiting, failed, width)
        self.pinned = drawn.pinned(self.size.height)
        return drawn.rows

    def readings(self) -> tuple[HeatMap, ...]:
        """The options after every block, and the map of the present face."""
        xray = self.xray
        if xray is None:
            return ()
        maps = (map_of(xray, XrayCursor(token=xray.last)), map_of(xray, self.position))
        return tuple(dict.fromkeys(heat for heat in maps if heat is not None))

    def copy_text(self) -> tuple[str, str]:
        """The heat maps as text; for a face without one, the rows that are drawn."""
        if self.position.face is Face.PARTS:
            return RowsView.copy_text(self)
        return super().copy_text()
