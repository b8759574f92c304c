"""What the systems solve: the same numbers, the same arrays, double precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Steps arrays forward in place, so many times.
Run = Callable[[list[np.ndarray], int], None]

ALPHA = 0.1  # of each axis
COURANT2 = 0.2


@dataclass(frozen=True)
class Problem:
    """`shape`, `steps`: that are timed; `small`, `few`: that are checked. `start` makes the arrays,
    which a call steps forward in place; the first is compared. `step` is one step in numpy, of the
    arrays in their order, and returns them in theirs."""

    name: str
    shape: tuple[int, ...]
    steps: int
    small: tuple[int, ...]
    few: int
    arrays: int
    step: Callable[..., tuple[np.ndarray, ...]]

    def start(self, shape: tuple[int, ...]) -> list[np.ndarray]:
        """Random numbers, the same for each system. Where levels take turns edges are 0: systems
        differ in whose edges a level has."""
        rng = np.random.default_rng(7)
        arrays = [rng.uniform(-1, 1, shape) for _ in range(self.arrays)]
        if self.arrays > 1:
            arrays = [np.pad(array[(slice(1, -1),) * array.ndim], 1) for array in arrays]
        return arrays


def resident(fields: Any) -> Run:
    """A run of a system that keeps its fields to itself: it fills them, steps and takes the result;
    only steps are timed."""

    def run(arrays: list[np.ndarray], steps: int) -> None:
        fields.fill(arrays)
        fields.step(steps)
        fields.take(arrays, steps)

    run.fill, run.timed = fields.fill, fields.step
    return run


def laplacian(u: np.ndarray) -> np.ndarray:
    """Of the inside, along all axes."""
    inside = (slice(1, -1),) * u.ndim
    total = -2.0 * u.ndim * u[inside]
    for axis in range(u.ndim):
        for part in (slice(None, -2), slice(2, None)):
            total = total + u[tuple(part if d == axis else slice(1, -1) for d in range(u.ndim))]
    return total


def heat(u: np.ndarray) -> tuple[np.ndarray]:
    """Edges stay."""
    out = u.copy()
    out[(slice(1, -1),) * u.ndim] += ALPHA * laplacian(u)
    return (out,)


def wave(now: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leapfrog; edges are 0."""
    inside = (slice(1, -1),) * now.ndim
    later = before.copy()
    later[inside] = 2.0 * now[inside] - before[inside] + COURANT2 * laplacian(now)
    return later, now


def torus(u: np.ndarray) -> tuple[np.ndarray]:
    """Heat that leaves at one edge and enters at the other."""
    return (u + ALPHA * laplacian(np.pad(u, 1, mode="wrap")),)


PROBLEMS = [
    Problem("heat, 2D", (2000, 2000), 100, (37, 53), 6, 1, heat),
    Problem("heat, 3D", (200, 200, 200), 50, (11, 17, 23), 5, 1, heat),
    Problem("wave, 2D", (2000, 2000), 100, (37, 53), 6, 2, wave),
    Problem("periodic heat, 2D", (2000, 2000), 100, (37, 53), 6, 1, torus),
]
