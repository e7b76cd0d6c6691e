"""Themes: YAML files of colours, bundled or a person's own, read strictly and measured.

A theme gives the colours of Textual's `Theme` and a colour for each of our own tokens, which style
sheets use as `$cs-break` and so on. Contrast is measured as in WCAG 2.2: 4.5 for text (1.4.3), 3
for marks that carry meaning (1.4.11).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from textual.color import BLACK, WHITE, Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme
from yaml.nodes import MappingNode, Node, ScalarNode

from core import shipped
from core.errors import ConfigError
from core.nearest import nearest
from core.view import Role
from core.visible import visible

DEFAULT = "dusk"
"""The theme that is put on when none is chosen."""

ROLE_TOKENS: tuple[str, ...] = (
    *(f"cs-{role}" for role in Role),
    *("cs-number", "cs-gloss", "cs-bar", "cs-track", "cs-link", "cs-key", "cs-cursor", "cs-demo"),
)
"""Our tokens: one for each role, then bars that were not picked, outlines (`cs-track`), the line
under the cursor (a ground, not an ink) and the badge that says "demonstration"."""

TEXT_CONTRAST = 4.5
MARK_CONTRAST = 3.0
APART = 1.5
"""Least contrast between cause and break, so that they differ when colours cannot be seen."""

_MARKS = frozenset({"cs-bar", "cs-track"})
_GROUNDS = ("background", "surface", "panel", "cs-cursor")
_KEYS = ("name", "title", "author", "dark", "colours", "roles")
_COLOURS = (
    *("primary", "secondary", "accent", "foreground", "background", "surface", "panel"),
    *("success", "warning", "error"),
)
_OPTIONAL_COLOURS = ("boost",)
_TRANSLUCENT = frozenset({"boost"})
_FOLLOW = {
    "text-disabled": "cs-muted",
    "footer-key-foreground": "cs-key",
    "block-cursor-blurred-background": "cs-cursor",
}
"""Textual's variables that take the colour of one of our tokens; its own choice for hints in empty
inputs (`text-disabled`) is too faint to read."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LIMIT = 100_000
"""Most bytes of a theme file."""


@dataclass
class NamedTheme(Theme):
    """A Textual theme that also says what people call it and who made it."""

    title: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class Contrast:
    """How well one colour stands out from another."""

    token: str
    against: str
    ratio: float
    """WCAG contrast ratio, 1 to 21."""
    needed: float

    @property
    def enough(self) -> bool:
        """Whether the ratio reaches what is needed."""
        return self.ratio >= self.needed


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a theme file."""

    where: str
    """`file:line`"""
    what: str
    hint: str
    contrast: Contrast | None = None
    """The measurement behind it; none when the file cannot be read as a theme."""


def load_theme(path: Path) -> NamedTheme:
    """Read one theme file.

    Raises `ConfigError` naming file and line, for anything but a complete theme.
    """
    return _read(path)[0]


def shipped_themes() -> list[NamedTheme]:
    """The bundled themes: the default first, then by name."""
    themes = [load_theme(file) for file in _files(shipped.themes())]
    return sorted(themes, key=lambda theme: (theme.name != DEFAULT, theme.name))


def first_theme(wanted: str) -> NamedTheme:
    """The bundled theme called `wanted`, or the default: one file read, for the first picture."""
    file = shipped.themes() / f"{wanted or DEFAULT}.yaml"
    known = file in _files(shipped.themes())
    return load_theme(file if known else shipped.themes() / f"{DEFAULT}.yaml")


def user_themes(folder: Path) -> tuple[list[Theme], list[ConfigError]]:
    """The themes in a person's own folder, and what is wrong with the files that hold none.

    A theme may not take the name of a bundled theme, of one of Textual's or of another file's.
    """
    themes: list[Theme] = []
    problems: list[ConfigError] = []
    taken = {theme.name for theme in shipped_themes()} | set(BUILTIN_THEMES)
    try:
        files = _files(folder)
    except OSError as error:
        return [], [ConfigError(f"Cannot be read: {error.strerror}.", where=str(folder))]
    for file in files:
        try:
            theme, lines = _read(file)
        except ConfigError as error:
            problems.append(error)
            continue
        if theme.name in taken:
            problems.append(
                ConfigError(
                    f"There is another theme with the name “{theme.name}”.",
                    where=f"{file}:{lines['name']}",
                    hint="Give this one a name of its own.",
                )
            )
            continue
        taken.add(theme.name)
        themes.append(theme)
    return themes, problems


def check(path: Path) -> list[Finding]:
    """What is wrong with a theme file: that it cannot be read, or each contrast that is too low."""
    try:
        theme, lines = _read(path)
    except ConfigError as error:
        return [Finding(error.where, error.what, error.hint)]
    return [
        Finding(
            f"{path}:{lines[pair.token]}",
            f"The contrast of {pair.token} with {pair.against} is {pair.ratio:.2f}, "
            f"and {pair.needed:g} is needed.",
            f"Make {pair.token} lighter or darker.",
            pair,
        )
        for pair in contrasts(theme)
        if not pair.enough
    ]


def contrasts(theme: Theme) -> list[Contrast]:
    """Every contrast that a complete theme needs, whether it reaches it or not."""
    colours = _own_colours(theme)
    inks = ["foreground", *(token for token in ROLE_TOKENS if token != "cs-cursor")]
    pairs = [(ink, ground, _needed(ink)) for ink in inks for ground in _GROUNDS]
    # An outline goes round a pane, so the line under the cursor never lies beneath it.
    pairs.remove(("cs-track", "cs-cursor", MARK_CONTRAST))
    # Letters on a filled label, such as those for jumping to a pane.
    pairs.append(("primary", "background", TEXT_CONTRAST))
    pairs.append(("cs-cause", "cs-break", APART))
    return [
        Contrast(ink, ground, contrast_ratio(colours[ink], colours[ground]), needed)
        for ink, ground, needed in pairs
    ]


def contrast_ratio(one: Color, other: Color) -> float:
    """The contrast ratio of two opaque colours, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def variable_defaults(theme: Theme | None = None) -> dict[str, str]:
    """A value for each of our tokens, made from the colours of a theme that does not set them.

    Textual does not resolve a variable in the default of another, so the values are plain colours
    of `theme`, moved towards black or white until they can be read on its grounds. In an ANSI
    theme, whose real colours only the terminal knows, they are the theme's own.

    Args:
        theme: the theme that is worn; Textual's default when left out.
    """
    theme = theme or BUILTIN_THEMES["textual-dark"]
    named = theme.to_color_system().generate()
    if theme.ansi:
        ansi = {token: named[source] for token, source in _SOURCES.items()}
        return ansi | {"cs-cursor": named["block-cursor-background"]}
    background = Color.parse(named["background"])
    colours = {name: background + Color.parse(named[name]) for name in _SOURCES.values()}
    grounds = [
        background,
        *(background + Color.parse(named[name]) for name in ("surface", "panel")),
    ]
    cursor = grounds[1].blend(Color.parse(named["primary"]), 0.15, alpha=1)
    grounds.append(cursor)
    made = {
        token: _legible(colours[source], grounds, _needed(token)).hex
        for token, source in _SOURCES.items()
    }
    return made | {"cs-cursor": cursor.hex}


