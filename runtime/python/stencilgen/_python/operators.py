"""Operators on values at a point, with numpy's and Python's meaning."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .convert import Converter, is_flexible
from .declare import Affine
from .source import Function
from .values import (
    BIT_AND,
    BIT_OR,
    ORDER,
    POWER,
    PRIMARY,
    PRODUCT,
    SIGN,
    SUM,
    Kind,
    Value,
    code,
    kind_of_number,
    promoted,
)

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
    "|": operator.or_, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_BINDS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "&": BIT_AND, "|": BIT_OR}
_LARGEST_POWER = 64


class Operators:
    """Writes what operators make of values. Raises Refused where the language cannot say it."""

    def __init__(self, source: Function, convert: Converter) -> None:
        self._source = source
        self._convert = convert

    def constant(self, at: ast.AST, value: Any) -> Value:
        kind = kind_of_number(value)
        if kind is None:
            self._source.refuse(
                at,
                "python-type",
                f"{value!r} is of {type(value).__name__}, which a stencil has not",
                "numbers are Python's, or of float64, float32, int32 and bool",
            )
        found = self._convert.literal(at, value, kind)
        if kind == Kind.WHOLE:
            return Value(
                found.code,
                kind,
                found.binds,
                value,
                not_negative=value >= 0,
                affine=Affine((), value),
                cheap=True,
            )
        return found

    def sizes(self, at: ast.AST, affine: Affine) -> Value:
        """A sum of sizes."""
        if not affine.terms:
            return self.constant(at, affine.constant)
        text = str(affine)
        binds = PRIMARY if text.isidentifier() else PRODUCT if text.count("*") else SUM
        if affine.constant or len(affine.terms) > 1:
            binds = SUM
        not_negative = affine.constant >= -1 and all(one > 0 for _, one in affine.terms)
        return Value(
            code(text, at=at),
            Kind.WHOLE,
            binds,
            None,
            False,
            not_negative,
            affine,
            binds == PRIMARY,
        )

    def require_numbers(self, at: ast.AST, text: str, *values: Value) -> None:
        """Refuses conditions."""
        if any(one.kind == Kind.BOOL for one in values):
            self._source.refuse(
                at,
                "operand-type",
                f"`{text}` needs numbers, and True and False are none here",
                "write `where(condition, 1, 0)`; conditions are joined by `and`, `or` and `not`",
            )

    def folded(self, at: ast.AST, function: Callable[..., Any], *values: Value) -> Value:
        """What Python makes of constants."""
        try:
            with np.errstate(all="raise"):
                result = function(*(one.constant for one in values))
        except (ArithmeticError, ValueError, TypeError) as error:
            self._source.refuse(at, "python-value", f"this cannot be computed: {error}")
        if isinstance(result, complex):
            self._source.refuse(at, "python-value", f"this is a complex number, {result}")
        return self.constant(at, result)

    def binary(self, at: ast.AST, text: str, a: Value, b: Value) -> Value:
        """Arithmetic."""
        if text in ("&", "|"):
            return self._bitwise(at, text, a, b)
        self.require_numbers(at, text, a, b)
        if a.constant is not None and b.constant is not None:
            return self.folded(at, _PYTHON[text], a, b)
        if text == "**":
            return self._power(at, a, b)
        whole = not a.kind.is_floating and not b.kind.is_floating
        if text in ("//", "%"):
            if not whole:
                self._source.refuse(
                    at,
                    "operand-type",
                    f"`{text}` is for whole numbers",
                    "write `np.floor(a/b)`"
                    if text == "//"
                    else "write `np.fmod(a, b)`, which has the sign of `a`",
                )
            return self._floor(at, text, a, b)
        if text == "/" and b.constant is not None and b.constant == 0 and whole:
            self._source.refuse(at, "division-by-zero", "division by zero")
        if text == "/" and whole:
            kind = Kind.F64 if Kind.I32 in (a.kind, b.kind) else Kind.FLOAT
            if a.constant is not None:
                a = self._convert.literal(a.code.at or at, float(a.constant), Kind.FLOAT)
            elif b.constant is not None:
                b = self._convert.literal(b.code.at or at, float(b.constant), Kind.FLOAT)
            one = "" if a.kind.is_floating or b.kind.is_floating else "1.0*"
            right = b.inside(POWER)
            parts = code(one, a.inside(SIGN if one else PRODUCT), "/", right, at=at)
            return Value(
                parts, kind, PRODUCT, flexible=True, not_negative=a.not_negative and b.not_negative
            )
        (a, b), kind = self._convert.operands([a, b])
        binds = _BINDS[text]
        blank = " " if binds == SUM else ""
        right = b.inside(binds + 1)
        if str(right).startswith("-"):
            right = code("(", right, ")")
        affine = None
        if a.affine is not None and b.affine is not None and text in "+-*":
            affine = _affine(text, a.affine, b.affine)
        return Value(
            code(a.inside(binds), blank, text, blank, right, at=at),
            kind,
            binds,
            flexible=is_flexible([a, b], kind),
            affine=affine,
            not_negative=text in "+*" and a.not_negative and b.not_negative,
        )

    def _bitwise(self, at: ast.AST, text: str, a: Value, b: Value) -> Value:
        if a.kind.is_floating or b.kind.is_floating:
            self._source.refuse(
                at,
                "operand-type",
                f"`{text}` needs whole numbers or conditions",
                "conditions are joined by `and` and `or`",
            )
        if a.constant is not None and b.constant is not None:
            return self.folded(at, _PYTHON[text], a, b)
        if (a.kind == Kind.BOOL) != (b.kind == Kind.BOOL):
            self._source.refuse(at, "operand-type", f"`{text}` mixes a condition and a number")
        binds = _BINDS[text]
        kind = Kind.BOOL if a.kind == Kind.BOOL else promoted(a.kind, b.kind)
        return Value(
            code(a.inside(binds), f" {text} ", b.inside(binds + 1), at=at),
            kind,
            binds,
            not_negative=a.not_negative and b.not_negative,
        )

    def _floor(self, at: ast.AST, text: str, a: Value, b: Value) -> Value:
        """Python rounds quotients down, and the language toward zero."""
        kind = promoted(a.kind, b.kind)
        written = "/" if text == "//" else "%"
        simple = code(a.inside(PRODUCT), written, b.inside(SIGN), at=at)
        if a.not_negative and b.not_negative:
            return Value(simple, kind, PRODUCT, not_negative=True)
        a, b = (one if one.cheap else self._convert.kept(one, "int") for one in (a, b))
        x, y = a.inside(SIGN), b.inside(SIGN)
        if b.constant is not None and b.constant == 0:
            self._source.refuse(at, "division-by-zero", "whole division by zero")
        down = code(
            x, "%", y, " != 0 && (", a.inside(ORDER), " < 0) != (", b.inside(ORDER), " < 0)"
        )
        if b.constant is not None:
            sign = " < 0" if b.constant > 0 else " > 0"
            down = code(x, "%", y, sign)
        more = (
            code(" - (", down, " ? 1 : 0)")
            if text == "//"
            else code(" + (", down, " ? ", b.code, " : 0)")
        )
        positive = text == "%" and b.not_negative
        return Value(code(x, written, y, more, at=at), kind, SUM, not_negative=positive)

    def _power(self, at: ast.AST, a: Value, b: Value) -> Value:
        n = b.constant
        if n is not None and b.kind == Kind.WHOLE and abs(n) <= _LARGEST_POWER:
            if n < 0 and not a.kind.is_floating:
                self._source.refuse(
                    at,
                    "operand-type",
                    "a whole number has no negative powers here",
                    f"write `1/x**{-n}`",
                )
            text = code(a.inside(PRIMARY), "^", b.code, at=at)
            return Value(text, a.kind, POWER, flexible=a.flexible, not_negative=a.not_negative)
        if not a.kind.is_floating and not b.kind.is_floating:
            self._source.refuse(
                at,
                "operand-type",
                "a whole number to a power that varies",
                "write `np.float64(a) ** b`",
            )
        if a.kind == Kind.FLOAT and not a.not_negative:
            self._source.refuse(
                at,
                "operand-type",
                "a Python float to a broken power may be complex",
                "write `np.float64(a) ** b`, which makes a NaN then",
            )
        (a, b), kind = self._convert.operands([a, b])
        parts = code(a.inside(PRIMARY), "^", b.inside(SIGN), at=at)
        return Value(parts, kind, POWER, flexible=is_flexible([a, b], kind), not_negative=True)


def _affine(text: str, a: Affine, b: Affine) -> Affine | None:
    if text == "*":
        if not a.terms:
            return b.times(a.constant)
        return a.times(b.constant) if not b.terms else None
    return a + (b if text == "+" else b.times(-1))
