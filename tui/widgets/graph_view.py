"""The graph pane: a layered drawing with a cursor on its nodes, to pan and to zoom."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.contract.view import Graph, Node, Role
from core.layout.graph.beyond import MORE_LEFT, MORE_RIGHT, rows_beyond
from core.layout.graph.changes import changed_nodes, graph_shape
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.fitting import fitting_placement
from core.layout.graph.neighbours import Heading, nearest
from core.layout.graph.outline import outline
from core.layout.rows import Ink, pad, plain
from core.text.language import N_
from tui.widgets.graph_travel import GraphTravel
from tui.widgets.pane_styles import SCROLLBAR_CSS, PaneStyles

if TYPE_CHECKING:
    from core.layout.graph.canvas import Canvas
    from core.layout.graph.placement import Placement
    from tui.widgets.graph_map import GraphMap

_ZOOMS = tuple(Zoom)
_LIT = Style(bold=True, reverse=True)
"""The style of the nodes that `light` highlights."""
_MARGIN = 2
"""Cells around the nodes that are scrolled to, where there is room."""
_PAN = 8
"""Cells that a key pans."""
_CORNERS = 6
"""Cells of the upper border that a title leaves free."""


class GraphView(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws a graph; the cursor stands on a node, whose links are highlighted."""

    HELP = N_("""
    ## This pane

    Arrows or `h j k l` go to the nearest node, whose links are highlighted. `z Z` zoom, `0` shows
    the whole graph, with numbers for nodes if they do not fit, `|` turns it. `◂` and `▸` mark edges
    beyond which the drawing goes on: move there with the keys or the mouse. Below stands what is
    known of the node under the cursor.
    """)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"graph--cursor"}
    DEFAULT_CSS = f"""
    GraphView {{
{SCROLLBAR_CSS}
        & > .graph--cursor {{ background: $cs-cursor; text-style: bold; }}
    }}
    """

    cursor: reactive[str] = reactive("", repaint=False)
    """The id of the node under the cursor; empty when there is none. Watchers run at once, so that
    the node and its explanation elsewhere are painted together."""
    drawn: reactive[Zoom | None] = reactive(None, repaint=False)
    """The zoom of the present drawing; None before there is one."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.inks = PaneStyles(self)
        self.graph: Graph | None = None
        self._canvas: Canvas | None = None
        self._headed: tuple[str, str] | None = None
        """The last arguments of `head`."""
        self._shape: object = None
        self._lit: frozenset[str] = frozenset()
        self._zoom: Zoom | None = None
        """The zoom that the person chose; None for the largest that fits."""
        self._whole = False
        """Whether nodes may be drawn as bare numbers to fit, because the person asked for `fit`."""
        self._direction: Direction | None = None
        self._links: frozenset[int] = frozenset()
        """Indices of the links of the node under the cursor."""
        self._strips: dict[int, Strip] = {}
        """Painted rows of the drawing."""
        self._painted: tuple[int, int, bool] = (0, 0, False)
        """The first column of the painted rows, how many they have, and whether in focus."""
        self._beyond: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        """The rows that go on to the left and to the right of the painted columns."""
        self._map: GraphMap | None = None
        self.travel = GraphTravel(self, self._paint_picture)
        """The pictures to come until the graph is shown as it is."""
        self._held: Offset | None = None
        """Where the mouse holds the drawing."""
        self._dragged = False

    @property
    def placement(self) -> Placement | None:
        """The positions of nodes and links; None before there is a graph and room for it."""
        return self._canvas.placement if self._canvas else None

    def show(self, graph: Graph) -> None:
        """Draw a graph; one of the same shape stays where it is.

        What another state changed elsewhere than under the cursor comes into sight.
        """
        self.travel.finish()
        before, self.graph = self.graph, graph
        same = before is not None and graph_shape(before) == graph_shape(graph)
        self._redraw(changed=changed_nodes(before, graph) if before else ())
        # Without room nothing is drawn anew, and the drawing may be that of another graph.
        if before is not None and same and self._shape == graph_shape(graph):
            self.travel.start(before, graph)

    def _paint_picture(self, graph: Graph) -> None:
        if self._canvas is not None:
            self._canvas.show(graph)
            self._repaint()

    def head(self, title: str, badges: str) -> None:
        """Write a title with badges behind it, which stay in sight, into the border."""
        self._headed = (title, badges)
        self._write_head()

    def _write_head(self) -> None:
        if self._headed is None:
            return
        title, badges = self._headed
        left = self.outer_size.width - _CORNERS - cell_len(badges) - 2
        if badges and 0 < left < cell_len(title):
            title = pad(title, left, cell_len)
        self.border_title = Content("  ".join(text for text in (title, badges) if text))

    def light(self, nodes: Collection[str]) -> None:
        """Light these nodes until others are, say those that a model has just named."""
        if frozenset(nodes) != self._lit:
            self._lit = frozenset(nodes)
            self._repaint()

    def node(self) -> Node | None:
        """The node under the cursor."""
        nodes = self.graph.nodes if self.graph else ()
        return next((node for node in nodes if node.id == self.cursor), None)

    @property
    def number(self) -> str:
        """The number of the node under the cursor where nodes are drawn as numbers, else empty."""
        placement = self.placement
        if placement is None or placement.zoom is not Zoom.GLYPHS:
            return ""
        return "".join(placement.lines.get(self.cursor, ()))

    # -- drawing -------------------------------------------------------------------------------

    def _redraw(self, *, restart: bool = False, changed: Sequence[str] = ()) -> None:
        graph = self.graph
        if graph is None or not self.size.width:
            return
        shape = graph_shape(graph)
        if restart or shape != self._shape or self._canvas is None:
            # What lays graphs out is imported with the first of them: many items have none.
            from core.layout.graph.canvas import Canvas
            from tui.widgets.graph_map import GraphMap

            self._shape = shape
            self._canvas = Canvas(self._fitting(graph), graph, cell_len)
            placement = self._canvas.placement
            self._map = GraphMap(placement)
            self.virtual_size = Size(placement.width, placement.height)
            if self.cursor not in placement.nodes:
                self.cursor = graph.nodes[0].id if graph.nodes else ""
            self.drawn = placement.zoom
            self.call_after_refresh(self._reveal, changed)
        else:
            self._canvas.show(graph)
            if changed and self.cursor not in changed:
                self._reveal(changed)
        self._links = self._canvas.links_at(self.cursor)
        self._repaint()

    def _repaint(self) -> None:
        """Paint every row again."""
        self._strips.clear()
        self.refresh()

    def _fitting(self, graph: Graph) -> Placement:
        """The drawing as it was chosen, or the largest that fits."""
        return fitting_placement(
            graph,
            cell_len,
            self.size.width,
            self.size.height,
            direction=self._direction,
            zoom=self._zoom,
            glyphs=self._whole,
        )

    def on_resize(self, event: events.Resize) -> None:
        """What fits depends on the room."""
        self._redraw(restart=self._zoom is None)
        self._write_head()

    @property
    def _origin(self) -> Offset:
        """Where the drawing's first cell is in the pane: small ones stand in the middle."""
        placement = self.placement
        if placement is None:
            return Offset(0, 0)
        return Offset(
            max(0, (self.size.width - placement.width) // 2),
            max(0, (self.size.height - placement.height) // 2),
        ) - Offset(*map(int, self.scroll_offset))

    def render_line(self, y: int) -> Strip:
        """One row of the visible part, with the map of a large graph in its corner."""
        base = self.inks.ground
        width = self.size.width
        if self._canvas is None:
            return Strip.blank(width, base)
        origin = self._origin
        strip = self._row_strip(self._canvas, y - origin.y, -origin.x, width)
        small = self._map.row(y, self.scroll_offset, self.size, self.cursor) if self._map else None
        if small is not None:
            corner = Strip([self._segment(span.text, span.ink, "", base) for span in small])
            strip = Strip.join([strip.crop(0, width - corner.cell_length - 1), corner])
        return strip.adjust_cell_length(width, base)

    def _row_strip(self, canvas: Canvas, y: int, x: int, width: int) -> Strip:
        """Row y of the drawing from column x on; most rows are the same from key to key."""
        if self._painted != (x, width, self.has_focus):
            self._painted = (x, width, self.has_focus)
            self._strips.clear()
        beside_scrollbar = self.scrollable_content_region.width
        if not self._strips:
            self._beyond = rows_beyond(canvas.placement, x, x + beside_scrollbar)
        strip = self._strips.get(y)
        if strip is None:
            if len(self._strips) > 4 * self.size.height:
                self._strips.clear()
            row = canvas.row(y, x, x + width, lit=self._links)
            segments = [
                self._segment(span.text, span.ink, span.ref, self.inks.ground) for span in row
            ]
            strip = Strip(segments).adjust_cell_length(width, self.inks.ground)
            left, right = (
                [self._segment(sign, Ink.KEY, "", self.inks.ground)] if y in rows else []
                for sign, rows in zip((MORE_LEFT, MORE_RIGHT), self._beyond, strict=True)
            )
            inner = strip.crop(len(left), beside_scrollbar - len(right))
            self._strips[y] = strip = Strip([*left, *inner, *right])
        return strip

    def _segment(self, text: str, ink: Role | Ink, ref: str, base: Style) -> Segment:
        # Links would outshine the nodes in the colour that they have in a text.
        style = base + self.inks.ink(Role.MUTED if ink is Ink.LINK else ink)
        if ref in self._lit:
            style += _LIT
        if ref and ref == self.cursor:
            style += self.inks.style("graph--cursor")
            if not self.has_focus:
                style += Style(bold=False)
        return Segment(text, style + Style(meta={"node": ref}) if ref else style)

    # -- moving --------------------------------------------------------------------------------

    def watch_cursor(self, old: str, new: str) -> None:
        """Paint the rows of both nodes and their links again, and keep the new one in sight."""
        canvas = self._canvas
        self._links = canvas.links_at(new) if canvas else frozenset()
        reached = [*canvas.reach(old), *canvas.reach(new)] if canvas else []
        for y in [y for y in self._strips if any(y in rows for rows in reached)]:
            del self._strips[y]
        self.refresh()
        if new:
            self._reveal()

    def notify_style_update(self) -> None:
        """Rows have the colours of the theme."""
        self.inks.clear()
        self._strips.clear()
        super().notify_style_update()

    def _reveal(self, changed: Sequence[str] = ()) -> None:
        """Scroll to these nodes, as many as there is room for, then to the one under the cursor."""
        placement = self.placement
        if placement is None:
            return
        seen: Region | None = None
        for node_id in (*changed, self.cursor):
            if node_id not in placement.nodes:
                continue
            rect = placement.nodes[node_id]
            region = Region(rect.x, rect.y, rect.width, rect.height)
            wider = seen.union(region) if seen else region
            if seen is None or (
                wider.width <= self.size.width and wider.height <= self.size.height
            ):
                seen = wider
        if seen is not None:
            margin = (
                min(_MARGIN, max(0, (self.size.height - seen.height) // 2)),
                min(_MARGIN, max(0, (self.size.width - seen.width) // 2)),
            )
            self.scroll_to_region(
                seen.grow((*margin, *margin)), animate=False, force=True, immediate=True
            )

    def step(self, heading: Heading) -> None:
        """Go to the nearest node in a direction; where there is none, pan as far as this one is
        still in sight."""
        placement = self.placement
        if placement is not None and self.cursor in placement.nodes:
            before, self.cursor = self.cursor, nearest(placement, self.cursor, heading)
            offset = self.scroll_offset + Offset(*heading.value) * _PAN
            rect = placement.nodes[before]
            node = Region(rect.x, rect.y, rect.width, rect.height)
            in_sight = Region(*offset, *self.size).shrink((1, 2, 1, 2))
            if self.cursor == before and node.overlaps(in_sight):
                self.scroll_to(*offset, animate=False, force=True)

    def move_cursor(self, by: int) -> None:
        """Step up or down; by more than a page, to the first or the last node."""
        nodes = self.graph.nodes if self.graph else ()
        if abs(by) > 10_000 and nodes:
            self.cursor = nodes[0 if by < 0 else -1].id
            return
        steps = 1 if abs(by) == 1 else 4
        for step in [Heading.DOWN if by > 0 else Heading.UP] * steps:
            self.step(step)

    def zoom(self, by: int) -> None:
        """Draw nodes larger or smaller."""
        placement = self.placement
        if placement is not None:
            at = _ZOOMS.index(placement.zoom) + by
            self._zoom = _ZOOMS[min(len(_ZOOMS) - 1, max(0, at))]
            self._whole = False
            self._direction = placement.direction
            self._redraw(restart=True)

    def fit(self) -> None:
        """Draw the whole graph as large as it fits, as bare numbers where nothing else does."""
        self._zoom = self._direction = None
        self._whole = True
        self._redraw(restart=True)

    def turn(self) -> None:
        """Draw from left to right, or from top to bottom."""
        placement = self.placement
        if placement is not None:
            down = placement.direction is Direction.DOWN
            self._direction = Direction.RIGHT if down else Direction.DOWN
            self._redraw(restart=True)

    def copy_text(self) -> tuple[str, str]:
        """The graph in words."""
        return N_("graph"), plain(outline(self.graph, 100, cell_len)) if self.graph else ""

    # -- the mouse -----------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the node; twice brings it to the middle. Not after dragging."""
        node = event.style.meta.get("node")
        if self._dragged or not isinstance(node, str):
            return
        self.cursor = node
        placement = self.placement
        if event.chain > 1 and placement is not None:
            x, y = placement.nodes[node].centre
            self.scroll_to(
                x - self.size.width / 2, y - self.size.height / 2, animate=False, force=True
            )

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the drawing."""
        self._held = event.screen_offset
        self._dragged = False
        self.capture_mouse()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the drawing."""
        self._held = None
        self.release_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Pan while the drawing is held."""
        if self._held is not None and event.screen_offset != self._held:
            moved = self._held - event.screen_offset
            self._held = event.screen_offset
            self._dragged = True
            self.scroll_relative(moved.x, moved.y, animate=False)
