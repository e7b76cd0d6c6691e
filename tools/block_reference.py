"""Computes with PyTorch what reading and changing the blocks of small random models should give.

    python -m venv build/reference
    build/reference/bin/pip install torch gguf
    PYTHONPATH=. build/reference/bin/python tools/block_reference.py

Independent of llama.cpp: the models are written out below, in double precision and from their
papers, one token sequence at a time and without a cache. The weights, prompts and edits are those
of `tests.models.block_cases`; the arrays are written beside it, with the versions that made them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tests.gguf_files import Tiny
from tests.models.block_cases import (
    COMPARED,
    EDITS,
    FOLDER,
    LENGTH,
    SPANS,
    SPECS,
    WINDOW,
    CaseEdit,
    case_of,
    digest,
    vectors,
    weights_of,
)

_EPSILON = 1e-5
_ATTENTION_CAP, _FINAL_CAP = 50.0, 30.0
"""Softcaps of "gemma2"."""
Hook = Callable[[str, int, Tensor], Tensor]
"""Given the name of a part, its block and what it computed, returns what goes on instead."""


@dataclass
class Run:
    """What one run computed: a row for every position."""

    residuals: list[Tensor] = field(default_factory=list)
    attention: list[Tensor] = field(default_factory=list)
    feed_forward: list[Tensor] = field(default_factory=list)
    heads: list[Tensor] = field(default_factory=list)
    weights: list[Tensor] = field(default_factory=list)
    """(heads, positions, positions) of each block."""
    embedding: Tensor = field(default_factory=lambda: torch.zeros(0))

    def part(self, name: str, block: int) -> Tensor:
        """What a part of a block computed."""
        kept = {
            "residual": self.residuals,
            "attention": self.attention,
            "feed-forward": self.feed_forward,
            "head": self.heads,
        }
        return kept[name][block]


class Model:
    """A decoder of one of the three families."""

    def __init__(self, spec: Tiny, weights: Mapping[str, np.ndarray]) -> None:
        self.spec = spec
        self._weights = {name: torch.tensor(array).double() for name, array in weights.items()}

    def run(self, tokens: Sequence[int], hook: Hook = lambda part, block, value: value) -> Run:
        """Compute every block for a sequence."""
        run = Run()
        stream = self._weights["token_embd.weight"][list(tokens)]
        if self.spec.architecture == "gpt2":
            stream = stream + self._weights["position_embd.weight"][: len(tokens)]
        if self.spec.architecture == "gemma2":
            stream = stream * self.spec.width**0.5
        run.embedding = stream
        for block in range(self.spec.blocks):
            attended = hook("attention", block, self._attention(block, stream, hook, run))
            run.attention.append(attended)
            stream = stream + attended
            fed = hook("feed-forward", block, self._feed_forward(block, stream))
            run.feed_forward.append(fed)
            stream = hook("residual", block, stream + fed)
            run.residuals.append(stream)
        return run

    def logits(self, stream: Tensor) -> Tensor:
        """What the model says after residual streams: (rows, vocabulary)."""
        logits = self._norm("output_norm", stream) @ self.unembedding.T
        if self.spec.architecture == "gemma2":
            logits = torch.tanh(logits / _FINAL_CAP) * _FINAL_CAP
        return logits

    @property
    def unembedding(self) -> Tensor:
        """(vocabulary, width)."""
        return self._weights.get("output.weight", self._weights["token_embd.weight"])

    def linear_margin(self, run: Run, position: int, first: int, second: int) -> dict[str, Tensor]:
        """What each part adds to a difference of logits, the final norm's scale being fixed.

        Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
        """
        direction = self.unembedding[first] - self.unembedding[second]
        last = run.residuals[-1][position]
        centred = self.spec.architecture == "gpt2"
        whole = last - last.mean() if centred else last
        scale = torch.sqrt(whole.square().mean() + _EPSILON)
        scaled = self._weights["output_norm.weight"] * direction / scale

        def adds(part: Tensor) -> Tensor:
            row = part[position]
            return (row - row.mean() if centred else row) @ scaled

        constant = torch.zeros((), dtype=torch.double)
        if centred:
            constant = self._weights["output_norm.bias"] @ direction
        width = self.spec.width // self.spec.heads
        of_heads = []
        for block in range(self.spec.blocks):
            matrix = self._weights[f"blk.{block}.attn_output.weight"]
            outputs = []
            for head in range(self.spec.heads):
                part = slice(head * width, (head + 1) * width)
                outputs.append(run.heads[block][:, part] @ matrix[:, part].T)
            if self.spec.architecture == "gemma2":
                # The norm after attention, with the scale that it has for the sum of the heads.
                sums = torch.stack(outputs).sum(0)
                root = torch.sqrt(sums.square().mean(-1, keepdim=True) + _EPSILON)
                gain = self._weights[f"blk.{block}.post_attention_norm.weight"]
                outputs = [output * gain / root for output in outputs]
            of_heads.append(torch.stack([adds(output) for output in outputs]))
        return {
            "embedding": adds(run.embedding),
            "attention": torch.stack([adds(part) for part in run.attention]),
            "feed_forward": torch.stack([adds(part) for part in run.feed_forward]),
            "heads": torch.stack(of_heads),
            "constant": constant,
        }

    def _attention(self, block: int, stream: Tensor, hook: Hook, run: Run) -> Tensor:
        spec, count = self.spec, len(stream)
        width = spec.width // spec.heads
        normed = self._norm(f"blk.{block}.attn_norm", stream)
        if spec.architecture == "gpt2":
            queries, keys, values = self._linear(f"blk.{block}.attn_qkv", normed).chunk(3, -1)
        else:
            queries, keys, values = (
                self._linear(f"blk.{block}.attn_{part}", normed) for part in "qkv"
            )
        groups = spec.heads // (spec.key_value_heads or spec.heads)
        by_head = [part.view(count, -1, width).transpose(0, 1) for part in (queries, keys, values)]
        queries, keys, values = by_head
        if spec.architecture != "gpt2":
            queries, keys = (self._turned(part) for part in (queries, keys))
        keys, values = (part.repeat_interleave(groups, 0) for part in (keys, values))
        scores = queries @ keys.transpose(1, 2) / width**0.5
        if spec.architecture == "gemma2":
            scores = torch.tanh(scores / _ATTENTION_CAP) * _ATTENTION_CAP
        distance = torch.arange(count)[:, None] - torch.arange(count)[None, :]
        hidden = distance < 0
        if spec.architecture == "gemma2" and block % 2 == 0:
            hidden = hidden | (distance >= WINDOW)
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        run.weights.append(weights)
        joined = (weights @ values).transpose(0, 1).reshape(count, -1)
        joined = hook("head", block, joined)
        run.heads.append(joined)
        attended = self._linear(f"blk.{block}.attn_output", joined)
        if spec.architecture == "gemma2":
            attended = self._norm(f"blk.{block}.post_attention_norm", attended)
        return attended

    def _feed_forward(self, block: int, stream: Tensor) -> Tensor:
        normed = self._norm(f"blk.{block}.ffn_norm", stream)
        up = self._linear(f"blk.{block}.ffn_up", normed)
        if self.spec.architecture == "gpt2":
            inner = functional.gelu(up, approximate="tanh")
        else:
            gate = self._linear(f"blk.{block}.ffn_gate", normed)
            gelu = self.spec.architecture == "gemma2"
            gate = functional.gelu(gate, approximate="tanh") if gelu else functional.silu(gate)
            inner = gate * up
        fed = self._linear(f"blk.{block}.ffn_down", inner)
        if self.spec.architecture == "gemma2":
            fed = self._norm(f"blk.{block}.post_ffw_norm", fed)
        return fed

    def _linear(self, name: str, rows: Tensor) -> Tensor:
        result = rows @ self._weights[f"{name}.weight"].T
        bias = self._weights.get(f"{name}.bias")
        return result if bias is None else result + bias

    def _norm(self, name: str, rows: Tensor) -> Tensor:
        if self.spec.architecture == "gpt2":
            rows = rows - rows.mean(-1, keepdim=True)
        rows = rows / torch.sqrt(rows.square().mean(-1, keepdim=True) + _EPSILON)
        bias = self._weights.get(f"{name}.bias", 0)
        return rows * self._weights[f"{name}.weight"] + bias

    def _turned(self, rows: Tensor) -> Tensor:
        """Rotary positions (Su et al. 2021): neighbours in pairs, or halves in "gemma2"."""
        count, width = rows.shape[1:]
        steps = 10_000.0 ** (-torch.arange(0, width, 2, dtype=torch.double) / width)
        angles = torch.arange(count, dtype=torch.double)[:, None] * steps
        halves = self.spec.architecture == "gemma2"
        one, other = rows.chunk(2, -1) if halves else (rows[..., ::2], rows[..., 1::2])
        turned = (
            one * angles.cos() - other * angles.sin(),
            one * angles.sin() + other * angles.cos(),
        )
        return torch.cat(turned, -1) if halves else torch.stack(turned, -1).flatten(-2)


def scores(model: Model, prompt: Sequence[int], options: Sequence[list[int]], hook: Hook) -> Tensor:
    """The log-likelihood of each option after the prompt, in nats."""
    sums = []
    for option in options:
        run = model.run([*prompt, *option[:-1]], hook)
        rows = model.logits(run.residuals[-1][len(prompt) - 1 :]).log_softmax(-1)
        sums.append(rows[torch.arange(len(option)), torch.tensor(option)].sum())
    return torch.stack(sums)


def edit_hook(edit: CaseEdit, source: Run, added: np.ndarray, width: int) -> Hook:
    """Make an edit; `source` is the run that "copy" copies from."""
    first = 0 if edit.head is None else edit.head * width
    vector = None if edit.added is None else torch.tensor(added[edit.added]).double()

    def change(part: str, block: int, value: Tensor) -> Tensor:
        skipped = edit.action == "skip" and part in ("attention", "feed-forward")
        if block != edit.block or not (skipped or (part == edit.part and edit.action != "skip")):
            return value
        changed = value.clone()
        last = value.shape[-1] if edit.head is None else first + width
        place = (slice(edit.start, edit.stop), slice(first, last))
        if edit.action == "copy":
            changed[place] = source.part(part, block)[place]
        elif vector is not None:
            changed[place] += vector[: last - first]
        else:
            changed[place] = 0
        return changed

    return change


def reference(name: str) -> dict[str, np.ndarray]:
    """Every array of a model; see `tests.models.test_block_reference`."""
    spec, case, weights = SPECS[name], case_of(name), weights_of(name)
    model, added = Model(spec, weights), vectors(name)
    width = spec.width // spec.heads
    run, contrast_run = model.run(case.prompt), model.run(case.contrast)
    last = LENGTH - 1
    lens = []
    for block in range(spec.blocks):
        sums = []
        for option in case.options:
            whole = model.run([*case.prompt, *option[:-1]])
            rows = model.logits(whole.residuals[block][last:]).log_softmax(-1)
            sums.append(rows[torch.arange(len(option)), torch.tensor(option)].sum())
        lens.append(torch.stack(sums))
    parts = model.linear_margin(run, last, *(case.options[option][0] for option in COMPARED))
    plain = scores(model, case.prompt, case.options, lambda part, block, value: value)
    contrast = scores(model, case.contrast, case.options, lambda part, block, value: value)
    edited = [
        scores(model, case.prompt, case.options, edit_hook(edit, contrast_run, added, width))
        for edit in EDITS
    ]
    traced = [
        [
            scores(
                model,
                case.contrast,
                case.options,
                edit_hook(CaseEdit("copy", "residual", block, *span), run, added, width),
            )
            for block in range(spec.blocks)
        ]
        for span in SPANS
    ]
    arrays = {
        "residuals": torch.stack(run.residuals),
        "lens": torch.stack(lens),
        "attention_weights": torch.stack([weights[:, last] for weights in run.weights]),
        **parts,
        "plain": plain,
        "contrast": contrast,
        "edited": torch.stack(edited),
        "traced": torch.stack([torch.stack(row) for row in traced]),
    }
    versions = (
        f"torch {torch.__version__}, numpy {np.__version__}, Python {platform.python_version()}"
    )
    return {key: array.float().numpy() for key, array in arrays.items()} | {
        "weights": np.array(digest(weights)),
        "versions": np.array(versions),
    }


def main() -> None:
    """Write the arrays of every model."""
    torch.set_num_threads(1)
    FOLDER.mkdir(exist_ok=True)
    for name in SPECS:
        np.savez_compressed(FOLDER / f"{name}.npz", **reference(name))


if __name__ == "__main__":
    main()
