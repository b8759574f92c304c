"""What the lanes of a warp have in their registers, as far as the code says it.

A value is a number that all lanes share, known or not, plus an offset of each lane. That is enough
to say which lanes of an access to memory meet in a bank, and which way a warp goes at a branch on
its own number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .machine import WARP, WAVEFRONT

WORD = 1 << 32
BANK = 4  # bytes
_SAME = (0,) * WARP


def signed(value: int) -> int:
    """The value of 32 bits."""
    value %= WORD
    return value - WORD if value >= WORD // 2 else value


Terms = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Lanes:
    """Values of 32 bits: `base` plus unknown numbers that all lanes share, by name with their
    factors, plus each lane's offset. Without a base not even the names are known."""

    base: int | None
    offsets: tuple[int, ...] = _SAME
    terms: Terms = ()

    @property
    def uniform(self) -> bool:
        return self.offsets is _SAME or not any(self.offsets)

    @property
    def known(self) -> bool:
        return self.base is not None and not self.terms

    @property
    def constant(self) -> int | None:
        """The value that all lanes have, where it is known."""
        return self.base if self.uniform and self.known else None

    def values(self) -> list[int] | None:
        """Each lane's value, where it is known."""
        if self.base is None or self.terms:
            return None
        return [signed(self.base + o) for o in self.offsets]


UNIFORM = Lanes(None)  # the same in all lanes; not known


def constant(value: int) -> Lanes:
    return Lanes(signed(value))


def named(name: str) -> Lanes:
    """A number that all lanes share, of which nothing is known but its name."""
    return Lanes(0, _SAME, ((name, 1),))


def of_values(values: list[int]) -> Lanes:
    """Lanes of known values."""
    first = values[0]
    offsets = tuple(signed(v - first) for v in values)
    return Lanes(signed(first), offsets if any(offsets) else _SAME)


def join(a: Lanes, b: Lanes) -> Lanes | None:
    """What is known of a value that is one of two."""
    if a.offsets != b.offsets:
        return None
    return a if a.base == b.base and a.terms == b.terms else Lanes(None, a.offsets)


def add(a: Lanes, b: Lanes) -> Lanes:
    if a.uniform or b.uniform:
        offsets = a.offsets if b.uniform else b.offsets
    else:
        offsets = tuple(signed(x + y) for x, y in zip(a.offsets, b.offsets))
    if a.base is None or b.base is None:
        return Lanes(None, offsets)
    factors = dict(a.terms)
    for name, factor in b.terms:
        factors[name] = signed(factors.get(name, 0) + factor)
    terms = tuple(sorted((name, f) for name, f in factors.items() if f))
    return Lanes(signed(a.base + b.base), offsets, terms)


def scale(a: Lanes, factor: int) -> Lanes:
    offsets = _SAME if a.uniform else tuple(signed(o * factor) for o in a.offsets)
    if a.base is None:
        return Lanes(None, offsets)
    terms = tuple((name, signed(f * factor)) for name, f in a.terms if signed(f * factor))
    return Lanes(signed(a.base * factor), offsets, terms)


def multiply(a: Lanes, b: Lanes) -> Lanes | None:
    """The product's lower half, where one factor is a known constant or all is uniform."""
    for x, y in ((a, b), (b, a)):
        factor = y.constant
        if factor is not None:
            return scale(x, factor)
    return UNIFORM if a.uniform and b.uniform else combine([a, b], lambda v: v[0] * v[1])


def combine(parts: list[Lanes], function: Callable[[list[int]], int]) -> Lanes | None:
    """A function of values lane by lane: known where all are, uniform where all are."""
    columns = [p.values() for p in parts]
    known = [c for c in columns if c is not None]
    if len(known) == len(columns):
        return of_values([signed(function(list(row))) for row in zip(*known)])
    return UNIFORM if all(p.uniform for p in parts) else None


def lookup(table: int, values: list[int]) -> int:
    """LOP3: each bit of the result is the table's bit at the three operands' bits."""
    a, b, c = (v % WORD for v in values)
    result = 0
    for n in range(8):
        if table >> n & 1:
            x = a if n & 4 else ~a
            y = b if n & 2 else ~b
            z = c if n & 1 else ~c
            result |= x & y & z
    return result


def _groups(lanes: int, width: int) -> list[range]:
    """Lanes that go together: those whose accesses fill a wavefront."""
    together = max(1, min(lanes, WAVEFRONT // max(width, BANK)))
    return [range(n, min(n + together, lanes)) for n in range(0, lanes, together)]


def shared_wavefronts(offsets: tuple[int, ...], width: int) -> int:
    """Wavefronts of a shared access of so many bytes a thread: lanes meet where they want different
    words of a bank. The place of the whole does not matter."""
    waves = 0
    for group in _groups(len(offsets), width):
        words: dict[int, set[int]] = {}
        for lane in group:
            for byte in range(0, max(width, BANK), BANK):
                word = (offsets[lane] + byte) // BANK
                words.setdefault(word % (WAVEFRONT // BANK), set()).add(word)
        waves += max(len(different) for different in words.values())
    return waves


def global_wavefronts(offsets: tuple[int, ...], width: int) -> int:
    """Wavefronts of an access to global memory: one for each cache line that lanes touch together,
    if the first lane's element begins one."""
    waves = 0
    for group in _groups(len(offsets), width):
        first = min(offsets[lane] for lane in group)
        lines = {
            (offsets[lane] - first + byte) // WAVEFRONT
            for lane in group
            for byte in (0, max(width, 1) - 1)
        }
        waves += len(lines)
    return waves
