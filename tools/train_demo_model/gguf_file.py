"""Write the trained decoder as a llama-architecture GGUF file, and read back how it was trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import gguf
import numpy as np
from numpy.typing import NDArray

from tools.train_demo_model.shape import Shape
from tools.train_demo_model.tokenizer import SPECIALS, Tokenizer

Precision = Literal["f32", "q8_0"]

_RECORD = "demonstration."
_TYPES: dict[Precision, gguf.LlamaFileType] = {
    "f32": gguf.LlamaFileType.ALL_F32,
    "q8_0": gguf.LlamaFileType.MOSTLY_Q8_0,
}


@dataclass(frozen=True, slots=True)
class Stage:
    """A training: its seed, steps and stories, and whether it went on from an earlier model."""

    seed: int
    steps: int
    stories: int
    continued: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """How a file was made; kept in the file's own metadata under `demonstration.*`.

    `schedule` is the number of steps that the training rate was planned for, `blocked` the number
    of sample sentences that were kept out of training and `blocked_checksum` what
    `stream.checksum` gives for them.
    """

    seed: int
    steps: int
    schedule: int
    stories: int
    seconds: int
    parameters: int
    blocked: int
    blocked_checksum: int
    earlier_seed: int = 0
    """Of the model that the training went on from; 0 for none, as for its steps and seconds."""
    earlier_steps: int = 0
    earlier_seconds: int = 0
    forgotten: int = 0
    """Tokens of the earlier model that began anew. What was told before that is not replayed."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The trainings that can be replayed, in their order."""
        if self.forgotten:
            return (Stage(self.seed, self.steps, self.stories, continued=True),)
        if not self.earlier_steps:
            return (Stage(self.seed, self.steps, self.stories),)
        stories = self.stories // self.steps * self.earlier_steps
        return (
            Stage(self.earlier_seed, self.earlier_steps, stories),
            Stage(self.seed, self.steps, self.stories, continued=True),
        )


def write(
    path: Path,
    weights: Mapping[str, NDArray[np.float32]],
    shape: Shape,
    tokenizer: Tokenizer,
    record: Record,
    precision: Precision = "q8_0",
) -> None:
    """Write `path` (through a temporary file). `weights` have llama.cpp's tensor names.

    Vectors stay in 32 bits. The tokenizer class has already refused duplicate tokens, on which
    llama.cpp would abort the process.
    """
    part = path.with_suffix(".part")
    writer = gguf.GGUFWriter(part, "llama")
    writer.add_name("Commonsense demonstration model")
    writer.add_description(
        "Trained on generated text to show how the program works. Not a benchmark result."
    )
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.blocks)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_rope_dimension_count(shape.head)
    writer.add_vocab_size(len(tokenizer.tokens))
    writer.add_file_type(_TYPES[precision])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    _add_tokenizer(writer, tokenizer)
    for key, value in asdict(record).items():
        writer.add_uint32(_RECORD + key, value)
    for name, array in weights.items():
        if array.ndim == 1 or precision == "f32":
            writer.add_tensor(name, array)
        else:
            blocks = gguf.quants.quantize(array, gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(name, blocks, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(path)


def _add_tokenizer(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    control, normal = int(gguf.TokenType.CONTROL), int(gguf.TokenType.NORMAL)
    writer.add_tokenizer_model("gpt2")
    # This pre-tokeniser takes a piece that is in the vocabulary as one token, without merges.
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(list(tokenizer.tokens))
    writer.add_token_types([control if token in SPECIALS else normal for token in tokenizer.tokens])
    # The key must exist and must not be empty. Merging begins with single letters, so this merge is
    # never reached; one that is, but whose result is no token, would lose a letter.
    writer.add_token_merges(["never merged"])
    writer.add_bos_token_id(tokenizer.bos)
    writer.add_eos_token_id(tokenizer.eos)
    writer.add_pad_token_id(tokenizer.pad)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)


def read_record(path: Path) -> Record:
    """The record of a file written by `write`; TypeError when it has none."""
    fields = gguf.GGUFReader(path).fields
    known = {name: fields.get(_RECORD + name) for name in Record.__dataclass_fields__}
    return Record(**{name: int(field.contents()) for name, field in known.items() if field})


def read_weights(path: Path) -> tuple[tuple[str, ...], dict[str, NDArray[np.float32]]]:
    """The tokens and the weights of a file written by `write`, in 32 bits."""
    reader = gguf.GGUFReader(path)
    tokens = tuple(str(token) for token in reader.fields["tokenizer.ggml.tokens"].contents())
    weights = {
        tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        for tensor in reader.tensors
    }
    return tokens, weights
