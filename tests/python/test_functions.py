"""Stencils and programs that are written as Python functions."""

from __future__ import annotations

import concurrent.futures
import inspect

import numpy as np
import pytest

import stencilgen as sg
from conftest import random_array

j, i = sg.iterators("j i")
(x,) = sg.iterators("i")
RATE = 0.1
A2 = sg.array("M N")


@sg.stencil(boundary={"u": "wrap"}, fp="strict")
def heat(out, u):
    """Heat on a torus."""
    out[j, i] = u[j, i] + RATE * (
        u[j - 1, i] + u[j + 1, i] + u[j, i - 1] + u[j, i + 1] - 4 * u[j, i]
    )


@sg.program(target="cpp", fp="strict")
def simulate(u: A2, T: int = 3):
    """Some steps of it."""
    v = np.empty_like(u)
    for _ in sg.iterate(T):
        heat(v, u)
        u, v = v, u


HEAT = """\
parameter T=3;
parameter M;
parameter N;
iterator j, i;
double u[M,N];
double v[M,N];
copyin u;
boundary u = wrap;

stencil heat (out, u) {
  out[j][i] = u[j][i] + 0.1*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1] - 4*u[j][i]);
}

iterate T {
  heat (v, u);
  swap u, v;
}

copyout u;
"""


def numpy_heat(u: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
        u = u + 0.1 * (around - 4 * u)
    return u


def test_what_was_understood_is_printed():
    assert sorted(simulate.idsl.splitlines()) == sorted(HEAT.splitlines())
    assert simulate.idsl.split("\n\n")[1:] == HEAT.split("\n\n")[1:]
    assert heat.idsl.count("heat (out, u)") == 2
    assert inspect.getdoc(simulate) == "Some steps of it." and simulate.__name__ == "simulate"
    assert "simulate(u: 'float64[M, N] (in, out)', *, M=None, N=None, T=3" in repr(simulate)


def test_a_program_runs_in_place_and_again():
    u = random_array(7, 9)
    expected = numpy_heat(u, 5)
    assert np.array_equal(simulate.run(u=u, T=5), expected)
    assert np.array_equal(simulate.reference(u=u, T=5), expected)
    assert simulate(u=u, T=5) is None
    assert np.array_equal(u, expected)
    assert simulate.verify(M=6, N=7)["verified"] is True
    printed = sg.compile(simulate.idsl, name="simulate", target="cpp", fp="strict")
    assert printed.source == simulate.source


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32])
def test_a_stencil_is_called_on_arrays(kind):
    u = (9 * random_array(6, 11)).astype(kind)
    out, expected = np.zeros_like(u), np.zeros_like(u)
    assert heat(out, u) is None
    heat.reference(expected, u=u)
    assert np.allclose(out, expected, rtol=1e-6)
    views, whole = np.zeros((12, 22), kind)[::2, ::2], np.zeros((12, 22), kind)
    whole[::2, ::2] = u
    heat(views, whole[::2, ::2])
    assert np.array_equal(views, out)


def test_wrong_calls_of_a_stencil():
    u = np.zeros((3, 4))
    for arguments, kind, message in [
        ((u,), TypeError, "misses the argument `u`"),
        ((u, u, u), TypeError, "takes 2 arguments"),
        ((u, 3.0), TypeError, "array `u`: expected a numpy array"),
        ((u, u.astype(np.int64)), TypeError, "int64"),
        ((u, np.zeros(3)), ValueError, "expected 2 dimensions"),
        ((u, u), ValueError, "overlap"),
    ]:
        with pytest.raises(kind, match=message):
            heat(*arguments)
    with pytest.raises(TypeError, match="no argument `w`"):
        heat(u, w=u)
    with pytest.raises(TypeError, match="is for programs"):
        heat[1:, :](u, u)


def test_stencils_are_called_by_several_threads():
    @sg.stencil
    def double(out, u):
        out[x] = 2.0 * u[x]

    def one(n: int) -> bool:
        u, out = random_array(n, seed=n), np.zeros(n)
        double(out, u)
        return bool(np.array_equal(out, 2 * u))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(one, range(9, 20)))


def test_domains_are_slices():
    @sg.stencil
    def frame(u):
        with sg.domain[1:-1, 2:]:
            u[j, i] = 1.0
        with sg.domain[0, :]:
            u[j, i] = 2.0
        with sg.domain[-1:, : u.shape[1] - 3]:
            u[j, i] = 3.0

    u, expected = np.zeros((9, 12)), np.zeros((9, 12))
    expected[1:-1, 2:], expected[0], expected[-1:, :-3] = 1, 2, 3
    frame(u)
    assert np.array_equal(u, expected)


def test_updates_belong_together():
    @sg.stencil
    def gathered(out, u):
        s = 0.0
        s += u[x - 2]
        s += u[x + 1]
        out[x] = s
        out[x] += u[x - 3]

    u, out, expected = random_array(14), np.zeros(14), np.zeros(14)
    gathered(out, u)
    expected[3:-1] = u[1:-3] + u[4:] + u[:-4]
    assert np.allclose(out, expected, rtol=1e-14)
    out[:] = 0
    gathered.reference(out, u)
    assert np.allclose(out, expected, rtol=1e-14)


