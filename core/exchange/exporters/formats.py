"""The export formats by name, for the command line and the export dialogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module

from core.exchange.exporters.arrangement import MANY
from core.exchange.exporters.document import Document
from core.exchange.exporters.graph_of_view import graph_of_view
from core.text.errors import NotFoundError
from core.text.language import N_, _, in_english
from core.text.suggestions import suggestion


@dataclass(frozen=True, slots=True)
class Format:
    """An export format."""

    name: str
    suffix: str
    about: str
    """What it is good for, in a few words."""
    where: str
    """Module of this package and function that writes it; imported when it is used."""
    readings: bool = False
    """Whether the format can hold heat maps of a model's blocks."""
    translated: bool = False
    """Whether it is written in the language of the program; all others are English."""


FORMATS: Mapping[str, Format] = {
    form.name: form
    for form in (
        Format(
            "html",
            ".html",
            N_("a page that works offline, all states side by side"),
            "page:page",
            readings=True,
            translated=True,
        ),
        Format("svg", ".svg", N_("a picture"), "svg:svg"),
        Format("md", ".md", N_("Markdown, all states"), "markdown:markdown", True),
        Format("text", ".txt", N_("plain text"), "plain_text:plain_text", True),
        Format(
            "json", ".json", N_("everything, for programs, all states"), "json_form:json_form", True
        ),
        Format("graphml", ".graphml", N_("a graph for networkx, Gephi, yEd"), "graphml:graphml"),
        Format("dot", ".dot", N_("a graph for Graphviz"), "dot:dot"),
        Format("mermaid", ".mmd", N_("a flowchart for Markdown pages"), "mermaid:mermaid"),
    )
}
_PICTURES = frozenset({"html", "svg"})


def export(name: str, document: Document) -> bytes:
    """A document in the format called `name`, as UTF-8 with line feeds, the same each time.

    A document in English is needed for all formats but those that are translated.

    Raises `NotFoundError` for an unknown format, `ExportError` for a view that the format cannot
    hold.
    """
    form = format_named(name)
    module, function = form.where.split(":")
    imported = import_module(f"core.exchange.exporters.{module}")
    write: Callable[[Document], str] = getattr(imported, function)
    with nullcontext() if form.translated else in_english():
        return write(document).encode("utf-8")


def format_named(name: str) -> Format:
    """The format called `name`; raises `NotFoundError`."""
    try:
        return FORMATS[name]
    except KeyError:
        raise NotFoundError(
            _("There is no format “{name}”.", name=name),
            hint=suggestion(_("Formats"), FORMATS, name),
        ) from None


def warning(name: str, document: Document) -> str:
    """A warning to show with the written file; empty where there is none."""
    graph = graph_of_view(document.first.view)
    warnings = []
    if name in _PICTURES and graph is not None and len(graph.nodes) > MANY:
        count = len(graph.nodes)
        message = _(
            "A picture of more than {many:,} nodes is slow to move; this one has {count:,}."
        )
        warnings.append(message.format(count=count, many=MANY))
    if document.readings and not format_named(name).readings:
        message = _("The heat maps of the model's blocks are not in it: {why}")
        warnings.append(message.format(why=no_heat_maps_reason(name)))
    return " ".join(warnings)


def no_heat_maps_reason(name: str) -> str:
    """Why a format has no heat maps, and which formats have them."""
    capable = [form.name for form in FORMATS.values() if form.readings]
    message = _("{format} has no place for it; {formats} and {last} have.")
    return message.format(format=name, formats=", ".join(capable[:-1]), last=capable[-1])
