"""Movies of programs."""

from __future__ import annotations

import numpy as np
import pytest

import stencilgen as sg
from conftest import numpy_heat, random_array


def pictures(movie: sg.Movie) -> int:
    """How many the GIF has, by their graphic control extensions."""
    return movie.data.count(b"\x21\xf9\x04\x04")


def test_a_movie_has_the_start_and_each_of_the_turns(heat, tmp_path):
    u = random_array(20, 30)
    before = u.copy()
    movie = heat.movie(u=u, alpha=0.2, T=20, every=5)
    assert np.array_equal(u, before)
    assert movie.data[:6] == b"GIF89a"
    assert pictures(movie) == 5
    assert pictures(heat.movie(u=u, alpha=0.2, T=20, every={"T": 10}, plain=True)) == 3
    path = tmp_path / "heat.gif"
    movie.save(path)
    assert path.read_bytes() == movie.data
    assert movie._repr_html_().startswith('<img alt="a movie" src="data:image/gif;base64,R0lGOD')
    assert "bytes" in repr(movie)


def test_a_movie_shows_the_arrays_that_are_given(heat):
    u = random_array(20, 30)
    options = {"every": 5, "range": (-1.0, 1.0), "plain": True, "title": "", "fps": 5}

    def drawn(u, turns):
        return heat.movie(u=u, alpha=0.2, T=turns, **options).data

    whole = drawn(u, 10)
    assert whole == drawn(u.copy(), 10)
    assert whole == drawn(np.repeat(u, 2, 0)[::2], 10)
    readonly = u.copy()
    readonly.flags.writeable = False
    assert whole == drawn(readonly, 10)
    assert whole != drawn(u[::-1].copy(), 10)
    # The last picture of five turns is the first of those that follow.
    later = numpy_heat(u, 0.2, 5)
    assert pictures(sg.Movie(drawn(u, 5))) == pictures(sg.Movie(drawn(later, 5))) == 2
    assert drawn(later, 5) != drawn(u, 5)


def test_options_of_movies(heat):
    u = random_array(20, 30)
    alone = heat.movie(u=u, alpha=0.2, T=4, every=2)
    for more in (
        {"title": "heat -- over time"},
        {"extent": {"j": (0, 1), "i": (-2.5, 2.5)}},
        {"range": (-2, 1e-3)},
        {"plain": True},
        {"fps": 50},
    ):
        assert heat.movie(u=u, alpha=0.2, T=4, every=2, **more).data != alone.data
    assert heat.movie(u=u, alpha=0.2, T=4, every=2, array="u").data == alone.data


def test_movies_of_functions_and_of_what_is_random(swapping):
    i, j = sg.iterators("i j")

    @sg.stencil
    def step(u):
        u[i, j] += 0.1 * (u[i, j - 1] - 2 * u[i, j] + u[i, j + 1])

    @sg.program(target="cpp")
    def spread(u: sg.array("M N"), T: int = 6):
        for _ in sg.iterate(T):
            step(u)

    assert pictures(spread.movie(u=random_array(8, 9), every=3)) == 3
    assert pictures(swapping.movie(T=3, every=1)) == 4


def test_movies_that_cannot_be_made(heat, staggered):
    u = random_array(20, 30)

    def refused(kind: type, message: str, program: sg.Program = heat, **arguments: object) -> None:
        with pytest.raises(kind, match=message):
            program.movie(**arguments)

    good = {"u": u, "alpha": 0.2, "T": 4}
    refused(TypeError, "numpy arrays, given a list", **{**good, "u": u.tolist()})
    refused(TypeError, "given one of float32", **{**good, "u": u.astype(np.float32)})
    refused(ValueError, "expected 2 dimensions", **{**good, "u": u[0]})
    refused(TypeError, "no parameter and no scalar", **good, beta=3)
    refused(TypeError, "`T`: expected a whole number", **{**good, "T": 4.5})
    refused(ValueError, "parameter `T`", **{**good, "T": 0})
    refused(sg.Error, "the loop has 4 turns", **good, every=5)
    refused(sg.Error, "`N` counts no loop's turns", **good, every={"N": 2})
    refused(TypeError, "one parameter", **good, every={})
    refused(TypeError, "`range` is two numbers", **good, range=3)
    refused(TypeError, "`extent` is two numbers", **good, extent={"j": "ab"})
    refused(sg.Error, "no iterator `k`", **good, extent={"k": (0, 1)})
    refused(sg.Error, "`v` is no copyout array", **good, array="v")
    refused(sg.Error, "--fps", **good, fps=0)
    refused(sg.Error, "the program has none", staggered)


def test_scalars_that_take_reductions_are_numbers_where_arrays_are_copied():
    growth = sg.compile(
        """
parameter N, T=4;
iterator i;
double u[N], most;
copyin u, most;
copyout u, most;
iterate T {
  u[i] = 2.0*u[i];
  most = most + max(u[i]);
}
""",
        name="growth",
    )
    u = np.linspace(0, 1, 9)
    assert growth.run(u=u, most=0.5).most[0] == 0.5 + 2 + 4 + 8 + 16
    assert growth.run(u=u, most=np.full(1, 0.5)).most[0] == 30.5
    assert pictures(growth.movie(u=u, most=0, every=2)) == 3
    with pytest.raises(TypeError, match="most"):
        growth.run(u=u, most="0")
    with pytest.raises(TypeError, match="most"):
        growth(u=u, most=0.5)  # in place
