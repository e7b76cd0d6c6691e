"""Writes the table of architectures and quantisations whose blocks can be read.

    python tools/architectures.py docs/architectures.md

For each architecture llama.cpp itself says which weights it misses and of which shape; they are
drawn at random, quantised by llama.cpp, and the blocks of what comes out are read and changed. Each
architecture is tried in a process of its own, because some abort on what they cannot load.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
from llama_cpp import llama_cpp as c

from core.models.blocks import Part
from tests.gguf_files import SPECIALS, Tiny, vocabulary_of

ARCHITECTURES = (
    *("llama", "llama4", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "gemma", "gemma2", "gemma3"),
    *("gpt2", "gptneox", "falcon", "phi2", "phi3", "command-r", "cohere2", "stablelm", "olmo"),
    *("olmo2", "olmoe", "granite", "granitemoe", "starcoder2", "mpt", "bloom", "internlm2"),
    *("minicpm", "exaone", "nemotron", "smollm3", "glm4", "ernie4_5", "hunyuan-dense"),
    *("mamba", "mamba2", "rwkv6", "rwkv7", "jamba", "lfm2", "falcon-h1", "granitehybrid"),
    *("qwen3next", "nemotron_h"),
)
QUANTISATIONS = ("F32", "F16", "Q8_0", "Q4_0", "Q4_K_M")
_WIDTH, _HEADS, _BLOCKS = 256, 4, 4
_MOST_TRIES = 600
_SECONDS = 60
_NUMBERS = {
    "context_length": 512,
    "embedding_length": _WIDTH,
    "block_count": _BLOCKS,
    "feed_forward_length": 512,
    "expert_feed_forward_length": 256,
    "expert_shared_feed_forward_length": 256,
    "expert_count": 4,
    "expert_used_count": 2,
    "interleave_moe_layer_step": 1,
    "attention.head_count": _HEADS,
    "attention.head_count_kv": 2,
    "attention.key_length": 64,
    "attention.value_length": 64,
    "attention.sliding_window": 64,
    "rope.dimension_count": 64,
    "ssm.conv_kernel": 4,
    "ssm.inner_size": 512,
    "ssm.state_size": 64,
    "ssm.time_step_rank": 8,
    "ssm.group_count": 1,
    "wkv.head_size": 64,
    "time_mix_extra_dim": 32,
    "time_decay_extra_dim": 32,
    "attention.decay_lora_rank": 32,
    "attention.iclr_lora_rank": 32,
    "attention.value_residual_mix_lora_rank": 32,
    "attention.gate_lora_rank": 32,
    "token_shift_count": 2,
    "rescale_every_n_layers": 0,
    "shortconv.l_cache": 3,
    "full_attention_interval": 2,
}
_FLOATS = {
    "attention.layer_norm_rms_epsilon": 1e-5,
    "attention.layer_norm_epsilon": 1e-5,
    "rope.freq_base": 10_000.0,
    "logit_scale": 1.0,
    "embedding_scale": 1.0,
    "residual_scale": 1.0,
    "attention.scale": 0.125,
    "attention.max_alibi_bias": 8.0,
}
_FOUND_WITH = ("attention.head_count_kv", "feed_forward_length")
"""Given for each block where a model alternates between attention and a state."""
_ALTERNATING = ("jamba", "lfm2", "granitehybrid", "nemotron_h")
_OPTIONAL = {
    "falcon-h1": [
        f"blk.{block}.{name}"
        for block in range(_BLOCKS)
        for name in ("ssm_norm.weight", "ssm_conv1d.bias")
    ],
    "granitehybrid": [
        *(f"blk.{block}.ffn_gate_exps.weight" for block in range(_BLOCKS)),
        *(f"blk.{block}.ssm_conv1d.bias" for block in range(0, _BLOCKS, 2)),
    ],
    "qwen3next": [
        f"blk.{block}.{name}.weight"
        for block in range(0, _BLOCKS, 2)
        for name in ("attn_qkv", "attn_gate")
    ],
}
"""Weights that llama.cpp does not ask for and cannot do without."""
_MISSING = re.compile(r"tensor '([^']+)' not found|missing tensor '([^']+)'")
_SHAPE = re.compile(r"tensor '([^']+)' has wrong shape; expected ([\d, ]+), got")

Shapes = dict[str, tuple[int, ...]]


def main(to: Path) -> None:
    """Try every architecture, and write the table."""
    rows = []
    for name in ARCHITECTURES:
        try:
            done = subprocess.run(
                [sys.executable, __file__, "--one", name],
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
                env=os.environ | {"GGML_NO_BACKTRACE": "1"},
            )
            found = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
        except (subprocess.TimeoutExpired, IndexError, ValueError):
            found = None
        print(name, found, file=sys.stderr)
        rows.append(_row(name, found))
    to.write_text(_PAGE.format(rows="\n".join(rows)), encoding="utf-8")


def _row(name: str, found: dict[str, dict[str, object]] | None) -> str:
    if not found:
        return f"| {name} | {' | '.join(['not made'] * len(QUANTISATIONS))} | |"
    cells = [str(found[kind]["exact"]) if kind in found else "not made" for kind in QUANTISATIONS]
    return f"| {name} | {' | '.join(cells)} | {found['F32']['parts']} |"


def try_one(name: str) -> None:
    """Print what can be read of an architecture, as JSON by quantisation."""
    lines: list[str] = []
    hear = c.llama_log_callback(lambda _, text, __: lines.append(text.decode(errors="replace")))
    c.llama_log_set(hear, None)
    c.llama_backend_init()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "F32.gguf"
        _discover(name, whole, lines)
        for kind in QUANTISATIONS:
            path = whole if kind == "F32" else Path(folder) / f"{kind}.gguf"
            if path != whole and not _quantised(whole, path, kind):
                continue
            found[kind] = _read(path)
            # A model may be of no use in the next precision, and end the process.
            print(json.dumps(found), flush=True)


def _discover(name: str, path: Path, lines: list[str]) -> None:
    """Write a file that llama.cpp loads. Raises `ValueError` where there is none."""
    shapes: Shapes = dict.fromkeys(_OPTIONAL.get(name, ()), (1,))
    for _ in range(_MOST_TRIES):
        _write(name, path, shapes)
        lines.clear()
        model = c.llama_model_load_from_file(os.fsencode(path), c.llama_model_default_params())
        if model:
            c.llama_model_free(model)
            return
        said = "".join(lines)
        if match := _MISSING.search(said):
            missing = match[1] or match[2]
            alike = re.sub(r"^blk\.\d+", "blk.0", missing)
            shapes[missing] = shapes.get(alike, (1,))
        elif match := _SHAPE.search(said):
            shape = tuple(int(size) for size in match[2].split(","))
            shapes[match[1]] = _trimmed(shape)
        else:
            raise ValueError(said[-500:])
    raise ValueError("llama.cpp asks for ever more")


def _trimmed(shape: tuple[int, ...]) -> tuple[int, ...]:
    while len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def _write(name: str, path: Path, shapes: Shapes) -> None:
    random = np.random.default_rng(0)
    tokens = vocabulary_of(Tiny())
    control, normal = int(gguf.TokenType.CONTROL), int(gguf.TokenType.NORMAL)
    writer = gguf.GGUFWriter(path, name)
    for key, number in _numbers(name):
        if isinstance(number, list):
            writer.add_array(f"{name}.{key}", number)
        else:
            writer.add_uint32(f"{name}.{key}", number)
    for key, value in _FLOATS.items():
        writer.add_float32(f"{name}.{key}", value)
    writer.add_bool(f"{name}.use_parallel_residual", True)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(tokens)
    writer.add_token_types([control if token in SPECIALS else normal for token in tokens])
    writer.add_token_merges(["Ġ t"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    for tensor, shape in shapes.items():
        drawn = random.standard_normal(shape[::-1], dtype=np.float32) * np.float32(0.05)
        if "norm" in tensor and tensor.endswith("weight"):
            drawn += 1
        if tensor.endswith("ssm_a"):
            drawn = -np.abs(drawn)
        writer.add_tensor(tensor, drawn)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _numbers(name: str) -> Iterator[tuple[str, int | list[int]]]:
    for key, number in _NUMBERS.items():
        if key in _FOUND_WITH and name in _ALTERNATING:
            every = [
                number if block % 2 or key != _FOUND_WITH[0] else 0 for block in range(_BLOCKS)
            ]
            yield key, every
        else:
            yield key, number


def _quantised(whole: Path, path: Path, kind: str) -> bool:
    wanted = c.llama_model_quantize_default_params()
    wanted.ftype = getattr(c, f"LLAMA_FTYPE_MOSTLY_{kind}")
    return bool(c.llama_model_quantize(bytes(whole), bytes(path), ctypes.byref(wanted)) == 0)


def _read(path: Path) -> dict[str, object]:
    """Whether the last block is exact, and what else can be read."""
    from core.models.llama.lens import read_blocks
    from tests.models.blocks import STORY, Opened

    opened = Opened(path)
    access = opened.access
    if access.unreadable is not None:
        return {"exact": f"no: {access.unreadable}", "parts": access.reason}
    reading = read_blocks(opened.engine, opened.inspection, *opened.pairs(STORY), [1, 1])
    own = [score for score, _ in opened.plain(STORY)]
    last = [score.logprob for score in reading.scores[-1]]
    parts = [part.value for part in Part if part in access.parts]
    parts += ["attribution"] * access.attribution + ["attention weights"] * access.attention
    return {"exact": "exact" if own == last else "differs", "parts": ", ".join(parts)}


_PAGE = f"""# Which models can be read between their blocks

Made by `tools/architectures.py` with llama-cpp-python of the locked requirements: random \
weights, {_BLOCKS} blocks, width {_WIDTH}, quantised by llama.cpp. *exact*: reading along changes \
no bit, and the projection of the last block is the model's own answer, bit for bit. *no* says \
what fails; such a model answers as any other, and only its blocks stay closed. *not made*: \
llama.cpp loads no such file that the script knows how to write. Of real weights nothing follows \
for the figures, only that they can be read.

Models that keep a state (mamba, rwkv, hybrids) are asked one option at a time. The last column is \
of F32.

| architecture | {" | ".join(QUANTISATIONS)} | what can be read |
|---|{"---|" * (len(QUANTISATIONS) + 1)}
{{rows}}
"""

if __name__ == "__main__":
    if sys.argv[1] == "--one":
        try_one(sys.argv[2])
    else:
        main(Path(sys.argv[1]))
