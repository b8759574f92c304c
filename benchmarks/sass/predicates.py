"""Predicates of a warp's lanes, and registers in which the compiler keeps many of them as bits.

A predicate is, for each lane, true, false, or None where it is not known.
"""

from __future__ import annotations

from itertools import product
from typing import Optional

from .lanes import WORD, Lanes, add, scale
from .machine import WARP

Predicate = tuple[Optional[bool], ...]
TRUE: Predicate = (True,) * WARP
FALSE: Predicate = (False,) * WARP
UNKNOWN: Predicate = (None,) * WARP

TESTS = {"LT": (-1,), "LE": (-1, 0), "GT": (1,), "GE": (0, 1), "EQ": (0,), "NE": (-1, 1)}


def negate(p: Predicate) -> Predicate:
    return tuple(None if x is None else not x for x in p)


def both(p: Predicate, q: Predicate) -> Predicate:
    return lookup_predicates(0x80, [p, q, TRUE])


def either(p: Predicate, q: Predicate) -> Predicate:
    return negate(both(negate(p), negate(q)))


def lookup_predicates(table: int, parts: list[Predicate]) -> Predicate:
    """PLOP3: the table's bit at three predicates; known where all that the unknown ones may be
    leads to the same."""
    result: list[bool | None] = []
    for lane in zip(*parts):
        choices = product(*[(False, True) if x is None else (x,) for x in lane])
        found = {bool(table >> (a << 2 | b << 1 | c) & 1) for a, b, c in choices}
        result.append(found.pop() if len(found) == 1 else None)
    return tuple(result)


def compare(a: Lanes, b: Lanes, how: str, unsigned: bool) -> Predicate:
    """A comparison of integers: of known values, or of values whose difference is known and that
    do not overflow, as coordinates do not."""
    left, right = a.values(), b.values()
    if left is not None and right is not None:
        if unsigned:
            left, right = [v % WORD for v in left], [v % WORD for v in right]
        return tuple((x > y) - (x < y) in TESTS[how] for x, y in zip(left, right))
    difference = add(a, scale(b, -1)).values()
    if difference is None or (unsigned and how not in ("EQ", "NE")):
        return UNKNOWN
    return tuple((d > 0) - (d < 0) in TESTS[how] for d in difference)


class Packed:
    """Bits of a register, as far as they are known: a predicate for each."""

    def __init__(self, bits: dict[int, Predicate], rest: bool) -> None:
        self.bits = bits
        self.rest = rest or len(bits) == 32  # all other bits are 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packed) and (self.bits, self.rest) == (other.bits, other.rest)

    __hash__ = None  # type: ignore[assignment]

    def bit(self, n: int) -> Predicate:
        return self.bits.get(n, FALSE if self.rest else UNKNOWN)

    def any_bit(self) -> Predicate:
        """Where the register is not 0."""
        result = FALSE if self.rest else UNKNOWN
        for p in self.bits.values():
            result = either(result, p)
        return result

    def masked(self, mask: int) -> Packed:
        """The register and a constant."""
        cleared = {n: FALSE for n in range(32) if not mask >> n & 1} if not self.rest else {}
        kept = {n: p for n, p in self.bits.items() if mask >> n & 1}
        return Packed({**cleared, **kept}, self.rest)

    def with_bits(self, mask: int, guard: Predicate) -> Packed:
        """The register or a constant, in lanes where the guard holds."""
        set_bits = {n: either(self.bit(n), guard) for n in range(32) if mask >> n & 1}
        return Packed({**self.bits, **set_bits}, self.rest)

    def merged(self, other: Packed) -> Packed:
        """What holds of either of two."""
        names = set(self.bits) | set(other.bits)
        bits = {n: self.bit(n) for n in names if self.bit(n) == other.bit(n)}
        return Packed(bits, self.rest and other.rest and bits.keys() == names)
