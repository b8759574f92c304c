"""Types of values at a point, as numpy mixes them, and code that has them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from .declare import Affine


class Kind(Enum):
    """``FLOAT`` and ``WHOLE`` are Python's own numbers: they take the type of what they meet."""

    F64 = "float64"
    F32 = "float32"
    I32 = "int32"
    BOOL = "bool"
    FLOAT = "a Python float"
    WHOLE = "a Python int"

    @property
    def type(self) -> str:
        """What the language calls it."""
        return _TYPES[self]

    @property
    def is_floating(self) -> bool:
        return self in (Kind.F64, Kind.F32, Kind.FLOAT)

    @property
    def is_weak(self) -> bool:
        return self in (Kind.FLOAT, Kind.WHOLE)


_TYPES = {
    Kind.F64: "double", Kind.FLOAT: "double", Kind.F32: "float", Kind.I32: "int",
    Kind.WHOLE: "int", Kind.BOOL: "bool",
}  # fmt: skip
_OF_TYPE = {
    "double": Kind.F64, "float": Kind.F32, "int": Kind.I32, "bool": Kind.BOOL,
    "half": Kind.F32, "bfloat16": Kind.F32, "int8": Kind.I32, "uint8": Kind.I32,
    "int16": Kind.I32, "uint16": Kind.I32,
}  # fmt: skip


def kind_of_type(name: str) -> Kind:
    """The kind of an element of an array, as it is read: narrow ones are int32 or float32."""
    return _OF_TYPE[name]


def kind_of_number(value: Any) -> Kind | None:
    """None for numbers of numpy that the language has not."""
    for kind, types in (
        (Kind.BOOL, (bool, np.bool_)), (Kind.F64, np.float64), (Kind.F32, np.float32),
        (Kind.I32, np.int32), (Kind.WHOLE, int), (Kind.FLOAT, float),
    ):  # fmt: skip
        if isinstance(value, types):
            return kind
    return None


def promoted(a: Kind, b: Kind) -> Kind:
    """What arithmetic on both makes. Requires: neither is BOOL, or both are."""
    if a == b:
        return a
    kinds = {a, b}
    if Kind.F64 in kinds:
        return Kind.F64
    if Kind.F32 in kinds:
        return Kind.F64 if Kind.I32 in kinds else Kind.F32
    if Kind.I32 in kinds:
        return Kind.F64 if Kind.FLOAT in kinds else Kind.I32
    return Kind.FLOAT


@dataclass(frozen=True)
class Code:
    """Text, and the part of the Python file that each part of it is written from."""

    parts: tuple[str | Code, ...]
    at: ast.AST | None = None
    text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", "".join(str(one) for one in self.parts))

    def __str__(self) -> str:
        return self.text

    def spans(self) -> list[tuple[int, int, ast.AST]]:
        """The first character, the end, and the node of each part that has one."""
        found: list[tuple[int, int, ast.AST]] = []
        waiting: list[tuple[int, Code]] = [(0, self)]
        while waiting:
            start, one = waiting.pop()
            if one.at is not None:
                found.append((start, start + len(one.text), one.at))
            for part in one.parts:
                if isinstance(part, Code):
                    waiting.append((start, part))
                start += len(str(part))
        return found

    def tight(self) -> Code:
        """The same without blanks around signs."""
        parts = [one.tight() if isinstance(one, Code) else one for one in self.parts if one != " "]
        return Code(tuple(parts), self.at)


def code(*parts: str | Code, at: ast.AST | None = None) -> Code:
    return Code(parts, at)


#: How tightly operators of the language bind.
CHOICE, OR, AND, BIT_OR, BIT_AND, EQUAL, ORDER, SUM, PRODUCT, SIGN, POWER, PRIMARY = range(12)


@dataclass(frozen=True)
class Value:
    """Code of a value.

    ``constant`` is Python's or numpy's number where the value is known. ``flexible``: the language
    takes it for a literal, which is computed in the precision of what it meets. ``not_negative``:
    known to be at least 0. ``affine``: a sum of sizes. ``cheap``: a name or an element, which may
    be written twice.
    """

    code: Code
    kind: Kind
    binds: int = PRIMARY
    constant: Any = None
    flexible: bool = False
    not_negative: bool = False
    affine: Affine | None = None
    cheap: bool = False

    def inside(self, binds: int) -> Code:
        """As an operand of what binds so tightly."""
        return self.code if self.binds >= binds else code("(", self.code, ")")


def number_text(value: Any, kind: Kind) -> str:
    """A constant as the language writes it; one that is negative has its sign."""
    if kind == Kind.BOOL:
        return "1" if value else "0"
    if kind in (Kind.WHOLE, Kind.I32):
        return str(int(value))
    text = str(np.float32(value)) if kind == Kind.F32 else repr(float(value))
    if "." not in text and "e" not in text:
        text += ".0"
    return text + "f" if kind == Kind.F32 else text
