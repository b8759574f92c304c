"""Draws the movies of this folder: `python examples/gallery/make.py [--to FOLDER] [NAME...]`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

import stencilgen as sg

HERE = Path(__file__).resolve().parent
SUITE = HERE.parent.parent / "benchmarks" / "stencils"


def load(name: str) -> sg.Program:
    """A program of the benchmarks."""
    return sg.load(str(SUITE / name / f"{name}.idsl"))


def disc(rows: int, columns: int, row: float, column: float, radius: float) -> np.ndarray:
    """1 in a disc, 0 outside, smooth between."""
    j, i = np.mgrid[:rows, :columns]
    distance = np.hypot(j - row, i - column)
    return 0.5 * (1 - np.tanh(distance - radius))


def gray_scott() -> sg.Movie:
    """Spots that divide."""
    rows, columns = 200, 320
    seed = sum(disc(rows, columns, j, i, 6) for j, i in ((60, 80), (120, 200), (150, 60)))
    return load("gray-scott").movie(
        array="v", u=1 - 0.5 * seed, v=0.25 * seed, du=0.16, dv=0.08, feed=0.035, kill=0.06,
        T=8000, every=800, title="Gray-Scott", range=(0, 0.4),
    )  # fmt: skip


def shallow_water() -> sg.Movie:
    """A column of water falls."""
    rows, columns = 200, 320
    still = np.zeros((rows, columns))
    return load("shallow-water").movie(
        array="h", h=1 + disc(rows, columns, 80, 110, 18), hu=still, hv=still.copy(),
        gravity=1.0, ratio=0.25, T=600, every=25, title="Shallow water: depth", range=(0.8, 1.5),
    )  # fmt: skip


def cahn_hilliard() -> sg.Movie:
    """A mixture comes apart."""
    c = np.random.default_rng(3).uniform(-0.1, 0.1, (200, 320))
    return load("cahn-hilliard").movie(
        c=c, gamma=1.0, rate=0.02, T=20000, every=2000, title="Cahn-Hilliard", range=(-1, 1)
    )


def elastic() -> sg.Movie:
    """A push in layered ground: the waves of pressure run ahead of those of shear."""
    rows, columns = 200, 320
    j, i = np.mgrid[:rows, :columns]
    mu = np.where(j < 120, 0.1, 0.18)
    push = np.exp(-((j - 60) ** 2 + (i - 160) ** 2) / 50)
    fields = {name: np.zeros((rows, columns)) for name in ("vx", "sxx", "szz", "sxz")}
    return load("elastic2d").movie(
        array="vz", vz=push, light=np.full((rows, columns), 0.5), mu=mu, **{"lambda": 1.2 * mu},
        **fields, T=300, every=12, title="Elastic waves: vz", range=(-0.1, 0.1),
    )  # fmt: skip


def shear() -> sg.Movie:
    """Two streams roll up where they meet; drawn are the particles that go up."""
    rows, columns = 200, 320
    j, i = np.mgrid[:rows, :columns]
    u = 0.08 * np.tanh((50 - np.abs(j - 100)) / 4)
    v = 0.008 * np.sin(2 * np.pi * i * 2 / columns)
    weights = {"rest": (4 / 9, 0, 0)}
    for name, x, y in (("e", 1, 0), ("n", 0, 1), ("w", -1, 0), ("s", 0, -1)):
        weights[name] = (1 / 9, x, y)
    for name, x, y in (("ne", 1, 1), ("nw", -1, 1), ("sw", -1, -1), ("se", 1, -1)):
        weights[name] = (1 / 36, x, y)
    particles = {
        f"f_{name}": weight
        * (1 + 3 * (x * u + y * v) + 4.5 * (x * u + y * v) ** 2 - 1.5 * (u * u + v * v))
        for name, (weight, x, y) in weights.items()
    }
    return load("lbm-d2q9").movie(
        array="f_n", omega=1.98, T=4000, every=200, title="Lattice Boltzmann: f_n", **particles
    )


def schroedinger() -> sg.Movie:
    """A packet meets a wall with two slits; drawn is where the particle may be found."""
    rows, columns = 200, 320
    j, i = np.mgrid[:rows, :columns]
    slits = (np.abs(j - 88) < 5) | (np.abs(j - 112) < 5)
    wall = np.where((np.abs(i - 150) < 4) & ~slits, 4.0, 0.0)
    dt, speed, width = 0.1, 0.7, 18.0

    def packet(time: float) -> np.ndarray:
        growth = 1 + 0.5j * time / width**2
        square = (i - 80 - speed * time) ** 2 + (j - 100) ** 2
        phase = speed * (i - 80) - 0.5 * speed**2 * time
        return np.exp(-square / (4 * width**2 * growth) + 1j * phase) / growth

    example = str(HERE.parent / "schroedinger" / "schroedinger.idsl")
    return sg.load(example).movie(
        array="density", psi=packet(0), old=packet(-dt), V=wall, T=3000, every=125,
        title="Schroedinger: two slits", range=(0, 0.25),
    )  # fmt: skip


def blast() -> sg.Movie:
    """Compressed gas in one corner of a box; its shock comes back from the walls."""
    rows, columns = 204, 324
    width = 0.01
    j, i = np.mgrid[:rows, :columns]
    inside = 1.0 * ((j - 2) ** 2 + (i - 2) ** 2 < 60**2)
    inside[0] = inside[:, 0] = 0  # nobody computes there
    at_rest = np.zeros((rows + 1, columns + 1))
    return load("clover2d-step").movie(
        array="density0", density0=0.2 + 0.8 * inside, energy0=1 + 1.5 * inside,
        xvel0=at_rest, yvel0=at_rest, volume=np.full((rows, columns), width**2),
        xarea=np.full((rows, columns + 1), width), yarea=np.full((rows + 1, columns), width),
        celldx=np.full(columns, width), celldy=np.full(rows, width), elapsed=np.zeros(1),
        dt_most=0.04, T=500, every=20, title="CloverLeaf: density", range=(0, 0.5),
    )  # fmt: skip


MOVIES: dict[str, Callable[[], sg.Movie]] = {
    "gray-scott": gray_scott,
    "shallow-water": shallow_water,
    "cahn-hilliard": cahn_hilliard,
    "elastic": elastic,
    "shear": shear,
    "schroedinger": schroedinger,
    "blast": blast,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=HERE, help="where the movies go")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MOVIES))
    arguments = parser.parse_args()
    for name in arguments.names or MOVIES:
        MOVIES[name]().save(arguments.to / f"{name}.gif")
        print(arguments.to / f"{name}.gif")
