"""The page of runs: complete in itself, safe whatever names and texts are, and true to the runs."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import (
    Answer,
    OptionScore,
    Question,
    Scoring,
    Status,
    Verdict,
    verdict_on,
)
from core.contract.setting import Setting
from core.contract.summary import Baseline, Figure, Summary
from core.exchange.exporters.run_items import MOST_ITEMS, telling_items
from core.exchange.exporters.run_page import ReportedRun, run_page
from core.runs.comparison import compare
from core.runs.questions import QuestionSource
from core.runs.records import Plan, Run, RunState
from core.runs.store import Store
from core.runs.summaries import summarise
from tests.exchange.exporters.chromium import Page, quiet

HOSTILE = (
    '<script>window.__ran = 1</script><img src="http://evil.test/x" onerror="window.__ran = 1">'
    "\"'{{ 7 * 7 }}\x1b[31m\u202eabc"
)
SHOWN = "<script>window.__ran = 1</script>"


def test_what_the_second_run_asked_otherwise_about_an_item_stands_in_no_table_of_the_first() -> (
    None
):
    def answered(layer: str, options: int, digest: str, pick: int) -> Verdict:
        scores = tuple(OptionScore(-1.0) for _option in range(options))
        names = tuple(f"option {number}" for number in range(options))
        return Verdict(
            "arch", layer, Setting(), names, scores, pick, 0, Status.OK, Scoring.LOGLIKELIHOOD,
            digest=digest,
        )  # fmt: skip

    first = [answered("stands", 2, "same", 0), answered("culprit", 3, "one", 0)]
    second = [answered("stands", 2, "same", 1), answered("culprit", 2, "other", 1)]
    [item] = telling_items(["arch"], {"A": first, "B": second}, None)
    assert [layer.columns for layer in item.layers] == [
        ("option", "gold", "A", "B", "share A", "share B"),
        ("option", "gold", "A", "share"),
    ]


class Parsed(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.cells: list[list[str]] = []
        self._within: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._within.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in {"td", "th"}:
            self.cells[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "style" in self._within:
            return
        self.texts.append(data)
        if self.cells and {"td", "th"} & set(self._within):
            self.cells[-1][-1] += data


def verdict(item: str, answer: int | None, margin: float = 1.0) -> Verdict:
    scores = [OptionScore(-1.0), OptionScore(-1.0)]
    if answer is not None:
        scores[answer] = OptionScore(-1.0 + margin)
    status = Status.TIE if answer is None else Status.OK
    return Verdict(
        item, "stands", Setting(), ("no", "yes"), tuple(scores), answer, 1, status,
        Scoring.LOGLIKELIHOOD, tags={"falls": "yes"}, digest="d",
    )  # fmt: skip


def parsed_page(tmp_path: Path, *runs: Sequence[Verdict], model: str = "m") -> Parsed:
    return Parsed(text_of(tmp_path, *runs, model=model))


def text_of(tmp_path: Path, *runs: Sequence[Verdict], model: str = "m") -> str:
    with Store(tmp_path / "runs.sqlite") as store:
        plans = [Plan(model, f"f{i}", "shapes", "c", "h") for i in range(len(runs))]
        added = [store.add(*pair, {}) for pair in zip(plans, runs, strict=True)]
        reported = [
            ReportedRun(run, summarise(store, store.run(run.id)), store.verdicts(run.id))
            for run in added
        ]
        return run_page(reported, [compare(store, added[0].id, run.id) for run in added[1:]])


def hostile_runs() -> tuple[list[Verdict], list[Verdict]]:
    named = verdict(HOSTILE, 0)._replace(options=(HOSTILE, HOSTILE + "2"))
    return [named, verdict("a", 1)], [named._replace(answer=1), verdict("a", 1)]


@pytest.mark.parametrize("count", [1, 2])
def test_nothing_on_the_page_runs_or_is_loaded(count: int, tmp_path: Path) -> None:
    parsed = parsed_page(tmp_path, *hostile_runs()[:count], model=HOSTILE)
    names = {tag for tag, _ in parsed.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "embed", "form", "svg", "a"}
    for tag, attributes in parsed.tags:
        assert not {name for name in attributes if name.startswith("on")}, tag
        assert not attributes.keys() & {"src", "href", "srcset", "action", "style"}
    [policy] = [
        attributes["content"] or ""
        for tag, attributes in parsed.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'; script-src 'none'" in policy


def test_hostile_names_stand_as_text_without_control_characters(tmp_path: Path) -> None:
    text = text_of(tmp_path, *hostile_runs(), model=HOSTILE)
    shown = "".join(Parsed(text).texts)
    assert SHOWN in shown
    assert "{{ 7 * 7 }}" in shown
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "http://evil.test" in shown


def test_a_browser_runs_nothing_of_hostile_names_and_asks_for_nothing(
    tmp_path: Path, page: Page
) -> None:
    path = tmp_path / "page.html"
    path.write_text(text_of(tmp_path, *hostile_runs(), model=HOSTILE), encoding="utf-8")
    page.open(path.as_uri())
    assert page.js("window.__ran") is None
    assert quiet(page)
    assert page.js("getComputedStyle(document.querySelector('td')).borderTopStyle") == "solid"


def test_every_figure_has_its_count_interval_baselines_and_note() -> None:
    run = Run("r", Plan("m", "f", "shapes", "c", "h"), RunState.DONE, "2026-11-22T00:00:00+00:00")
    figure = Figure("Stands", 3, 5, {"always no": Baseline(2 / 3, "always no")}, "read off")
    unknown = Figure("Falls", None, 4)
    summary = Summary("all", (figure, unknown), notes=("Of all towers.",))
    parsed = Parsed(run_page([ReportedRun(run, summary, [])], []))
    # Wilson's lower end of 3 of 5, by hand: .5566 - .3256; above, two wrong ones are a Poisson's:
    # 1 - .3554 / 5.
    assert ["Stands", "0.6000", "3/5", "0.231 to 0.929", "always no 0.667"] in parsed.cells
    assert ["Falls", "unknown", "?/4", "", ""] in parsed.cells
    assert {"Stands: read off", "Of all towers."} <= set(parsed.texts)


def test_the_surest_wrong_answers_of_a_run_come_first_with_their_options(tmp_path: Path) -> None:
    wrong = [verdict(f"w{i}", 0, margin=i / 4) for i in range(1, 15)]
    parsed = parsed_page(tmp_path, [*wrong, verdict("r", 1, margin=9.0)])
    captions = [text for text in parsed.texts if ", stands: " in text]
    assert captions == [f"w{i}, stands: answer wrong" for i in range(14, 4, -1)]
    assert len(captions) == MOST_ITEMS
    at = parsed.cells.index(["option", "gold", "answer", "share"])
    # Margin 3.5: the softmax is 1 / (1 + exp(-3.5)).
    assert parsed.cells[at + 1 : at + 3] == [
        ["no", "", "picked", "0.971"],
        ["yes", "right", "", "0.029"],
    ]


def test_two_runs_are_compared_and_their_flips_shown(tmp_path: Path) -> None:
    first = [verdict("a", 1), verdict("b", 0), verdict("c", 1), verdict("d", 0)]
    second = [verdict("a", 1), verdict("b", 1), verdict("c", 0, 3.0), verdict("d", 0)]
    parsed = parsed_page(tmp_path, first, second)
    [difference] = [row for row in parsed.cells if row[:2] == ["stands", "4"] and len(row) == 6]
    assert difference[2:5] == [".500", ".500", "+.000"]
    assert ["stands", "1", "1", "1", "1"] in [row[:5] for row in parsed.cells]
    captions = [text for text in parsed.texts if ", stands: " in text]
    assert captions == ["c, stands: A right, B wrong", "b, stands: A wrong, B right"]
    assert ["yes", "right", "picked", "", "0.731", "0.047"] in parsed.cells


def accord_item() -> tuple[QuestionSource, list[Question], list[Verdict]]:
    """An item of the samples, all that is asked about it, and the first option picked each time."""
    benchmark = registry.load("accord")
    collection = registry.open_collection(benchmark, benchmark.samples())
    item = collection.item(0)
    asked = [benchmark.question(item, Setting(), layer.id) for layer in benchmark.layers]
    questions = [question for question in asked if question is not None]
    picked = [verdict_on(question, Answer(), Status.OK, (0,)) for question in questions]
    wrong = [each._replace(answer=(each.gold or 0) + 1) for each in picked]
    return QuestionSource(benchmark, collection), questions, wrong


def telling_page(verdicts: list[Verdict], source: QuestionSource | None) -> str:
    run = Run("r", Plan("m", "f", "accord", "c", "h"), RunState.DONE, "2026-11-22T00:00:00+00:00")
    return run_page([ReportedRun(run, Summary("all", ()), verdicts)], [], source)


def test_an_item_stands_with_all_its_questions_and_its_graph() -> None:
    source, questions, verdicts = accord_item()
    text = telling_page(verdicts, source)
    parsed = Parsed(text)
    captions = [each for each in parsed.texts if each.endswith(": answer wrong")]
    assert captions == [f"{each.item}, {each.layer}: answer wrong" for each in questions]
    shown = "".join(parsed.texts)
    assert all(question.text in shown for question in questions)
    assert [tag for tag, _ in parsed.tags].count("svg") == 1
    assert "<script" not in text


def test_an_item_that_is_asked_otherwise_now_is_not_drawn_and_the_page_says_why() -> None:
    source, questions, verdicts = accord_item()
    other = [verdicts[0]._replace(digest="another"), *verdicts[1:]]
    text = telling_page(other, source)
    assert "<svg" not in text
    assert "asks something else about this item" in text
    shown = "".join(Parsed(text).texts)
    assert questions[-1].text in shown
    gone = telling_page([each._replace(item="gone") for each in verdicts], source)
    assert "No graph: " in gone
    assert "<svg" not in gone
    assert "the collection that the run asked about is not here" in telling_page(verdicts, None)


def test_without_wrong_answers_the_page_says_so(tmp_path: Path) -> None:
    assert "There are none." in parsed_page(tmp_path, [verdict("a", 1)]).texts
