"""numpy, as written: arrays come and go at each step."""

from __future__ import annotations

import numpy as np

from problems import Problem, Run

NAME = "numpy"
MODULE = "numpy"


def prepare(problem: Problem, shape: tuple[int, ...]) -> Run:
    """A function that steps arrays forward in place."""

    def run(arrays: list[np.ndarray], steps: int) -> None:
        now = tuple(arrays)
        for _ in range(steps):
            now = problem.step(*now)
        for array, value in zip(arrays, now):
            array[...] = value

    return run
