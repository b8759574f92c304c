"""Arrays of a call, checked: where they lie, and whether they are what the program takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from . import _dlpack
from ._interface import Array

_Masked = np.ma.MaskedArray
_MOST_WORK = 100_000  # of numpy's exact search for elements that two views share


class Operand:
    """The memory of an array of a call."""

    __slots__ = (
        "array",
        "on_device",
        "owner",
        "pointer",
        "shape",
        "stream",
        "strides",
    )

    def __init__(
        self,
        array: Array,
        pointer: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        owner: Any,
        on_device: bool = False,
        stream: int | None = None,
    ) -> None:
        self.array = array
        self.pointer = pointer
        self.shape = shape
        #: In elements, outermost first; None: one element after the other.
        self.strides = strides
        self.owner = owner
        self.on_device = on_device
        #: The stream of its producer, where that says one.
        self.stream = stream

    def end(self) -> int:
        """Behind its last element in memory. Requires: strides are positive."""
        count = math.prod(self.shape)
        if self.strides is not None and count > 0:
            count = 1 + sum((n - 1) * step for n, step in zip(self.shape, self.strides))
        return self.pointer + count * self.array.dtype.itemsize


def _refuse_type(array: Array, given: str, hint: str = "") -> NoReturn:
    raise TypeError(
        f"array `{array.name}`: expected {_wanted(array)}, given {given}"
        + (f"; {hint}" if hint else "")
    )


def _wanted(array: Array) -> str:
    return f"an array of {array.dtype} {array.shape_text}"


def _article(text: str) -> str:
    return ("an " if text[:1] in "aeiou" else "a ") + text


def host(array: Array, value: np.ndarray[Any, Any]) -> Operand:
    """A numpy array."""
    if isinstance(value, _Masked):
        _refuse_type(array, "a masked array", "its `.data` has no mask")
    if value.dtype != array.dtype:
        hint = f"`.astype(numpy.{array.dtype})` makes a copy of that type"
        if not value.dtype.isnative:
            hint += f", and {value.dtype.str!r} has another order of bytes"
        _refuse_type(array, f"one of {value.dtype}", hint)
    shape: tuple[int, ...] = value.shape
    if len(shape) != len(array.extents):
        _refuse_rank(array, shape)
    flags = value.flags
    if array.is_output and not flags.writeable:
        raise ValueError(f"array `{array.name}` is read-only, and the program writes it")
    pointer: int = value.__array_interface__["data"][0]
    if flags.c_contiguous and flags.aligned:
        return Operand(array, pointer, shape, None, value)
    if not flags.aligned:
        raise ValueError(
            f"array `{array.name}` is not aligned: its elements do not begin at multiples of "
            f"{array.dtype.alignment} bytes; `.copy()` makes one whose do"
        )
    strides = _in_elements(array, shape, value.strides)
    return Operand(array, pointer, shape, strides, value)


def _refuse_rank(array: Array, shape: tuple[int, ...]) -> NoReturn:
    count = len(array.extents)
    raise ValueError(
        f"array `{array.name}`: expected {count} dimension{'s' if count > 1 else ''}, "
        f"{array.shape_text}, given {len(shape)}: the shape {shape}"
    )


def _in_elements(array: Array, shape: tuple[int, ...], strides: Sequence[int]) -> tuple[int, ...]:
    """Strides in bytes as the generated functions take them."""
    size = array.dtype.itemsize
    result: list[int] = []
    for n, stride in zip(shape, strides):
        if n <= 1:
            result.append(1)
            continue
        if stride % size != 0:
            raise ValueError(
                f"array `{array.name}`: its stride of {stride} bytes is no multiple of its "
                f"elements of {size} bytes; `numpy.ascontiguousarray` makes a copy without gaps"
            )
        result.append(stride // size)
    return check_strides(array, shape, tuple(result))


def check_strides(
    array: Array, shape: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[int, ...]:
    """Refuses strides, in elements, that the generated functions cannot use."""
    steps = sorted((stride, n) for n, stride in zip(shape, strides) if n > 1)
    if steps and steps[0][0] < 1:
        what = "backwards" if steps[0][0] < 0 else "the same element again and again"
        raise ValueError(
            f"array `{array.name}`: a view with the strides {strides} in elements, which reads "
            f"{what}; strides must be at least 1: `numpy.ascontiguousarray` makes a copy"
        )
    reach = 0
    for stride, n in steps:
        if array.is_output and stride <= reach:
            raise ValueError(
                f"array `{array.name}`: the elements of this view, with the strides {strides} in "
                "elements, overlap each other, and the program writes it"
            )
        reach += stride * (n - 1)
    return strides


def foreign(array: Array, value: Any, stream: int | None, takes_device: bool) -> Operand:
    """An object of another library. ``takes_device``: the program runs on a GPU, or as if;
    ``stream``: where it runs, None if that is not said."""
    if isinstance(value, type):
        _refuse_type(array, "a type")
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        if not takes_device:
            _refuse_device(array, value, "__cuda_array_interface__")
        return _from_interface(array, value, interface)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        kind = int(value.__dlpack_device__()[0])
        on_device = kind in _dlpack.ON_DEVICE
        if on_device and not takes_device:
            _refuse_device(array, value, "__dlpack__")
        if not on_device and kind not in (_dlpack.CPU, _dlpack.CUDA_HOST):
            _refuse_type(
                array, f"{_article(type(value).__name__)} on a device of DLPack's kind {kind}"
            )
        try:
            tensor = _dlpack.tensor_of(value, stream or 1 if on_device else None)
        except BufferError as error:
            raise ValueError(f"array `{array.name}`: {error}") from error
        return _from_dlpack(array, value, tensor, on_device)
    given = "None" if value is None else _article(type(value).__name__)
    hint = "`numpy.array(...)` makes one" if isinstance(value, (list, tuple)) else ""
    _refuse_type(array, given, hint)


def _refuse_device(array: Array, value: Any, protocol: str) -> NoReturn:
    raise TypeError(
        f"array `{array.name}`: expected {_wanted(array)} in the memory of the CPU, for which the "
        f"program was compiled, given {_article(type(value).__name__)} in the memory of a GPU "
        f"(`{protocol}`); programs are compiled for a GPU where there is one and nvcc, or with "
        'target="cuda"'
    )


def _check_foreign(array: Array, type_name: str, shape: tuple[int, ...], read_only: bool) -> None:
    if type_name != array.dtype.name:
        _refuse_type(array, f"one of {type_name}")
    if len(shape) != len(array.extents):
        _refuse_rank(array, shape)
    if array.is_output and read_only:
        raise ValueError(f"array `{array.name}` is read-only, and the program writes it")


def _dense(shape: tuple[int, ...], strides: Sequence[int]) -> bool:
    step = 1
    for n, stride in zip(reversed(shape), reversed(strides)):
        if n > 1 and stride != step:
            return False
        step *= n
    return True


def _from_interface(array: Array, value: Any, interface: Any) -> Operand:
    shape = tuple(int(n) for n in interface["shape"])
    pointer, read_only = interface["data"]
    _check_foreign(array, np.dtype(interface["typestr"]).name, shape, bool(read_only))
    if interface.get("mask") is not None:
        _refuse_type(array, "an array with a mask")
    strides: tuple[int, ...] | None = None
    if interface.get("strides") is not None:
        strides = _in_elements(array, shape, interface["strides"])
        strides = None if _dense(shape, strides) else strides
    stream = interface.get("stream")
    return Operand(array, int(pointer or 0), shape, strides, value, True, stream)


def _from_dlpack(array: Array, value: Any, tensor: _dlpack.Tensor, on_device: bool) -> Operand:
    _check_foreign(array, tensor.type, tensor.shape, tensor.read_only)
    strides = tensor.strides
    if strides is not None:
        strides = (
            None if _dense(tensor.shape, strides) else check_strides(array, tensor.shape, strides)
        )
    return Operand(array, tensor.pointer, tensor.shape, strides, (value, tensor), on_device)


def _share_elements(a: Operand, b: Operand) -> bool:
    """Requires: what they span overlaps."""
    if (a.strides is None and b.strides is None) or not (
        isinstance(a.owner, np.ndarray) and isinstance(b.owner, np.ndarray)
    ):
        return True
    try:
        return bool(np.shares_memory(a.owner, b.owner, max_work=_MOST_WORK))  # type: ignore[arg-type]
    except Exception:  # numpy.exceptions.TooHardError, which has moved between versions
        return True


def check_apart(operands: Sequence[Operand]) -> None:
    """Refuses arrays that share elements, of which the program writes one."""
    for k, a in enumerate(operands):
        for b in operands[:k]:
            if a.pointer >= b.end() or b.pointer >= a.end():
                continue
            if not (a.array.is_output or b.array.is_output) or not _share_elements(a, b):
                continue
            written = a if a.array.is_output else b
            raise ValueError(
                f"arrays `{b.array.name}` and `{a.array.name}` overlap in memory, and the program "
                f"writes `{written.array.name}`; give a copy of one of them"
            )
