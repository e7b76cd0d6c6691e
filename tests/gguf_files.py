"""Writes small GGUF files for tests and benchmarks: random weights, real tokenizer, broken ones.

The tokenizer is byte-level with whole words: with the "llama-bpe" pre-tokeniser a piece of text
that is in the vocabulary is one token, and anything else falls back to one token per byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

_LAYER_NORMED = ("gpt2", "gptneox", "falcon", "command-r", "stablelm")
"""Architectures whose norms are LayerNorms, "phi2" aside."""
_TAPS, _STATE, _RANK = 4, 16, 4
"""Of "mamba": the convolution's width, the state's, and the rank of its time steps."""

SPECIALS = ("<|bos|>", "<|eos|>", "<|pad|>", "<|sys|>", "<|user|>", "<|bot|>", "<|end|>")
WORDS = (
    "yes",
    "no",
    "plausible",
    "implausible",
    "the",
    "cup",
    "was",
    "open",
    "closed",
    "il",
    "cibo",
)
CHAT = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if m['role'] == 'system' %}{{ '<|sys|>' + m['content'] + '<|end|>' }}"
    "{% elif m['role'] == 'user' %}{{ '<|user|>' + m['content'] + '<|end|>' }}"
    "{% else %}{{ '<|bot|>' + m['content'] + '<|end|>' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|bot|>' }}{% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('No system turn.') }}{% endif %}"
    + CHAT
)


@dataclass(frozen=True, slots=True)
class Tiny:
    """What a file is made of; the defaults make a 0.5 MB model in a moment."""

    blocks: int = 2
    width: int = 64
    heads: int = 4
    hidden: int = 128
    context: int = 512
    vocabulary: int = 0
    """Least number of tokens; words that never occur fill it up."""
    deviation: float = 0.3
    """Standard deviation of the random weights; large enough for decided answers."""
    seed: int = 0
    precision: str = "f32"
    chat: str = CHAT
    add_bos: bool = True
    name: str = "Tiny test model"
    architecture: str = "llama"
    """Or "qwen2" (biases), "qwen3" (norms of queries and keys), "gemma" (scaled and tied
    embedding), "gemma2" (norms after the parts, softcaps, windows), "gemma3" (those norms and
    windows), "gpt2" (learned positions, LayerNorm, biases), "phi2", "gptneox", "falcon",
    "command-r" and "stablelm" (attention and feed-forward beside each other, LayerNorm), "mamba" (a
    state in the place of attention, without feed-forward)."""
    key_value_heads: int = 0
    """0 for as many as heads."""


BENCH_TINY = Tiny(blocks=6, width=192, heads=6, hidden=512, context=2048, precision="q8_0")
"""About three million parameters."""
BENCH_20_BLOCKS = Tiny(
    blocks=20, width=64, heads=4, hidden=128, vocabulary=32_000, deviation=0.1, precision="q8_0"
)
"""Twenty blocks and 32,000 words in 6 MB."""
BENCH_300M = Tiny(
    blocks=20,
    width=1024,
    heads=16,
    hidden=2816,
    context=2048,
    vocabulary=32_000,
    deviation=0.02,
    precision="q8_0",
)
"""About 0.3 billion parameters; some 20 seconds and 350 MB."""


def write(
    path: Path,
    spec: Tiny = Tiny(),
    tokens: Sequence[str] | None = None,
    change: Callable[[str, Array], Array] | None = None,
) -> Path:
    """Write a file and return its path.

    `tokens` replaces the vocabulary after the specials; `change` gives each tensor's numbers by
    its name and the random ones.
    """
    vocabulary = vocabulary_of(spec) if tokens is None else [*SPECIALS, *tokens]
    control, normal = int(gguf.TokenType.CONTROL), int(gguf.TokenType.NORMAL)
    kinds = [control] * len(SPECIALS) + [normal] * (len(vocabulary) - len(SPECIALS))
    writer = gguf.GGUFWriter(path, spec.architecture)
    writer.add_name(spec.name)
    writer.add_context_length(spec.context)
    writer.add_embedding_length(spec.width)
    writer.add_block_count(spec.blocks)
    writer.add_feed_forward_length(spec.hidden)
    writer.add_head_count(spec.heads)
    writer.add_head_count_kv(spec.key_value_heads or spec.heads)
    if spec.architecture in ("phi2", *_LAYER_NORMED):
        writer.add_layer_norm_eps(1e-5)
    else:
        writer.add_layer_norm_rms_eps(1e-5)
    if spec.architecture in ("gptneox", "stablelm"):
        writer.add_parallel_residual(True)
    if spec.architecture == "command-r":
        writer.add_logit_scale(0.25)
    if spec.architecture in ("gemma2", "gemma3"):
        writer.add_sliding_window(64)
    if spec.architecture == "gemma2":
        writer.add_attn_logit_softcapping(50.0)
        writer.add_final_logit_softcapping(30.0)
    if spec.architecture == "mamba":
        writer.add_ssm_conv_kernel(_TAPS)
        writer.add_ssm_inner_size(2 * spec.width)
        writer.add_ssm_state_size(_STATE)
        writer.add_ssm_time_step_rank(_RANK)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(spec.width // spec.heads)
    writer.add_vocab_size(len(vocabulary))
    writer.add_file_type(
        gguf.LlamaFileType.ALL_F32 if spec.precision == "f32" else gguf.LlamaFileType.MOSTLY_Q8_0
    )
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(vocabulary)
    writer.add_token_types(kinds)
    writer.add_token_merges(["Ġ t"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_pad_token_id(2)
    writer.add_eot_token_id(6)
    writer.add_add_bos_token(spec.add_bos)
    writer.add_add_eos_token(False)
    if spec.chat:
        writer.add_chat_template(spec.chat)
    for name, drawn in tensors(spec, len(vocabulary)):
        array = drawn if change is None else change(name, drawn)
        if array.ndim == 1 or spec.precision == "f32":
            writer.add_tensor(name, array)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(array, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def with_32_bit_weights(model: Path, path: Path) -> None:
    """Write a model again, its weights as 32-bit numbers."""
    reader = gguf.GGUFReader(model)
    writer = gguf.GGUFWriter(path, reader.fields["general.architecture"].contents())
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    set_already = {gguf.Keys.General.ARCHITECTURE, gguf.Keys.General.FILE_TYPE}
    for name, field in reader.fields.items():
        if name not in set_already and not name.startswith("GGUF."):
            of_list = field.types[-1] if len(field.types) > 1 else None
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=of_list)
    for tensor in reader.tensors:
        weights = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, np.ascontiguousarray(weights, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def vocabulary_of(spec: Tiny) -> list[str]:
    """Every token of a file, by its number."""
    return [*SPECIALS, *_vocabulary(spec)]


def duplicate_token(path: Path) -> Path:
    """A file with the same token twice, on which llama.cpp aborts its process."""
    return write(path, tokens=[*_vocabulary(Tiny()), "Ġcup"])


def changed_number(path: Path, key: str, value: int) -> Path:
    """A file whose header claims another number, as 32 bits, for `key`."""
    write(path)
    data = bytearray(path.read_bytes())
    at = data.index(key.encode()) + len(key) + 4  # the name is followed by the value's type
    data[at : at + 4] = value.to_bytes(4, "little")
    path.write_bytes(bytes(data))
    return path


def not_a_number(path: Path) -> Path:
    """A file of which one tensor is all NaN."""
    write(path)
    tensor = next(t for t in gguf.GGUFReader(path).tensors if t.name == "output_norm.weight")
    data = bytearray(path.read_bytes())
    start = int(tensor.data_offset)
    data[start : start + tensor.n_bytes] = np.full(tensor.n_bytes // 4, np.nan, "<f4").tobytes()
    path.write_bytes(bytes(data))
    return path


def _vocabulary(spec: Tiny) -> list[str]:
    letters = byte_letters()
    pieces = [*WORDS, *(f" {word}" for word in WORDS), ".\n", "?\n", " àà"]
    words = ["".join(letters[byte] for byte in piece.encode()) for piece in pieces]
    found = list(dict.fromkeys([*letters.values(), *words]))
    missing = spec.vocabulary - len(SPECIALS) - len(found)
    return found + [f"<filler{number}>" for number in range(missing)]


def byte_letters() -> dict[int, str]:
    """GPT-2's letters for bytes: printable ones stand for themselves, others move up."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    moved = {byte: chr(256 + place) for place, byte in enumerate(hidden)}
    return {byte: moved.get(byte, chr(byte)) for byte in range(256)}


