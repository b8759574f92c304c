"""The decorators, and what they return."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, overload

import numpy as np

from .._errors import CompileError, OptionError
from .._options import all_options
from .._program import Program
from .._source import Source
from .direct import DirectCalls, Shape
from .read_program import read_program
from .read_stencil import read_stencil
from .reference import executing, run_stencil
from .reference_program import run_program
from .source import Function, diagnostic, function_of
from .tree import StencilTree
from .write_program import write_program
from .written import Written


class FunctionProgram(Program):
    """A program that is written as a Python function; made by `program`.

    It is called as any `Program`: in place, on arrays and numbers by name. ``idsl`` is the program
    as the compiler gets it, and `reference` executes the function as Python.
    """

    def __init__(
        self,
        function: Function,
        target: str,
        fp: str,
        define: Mapping[str, int] | None,
        options: Sequence[str],
        written: Written | None = None,
        warning_level: int = 4,
    ) -> None:
        self._function = function
        host = function.name if written is None else f"{function.name}_stencil"
        written = written or write_program(read_program(function, tree_of))
        self._numbers = written.numbers
        source = Source(written.text.encode(), f"<{function.name}>", None, written.relocate)
        try:
            super().__init__(source, host, target, fp, define, options, warning_level)
        except OptionError as error:
            if "--host-function" not in str(error):
                raise
            message = f"`{function.name}` cannot name a function of C"
            place = function.place(function.node)
            found = diagnostic(place, "error", "python-name", message, "take another name")
            raise CompileError([found]) from None
        self._types = {one.name: one.dtype for one in self.interface.arrays}
        given = self.__signature__.parameters
        own = [one for name, one in given.items() if name not in self._numbers]
        self.__signature__ = self.__signature__.replace(parameters=own)
        self.__doc__ = function.function.__doc__ or type(self).__doc__
        self.__name__ = function.name
        self.__module__ = function.function.__module__
        self.__qualname__ = function.function.__qualname__
        self.__wrapped__ = function.function

    def __reduce__(self) -> str:
        """By its name in its module, as Python's functions are."""
        return self.__qualname__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the program in place: outputs are written into the arrays that are given. Returns
        the numbers that the function returns: nothing, one, or a tuple of them."""
        self._check_given(kwargs)
        found = {one: np.zeros(1, self._types[one]) for one in self._numbers}
        super().__call__(*args, **kwargs, **found)
        values = tuple(one[0] for one in found.values())
        return values if len(values) > 1 else values[0] if values else None

    def run(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the program on copies, and returns the results: an array or a number, or a named
        tuple of them where there are several. Arguments are those of a call; arrays that are only
        results need not be given, and are zero where the program writes nothing."""
        self._check_given(kwargs)
        results = super().run(*args, **kwargs)
        if not self._numbers:
            return results
        if isinstance(results, np.ndarray):
            return results[0]
        return results._replace(**{one: getattr(results, one)[0] for one in self._numbers})

    def reference(self, /, *args: Any, **kwargs: Any) -> Any:
        """What `run` returns, by executing the function itself: Python computes each element of
        each statement. Slow, and independent of the compiler; numpy 2 decides how types mix."""
        self._check_given(kwargs)
        values = self.interface.named(self.name + ".reference", args, kwargs)
        return run_program(self._function, self.interface, values, self._numbers)

    def _check_given(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._numbers:
                raise TypeError(f"{self.name}() takes no `{name}`: `{name}` is what it returns")


class Stencil:
    """A stencil that is written as a Python function; made by `stencil`.

    In a program it is called on the program's arrays, ``heat(v, u)``, or for a part of the points,
    ``heat[1:-1, 0:1](v, u)``. Called on numpy arrays it runs at once, in place. ``idsl`` is a
    program of one such call on arrays of float64.
    """

    def __init__(
        self,
        function: Function,
        boundary: Mapping[str, Any],
        target: str,
        fp: str,
        options: Sequence[str],
    ) -> None:
        all_options(target, fp, None, options)
        self.tree = read_stencil(function, boundary)
        self._direct = DirectCalls(self.tree)
        self._options = (target, fp, tuple(options))
        self._programs: dict[Shape, Program] = {}
        self._lock = threading.Lock()
        self.__name__ = function.name
        self.__doc__ = function.function.__doc__ or type(self).__doc__
        self.__module__ = function.function.__module__
        self.__qualname__ = function.function.__qualname__
        self.__wrapped__ = function.function

    def __reduce__(self) -> str:
        """By its name in its module, as Python's functions are."""
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<stencilgen.Stencil {self.__name__}({', '.join(self.tree.formals)})>"

    def __getitem__(self, domain: Any) -> _Part:
        return _Part(self, domain)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the stencil in place on arrays, and returns the number that it does, if any."""
        values = self._values(args, kwargs)
        if executing.get():
            return run_stencil(self.tree, values, None)
        shape = self._direct.shape(values)
        program = self._programs.get(shape) or self._program(shape)
        return program(**values)

    def _program(self, shape: Shape) -> Program:
        """That of calls which look so, made once."""
        with self._lock:
            if shape not in self._programs:
                target, fp, options = self._options
                written = self._direct.program(shape)
                self._programs[shape] = FunctionProgram(
                    self.tree.source, target, fp, None, options, written, 5
                )
            return self._programs[shape]

    def reference(self, /, *args: Any, **kwargs: Any) -> Any:
        """The same as a call, by executing the function's statements as Python: slow, and
        independent of the compiler."""
        return run_stencil(self.tree, self._values(args, kwargs), None)

    @property
    def idsl(self) -> str:
        """A program of one call, on arrays of float64 whose shapes fit each other."""
        return self._direct.program(self._direct.usual_shape()).text

    def _values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        formals = self.tree.formals
        if len(args) > len(formals):
            raise TypeError(f"{self.__name__}() takes {len(formals)} arguments, {len(args)} given")
        values = dict(zip(formals, args))
        for name, value in kwargs.items():
            if name not in formals or name in values:
                what = "two values for" if name in values else "no argument"
                raise TypeError(f"{self.__name__}() has {what} `{name}`")
            values[name] = value
        for name in formals:
            if name not in values and name not in self.tree.defaults:
                raise TypeError(f"{self.__name__}() misses the argument `{name}`")
            values.setdefault(name, self.tree.defaults.get(name))
        return values


class _Part:
    """A stencil for a part of the points."""

    def __init__(self, stencil: Stencil, domain: Any) -> None:
        self._stencil = stencil
        self._domain = domain if isinstance(domain, tuple) else (domain,)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if not executing.get():
            raise TypeError(
                f"{self._stencil.__name__}[...]() is for programs; outside of one, give views"
            )
        values = self._stencil._values(args, kwargs)
        return run_stencil(self._stencil.tree, values, self._domain)


def tree_of(value: Any) -> StencilTree | None:
    """Of an object that is a stencil."""
    return value.tree if isinstance(value, Stencil) else None


@overload
def stencil(function: Callable[..., Any], /) -> Stencil: ...


@overload
def stencil(
    *,
    boundary: Mapping[str, Any] | None = None,
    target: str = "auto",
    fp: str = "fast",
    options: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Stencil]: ...


def stencil(
    function: Callable[..., Any] | None = None,
    /,
    *,
    boundary: Mapping[str, Any] | None = None,
    target: str = "auto",
    fp: str = "fast",
    options: Sequence[str] = (),
) -> Any:
    """Reads a function as a stencil: what elements of arrays become, at all points at once::

        j, i = stencilgen.iterators("j i")

        @stencilgen.stencil(boundary={"u": "wrap"})
        def heat(out, u):
            out[j, i] = u[j, i] + 0.1*(u[j-1, i] + u[j+1, i] + u[j, i-1] + u[j, i+1] - 4*u[j, i])

    `boundary`: what arguments read outside of their arrays: ``clamp``, ``mirror``, ``mirror101``,
    ``wrap`` (or ``periodic``), ``extrapolate`` or a number, for all dimensions or, as a tuple, for
    each, with None where there is nothing outside. `target`, `fp` and `options`: as of `load`, for
    calls on numpy arrays. Raises `CompileError` where the function is not understood.
    """

    def decorate(given: Callable[..., Any]) -> Stencil:
        source = function_of(given, "stencil")
        return Stencil(source, boundary or {}, target, fp, options)

    return decorate if function is None else decorate(function)


@overload
def program(function: Callable[..., Any], /) -> FunctionProgram: ...


@overload
def program(
    *,
    target: str = "auto",
    fp: str = "fast",
    define: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], FunctionProgram]: ...


def program(
    function: Callable[..., Any] | None = None,
    /,
    *,
    target: str = "auto",
    fp: str = "fast",
    define: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
) -> Any:
    """Reads a function as a program: calls of stencils on arrays, and loops over them::

        @stencilgen.program
        def simulate(u: stencilgen.array("M N"), T: int = 100):
            v = np.empty_like(u)
            for t in stencilgen.iterate(T):
                heat(v, u)
                u, v = v, u
            return u

    `target`, `fp`, `define` and `options`: as of `load`. Raises `CompileError` where the function
    is not understood, or the compiler finds the program wrong.
    """

    def decorate(given: Callable[..., Any]) -> FunctionProgram:
        source = function_of(given, "program")
        level = 4 if function is None else 5  # warnings are about the line that decorates
        return FunctionProgram(source, target, fp, define, options, None, level)

    return decorate if function is None else decorate(function)