_SOURCES = {
    "cs-plain": "foreground",
    "cs-muted": "foreground-muted",
    "cs-changed": "secondary",
    "cs-cause": "warning",
    "cs-break": "error",
    "cs-evidence": "accent",
    "cs-good": "success",
    "cs-bad": "error",
    "cs-number": "secondary",
    "cs-gloss": "foreground-muted",
    "cs-bar": "foreground-muted",
    "cs-track": "foreground-muted",
    "cs-link": "warning",
    "cs-key": "accent",
    "cs-demo": "warning",
}
"""The colour of any Textual theme that comes nearest to what a token means."""


def _needed(ink: str) -> float:
    return MARK_CONTRAST if ink in _MARKS else TEXT_CONTRAST


def _legible(colour: Color, grounds: Sequence[Color], needed: float) -> Color:
    """The colour, moved as little as possible towards black or white to stand out enough."""

    def least(candidate: Color) -> float:
        return min(contrast_ratio(candidate, ground) for ground in grounds)

    pole = max((WHITE, BLACK), key=least)
    steps = (colour.blend(pole, step / 20, alpha=1) for step in range(20))
    return next((step for step in steps if least(step) >= needed), pole)


def _luminance(colour: Color) -> float:
    """Relative luminance, from 0 for black to 1 for white (WCAG 2.2, "relative luminance")."""
    linear = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in colour.normalized
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _own_colours(theme: Theme) -> dict[str, Color]:
    """The colours that the theme itself gives, by field and by token."""
    given = {name: getattr(theme, name) for name in _COLOURS} | theme.variables
    return {name: Color.parse(value) for name, value in given.items()}


def _files(folder: Path) -> list[Path]:
    if not folder.exists():
        return []
    return sorted(file for file in folder.iterdir() if file.suffix in {".yaml", ".yml"})


def _read(path: Path) -> tuple[NamedTheme, dict[str, int]]:
    """A theme, and the line on which its name and each of its colours stands."""
    if path.exists() and not path.is_file():
        raise ConfigError("This is not a file.", where=str(path))
    try:
        with path.open("rb") as handle:
            raw = handle.read(_LIMIT + 1)
    except OSError as error:
        raise ConfigError(
            f"The theme cannot be read: {error.strerror}.", where=str(path)
        ) from error
    if len(raw) > _LIMIT:
        raise ConfigError("A theme has at most 100 kB.", where=str(path))
    return _Reader(path).theme(raw)


_Values = dict[str, tuple[Node, Node]]


