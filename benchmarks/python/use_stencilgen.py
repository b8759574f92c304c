"""stencilgen, with its default options: stencils and loops as Python functions."""

from __future__ import annotations

import stencilgen as sg
from problems import ALPHA, COURANT2, Problem, Run

NAME = "stencilgen"
MODULE = "stencilgen"

k, j, i = sg.iterators("k j i")


@sg.stencil
def step2d(u, a):
    u[j, i] += a * (u[j - 1, i] + u[j + 1, i] + u[j, i - 1] + u[j, i + 1] - 4 * u[j, i])


@sg.stencil
def step3d(u, a):
    around = u[k - 1, j, i] + u[k + 1, j, i] + u[k, j - 1, i] + u[k, j + 1, i]
    u[k, j, i] += a * (around + u[k, j, i - 1] + u[k, j, i + 1] - 6 * u[k, j, i])


@sg.stencil
def leapfrog(before, now, c2):
    around = now[j - 1, i] + now[j + 1, i] + now[j, i - 1] + now[j, i + 1] - 4 * now[j, i]
    before[j, i] = 2 * now[j, i] - before[j, i] + c2 * around


@sg.stencil(boundary={"u": "wrap"})
def around(u, a):
    u[j, i] += a * (u[j - 1, i] + u[j + 1, i] + u[j, i - 1] + u[j, i + 1] - 4 * u[j, i])


@sg.program
def heat2d(u: sg.array("M N"), a: float, T: int):
    for _ in sg.iterate(T):
        step2d(u, a)


@sg.program
def heat3d(u: sg.array("L M N"), a: float, T: int):
    for _ in sg.iterate(T):
        step3d(u, a)


@sg.program
def wave2d(now: sg.array("M N"), before: sg.array("M N"), c2: float, T: int):
    for _ in sg.iterate(T):
        leapfrog(before, now, c2)
        now, before = before, now


@sg.program
def torus(u: sg.array("M N"), a: float, T: int):
    for _ in sg.iterate(T):
        around(u, a)


def prepare(problem: Problem, shape: tuple[int, ...]) -> Run:
    """A function that steps arrays forward in place."""
    if problem.arrays == 2:
        return lambda arrays, steps: wave2d(now=arrays[0], before=arrays[1], c2=COURANT2, T=steps)
    program = torus if problem.name.startswith("periodic") else heat2d
    if len(shape) == 3:
        program = heat3d
    return lambda arrays, steps: program(u=arrays[0], a=ALPHA, T=steps)
