"""Hooks into llama.cpp's forward pass: lists its tensors, and reads and writes them.

llama.cpp asks about every node of its graph, in order, and calls back for the wanted ones once they
are computed. A node is identified by its index in that order, because several may share a name.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as c
from numpy.typing import NDArray

from core.models.llama.ggml import ggml_library
from core.text.errors import ModelError
from core.text.language import _

_FLOAT32 = 0
"""`GGML_TYPE_F32`."""
_SOURCES = 10
"""`GGML_MAX_SRC`."""
_COMPUTED = 16
"""`GGML_TENSOR_FLAG_COMPUTE`: the processor passes over nodes without it."""

Array = NDArray[np.float32]


class _Tensor(ctypes.Structure):
    """`struct ggml_tensor` of the vendored ggml."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("buffer", ctypes.c_void_p),
        ("ne", ctypes.c_int64 * 4),
        ("nb", ctypes.c_size_t * 4),
        ("op", ctypes.c_int),
        ("op_params", ctypes.c_int32 * 16),
        ("flags", ctypes.c_int32),
        ("src", ctypes.c_void_p * _SOURCES),
        ("view_src", ctypes.c_void_p),
        ("view_offs", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("name", ctypes.c_char * 64),
        ("extra", ctypes.c_void_p),
        ("padding", ctypes.c_char * 8),
    )


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the computation graph."""

    pointer: int
    name: str
    operation: str
    sources: tuple[int, ...]
    """The pointers of what it is computed from, in order."""
    source_names: tuple[str, ...]
    shape: tuple[int, ...]
    """From the outermost dimension to the innermost."""


class Computed:
    """A tensor that was just computed; valid only while its listener is called."""

    def __init__(self, pointer: int) -> None:
        """Raises `ModelError` for anything but rows of 32-bit numbers."""
        self._pointer = pointer
        tensor = _Tensor.from_address(pointer)
        if tensor.type != _FLOAT32 or tensor.nb[0] != 4:
            raise ModelError(
                _("The tensor {name!r} does not hold 32-bit numbers in rows.", name=_name(tensor))
            )
        self.shape: tuple[int, ...] = tuple(tensor.ne)[::-1]
        """From the outermost dimension to the innermost: (1, planes, rows, width)."""
        self._steps = tuple(tensor.nb)

    @property
    def rows(self) -> int:
        """How many rows there are in a plane."""
        return self.shape[2]

    def row(self, row: int, plane: int = 0) -> Array:
        """A copy of a row, (width,)."""
        values = np.empty(self.shape[3], np.float32)
        _BASE.ggml_backend_tensor_get(
            self._pointer, values.ctypes.data, self._byte_offset(row, plane), values.nbytes
        )
        return values

    def write(self, row: int, values: Array, first: int = 0) -> None:
        """Replace a row, or the part of it that begins at `first`."""
        values = np.ascontiguousarray(values, np.float32)
        if first < 0 or first + len(values) > self.shape[3]:
            raise ModelError(_("A part of a tensor was to be replaced that does not exist."))
        _BASE.ggml_backend_tensor_set(
            self._pointer, values.ctypes.data, self._byte_offset(row, 0) + 4 * first, values.nbytes
        )

    def _byte_offset(self, row: int, plane: int) -> int:
        if not (0 <= row < self.shape[2] and 0 <= plane < self.shape[1]):
            raise ModelError(_("A part of a tensor was asked for that does not exist."))
        return row * int(self._steps[1]) + plane * int(self._steps[2])


Listener = Callable[[Computed], None]


class Tap:
    """The callback of one context."""

    def __init__(self) -> None:
        self.callback = c.ggml_backend_sched_eval_callback(self._on_node)
        """For llama.cpp; this object must live as long as the context."""
        self._listeners: Mapping[int, Listener] = {}
        self._idle: Set[int] = frozenset()
        self._passed: list[_Tensor] = []
        self._nodes: list[Node] | None = None
        self._asked = 0
        self._error: Exception | None = None

    @property
    def asked(self) -> int:
        """How many nodes the last graph had."""
        return self._asked

    def begin(self, listeners: Mapping[int, Listener], idle: Set[int] = frozenset()) -> None:
        """Before a batch: set the listener of each wanted node, by its index.

        Nodes in `idle` are not computed; those that are wanted too hold what was there before.
        """
        self._listeners, self._idle = listeners, idle
        self._asked = 0
        self._error = None

    def restore(self) -> None:
        """After a batch, also a failed one: let the nodes that it passed over be computed again.

        llama.cpp may use the same graph again.
        """
        for tensor in self._passed:
            tensor.flags |= _COMPUTED
        self._passed, self._idle = [], frozenset()

    def end(self) -> None:
        """After a batch: raises what a listener raised."""
        self._listeners = {}
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def record(self) -> list[Node]:
        """Append every node of the next batches to the returned list, until `stop_recording`."""
        self._nodes = []
        return self._nodes

    def stop_recording(self) -> None:
        """Stop recording nodes."""
        self._nodes = None

    def _on_node(self, pointer: int, asks: bool, _: object) -> bool:
        if asks:
            index = self._asked
            self._asked += 1
            if self._nodes is not None:
                self._nodes.append(_node(pointer))
            if index in self._idle:
                self._pass_over(pointer)
            return index in self._listeners
        # C code cannot pass an exception on, so any is kept for `end`.
        try:
            if self._error is None:
                self._listeners[self._asked - 1](Computed(pointer))
        except Exception as error:
            self._error = error
        return True

    def _pass_over(self, pointer: int) -> None:
        tensor = _Tensor.from_address(pointer)
        if tensor.flags & _COMPUTED:
            tensor.flags &= ~_COMPUTED
            self._passed.append(tensor)


def _node(pointer: int) -> Node:
    tensor = _Tensor.from_address(pointer)
    sources = tuple(source for source in tensor.src if source)
    return Node(
        pointer,
        _name(tensor),
        _BASE.ggml_op_name(tensor.op).decode("utf-8", "replace"),
        sources,
        tuple(_name(_Tensor.from_address(source)) for source in sources),
        tuple(tensor.ne)[::-1],
    )


def _name(tensor: Any) -> str:
    return bytes(tensor.name).decode("utf-8", "replace")


def _base_library() -> Any:
    library = ggml_library("ggml-base")
    address, size = ctypes.c_void_p, ctypes.c_size_t
    for moves in (library.ggml_backend_tensor_get, library.ggml_backend_tensor_set):
        moves.argtypes, moves.restype = [address, address, size, size], None
    library.ggml_op_name.argtypes, library.ggml_op_name.restype = [ctypes.c_int], ctypes.c_char_p
    return library


_BASE = _base_library()
