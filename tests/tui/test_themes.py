"""Themes: every token readable in every theme, and no wrong file accepted or explained badly."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.app import App, ComposeResult
from textual.color import Color, rgb_to_lab
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import Input, Static

from core.contract.view import Role
from core.files import shipped
from core.layout.rows import SIGNS
from core.text.errors import ConfigError
from tui.shell import themes

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("dusk", "clear", "contrast", "daylight", "paper", "pine", "podium", "terracotta")
LIGHT = {"daylight", "paper", "podium", "terracotta"}
STRONG = {"contrast", "podium"}
"""Themes whose texts reach 7 to 1: WCAG's level AAA."""
GROUNDS = ("background", "surface", "panel", "cs-cursor")
PANES = ("background", "surface", "panel")
MARKS = ("cs-bar", "cs-track")
TEXTS = tuple(token for token in themes.ROLE_TOKENS if token not in (*MARKS, "cs-cursor"))
DUSK = (shipped.themes() / "dusk.yaml").read_text(encoding="utf-8")

# Machado, Oliveira and Fernandes (2009), table 1, severity 1.0, for linear red, green and blue.
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
PROTANOPIA = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)


def linear(colour: Color) -> list[float]:
    """The channels without sRGB's transfer curve."""
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized]


def wcag(one: str, other: str) -> float:
    """The contrast ratio, worked out here so that the program is not its own judge."""
    light = []
    for name in (one, other):
        red, green, blue = linear(Color.parse(name))
        light.append(0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    return max(light) / min(light)


def seen_with(colour: str, matrix: tuple[tuple[float, ...], ...]) -> Color:
    """A colour as a colour-blind reader sees it."""
    channels = linear(Color.parse(colour))
    seen = []
    for row in matrix:
        c = min(1.0, max(0.0, sum(w * channel for w, channel in zip(row, channels, strict=True))))
        seen.append(round(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055)))
    red, green, blue = seen
    return Color(red, green, blue)


def colours_of(theme: Theme) -> dict[str, str]:
    """What style sheets get from a theme, our tokens included."""
    return {
        **themes.variable_defaults(theme),
        **theme.to_color_system().generate(),
        **theme.variables,
    }


@pytest.fixture(params=NAMES)
def theme(request: pytest.FixtureRequest) -> themes.NamedTheme:
    return themes.load_theme(shipped.themes() / f"{request.param}.yaml")


def test_the_bundled_themes_are_these_and_the_default_comes_first() -> None:
    assert tuple(theme.name for theme in themes.shipped_themes()) == NAMES
    assert themes.shipped_themes()[0].name == themes.DEFAULT
    assert not {theme.name for theme in themes.shipped_themes()} & set(BUILTIN_THEMES)
    assert {theme.name for theme in themes.shipped_themes() if not theme.dark} == LIGHT


def test_every_role_has_a_token() -> None:
    assert {f"cs-{role}" for role in Role} <= set(themes.ROLE_TOKENS)


# -- what can be read ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("white", "black", 21),
        ("white", "white", 1),
        ("white", "#767676", 4.54),
        ("red", "white", 4),
    ],
)
def test_the_contrast_ratio_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    measured = themes.contrast_ratio(Color.parse(one), Color.parse(other))
    assert measured == pytest.approx(ratio, abs=0.005)
    assert measured == pytest.approx(wcag(one, other))


def test_text_is_readable_on_every_ground(theme: themes.NamedTheme) -> None:
    colours = colours_of(theme)
    needed = 7.0 if theme.name in STRONG else 4.5
    for text in (*TEXTS, "foreground"):
        for ground in GROUNDS:
            ratio = wcag(colours[text], colours[ground])
            assert ratio >= needed, f"{text} on {ground}: {ratio:.2f}"


def test_marks_and_the_focus_outline_stand_out(theme: themes.NamedTheme) -> None:
    colours = colours_of(theme)
    for mark in (*MARKS, "primary"):
        for ground in ("background", "surface", "panel"):
            assert wcag(colours[mark], colours[ground]) >= 3, f"{mark} on {ground}"
    assert wcag(colours["cs-bar"], colours["cs-cursor"]) >= 3
    assert wcag(colours["background"], colours["primary"]) >= 4.5


def test_the_line_under_the_cursor_is_seen(theme: themes.NamedTheme) -> None:
    colours = colours_of(theme)
    for ground in ("background", "surface", "panel"):
        assert wcag(colours["cs-cursor"], colours[ground]) >= 1.1, ground
    assert wcag(colours["cs-cursor"], colours["background"]) >= 1.8


def test_hints_in_empty_inputs_can_be_read(theme: themes.NamedTheme) -> None:
    colours = colours_of(theme)
    assert wcag(colours["text-disabled"], colours["surface"]) >= 4.5


