"""Parts shared by all self-contained pages: policy, colours, escaping, legend.

The policy has the hashes of our own styles and scripts, so that no others can act. The template
escapes all texts.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from core.contract.view import Graph, Role
from core.exchange.exporters.colours import DARK, LIGHT, STEPS, colours, heat_variables
from core.exchange.exporters.looks import LOOKS, legend_words
from core.exchange.exporters.paths import Box, outline_paths
from core.text.escaping import escape_control_characters

if TYPE_CHECKING:
    from jinja2 import Environment, Template


OWN_FOLDER = (
    "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'"
)
"""A content security policy of pages that share files: nothing in a page runs, and nothing is
loaded from elsewhere. From a disk, browsers check no hashes of files."""


@cache
def template(name: str, folder: str = "exporters") -> Template:
    """A template of a folder of `core.exchange`, which escapes whatever it is given."""
    return _environment().get_template(f"{folder}/{name}")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def read(address: str) -> str:
        folder, _slash, name = address.partition("/")
        return package_file(name, folder)

    return Environment(
        loader=FunctionLoader(read),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


@cache
def package_file(name: str, folder: str = "exporters") -> str:
    """The text of a file in a folder of `core.exchange`."""
    return (files("core.exchange") / folder / name).read_text(encoding="utf-8")


def policy(styles: Iterable[str], scripts: Iterable[str]) -> str:
    """A content security policy under which nothing but these texts runs, and nothing is loaded."""
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in texts)
    named = (f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)
    return " ".join(named) or "'none'"


def variables() -> str:
    """CSS rules with the colours of the light and the dark theme as variables.

    The reader's preference decides, or the attribute `data-theme` of the page; paper is light.
    """
    light, dark = (_variables(theme) for theme in (LIGHT, DARK))
    return (
        f":root{{{light}}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f":root[data-theme=dark]{{{dark}}}"
        f"@media print{{:root:root[data-theme],:root:root{{{light}}}}}"
    )


def _variables(theme: str) -> str:
    known = colours(theme)
    return "".join(f"--{n}:{colour};" for n, colour in {**known, **heat_variables(known)}.items())


def heat_grounds() -> str:
    """CSS rules for the cells of a heat map, based on these variables."""
    return "".join(
        f".heat .h{step}{{background:var(--heat-{step});color:var(--heat-ink-{step})}}"
        for step in range(STEPS)
    )


def escape_texts(value: Any) -> Any:
    """The same lists and mappings with control characters escaped in every text."""
    match value:
        case Role():
            return value
        case str():
            return escape_control_characters(value)
        case dict():
            return {key: escape_texts(part) for key, part in value.items()}
        case list() | tuple():
            return [escape_texts(part) for part in value]
        case _:
            return value


def legend(graphs: Sequence[Graph]) -> list[dict[str, Any]]:
    """Legend entries for the roles that occur in some graphs."""
    used = {node.role for graph in graphs for node in graph.nodes}
    used |= {link.role for graph in graphs for link in graph.links}
    words, entries = legend_words(graphs), []
    for role in (role for role in Role if role in used):
        look = LOOKS[role]
        entries.append(
            {
                "role": role,
                "word": words[role],
                "paths": outline_paths(look, Box(29.0, 15.0, 52.0, 24.0)),
                "weight": look.weight,
                "dash": " ".join(map(str, look.dash)),
            }
        )
    return entries
