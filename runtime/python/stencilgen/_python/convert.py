"""Operands of one type, in a language that mixes types as C does.

Numpy and the language differ in three places, and there a value is kept in a local of its type
first: a Python float meets float32, int32 meets float32 (numpy computes in float64), and a float64
that the language takes for a literal meets float32.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Callable, NoReturn

import numpy as np

from .._interface import dtype_of
from .source import Function
from .values import PRIMARY, SIGN, Kind, Value, code, number_text, promoted

#: Makes a local scalar of a type.
Keep = Callable[[str, Value], str]
_FLOAT_MAX = float(np.finfo(np.float32).max)
_LARGEST = {"float": _FLOAT_MAX, "bfloat16": _FLOAT_MAX, "half": 65519.0}  # that a constant has
_INT_MAX = 2**31 - 1


class Converter:
    """Converts values of one stencil."""

    def __init__(self, source: Function, keep: Keep) -> None:
        self._source = source
        self._keep = keep

    def literal(self, at: ast.AST, value: object, kind: Kind) -> Value:
        """A constant."""
        if kind.is_floating and not np.isfinite(value):  # type: ignore[call-overload]
            self._source.refuse(at, "python-value", f"{value!r} cannot be written")
        if kind in (Kind.WHOLE, Kind.I32) and abs(int(value)) > _INT_MAX:  # type: ignore[call-overload]
            self._source.refuse(at, "literal-overflow", f"{value!r} is no whole number of 32 bits")
        text = number_text(value, kind)
        return Value(
            code(text, at=at),
            kind,
            SIGN if text.startswith("-") else PRIMARY,
            value,
            flexible=kind in (Kind.FLOAT, Kind.F64),
            cheap=True,
            not_negative=bool(value >= 0),  # type: ignore[operator]
        )

    def kept(self, value: Value, type_name: str) -> Value:
        """The value in a local of the type."""
        kinds = {"double": Kind.F64, "float": Kind.F32, "int": Kind.I32}
        name = self._keep(type_name, value)
        return Value(
            code(name, at=value.code.at),
            kinds[type_name],
            cheap=True,
            not_negative=value.not_negative,
        )

    def to_float(self, value: Value) -> Value:
        """As float32, rounded once."""
        if value.kind == Kind.F32:
            return value
        if value.constant is not None:
            at = value.code.at or self._source.node
            if abs(float(value.constant)) > _FLOAT_MAX:
                self._refuse_large(value, "float")
            return self.literal(at, np.float32(value.constant), Kind.F32)
        if value.flexible:
            value = self.kept(value, "double")
        return self.kept(value, "float")

    def _refuse_large(self, value: Value, type_name: str) -> NoReturn:
        self._source.refuse(
            value.code.at or self._source.node,
            "literal-overflow",
            f"{value.constant!r} does not fit in {dtype_of(type_name)}",
        )

    def to_double(self, value: Value) -> Value:
        """As float64 that is no literal."""
        if value.kind.is_floating and value.kind != Kind.F32 and not value.flexible:
            return value
        return self.kept(value, "double")

    def operands(self, values: Sequence[Value]) -> tuple[list[Value], Kind]:
        """Values that the language mixes into the kind that numpy does."""
        kind = values[0].kind
        for one in values[1:]:
            kind = promoted(kind, one.kind)
        single = any(one.kind == Kind.F32 for one in values)
        found: list[Value] = []
        for one in values:
            if kind == Kind.F32:
                found.append(self._beside_single(one))
            elif kind == Kind.F64 and single and one.kind != Kind.F32:
                # C would compute an int, and a literal, in the float's precision.
                fits = one.kind.is_floating and not one.flexible
                found.append(one if fits else self.to_double(one))
            else:
                found.append(one)
        return found, kind

    def _beside_single(self, one: Value) -> Value:
        """A Python number where float32 is computed with."""
        if one.kind != Kind.FLOAT:
            return one
        if one.constant is None:
            return self.to_float(one)
        if abs(float(one.constant)) > _FLOAT_MAX:
            self.to_float(one)  # refuses
        return one

    def for_store(self, value: Value, type_name: str) -> Value:
        """What is assigned to an element or a local of the type: rounded once, as numpy does."""
        largest = _LARGEST.get(type_name)
        if largest is not None and value.kind in (Kind.F64, Kind.FLOAT) and value.flexible:
            if value.constant is None:
                return self.to_double(value)
            if abs(float(value.constant)) > largest:
                self._refuse_large(value, type_name)
        return value


def is_flexible(values: Sequence[Value], kind: Kind) -> bool:
    """Whether the language takes what it makes of the operands for a literal."""
    if kind not in (Kind.F64, Kind.FLOAT):
        return False
    floating = [one for one in values if one.kind.is_floating]
    return bool(floating) and all(one.flexible for one in floating)
