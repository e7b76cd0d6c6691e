"""What plots show, against values computed by hand and against the figures of the runs."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Scoring
from core.contract.setting import Setting
from core.contract.summary import Totals
from core.exchange.importers.lm_eval import read
from core.exchange.plots.gathering import KINDS, gather
from core.exchange.plots.plot import DEMONSTRATION, Plot, PlotError, Point, Series
from core.runs.comparison import compare
from core.runs.store import Store
from core.runs.summaries import summarise
from core.statistics.proportion import proportion_interval, wilson
from core.text.errors import NotFoundError
from tests.exchange.plots.stores import PLAN, add, own_run, tree, trees, verdict


def column(plot: Plot, category: str) -> list[Point | None]:
    """The points of all series in a category."""
    place = plot.categories.index(category)
    return [series.points[place] for series in plot.series]


def point(plot: Plot, category: str) -> Point:
    [only] = column(plot, category)
    assert only is not None
    return only


def series(plot: Plot, part: str) -> Series:
    [only] = [each for each in plot.series if each.part == part]
    return only


# -- layers ----------------------------------------------------------------------------------------


def test_a_layer_has_its_share_with_chance_and_the_best_constant_answer(store: Store) -> None:
    asked = [verdict(f"i{i}", "stands", i < 3, gold=int(i == 3)) for i in range(4)]
    unknown = verdict("i9", "stands", None)
    shown = point(gather(store, "layers", [add(store, "shapes", [*asked, unknown]).id]), "stands")
    assert (shown.value, shown.n) == (0.75, 4)
    assert shown.baselines == {"chance": 0.5, "best constant": 0.75}
    # Newcombe (1998), method 3, for 3 of 4; beside the one wrong answer 1 + ln .95 / 4.
    assert shown.interval == pytest.approx((0.3006, 0.9872), abs=1e-4)


def test_questions_of_one_cluster_widen_the_interval_of_a_layer(store: Store) -> None:
    asked = [tree(f"i{i}", i < 2, 1, 0, "factual", f"p{i // 2}") for i in range(6)]
    shown = point(gather(store, "layers", [add(store, "accord", asked).id]), "Whole tree")
    assert (shown.value, shown.n) == (pytest.approx(1 / 3), 6)
    # Residuals of the clusters: 4/3, -2/3, -2/3; three clusters, so Student's t with two degrees.
    variance = (16 + 4 + 4) / 9 * (3 / 2) / 36
    worth = 2 / 9 / variance * (1.959963984540054 / 4.302652729911275) ** 2
    assert shown.interval == pytest.approx(wilson(worth / 3, worth))


def test_chance_in_multiple_select_is_one_of_all_sets(store: Store) -> None:
    several = verdict("a", "answer", None, options=3)._replace(
        multiple=True, answers=(0, 1), golds=(0, 1)
    )
    shown = point(gather(store, "layers", [add(store, "com2", [several]).id]), "The question")
    assert shown.value == 1
    assert shown.baselines == {"chance": pytest.approx(1 / 7)}


def test_layers_stand_in_the_order_of_the_ladder_and_totals_fill_gaps(store: Store) -> None:
    first = add(
        store, "gita", [verdict("a", "physical_state", True), verdict("a", "story_class", True)]
    )
    plan = replace(PLAN, benchmark="gita", model="other", fingerprint="other")
    totals = {"conflict_detec": Totals(3, 12)}
    second = store.add(plan, [verdict("a", "story_class", False)], totals)
    plot = gather(store, "layers", [first.id, second.id])
    assert column(plot, "Which sentences?") == [None, Point(0.25, 12, proportion_interval(3, 12))]
    assert plot.categories[-2:] == ("Which sentences?", "Which state?")


# -- figures ---------------------------------------------------------------------------------------


def test_figures_are_those_of_the_summary(store: Store) -> None:
    run = add(store, "accord", trees())
    plot = gather(store, "figures", [run.id])
    summary = [f for f in summarise(store, store.run(run.id)).figures if not f.detail]
    assert plot.categories == tuple(figure.name for figure in summary)
    for figure in summary:
        shown = point(plot, figure.name)
        assert (shown.value, shown.n) == (figure.value, figure.n)
        assert shown.interval == figure.interval
        assert shown.baselines == {name: of.value for name, of in figure.baselines.items()}


def test_no_share_of_no_items_is_drawn(store: Store) -> None:
    gita = registry.load("gita")
    plausible = registry.open_collection(gita, gita.samples()).item(0)
    question = gita.question(plausible, Setting(), "story_class")
    assert question is not None
    run = add(store, "gita", [verdict("0", "story_class", True)._replace(tags=question.tags)])
    plot = gather(store, "figures", [run.id])
    assert point(plot, "Accuracy").n == 1
    assert column(plot, "Consistency") == [None]


# -- ACCORD ----------------------------------------------------------------------------------------


def test_a_curve_of_hops_has_clustered_errors(store: Store) -> None:
    asked = [
        *(
            tree(f"a{i}", right, 1, i, "factual", "pq"[i // 2])
            for i, right in enumerate((1, 1, 0, 1))
        ),
        tree("b", False, 2, 0, "anti-factual", "p"),
    ]
    plot = gather(store, "hops", [add(store, "accord", asked).id])
    assert plot.categories == ("1", "2")
    factual, anti = series(plot, "factual").points, series(plot, "anti-factual").points
    assert factual[1] is anti[0] is None
    assert anti[1] is not None
    assert (anti[1].value, anti[1].interval) == (0, None)
    assert factual[0] is not None
    # Residuals from .75 sum to .5 in p and to -.5 in q: sqrt(2 / 1 * (.25 + .25)) / 4 = .25.
    assert factual[0].value == 0.75
    assert factual[0].interval == pytest.approx((0.5, 1.0))
    assert factual[0].baselines == {"chance": pytest.approx(0.2)}


def test_the_bare_question_stands_before_the_hops_once_for_each_question(store: Store) -> None:
    bare = [verdict(f"b{i}", "bare", i == 0, options=5, question="q") for i in range(2)]
    run = add(store, "accord", [*bare, tree("a", True, 1, 0, "factual", "p")])
    plot = gather(store, "hops", [run.id])
    shown = point(plot, "none")
    assert (shown.value, shown.n) == (1, 1)


def test_curves_agree_with_the_figures_by_hops(store: Store) -> None:
    run = add(store, "accord", trees())
    figures = {figure.name: figure for figure in summarise(store, store.run(run.id)).figures}
    plot = gather(store, "hops", [run.id])
    for variant in ("factual", "anti-factual"):
        for hops, shown in zip(plot.categories, series(plot, variant).points, strict=True):
            if hops != "none":
                figure = figures[f"{variant}, {hops} hop{'' if hops == '1' else 's'}"]
                assert shown is not None
                assert (shown.value, shown.n) == (figure.value, figure.n)


def test_a_grid_has_every_cell_of_hops_and_distractors(store: Store) -> None:
    asked = [
        tree("a", True, 1, 0, "factual", "p"),
        tree("b", False, 1, 0, "factual", "q"),
        tree("c", True, 2, 1, "factual", "p"),
        tree("d", False, 10, 0, "factual", "p"),
    ]
    plot = gather(store, "grid", [add(store, "accord", asked).id])
    assert (plot.rows, plot.categories) == (("1", "2", "10"), ("0", "1"))
    [cells] = [each.points for each in plot.series]
    assert [cell and (cell.value, cell.n) for cell in cells] == [
        (0.5, 2), None,
        None, (1, 1),
        (0, 1), None,
    ]  # fmt: skip


# -- funnel ----------------------------------------------------------------------------------------


def test_a_gated_funnel_counts_the_items_that_every_layer_asks(store: Store) -> None:
    asked = [verdict(f"i{i}", "story_class", i < 3, plausible="false") for i in range(4)]
    asked += [verdict("plain", "story_class", True, plausible="true")]
    asked += [verdict(f"i{i}", "conflict_detec", i < 1, plausible="false") for i in range(3)]
    run = add(store, "gita", asked)
    plot = gather(store, "funnel", [run.id])
    [counts] = [each.points for each in plot.series]
    assert counts == (Point(4, 4), Point(3, 4), Point(1, 4))


def test_other_funnels_pass_a_layer_that_has_nothing_to_ask(store: Store) -> None:
    asked = [
        verdict("whole", "link-1", True), verdict("whole", "link-2", True),
        verdict("whole", "answer", True),
        verdict("short", "link-1", True), verdict("short", "answer", False),
        verdict("lost", "link-1", False), verdict("lost", "link-2", True),
        verdict("lost", "answer", True),
        verdict("not done", "link-1", True),
        verdict("no gold", "link-1", None), verdict("no gold", "answer", True),
    ]  # fmt: skip
    plot = gather(store, "funnel", [add(store, "com2", asked).id])
    assert plot.categories == ("Asked", "Link 1", "Link 2", "The question")
    [counts] = [each.points for each in plot.series]
    assert [each and each.value for each in counts] == [3, 2, 2, 1]


def test_the_funnel_of_a_released_log_ends_in_its_published_counts(
    store: Store, shared_data: Path
) -> None:
    log = read(shared_data / "gita4calamita" / "logs" / "gemma-2-9b")
    run = add(store, "gita", list(log.verdicts))
    counts = [each and each.value for each in gather(store, "funnel", [run.id]).series[0].points]
    figures = {figure.name: figure for figure in summarise(store, store.run(run.id)).figures}
    assert counts == [238, 187, 28, 4]
    assert counts[2:] == [figures["Consistency"].right, figures["Verifiability"].right]
    layer = gather(store, "layers", [run.id]).series[0].points[0]
    assert layer is not None
    assert (layer.value, layer.n) == (figures["Accuracy"].value, figures["Accuracy"].n)


# -- tokens ----------------------------------------------------------------------------------------


def test_tokens_are_the_mean_of_the_answers_beside_the_main_figure(store: Store) -> None:
    tags = {"part": "main", "scenario": "direct"}
    asked = [
        verdict(f"i{i}", "answer", i > 0, **tags)._replace(output_tokens=tokens)
        for i, tokens in enumerate((10, 20, 60))
    ]
    linked = verdict("i1", "link-1", True)._replace(output_tokens=1000)
    run = add(store, "com2", [*asked, linked])
    plot = gather(store, "tokens", [run.id])
    shown = point(plot, "main average")
    assert (shown.tokens, shown.n) == (30, 3)
    assert shown.value == pytest.approx(2 / 3)


def test_tokens_are_refused_where_none_were_recorded(store: Store) -> None:
    run = add(store, "com2", [verdict("a", "answer", True)])
    with pytest.raises(PlotError, match="No output tokens were recorded") as refused:
        gather(store, "tokens", [run.id])
    assert refused.value.where == f"run {run.id}"


# -- forest ----------------------------------------------------------------------------------------


def test_a_forest_has_the_differences_to_the_first_run(store: Store) -> None:
    first = add(store, "shapes", [verdict(f"i{i}", "stands", i < 2) for i in range(8)], model="a")
    second = add(store, "shapes", [verdict(f"i{i}", "stands", i < 6) for i in range(8)], model="b")
    plot = gather(store, "forest", [first.id, second.id])
    shown = point(plot, "stands")
    assert (shown.value, shown.n) == (0.5, 8)
    assert shown.interval == compare(store, first.id, second.id).layers[0].difference.interval
    with pytest.raises(PlotError, match="compares runs"):
        gather(store, "forest", [first.id, first.id])


# -- who answered, and how -------------------------------------------------------------------------


def test_a_caption_says_who_answered_and_how(store: Store) -> None:
    one = [verdict("a", "stands", True)]
    first = add(store, "shapes", one, model="org/a", shots=3)
    second = add(store, "shapes", one, model="demo", demo=True, limit=1, setting=(("k", "v"),))
    who = gather(store, "layers", [first.id]).caption[0]
    assert who == "org/a: 3-shot, chat prompt, generated answers, 1 item."
    again = add(store, "shapes", one, model="org/a")
    both = gather(store, "layers", [first.id, again.id]).caption[0]
    assert "One model, asked in different ways." in both
    plot = gather(store, "layers", [first.id, second.id])
    assert (
        "demo: zero-shot, chat prompt, k=v, generated answers, the first 1 item."
        in (plot.caption[0])
    )
    assert (
        "Not comparable: asked in different ways, so the runs differ in more than the model."
        in plot.caption[0]
    )
    assert DEMONSTRATION in plot.caption[0]
    assert [each.label for each in plot.series] == ["a", "demo (demonstration)"]


def test_runs_of_one_model_are_told_apart(store: Store) -> None:
    one = [verdict("a", "stands", True)]
    runs = [add(store, "shapes", one, shots=shots) for shots in (0, 3)]
    plot = gather(store, "layers", [run.id for run in runs])
    assert [each.label for each in plot.series] == [run.id for run in runs]
    assert f"{runs[1].id} (org/Model-1): 3-shot" in plot.caption[0]


def test_runs_over_different_collections_name_them_and_are_called_not_comparable(
    store: Store,
) -> None:
    one = [verdict("a", "stands", True)]
    ours = replace(PLAN, limit=20)
    theirs = replace(ours, collection="/data/all.json", collection_hash="d" * 64)
    same = replace(ours, model="other", fingerprint="other")
    names = [own_run(store, plan, one) for plan in (ours, theirs, same)]
    said = gather(store, "layers", names[:2]).caption[0]
    assert "the first 1 item of items.json (cccccccc)." in said
    assert "the first 1 item of all.json (dddddddd)." in said
    assert "Not comparable: asked about different items." in said
    paired = gather(store, "forest", names[:2]).caption[0]
    assert "all.json" in paired
    assert "Not comparable" not in paired
    alike = gather(store, "layers", [names[0], names[2]]).caption[0]
    assert "items.json" not in alike
    assert "Not comparable" not in alike


# -- what is refused -------------------------------------------------------------------------------


def test_an_unknown_kind_names_the_kinds(store: Store) -> None:
    with pytest.raises(PlotError) as refused:
        gather(store, "pie", ["a"])
    assert all(kind in refused.value.hint for kind in KINDS)


def test_kinds_of_accord_are_refused_for_others_with_the_kinds_that_these_have(
    store: Store,
) -> None:
    run = add(store, "com2", [verdict("a", "answer", True)])
    with pytest.raises(PlotError) as refused:
        gather(store, "grid", [run.id])
    assert "layers, figures, funnel, tokens, forest" in refused.value.hint
    assert "hops" not in refused.value.hint


def test_runs_that_no_plot_shows_together_are_refused(store: Store) -> None:
    one = [verdict("a", "stands", True)]
    first, other = add(store, "shapes", one), add(store, "gita", one)
    with pytest.raises(PlotError, match="several benchmarks: shapes, gita"):
        gather(store, "layers", [first.id, other.id])
    many = [add(store, "shapes", one, model=f"m{i}").id for i in range(9)]
    with pytest.raises(PlotError, match="9 runs"):
        gather(store, "layers", many)
    with pytest.raises(NotFoundError):
        gather(store, "layers", ["nothing"])
    goldless = add(store, "shapes", [verdict("a", "stands", None)], model="goldless")
    with pytest.raises(PlotError, match="no answers"):
        gather(store, "layers", [goldless.id])


@pytest.mark.parametrize("kind", ["layers", "funnel", "figures"])
def test_a_run_without_an_answer_is_refused_in_every_plot(store: Store, kind: str) -> None:
    empty = add(store, "gita", [])
    with pytest.raises(PlotError):
        gather(store, kind, [empty.id])


def test_answers_by_likelihood_are_named_as_such(store: Store) -> None:
    one = verdict("a", "stands", True)._replace(scoring=Scoring.LOGLIKELIHOOD)
    run = add(store, "shapes", [one])
    assert "log-likelihood answers" in gather(store, "layers", [run.id]).caption[0]
    assert math.isclose(point(gather(store, "layers", [run.id]), "stands").value, 1)
