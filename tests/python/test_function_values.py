"""What numbers, their types and their functions mean in stencils that are Python functions."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

import stencilgen as sg
from conftest import random_array

j, i = sg.iterators("j i")
(x,) = sg.iterators("i")
A2 = sg.array("M N")
F2 = sg.array("M N", sg.float32)
I2 = sg.array("M N", sg.int32)


@sg.stencil
def mix(out, u, n, c, t):
    weak = 0.1
    gain = c * 0.5
    out[j, i] = weak * u[j, i] + gain * u[j, i] + n[j, i] * u[j, i] + j / 3 + n[j, i] // 2 + t % 3


@sg.program(target="cpp", fp="strict")
def mixed(out: F2, u: F2, n: I2, c: float):
    for t in sg.iterate(2):
        mix(out, u, n, c, t)


@sg.program(target="cpp", fp="strict")
def mixed_double(out: A2, u: A2, n: I2, c: sg.float32):
    for t in sg.iterate(2):
        mix(out, u, n, c, t)


def test_types_mix_as_numpys():
    n = np.random.default_rng(1).integers(-9, 9, (5, 6)).astype(np.int32)
    for program, kind in ((mixed, np.float32), (mixed_double, np.float64)):
        u = random_array(5, 6).astype(kind)
        values = {"out": np.zeros_like(u), "u": u, "n": n, "c": np.float32(0.3)}
        assert np.array_equal(program.run(**values), program.reference(**values))
    assert "float weak" not in mixed.idsl and "0.1*u[j][i]" in mixed.idsl


def test_functions_of_numpy_and_math():
    @sg.stencil
    def every(out, u):
        r = np.exp(-abs(u[x])) + math.sin(u[x]) * np.arctan2(u[x], 2.0) + np.hypot(u[x], 1)
        out[x] = r**2 + np.power(abs(u[x]), 1.5) + np.square(u[x]) + math.erf(u[x]) + 2**-1

    u = random_array(40)
    out, expected = np.zeros(40), np.zeros(40)
    every(out, u)
    every.reference(expected, u)
    assert np.allclose(out, expected, rtol=1e-14)


def test_whole_numbers_round_down():
    @sg.stencil
    def halves(q, r, a, b):
        q[x] = a[x] // b[x]
        r[x] = a[x] % b[x]

    a = np.arange(-20, 20, dtype=np.int32)
    for divisor in (3, -3, 1, -1, 7):
        b = np.full_like(a, divisor)
        q, r = np.zeros_like(a), np.zeros_like(a)
        halves(q, r, a, b)
        assert np.array_equal(q, a // b) and np.array_equal(r, a % b)


def test_indices_from_the_end_and_sizes():
    @sg.stencil(fp="strict")
    def ends(out, u):
        out[x] = u[-1] - u[0] + u[u.shape[0] - 2] + len(u)

    u, out = random_array(12), np.zeros(12)
    ends(out, u)
    assert np.array_equal(out, np.full(12, u[-1] - u[0] + u[10] + 12))


def test_one_stencil_for_several_types():
    @sg.stencil
    def scale(u, c):
        u[j, i] = c * u[j, i]

    @sg.program(target="cpp")
    def both(u: A2, v: F2, c: sg.float64):
        scale(u, c)
        scale(v, c)
        scale(v, 2)

    assert both.idsl.count("stencil scale") == 3
    u, v = random_array(4, 5), random_array(4, 5).astype(np.float32)
    found = both.run(u=u, v=v, c=0.3)
    assert np.array_equal(found.u, 0.3 * u)
    assert np.array_equal(found.v, 2 * (0.3 * v.astype(np.float64)).astype(np.float32))


def test_annotations_that_a_type_checker_understands():
    @sg.stencil
    def fill(u, c):
        u[j, i] = c

    @sg.program(target="cpp")
    def filled(
        u: Annotated[np.ndarray, sg.array("M N", sg.int32, intent="out")],
        c: np.int32,
        *,
        M: int = 4,
    ):
        fill(u, c)

    assert np.array_equal(filled.run(c=7, N=3, M=5), np.full((5, 3), 7))
    assert [one.default for one in filled.interface.parameters if one.name == "M"] == [4]


def test_a_stencil_sees_numbers_from_outside():
    depth, weight = 2, np.float32(0.5)

    @sg.stencil
    def shifted(out, u):
        out[x] = weight * u[x - depth] + math.pi

    u, out = random_array(9).astype(np.float32), np.zeros(9, np.float32)
    shifted(out, u)
    assert np.array_equal(out[2:], np.float32(0.5) * u[:-2] + math.pi) and not out[:2].any()