def test_cause_and_break_differ_without_colour(theme: themes.NamedTheme) -> None:
    assert wcag(theme.variables["cs-cause"], theme.variables["cs-break"]) >= 1.5


def test_right_and_wrong_differ_on_a_projector_without_colour(theme: themes.NamedTheme) -> None:
    assert wcag(theme.variables["cs-good"], theme.variables["cs-bad"]) >= 1.5


@pytest.mark.parametrize("matrix", [DEUTERANOPIA, PROTANOPIA], ids=["deuteranopia", "protanopia"])
@pytest.mark.parametrize(
    ("name", "one", "other", "apart"),
    [
        ("clear", "cs-cause", "cs-break", 40),
        ("clear", "cs-good", "cs-bad", 40),
        ("daylight", "cs-cause", "cs-break", 40),
        ("daylight", "cs-good", "cs-bad", 40),
        ("daylight", "cs-forced", "cs-observed", 40),
        ("daylight", "cs-forced", "cs-imagined", 40),
        ("daylight", "cs-plain", "cs-changed", 40),
        ("daylight", "cs-break", "cs-evidence", 40),
        ("daylight", "cs-bad", "cs-evidence", 40),
        ("daylight", "cs-observed", "cs-imagined", 20),
        ("daylight", "cs-cause", "cs-evidence", 20),
        ("daylight", "cs-good", "cs-evidence", 20),
    ],
)
def test_what_claims_it_keeps_roles_apart_for_colour_blind_readers(
    name: str, one: str, other: str, apart: float, matrix: tuple[tuple[float, ...], ...]
) -> None:
    worn = themes.load_theme(shipped.themes() / f"{name}.yaml")
    assert "colour-blind safe" in worn.title
    labs = [rgb_to_lab(seen_with(worn.variables[token], matrix)) for token in (one, other)]
    assert math.dist(*labs) >= apart


def test_no_two_themes_look_alike() -> None:
    """Ground and outline together say at a glance which theme is worn."""
    looks = []
    for theme in themes.shipped_themes():
        pair = [rgb_to_lab(Color.parse(c)) for c in (theme.background or "", theme.primary)]
        looks.append([value for lab in pair for value in lab])
    assert min(math.dist(a, b) for i, a in enumerate(looks) for b in looks[:i]) >= 20


def in_sixteen(colour: str) -> int:
    """The colour that a terminal of sixteen colours shows in its place."""
    number = RichColor.parse(colour).downgrade(ColorSystem.STANDARD).number
    assert number is not None
    return number


def test_no_text_disappears_on_a_terminal_of_sixteen_colours(theme: themes.NamedTheme) -> None:
    colours = colours_of(theme)
    for text in TEXTS:
        for ground in GROUNDS:
            assert in_sixteen(colours[text]) != in_sixteen(colours[ground]), f"{text} on {ground}"


def test_the_theme_of_high_contrast_keeps_it_in_sixteen_colours() -> None:
    colours = colours_of(themes.load_theme(shipped.themes() / "contrast.yaml"))
    shown = {
        name: RichColor.from_ansi(in_sixteen(colours[name])).get_truecolor()
        for name in (*TEXTS, *PANES)
    }
    for text in TEXTS:
        for ground in PANES:
            ratio = themes.contrast_ratio(Color(*shown[text]), Color(*shown[ground]))
            assert ratio >= 3, f"{text} on {ground}: {ratio:.2f}"


def test_every_role_that_tells_something_has_a_sign_of_its_own() -> None:
    signs = [SIGNS[role] for role in Role if role not in {Role.PLAIN, Role.MUTED}]
    assert len(set(signs)) == len(signs)
    assert all(sign.strip() for sign in signs)


@pytest.mark.parametrize("name", [name for name, theme in BUILTIN_THEMES.items() if not theme.ansi])
def test_textuals_own_themes_get_readable_tokens(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    made = themes.variable_defaults(theme)
    assert set(made) == set(themes.ROLE_TOKENS)
    colours = colours_of(theme)
    for token in (*TEXTS, *MARKS):
        for ground in GROUNDS:
            under = (Color.parse(colours["background"]) + Color.parse(colours[ground])).hex
            assert wcag(made[token], under) >= (3 if token in MARKS else 4.5), f"{token}, {ground}"


# -- where colours stand ---------------------------------------------------------------------------


def sources() -> Iterator[Path]:
    for folder, patterns in (("core", ["*.py"]), ("tui", ["*.py", "*.tcss"])):
        for pattern in patterns:
            yield from (ROOT / folder).rglob(pattern)


def test_no_colour_is_written_outside_the_themes() -> None:
    written = re.compile(r"#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})\b|\brgba?\(\s*\d")
    assert written.search(DUSK)
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in sources()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if written.search(line)
    ]
    assert found == []


