"""Stencils and a program, as Python functions, of fields that lie at different places of a grid."""

from __future__ import annotations

import numpy as np

import stencilgen as sg
from conftest import random_array

j, i = sg.iterators("j i")
A2 = sg.array("M N")


@sg.stencil
def magnetic(hx, hy, ez, c):
    hx[j, i] -= c * (ez[j + 1, i] - ez[j, i])
    hy[j, i] += c * (ez[j, i + 1] - ez[j, i])


@sg.stencil
def electric(ez, hx, hy, c):
    ez[j, i] += c * (hy[j, i] - hy[j, i - 1] - hx[j, i] + hx[j - 1, i])


@sg.stencil
def shine(ez, wave, t):
    ez[j, i] += wave[t]


@sg.stencil
def listen(record, ez, t):
    record[t, i] = ez[-2, i]


@sg.program(target="cpp", fp="strict")
def fdtd(
    ez: A2,
    hx: sg.array("M-1 N"),
    hy: sg.array("M N-1"),
    wave: sg.array("T", intent="in"),
    record: sg.array("T N", intent="out"),
    c: float,
    T: int,
):
    for t in sg.iterate(T):
        magnetic(hx, hy, ez, c)
        electric(ez, hx, hy, c)
        shine[3:4, 4:6](ez, wave, t)
        listen(record, ez, t)
    return ez, hx, hy, record


def numpy_fdtd(ez, hx, hy, wave, c):
    record = np.zeros((len(wave), ez.shape[1]))
    for t, force in enumerate(wave):
        hx -= c * (ez[1:, :] - ez[:-1, :])
        hy += c * (ez[:, 1:] - ez[:, :-1])
        ez[1:-1, 1:-1] += c * (hy[1:-1, 1:] - hy[1:-1, :-1] - hx[1:, 1:-1] + hx[:-1, 1:-1])
        ez[3:4, 4:6] += force
        record[t] = ez[-2]
    return ez, hx, hy, record


def test_a_staggered_grid():
    fields = [
        random_array(8, 9),
        random_array(7, 9, seed=2),
        random_array(8, 8, seed=3),
    ]
    wave = random_array(5, seed=4)
    names = ("ez", "hx", "hy")
    values = {**dict(zip(names, fields)), "wave": wave, "c": 0.4}
    found, executed = fdtd.run(**values), fdtd.reference(**values)
    expected = numpy_fdtd(*(one.copy() for one in fields), wave, 0.4)
    for one, name in zip(expected, [*names, "record"]):
        assert np.array_equal(getattr(found, name), one), name
        assert np.array_equal(executed[name], one), name
    assert "double hx[M-1,N];" in fdtd.idsl and "[3:3, 4:5] : shine (ez, wave, t);" in fdtd.idsl


def test_a_staggered_grid_in_direct_calls():
    ez, hx, hy = (
        random_array(20, 30),
        random_array(19, 30, seed=2),
        random_array(20, 29, seed=3),
    )
    expected = numpy_fdtd(ez.copy(), hx.copy(), hy.copy(), np.zeros(1), 0.4)
    magnetic(hx, hy, ez, 0.4)
    electric(ez, hx, hy, 0.4)
    for one, other in zip(expected, (ez, hx, hy)):
        assert np.allclose(one, other, rtol=1e-13)
