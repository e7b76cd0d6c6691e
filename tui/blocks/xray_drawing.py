"""What the X-ray shows: the finding, the cell under the cursor, and the rows below."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from rich.cells import cell_len

from core.blocks.heatmaps import (
    about_model,
    attention_map,
    lead_of,
    lens_map,
    position_map,
    token_text,
)
from core.blocks.sentences import option_names
from core.contract.view import Role
from core.layout.contributions import (
    Sides,
    draw_contributions,
    largest_contribution,
    running_margin,
)
from core.layout.heatmap import Cell, HeatMap, Pointing, draw_panel, frame, legend
from core.layout.ribbon import Bead, draw_ribbon
from core.layout.rows import Ink, Row, Span, paragraph, wrap
from core.models.blocks import Attribution, Guess
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext
from tui.blocks.xray import Xray

_WIDE = 90
"""Cells from which on a sentence has one line."""
_MOST_GUESSES = 5
_NOTES = 3
"""Fewest lines in which what is said of a table is scrolled below it."""
_ENDS = {True: ("✓ ", Role.GOOD), False: ("✗ ", Role.BAD), None: ("", Role.EVIDENCE)}
"""How an answer is told that is right, wrong, or neither without gold."""


class Face(StrEnum):
    """What of the blocks is shown."""

    OPTIONS = "options"
    """Options by blocks: the logit lens."""
    PARTS = "parts"
    """What attention and feed-forward add to the margin."""
    HEADS = "heads"
    """What the heads of a block attend to."""


@dataclass(slots=True)
class XrayCursor:
    """Where the cursor is on each face."""

    face: Face = Face.OPTIONS
    above: bool = False
    """Whether it is on the line above the map: that of the tokens, or of the blocks."""
    token: int = 0
    option: int = 0
    block: int = 0
    head: int = 0
    span: int = 0

    @property
    def ref(self) -> str:
        """The name of what is under the cursor."""
        match self.face:
            case Face.OPTIONS if self.above:
                return f"t/{self.token}"
            case Face.OPTIONS:
                return f"o/{self.option}/{self.block}"
            case Face.PARTS:
                return f"b/{self.block}"
            case Face.HEADS if self.above:
                return f"k/{self.block}"
            case Face.HEADS:
                return f"s/{self.span}/{self.head}"

    def go(self, ref: str) -> None:
        """Be at what has this name."""
        kind, *numbers = ref.split("/")
        places = list(map(int, numbers))
        self.above = kind in ("t", "k")
        match kind:
            case "t":
                self.token = places[0]
            case "o":
                self.option, self.block = places
            case "b" | "k":
                self.block = places[0]
            case "s":
                self.span, self.head = places


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows, of which the first stay in sight."""

    rows: list[Row]
    pinned: int
    table: int
    """Up to where the table is; what follows is said of it."""

    def staying(self, height: int) -> int:
        """How many stay in sight in a pane of some height: the table too if notes have room."""
        if self.table + _NOTES <= height:
            return self.table
        return self.pinned if self.pinned < height else 0