class _Reader:
    """Reads the nodes of one file, so that an error knows its line."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def theme(self, raw: bytes) -> tuple[NamedTheme, dict[str, int]]:
        root = self._compose(raw)
        if root is None:
            raise ConfigError("The file is empty.", where=f"{self._file}:1", hint=_COPY)
        values = self._mapping(root, root, "A theme", _KEYS, _KEYS)
        colours = self._colours(values, "colours", (*_COLOURS, *_OPTIONAL_COLOURS), _COLOURS)
        roles = self._colours(values, "roles", ROLE_TOKENS, ROLE_TOKENS)
        given: dict[str, Any] = {field: colour for field, (colour, _) in colours.items()}
        named = NamedTheme(
            name=self._name(values["name"][1]),
            title=self._text(values["title"][1], "title"),
            author=self._text(values["author"][1], "author"),
            dark=self._truth(values["dark"][1], "dark"),
            variables={
                **{token: colour for token, (colour, _) in roles.items()},
                **{variable: roles[token][0] for variable, token in _FOLLOW.items()},
            },
            **given,
        )
        lines = {key: line for key, (_, line) in (*colours.items(), *roles.items())}
        return named, lines | {"name": _line(values["name"][0])}

    def _compose(self, raw: bytes) -> Node | None:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise ConfigError(
                "The file is not UTF-8 text.",
                where=f"{self._file}:{line}",
                hint="Save it as UTF-8.",
            ) from error
        try:
            return yaml.compose(text, Loader=yaml.SafeLoader)
        except RecursionError as error:
            raise ConfigError("The file is nested too deeply.", where=str(self._file)) from error
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            raise ConfigError(
                "The file holds a control character.", where=f"{self._file}:{line}"
            ) from error
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise ConfigError(
                f"This is not YAML: {error.problem or error.context}.",
                where=f"{self._file}:{mark.line + 1}" if mark else str(self._file),
                hint="The mistake can also be on a line before.",
            ) from error

    def _mapping(
        self, node: Node, name: Node, what: str, known: Iterable[str], needed: Iterable[str]
    ) -> _Values:
        """The values of a mapping by key; `name` is where a missing one is reported."""
        if not isinstance(node, MappingNode):
            raise self._error(node, f"{what} must be keys with values.", "Write key: value.")
        found: _Values = {}
        for key, value in node.value:
            text = self._text(key, "A key")
            if text not in known:
                near = nearest(text, known)
                raise self._error(
                    key,
                    f"{what} has no “{visible(text, limit=60)}”.",
                    f"Did you mean “{near[0]}”?" if near else f"Known: {', '.join(known)}.",
                )
            if text in found:
                raise self._error(key, f"“{text}” stands here twice.", "Keep one of the two.")
            found[text] = (key, value)
        missing = [key for key in needed if key not in found]
        if missing:
            raise self._error(name, f"{what} lacks {', '.join(missing)}.", _COPY)
        return found

    def _colours(
        self, values: _Values, key: str, known: Iterable[str], needed: Iterable[str]
    ) -> dict[str, tuple[str, int]]:
        """Colour and line by name."""
        name, node = values[key]
        found = self._mapping(node, name, f"“{key}”", known, needed)
        return {part: (self._colour(value, part), _line(at)) for part, (at, value) in found.items()}

    def _colour(self, node: Node, key: str) -> str:
        text = self._text(node, key)
        try:
            colour = Color.parse(text)
        except ColorParseError as error:
            near = error.suggested_color
            what = f"“{visible(text, limit=60)}” is not a colour."
            raise self._error(node, what, f"Did you mean “{near}”?" if near else _HEX) from error
        if colour.ansi is not None or (colour.a < 1 and key not in _TRANSLUCENT):
            raise self._error(node, f"{key} must be an opaque colour of its own.", _HEX)
        return colour.hex

    def _name(self, node: Node) -> str:
        text = self._text(node, "name")
        if not _NAME.fullmatch(text):
            raise self._error(
                node,
                f"“{visible(text, limit=60)}” cannot be the name of a theme.",
                "Use small letters, digits and hyphens, at most 40.",
            )
        return text

    def _text(self, node: Node, key: str) -> str:
        is_text = isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:str"
        if not is_text or not node.value.strip():
            raise self._error(
                node, f"{key} must be a text.", "Put it in quotes: a bare # starts a comment."
            )
        return visible(str(node.value), limit=100)

    def _truth(self, node: Node, key: str) -> bool:
        if not (isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:bool"):
            raise self._error(node, f"{key} must be true or false.", "")
        return node.value.lower() in {"true", "yes", "on"}

    def _error(self, node: Node, what: str, hint: str) -> ConfigError:
        return ConfigError(what, where=f"{self._file}:{_line(node)}", hint=hint)


_HEX = 'Write red, green and blue in two hexadecimal digits each: "#RRGGBB".'
_COPY = f"A copy of the bundled theme “{DEFAULT}” is a good start."


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
