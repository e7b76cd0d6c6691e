"""What is shown of a study whose result is a map of cells: the finding, its map and its method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.layout.figures import p_text
from core.layout.heatmap import HeatMap, HeatRow
from core.models.blocks import MIN_MARGIN_DIFFERENCE
from core.statistics.max_t import DRAWS, FEWEST_CLUSTERS
from core.studies.cells import LEAST_EFFECT, LEVEL, found_cells
from core.studies.plan import Study
from core.studies.report import Cell as StudyCell
from core.studies.report import StudyTable, count_words, demo_warning, layer_shown
from core.text.language import _, fill, ngettext
from core.text.quantities import clusters_in_words, items_in_words
from core.text.shown_number import ShownNumber

_LEAST_FULL = 1.0
"""The least effect in nats that fills a cell."""
TABLE = (
    "n", "effect", "low", "high", "control", "n_control", "difference", "difference_low",
    "difference_high", "p_adjusted",
)  # fmt: skip
"""The columns of figures; two for the names of row and column stand before them."""
ALL = "all valid pairs"
"""The group of rows of the table that are about all of them."""
Cells = dict[str, Any]
"""The result of a study, with the figures of `core.studies.cells.cell_figures`."""


def finding(result: Cells, rows: Sequence[str], columns: Sequence[str], cell: str) -> str:
    """The cell with the largest effect beyond its control, or why none is named.

    Args:
        result: the figures.
        rows: the names of the map's rows.
        columns: those of its columns.
        cell: how a cell is named, with places for `row` and `column`.
    """
    if not result["n"]:
        return _("No item of {of} has a valid pair, so nothing is said.", of=result["of"])
    controlled = len(
        {
            item["cluster"]
            for item in result["items"]
            if item["valid"] and item["control"] is not None
        }
    )
    if controlled < FEWEST_CLUSTERS:
        return ngettext(
            "No cell is named: {n} valid pair, but controls in {clusters} only; with fewer than "
            "{least} no test can find anything.",
            "No cell is named: {n} valid pairs, but controls in {clusters} only; with fewer than "
            "{least} no test can find anything.",
            result["n"],
            n=result["n"],
            clusters=clusters_in_words(controlled),
            least=FEWEST_CLUSTERS,
        )
    named = found_cells(result)
    known = [p for values in result["p"] for p in values if p is not None]
    if not named:
        return _(
            "No cell differs from its control beyond chance and by {least:g} nats: the smallest "
            "adjusted p-value of {cells} cells is {p:.2f}.",
            least=LEAST_EFFECT,
            cells=len(known),
            p=min(known, default=1.0),
        )
    row, column = named[0]
    effect = result["effect"][row][column]
    pairs, found = result["n_by_row"][row], len(named)
    sentence = _(
        "{cell} raises the right option by {effect:.2f} nats{interval} over {pairs}; its control "
        "changes it by {control:+.2f} (adjusted p {p}). {found}"
    )
    if effect < 0:
        sentence = _(
            "{cell} lowers the right option by {effect:.2f} nats{interval} over {pairs}; its "
            "control changes it by {control:+.2f} (adjusted p {p}). {found}"
        )
    return fill(
        sentence,
        cell=cell.format(row=rows[row], column=columns[column]),
        effect=abs(effect),
        interval=interval_text(result["interval"][row][column], -1 if effect < 0 else 1),
        pairs=ngettext("{n:,} valid pair", "{n:,} valid pairs", pairs, n=pairs),
        control=ShownNumber(result["control"][row][column]),
        p=p_text(result["p"][row][column]),
        found=ngettext(
            "{found} of the {cells} cells that have a control differs from it.",
            "{found} of the {cells} cells that have a control differ from it.",
            found,
            found=found,
            cells=len(known),
        ),
    )


def interval_text(interval: Sequence[float] | None, sign: int = 1) -> str:
    """An interval in brackets after a blank; empty without one."""
    if interval is None:
        return ""
    low, high = sorted(sign * end for end in interval)
    return f" [{ShownNumber(low):.2f}, {ShownNumber(high):.2f}]"


def method(study: Study, result: Cells, copied: str, *others: str) -> tuple[str, ...]:
    """How the figures were got, in sentences; `copied` says what is copied, `others` what else."""
    plan = study.plan
    excluded = count_words([(_(reason), count) for reason, count in result["excluded"].items()])
    values = ", ".join(f"{key}={value}" for key, value in plan.setting)
    return (
        _(
            "Valid pairs: {n} of {items}, in {clusters}. In a valid pair the model is right, a "
            "change that keeps every part as long brings the other answer, and the margins differ "
            "by {least:g} nat or more; of the changes tried the smallest such one is taken.",
            n=result["n"],
            items=items_in_words(result["of"]),
            clusters=clusters_in_words(result["clusters"]),
            least=MIN_MARGIN_DIFFERENCE,
        ),
        _("Left out: {excluded}.", excluded=excluded or _("none")),
        copied,
        _(
            "Effect: what the copy adds to the log-likelihood of the right option less that of the "
            "other, in nats; the mean over items. Intervals: 95 %, Student's t over whole clusters."
        ),
        _(
            "Control, known for {items}: the same copy from a prompt of another cluster that "
            "has as many tokens and gets the contrast prompt's answer; of those whose parts lie "
            "nearest one is drawn, with seed {seed}. P-values of effect minus control: signs of "
            "clusters are changed, {draws:,} times or in all ways, and the largest statistic of "
            "all cells counts (level {level:g}).",
            items=items_in_words(
                sum(item["control"] is not None for item in result["items"] if item["valid"])
            ),
            seed=plan.seed,
            draws=DRAWS,
            level=LEVEL,
        ),
        *others,
        _(
            "{benchmark}, layer {layer}{setting}, {form} prompt, collection {collection}; model "
            "{model}, fingerprint {fingerprint}; study {study}.",
            benchmark=plan.benchmark,
            layer=layer_shown(plan.benchmark, plan.layer),
            setting=f", {values}" if values else "",
            form=plan.form,
            collection=plan.collection_hash[:12],
            model=plan.model,
            fingerprint=plan.fingerprint[:12],
            study=study.id,
        ),
        *demo_warning(plan),
    )


def cell_map(
    title: str,
    result: Cells,
    rows: Sequence[str],
    columns: Sequence[str],
    across: str,
    notes: Sequence[str],
) -> HeatMap:
    """The mean effects as a heat map; its rows say of how many items they are."""
    effects = [abs(value) for values in result["effect"] for value in values if value is not None]
    full = max([_LEAST_FULL, *effects])
    return HeatMap(
        title=title,
        rows=tuple(
            HeatRow(f"{name} ({n})", tuple(values), ref=str(index))
            for index, (name, n, values) in enumerate(
                zip(rows, result["n_by_row"], result["effect"], strict=True)
            )
        ),
        columns=tuple(columns),
        figure=_("mean effect in nats, of which {full:.2f} fills a cell", full=full),
        full=full,
        notes=tuple(notes),
        across=across,
        # Only the figures of all pairs have a control.
        marked=frozenset(found_cells(result)) if "control" in result else frozenset(),
        mark_meaning=_("differs from its control"),
    )


def cell_table(
    result: Cells, rows: Sequence[str], columns: Sequence[str], names: tuple[str, str]
) -> StudyTable:
    """A row for every cell of all valid pairs, then of each group; `names` are of row and column.

    Groups have no control of their own.
    """
    figures: list[tuple[StudyCell, ...]] = []
    for group in ({"group": ALL, **result}, *result.get("split", ())):
        for row, name in enumerate(rows):
            for column, other in enumerate(columns):
                low, high = group["interval"][row][column] or (None, None)
                beyond: tuple[StudyCell, ...] = (None,) * 6
                if "control" in group:
                    beyond = (
                        group["control"][row][column],
                        group["n_control"][row],
                        group["difference"][row][column],
                        *(group["difference_interval"][row][column] or (None, None)),
                        group["p"][row][column],
                    )
                figures.append(
                    (
                        group["group"],
                        name,
                        int(other),
                        group["n_by_row"][row],
                        group["effect"][row][column],
                        low,
                        high,
                        *beyond,
                    )
                )
    return StudyTable(("group", *names, *TABLE), tuple(figures))
