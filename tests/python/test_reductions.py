"""Functions that return numbers, and loops that end by them."""

from __future__ import annotations

import numpy as np
import pytest

import stencilgen as sg
from conftest import random_array

k, j, i = sg.iterators("k j i")
(x,) = sg.iterators("i")
A2 = sg.array("M N")
F2 = sg.array("M N", sg.float32)


@sg.stencil(fp="strict")
def total(u):
    return sg.sum(u[j, i])


@sg.stencil(fp="strict")
def largest(u):
    return sg.max(abs(u[j, i]))


def test_a_stencil_returns_a_number():
    u = random_array(70, 1100)  # more than the lanes have in each dimension
    found = total(u)
    assert type(found) is np.float64 and found == total.reference(u)
    assert np.isclose(found, u.sum(), rtol=1e-12)
    assert largest(u) == np.abs(u).max() and largest(-u[::2, ::3]) == np.abs(u[::2, ::3]).max()
    whole = (9 * u).astype(np.int32)
    assert type(total(whole)) is np.int32 and total(whole) == whole.sum()
    single = u.astype(np.float32)
    assert type(total(single)) is np.float32 and total(single) == total.reference(single)


@sg.stencil(fp="strict")
def conditions(out, u, n):
    out[0] = 1.0 if sg.any(u[x] > 0.9) else 0.0
    out[1] = 1.0 if sg.all(n[x] < 50) else 0.0
    out[2] = sg.norm2(n[x])
    spread = sg.max(u[x]) - sg.min(u[x])
    with sg.domain[3:]:
        out[x] = u[x] / spread + sg.min(n[x])  # of these points


def test_reductions_beside_elements():
    u, n = random_array(90), np.arange(-3, 87, dtype=np.int32)
    out, expected = np.zeros(90), np.zeros(90)
    assert conditions(out, u, n) is None
    conditions.reference(expected, u, n)
    assert np.array_equal(out, expected)
    assert out[:2].tolist() == [float(u.max() > 0.9), 0.0]
    assert np.isclose(out[2], np.linalg.norm(n), rtol=1e-14)
    assert np.array_equal(out[3:], u[3:] / (u.max() - u.min()) + 0.0)


def test_points_of_a_reduction():
    @sg.stencil(fp="strict")
    def differences(u):
        step = abs(u[j, i] - u[j, i - 1])
        with sg.domain[1:-1, :]:
            return sg.max(step)

    @sg.stencil(boundary={"u": "wrap"}, fp="strict")
    def around(u):
        return sg.max(abs(u[j, i] - u[j, i - 1]))

    u = random_array(6, 7)
    assert differences(u) == np.abs(np.diff(u, axis=1))[1:-1].max() == differences.reference(u)
    assert around(u) == np.abs(u - np.roll(u, 1, 1)).max() == around.reference(u)
    box = random_array(20, 21, 300)

    @sg.stencil(fp="strict")
    def inner(u):
        return sg.sum(u[k - 1, j, i] * u[k, j, i + 1])

    assert inner(box) == inner.reference(box)


@sg.stencil
def relax(v, u):
    v[j, i] = 0.25 * (u[j - 1, i] + u[j + 1, i] + u[j, i - 1] + u[j, i + 1])


@sg.stencil
def change_of(v, u):
    return sg.max(abs(v[j, i] - u[j, i]))


@sg.stencil
def copy(out, u):
    out[j, i] = u[j, i]


@sg.program(target="cpp", fp="strict")
def solve(u: A2, tol: float, T: int = 500):
    v = np.empty_like(u)
    copy(v, u)
    for t in sg.iterate(T):
        relax(v, u)
        change = change_of[1:-1, 1:-1](v, u)
        u, v = v, u
        if (t + 1) % 10 == 0 and change < tol:
            break
    return u, change


def numpy_solve(u: np.ndarray, tol: float, steps: int) -> tuple[np.ndarray, float, int]:
    for t in range(steps):
        v = u.copy()
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        v[1:-1, 1:-1] = 0.25 * around
        change = np.abs(v - u).max()
        u = v
        if (t + 1) % 10 == 0 and change < tol:
            break
    return u, change, t


def test_a_loop_ends_by_a_condition():
    assert "iterate T until change < tol every 10 {" in solve.idsl
    u = random_array(9, 12)
    for steps in (500, 37):
        expected, change, last = numpy_solve(u, 1e-3, steps)
        assert last == 36 if steps == 37 else last < 499
        found = solve.run(u=u, tol=1e-3, T=steps)
        assert np.array_equal(found.u, expected) and found.change == change
        executed = solve.reference(u=u, tol=1e-3, T=steps)
        assert np.array_equal(executed["u"], expected) and executed["change"] == change
        own = u.copy()
        assert solve(u=own, tol=1e-3, T=steps) == change and np.array_equal(own, expected)
    assert "change" not in str(solve.__signature__)
    assert solve.verify(M=7, N=9, tol=1e-3)["verified"] is True


@sg.stencil
def apply(q, p):
    with sg.domain[1:-1, 1:-1]:
        q[j, i] = 4 * p[j, i] - p[j - 1, i] - p[j + 1, i] - p[j, i - 1] - p[j, i + 1]


@sg.stencil
def product(a, b):
    return sg.sum(a[j, i] * b[j, i])


@sg.stencil
def residual(r, p, b, q):
    with sg.domain[1:-1, 1:-1]:
        r[j, i] = b[j, i] - q[j, i]
        p[j, i] = b[j, i] - q[j, i]


@sg.stencil
def advance(x, r, p, q, alpha):
    x[j, i] += alpha * p[j, i]
    r[j, i] -= alpha * q[j, i]
    return sg.sum(r[j, i] * r[j, i])


