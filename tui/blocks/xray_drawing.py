"""Draws the X-ray: the finding, the cell under the cursor, a table, and notes on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rich.cells import cell_len

from core.blocks.heads import HeadFigure
from core.blocks.heatmaps import (
    about_model,
    attention_map,
    lead_of,
    lens_map,
    noted,
    position_map,
    token_text,
)
from core.blocks.sentences import option_names, self_test_sentence
from core.contract.view import Role
from core.layout.contributions import (
    OptionRoles,
    draw_contributions,
    largest_contribution,
    running_margin,
)
from core.layout.heatmap import Cell, HeatMap, legend
from core.layout.heatmap_drawing import Pointing, draw_panel, frame
from core.layout.ribbon import Bead, draw_ribbon
from core.layout.rows import Ink, Row, Span, paragraph
from core.models.blocks import Attribution, Guess
from core.text.language import _, fill, ngettext
from tui.blocks.block_pane import clipped
from tui.blocks.xray import Xray
from tui.blocks.xray_cursor import Face, XrayCursor

_WIDE = 90
"""From this width on, one line is reserved for a sentence; below it, two."""
_MIN_NOTES = 3
"""Fewest lines in which the notes can be scrolled below a table that stays in sight."""
_ENDS = {True: ("✓ ", Role.GOOD), False: ("✗ ", Role.BAD), None: ("", Role.EVIDENCE)}
"""Sign and role of a right answer, a wrong one, and one without gold."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The rows of a pane; the first ones may stay in sight while the others scroll."""

    rows: list[Row]
    heading: int
    """Number of rows up to the names of the table's columns."""
    table: int
    """Number of rows up to the end of the table; notes follow."""

    def pinned(self, height: int) -> int:
        """Number of rows that stay in sight; with the table if the notes have room below it."""
        if self.table + _MIN_NOTES <= height:
            return self.table
        return self.heading if self.heading < height else 0