def tensors(spec: Tiny, vocabulary: int) -> Iterator[tuple[str, Array]]:
    """The random weights of a file for `vocabulary` tokens, each with its name."""
    random = np.random.default_rng(spec.seed)
    width, hidden = spec.width, spec.hidden

    def drawn(rows: int, columns: int) -> Array:
        return random.standard_normal((rows, columns), dtype=np.float32) * np.float32(
            spec.deviation
        )

    def biases(name: str, length: int) -> Iterator[tuple[str, Array]]:
        if spec.architecture in ("qwen2", "phi2", "gpt2"):
            yield name.replace(".weight", ".bias"), drawn(1, length)[0]

    if spec.architecture in _LAYER_NORMED:
        yield from _layer_normed_tensors(spec, vocabulary, drawn)
        return
    keys = width // spec.heads * (spec.key_value_heads or spec.heads)
    ones = np.ones(width, np.float32)
    yield "token_embd.weight", drawn(vocabulary, width)
    yield "output_norm.weight", ones
    if not spec.architecture.startswith("gemma"):
        yield "output.weight", drawn(vocabulary, width)
    if spec.architecture == "phi2":
        yield "output_norm.bias", drawn(1, width)[0]
        yield "output.bias", drawn(1, vocabulary)[0]
    for block in range(spec.blocks):
        prefix = f"blk.{block}."
        yield prefix + "attn_norm.weight", ones
        if spec.architecture == "mamba":
            inner = 2 * width
            yield prefix + "ssm_in.weight", drawn(2 * inner, width)
            yield prefix + "ssm_conv1d.weight", drawn(inner, _TAPS)
            yield prefix + "ssm_conv1d.bias", drawn(1, inner)[0]
            yield prefix + "ssm_x.weight", drawn(_RANK + 2 * _STATE, inner)
            yield prefix + "ssm_dt.weight", drawn(inner, _RANK)
            yield prefix + "ssm_dt.bias", drawn(1, inner)[0]
            yield prefix + "ssm_a", -np.abs(drawn(inner, _STATE))
            yield prefix + "ssm_d", drawn(1, inner)[0]
            yield prefix + "ssm_out.weight", drawn(width, inner)
            continue
        for part, rows in (("attn_q", width), ("attn_k", keys), ("attn_v", keys)):
            yield f"{prefix}{part}.weight", drawn(rows, width)
            yield from biases(f"{prefix}{part}.weight", rows)
        yield prefix + "attn_output.weight", drawn(width, width)
        if spec.architecture == "phi2":
            yield prefix + "attn_norm.bias", drawn(1, width)[0]
            yield prefix + "attn_output.bias", drawn(1, width)[0]
            yield prefix + "ffn_up.bias", drawn(1, hidden)[0]
            yield prefix + "ffn_down.bias", drawn(1, width)[0]
        else:
            yield prefix + "ffn_norm.weight", ones
            yield prefix + "ffn_gate.weight", drawn(hidden, width)
        if spec.architecture in ("qwen3", "gemma3"):
            yield prefix + "attn_q_norm.weight", ones[: width // spec.heads]
            yield prefix + "attn_k_norm.weight", ones[: width // spec.heads]
        if spec.architecture in ("gemma2", "gemma3"):
            yield prefix + "post_attention_norm.weight", ones
            yield prefix + "post_ffw_norm.weight", ones
        yield prefix + "ffn_up.weight", drawn(hidden, width)
        yield prefix + "ffn_down.weight", drawn(width, hidden)


def _layer_normed_tensors(
    spec: Tiny, vocabulary: int, drawn: Callable[[int, int], Array]
) -> Iterator[tuple[str, Array]]:
    width, hidden, name = spec.width, spec.hidden, spec.architecture
    keys = width // spec.heads * (spec.key_value_heads or spec.heads)
    biased = name in ("gpt2", "gptneox")

    def norm(name: str) -> Iterator[tuple[str, Array]]:
        yield f"{name}.weight", 1 + drawn(1, width)[0]
        if spec.architecture != "command-r":
            yield f"{name}.bias", drawn(1, width)[0]

    yield "token_embd.weight", drawn(vocabulary, width)
    if name == "gpt2":
        yield "position_embd.weight", drawn(spec.context, width)
    yield from norm("output_norm")
    if name != "command-r":
        yield "output.weight", drawn(vocabulary, width)
    fused = (("attn_qkv", width + 2 * keys, width),)
    apart = (("attn_q", width, width), ("attn_k", keys, width), ("attn_v", keys, width))
    gate = (("ffn_gate", hidden, width),) if name in ("command-r", "stablelm") else ()
    for block in range(spec.blocks):
        prefix = f"blk.{block}."
        yield from norm(prefix + "attn_norm")
        if biased:
            yield from norm(prefix + "ffn_norm")
        for part, rows, columns in (
            *(apart if gate else fused),
            ("attn_output", width, width),
            *gate,
            ("ffn_up", hidden, width),
            ("ffn_down", width, hidden),
        ):
            yield f"{prefix}{part}.weight", drawn(rows, columns)
            if biased:
                yield f"{prefix}{part}.bias", drawn(1, rows)[0]