def test_every_token_that_is_used_exists() -> None:
    used = {
        token
        for file in sources()
        for token in re.findall(r"\$(cs-[a-z-]+)", file.read_text(encoding="utf-8"))
    }
    assert used <= set(themes.ROLE_TOKENS)


# -- files that are not themes ---------------------------------------------------------------------


def line_of(text: str) -> int:
    """The line of the dusk theme that starts with `text`."""
    return next(n for n, line in enumerate(DUSK.splitlines(), 1) if line.strip().startswith(text))


def instead(old: str, new: str) -> str:
    """The dusk theme with its line that starts with `old` replaced."""
    lines = DUSK.splitlines(keepends=True)
    at = line_of(old) - 1
    indent = len(lines[at]) - len(lines[at].lstrip())
    lines[at] = " " * indent + new + "\n" if new else ""
    return "".join(lines)


WRONG_LINES = {
    "unknown key": ("author", "autor: A", "“autor”", "“author”"),
    "unknown colour": ("accent", 'acent: "#FFFFFF"', "“acent”", "“accent”"),
    "unknown role": ("cs-break", 'cs-brake: "#FFFFFF"', "“cs-brake”", "“cs-break”"),
    "bad colour": ("cs-cause", 'cs-cause: "#F5CC7"', "“#F5CC7” is not a colour", "#RRGGBB"),
    "misspelt colour": ("cs-key", "cs-key: yelow", "“yelow”", "yellow"),
    "translucent role": ("cs-key", 'cs-key: "#FFFFFF80"', "opaque", "#RRGGBB"),
    "automatic colour": ("surface", "surface: auto", "not a colour", ""),
    "terminal colour": ("panel", "panel: ansi_red", "opaque", ""),
    "unquoted colour": ("success", "success: #9BCB8B", "text", "quote"),
    "number": ("cs-bad", "cs-bad: 123456", "text", "quote"),
    "text for truth": ("dark", 'dark: "true"', "true or false", ""),
    "mapping for text": ("title", "title: {a: b}", "text", ""),
    "key twice": ("author", "title: Again", "twice", "one of the two"),
    "role twice": ("cs-bad", 'cs-good: "#FFFFFF"', "twice", "one of the two"),
    "bad name": ("name", "name: Dusk 2", "name of a theme", "hyphens"),
    "control character": ("title", 'title: "\x1b]0;x"', "control character", ""),
    "control character that is escaped": ("cs-key", r'cs-key: "\e[2J"', "␛[2J", ""),
}
"""By what is wrong: the start of the line that is replaced, by what, what is said, the hint."""

WRONG = {
    "missing key": (instead("title", ""), line_of("name"), "lacks title", "dusk"),
    "missing colour": (instead("primary", ""), line_of("colours"), "lacks primary", "dusk"),
    "missing role": (instead("cs-demo", ""), line_of("roles"), "lacks cs-demo", "dusk"),
    "list for mapping": (
        DUSK[: DUSK.index("roles:")] + "roles: []",
        line_of("roles"),
        "roles must be",
        "name: value",
    ),
    "not a mapping": ("- dusk\n- paper\n", 1, "names with values", "name: value"),
    "empty": ("", 1, "empty", "dusk"),
    "only a comment": ("# nothing\n", 1, "empty", "dusk"),
    **{
        case: (instead(old, new), line_of(old), what, hint)
        for case, (old, new, what, hint) in WRONG_LINES.items()
    },
}
"""By what is wrong: the file, the line of the complaint, what is said, the hint."""


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_at_its_line(case: str, tmp_path: Path) -> None:
    text, line, what, hint = WRONG[case]
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(ConfigError) as caught:
        themes.load_theme(file)
    assert caught.value.where == f"{file}:{line}", caught.value
    assert what in caught.value.what
    assert hint in caught.value.hint
    assert "\x1b" not in str(caught.value)
    found = themes.check(file)
    assert [(f.where, f.what, f.hint) for f in found] == [
        (caught.value.where, caught.value.what, caught.value.hint)
    ]


