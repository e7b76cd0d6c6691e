"""Names of published models, and the files that they mean."""

from __future__ import annotations

import pytest

from core.hub.names import choose, parse
from core.text.errors import NotFoundError

FILES = (
    "README.md",
    "mmproj-model-f16.gguf",
    "model-Q4_K_M.gguf",
    "model-Q4_K_S.gguf",
    "model-q8_0-00001-of-00002.gguf",
    "model-q8_0-00002-of-00002.gguf",
    "F16/model-f16.gguf",
)


@pytest.mark.parametrize(
    ("wanted", "files"),
    [
        ("", ["model-Q4_K_M.gguf"]),
        (":Q4_K_M", ["model-Q4_K_M.gguf"]),
        (":q4_k_s", ["model-Q4_K_S.gguf"]),
        (":Q8_0", ["model-q8_0-00001-of-00002.gguf", "model-q8_0-00002-of-00002.gguf"]),
        (
            ":model-q8_0-00001-of-00002.gguf",
            ["model-q8_0-00001-of-00002.gguf", "model-q8_0-00002-of-00002.gguf"],
        ),
        (":model-f16.gguf", ["F16/model-f16.gguf"]),
        (":F16/model-f16.gguf", ["F16/model-f16.gguf"]),
    ],
)
def test_a_name_means_the_files_that_llama_cpp_would_take(wanted: str, files: list[str]) -> None:
    assert list(choose(parse(f"hf:owner/repo{wanted}"), FILES)) == files


def test_the_only_model_needs_no_quantisation() -> None:
    assert choose(parse("hf:owner/repo"), ["a/odd.gguf", "mmproj-odd.gguf"]) == ("a/odd.gguf",)


@pytest.mark.parametrize("wanted", ["Q4", "Q4_K", "Q5_K_M", "other.gguf"])
def test_a_part_of_a_quantisation_is_none(wanted: str) -> None:
    with pytest.raises(NotFoundError) as error:
        choose(parse(f"hf:owner/repo:{wanted}"), FILES)
    assert "model-Q4_K_M.gguf" in error.value.hint


def test_a_name_that_fits_two_models_asks_for_the_file() -> None:
    with pytest.raises(NotFoundError, match="More than one"):
        choose(parse("hf:owner/repo:Q8_0"), ["a-Q8_0.gguf", "b-Q8_0.gguf"])


def test_a_model_with_a_part_missing_is_refused() -> None:
    with pytest.raises(NotFoundError, match="1 of the 3 parts"):
        choose(parse("hf:owner/repo"), ["m-00002-of-00003.gguf"])


@pytest.mark.parametrize(
    "text",
    [
        "hf:",
        "hf:repo",
        "hf:../../etc",
        "hf:owner/..",
        "hf:owner/repo:",
        "hf:owner/repo:../x.gguf",
        "hf:owner/repo:/etc/x.gguf",
        "hf:owner/repo/more",
        "hf:owner/re\npo",
        "owner/repo",
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(NotFoundError):
        parse(text)
