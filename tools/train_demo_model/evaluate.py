"""Measure the demonstration model through llama.cpp and write its model card.

`python -m tools.train_demo_model.evaluate [--model FILE] [--stories N] [--prompts N] [--card FILE]`
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tools.train_demo_model import prompted
from tools.train_demo_model.card import write_card
from tools.train_demo_model.measures import Answer, Item, Result
from tools.train_demo_model.prompted import TaskResult
from tools.train_demo_model.prompts import CHOICES, prompt
from tools.train_demo_model.scoring import Scorer
from tools.train_demo_model.stream import MEASURING_SEED, unseen_stories
from tools.train_demo_model.tasks import KINDS

ROOT = Path(__file__).parents[2]
BUNDLED = "Bundled samples"


def ask(scorer: Scorer, item: Item) -> Answer:
    """Put the three layers to the model; layers 2 and 3 only where there is a conflict."""
    plausible = item.pair is None
    said = CHOICES["story_class"][
        scorer.choose(prompt("story_class", item.sentences), CHOICES["story_class"])
    ]
    layer1 = said == ("true" if plausible else "false")
    if item.pair is None:
        return Answer(item, layer1, None, None)
    pair = CHOICES["conflict_detec"][
        scorer.choose(prompt("conflict_detec", item.sentences), CHOICES["conflict_detec"])
    ]
    state = CHOICES["physical_state"][
        scorer.choose(prompt("physical_state", item.sentences), CHOICES["physical_state"])
    ]
    return Answer(item, layer1, pair == f"{item.pair[0]} and {item.pair[1]}", state == item.state)


def generated(n: int, new_frames: bool) -> list[Item]:
    """Stories that training has not seen; with `new_frames` worded in frames it has not seen."""
    stories = unseen_stories(MEASURING_SEED, n, new_frames)
    return [Item(story.sentences, story.pair, story.state) for story in stories]


def bundled(path: Path) -> list[Item]:
    """The hand-written sample stories (GITA's format, keyed by example id)."""
    documents = json.loads(path.read_text(encoding="utf-8"))
    return [
        Item(
            tuple(document["sentences"]),
            None if document["plausible"] else (document["confl_sents"][0], document["breakpoint"]),
            None if document["plausible"] else document["states"],
        )
        for document in (documents.values() if isinstance(documents, dict) else documents)
    ]


def measure_stories(scorer: Scorer, sets: dict[str, list[Item]]) -> list[Result]:
    """Ask the model every story of every set."""
    return [
        Result(name, tuple(ask(scorer, item) for item in items)) for name, items in sets.items()
    ]


def measure_prompts(scorer: Scorer, n: int) -> list[TaskResult]:
    """Ask the model the generated and the bundled prompts of the other benchmarks."""
    results = []
    for benchmark in KINDS:
        sets = {**prompted.generated(benchmark, n), BUNDLED: list(prompted.bundled(benchmark))}
        if benchmark == "com2":
            sets[f"{BUNDLED}, Italian"] = list(prompted.bundled(benchmark, "it"))
        for name, prompts in sets.items():
            results.append(prompted.measured(scorer, benchmark, name, prompts))
    return results


def main() -> None:
    """Measure and write the card."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_demo_model.evaluate", description=__doc__
    )
    models = ROOT / "samples" / "models"
    parser.add_argument("--model", type=Path, default=models / "demo-q8_0.gguf")
    parser.add_argument("--card", type=Path, default=models / "MODEL_CARD.md")
    parser.add_argument("--stories", type=int, default=1000, help="stories in each generated set")
    parser.add_argument("--prompts", type=int, default=500, help="prompts in each generated group")
    arguments = parser.parse_args()
    sets = {
        "Held-out stories": generated(arguments.stories, new_frames=False),
        "Held-out templates": generated(arguments.stories, new_frames=True),
    }
    sets["Bundled sample stories"] = bundled(ROOT / "samples" / "gita" / "stories.json")
    with Scorer(arguments.model) as scorer:
        stories = measure_stories(scorer, sets)
        prompts = measure_prompts(scorer, arguments.prompts)
    for result in stories:
        print(result.name)
        for name, share in result.measures.items():
            print(f"  {name}: {share}")
    for task in prompts:
        print(f"{task.benchmark}: {task.name}")
        for layer, share in task.layers.items():
            print(f"  {layer}: {share.model}")
    write_card(arguments.card, arguments.model, stories, prompts)


if __name__ == "__main__":
    main()
