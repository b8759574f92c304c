"""Loops written out for numba, which runs them in parallel."""

from __future__ import annotations

import numba
import numpy as np

from problems import ALPHA, COURANT2, Problem, Run

NAME = "numba, loops"
MODULE = "numba"

A, C2 = ALPHA, COURANT2


@numba.njit(parallel=True, fastmath=True)
def heat2d(u, v, steps):
    rows, columns = u.shape
    for _ in range(steps):
        for j in numba.prange(1, rows - 1):
            for i in range(1, columns - 1):
                around = u[j - 1, i] + u[j + 1, i] + u[j, i - 1] + u[j, i + 1]
                v[j, i] = u[j, i] + A * (around - 4.0 * u[j, i])
        u, v = v, u


@numba.njit(parallel=True, fastmath=True)
def heat3d(u, v, steps):
    planes, rows, columns = u.shape
    for _ in range(steps):
        for k in numba.prange(1, planes - 1):
            for j in range(1, rows - 1):
                for i in range(1, columns - 1):
                    around = u[k - 1, j, i] + u[k + 1, j, i] + u[k, j - 1, i] + u[k, j + 1, i]
                    around += u[k, j, i - 1] + u[k, j, i + 1]
                    v[k, j, i] = u[k, j, i] + A * (around - 6.0 * u[k, j, i])
        u, v = v, u


@numba.njit(parallel=True, fastmath=True)
def wave2d(now, before, steps):
    rows, columns = now.shape
    for _ in range(steps):
        for j in numba.prange(1, rows - 1):
            for i in range(1, columns - 1):
                around = now[j - 1, i] + now[j + 1, i] + now[j, i - 1] + now[j, i + 1]
                before[j, i] = 2.0 * now[j, i] - before[j, i] + C2 * (around - 4.0 * now[j, i])
        now, before = before, now


@numba.njit(parallel=True, fastmath=True)
def torus(u, v, steps):
    rows, columns = u.shape
    for _ in range(steps):
        for j in numba.prange(rows):
            up, down = (j - 1) % rows, (j + 1) % rows
            for i in range(1, columns - 1):
                around = u[up, i] + u[down, i] + u[j, i - 1] + u[j, i + 1]
                v[j, i] = u[j, i] + A * (around - 4.0 * u[j, i])
            for i in (0, columns - 1):
                around = u[up, i] + u[down, i]
                around += u[j, (i - 1) % columns] + u[j, (i + 1) % columns]
                v[j, i] = u[j, i] + A * (around - 4.0 * u[j, i])
        u, v = v, u


def prepare(problem: Problem, shape: tuple[int, ...]) -> Run:
    """A function that steps arrays forward in place, with a copy where steps are odd."""

    def run(arrays: list[np.ndarray], steps: int) -> None:
        if problem.arrays == 2:
            wave2d(arrays[0], arrays[1], steps)
            if steps % 2 == 1:
                arrays[0][...], arrays[1][...] = arrays[1].copy(), arrays[0].copy()
            return
        u, other = arrays[0], arrays[0].copy()
        kernel = torus if problem.name.startswith("periodic") else heat2d
        (heat3d if u.ndim == 3 else kernel)(u, other, steps)
        if steps % 2 == 1:
            u[...] = other

    return run
