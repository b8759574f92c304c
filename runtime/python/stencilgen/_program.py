"""Stencil programs that are called on arrays."""

from __future__ import annotations

import collections
import functools
import threading
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _scalars, _tool
from ._arrays import Arrays, stream_pointer
from ._call import copy_of_numpy, own_copy, run_on
from ._complex import is_complex, join, pairs_of, split
from ._errors import BuildError, Diagnostic, OptionError, ProgramWarning, RunError
from ._explanation import Explanation
from ._interface import Array, Interface, python_name
from ._library import Library
from ._movie import Movie, make_movie, movie_options
from ._operands import Operand, foreign, host
from ._options import TARGETS, all_options
from ._repeat import Repeat
from ._signature import signature_of
from ._source import Source

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
        source: Source,
        name: str | None,
        target: str,
        fp: str,
        define: Mapping[str, int] | None,
        options: Sequence[str],
        warning_level: int = 3,
    ) -> None:
        self._options = all_options(target, fp, define, options)
        self._made_of = (source, name, target, fp, dict(define or {}), tuple(options))
        self._text = source
        self._target = target
        self._library: Library | None = None
        self._repeat: Repeat | None = None
        self._lock = threading.Lock()
        self._sizes: dict[Any, dict[str, int]] = {}
        command = ["-", "--emit", "interface", *self._language(), *self._options]
        if name is not None:
            command += ["--host-function", name]
        read = source.ask(command, read_file=True)
        self.interface = Interface(_tool.parsed(read.output))
        self.name = self.interface.function  #: of the generated function
        #: What the compiler warns about.
        self.diagnostics: tuple[Diagnostic, ...] = read.diagnostics
        for one in read.diagnostics if warning_level > 0 else ():
            warnings.warn(f"\n{one}".rstrip("\n"), ProgramWarning, stacklevel=warning_level)
        self._parameters = {one.name: one for one in self.interface.parameters}
        self._pairs = pairs_of(self.interface.arguments)
        self.__signature__ = signature_of(self.interface)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Made anew from its text, as another process needs it; the library is in the cache."""
        return _made_again, self._made_of

    # Calls.

    def __call__(self, /, *args: Any, **kwargs: Any) -> None:
        """Runs the program in place: outputs are written into the arrays that are given."""
        repeat = self._repeat
        if repeat is not None and not args and repeat.call(kwargs):
            return
        library = self._library or self._build()
        args, kwargs = self._wholes_by_name(args, kwargs)
        kwargs, _ = self._split(kwargs)
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
        args, kwargs = self._wholes_by_name(args, kwargs)
        kwargs, wholes = self._split(kwargs)
        values = self.interface.named(self.name + ".run", args, kwargs)
        for one in self.interface.visible:
            if one.name in values:
                value = one.whole(values[one.name])
                # The program changes a copy, whatever the caller's array may be.
                values[one.name] = copy_of_numpy(value) if one.is_output else value
        given = [
            self._operand(one, values, None)
            for one in self.interface.visible
            if one.is_input or one.name in values
        ]
        sizes = self._sizes_of(given, self._given_parameters(values))
        results: dict[str, Any] = {}
        for one in self.interface.outputs:
            if one.name in values:
                results[one.name] = own_copy(one, values[one.name])
            else:
                shape = tuple(extent.value(sizes) for extent in one.extents)
                results[one.name] = np.zeros(shape, one.dtype)
        values.update(results)
        operands = [self._operand(one, values, None) for one in self.interface.visible]
        self._run(library, operands, values, None)
        results = join(results, self._pairs, wholes)
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
    def idsl(self) -> str:
        """The program's text."""
        return self._text.text.decode("utf-8", "replace")

    @property
    def graph(self) -> str:
        """The program as the compiler understands it: statements over versions of arrays."""
        command = ["-", "--emit", "graph", *self._language(), *self._options]
        command += ["--host-function", self.name]
        return self._text.ask(command).output

    def explain(self, /, **sizes: int) -> Explanation:
        """A report on the plan: kernels or loops, traffic, time, limits, and what lost. It prints
        as text; a notebook shows it as a page with pictures, which `Explanation.save` writes to a
        file. `sizes`: values of parameters, to predict for."""
        for name in sizes:
            self._require_parameter("explain", name)
        command = ["explain", "-", *self._language(), *self._options, *self._values(sizes)]
        command += ["--host-function", self.name]
        # Without what a function's text leads back to, the explanation can be pickled.
        text = Source(self._text.text, self._text.label)
        return Explanation.of(functools.partial(_explained, text, tuple(command)))

    def verify(self, /, *, seed: int = 1, **values: Any) -> dict[str, Any]:
        """Runs the program on random arrays, compares with the interpreter, and returns a report.

        `values`: of parameters and scalars; scalars are random otherwise. Raises `RunError` where
        results differ by more than rounding.
        """
        arguments = ["run", "--verify", "--json", "--seed", str(int(seed))]
        if self._target != "emulator":
            arguments += ["--repeat", "1"]
        numbers = self._values(self._split(values)[0])
        report: dict[str, Any] = _tool.parsed(self._start(arguments + numbers, RunError).output)
        return report

    def movie(
        self,
        /,
        *,
        array: str | None = None,
        every: int | Mapping[str, int] | None = None,
        fps: int = 10,
        title: str | None = None,
        range: tuple[float, float] | None = None,
        extent: Mapping[str, tuple[float, float]] | None = None,
        plain: bool = False,
        **values: Any,
    ) -> Movie:
        """Runs the program, and draws an array as it changes with the turns of its loop::

            heat.movie(u=u, alpha=0.2, T=200, every=10).save("heat.gif")

        Arguments are those of a call; what is not given is random. The arrays stay as they are.

        `array`: that is drawn, one of the results; the first where it is not given. `every`: a
        picture for so many turns, ``{"T": 10}`` where several parameters count turns; about sixty
        pictures where it is not given. `range`: the values from dark to light. `extent`: the
        coordinates of the field's ends by iterator, ``{"j": (0, 1), "i": (0, 2.5)}``. `plain`: the
        elements alone, without axes.
        """
        arguments = movie_options(array, every, fps, title, range, extent, plain)
        if self._target != "emulator":
            arguments += ["--repeat", "1"]
        return make_movie(self.interface, self._split(values)[0], arguments, self._movie_of)

    def tune(self, /, *, budget: float = 5.0, **values: Any) -> dict[str, Any]:
        """Finds the fastest options by measuring, keeps them for all that compile the program for
        these sizes on this machine, and uses them from the next call on. Returns a report.

        `budget`: minutes that it may take. `values`: of parameters and scalars.
        """
        if self._target == "emulator":
            raise OptionError("the emulator's times mean nothing: there is nothing to tune")
        arguments = ["tune", "--json", "--budget", repr(float(budget))]
        numbers = self._values(self._split(values)[0])
        report: dict[str, Any] = _tool.parsed(self._start(arguments + numbers, RunError).output)
        with self._lock:
            self._library = self._repeat = None
        return report

    def __repr__(self) -> str:
        return f"<stencilgen.Program {self.name}{self.__signature__}>"

    # How.

    def _language(self) -> list[str]:
        """Of code that is only shown: what it was compiled for, once it was."""
        target = self._target if self._library is None else self._library.target
        return [] if target in ("cuda", "emulator", "cuda-emulated") else ["--target", "cpp"]

    def _start(self, arguments: Sequence[str], kind: type) -> _tool.Result:
        """What a subcommand makes of the program."""
        command = [arguments[0], "-", *arguments[1:], *TARGETS[self._target], *self._options]
        if arguments[0] != "tune":
            command += ["--host-function", self.name]
        return self._text.ask(command, kind)

    def _movie_of(self, values: Mapping[str, Any], options: Sequence[str]) -> None:
        """`values`: of parameters and scalars."""
        self._start(["run", *self._values(values), *options], RunError)

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

    def _wholes_by_name(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments by place are given names where one is complex: it has the places of both its
        parts, which follow each other."""
        if not self._pairs or not any(is_complex(one) for one in args):
            return args, kwargs
        wholes = {re: name for name, (re, _) in self._pairs.items()}
        names = list(self.interface.positional)
        named: dict[str, Any] = {}
        for number, value in enumerate(args):
            if not names:
                raise TypeError(
                    f"{self.name}() takes {number} arguments by place where these are complex, "
                    f"{len(args)} are given"
                )
            name = names.pop(0)
            if is_complex(value) and name in wholes:
                name = wholes[name]
                names.remove(self._pairs[name][1])
            key = python_name(name)
            if key in kwargs:
                raise TypeError(f"{self.name}() has two values for `{name}`")
            named[key] = value
        return (), {**named, **kwargs}

    def _split(self, kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The arguments with complex ones as their parts, and the names of those arrays."""
        values: dict[str, Any] = {}
        wholes: list[str] = []
        known = {one.name: one for one in self.interface.arguments}
        for key, value in kwargs.items():
            name = key if key in self._pairs else key.removesuffix("_")
            if key in self.interface.keywords or name not in self._pairs:
                values[key] = value
                continue
            re, im = self._pairs[name]
            for part in (re, im):
                if part in kwargs or part in values:
                    raise TypeError(
                        f"{self.name}() has two values for `{part}`, a part of `{name}`"
                    )
            values[re], values[im] = split(self.name, name, value, known[re])
            if isinstance(known[re], Array):
                wholes.append(name)
        return values, wholes

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
        run_on(library, operands, scalars, sizes, stream)
        return sizes


def _made_again(
    source: Source,
    name: str | None,
    target: str,
    fp: str,
    define: Mapping[str, int],
    options: Sequence[str],
) -> Program:
    """A program that another process has made, and been warned of."""
    return Program(source, name, target, fp, define, options, warning_level=0)


def _explained(source: Source, command: Sequence[str], more: Sequence[str]) -> str:
    return source.ask([*command, *more]).output
