"""Arrays that a program keeps between its runs."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _scalars
from ._errors import RunError
from ._interface import Array
from ._library import Library
from ._operands import Operand, foreign, host

if TYPE_CHECKING:
    from types import TracebackType


def stream_pointer(stream: Any) -> int | None:
    """A CUDA stream as a number: that itself, or an object of cupy, torch, numba or another library
    that has one. None is none."""
    if stream is None or (isinstance(stream, int) and not isinstance(stream, bool)):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for attribute in ("ptr", "cuda_stream", "handle"):
        value = getattr(stream, attribute, None)
        value = getattr(value, "value", value)
        if isinstance(value, int):
            return value
    raise TypeError(
        f"`stream`: expected a CUDA stream or its address, given {stream!r}, "
        f"a {type(stream).__name__}"
    )


class DeviceArray:
    """An array in the memory of a GPU that belongs to an object of `Arrays`. cupy, torch, numba and
    others take it as it is, by ``__cuda_array_interface__``."""

    def __init__(self, owner: Arrays, array: Array, pointer: int, shape: tuple[int, ...]) -> None:
        self._owner = owner
        self.shape = shape
        self.dtype = array.dtype
        self.__cuda_array_interface__: dict[str, Any] = {
            "shape": shape,
            "typestr": array.dtype.str,
            "data": (pointer, False),
            "strides": None,
            "version": 3,
            "stream": 1,
        }

    def __repr__(self) -> str:
        return f"<stencilgen.DeviceArray of {self.dtype}, shape {self.shape}>"


class _HostView:
    """What numpy makes an array of that keeps its owner alive."""

    def __init__(self, owner: Arrays, array: Array, pointer: int, shape: tuple[int, ...]) -> None:
        self._owner = owner
        self.__array_interface__ = {
            "shape": shape,
            "typestr": array.dtype.str,
            "data": (pointer, False),
            "strides": None,
            "version": 3,
        }


class Arrays:
    """A program with arrays of its own, on the GPU where it is compiled for one, which stay between
    runs: `Program.device` makes them. Calls of several threads wait for each other.

    ``p["u"] = u`` copies to the array, ``p["u"]`` gives a new numpy array with its contents. As a
    context manager it frees its memory at the end; else that is freed with the object.
    """

    def __init__(self, library: Library, sizes: Mapping[str, int]) -> None:
        self._library = library
        self.sizes = dict(sizes)  #: values of all parameters
        self._lock = threading.RLock()
        self._visible = {one.name: k for k, one in enumerate(library.interface.visible)}
        self._bound: dict[str, Any] = {}
        handle = ctypes.c_void_p()
        parameters = [sizes[one.name] for one in library.interface.parameters]
        with library.turn:
            library.check(library.create(ctypes.byref(handle), *parameters))
        self._handle: int | None = handle.value
        self._close = weakref.finalize(self, _destroy, library, handle.value)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={value}" for name, value in self.sizes.items())
        state = "" if self._close.alive else ", closed"
        return f"<stencilgen.Arrays of {self._library.interface.function}, {sizes}{state}>"

    def __enter__(self) -> Arrays:
        return self

    def __exit__(
        self,
        kind: type | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frees the memory. Views of it must not be used any more."""
        with self._lock:
            self._close()
            self._bound.clear()

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array with the sizes of this object."""
        array, _ = self._find(name)
        return tuple(extent.value(self.sizes) for extent in array.extents)

    def upload(self, /, *, stream: Any = None, **arrays: Any) -> None:
        """Copies arrays of the host or the device to those of their names. Views with gaps are
        fine. With a stream it does not wait until they are copied."""
        for name, value in arrays.items():
            array, number = self._find(name)
            operand = self._operand(array, value, stream)
            self._copy(self._library.upload, number, operand, stream)

    def __setitem__(self, name: str, value: Any) -> None:
        array, number = self._find(name)
        self._copy(self._library.upload, number, self._operand(array, value, None), None)

    def download(self, name: str, out: Any = None, *, stream: Any = None) -> Any:
        """The contents of an array: in a new numpy array, or in `out`, which is returned."""
        array, number = self._find(name)
        if out is None:
            out = np.empty(self.shape(name), array.dtype)
        self._copy(self._library.download, number, self._operand(array, out, stream, True), stream)
        return out

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        result: np.ndarray[Any, Any] = self.download(name)
        return result

    def view(self, name: str) -> Any:
        """The array's own memory: a numpy array, or a `DeviceArray` on a GPU. What is written there
        is what the next run reads. It is the object's as long as that is not closed."""
        array, number = self._find(name)
        with self._lock, self._library.turn:
            pointer = self._library.pointer(self._open(), number)
        shape = self.shape(name)
        if self._library.on_device:
            return DeviceArray(self, array, pointer or 0, shape)
        return np.asarray(_HostView(self, array, pointer or 0, shape))

    def bind(self, /, **arrays: Any) -> None:
        """Uses memory of the caller, without gaps, in place of the object's own; None: its own
        again, without contents. The program may use an input that is no output for other things:
        then that has no contents after a run."""
        for name, value in arrays.items():
            array, number = self._find(name)
            operand = None if value is None else self._bindable(array, value)
            with self._lock, self._library.turn:
                pointer = None if operand is None else operand.pointer
                self._library.check(self._library.bind(self._open(), number, pointer))
                self._bound[name] = operand

    def run(self, /, *, stream: Any = None, **scalars: Any) -> None:
        """Runs the program. On a GPU it does not wait for the end; copies do."""
        interface = self._library.interface
        values: list[Any] = []
        given = {interface.name_of("run", key): value for key, value in scalars.items()}
        for one in interface.scalars:
            if one.name not in given:
                raise TypeError(f"run() misses the scalar `{one.name}`")
            values.append(_scalars.scalar(one, given.pop(one.name)))
        if given:
            raise TypeError(
                f"run() takes scalars alone, and `{next(iter(given))}` is none: arrays are "
                "uploaded, and parameters are what the object was made with"
            )
        self._library.enter()
        with self._lock, self._library.turn:
            self._library.check(self._library.run(self._open(), *values, *self._streams(stream)))

    def wait(self) -> None:
        """Waits for runs that were started without a stream."""
        with self._lock, self._library.turn:
            self._library.check(self._library.wait(self._open()))

    def _find(self, name: str) -> tuple[Array, int]:
        interface = self._library.interface
        number = self._visible.get(interface.keywords.get(name, name))
        if number is None:
            known = ", ".join(f"`{one}`" for one in self._visible)
            raise KeyError(f"there is no array `{name}`; the program has {known}")
        return interface.visible[number], number

    def _open(self) -> int:
        if not self._close.alive or self._handle is None:
            raise RunError("the arrays are closed")
        return self._handle

    def _streams(self, stream: Any) -> Sequence[int | None]:
        if self._library.on_device:
            return (stream_pointer(stream),)
        if stream is not None:
            raise TypeError("`stream`: the program was compiled for the CPU, which has none")
        return ()

    def _operand(self, array: Array, value: Any, stream: Any, written: bool = False) -> Operand:
        """Checked as an input, or as what is written."""
        role = Array(array.name, array.type, array.extents, not written, written, False)
        operand = (
            host(role, value)
            if isinstance(value, np.ndarray)
            else foreign(role, value, stream_pointer(stream), self._library.on_device)
        )
        expected = self.shape(array.name)
        if operand.shape != expected:
            raise ValueError(
                f"array `{array.name}`: expected the shape {expected}, {array.shape_text}, "
                f"given {operand.shape}"
            )
        return operand

    def _bindable(self, array: Array, value: Any) -> Operand:
        operand = self._operand(array, value, None, True)
        if operand.strides is not None:
            raise ValueError(
                f"array `{array.name}`: a view with gaps cannot be bound; upload it instead"
            )
        if operand.on_device != self._library.on_device:
            where = "a GPU" if self._library.on_device else "the CPU"
            raise TypeError(f"array `{array.name}`: expected one in the memory of {where}")
        return operand

    def _copy(self, function: Any, number: int, operand: Operand, stream: Any) -> None:
        strides = None
        if operand.strides is not None:
            strides = (ctypes.c_longlong * len(operand.strides))(*operand.strides)
        with self._lock, self._library.turn:
            self._library.check(
                function(self._open(), number, operand.pointer, strides, *self._streams(stream))
            )


def _destroy(library: Library, handle: int | None) -> None:
    with library.turn:
        library.destroy(handle)
