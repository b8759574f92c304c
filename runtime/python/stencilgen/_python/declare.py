"""What functions that are stencils or programs are written with."""

from __future__ import annotations

import contextvars
import keyword
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from .._interface import known_types, type_of

#: The sizes of the program whose function is executed as Python: see `Program.reference`.
executed_sizes: contextvars.ContextVar[Mapping[str, int] | None] = contextvars.ContextVar(
    "executed_sizes", default=None
)

_EXTENT = re.compile(
    r"\s*(?:(\d+)\s*\*\s*)?(?:([A-Za-z_]\w*)|(\d+))\s*(?:([+-])\s*(\d+)\s*)?", re.ASCII
)


@dataclass(frozen=True)
class Affine:
    """A whole number plus factors of names: a size or a bound."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    def __add__(self, other: Affine) -> Affine:
        factors = dict(self.terms)
        for name, factor in other.terms:
            factors[name] = factors.get(name, 0) + factor
        terms = tuple((name, factor) for name, factor in factors.items() if factor != 0)
        return Affine(terms, self.constant + other.constant)

    def times(self, factor: int) -> Affine:
        terms = tuple((name, each * factor) for name, each in self.terms if factor != 0)
        return Affine(terms, self.constant * factor)

    def __str__(self) -> str:
        text = ""
        for name, factor in self.terms:
            sign = "-" if factor < 0 else "+" if text else ""
            times = "" if abs(factor) == 1 else f"{abs(factor)}*"
            text += f"{sign}{times}{name}"
        if self.constant or not text:
            text += f"{self.constant:+d}" if text else str(self.constant)
        return text

    def value(self, sizes: Mapping[str, int]) -> int:
        return self.constant + sum(factor * sizes[name] for name, factor in self.terms)


class Iterator:
    """One of `iterators`: it stands for all places along a dimension, inside of a stencil."""

    __slots__ = ("all", "name")

    def __init__(self, name: str, all_names: tuple[str, ...]) -> None:
        self.name = name
        self.all = all_names

    def __repr__(self) -> str:
        return f"<stencilgen.Iterator {self.name}>"

    def _outside(self, *_: Any) -> Any:
        raise TypeError(
            f"the iterator `{self.name}` has values only inside of a function that is decorated "
            "with `@stencilgen.stencil`"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _outside
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = _outside
    __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __index__ = __float__ = _outside


def iterators(names: str) -> tuple[Iterator, ...]:
    """Iterators of these names, the slowest first, as ``j, i = stencilgen.iterators("j i")``:
    neighbouring values of the last one are neighbours in memory. At most three."""
    if not isinstance(names, str):
        raise TypeError(f"iterators(): expected names, as 'j i', given {names!r}")
    found = tuple(names.replace(",", " ").split())
    for one in found:
        if not re.fullmatch(r"[A-Za-z_]\w*", one, re.ASCII) or keyword.iskeyword(one):
            raise ValueError(f"iterators(): `{one}` cannot name an iterator")
    if not 1 <= len(found) <= 3 or len(set(found)) != len(found):
        raise ValueError(f"iterators(): expected one to three different names, given {names!r}")
    return tuple(Iterator(one, found) for one in found)


@dataclass(frozen=True)
class ArrayType:
    """Elements and shape of an array of a program; made by `array`."""

    extents: tuple[Affine, ...]
    dtype: np.dtype[Any]
    intent: str

    @property
    def type(self) -> str:
        """As the language calls it."""
        return language_type(self.dtype)


def element_type(dtype: Any) -> np.dtype[Any]:
    """The element type that a program may have."""
    found: np.dtype[Any] = np.dtype(dtype)
    language_type(found)
    return found


def language_type(dtype: np.dtype[Any]) -> str:
    """What the language calls elements of that type. Raises TypeError where it has none."""
    found = type_of(dtype)
    if found is None:
        raise TypeError(f"an array's elements are of {known_types()}, and not of {dtype}")
    return found


def _extent(text: str) -> Affine:
    match = _EXTENT.fullmatch(text)
    if match is None or (match[1] and not match[2]):
        raise ValueError(
            f"array(): `{text}` is no size: that is a number, a name, or a sum as `N+1` or `2*N-1`"
        )
    offset = int(match[4] + match[5]) if match[4] else 0
    if match[3]:
        return Affine((), int(match[3]) + offset)
    return Affine(((match[2], int(match[1] or 1)),), offset)


def array(shape: str | Sequence[str | int], dtype: Any = np.float64, *, intent: str = "") -> Any:
    """An array of a program: as the annotation of an argument, ``u: stencilgen.array("M N")``, or
    in the program, ``v = stencilgen.array("M N", stencilgen.float32)``, as one of its own.

    `shape`: sizes, each a number, a name, or as ``N+1``; a name is a parameter of the program.
    `intent` of an argument: ``"in"``, ``"out"`` (what it had before is not read, and what is not
    written has no defined value) or ``"inout"``. Without it an argument is read, and written where
    the program writes it.
    """
    parts: Sequence[str | int] = (
        shape
        if not isinstance(shape, str)
        else (shape.split(",") if "," in shape else shape.split())
    )
    if intent not in ("", "in", "out", "inout"):
        raise ValueError(f"array(): intent is 'in', 'out' or 'inout', and not {intent!r}")
    extents = tuple(_extent(str(one)) for one in parts)
    if not 1 <= len(extents) <= 3:
        raise ValueError(f"array(): expected one to three sizes, given {shape!r}")
    found = ArrayType(extents, element_type(dtype), intent)
    sizes = executed_sizes.get()
    if sizes is not None:
        return np.zeros([one.value(sizes) for one in extents], found.dtype)
    return found


def iterate(count: int) -> range:
    """``for t in stencilgen.iterate(T)``: the steps of a program."""
    return range(operator.index(count))


def one_type(chosen: Any, values: Sequence[Any]) -> Any:
    """One of several numbers, in the type that their sum would have."""
    if any(isinstance(one, np.generic) for one in values):
        return np.result_type(*values).type(chosen)
    if any(isinstance(one, float) for one in values):
        return float(chosen)
    return chosen


class Reduction:
    """``stencilgen.sum`` and its like: one number of the values at all points."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<stencilgen.{self.name}>"

    def __call__(self, value: Any) -> NoReturn:
        raise TypeError(
            f"`{self.name}` is for functions that are decorated with `@stencilgen.stencil`; "
            "of arrays, numpy has it"
        )


#: By name, as the language has them.
REDUCTIONS = {
    name: Reduction(name) for name in ("sum", "min", "max", "norm2", "any", "all")
}  # fmt: skip


def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``, in the type that both have together."""
    if any(isinstance(one, np.ndarray) for one in (condition, a, b)):
        return np.where(condition, a, b)
    return one_type(a if condition else b, (a, b))


class _Domain:
    """``with stencilgen.domain[1:-1, :]:`` in a stencil: the statements below are about these
    values of the iterators alone."""

    def __getitem__(self, ranges: Any) -> NoReturn:
        raise TypeError("`domain` is for statements of a function decorated with `stencil`")


domain: Any = _Domain()
