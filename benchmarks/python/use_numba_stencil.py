"""numba's stencils, called in a compiled loop that runs in parallel. They know no periodic
edges."""

from __future__ import annotations

import numba
import numpy as np

from problems import ALPHA, COURANT2, Problem, Run

NAME = "numba.stencil"
MODULE = "numba"

A, C2 = ALPHA, COURANT2


@numba.stencil
def kernel2d(u):
    return u[0, 0] + A * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4.0 * u[0, 0])


@numba.stencil
def kernel3d(u):
    around = u[-1, 0, 0] + u[1, 0, 0] + u[0, -1, 0] + u[0, 1, 0] + u[0, 0, -1] + u[0, 0, 1]
    return u[0, 0, 0] + A * (around - 6.0 * u[0, 0, 0])


@numba.stencil
def leapfrog(now, before):
    around = now[-1, 0] + now[1, 0] + now[0, -1] + now[0, 1] - 4.0 * now[0, 0]
    return 2.0 * now[0, 0] - before[0, 0] + C2 * around


@numba.njit(parallel=True, fastmath=True)
def heat2d(u, v, steps):
    for _ in range(steps):
        kernel2d(u, out=v)
        u, v = v, u


@numba.njit(parallel=True, fastmath=True)
def heat3d(u, v, steps):
    for _ in range(steps):
        kernel3d(u, out=v)
        u, v = v, u


@numba.njit(parallel=True, fastmath=True)
def wave2d(now, before, later, steps):
    for _ in range(steps):
        leapfrog(now, before, out=later)
        now, before, later = later, now, before


def prepare(problem: Problem, shape: tuple[int, ...]) -> Run | None:
    """A function that steps arrays forward in place, with a copy where steps are odd."""
    if problem.name.startswith("periodic"):
        return None

    def run_heat(arrays: list[np.ndarray], steps: int) -> None:
        u, other = arrays[0], arrays[0].copy()
        (heat2d if u.ndim == 2 else heat3d)(u, other, steps)
        if steps % 2 == 1:
            u[...] = other

    def run_wave(arrays: list[np.ndarray], steps: int) -> None:
        levels = [arrays[0].copy(), arrays[1].copy(), np.zeros_like(arrays[0])]
        wave2d(*levels, steps)
        for number, array in enumerate(arrays):
            array[...] = levels[(number - steps) % 3]

    return run_wave if problem.arrays == 2 else run_heat