def test_a_theme_may_name_a_colour_once_and_use_it_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    text = instead("cs-good", 'cs-good: &mint "#9BE3B4"').replace("cs-bad:", "cs-bad: *mint #")
    file.write_text(text, encoding="utf-8")
    assert themes.load_theme(file).variables["cs-bad"] == "#9BE3B4"


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.tuples(st.integers(0, len(DUSK)), st.text(max_size=12)).map(
            lambda cut: (DUSK[: cut[0]] + cut[1] + DUSK[cut[0] + 5 :]).encode("utf-8", "replace")
        ),
        st.from_regex(r"(#|rgb\(|hsl\(|auto|ansi_)[0-9a-f.,% ()-]{0,12}", fullmatch=True).map(
            lambda colour: instead("cs-bad", f'cs-bad: "{colour}"').encode()
        ),
    )
)
def test_any_bytes_are_a_theme_or_a_configuration_error(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_bytes(raw)
    found = themes.check(file)
    try:
        theme = themes.load_theme(file)
    except ConfigError:
        assert found[0].where.startswith(str(file))
        assert found[0].what
    else:
        assert set(themes.ROLE_TOKENS) <= set(theme.variables)
        assert theme.to_color_system().generate()


# -- a person's own themes -------------------------------------------------------------------------


def test_a_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(instead("name", "name: first"), encoding="utf-8")
    (tmp_path / "b.yaml").write_text("name: [", encoding="utf-8")
    (tmp_path / "c.yml").write_text(instead("name", "name: last"), encoding="utf-8")
    (tmp_path / "d.yaml").mkdir()
    (tmp_path / "notes.txt").write_text("not a theme", encoding="utf-8")
    found, problems = themes.user_themes(tmp_path)
    assert [theme.name for theme in found] == ["first", "last"]
    assert [Path(problem.where.split(":")[0]).name for problem in problems] == ["b.yaml", "d.yaml"]


@pytest.mark.parametrize("taken", ["dusk", "nord", "mine"])
def test_a_name_is_used_once(taken: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(instead("name", "name: mine"), encoding="utf-8")
    (tmp_path / "b.yaml").write_text(instead("name", f"name: {taken}"), encoding="utf-8")
    found, problems = themes.user_themes(tmp_path)
    assert [theme.name for theme in found] == ["mine"]
    assert [problem.where for problem in problems] == [f"{tmp_path / 'b.yaml'}:{line_of('name')}"]


def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path) -> None:
    file = tmp_path / "themes"
    file.write_text("", encoding="utf-8")
    found, problems = themes.user_themes(file)
    assert found == []
    assert [problem.where for problem in problems] == [str(file)]


def test_no_folder_holds_no_themes(tmp_path: Path) -> None:
    assert themes.user_themes(tmp_path / "none") == ([], [])


def test_check_finds_nothing_in_the_bundled_themes() -> None:
    found = {file.stem: themes.check(file) for file in shipped.themes().glob("*.yaml")}
    assert found == {name: [] for name in NAMES}


def test_check_says_how_far_a_contrast_is_off(tmp_path: Path) -> None:
    file = tmp_path / "faint.yaml"
    file.write_text(instead("cs-muted", 'cs-muted: "#505A70"'), encoding="utf-8")
    found = themes.check(file)
    assert {f.where for f in found} == {f"{file}:{line_of('cs-muted')}"}
    theme = themes.load_theme(file)
    for finding, ground in zip(found, GROUNDS, strict=True):
        ratio = wcag("#505A70", colours_of(theme)[ground])
        assert f"with {ground} is {ratio:.2f}" in finding.what


# -- worn by a program -----------------------------------------------------------------------------


class Wardrobe(App[None]):
    """Shows a word in every token."""

    CSS = "\n".join(
        f".{token} {{ color: ${token}; border: round $cs-track; background: $cs-cursor; }}"
        for token in themes.ROLE_TOKENS
    )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return themes.variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        yield Input(placeholder="hint")
        for token in themes.ROLE_TOKENS:
            yield Static(token, id=token, classes=token)


async def test_every_theme_can_be_worn() -> None:
    app = Wardrobe()
    async with app.run_test(size=(40, 60)) as pilot:
        for theme in themes.shipped_themes():
            app.register_theme(theme)
        for name in (*NAMES, *BUILTIN_THEMES):
            app.theme = name
            await pilot.pause()
            expected = colours_of(app.available_themes[name])
            for token in themes.ROLE_TOKENS:
                worn = app.query_one(f"#{token}").styles.color
                meant = Color.parse(expected[token].split()[0])
                assert (*worn.rgb, worn.ansi) == (*meant.rgb, meant.ansi), f"{token} in {name}"
                assert token in "".join(app.query_one(f"#{token}").render_line(0).text.split()), (
                    name
                )


async def test_defaults_without_a_theme_can_be_worn() -> None:
    class Plain(Wardrobe):
        def get_theme_variable_defaults(self) -> dict[str, str]:
            return themes.variable_defaults()

    async with Plain().run_test(size=(40, 60)) as pilot:
        await pilot.pause()
        assert pilot.app.query_one("#cs-break").styles.color == Color.parse(
            themes.variable_defaults()["cs-break"]
        )
