"""The functions of Python and numpy that the language has."""

from __future__ import annotations

import builtins
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .declare import where


@dataclass(frozen=True)
class Known:
    """``style``: ``numpy`` keeps float32, ``math`` makes a number of Python's, ``builtin`` keeps
    types, ``cast`` changes them, and the others are forms of their own."""

    name: str  #: as it is called
    written: str  #: in the language
    arity: int  #: -1: two or more
    style: str
    function: Any


_NUMPY = {
    "sqrt": ("sqrt", 1), "cbrt": ("cbrt", 1), "exp": ("exp", 1), "exp2": ("exp2", 1),
    "log": ("log", 1), "log2": ("log2", 1), "log10": ("log10", 1), "sin": ("sin", 1),
    "cos": ("cos", 1), "tan": ("tan", 1), "arcsin": ("asin", 1), "arccos": ("acos", 1),
    "arctan": ("atan", 1), "arctan2": ("atan2", 2), "sinh": ("sinh", 1), "cosh": ("cosh", 1),
    "tanh": ("tanh", 1), "floor": ("floor", 1), "ceil": ("ceil", 1), "trunc": ("trunc", 1),
    "fmod": ("fmod", 2), "hypot": ("hypot", 2), "fabs": ("fabs", 1),
}  # fmt: skip
_MATH = {
    "sqrt": 1, "cbrt": 1, "exp": 1, "exp2": 1, "log": 1, "log2": 1, "log10": 1, "sin": 1, "cos": 1,
    "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2, "sinh": 1, "cosh": 1, "tanh": 1,
    "fmod": 2, "hypot": 2, "fabs": 1, "erf": 1, "pow": 2,
}  # fmt: skip


def _table() -> dict[int, Known]:
    known: list[Known] = []
    for name, (written, arity) in _NUMPY.items():
        known.append(Known(f"np.{name}", written, arity, "numpy", getattr(np, name)))
    for name, arity in _MATH.items():
        if hasattr(math, name):
            known.append(Known(f"math.{name}", name, arity, "math", getattr(math, name)))
    for name in ("abs", "min", "max"):
        arity = 1 if name == "abs" else -1
        known.append(Known(name, name, arity, "builtin", getattr(builtins, name)))
    known.append(Known("np.abs", "abs", 1, "abs", np.absolute))
    known.append(Known("np.power", "**", 2, "power", np.power))
    known.append(Known("np.square", "**", 1, "square", np.square))
    known.append(Known("where", "?", 3, "where", where))
    known.append(Known("np.where", "?", 3, "np.where", np.where))
    known.append(Known("np.logical_and", "and", 2, "logic", np.logical_and))
    known.append(Known("np.logical_or", "or", 2, "logic", np.logical_or))
    known.append(Known("np.logical_not", "not", 1, "not", np.logical_not))
    for cast in (np.float64, np.float32, np.int32, float, int):
        known.append(Known(cast.__name__, cast.__name__, 1, "cast", cast))
    known.append(Known("len", "len", 1, "len", builtins.len))
    known.append(Known("np.empty_like", "", -1, "array", np.empty_like))
    return {id(one.function): one for one in known}


_KNOWN = _table()

#: What to write in place of functions that mean something else at points.
_INSTEAD = {
    id(np.minimum): "`min(a, b)`; of NaN they make different things",
    id(np.maximum): "`max(a, b)`; of NaN they make different things",
    id(np.fmin): "`min(a, b)`; of NaN they make different things",
    id(np.fmax): "`max(a, b)`; of NaN they make different things",
    id(math.floor): "`np.floor(x)`; math.floor makes a whole number of any size",
    id(math.ceil): "`np.ceil(x)`; math.ceil makes a whole number of any size",
    id(math.trunc): "`np.trunc(x)`, or `int(x)` for a whole number",
    id(builtins.round): "`np.floor(x + 0.5)`; round() rounds halves to even numbers",
    id(builtins.pow): "`a ** b`",
    id(builtins.sum): "the sum, as `u[j, i-1] + u[j, i+1]`",
    id(np.zeros_like): "`np.empty_like(u)`, and assign zeros",
    id(np.roll): "the neighbour, as `u[j, i-1]`, and a boundary mode `wrap`",
}


def known(function: Any) -> Known | None:
    """What the language has for a function of Python or numpy."""
    return _KNOWN.get(id(function))


def instead(function: Any) -> str:
    """A hint for a function that the language does not have."""
    if id(function) in _INSTEAD:
        return "write " + _INSTEAD[id(function)]
    names = "abs, min, max, where, np.sqrt, np.exp, np.sin, math.pi and their like"
    return f"known are {names}; a stencil calls no other functions"