@sg.stencil
def turn(p, r, beta):
    p[j, i] = r[j, i] + beta * p[j, i]


@sg.stencil
def clear(r, p, q):
    r[j, i] = 0.0
    p[j, i] = 0.0
    q[j, i] = 0.0


@sg.program(target="cpp", fp="strict")
def conjugate_gradients(x: A2, b: sg.array("M N", intent="in"), tol: float, T: int = 200):
    r = np.empty_like(x)
    p = np.empty_like(x)
    q = np.empty_like(x)
    clear(r, p, q)
    apply(q, x)
    residual(r, p, b, q)
    rr = product(r, r)
    for _ in sg.iterate(T):
        apply(q, p)
        pq = product(p, q)
        alpha = rr / pq
        before = rr
        rr = advance(x, r, p, q, alpha)
        beta = rr / before
        turn(p, r, beta)
        if rr < tol * tol:
            break
    return x, rr


def test_conjugate_gradients():
    x, b = np.zeros((12, 17)), random_array(12, 17)
    found, executed = (
        conjugate_gradients.run(x, b, 1e-9),
        conjugate_gradients.reference(x, b, 1e-9),
    )
    assert np.array_equal(found.x, executed["x"]) and found.rr == executed["rr"] < 1e-18
    y = found.x
    left = 4 * y[1:-1, 1:-1] - y[:-2, 1:-1] - y[2:, 1:-1] - y[1:-1, :-2] - y[1:-1, 2:]
    assert np.allclose(left, b[1:-1, 1:-1], atol=1e-8)


def test_numbers_alone_are_results():
    @sg.program(target="cpp", fp="strict")
    def statistics(u: F2):
        s = total(u)
        m = largest(u)
        both = s * m < 0
        return s, m, both

    u = random_array(5, 9).astype(np.float32)
    s, m, both = statistics(u=u)
    assert (type(s), type(m), type(both)) == (np.float32, np.float32, np.bool_)
    assert (s, m, both) == tuple(statistics.run(u)) == tuple(statistics.reference(u=u).values())
    assert statistics.interface.outputs[0].name == "s"
    for function in (statistics, statistics.run, statistics.reference):
        with pytest.raises(TypeError, match="`s` is what it returns"):
            function(u, s=np.zeros(1, np.float32))


def test_reductions_are_for_stencils():
    with pytest.raises(TypeError, match="numpy has it"):
        sg.sum(np.ones(3))
    assert repr(sg.norm2) == "<stencilgen.norm2>"


@sg.stencil(fp="strict")
def ends(u):
    return sg.min(u[j, i]), sg.max(u[j, i]), sg.sum(u[j, i]) / sg.norm2(u[j, i])


@sg.stencil
def scale(u, by):
    u[j, i] = by * u[j, i]


def test_a_stencil_returns_several_numbers():
    u = random_array(9, 13)
    low, high, ratio = ends(u)
    assert (low, high, ratio) == ends.reference(u)
    assert low == u.min() and high == u.max()

    @sg.program(target="cpp", fp="strict")
    def stretch(u: A2, T: int):
        for _ in sg.iterate(T):
            low, high, _ratio = ends[1:-1, :](u)
            spread = high - low
            scale(u, spread)
        return u, spread, low

    found, expected = stretch.run(u=u, T=3), stretch.reference(u=u, T=3)
    assert np.array_equal(found.u, expected["u"])
    assert found.spread == expected["spread"] and found.low == expected["low"]


def test_stencils_in_expressions():
    @sg.program(target="cpp", fp="strict")
    def normal(u: A2, v: A2, c: float):
        a = total(u) / total[1:-1, 2:](v) + c
        scale(u, 1.0 / total(u))
        scale(v, total(u))
        return u, v, a

    u, v = random_array(9, 13) + 0.5, random_array(9, 13, seed=2)
    found, expected = (one(u=u, v=v, c=0.25) for one in (normal.run, normal.reference))
    assert found.a == expected["a"]
    assert np.array_equal(found.u, expected["u"]) and np.array_equal(found.v, expected["v"])
    assert found.u.sum() == pytest.approx(1)

    @sg.program(target="cpp", fp="strict")
    def halve(u: A2, T: int = 100):
        for t in sg.iterate(T):
            scale(u, 0.5)
            if (t + 1) % 4 == 0 and largest(u) < 1e-3:
                break
        return u

    small = halve.run(u=u)
    assert np.array_equal(small, u / 2**12) and np.array_equal(small, halve.reference(u=u))


def test_a_program_returns_what_stencils_give():
    @sg.stencil
    def double(u):
        u[j, i] = 2 * u[j, i]
        return sg.max(u[j, i])

    @sg.stencil
    def ends(u):
        return sg.min(u[j, i]), sg.max(u[j, i])

    @sg.program(fp="strict")
    def alone(u: A2):
        return total(u)

    @sg.program(fp="strict")
    def several(u: A2, factor: float):
        return u, double(u), ends(u), factor * total(u) - 1, largest(u)

    u = random_array(5, 7)
    assert alone(u) == alone.reference(u=u) == total(u)
    found, expected = several.run(u=u, factor=3.0), several.reference(u=u, factor=3.0)
    assert len(expected) == 6
    for name, value in expected.items():
        assert np.array_equal(getattr(found, name), value)
    results = several(u, 3.0)  # the numbers; the array is written in place
    assert results == (u.max(), u.min(), u.max(), 3.0 * total(u) - 1, largest(u))
    assert several(u, 3.0)[0] == u.max()  # read once, called again
