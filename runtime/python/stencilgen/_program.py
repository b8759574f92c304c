"""Stencil programs that are called on arrays."""

from __future__ import annotations

import collections
import ctypes
import inspect
import os
import re
import threading
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _scalars, _tool
from ._arrays import Arrays, stream_pointer
from ._errors import BuildError, Diagnostic, Error, OptionError, ProgramWarning, RunError
from ._interface import Array, Interface, Scalar, python_name
from ._library import Library
from ._operands import Operand, check_apart, foreign, host
from ._repeat import Repeat

_TARGETS = {
    "auto": [],
    "cpp": ["--target", "cpp"],
    "cuda": ["--target", "cuda"],
    "emulator": ["--target", "cuda", "--emulate"],
}
_MOST_REMEMBERED = 128  # shapes of calls


class Program:
    """A stencil program. Calling it runs it in place on arrays::

        heat = stencilgen.load("heat.idsl")
        heat(u=u, alpha=0.2, T=50)

    Arrays and scalars are given by name, or by place in the order of their declarations; a name
    that Python keeps for itself gets an underscore, ``in_``. Parameters are given by name; those
    that are sizes of arrays need not be, and others have the program's defaults.

    Arrays are numpy's, or another library's by ``__dlpack__`` or ``__cuda_array_interface__``. They
    must have the type that the program declares: nothing is converted, and no result is in a copy.
    Views with gaps are fine: the program then works on memory of its own, and the view is read
    before and written after. Where the program is compiled for a GPU, arrays of the GPU are used
    where they are, on their stream or on ``stream=``, and arrays of the host are copied there and
    back.

    Made by `load` and `compile`; compiled when it is first called, and kept for all processes in
    ``$STENCILGEN_CACHE_DIR``, else ``~/.cache/stencilgen``. Several threads may call it.
    """

    def __init__(
        self,
        text: bytes,
        label: str,
        path: str | None,
        name: str | None,
        target: str,
        fp: str,
        define: Mapping[str, int] | None,
        options: Sequence[str],
    ) -> None:
        if target not in _TARGETS:
            raise OptionError(f"target: expected one of {', '.join(_TARGETS)}, given {target!r}")
        self._text = text
        self._label = label
        self._target = target
        self._options = ["--fp", fp, *_definitions(define or {}), *_checked_options(options)]
        self._library: Library | None = None
        self._repeat: Repeat | None = None
        self._lock = threading.Lock()
        self._sizes: dict[Any, dict[str, int]] = {}
        read = _tool.checked(
            [
                path or "-",
                "--emit",
                "interface",
                *self._language(),
                *self._options,
                *([] if name is None else ["--host-function", name]),
            ],
            None if path else text,
            label,
        )
        self.interface = Interface(_tool.parsed(read.output))
        self.name = self.interface.function  #: of the generated function
        #: What the compiler warns about.
        self.diagnostics: tuple[Diagnostic, ...] = read.diagnostics
        for one in read.diagnostics:
            warnings.warn(f"\n{one}".rstrip("\n"), ProgramWarning, stacklevel=3)
        self._parameters = {one.name: one for one in self.interface.parameters}
        self.__signature__ = _signature(self.interface)

    # Calls.

    def __call__(self, /, *args: Any, **kwargs: Any) -> None:
        """Runs the program in place: outputs are written into the arrays that are given."""
        repeat = self._repeat
        if repeat is not None and not args and repeat.call(kwargs):
            return
        library = self._library or self._build()
        values = self.interface.named(self.name, args, self._without_stream(kwargs))
        stream = kwargs.get("stream") if "stream" not in self.interface.keywords else None
        operands = [self._operand(one, values, stream) for one in self.interface.visible]
        sizes = self._run(library, operands, values, stream)
        plain = all(isinstance(one.owner, np.ndarray) and one.strides is None for one in operands)
        if plain and not args:
            self._repeat = Repeat.of(self.interface, library, kwargs, sizes)

    def run(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the program on copies, and returns the results: an array, or a named tuple of them
        where there are several. Arguments are those of a call; arrays that are only results need
        not be given, and are zero where the program writes nothing."""
        library = self._library or self._build()
        values = self.interface.named(self.name + ".run", args, kwargs)
        given = [
            self._operand(one, values, None)
            for one in self.interface.visible
            if one.is_input or one.name in values
        ]
        sizes = self._sizes_of(given, self._given_parameters(values))
        results: dict[str, Any] = {}
        for one in self.interface.outputs:
            if one.name in values:
                results[one.name] = _copy_of(one, values[one.name])
            else:
                shape = tuple(extent.value(sizes) for extent in one.extents)
                results[one.name] = np.zeros(shape, one.dtype)
        values.update(results)
        operands = [self._operand(one, values, None) for one in self.interface.visible]
        self._run(library, operands, values, None)
        if len(results) == 1:
            return next(iter(results.values()))
        kind = collections.namedtuple(  # type: ignore[misc]
            "Results", [python_name(name) for name in results]
        )
        return kind(*results.values())

    def device(self, /, **sizes: int) -> Arrays:
        """The program with arrays of its own that stay between runs, on the GPU where it is
        compiled for one. `sizes`: values of the parameters that have no default, and of others."""
        library = self._library or self._build()
        for name in sizes:
            self._require_parameter("device", name)
        return Arrays(library, self._sizes_of([], self._given_parameters(sizes)))

    # What is known of it.

    @property
    def target(self) -> str:
        """What it is compiled for: ``cpp``, ``cuda`` or ``cuda-emulated``."""
        return (self._library or self._build()).target

    @property
    def source(self) -> str:
        """The generated code."""
        library = self._library or self._build()
        return Path(library.source_path).read_text(encoding="utf-8")

    @property
    def graph(self) -> str:
        """The program as the compiler understands it: statements over versions of arrays."""
        command = ["-", "--emit", "graph", *self._language(), *self._options]
        command += ["--host-function", self.name]
        return _tool.checked(command, self._text, self._label).output

    def explain(self, /, **sizes: int) -> str:
        """A report on the plan: kernels or loops, traffic, time, limits, and what lost. `sizes`:
        values of parameters, to predict for."""
        for name in sizes:
            self._require_parameter("explain", name)
        command = ["explain", "-", *self._language(), *self._options, *self._values(sizes)]
        return _tool.checked(command, self._text, self._label).output

    def verify(self, /, *, seed: int = 1, **values: Any) -> dict[str, Any]:
        """Runs the program on random arrays, compares with the interpreter, and returns a report.

        `values`: of parameters and scalars; scalars are random otherwise. Raises `RunError` where
        results differ by more than rounding.
        """
        arguments = ["run", "--verify", "--json", "--seed", str(int(seed))]
        if self._target != "emulator":
            arguments += ["--repeat", "1"]
        result = self._start(arguments + self._values(values), RunError)
        report: dict[str, Any] = _tool.parsed(result.output)
        return report

    def tune(self, /, *, budget: float = 5.0, **values: Any) -> dict[str, Any]:
        """Finds the fastest options by measuring, keeps them for all that compile the program for
        these sizes on this machine, and uses them from the next call on. Returns a report.

        `budget`: minutes that it may take. `values`: of parameters and scalars.
        """
        if self._target == "emulator":
            raise OptionError("the emulator's times mean nothing: there is nothing to tune")
        arguments = ["tune", "--json", "--budget", repr(float(budget))]
        report: dict[str, Any] = _tool.parsed(
            self._start(arguments + self._values(values), RunError).output
        )
        with self._lock:
            self._library = self._repeat = None
        return report

    def __repr__(self) -> str:
        return f"<stencilgen.Program {self.name}{self.__signature__}>"

    # How.

    def _language(self) -> list[str]:
        """Of code that is only shown."""
        return [] if self._target in ("cuda", "emulator") else ["--target", "cpp"]

    def _start(self, arguments: Sequence[str], kind: type) -> _tool.Result:
        """What a subcommand makes of the program."""
        command = [arguments[0], "-", *arguments[1:], *_TARGETS[self._target], *self._options]
        if arguments[0] != "tune":
            command += ["--host-function", self.name]
        return _tool.checked(command, self._text, self._label, kind)

    def _require_parameter(self, function: str, name: str) -> None:
        if name in self._parameters:
            return
        known = ", ".join(f"`{one}`" for one in self._parameters) or "none"
        raise TypeError(f"{function}() has no parameter `{name}`; the program has {known}")

    def _values(self, values: Mapping[str, Any]) -> list[str]:
        """Parameters and scalars as options."""
        arguments: list[str] = []
        scalars = {one.name: one for one in self.interface.scalars}
        for key, value in values.items():
            name = self.interface.keywords.get(key, key)
            if name in self._parameters:
                number = _scalars.parameter(self._parameters[name], value)
                arguments += ["-D", f"{name}={number}"]
            elif name in scalars:
                text = repr(_scalars.scalar(scalars[name], value)).lower()
                arguments += ["--scalar", f"{name}={text}"]
            else:
                raise TypeError(f"`{key}` is no parameter and no scalar of the program")
        return arguments

    def _build(self) -> Library:
        """The library, compiled unless it has been before."""
        with self._lock:
            if self._library is None:
                result = self._start(["build", "--json"], BuildError)
                self._library = Library(_tool.parsed(result.output))
            return self._library

    def _without_stream(self, kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        if "stream" not in kwargs or "stream" in self.interface.keywords:
            return kwargs
        return {name: value for name, value in kwargs.items() if name != "stream"}

    def _operand(self, one: Array, values: Mapping[str, Any], stream: Any) -> Operand:
        if one.name not in values:
            raise TypeError(
                f"{self.name}() misses the array `{one.name}` of {one.dtype} {one.shape_text}"
            )
        value = values[one.name]
        if isinstance(value, np.ndarray):
            return host(one, value)
        library = self._library
        on_device = library is not None and library.on_device
        return foreign(one, value, stream_pointer(stream), on_device)

    def _given_parameters(self, values: Mapping[str, Any]) -> dict[str, int]:
        return {
            name: _scalars.parameter(one, values[name])
            for name, one in self._parameters.items()
            if name in values
        }

    def _sizes_of(self, operands: Sequence[Operand], given: dict[str, int]) -> dict[str, int]:
        """All parameters, remembered by what they follow from."""
        key = (
            tuple(one.shape for one in operands),
            tuple(given.items()),
            tuple(one.array.name for one in operands),
        )
        sizes = self._sizes.get(key)
        if sizes is None:
            sizes = self.interface.sizes(given, [(one.array, one.shape) for one in operands])
            if len(self._sizes) >= _MOST_REMEMBERED:
                self._sizes.clear()
            self._sizes[key] = sizes
        return sizes

    def _scalar_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for one in self.interface.scalars:
            if one.name not in values:
                raise TypeError(f"{self.name}() misses the scalar `{one.name}`")
            result[one.name] = _scalars.scalar(one, values[one.name])
        return result

    def _run(
        self,
        library: Library,
        operands: Sequence[Operand],
        values: Mapping[str, Any],
        stream: Any,
    ) -> dict[str, int]:
        """Returns the values of the parameters."""
        scalars = self._scalar_values(values)
        sizes = self._sizes_of(operands, self._given_parameters(values))
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
                _call_with_gaps(library, operands, scalars, sizes, None)
            return sizes
        if not all(on_device):
            names = ", ".join(f"`{one.array.name}`" for one in operands if not one.on_device)
            raise TypeError(f"some arrays are in the memory of a GPU, but not {names}")
        place = _common_stream(library, operands, stream_pointer(stream))
        if library.used_up or any(one.strides is not None for one in operands):
            _call_with_gaps(library, operands, scalars, sizes, place)
        else:
            library.call_device(by_name, scalars, sizes, place)
        return sizes


def _copy_of(array: Array, value: Any) -> np.ndarray[Any, Any]:
    """A copy of an input that the program changes; its type has been checked."""
    if not isinstance(value, np.ndarray):
        if not hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__"):
            raise TypeError(
                f"array `{array.name}`: run() copies numpy arrays, given a {type(value).__name__}; "
                "call the program itself, in place"
            )
        value = np.from_dlpack(value)
    return np.array(value, order="C", copy=True, subok=False)


def _call_with_gaps(
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


def _definitions(define: Mapping[str, int]) -> list[str]:
    arguments: list[str] = []
    for name, value in define.items():
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise OptionError(f"define: expected a whole number for `{name}`, given {value!r}")
        arguments += ["-D", f"{name}={int(value)}"]
    return arguments


def _checked_options(options: Sequence[str]) -> list[str]:
    if isinstance(options, str):
        raise OptionError(
            f"options: expected a list, as {options.split()}, given the text {options!r}"
        )
    for one in options:
        if not isinstance(one, str):
            raise OptionError(f"options: expected texts, given {one!r}")
    return list(options)


def _signature(interface: Interface) -> inspect.Signature:
    """For `help`."""
    parameters = [
        inspect.Parameter(
            python_name(one.name),
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            annotation=_annotation(one),
        )
        for one in interface.arguments
        if isinstance(one, Scalar) or one.visible
    ]
    for size in interface.parameters:
        parameters.append(
            inspect.Parameter(
                python_name(size.name),
                inspect.Parameter.KEYWORD_ONLY,
                default=size.fixed or size.default or None,
            )
        )
    return inspect.Signature(parameters)


def _annotation(one: Array | Scalar) -> str:
    if isinstance(one, Scalar):
        return one.type
    role = "in, out" if one.is_input and one.is_output else "out" if one.is_output else "in"
    return f"{one.dtype}{one.shape_text} ({role})"


def load(
    path: str | os.PathLike[str],
    *,
    target: str = "auto",
    fp: str = "fast",
    define: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
) -> Program:
    """Reads a program from an `.idsl` file.

    `target`: ``auto`` is a GPU where there is one and nvcc, else the CPU; ``cpp``, ``cuda``;
    ``emulator`` executes CUDA code on the CPU, to test. `fp`: ``fast``, or ``strict`` for the
    program's own order of operations. `define`: parameters that are fixed when the program is
    compiled, as ``{"N": 512}``. `options`: any other options of the command line, as
    ``["--time-tile", "4"]``.

    Raises `CompileError` where the program is wrong, with the compiler's diagnostics, and
    `OptionError` where an option is. Warnings of the compiler are `ProgramWarning`.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"load(): expected the path of a program as text, given {name!r}")
    with open(name, "rb") as file:
        text = file.read()
    shown = os.path.join(".", name) if name.startswith("-") else name
    return Program(text, shown, shown, None, target, fp, define, options)


def compile(
    text: str,
    *,
    name: str = "program",
    target: str = "auto",
    fp: str = "fast",
    define: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
) -> Program:
    """The same as `load` from the text of a program. `name`: of the generated function, and what
    diagnostics call the text."""
    if not isinstance(text, str):
        raise TypeError(f"compile(): expected the text of a program, given a {type(text).__name__}")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise OptionError(f"name: {name!r} cannot name a function")
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Error(f"the program's text is no valid Unicode: {error}") from error
    return Program(encoded, f"<{name}>", None, name, target, fp, define, options)