def draw_xray(xray: Xray, place: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    """One face; `waiting` and `error` are said in the place of what was not read yet."""
    match place.face:
        case Face.OPTIONS:
            return _options(xray, place, waiting, error, width)
        case Face.PARTS:
            return _parts(xray, place, waiting, error, width)
        case Face.HEADS:
            return _heads(xray, place, waiting, error, width)


def map_of(xray: Xray, place: XrayCursor) -> HeatMap | None:
    """The heat map of a face; None where it has none, or it was not read."""
    info, tokens = xray.subject.model.info, len(xray.tokens)
    question = xray.table.question
    if place.face is Face.HEADS:
        attended = xray.attended.get(place.block)
        return None if attended is None else attention_map(question, attended, info, tokens)
    if place.face is Face.PARTS:
        return None
    if place.token == xray.last:
        return lens_map(xray.table, info, tokens, xray.subject.form)
    reading = xray.positions.get(place.token)
    if reading is None:
        return None
    return position_map(question, reading, xray.token(place.token), info, tokens)


# -- options by blocks -----------------------------------------------------------------------------


def _options(xray: Xray, place: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    here = place.token == xray.last
    if here:
        words, right = xray.outcome()
        sign, role = _ENDS[right]
        found = f"{sign}{words}"
    else:
        role = Role.EVIDENCE
        found = _(
            "After token {number}, “{token}”: what every block would say next.",
            number=place.token,
            token=xray.token(place.token),
        )
    heat = map_of(xray, place)
    detail = waiting or error if heat is None else _cell_sentence(xray, place)
    top = _said(found, role, width, least=1)
    top += _said(detail, Role.BAD if heat is None and error else Role.PLAIN, width)
    top.append(
        draw_ribbon(
            _("token {number} of 0–{last}", number=place.token, last=xray.last),
            beads(xray),
            place.token,
            width,
            cell_len,
            lambda token: f"t/{token}",
        )
    )
    if heat is None:
        return Drawn(top, len(top), len(top))
    panel = _panel(heat, "o", (place.option, place.block), place, width)
    return _with_notes(top, panel, (legend(heat), *heat.notes[1:]), width)


def _cell_sentence(xray: Xray, place: XrayCursor) -> str:
    question, block = xray.table.question, place.block
    if place.token != xray.last:
        reading = xray.positions[place.token]
        names = option_names(question)
        chance = math.exp(reading.logprobs[block][place.option])
        return _(
            "After block {block}: {guesses}. “{option}” would begin with {chance}.",
            block=block,
            guesses=_guesses(reading.guesses[block]),
            option=names[place.option],
            chance=_per_cent(chance),
        )
    if place.above:
        return _(
            "The answer position, where the answer is read. h l go along the tokens: what would "
            "every block say there?"
        )
    score = xray.table.reading.scores[block][place.option]
    share = xray.table.shares()[block][place.option]
    nats = _("{nats:.3f} nats")
    if score.tokens > 1:
        nats = _("{nats:.3f} nats ({tokens} tokens)")
    said = _(
        "“{option}” after block {block}: {share} of the options, {nats}; likeliest token {token}"
    )
    if xray.table.leading[block] == place.option:
        said = _(
            "“{option}” after block {block}: {share} of the options, {nats}, leads; likeliest "
            "token {token}"
        )
    return said.format(
        option=option_names(question)[place.option],
        block=block,
        share=_per_cent(share),
        nats=nats.format(nats=score.logprob, tokens=score.tokens),
        token=_guesses(xray.table.reading.guesses[block], 1),
    )


def _guesses(guesses: tuple[Guess, ...], most: int = _MOST_GUESSES) -> str:
    guessed = _("“{text}” {chance}")
    said = [
        guessed.format(text=token_text(guess.text), chance=_per_cent(math.exp(guess.logprob)))
        for guess in guesses[:most]
    ]
    return ", ".join(said) or _("nothing likely")


def beads(xray: Xray) -> list[Bead]:
    """The prompt's tokens for the line above the map."""
    found = []
    for place, token in enumerate(xray.tokens):
        joined = bool(place) and bool(token.data) and not token.data[:1].isspace()
        joined = joined and not xray.tokens[place - 1].data[-1:].isspace()
        found.append(Bead(xray.token(place), joined))
    return found


# -- what the parts add ----------------------------------------------------------------------------


def _parts(xray: Xray, place: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    found, compared = xray.attribution, xray.compared
    if found is None or compared is None:
        top = _said(_("What attention and feed-forward add to the margin."), Role.EVIDENCE, width)
        top += _said(waiting or error, Role.BAD if error else Role.PLAIN, width)
        return Drawn(top, len(top), len(top))
    names = [option_names(xray.table.question)[option] for option in compared]
    sides = Sides(*(lead_of(xray.table.question, option) for option in compared))
    top = _said(_margin_sentence(found, names), Role.EVIDENCE, width, least=1)
    block = place.block
    so_far = running_margin(found)[block]
    top += _said(
        _(
            "Block {block}: attention {attention:+.3f}, feed-forward {feed_forward:+.3f} logits; "
            "all up to here {sum:+.3f}.",
            block=block,
            attention=found.attention[block],
            feed_forward=found.feed_forward[block],
            sum=so_far,
        ),
        Role.PLAIN,
        width,
    )
    rows = draw_contributions(found, sides, width, cell_len, lambda place: f"b/{place}")
    info = xray.subject.model.info
    about = _(
        "Direct logit attribution: the last residual stream is a sum of what the parts wrote, and "
        "with the last normalisation's scale held fixed logits are linear in it. What a part does "
        "to later blocks is counted there, not here."
    )
    if found.capped:
        about += " " + _("The model presses its logits between bounds afterwards.")
    notes = (
        _("Right speaks for “{option}”, left for “{other}”.", option=names[0], other=names[1]),
        about,
        *about_model(info, len(xray.tokens)),
    )
    return _with_notes(top, rows, notes, width)


def _margin_sentence(found: Attribution, names: list[str]) -> str:
    """Which option is ahead at the token that is compared, which need not be the answer's."""
    sides = list(zip(names, map(token_text, found.compared), strict=True))
    (option, first), (other, second) = sides if found.margin >= 0 else sides[::-1]
    most = largest_contribution(found)
    said = _(
        "“{option}” is ahead of “{other}” by {margin:.3f} logits (tokens “{first}” and "
        "“{second}”).",
        option=option,
        other=other,
        margin=abs(found.margin),
        first=first,
        second=second,
    )
    if most is None:
        return said
    name, block, figure = most
    by = _("Most comes from {part} of block {block}, {figure:+.2f}.")
    return f"{said} {by.format(part=_(name), block=block, figure=figure)}"


# -- what heads attend to --------------------------------------------------------------------------


def _heads(xray: Xray, place: XrayCursor, waiting: str, error: str, width: int) -> Drawn:
    heat = map_of(xray, place)
    found = xray.attended.get(place.block)
    blocks = draw_ribbon(
        _("block {number} of 0–{last}", number=place.block, last=xray.access.blocks - 1),
        [Bead(str(block)) for block in range(xray.access.blocks)],
        place.block,
        width,
        cell_len,
        lambda block: f"k/{block}",
    )
    if heat is None or found is None:
        where = _("Attention in block {block}.", block=place.block)
        top = _said(where, Role.EVIDENCE, width)
        top += _said(waiting or error, Role.BAD if error else Role.PLAIN, width)
        return Drawn([*top, blocks], len(top) + 1, len(top) + 1)
    top = _said(found.sentence(place.head), Role.EVIDENCE, width, least=1)
    span, weight = found.spans[place.span], found.weights[place.span][place.head]
    if weight is None or span.tokens is None:
        said = _("“{text}” shares a token with its neighbour.", text=span.name)
    else:
        count = span.tokens[1] - span.tokens[0]
        said = ngettext(
            "“{text}”: {share} on {count} token.",
            "“{text}”: {share} on {count} tokens.",
            count,
            text=span.name,
            share=_per_cent(weight),
            count=count,
        )
    top += [*_said(said, Role.PLAIN, width), blocks]
    panel = _panel(heat, "s", (place.span, place.head), place, width)
    return _with_notes(top, panel, (legend(heat), *heat.notes[1:]), width)


def _with_notes(top: list[Row], table: list[Row], notes: tuple[str, ...], width: int) -> Drawn:
    """What is found above a table whose first row names its columns, and what is said of it."""
    rows = [*top, *table]
    return Drawn([*rows, (), *_notes(notes, width)], len(top) + 1, len(rows))


def _panel(heat: HeatMap, kind: str, at: Cell, place: XrayCursor, width: int) -> list[Row]:
    """The rows and columns, with brackets around the cell under the cursor."""
    pointing = Pointing(None if place.above else at)
    shown = frame(heat, width, cell_len, cursor=at)
    return draw_panel(heat, shown, cell_len, lambda row, column: f"{kind}/{row}/{column}", pointing)


# -- words -----------------------------------------------------------------------------------------


def _said(text: str, role: Role, width: int, least: int = 0) -> list[Row]:
    """A sentence in one line where there is room, else in two: always as many, so nothing jumps.

    With `least`, in as many of two as it takes.
    """
    most = 2 if least or width < _WIDE else 1
    lines = wrap(escape_control_characters(text), max(8, width - 2), cell_len)
    if len(lines) > most:
        last = " ".join(lines[most - 1 :])
        while cell_len(last) > width - 3:
            last = last[:-1]
        lines = [*lines[: most - 1], f"{last}…"]
    if not least:
        lines += [""] * (most - len(lines))
    return [(Span(f" {line}", role),) for line in lines]


def _notes(texts: tuple[str, ...], width: int) -> list[Row]:
    return [row for text in texts for row in paragraph(text, Ink.GLOSS, width, cell_len)]


def _per_cent(share: float) -> str:
    """A share in per cent, never a false 0 or 100."""
    if share != share:
        return _("no number")
    if 0 < share < 0.0005:
        return _("less than 0.1 %")
    if 0.9995 <= share < 1:
        return _("over 99.9 %")
    return f"{100 * share:.1f} %"
