"""What the arguments of a stencil are in a call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Union

from .declare import Affine
from .values import Kind

#: Words that the language, or C++, keeps for itself.
_WORDS = """
parameter iterator double float int bool copyin copyout allocin constant coefficient stencil
function shmem gmem iterate boundary swap unroll inout min max abs fabs sqrt cbrt pow exp exp2
log log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil round trunc fmod fma
hypot erf sum norm2 any all
"""
KEYWORDS = frozenset(re.findall(r"\w+", _WORDS))


@dataclass(frozen=True)
class ArrayBinding:
    type: str
    extents: tuple[Affine, ...]


@dataclass(frozen=True)
class ScalarBinding:
    """A number that is known when the program runs; that turn of a loop over ``divisor``, a number
    or a size, where there is one."""

    kind: Kind
    not_negative: bool = False
    divisor: str = ""


@dataclass(frozen=True)
class NumberBinding:
    """A number of the program's text."""

    type: type
    text: str  #: tells 0.0 from -0.0
    value: Any

    @staticmethod
    def of(value: Any) -> NumberBinding:
        return NumberBinding(type(value), repr(value), value)


Binding = Union[ArrayBinding, ScalarBinding, NumberBinding]


def free_name(wish: str, taken: Iterable[str]) -> str:
    """The name, or one like it that is not taken."""
    used = set(taken)
    name, number = wish, 2
    while name in used:
        name = f"{wish}_{number}"
        number += 1
    return name