def draw_xray(xray: Xray, cursor: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    """One face; `waiting` or `error` is drawn instead of what was not read yet."""
    draw = {
        Face.OPTIONS: _options,
        Face.PARTS: _parts,
        Face.HEADS: _heads,
        Face.HEAD_MAP: _head_map,
    }[cursor.face]
    return draw(xray, cursor, waiting, error, width)


def map_of(xray: Xray, cursor: XrayCursor) -> HeatMap | None:
    """The heat map of a face; None where it has none, or it was not read."""
    heat = _map_of(xray, cursor)
    return None if heat is None else noted(heat, xray.access)


def _map_of(xray: Xray, cursor: XrayCursor) -> HeatMap | None:
    info, tokens = xray.subject.model.info, len(xray.tokens)
    question = xray.table.question
    if cursor.face is Face.HEADS:
        attended = xray.attended.get(cursor.block)
        return None if attended is None else attention_map(question, attended, info, tokens)
    if cursor.face is Face.PARTS:
        return None
    if cursor.face is Face.HEAD_MAP:
        compared = xray.compared
        return None if compared is None else xray.heads.map(cursor.shown, compared, tokens)
    if cursor.token == xray.last:
        return lens_map(xray.table, info, tokens, xray.subject.form)
    reading = xray.positions.get(cursor.token)
    if reading is None:
        return None
    return position_map(question, reading, xray.token(cursor.token), info, tokens)


# -- options by blocks -----------------------------------------------------------------------------


def _options(xray: Xray, cursor: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    if cursor.token == xray.last:
        outcome, right = xray.outcome()
        sign, role = _ENDS[right]
        finding = f"{sign}{outcome}"
    else:
        role = Role.EVIDENCE
        finding = _(
            "After token {number}, “{token}”: what every block would say next.",
            number=cursor.token,
            token=xray.token(cursor.token),
        )
    heat = map_of(xray, cursor)
    top = clipped(finding, role, width, 2)
    top += _unread(waiting, error, width) if heat is None else _detail(_cell(xray, cursor), width)
    top.append(
        draw_ribbon(
            _("token {number} of 0–{last}", number=cursor.token, last=xray.last),
            _beads(xray),
            cursor.token,
            width,
            cell_len,
            lambda token: f"t/{token}",
        )
    )
    if heat is None:
        return Drawn(top, len(top), len(top))
    return _with_map(top, heat, "o", (cursor.option, cursor.block), cursor, width)


def _cell(xray: Xray, cursor: XrayCursor) -> str:
    """The option and block under the cursor in a sentence."""
    question, block = xray.table.question, cursor.block
    option = option_names(question)[cursor.option]
    if cursor.token != xray.last:
        reading = xray.positions[cursor.token]
        return _(
            "After block {block}: {guesses}. “{option}” would begin with {chance}.",
            block=block,
            guesses=_guesses(reading.guesses[block]),
            option=option,
            chance=_per_cent(math.exp(reading.logprobs[block][cursor.option])),
        )
    if cursor.above:
        return _(
            "The answer position, where the answer is read. h and l go along the tokens, to see "
            "what each block would say there."
        )
    score = xray.table.reading.scores[block][cursor.option]
    nats = _("{nats:.3f} nats")
    if score.tokens > 1:
        nats = _("{nats:.3f} nats ({tokens} tokens)")
    lens = xray.table.calibrated
    if lens is not None:
        beyond = _("{beyond:+.3f} beyond prior", beyond=lens.scores[block][cursor.option])
        nats = f"{nats}, {beyond}"
    sentence = _("“{option}” after block {block}: {share}, {nats}; likeliest token {token}")
    if xray.table.leading[block] == cursor.option:
        sentence = _(
            "“{option}” after block {block}: {share}, {nats}, leads; likeliest token {token}"
        )
    return sentence.format(
        option=option,
        block=block,
        share=_per_cent(xray.table.shares()[block][cursor.option]),
        nats=fill(nats, nats=score.logprob, tokens=score.tokens),
        token=_guesses(xray.table.reading.guesses[block][:1]),
    )


def _guesses(guesses: tuple[Guess, ...]) -> str:
    guess_words = _("“{text}” {chance}")
    words = [
        guess_words.format(text=token_text(guess.text), chance=_per_cent(math.exp(guess.logprob)))
        for guess in guesses
    ]
    return ", ".join(words) or _("nothing likely")


def _beads(xray: Xray) -> list[Bead]:
    """The prompt's tokens for the line above the map; those of one word are joined."""
    beads = []
    before = b" "
    for position, token in enumerate(xray.tokens):
        starts_word = not token.data or token.data[:1].isspace() or before[-1:].isspace()
        beads.append(Bead(xray.token(position), bool(position) and not starts_word))
        before = token.data
    return beads


# -- what the parts add ----------------------------------------------------------------------------


def _parts(xray: Xray, cursor: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    attribution, compared = xray.attribution, xray.compared
    if attribution is None or compared is None:
        title = _("What attention and feed-forward add to the margin.")
        top = [*_detail(title, width, Role.EVIDENCE), *_unread(waiting, error, width)]
        return Drawn(top, len(top), len(top))
    names = [option_names(xray.table.question)[option] for option in compared]
    roles = OptionRoles(*(lead_of(xray.table.question, option) for option in compared))
    block = cursor.block
    detail = _(
        "Block {block}: attention {attention:+.3f}, feed-forward {feed_forward:+.3f} logits; "
        "all up to here {sum:+.3f}.",
        block=block,
        attention=attribution.attention[block],
        feed_forward=attribution.feed_forward[block],
        sum=running_margin(attribution)[block],
    )
    top = clipped(_margin_sentence(attribution, names), Role.EVIDENCE, width, 2)
    top += _detail(detail, width)
    rows = draw_contributions(attribution, roles, width, cell_len, lambda block: f"b/{block}")
    about = _(
        "Direct logit attribution: the last residual stream is a sum of what the parts wrote, and "
        "with the last normalisation's scale held fixed logits are linear in it. What a part does "
        "to later blocks is counted there, not here."
    )
    if attribution.capped:
        about += " " + _("Afterwards the model limits its logits to a range.")
    notes = (
        _("Right speaks for “{option}”, left for “{other}”.", option=names[0], other=names[1]),
        about,
        *about_model(xray.subject.model.info, len(xray.tokens)),
        *filter(None, (self_test_sentence(xray.access),)),
    )
    return _with_notes(top, rows, notes, width)


def _margin_sentence(attribution: Attribution, names: list[str]) -> str:
    """Which option is ahead at the compared token, which need not be the answer's."""
    sides = list(zip(names, map(token_text, attribution.compared), strict=True))
    (option, first), (other, second) = sides if attribution.margin >= 0 else sides[::-1]
    sentence = _(
        "“{option}” is ahead of “{other}” by {margin:.3f} logits (tokens “{first}” and "
        "“{second}”).",
        option=option,
        other=other,
        margin=abs(attribution.margin),
        first=first,
        second=second,
    )
    largest = largest_contribution(attribution)
    if largest is None:
        return sentence
    name, block, figure = largest
    source = _("Most comes from {part} of block {block}, {figure:+.2f}.")
    return f"{sentence} {fill(source, part=_(name), block=block, figure=figure)}"


# -- what heads attend to --------------------------------------------------------------------------


def _heads(xray: Xray, cursor: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    heat = map_of(xray, cursor)
    attention = xray.attended.get(cursor.block)
    blocks = draw_ribbon(
        _("block {number} of 0–{last}", number=cursor.block, last=xray.access.blocks - 1),
        [Bead(str(block)) for block in range(xray.access.blocks)],
        cursor.block,
        width,
        cell_len,
        lambda block: f"k/{block}",
    )
    if heat is None or attention is None:
        title = _("Attention in block {block}.", block=cursor.block)
        top = [*_detail(title, width, Role.EVIDENCE), *_unread(waiting, error, width), blocks]
        return Drawn(top, len(top), len(top))
    span, weight = attention.spans[cursor.span], attention.weights[cursor.span][cursor.head]
    if weight is None or span.tokens is None:
        detail = _("“{text}” shares a token with its neighbour.", text=span.name)
    else:
        count = span.tokens[1] - span.tokens[0]
        detail = ngettext(
            "“{text}”: {share} on {count} token.",
            "“{text}”: {share} on {count} tokens.",
            count,
            text=span.name,
            share=_per_cent(weight),
            count=count,
        )
    top = clipped(attention.sentence(cursor.head), Role.EVIDENCE, width, 2)
    top += [*_detail(detail, width), blocks]
    return _with_map(top, heat, "s", (cursor.span, cursor.head), cursor, width)


# -- blocks by heads -------------------------------------------------------------------------------


def _head_map(xray: Xray, cursor: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    heat = map_of(xray, cursor)
    if heat is None:
        title = _("Blocks by heads: {what}.", what=_(cursor.shown))
        top = [*_detail(title, width, Role.EVIDENCE), *_unread(waiting, error, width)]
        return Drawn(top, len(top), len(top))
    known = xray.heads.done(cursor.shown)
    finding = heat.notes[0]
    if known < xray.heads.cells:
        progress = _("{done} of {cells} heads", done=known, cells=xray.heads.cells)
        finding = _("{progress}. So far: {finding}", progress=progress, finding=finding)
    figure = heat.rows[cursor.block].values[cursor.head]
    detail = _("Head {head} of block {block}: not known yet.")
    if figure is not None:
        detail = _("Head {head} of block {block}: {figure:+.3f} {unit}.")
    detail = error or fill(
        detail,
        head=cursor.head,
        block=cursor.block,
        figure=figure,
        unit=_("logits") if cursor.shown is HeadFigure.ADDED else _("nats"),
    )
    top = clipped(finding, Role.EVIDENCE, width, 2)
    top += _detail(detail, width, Role.BAD if error else Role.PLAIN)
    return _with_map(top, heat, "h", (cursor.block, cursor.head), cursor, width)


# -- rows ------------------------------------------------------------------------------------------


def _with_map(
    top: list[Row], heat: HeatMap, kind: str, cell: Cell, cursor: XrayCursor, width: int
) -> Drawn:
    """A heat map with brackets around the cell under the cursor; its refs begin with `kind`."""
    pointing = Pointing(None if cursor.above else cell)
    shown = frame(heat, width, cell_len, cursor=cell)
    panel = draw_panel(
        heat, shown, cell_len, lambda row, column: f"{kind}/{row}/{column}", pointing
    )
    return _with_notes(top, panel, (legend(heat), *heat.notes[1:]), width)


def _with_notes(top: list[Row], table: list[Row], notes: tuple[str, ...], width: int) -> Drawn:
    """A finding, a table whose first row names its columns, and notes on it."""
    under = [row for note in notes for row in paragraph(note, Ink.GLOSS, width, cell_len)]
    rows = [*top, *table]
    return Drawn([*rows, (), *under], len(top) + 1, len(rows))


def _detail(text: str, width: int, role: Role = Role.PLAIN) -> list[Row]:
    """A sentence in as many lines as are reserved for it, so that nothing below it jumps."""
    count = 1 if width >= _WIDE else 2
    rows = clipped(text, role, width, count)
    return rows + [(Span(" ", role),)] * (count - len(rows))


def _unread(waiting: str, error: str, width: int) -> list[Row]:
    """What is being read, or why it cannot be."""
    return _detail(waiting or error, width, Role.BAD if error else Role.PLAIN)


def _per_cent(share: float) -> str:
    """A share in per cent, never a false 0 or 100."""
    if share != share:
        return _("no number")
    if 0 < share < 0.0005:
        return _("less than 0.1 %")
    if 0.9995 <= share < 1:
        return _("over 99.9 %")
    return f"{100 * share:.1f} %"
