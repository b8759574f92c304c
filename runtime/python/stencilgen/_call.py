"""One run of a program on arrays that have been checked."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._arrays import stream_pointer
from ._errors import RunError
from ._interface import Array
from ._library import Library
from ._operands import Operand, check_apart


def run_on(
    library: Library,
    operands: Sequence[Operand],
    scalars: Mapping[str, Any],
    sizes: Mapping[str, int],
    stream: Any,
) -> None:
    """Runs the program in place. All parameters and scalars are given."""
    if len(operands) > 1:
        check_apart(operands)
    library.enter()
    on_device = [one.on_device for one in operands]
    by_name = {one.array.name: one for one in operands}
    if not any(on_device):
        if stream is not None:
            raise TypeError(
                "`stream`: the arrays are in the memory of the host; streams are "
                "for arrays of a GPU"
            )
        if all(one.strides is None for one in operands):
            library.call(by_name, scalars, sizes)
        else:
            _with_gaps(library, operands, scalars, sizes, None)
        return
    if not all(on_device):
        names = ", ".join(f"`{one.array.name}`" for one in operands if not one.on_device)
        raise TypeError(f"some arrays are in the memory of a GPU, but not {names}")
    place = _common_stream(library, operands, stream_pointer(stream))
    if library.used_up or any(one.strides is not None for one in operands):
        _with_gaps(library, operands, scalars, sizes, place)
    else:
        library.call_device(by_name, scalars, sizes, place)


def copy_of_numpy(value: Any) -> Any:
    """A copy without gaps of a numpy array, before it is checked; what is none stays as it is."""
    if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray):
        return value
    return np.array(value, order="C", copy=True, subok=False)


def own_copy(array: Array, value: Any) -> np.ndarray[Any, Any]:
    """A numpy array that is a copy already, or the copy of another library's array; its type has
    been checked."""
    if isinstance(value, np.ndarray):
        return value
    if not hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__"):
        raise TypeError(
            f"array `{array.name}`: run() copies numpy arrays, given a {type(value).__name__}; "
            "call the program itself, in place"
        )
    return np.array(np.from_dlpack(value), order="C", copy=True)


def _with_gaps(
    library: Library,
    operands: Sequence[Operand],
    scalars: Mapping[str, Any],
    sizes: Mapping[str, int],
    stream: int | None,
) -> None:
    """Runs on memory of the library's own for arrays with gaps, and for those that a run would use
    up; the others are used where they are. All of them are on one side."""
    streams = (stream,) if library.on_device else ()
    handle = ctypes.c_void_p()
    with library.turn:
        parameters = [sizes[one.name] for one in library.interface.parameters]
        library.check(library.create(ctypes.byref(handle), *parameters))
        try:
            copied: list[tuple[int, Operand, Any]] = []
            for number, one in enumerate(operands):
                same_side = one.on_device == library.on_device
                if one.strides is None and same_side and one.array.name not in library.used_up:
                    library.check(library.bind(handle, number, one.pointer))
                    continue
                strides = None
                if one.strides is not None:
                    strides = (ctypes.c_longlong * len(one.strides))(*one.strides)
                library.check(library.upload(handle, number, one.pointer, strides, *streams))
                copied.append((number, one, strides))
            values = [scalars[one.name] for one in library.interface.scalars]
            library.check(library.run(handle, *values, *streams))
            for number, one, strides in copied:
                if one.array.is_output:
                    library.check(library.download(handle, number, one.pointer, strides, *streams))
        finally:
            library.destroy(handle)


def _common_stream(library: Library, operands: Sequence[Operand], given: int | None) -> int | None:
    """Where a call runs: on `stream=`, else where the arrays come from. Work of other streams on
    them is waited for."""
    streams = [one.stream for one in operands if one.stream is not None]
    place = given if given is not None else (streams[0] if streams else None)
    others = {one for one in streams if one != place}
    if others and library.target == "cuda":
        driver = ctypes.CDLL("libcuda.so.1")
        for other in others:
            status = driver.cuStreamSynchronize(ctypes.c_void_p(other))
            if status != 0:
                raise RunError(f"waiting for the stream {other} failed: CUDA's error {status}")
    return place
