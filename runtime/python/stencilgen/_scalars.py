"""Numbers of a call, checked."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._interface import INT_MAX, INT_MIN, Parameter, Scalar

_BOOLS = (bool, np.bool_)
_FLOATS = (float, np.floating)
_WHOLES = (int, np.integer)
_REAL = ("double", "float")


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of the shape {value.shape}"
    return f"{value!r}, a {type(value).__name__}"


def parameter(one: Parameter, value: Any) -> int:
    """The value of a parameter: a whole number of at least 1."""
    if type(value) is int and 1 <= value <= INT_MAX:
        return value
    if isinstance(value, _BOOLS) or not isinstance(value, _WHOLES):
        raise TypeError(f"parameter `{one.name}`: expected a whole number, given {_kind(value)}")
    number = operator.index(value)
    if not 1 <= number <= INT_MAX:
        raise ValueError(
            f"parameter `{one.name}`: expected a number from 1 to {INT_MAX}, given {number}"
        )
    return number


def scalar(one: Scalar, value: Any) -> int | float | bool:
    """The value of a scalar, as its type has it. Only floating numbers are rounded, to `float`."""
    if type(value) is float and one.type in _REAL:
        return value
    if one.type == "bool":
        if isinstance(value, _BOOLS):
            return bool(value)
        raise TypeError(f"scalar `{one.name}`: expected True or False, given {_kind(value)}")
    if isinstance(value, _BOOLS):
        raise TypeError(f"scalar `{one.name}`: expected a number, given {_kind(value)}")
    if one.type == "int":
        if not isinstance(value, _WHOLES):
            raise TypeError(f"scalar `{one.name}`: expected a whole number, given {_kind(value)}")
        number = operator.index(value)
        if not INT_MIN <= number <= INT_MAX:
            raise ValueError(
                f"scalar `{one.name}`: {number} is no number of 32 bits, which `int` has"
            )
        return number
    if not isinstance(value, (*_FLOATS, *_WHOLES)):
        raise TypeError(f"scalar `{one.name}`: expected a number, given {_kind(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"scalar `{one.name}`: {value} is too large for `{one.type}`") from None
