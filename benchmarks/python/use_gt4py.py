"""GT4Py's cartesian stencils on a CPU: one call a step, from Python, on its own storages. Periodic
edges are copied at each step."""

from __future__ import annotations

import gt4py.storage
import numpy as np
from gt4py.cartesian import gtscript
from gt4py.cartesian.gtscript import PARALLEL, Field, computation, interval

from problems import ALPHA, COURANT2, Problem, Run, resident

NAME = "GT4Py"
MODULE = "gt4py"

BACKEND = "gt:cpu_ifirst"
Numbers = Field[np.float64]


def heat2d(u: Numbers, v: Numbers, a: np.float64):
    with computation(PARALLEL), interval(...):
        v = u + a * (u[-1, 0, 0] + u[1, 0, 0] + u[0, -1, 0] + u[0, 1, 0] - 4.0 * u)  # noqa: F841


def heat3d(u: Numbers, v: Numbers, a: np.float64):
    with computation(PARALLEL), interval(1, -1):
        around = u[-1, 0, 0] + u[1, 0, 0] + u[0, -1, 0] + u[0, 1, 0] + u[0, 0, -1] + u[0, 0, 1]
        v = u + a * (around - 6.0 * u)  # noqa: F841


def wave2d(now: Numbers, before: Numbers, a: np.float64):
    with computation(PARALLEL), interval(...):
        around = now[-1, 0, 0] + now[1, 0, 0] + now[0, -1, 0] + now[0, 1, 0] - 4.0 * now
        before = 2.0 * now - before + a * around


class Storages:
    """Two storages that take turns."""

    def __init__(self, problem: Problem, shape: tuple[int, ...]) -> None:
        self.ghosts = 1 if problem.name.startswith("periodic") else 0
        self.levels = problem.arrays
        self.rank = len(shape)
        full = tuple(extent + 2 * self.ghosts for extent in shape)
        self.shape = full if self.rank == 3 else (*full, 1)
        definition = wave2d if self.levels == 2 else heat3d if self.rank == 3 else heat2d
        self.kernel = gtscript.stencil(backend=BACKEND, definition=definition)
        self.fields = [
            gt4py.storage.zeros(self.shape, np.float64, backend=BACKEND) for _ in range(2)
        ]

    def fill(self, arrays: list[np.ndarray]) -> None:
        """The start."""
        for field, array in zip(self.fields, (arrays * 2)[:2]):
            source = np.pad(array, self.ghosts, mode="wrap") if self.ghosts else array
            np.asarray(field)[...] = source.reshape(self.shape)

    def step(self, steps: int) -> None:
        """What is timed."""
        rows, columns, planes = self.shape
        factor = np.float64(COURANT2 if self.levels == 2 else ALPHA)
        domain = (rows - 2, columns - 2, planes)
        for _ in range(steps):
            u, v = self.fields
            self.kernel(u, v, factor, origin=(1, 1, 0), domain=domain, validate_args=False)
            if self.ghosts:
                edges = np.asarray(v)
                edges[0], edges[-1] = edges[-2], edges[1]
                edges[:, 0], edges[:, -1] = edges[:, -2], edges[:, 1]
            self.fields = [v, u]

    def take(self, arrays: list[np.ndarray], steps: int) -> None:
        """The result."""
        cut = slice(self.ghosts, -self.ghosts) if self.ghosts else slice(None)
        for field, array in zip(self.fields, arrays):
            full = np.asarray(field).reshape(self.shape[: self.rank])
            array[...] = full[(cut,) * self.rank]


def prepare(problem: Problem, shape: tuple[int, ...]) -> Run:
    """What is timed is what the fields do."""
    return resident(Storages(problem, shape))
