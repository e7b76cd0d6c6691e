"""Themes: YAML files of colours, bundled or a person's own, read strictly and measured.

A theme gives the colours of Textual's `Theme` and a colour for each of our own tokens, which style
sheets use as `$cs-break` and so on. Contrast is measured as in WCAG 2.2: 4.5 for text (1.4.3), 3
for marks that carry meaning (1.4.11).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.color import BLACK, WHITE, Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

from core.contract.view import Role
from core.files import paths, shipped, strict_yaml
from core.files.config import Config
from core.text.errors import ConfigError
from core.text.escaping import escape_control_characters, quoted
from core.text.language import N_, _
from core.text.suggestions import suggestion

if TYPE_CHECKING:
    from core.files.strict_yaml import Value

DEFAULT = "dusk"
"""The theme where none is chosen."""

ROLE_TOKENS: tuple[str, ...] = (
    *(f"cs-{role}" for role in Role),
    *("cs-number", "cs-gloss", "cs-bar", "cs-track", "cs-link", "cs-key", "cs-cursor", "cs-demo"),
)
"""Our tokens: one for each role, then bars that were not picked, outlines (`cs-track`), the line
under the cursor (a ground, not an ink) and the badge that says "demonstration"."""

TEXT_CONTRAST = 4.5
MARK_CONTRAST = 3.0
APART = 1.5
"""Least contrast between cause and break, and between right and wrong, so that they differ when
colours cannot be seen, as on a grey projector."""
CURSOR_CONTRAST = 1.8
"""Least contrast between the row under the cursor and the background."""

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
_TEXT_LIMIT = 100
"""Most characters of a title or an author."""


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
    """An error in a theme file, or a contrast that is too low."""

    where: str
    """`file:line`"""
    what: str
    hint: str


def theme_files(folder: Path) -> list[Path]:
    """The theme files of a folder, by name; none where it does not exist. Raises `ConfigError`."""
    try:
        if not folder.exists():
            return []
        return sorted(file for file in folder.iterdir() if file.suffix in {".yaml", ".yml"})
    except OSError as error:
        raise ConfigError(
            _("Cannot be read: {why}.", why=error.strerror), where=str(folder)
        ) from error


def installed_files() -> list[Path]:
    """The bundled theme files and a person's own. Raises `ConfigError`."""
    return [*theme_files(shipped.themes()), *theme_files(paths.themes())]


def load_theme(path: Path) -> NamedTheme:
    """Read one theme file.

    Raises `ConfigError` naming file and line, for anything but a complete theme.
    """
    return _read(path)[0]


def shipped_themes() -> list[NamedTheme]:
    """The bundled themes: the default first, then by name."""
    themes = [_bundled_theme(file) for file in theme_files(shipped.themes())]
    return sorted(themes, key=lambda theme: (theme.name != DEFAULT, theme.name))


def first_theme(wanted: str) -> NamedTheme:
    """The bundled theme called `wanted`, or the default: one file read, for the first picture."""
    file = shipped.themes() / f"{wanted or DEFAULT}.yaml"
    known = file in theme_files(shipped.themes())
    return _bundled_theme(file if known else shipped.themes() / f"{DEFAULT}.yaml")


@cache
def _bundled_theme(file: Path) -> NamedTheme:
    """A bundled theme, read once: its file does not change while the program runs."""
    return load_theme(file)


def user_themes(folder: Path) -> tuple[list[Theme], list[ConfigError]]:
    """The themes in a person's own folder, and the errors of the other files.

    A theme may not take the name of a bundled theme, of one of Textual's or of another file's.
    """
    themes: list[Theme] = []
    problems: list[ConfigError] = []
    taken = {theme.name for theme in shipped_themes()} | set(BUILTIN_THEMES)
    try:
        files = theme_files(folder)
    except ConfigError as error:
        return [], [error]
    for file in files:
        try:
            theme, lines = _read(file)
        except ConfigError as error:
            problems.append(error)
            continue
        if theme.name in taken:
            problems.append(
                ConfigError(
                    _("There is another theme with the name “{name}”.", name=theme.name),
                    where=f"{file}:{lines['name']}",
                    hint=_("Give this one a name of its own."),
                )
            )
            continue
        taken.add(theme.name)
        themes.append(theme)
    return themes, problems


def unknown_theme(
    config: Config, ours: Sequence[str], others: Collection[str]
) -> ConfigError | None:
    """The error of a configuration that names an unknown theme; None for a known one.

    Args:
        config: the person's configuration.
        ours: the names of the bundled themes and the person's own.
        others: further names that may be used, those of Textual's themes.
    """
    wanted = config.theme or DEFAULT
    if wanted in ours or wanted in others:
        return None
    return ConfigError(
        _("There is no theme {name}.", name=quoted(wanted)),
        where=config.origins.get("theme", "theme"),
        hint=suggestion(_("Themes"), ours, wanted),
    )


