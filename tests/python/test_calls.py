"""What calls of programs do."""

from __future__ import annotations

import concurrent.futures
import inspect
import subprocess
import sys
import time

import numpy as np
import pytest

import stencilgen as sg
from conftest import HEAT, Foreign, numpy_heat, numpy_swapping, random_array


@pytest.mark.parametrize("shape", [(1, 1), (2, 9), (3, 3), (5, 1), (8, 8), (33, 70)])
def test_a_call_is_in_place_and_infers_sizes(heat, shape):
    u = random_array(*shape)
    expected = numpy_heat(u, 0.2, 7) if min(shape) > 2 else u.copy()
    assert heat(u=u, alpha=0.2, T=7) is None
    assert np.array_equal(u, expected)


def test_arguments_by_place_and_default_parameters(heat):
    u = random_array(6, 7)
    expected = numpy_heat(u, 0.1, 3)
    heat(u, 0.1)
    assert np.array_equal(u, expected)
    assert str(inspect.signature(heat)) == (
        "(u: 'float64[M, N] (in, out)', alpha: 'double', *, M=None, N=None, T=3)"
    )


def test_sizes_may_be_given_too_and_numpy_numbers_are_numbers(heat):
    u = random_array(6, 7)
    expected = numpy_heat(u, 0.5, 2)
    heat(u=u, alpha=np.float64(0.5), T=np.int64(2), M=6, N=np.int32(7))
    assert np.array_equal(u, expected)
    again = random_array(6, 7)
    heat(u=again, alpha=np.float32(0.5), T=2)
    assert np.array_equal(again, expected)


VIEWS = {
    "part": lambda a: a[2:14, 3:20],
    "transposed": lambda a: a.T,
    "every second": lambda a: a[::2, ::3],
    "Fortran's order": lambda a: np.asfortranarray(a),
    "one column": lambda a: a[:, 4:5],
    "one row": lambda a: a[4:5, ::2],
    "a plane": lambda a: np.stack([a, a], axis=2)[:, :, 1],
    "a subclass": lambda a: a.view(type("Mine", (np.ndarray,), {})),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_written_in_place_and_nothing_around_them(heat, name):
    base = random_array(24, 30)
    before = base.copy()
    view = VIEWS[name](base)
    expected = numpy_heat(np.array(view), 0.2, 3) if min(view.shape) > 2 else np.array(view)
    heat(u=view, alpha=0.2)
    assert np.array_equal(view, expected)
    if name in ("part", "every second", "one column"):
        VIEWS[name](base)[...] = VIEWS[name](before)
        assert np.array_equal(base, before)


def test_views_of_inputs_are_left_alone(swapping):
    u, v = random_array(20, 22)[::2, ::2], random_array(11, 10, seed=2).T
    expected, same = numpy_swapping(np.array(u), 3), v.copy()
    swapping(u=u, v=v)
    assert np.array_equal(u, expected)
    assert np.array_equal(v, same)


def test_run_returns_new_arrays(heat, swapping, staggered):
    u = random_array(9, 8)
    same = u.copy()
    result = heat.run(u=u[:, ::2], alpha=0.3, T=2)
    assert np.array_equal(result, numpy_heat(np.array(u[:, ::2]), 0.3, 2))
    assert np.array_equal(u, same)
    assert result.flags.c_contiguous and result.flags.owndata
    v = random_array(9, 8)
    assert np.array_equal(swapping.run(u, v, T=1), numpy_swapping(u, 1))
    a, b = random_array(5), random_array(6, seed=3)
    out = staggered.run(in_=a, from_=b)
    assert np.array_equal(out, np.concatenate([a + b[1:], np.zeros(5)]))


def test_names_that_python_keeps(staggered):
    a, b, out = random_array(5), random_array(6, seed=3), np.ones(10)
    staggered(**{"in": a, "from": b, "out": out})
    assert np.array_equal(out, np.concatenate([a + b[1:], np.ones(5)]))
    again = np.ones(10)
    staggered(a, b, again)
    assert np.array_equal(again, out)


def test_all_types_and_several_results(kinds):
    f = random_array(10).astype(np.float32)
    w = random_array(3, seed=2).astype(np.float32)
    n = np.arange(10, dtype=np.int32)
    b = n % 2 == 0
    result = kinds.run(f=f, w=w, n=n, b=b, factor=1.5, shift=-3, flag=True)
    assert result._fields == ("n", "b", "d")
    scratch = np.float32(1.5) * f + w[0] + w[2]
    assert np.array_equal(result.d, 2.0 * scratch.astype(np.float64))
    assert np.array_equal(result.n, n - 3)
    assert np.array_equal(result.b, b)
    assert result.n.dtype == np.int32 and result.b.dtype == np.bool_
    none = kinds.run(f=f, w=w, n=n, b=b, factor=1, shift=0, flag=np.bool_(False))
    assert not none.b.any()


@pytest.mark.parametrize("fp", ["strict", "fast"])
def test_the_same_bits_as_the_command_line(tmp_path, fp):
    program = tmp_path / "heat.idsl"
    program.write_text(HEAT)
    u = random_array(37, 53)
    np.save(tmp_path / "u.npy", u)
    options = ["-D", "M=37,N=53,T=11", "--fp", fp, "--target", "cpp", "--repeat", "1"]
    subprocess.run(
        [sys.executable, "-m", "stencilgen", "run", str(program), *options, "--scalar",
         "alpha=0.23", "--in", f"u={tmp_path}/u.npy", "--out", f"u={tmp_path}/out.npy"],
        check=True, capture_output=True,
    )  # fmt: skip
    heat = sg.load(program, target="cpp", fp=fp, define={"M": 37, "N": 53, "T": 11})
    heat(u=u, alpha=0.23)
    assert u.tobytes() == np.load(tmp_path / "out.npy").tobytes()


def test_arrays_of_other_libraries_come_by_dlpack(heat):
    u = random_array(9, 8)
    expected = numpy_heat(u, 0.3, 2)
    old = Foreign(
        dlpack_device=lambda: (1, 0), dlpack=lambda stream=None: u.__dlpack__(stream=stream)
    )
    heat(u=old, alpha=0.3, T=2)
    assert np.array_equal(u, expected)
    part = random_array(18, 8)[::2]
    expected = numpy_heat(np.array(part), 0.3, 2)
    new = Foreign(dlpack_device=lambda: (1, 0), dlpack=part.__dlpack__)
    heat(u=new, alpha=0.3, T=2)
    assert np.array_equal(part, expected)
    assert np.array_equal(heat.run(u=new, alpha=0.0, T=1), expected)


def test_several_threads_call_at_a_time(heat, emulated):
    def work(seed: int) -> bool:
        u = random_array(40 + seed, 31, seed=seed)
        expected = numpy_heat(u, 0.2, 9)
        heat(u=u, alpha=0.2, T=9)
        v = random_array(5, 6 + seed, seed=seed)
        same = np.array_equal(emulated.run(u=v, v=v, T=2), numpy_swapping(v, 2))
        return same and np.array_equal(u, expected)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(40)))


