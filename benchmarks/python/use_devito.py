"""Devito, with OpenMP. Its fields stay with it: what goes in and comes out is not timed, the
operator is. Periodic edges are rows and columns more, copied at each step."""

from __future__ import annotations

import numpy as np
from devito import Eq, Grid, Operator, SubDomain, TimeFunction, configuration

from problems import ALPHA, COURANT2, Problem, Run, resident

NAME = "Devito"
MODULE = "devito"

configuration["language"] = "openmp"
configuration["log-level"] = "ERROR"


class Inside(SubDomain):
    """All points but the edges."""

    name = "inside"

    def define(self, dimensions):
        """One point is left out at each end."""
        return dict.fromkeys(dimensions, ("middle", 1, 1))


class Field:
    """An operator with its field, called as the others are."""

    def __init__(self, problem: Problem, shape: tuple[int, ...]) -> None:
        self.ghosts = 1 if problem.name.startswith("periodic") else 0
        self.levels = problem.arrays
        full = tuple(extent + 2 * self.ghosts for extent in shape)
        inside = Inside()
        grid = Grid(
            shape=full, extent=tuple(n - 1.0 for n in full), subdomains=(inside,), dtype=np.float64
        )
        self.u = u = TimeFunction(
            name="u", grid=grid, time_order=self.levels, space_order=2, dtype=np.float64
        )
        laplacian = sum(getattr(u, f"d{d.name}2") for d in grid.dimensions)
        forward = (
            u + ALPHA * laplacian if self.levels == 1 else 2 * u - u.backward + COURANT2 * laplacian
        )
        equations = [Eq(u.forward, forward, subdomain=grid.subdomains["inside"])]
        if self.ghosts:
            t, (x, y) = grid.stepping_dim, grid.dimensions
            rows, columns = shape
            equations += [Eq(u[t + 1, 0, y], u[t + 1, rows, y])]
            equations += [Eq(u[t + 1, rows + 1, y], u[t + 1, 1, y])]
            equations += [Eq(u[t + 1, x, 0], u[t + 1, x, columns])]
            equations += [Eq(u[t + 1, x, columns + 1], u[t + 1, x, 1])]
        self.operator = Operator(equations, opt=("advanced", {"openmp": True}))
        self.spacing = {d.spacing.name: 1.0 for d in grid.dimensions}

    def fill(self, arrays: list[np.ndarray]) -> None:
        """The start, in the levels that the first step reads and writes."""
        for level in range(self.levels + 1):
            source = arrays[0] if self.levels == 1 else arrays[(level + 1) % 2]
            self.u.data[level] = np.pad(source, self.ghosts, mode="wrap") if self.ghosts else source

    def step(self, steps: int) -> None:
        """What is timed."""
        first = self.levels - 1
        self.operator.apply(time_m=first, time_M=first + steps - 1, **self.spacing)

    def take(self, arrays: list[np.ndarray], steps: int) -> None:
        """The result."""
        cut = slice(self.ghosts, -self.ghosts) if self.ghosts else slice(None)
        newest = self.levels - 1 + steps
        for back, array in enumerate(arrays):
            level = (newest - back) % (self.levels + 1)
            array[...] = np.asarray(self.u.data[level])[(cut,) * array.ndim]


def prepare(problem: Problem, shape: tuple[int, ...]) -> Run:
    """What is timed is what the fields do."""
    return resident(Field(problem, shape))
