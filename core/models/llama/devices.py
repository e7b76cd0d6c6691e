"""The devices that llama.cpp can compute on, and their memory, as ggml reports them.

Run as `python -m core.models.llama.devices`, it prints the accelerators, one a line.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from core.models.llama.ggml import ggml_library
from core.text.errors import ModelError
from core.text.language import _
from core.text.sizes import human_bytes

BUFFERS = 128 * 2**20
"""Bytes that a context takes on a card beside what is reckoned; 75 to 100 MB were measured."""


class Kind(IntEnum):
    """`ggml_backend_dev_type`, those that layers can be on."""

    CPU = 0
    GPU = 1
    """A graphics card with memory of its own."""
    INTEGRATED = 2
    """A graphics processor that shares the machine's memory."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device. Its texts come from a driver."""

    name: str
    description: str
    free: int
    """Bytes of its memory that are free; 0 with a total of 0 where it does not tell."""
    total: int

    def __str__(self) -> str:
        return f"{self.name} ({self.description})" if self.description else self.name


def devices(kind: Kind) -> list[Device]:
    """The devices of a kind, with the memory that is free now."""
    registry, base = ggml_library("ggml"), ggml_library("ggml-base")
    registry.ggml_backend_dev_count.restype = ctypes.c_size_t
    registry.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    registry.ggml_backend_dev_get.restype = ctypes.c_void_p
    base.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    for text in (base.ggml_backend_dev_name, base.ggml_backend_dev_description):
        text.argtypes, text.restype = [ctypes.c_void_p], ctypes.c_char_p
    size = ctypes.POINTER(ctypes.c_size_t)
    base.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, size, size]
    base.ggml_backend_dev_memory.restype = None
    found = []
    for number in range(registry.ggml_backend_dev_count()):
        pointer = registry.ggml_backend_dev_get(number)
        if base.ggml_backend_dev_type(pointer) != kind:
            continue
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        base.ggml_backend_dev_memory(pointer, ctypes.byref(free), ctypes.byref(total))
        name, description = (
            (text(pointer) or b"").decode("utf-8", "replace")
            for text in (base.ggml_backend_dev_name, base.ggml_backend_dev_description)
        )
        found.append(Device(name, description, free.value, total.value))
    return found


def accelerators() -> list[Device]:
    """Where llama.cpp puts layers: on the cards, and where there are none, on what is built in."""
    return devices(Kind.GPU) or devices(Kind.INTEGRATED)


def check_room(needed: int, found: Sequence[Device]) -> None:
    """Raise `ModelError` where the devices have less free than `needed` bytes and buffers.

    llama.cpp divides layers among them by what is free on each, so each has room where all have.
    Nothing is refused where none is found, or one does not tell its memory.
    """
    if not found or not all(device.total for device in found):
        return
    free = sum(device.free for device in found)
    if (needed := needed + BUFFERS) > free:
        names = " and ".join(map(str, found))
        raise ModelError(
            _(
                "What is to be on {names} needs about {needed} of memory there; {free} are free.",
                names=names,
                needed=human_bytes(needed),
                free=human_bytes(free),
            ),
            hint=_("Put fewer layers on it with --gpu or gpu_layers, or close what uses it."),
        )


def main() -> None:
    """Print the accelerators with the memory that is free."""
    for device in accelerators():
        print(f"{device}, {human_bytes(device.free)} of {human_bytes(device.total)} free")


if __name__ == "__main__":
    main()
