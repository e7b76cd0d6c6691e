"""Train the demonstration model: `python -m tools.train_demo_model --out FILE [--steps N]`."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

# Waiting threads must sleep: on a machine with other work, spinning costs more than it saves.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# The two threads of a step have one core each.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch

from tools.train_demo_model import gguf_file
from tools.train_demo_model.bundled_pairs import is_asked_about
from tools.train_demo_model.model import Decoder
from tools.train_demo_model.quick import quick_accuracy
from tools.train_demo_model.shape import Shape
from tools.train_demo_model.stream import checksum, sample_sentences
from tools.train_demo_model.tokenizer import Tokenizer
from tools.train_demo_model.training import Plan, Progress, train
from tools.train_demo_model.vocabulary import build_tokenizer

ROOT = Path(__file__).parents[2]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.train_demo_model", description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        default=ROOT / "samples" / "models" / "demo-q8_0.gguf",
        help="the GGUF file to write",
    )
    parser.add_argument("--steps", type=int, default=3600, help="training steps")
    parser.add_argument(
        "--schedule", type=int, default=3600, help="steps over which the rate falls to its lowest"
    )
    parser.add_argument("--seed", type=int, default=20261128, help="seed of stories and weights")
    parser.add_argument(
        "--checkpoint", type=Path, help="file to go on from if it is there, and to keep up to date"
    )
    parser.add_argument("--begin", type=Path, help="an earlier model's file to begin with")
    parser.add_argument(
        "--forget",
        action="store_true",
        help="keep nothing of what that model learned about the words that the samples ask about",
    )
    parser.add_argument("--rate", type=float, default=2e-3, help="the highest training rate")
    parser.add_argument(
        "--samples",
        type=Path,
        default=ROOT / "samples",
        help="folder whose story sentences are kept out of training",
    )
    parser.add_argument(
        "--export-every", type=int, default=500, help="write the file anew after so many steps"
    )
    return parser.parse_args()


def _report(progress: Progress) -> None:
    losses = " ".join(f"{name} {loss:.3f};" for name, loss in progress.losses.items())
    print(f"step {progress.step} {progress.seconds:.0f} s | {losses}", flush=True)


def main() -> None:
    """Train, export on the way and at the end."""
    arguments = _arguments()
    torch.set_num_threads(1)
    blocked = sample_sentences(arguments.samples)
    print(f"{len(blocked)} sample sentences are kept out of training", flush=True)
    plan = Plan(
        seed=arguments.seed, steps=arguments.steps, schedule=arguments.schedule, rate=arguments.rate
    )
    tokenizer = build_tokenizer(plan.seed, blocked)
    shape = Shape(vocabulary=len(tokenizer.tokens))

    earlier = gguf_file.read_record(arguments.begin) if arguments.begin else None
    forgotten: frozenset[str] = frozenset()
    if arguments.forget:
        forgotten = frozenset(filter(is_asked_about, tokenizer.tokens))
        print(f"{len(forgotten)} tokens begin anew", flush=True)
    elif earlier is not None and len(earlier.stages) > 1:
        raise SystemExit(f"{arguments.begin} went on from an earlier model itself.")

    def export(model: Decoder, progress: Progress) -> None:
        shares = quick_accuracy(model, tokenizer)
        print("right:", " ".join(f"{name} {share:.2f};" for name, share in shares.items()))
        record = _record(plan, model, progress, blocked, earlier, len(forgotten))
        _export(arguments.out, model, shape, tokenizer, record)

    train(
        plan,
        shape,
        tokenizer,
        blocked,
        _report,
        export,
        arguments.checkpoint,
        export_every=arguments.export_every,
        begin=arguments.begin,
        forgotten=forgotten,
    )


def _record(
    plan: Plan,
    model: Decoder,
    progress: Progress,
    blocked: frozenset[str],
    earlier: gguf_file.Record | None,
    forgotten: int,
) -> gguf_file.Record:
    record = gguf_file.Record(
        seed=plan.seed,
        steps=progress.step,
        schedule=plan.schedule,
        stories=progress.step * plan.stories,
        seconds=round(progress.seconds),
        parameters=sum(value.numel() for value in model.exported().values()),
        blocked=len(blocked),
        blocked_checksum=checksum(blocked),
        forgotten=forgotten,
    )
    if earlier is None or forgotten:
        return record
    return replace(
        record,
        earlier_seed=earlier.seed,
        earlier_steps=earlier.steps,
        earlier_seconds=earlier.seconds,
    )


def _export(
    out: Path, model: Decoder, shape: Shape, tokenizer: Tokenizer, record: gguf_file.Record
) -> None:
    weights = {name: value.numpy() for name, value in model.exported().items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    gguf_file.write(out, weights, shape, tokenizer, record)
    print(f"step {record.steps}: wrote {out} ({out.stat().st_size / 1e6:.2f} MB)", flush=True)


if __name__ == "__main__":
    main()
