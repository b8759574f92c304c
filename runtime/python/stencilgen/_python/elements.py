"""Elements of arrays and expressions over them, as Python executes them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._interface import NARROW_DTYPES
from .declare import one_type
from .tree import Call, Expression, Read, all_nodes, all_reductions

MISSING = object()  #: the value of what does not exist
_NARROW = tuple(NARROW_DTYPES.values())


def as_read(value: Any) -> Any:
    """An element of a narrow type as int32 or float32."""
    if value.dtype not in _NARROW:
        return value
    return np.int32(value) if value.dtype.kind in "iu" else np.float32(value)


def fitting(value: Any, dtype: np.dtype[Any]) -> Any:
    """What an element becomes that is assigned the value: of a narrow type the nearest number."""
    if dtype not in _NARROW:
        return dtype.type(value)
    if dtype.kind not in "iu":
        return dtype.type(np.float32(value))
    ends = np.iinfo(dtype)
    return dtype.type(0 if np.isnan(value) else int(min(max(value, ends.min), ends.max)))


# Where modes find the element at index k of n.
_MOVED: dict[str, Callable[[int, int], int]] = {
    "clamp": lambda k, n: min(max(k, 0), n - 1),
    "wrap": lambda k, n: k % n,
    "mirror": lambda k, n: min(k % (2 * n), 2 * n - 1 - k % (2 * n)),
    "mirror101": lambda k, n: abs((k + n - 1) % max(2 * n - 2, 1) - (n - 1)),
}


@dataclass
class ArrayAt:
    values: np.ndarray[Any, Any]
    modes: tuple[str, ...] = ()
    computed: np.ndarray[Any, Any] | None = None  #: of a local array, what has been assigned

    def copy(self) -> ArrayAt:
        known = None if self.computed is None else self.computed.copy()
        return ArrayAt(self.values.copy(), self.modes, known)

    def at(self, index: Sequence[int]) -> Any:
        """The element as it is read, or what stands outside; MISSING where nothing does."""
        for dimension, (k, n) in enumerate(zip(index, self.values.shape)):
            if not 0 <= k < n and self._mode(dimension) == "extrapolate":
                return self._continued(index, dimension)
        place: list[int] = []
        outside: Any = None
        for dimension, (k, n) in enumerate(zip(index, self.values.shape)):
            mode = self._mode(dimension)
            if 0 <= k < n:
                place.append(k)
            elif mode in _MOVED:
                place.append(_MOVED[mode](k, n))
            elif mode in ("", "none"):
                return MISSING
            else:
                place.append(0)
                if outside is None:
                    number = float(mode[len("constant(") : -1])
                    outside = as_read(fitting(number, self.values.dtype))
        if outside is not None:
            return outside
        if self.computed is not None and not self.computed[tuple(place)]:
            return MISSING
        return as_read(self.values[tuple(place)])

    def _mode(self, dimension: int) -> str:
        return self.modes[dimension % len(self.modes)] if self.modes else ""

    def _continued(self, index: Sequence[int], dimension: int) -> Any:
        """The line through the element at the end and the one as far inside as `index` is out."""
        n = self.values.shape[dimension]
        k = index[dimension]
        inside = k % max(2 * n - 2, 1)
        places = (min(max(k, 0), n - 1), inside if inside < n else 2 * n - 2 - inside)
        end, other = (
            self.at([*index[:dimension], place, *index[dimension + 1 :]]) for place in places
        )
        if end is MISSING or other is MISSING:
            return MISSING
        return end - (other - end)


@dataclass
class Text:
    """An expression as Python executes it, with `_0`, `_1` ... for the elements that it reads, and
    `_reduced_0`, `_reduced_1` ... for reductions."""

    code: Any
    reads: list[tuple[str, list[tuple[Any, bool]]]]


class Elements:
    """Names in place of elements, and choices that have one type whatever they choose."""

    def __init__(self, value: Expression, reads: Sequence[Read]) -> None:
        self._names = {id(one.at): f"_{number}" for number, one in enumerate(reads)}
        for number, reduction in enumerate(all_reductions(value)):
            self._names[id(reduction.at)] = f"_reduced_{number}"
        self._choices = {
            id(one.at): f"_{one.function.name}"
            for one in all_nodes(value)
            if isinstance(one, Call) and f"_{one.function.name}" in CHOICES
        }

    def rebuilt(self, node: Any) -> Any:
        """A copy."""
        if isinstance(node, list):
            return [self.rebuilt(one) for one in node]
        if not isinstance(node, ast.AST):
            return node
        if id(node) in self._names:
            return ast.Name(self._names[id(node)], ast.Load())
        parts = {name: self.rebuilt(part) for name, part in ast.iter_fields(node)}
        if isinstance(node, ast.IfExp):
            values = [parts["test"], parts["body"], parts["orelse"]]
            return ast.Call(ast.Name("_where", ast.Load()), values, [])
        if id(node) in self._choices:
            return ast.Call(ast.Name(self._choices[id(node)], ast.Load()), parts["args"], [])
        return type(node)(**parts)


def _least(*values: Any) -> Any:
    return one_type(min(*values), values)


def _most(*values: Any) -> Any:
    return one_type(max(*values), values)


#: In place of Python's.
CHOICES = {"_min": _least, "_max": _most}
