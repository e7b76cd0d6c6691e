"""Measure the demonstration model through llama.cpp and write its model card.

`python -m tools.train_demo_model.evaluate [--model FILE] [--cases N] [--card FILE]`

`python -m tools.demo_answers` records the answers that are shown while llama.cpp is compiled.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from tools.train_demo_model.card import write_card
from tools.train_demo_model.cases import BENCHMARKS, BUNDLED, Case, bundled, generated, sweep
from tools.train_demo_model.figures import Answer, rows
from tools.train_demo_model.following_pairs import follows, is_pair
from tools.train_demo_model.known_figures import write_figures
from tools.train_demo_model.scoring import Scorer

ROOT = Path(__file__).parents[2]
_WRITTEN = 12
"""Tokens of an answer that is written; concepts are a few words."""
NOT_FOLLOWING = f"{BUNDLED}, pairs that do not follow from what training tells"


def answered(scorer: Scorer, case: Case) -> Answer:
    """The option with the highest log-likelihood, or whether the text written is right."""
    if case.options:
        return Answer(case, scorer.choose(case.text, case.options, case.lead))
    said = scorer.write(case.text, _WRITTEN).partition("\n")[0].strip(" .").casefold()
    right = said in {gold.casefold() for gold in case.golds}
    return Answer(case, case.gold if right else -1)


def measured(scorer: Scorer, cases: Iterable[Case]) -> list[Answer]:
    """Every case; sorted, because the scorer keeps what two prompts have in common."""
    return [answered(scorer, case) for case in sorted(cases, key=lambda case: case.text)]


def main() -> None:
    """Measure and write the card."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_demo_model.evaluate", description=__doc__
    )
    models = ROOT / "samples" / "models"
    parser.add_argument("--model", type=Path, default=models / "demo-q8_0.gguf")
    parser.add_argument("--card", type=Path, default=models / "MODEL_CARD.md")
    parser.add_argument("--figures", type=Path, default=models / "figures.yaml")
    parser.add_argument("--cases", type=int, default=300, help="cases of each generated kind")
    arguments = parser.parse_args()
    found: dict[str, dict[str, list[Answer]]] = {}
    with Scorer(arguments.model) as scorer:
        for benchmark in BENCHMARKS:
            sets = {BUNDLED: list(bundled(benchmark)), **generated(benchmark, arguments.cases)}
            found[benchmark] = {name: measured(scorer, cases) for name, cases in sets.items()}
            if benchmark == "abspyramid":
                found[benchmark][NOT_FOLLOWING] = not_following(found[benchmark][BUNDLED])
            _report(benchmark, found[benchmark])
        trees = measured(scorer, sweep())
    write_card(arguments.card, arguments.model, found, trees)
    bundled_alone = {name: sets[BUNDLED] for name, sets in found.items()}
    write_figures(arguments.figures, arguments.model, bundled_alone, trees)


def not_following(answers: Iterable[Answer]) -> list[Answer]:
    """Those about nouns and verbs where what training tells does not lead to what is asked."""
    return [found for found in answers if is_pair(found.case) and not follows(found.case)]


def _report(benchmark: str, sets: dict[str, list[Answer]]) -> None:
    for name, answers in sets.items():
        print(f"{BENCHMARKS[benchmark]}: {name}")
        for (row, language), found in rows(answers).items():
            low, high = found.balanced_interval or (float("nan"), float("nan"))
            print(
                f"  {row} {language}: n {found.n}, accuracy {found.accuracy:.3f}, balanced "
                f"{found.balanced if found.balanced is None else round(found.balanced, 3)} "
                f"[{low:.3f}, {high:.3f}], constant {found.constant}",
                flush=True,
            )


if __name__ == "__main__":
    main()