def test_a_call_leaves_the_interpreter_to_other_threads(heat):
    u = random_array(400, 400)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        heat(u=u, alpha=0.2, T=1)
        call = pool.submit(heat, u=u, alpha=0.2, T=5000)
        turns = 0
        while not call.done():
            turns += 1
            time.sleep(0.001)
        call.result()
    assert turns > 10


def test_a_fork_after_threads_is_an_error_and_no_deadlock(heat):
    script = (
        "import os, sys, numpy as np, stencilgen as sg\n"
        "from conftest import HEAT\n"
        "heat = sg.compile(HEAT, name='heat', target='cpp', fp='strict')\n"
        "u = np.zeros((300, 300)); heat(u=u, alpha=0.1)\n"
        "if os.fork() == 0:\n"
        "    try: heat(u=u, alpha=0.1)\n"
        "    except sg.RunError as error: os._exit(7 if 'spawn' in str(error) else 1)\n"
        "    os._exit(0)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )
    folder = str(__file__).rsplit("/", 1)[0]
    for threads, status in (("3", 7), ("1", 0)):
        ended = subprocess.run(
            [sys.executable, "-c", script], timeout=100, check=False, cwd=folder,
            env={**__import__("os").environ, "OMP_NUM_THREADS": threads},
        )  # fmt: skip
        assert ended.returncode == status


def test_overhead_of_a_call(heat, capsys):
    """Above the C function, on an array of 8 by 8 elements; the median of 10,000 calls."""
    u = random_array(8, 8)
    heat(u=u, alpha=0.2, T=1)
    function = heat._library.host
    pointer = u.__array_interface__["data"][0]

    def median(call) -> float:
        times = np.empty(10_000)
        for k in range(len(times)):
            start = time.perf_counter_ns()
            call()
            times[k] = time.perf_counter_ns() - start
        return float(np.median(times)) / 1e3

    # In turns, so that other work on the machine meets both.
    raw, called = [], []
    for _ in range(3):
        raw.append(median(lambda: function(pointer, 0.2, 8, 8, 1)))
        called.append(median(lambda: heat(u=u, alpha=0.2, T=1)))
    overhead = min(called) - min(raw)
    with capsys.disabled():
        print(f"\na call takes {min(called):.1f} us, {overhead:.1f} us more than its C function")
    assert overhead < 20


def test_a_run_copies_whatever_can_be_read(heat):
    u = random_array(6, 7)
    expected = numpy_heat(u, 0.1, 3)
    u.flags.writeable = False
    np.testing.assert_array_equal(heat.run(u=u, alpha=0.1), expected)
    with pytest.raises(ValueError, match="`u` is read-only"):
        heat(u=u, alpha=0.1)
    row = np.broadcast_to(np.arange(7.0), (6, 7))
    np.testing.assert_array_equal(heat.run(u=row, alpha=0.1), numpy_heat(row.copy(), 0.1, 3))
    np.testing.assert_array_equal(
        heat.run(u=u[::-1], alpha=0.1), numpy_heat(u[::-1].copy(), 0.1, 3)
    )
    with pytest.raises(TypeError, match="masked array"):
        heat.run(u=np.ma.masked_array(u), alpha=0.1)
