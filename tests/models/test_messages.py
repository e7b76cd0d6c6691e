"""What the worker says about itself reaches a person without the folders of whoever built it."""

from __future__ import annotations

import pytest

from core.models.llama.messages import unpack_error


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "/tmp/pip-install-a1/llama-cpp-python_9/vendor/llama.cpp/src/llama-vocab.cpp:1234: "
            "GGML_ASSERT(id < n) failed",
            "llama-vocab.cpp:1234: GGML_ASSERT(id < n) failed",
        ),
        ("D:\\a\\b\\ggml.c:7: fatal", "ggml.c:7: fatal"),
        ("one / ../src/ggml-cuda/mmq.cuh:3: two", "one / mmq.cuh:3: two"),
        (
            "failed to open '/home/ada/my models/x.gguf'",
            "failed to open '/home/ada/my models/x.gguf'",
        ),
        ("error loading model: 3/4 of a.b", "error loading model: 3/4 of a.b"),
    ],
)
def test_folders_of_sources_are_left_out_and_nothing_else(said: str, shown: str) -> None:
    error = unpack_error({"what": said, "where": "", "hint": f"It said last: {said}"}, "m.gguf")
    assert error.what == shown
    assert error.hint == f"It said last: {shown}"
    assert error.where == "m.gguf"
