"""Programs that the tests share. Each is compiled once: the cache outlives a run of the tests."""

from __future__ import annotations

import numpy as np
import pytest

import stencilgen as sg

HEAT = """
parameter M, N, T=3;
iterator j, i;
double u[M,N], alpha;
copyin u, alpha;
stencil step (u, alpha) {
  u[j][i] += alpha*(u[j-1][i] + u[j][i-1] - 4.0*u[j][i] + u[j][i+1] + u[j+1][i]);
}
iterate T { step (u, alpha); }
copyout u;
"""

# Names that Python keeps for itself, and arrays of three sizes that hang together.
STAGGERED = """
parameter N=12;
iterator i;
double in[N], from[N+1], out[2*N];
copyin in, from;
stencil s (A, B, C) { C[i] = A[i] + B[i+1]; }
s (in, from, out);
copyout out;
"""

# All element types, an array of the program's own, and one that is constant.
KINDS = """
parameter N=10;
iterator i;
float f[N], w[3], factor;
int n[N], shift;
bool b[N], flag;
double scratch[N], d[N];
copyin f, n, b, factor, shift, flag;
constant w;
stencil s (f, n, b, scratch, d, w, factor, shift, flag) {
  scratch[i] = factor*f[i] + w[0] + w[2];
  d[i] = 2.0*scratch[i];
  n[i] = n[i] + shift;
  b[i] = b[i] && flag;
}
s (f, n, b, scratch, d, w, factor, shift, flag);
copyout n, b, d;
"""

# The second array is an input that a run on the caller's own memory would use up.
SWAPPING = """
parameter M=9, N=11, T=3;
iterator j, i;
double u[M,N], v[M,N];
copyin u, v;
boundary u = wrap, v = wrap;
stencil s (A, B) { B[j][i] = 0.25*(A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]); }
iterate T { s (u, v); swap u, v; }
copyout u;
"""


def numpy_heat(u: np.ndarray, alpha: float, steps: int) -> np.ndarray:
    """What HEAT does, in its order of operations."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += alpha * (
            u[:-2, 1:-1] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1] + u[1:-1, 2:] + u[2:, 1:-1]
        )
    return u


def numpy_swapping(u: np.ndarray, steps: int) -> np.ndarray:
    """What SWAPPING does to u."""
    for _ in range(steps):
        u = 0.25 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1))
    return u


def random_array(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, shape)


@pytest.fixture(scope="session")
def heat() -> sg.Program:
    return sg.compile(HEAT, name="heat", target="cpp", fp="strict")


@pytest.fixture(scope="session")
def staggered() -> sg.Program:
    return sg.compile(STAGGERED, name="staggered", target="cpp")


@pytest.fixture(scope="session")
def kinds() -> sg.Program:
    return sg.compile(KINDS, name="kinds", target="cpp", fp="strict")


@pytest.fixture(scope="session")
def swapping() -> sg.Program:
    return sg.compile(SWAPPING, name="swapping", target="cpp", fp="strict")


@pytest.fixture(scope="session")
def emulated() -> sg.Program:
    return sg.compile(SWAPPING, name="swapping", target="emulator", fp="strict")


class Foreign:
    """An array of another library: it has the protocols that it is given, and nothing else."""

    def __init__(self, **protocols: object) -> None:
        for name, value in protocols.items():
            setattr(self, f"__{name}__", value)
