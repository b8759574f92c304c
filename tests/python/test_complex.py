"""Complex numbers: of one array a program takes the two parts."""

from __future__ import annotations

import numpy as np
import pytest

import stencilgen as sg

SPIN = """
parameter M, N;
iterator j, i;
complex psi[M,N], phase, total;
complex float f[N];
double size;
copyin psi, f;
psi[j][i] *= phase;
f[i] = conj(f[i]) + 0.5i;
total = sum(psi[j][i]);
size = norm2(psi[j][i]);
copyout psi, f, total, size;
"""


def random_complex(*shape, dtype=np.complex128):
    random = np.random.default_rng(len(shape))
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)


@pytest.fixture(scope="module")
def spin():
    return sg.compile(SPIN, name="spin")


def test_a_call_takes_complex_arrays_in_place(spin):
    psi, f = random_complex(5, 7), random_complex(7, dtype=np.complex64)
    before, f_before = psi.copy(), f.copy()
    total, size = np.zeros(1, np.complex128), np.zeros(1)
    assert spin(psi=psi, f=f, phase=0.5 - 2j, total=total, size=size) is None
    np.testing.assert_allclose(psi, (0.5 - 2j) * before, rtol=1e-14)
    np.testing.assert_array_equal(f, f_before.conj() + np.complex64(0.5j))
    np.testing.assert_allclose(total[0], psi.sum(), rtol=1e-13)
    np.testing.assert_allclose(size[0], np.linalg.norm(psi), rtol=1e-13)


def test_a_run_returns_as_one_what_was_given_as_one(spin):
    psi, f = random_complex(3, 4), random_complex(4, dtype=np.complex64)
    before = psi.copy()
    result = spin.run(psi=psi, f=f, phase=1j)
    assert result._fields == ("psi", "total_re", "total_im", "f", "size")
    np.testing.assert_array_equal(psi, before)
    np.testing.assert_array_equal(result.psi, 1j * before)
    assert result.psi.dtype == np.complex128 and result.f.dtype == np.complex64
    parts = spin.run(
        psi_re=psi.real.copy(), psi_im=psi.imag.copy(), f=f, phase_re=0.0, phase_im=1.0
    )
    assert parts._fields == ("psi_re", "psi_im", "total_re", "total_im", "f", "size")
    np.testing.assert_array_equal(parts.psi_re, result.psi.real)


def test_arrays_with_gaps_and_other_orders(spin):
    whole = random_complex(6, 14)
    psi, f = whole[::2, ::2], random_complex(7, dtype=np.complex64)
    before = whole.copy()
    spin(psi=psi, f=f, phase=2.0, total=np.zeros(1, complex), size=np.zeros(1))
    before[::2, ::2] *= 2
    np.testing.assert_array_equal(whole, before)


def test_what_is_not_complex_is_refused(spin):
    f = random_complex(7, dtype=np.complex64)
    with pytest.raises(
        TypeError, match=r"array `psi`: expected .* complex128, given one of float64; .*astype"
    ):
        spin.run(psi=np.zeros((3, 7)), f=f, phase=1)
    with pytest.raises(
        TypeError, match=r"array `f`: expected .* complex64, given one of complex128"
    ):
        spin.run(psi=random_complex(3, 7), f=random_complex(7), phase=1)
    with pytest.raises(TypeError, match=r"array `f`: expected .* given a list"):
        spin.run(psi=random_complex(3, 7), f=[1j] * 7, phase=1)
    with pytest.raises(TypeError, match=r"scalar `phase` is complex, given a list"):
        spin.run(psi=random_complex(3, 7), f=f, phase=[1])
    with pytest.raises(TypeError, match=r"two values|misses|no argument"):
        spin.run(psi=random_complex(3, 7), f=f, phse=1)


def test_movies_of_programs_with_complex_arrays():
    turn = sg.compile(
        "parameter M, N, T=4; iterator j, i; complex z[M,N]; double d[M,N]; copyin z;"
        "iterate T { z[j][i] *= 0.5 + 0.5i; } d[j][i] = real(z[j][i]); copyout z, d;",
        name="turn",
    )
    movie = turn.movie(array="d", z=random_complex(8, 9), T=4, every=2, plain=True)
    assert movie._repr_html_() if hasattr(movie, "_repr_html_") else movie


def test_arguments_by_place_are_complex_or_parts():
    kick = sg.compile(
        """
        parameter N;
        iterator i;
        complex psi[N], phase;
        double a;
        copyin psi;
        psi[i] *= a*phase;
        copyout psi;
        """,
        name="kick",
    )
    psi = random_complex(6)
    before = psi.copy()
    kick(psi, 1j, 2.0)
    np.testing.assert_array_equal(psi, 2j * before)
    kick(psi.real, psi.imag, 0.0, -1.0, 0.5)
    np.testing.assert_array_equal(psi, before)
    np.testing.assert_array_equal(kick.run(psi, 2j, a=1.0), 2j * before)
    with pytest.raises(TypeError, match=r"takes 3 arguments by place .* 4 are given"):
        kick(psi, 1j, 2.0, 3.0)
    with pytest.raises(TypeError, match="two values for `phase`"):
        kick(psi, 1j, phase=1j)
    assert kick.verify(N=5, phase=0.5 - 2j)["verified"]


def test_a_whole_and_its_part_exclude_each_other(spin):
    psi, f = random_complex(3, 4), random_complex(4, dtype=np.complex64)
    with pytest.raises(TypeError, match="two values for `psi_re`, a part of `psi`"):
        spin.run(psi=psi, psi_re=np.zeros((3, 4)), f=f, phase=1j)
    with pytest.raises(TypeError, match=r"given one of complex64; `.astype\(numpy.complex128\)`"):
        spin.run(psi=psi.astype(np.complex64), f=f, phase=1j)
    with pytest.raises(TypeError, match="a masked one"):
        spin.run(psi=np.ma.masked_array(psi), f=f, phase=1j)