def check(path: Path) -> list[Finding]:
    """The findings on a theme file: that it cannot be read, or each contrast that is too low."""
    try:
        theme, lines = _read(path)
    except ConfigError as error:
        return [Finding(error.where, error.what, error.hint)]
    return [
        Finding(
            f"{path}:{lines[pair.token]}",
            _(
                "The contrast of {token} with {against} is {ratio:.2f}, and {needed:g} is needed.",
                token=pair.token,
                against=pair.against,
                ratio=pair.ratio,
                needed=pair.needed,
            ),
            _("Make {token} lighter or darker.", token=pair.token),
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
    pairs += [("cs-cause", "cs-break", APART), ("cs-good", "cs-bad", APART)]
    pairs.append(("cs-cursor", "background", CURSOR_CONTRAST))
    return [
        Contrast(ink, ground, contrast_ratio(colours[ink], colours[ground]), needed)
        for ink, ground, needed in pairs
    ]


def contrast_ratio(one: Color, other: Color) -> float:
    """The contrast ratio of two opaque colours, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def variable_defaults(theme: Theme | None = None) -> dict[str, str]:
    """A value for each of our tokens, derived from the colours of a theme that does not set them.

    Textual does not resolve a variable in the default of another, so the values are plain colours
    of `theme`, moved towards black or white until they can be read on its grounds. In an ANSI
    theme, whose real colours only the terminal knows, they are the theme's own.

    Args:
        theme: the present theme; Textual's default when left out.
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
    tokens = {
        token: _legible(colours[source], grounds, _needed(token)).hex
        for token, source in _SOURCES.items()
    }
    return tokens | {"cs-cursor": cursor.hex}


_SOURCES = {
    "cs-plain": "foreground",
    "cs-muted": "foreground-muted",
    "cs-changed": "secondary",
    "cs-cause": "warning",
    "cs-break": "error",
    "cs-evidence": "accent",
    "cs-good": "success",
    "cs-bad": "error",
    "cs-forced": "warning",
    "cs-observed": "secondary",
    "cs-imagined": "accent",
    "cs-absent": "foreground-muted",
    "cs-cut": "error",
    "cs-distractor": "foreground-muted",
    "cs-hinders": "error",
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
    values = {name: getattr(theme, name) for name in _COLOURS} | theme.variables
    return {name: Color.parse(value) for name, value in values.items()}


def _read(path: Path) -> tuple[NamedTheme, dict[str, int]]:
    """A theme, and the line on which its name and each of its colours stands."""
    root = strict_yaml.read(path, _("A theme"), _copy())
    values = root.members(_KEYS, _KEYS, _copy())
    colours = values["colours"].members((*_COLOURS, *_OPTIONAL_COLOURS), _COLOURS, _copy())
    roles = values["roles"].members(ROLE_TOKENS, ROLE_TOKENS, _copy())
    given: dict[str, Any] = {name: _colour(name, value) for name, value in colours.items()}
    tokens = {token: _colour(token, value) for token, value in roles.items()}
    theme = NamedTheme(
        name=_name(values["name"]),
        title=escape_control_characters(values["title"].text(), limit=_TEXT_LIMIT),
        author=escape_control_characters(values["author"].text(), limit=_TEXT_LIMIT),
        dark=values["dark"].truth(),
        variables=tokens | {variable: tokens[token] for variable, token in _FOLLOW.items()},
        **given,
    )
    located = {**colours, **roles, "name": values["name"]}
    return theme, {key: value.line for key, value in located.items()}


def _colour(name: str, value: Value) -> str:
    text = value.text()
    try:
        colour = Color.parse(text)
    except ColorParseError as error:
        near = error.suggested_color
        hint = _("Did you mean “{name}”?", name=near) if near else _(_HEX)
        what = _("{text} is not a colour.", text=quoted(text))
        raise value.error(what, hint) from error
    if colour.ansi is not None or (colour.a < 1 and name not in _TRANSLUCENT):
        what = _("{name} must be an opaque colour of its own.", name=name)
        raise value.error(what, _(_HEX))
    return colour.hex


def _name(value: Value) -> str:
    text = value.text()
    if not _NAME.fullmatch(text):
        raise value.error(
            _("{text} cannot be the name of a theme.", text=quoted(text)),
            _("Use small letters, digits and hyphens, at most 40."),
        )
    return text


_HEX = N_('Write red, green and blue in two hexadecimal digits each: "#RRGGBB".')


def _copy() -> str:
    return _("A copy of the bundled theme “{name}” is a good start.", name=DEFAULT)
