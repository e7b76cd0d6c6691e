"""What trivial answers reach in GITA's figures: against every answer tried, by other ways."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from core.benchmarks.gita.item import PAIRS, STATES
from core.benchmarks.gita.profiles import PROFILES
from core.benchmarks.gita.questions import CONFLICT, STATE, STORY
from core.benchmarks.gita.scoring import summarise
from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.contract.summary import Baseline, Summary

OPTIONS = {STORY: ("false", "true"), CONFLICT: ("0 and 1", "1 and 2"), STATE: ("open", "wet")}
LAYERS = (STORY, CONFLICT, STATE)
ANNOTATION = {STORY: "plausible", CONFLICT: "pair", STATE: "state"}


def answered(tags: dict[str, str], layer: str, answer: str, item: str) -> Verdict:
    options, right = OPTIONS[layer], tags[ANNOTATION[layer]]
    return Verdict(
        item=item,
        layer=layer,
        setting=Setting(),
        options=options,
        scores=(),
        answer=options.index(answer),
        gold=options.index(right) if right else None,
        status=Status.OK,
        scoring=Scoring.LOGLIKELIHOOD,
        tags=tags,
    )


def story(example_id: str, pair: str, state: str, type_: str = "cloze") -> dict[str, str]:
    return {
        "key": example_id,
        "example_id": example_id,
        "story_id": "1",
        "type": type_,
        "plausible": "false" if state else "true",
        "pair": pair,
        "state": state,
    }


# Two stories share an id; the third is typed, but has no label that says so.
STORIES = [
    story("1-C0", "0 and 1", "open"),
    story("1-C0", "1 and 2", "wet"),
    story("2-O0", "1 and 2", "open", "order"),
    story("3-O0", "1 and 2", "", "order"),
]


def baselines(summary: Summary, name: str) -> dict[str, Baseline]:
    (figure,) = [each for each in summary.figures if each.name == name]
    return dict(figure.baselines)


def run(answers: list[tuple[str, ...]]) -> list[Verdict]:
    """A run over the stories, with what each was answered in every layer."""
    return [
        answered(tags, layer, answer, str(item))
        for index, layer in enumerate(LAYERS)
        for item, (tags, of) in enumerate(zip(STORIES, answers, strict=True))
        for answer in (of[index],)
    ]


FIGURES = ["Accuracy", "Consistency", "Verifiability", "Cloze Consistency", "Order Verifiability"]


@pytest.mark.parametrize("profile", PROFILES)
def test_fixed_answers_reach_what_a_model_with_these_answers_reaches(profile: str) -> None:
    """Every fixed answer is put through the figures themselves."""
    reached: dict[str, dict[tuple[str, ...], float]] = {name: {} for name in FIGURES}
    for fixed in product(*(OPTIONS[layer] for layer in LAYERS)):
        summary = summarise(run([fixed] * len(STORIES)), profile)
        for figure in summary.figures:
            if figure.name in FIGURES:
                assert figure.value is not None
                reached[figure.name][fixed] = figure.value
    summary = summarise(run([("true", "0 and 1", "open")] * len(STORIES)), profile)
    for name in FIGURES[1:]:
        shown = baselines(summary, name)
        assert shown["best fixed answers"].value == max(reached[name].values())
        pairs = [tags["pair"] for tags in STORIES if profile == "by-type" or tags["state"]]
        pair = max(pairs, key=pairs.count)
        majority = next(each for key, each in shown.items() if key.startswith("majority pair"))
        assert majority.value == reached[name]["false", pair, "open"]
        assert f"“false”, then “{pair}”" in majority.answers
    assert baselines(summary, "Accuracy")["always false"].value == 3 / 4


@pytest.mark.parametrize("profile", PROFILES)
def test_chance_is_the_mean_over_all_ways_to_answer(profile: str) -> None:
    """All ways to answer three stories in three layers, each as likely."""
    stories = range(3)
    sums = dict.fromkeys(FIGURES, 0.0)
    ways = 0
    answers = list(product(*(OPTIONS[layer] for layer in LAYERS)))
    for each in product(answers, repeat=len(stories)):
        verdicts = [v for v in run([*each, answers[0]]) if int(v.item) in stories]
        ways += 1
        for figure in summarise(verdicts, profile).figures:
            if figure.name in sums:
                sums[figure.name] += figure.value or 0.0
    summary = summarise(verdicts, profile)
    for name, total in sums.items():
        assert baselines(summary, name)["chance"].value == pytest.approx(total / ways), name


def test_a_story_that_nobody_annotated_is_never_guessed_rightly() -> None:
    verdicts = run([("false", "0 and 1", "open")] * len(STORIES))
    unknown = [
        v._replace(tags={**v.tags, "pair": "", "state": ""})
        for v in verdicts
        if v.layer == STORY and v.item != "3"
    ]
    shown = baselines(summarise(unknown, "unified"), "Verifiability")
    assert {name: each.value for name, each in shown.items()} == {"chance": 0.0}


def test_the_baselines_of_the_released_stories(shared_data: Path) -> None:
    """Every fixed answer over the released documents, counted without the program."""
    lines = (shared_data / "gita4calamita" / "gita_docs.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    implausible = [
        (f"{row['confl_sents'][0]} and {row['breakpoint']}", row["states"])
        for row in rows
        if not row["plausible"]
    ]
    options = [f"{i} and {j}" for i, j in PAIRS]
    assert (len(rows), len(implausible)) == (356, 238)
    by_pair = {pair: sum(p == pair for p, _ in implausible) for pair in options}
    by_both = {both: implausible.count(both) for both in product(options, STATES)}
    assert max(by_both.values()) == by_both["0 and 1", "open"] == 15
    verdicts = [
        Verdict(
            item=row["key"],
            layer=STORY,
            setting=Setting(),
            options=OPTIONS[STORY],
            scores=(),
            answer=0,
            gold=int(row["plausible"]),
            status=Status.OK,
            scoring=Scoring.LOGLIKELIHOOD,
            tags={
                "key": row["key"],
                "example_id": row["example_id"],
                "story_id": str(row["story_id"]),
                "type": row["type"] or "",
                "plausible": str(row["plausible"]).lower(),
                "pair": ""
                if row["plausible"]
                else f"{row['confl_sents'][0]} and {row['breakpoint']}",
                "state": "" if row["plausible"] else row["states"],
            },
        )
        for row in rows
    ]
    summary = summarise(verdicts, "unified")
    shown = baselines(summary, "Consistency")
    assert shown["chance"].value == pytest.approx(0.05)
    assert shown["majority pair"].value == max(by_pair.values()) / 238 == 59 / 238
    assert shown["best fixed answers"].value == 59 / 238
    shown = baselines(summary, "Verifiability")
    assert shown["chance"].value == pytest.approx(1 / 280)
    assert shown["majority pair and state"].value == 9 / 238
    assert shown["best fixed answers"].value == 15 / 238
    assert shown["best fixed answers"].answers == "always “false”, then “0 and 1”, then “open”"