def test_three_levels_change_places():
    @sg.stencil(boundary={"now": 0.0})
    def step(new, now, old):
        new[x] = 2 * now[x] - old[x] + 0.3 * (now[x - 1] - 2 * now[x] + now[x + 1])

    @sg.program(target="cpp", fp="strict")
    def wave(now: sg.array("N"), old: sg.array("N"), T: int):
        new = np.empty_like(now)
        for _ in range(T):
            step(new, now, old)
            now, old, new = new, now, old
        return now, old

    now, old = random_array(20), random_array(20, seed=2)
    found, executed = (
        wave.run(now=now, old=old, T=7),
        wave.reference(now=now, old=old, T=7),
    )
    assert np.array_equal(found.now, executed["now"])
    assert np.array_equal(found.old, executed["old"])
    assert wave.idsl.count("swap") == 2


def test_options_of_programs():
    @sg.program(target="cpp", define={"N": 6}, options=["--time-tile", "1"])
    def fixed(u: A2, v: A2):
        heat(v, u)

    assert fixed.run(u=np.ones((4, 6)), v=np.ones((4, 6))).shape == (4, 6)
    with pytest.raises(ValueError, match="fixed"):
        fixed(u=np.ones((4, 5)), v=np.ones((4, 5)))
    with pytest.raises(sg.OptionError, match="target"):
        sg.stencil(target="fpga")(heat.__wrapped__)


def test_periodic_is_another_word_for_wrap():
    def text(mode: object) -> str:
        @sg.stencil(boundary={"u": mode})
        def shift(out, u):
            out[j, i] = u[j, i - 1]

        return shift.idsl

    assert text("periodic") == text("wrap") != text("clamp")
    assert text(("periodic", "clamp")) == text(("wrap", "clamp"))


def test_a_dimension_without_a_mode():
    @sg.stencil(boundary={"u": (None, "wrap"), "v": (1.5, None)}, fp="strict")
    def channel(out, u, v):
        out[j, i] = u[j - 1, i] + u[j, i + 1] + v[j + 1, i + 1]

    u = random_array(5, 7, seed=3)
    v = random_array(5, 7, seed=4)
    expected = np.zeros_like(u)
    below = np.vstack([v[1:], np.full((1, 7), 1.5)])
    around = np.roll(u, -1, axis=1)
    # Neither before the first row of u nor behind the last column of v is anything.
    expected[1:, :-1] = u[:-1, :-1] + around[1:, :-1] + below[1:, 1:]
    for run in (channel, channel.reference):
        out = np.zeros_like(u)
        run(out, u, v)
        np.testing.assert_array_equal(out, expected)


def test_straight_lines_go_on_beyond_ends():
    @sg.stencil(boundary={"u": "extrapolate"}, fp="strict")
    def shift(out, u):
        out[j, i] = u[j - 2, i + 1]

    plane = 3.0 * np.arange(5)[:, None] - 0.5 * np.arange(7)
    out = np.zeros((5, 7))
    shift(out, plane)
    assert np.array_equal(out, plane - 6.5)
    u = np.array([[1.0, 4.0, 2.0], [5.0, 3.0, 8.0], [9.0, 7.0, 6.0]])
    expected = np.pad(u, 2, "reflect", reflect_type="odd")[0:3, 3:6]
    for call in (shift, shift.reference):
        out = np.zeros((3, 3))
        call(out, u)
        assert np.array_equal(out, expected)


def test_what_a_loop_does_every_few_turns():
    @sg.stencil(boundary={"u": "wrap"})
    def spread(v, u):
        v[j, i] = 0.25 * (u[j - 1, i] + u[j + 1, i] + u[j, i - 1] + u[j, i + 1])

    @sg.stencil
    def keep(film, u, t):
        film[t // 5, j, i] = u[j, i]

    @sg.stencil
    def put(film, u, number):
        film[number, j, i] = u[j, i]

    @sg.stencil
    def dim(u):
        u[j, i] = 0.5 * u[j, i]

    @sg.program(target="cpp", fp="strict")
    def films(u: sg.array("M N"), film: sg.array("S M N"), T: int):
        v = np.empty_like(u)
        for t in sg.iterate(T):
            spread(v, u)
            u, v = v, u
            if (t + 1) % 5 == 0:
                keep(film, u, t)
                dim(u)
                put(film, u, t // 5)  # over what `keep` has left there
        return u, film

    u, film = random_array(7, 9), np.zeros((4, 7, 9))
    for turns in (1, 4, 17, 20):
        found, expected = (one(u=u, film=film, T=turns) for one in (films.run, films.reference))
        assert np.array_equal(found.u, expected["u"])
        assert np.array_equal(found.film, expected["film"])
    assert film.any() == 0 and found.film.any(axis=(1, 2)).all()
    assert "every 5 : {" in films.idsl and "film[number / 5][j][i]" in films.idsl
