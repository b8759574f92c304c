"""Reductions as Python executes them, in the order that all targets keep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

#: Lanes of the first round along each iterator, by how many there are, and of the second.
_FIRST = {1: (65536,), 2: (64, 1024), 3: (16, 16, 256)}
_SECOND = 256

Place = tuple[int, ...]


def _start(operation: str, dtype: np.dtype[Any]) -> Any:
    """What changes nothing that it is combined with."""
    if operation in ("any", "all"):
        return operation == "all"
    if operation in ("sum", "norm2"):
        return dtype.type(0)
    if dtype.kind == "f":
        return dtype.type(math.inf if operation == "min" else -math.inf)
    ends = np.iinfo(dtype)
    return dtype.type(ends.max if operation == "min" else ends.min)


def _combine(operation: str) -> Callable[[Any, Any], Any]:
    if operation == "any":
        return lambda a, b: a or b
    if operation == "all":
        return lambda a, b: a and b
    if operation in ("min", "max"):
        return min if operation == "min" else max
    return lambda a, b: a + b


def _round(
    values: Mapping[Place, Any], lanes: Callable[[Place], Place], start: Any, combine: Any
) -> dict[Place, Any]:
    """Values in fewer lanes, in the order of their places."""
    found: dict[Place, Any] = {}
    for place in sorted(values):
        lane = lanes(place)
        found[lane] = combine(found.get(lane, start), values[place])
    return found


def fold(operation: str, values: Mapping[Place, Any], none: np.dtype[Any]) -> Any:
    """One number of values at points. ``none``: the type where there is no point."""
    dtype = np.result_type(*values.values()) if values else none
    if dtype.kind in "iu":
        dtype = np.dtype(np.int32)
    if operation == "norm2" and dtype.kind != "f":
        dtype = np.dtype(np.float64)
    typed = {place: dtype.type(value) for place, value in values.items()}
    if operation == "norm2":
        typed = {place: value * value for place, value in typed.items()}
    start, combine = _start(operation, dtype), _combine(operation)
    if typed:
        first = [min(along) for along in zip(*typed)]
        counts = _FIRST[len(first)]
        typed = _round(
            typed,
            lambda place: tuple((k - f) % n for k, f, n in zip(place, first, counts)),
            start,
            combine,
        )
        typed = _round(typed, lambda place: (place[-1] % _SECOND,), start, combine)
        typed = _round(typed, lambda place: (), start, combine)
    total = typed.get((), start)
    return np.sqrt(total) if operation == "norm2" else dtype.type(total)
