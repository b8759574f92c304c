"""The C functions of a program that was compiled to a shared library."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ._errors import BuildError, RunError
from ._interface import CTYPES, Array, Interface, Scalar
from ._operands import Operand

_BAD_ARGUMENT, _OUT_OF_MEMORY = 1, 2
_NOBODY: AbstractContextManager[Any] = contextlib.nullcontext()
_loading = threading.Lock()
_openmp: dict[str, Any] = {"used": False, "forked": False}


def _after_fork() -> None:
    _openmp["forked"] = _openmp["used"]


os.register_at_fork(after_in_child=_after_fork)


def _check_fork() -> None:
    """GNU OpenMP has no threads in a process that was forked after it had started some, and waits
    for them without end."""
    try:
        threads = int(ctypes.CDLL("libgomp.so.1").omp_get_max_threads())
    except OSError:
        threads = 1
    if threads > 1:
        raise RunError(
            "this process was forked from one that had run a program with several threads, which "
            "OpenMP does not survive; start processes by multiprocessing's `spawn` or "
            "`forkserver`, or set OMP_NUM_THREADS=1"
        )
    _openmp["forked"] = False


@contextlib.contextmanager
def _brief_spinning() -> Iterator[None]:
    """Threads of GNU OpenMP that wait for each other spin for a long time, which costs time slices
    on a busy machine. Unless the user has a say in it, it is as long as the command line has it.
    Read when OpenMP is loaded."""
    if "OMP_WAIT_POLICY" in os.environ or "GOMP_SPINCOUNT" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "20000"
    try:
        yield
    finally:
        os.environ.pop("GOMP_SPINCOUNT", None)


class Library:
    """The functions, with the types of their arguments. Calls leave the interpreter to other
    threads.

    ``target``: ``cpp``, ``cuda``, or ``cuda-emulated``, where the CPU executes CUDA code.
    """

    def __init__(self, build: Mapping[str, Any]) -> None:
        self.path = str(build["library"])
        self.source_path = str(build["source"])
        self.target = str(build["target"])
        self.interface = Interface(build["interface"])
        #: Names of arrays whose memory a run on the caller's own arrays uses for other things.
        self.used_up: tuple[str, ...] = tuple(build["used_up"])
        self.on_device = self.target != "cpp"
        #: The emulator is one machine, which executes one kernel at a time.
        self.turn: AbstractContextManager[Any] = (
            threading.RLock() if self.target == "cuda-emulated" else _NOBODY
        )
        with _loading, _brief_spinning():
            try:
                # Threads of OpenMP outlive whoever started them: a library stays loaded.
                library = ctypes.CDLL(self.path)
            except OSError as error:
                raise BuildError(f"cannot load `{self.path}`: {error}") from error
        self._declare(library)

    def _declare(self, library: ctypes.CDLL) -> None:
        name = self.interface.function
        scalars = [CTYPES[one.type] for one in self.interface.scalars]
        stream = [ctypes.c_void_p] if self.on_device else []
        count = len(self.interface.parameters)
        arguments = [
            CTYPES[one.type] if isinstance(one, Scalar) else ctypes.c_void_p
            for one in self.interface.arguments
        ] + [ctypes.c_int] * count
        handle, number, memory = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p

        def function(suffix: str, types: Sequence[Any], result: Any = ctypes.c_int) -> Any:
            found = library[name + suffix]
            found.argtypes = list(types)
            found.restype = result
            return found

        self.host = function("", arguments)
        self.device = function("_device", arguments + stream) if self.on_device else None
        self.error = function("_error", [], ctypes.c_char_p)
        arrays = "_arrays_"
        self.create = function(
            arrays + "create", [ctypes.POINTER(handle), *[ctypes.c_longlong] * count]
        )
        self.destroy = function(arrays + "destroy", [handle], None)
        copy = [handle, number, memory, ctypes.POINTER(ctypes.c_longlong), *stream]
        self.upload = function(arrays + "upload", copy)
        self.download = function(arrays + "download", copy)
        self.bind = function(arrays + "bind", [handle, number, memory])
        self.pointer = function(arrays + "pointer", [handle, number], ctypes.c_void_p)
        self.run = function(arrays + "run", [handle, *scalars, *stream])
        self.wait = function(arrays + "wait", [handle])

    def check(self, status: int) -> None:
        """Raises what a function of this thread has failed with."""
        if status == 0:
            return
        text = self.error()
        message = text.decode("utf-8", "replace") if text else f"the program returned {status}"
        if status == _BAD_ARGUMENT:
            raise ValueError(message)
        if status == _OUT_OF_MEMORY:
            raise MemoryError(message)
        raise RunError(message)

    def enter(self) -> None:
        """Before a run."""
        if _openmp["forked"]:
            _check_fork()
        _openmp["used"] = True

    def call(
        self,
        operands: Mapping[str, Operand],
        scalars: Mapping[str, Any],
        sizes: Mapping[str, int],
    ) -> None:
        """Calls the function for arrays of the host. Requires: none has gaps."""
        arguments: list[Any] = []
        owned: list[np.ndarray[Any, Any]] = []
        for one in self.interface.arguments:
            if isinstance(one, Scalar):
                arguments.append(scalars[one.name])
            elif one.visible:
                arguments.append(operands[one.name].pointer)
            else:
                owned.append(self._own(one, sizes))
                arguments.append(owned[-1].__array_interface__["data"][0])
        arguments += [sizes[one.name] for one in self.interface.parameters]
        with self.turn:
            self.check(self.host(*arguments))

    def call_device(
        self,
        operands: Mapping[str, Operand],
        scalars: Mapping[str, Any],
        sizes: Mapping[str, int],
        stream: int | None,
    ) -> None:
        """The same for arrays of a device. Requires: `used_up` is empty."""
        arguments: list[Any] = []
        for one in self.interface.arguments:
            if isinstance(one, Scalar):
                arguments.append(scalars[one.name])
            else:
                arguments.append(operands[one.name].pointer if one.visible else None)
        arguments += [sizes[one.name] for one in self.interface.parameters]
        assert self.device is not None
        with self.turn:
            self.check(self.device(*arguments, stream))

    @staticmethod
    def _own(array: Array, sizes: Mapping[str, int]) -> np.ndarray[Any, Any]:
        """Memory of an array that the caller knows nothing of."""
        return np.zeros(tuple(extent.value(sizes) for extent in array.extents), array.dtype)
