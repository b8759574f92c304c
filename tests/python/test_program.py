"""What programs say of themselves, arrays that stay, code for GPUs, and the cache."""

from __future__ import annotations

import concurrent.futures
import json
import os
import pydoc
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stencilgen as sg
from conftest import HEAT, Foreign, numpy_heat, numpy_swapping, random_array

COMPONENTS = """
parameter L, M, N, T=3; iterator k, j, i;
double u[2,L,M,N], v[2,L,M,N], film[T,M,N];
int row[M];
copyin u, v, film, row; copyout u, film;
iterate t : T {
  v[0][k][j][i] = 0.5*(u[1][k-1][j][i] + u[0][k+1][j][i]);
  v[1][k][j][i] = 0.5*(u[0][k][j-1][i] + u[1][k][j+1][i]);
  swap u, v;
  every 2 : film[t/2][j][i] = u[1][0][row[j]][i];
}
"""


def components(u, v, film, row, turns):
    """As COMPONENTS, by slices: the u of the end."""
    for t in range(turns):
        below, above = u[1][:-2], u[0][2:]
        v[0][1:-1] = 0.5 * (below + above)
        v[1][:, 1:-1] = 0.5 * (u[0][:, :-2] + u[1][:, 2:])
        u, v = v, u
        if t % 2 == 1:
            inside = (row >= 0) & (row < u.shape[2])
            film[t // 2] = np.where(inside[:, None], u[1][0][row.clip(0, u.shape[2] - 1)], 0)
    return u


NARROW = """
parameter M, N; iterator j, i;
uint8 picture[M,N], bright[M,N]; half smooth[M,N];
copyin picture; copyout bright, smooth;
boundary picture = clamp;
stencil f (bright, smooth, p) {
  smooth[j][i] = 0.25f*(p[j-1][i] + p[j+1][i] + p[j][i-1] + p[j][i+1]);
  bright[j][i] = 2*p[j][i];
}
f (bright, smooth, picture);
"""


@pytest.mark.parametrize("target", ["cpp", "emulator"])
def test_narrow_elements(target):
    program = sg.compile(NARROW, target=target, fp="strict")
    picture = (np.arange(6 * 11) * 53 % 256).astype(np.uint8).reshape(6, 11)
    result = program.run(picture=picture)
    wide = np.pad(picture.astype(np.float32), 1, mode="edge")
    mean = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    assert result.smooth.dtype == np.float16 and result.bright.dtype == np.uint8
    assert np.array_equal(result.smooth, (np.float32(0.25) * mean).astype(np.float16))
    assert np.array_equal(result.bright, np.minimum(2 * picture.astype(int), 255))
    with pytest.raises(Exception, match="picture"):
        program.run(picture=picture.astype(np.int32))


@pytest.mark.parametrize("target", ["cpp", "emulator"])
def test_four_dimensions_snapshots_and_places(target):
    program = sg.compile(COMPONENTS, target=target, fp="strict")
    shape, turns = (2, 5, 6, 7), 5
    u, v, film = random_array(*shape), random_array(*shape), random_array(turns, 6, 7)
    row = np.array([3, 0, -1, 5, 6, 2], np.int32)
    expected_film = film.copy()
    expected = components(u.copy(), v.copy(), expected_film, row, turns)
    wide = random_array(2, 10, 7, 14)
    wide[:, ::2, :6, ::2] = u
    given = film.copy()
    program(u=wide[:, ::2, :6, ::2], v=v.copy(), film=given, row=row, T=turns)
    assert np.array_equal(wide[:, ::2, :6, ::2], expected)
    assert np.array_equal(given, expected_film)
    with program.device(L=5, M=6, N=7, T=turns) as arrays:
        arrays["u"] = np.asfortranarray(u)
        arrays["v"], arrays["film"], arrays["row"] = v, film, row
        arrays.run()
        assert np.array_equal(arrays["u"], expected)
        assert arrays.view("u").shape == shape


def test_what_a_program_says(heat):
    assert heat.name == "heat" and heat.target == "cpp"
    assert heat.graph.startswith("graph heat\n")
    assert "int heat(double* u, double alpha, int M, int N, int T)" in heat.source
    assert "computes" in heat.explain(M=100, N=200)
    assert "heat(u: 'float64[M, N] (in, out)'" in repr(heat)
    text = pydoc.render_doc(heat, renderer=pydoc.plaintext)
    assert "Runs the program in place" in text
    assert [one.name for one in heat.interface.arrays] == ["u"]
    assert [one.default for one in heat.interface.parameters] == [None, None, 3]


def test_an_explanation_is_text_and_a_page(heat, tmp_path):
    plan = heat.explain(M=2000, N=3000, T=50)
    assert isinstance(plan, sg.Explanation) and str(plan).startswith("heat: ")
    assert repr(plan) == str(plan)
    assert plan.report["name"] == "heat" and plan.report["kernels"][0]["launches"] == 50
    assert {one["name"]: one["value"] for one in plan.report["sizes"]} == {
        "M": 2000,
        "N": 3000,
        "T": 50,
    }
    page = tmp_path / "plan.html"
    plan.save(page)
    text = page.read_text(encoding="utf-8")
    assert text == plan.html and text.startswith("<!DOCTYPE html>")
    embedded = text.split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(embedded) == plan.report
    assert (page.stat().st_mode & 0o777) == 0o666 & ~current_umask()
    frame = plan._repr_html_()
    assert frame.startswith("<iframe ") and frame.count("<") == 2
    with pytest.raises(FileNotFoundError):
        plan.save(tmp_path / "no" / "plan.html")
    with pytest.raises(IsADirectoryError):
        plan.save(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["plan.html"]


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_verify_compares_with_the_interpreter(heat, emulated):
    report = heat.verify(M=20, N=30, alpha=0.1)
    assert report["verified"] is True and report["parameters"] == {"M": 20, "N": 30, "T": 3}
    assert emulated.verify()["target"] == "cuda-emulated"


def test_tune_is_used_from_the_next_call_on(tmp_path, monkeypatch):
    """A result in the database, as `tune` writes it: its options are those of the code."""
    monkeypatch.setenv("STENCILGEN_TUNING_DB", str(tmp_path / "tuning.json"))
    sizes = {"M": 40, "N": 50, "T": 4}
    heat = sg.compile(HEAT, name="heat", target="cpp", define=sizes)
    u = random_array(40, 50)
    expected = numpy_heat(u, 0.2, 4)
    heat(u=u, alpha=0.2)
    before = heat.source
    report = heat.tune(budget=0.001)
    assert {"options", "default_ms", "tuned_ms"} <= report.keys()
    again = random_array(40, 50)
    heat(u=again, alpha=0.2)
    assert np.allclose(u, expected, rtol=1e-13) and np.allclose(again, expected, rtol=1e-13)
    assert isinstance(heat.source, str) and before


def test_arrays_that_stay_between_runs(heat, swapping):
    u = random_array(7, 9)
    with heat.device(M=7, N=9, T=2) as arrays:
        assert arrays.sizes == {"M": 7, "N": 9, "T": 2}
        arrays["u"] = u
        arrays.run(alpha=0.2)
        arrays.run(alpha=0.2)
        arrays.wait()
        assert np.array_equal(arrays["u"], numpy_heat(u, 0.2, 4))
        part = np.zeros((14, 9))
        assert arrays.download("u", part[::2]) is not None
        assert np.array_equal(part[::2], numpy_heat(u, 0.2, 4)) and not part[1::2].any()
        view = arrays.view("u")
        view[...] = 1
        arrays.run(alpha=0.2)
        assert (arrays["u"] == 1).all()
        own = random_array(7, 9, seed=4)
        expected = numpy_heat(own, 0.1, 2)
        arrays.bind(u=own)
        arrays.run(alpha=0.1)
        assert np.array_equal(own, expected)
    u, v = random_array(9, 11), random_array(9, 11, seed=2)
    arrays = swapping.device()
    arrays.upload(u=u, v=v)
    arrays.run()
    assert np.array_equal(arrays["u"], numpy_swapping(u, 3))
    del arrays


def test_a_view_keeps_its_memory(heat):
    view = heat.device(M=300, N=400).view("u")
    view[...] = 3
    assert view.sum() == 3 * 300 * 400


# CUDA code, executed on the CPU: its device memory is what `Arrays` gives.


def on_device(program: sg.Program, **arrays: np.ndarray) -> tuple[sg.Arrays, dict]:
    shape = next(iter(arrays.values())).shape
    memory = program.device(M=shape[0], N=shape[1])
    memory.upload(**arrays)
    return memory, {name: memory.view(name) for name in arrays}


def test_arrays_of_a_gpu_are_used_where_they_are(emulated):
    u, v = random_array(9, 12), random_array(9, 12, seed=2)
    memory, views = on_device(emulated, u=u, v=v)
    assert isinstance(views["u"], sg.DeviceArray)
    streams = [None, 1, 0, Foreign(cuda_stream=lambda: (0, 1))]
    for stream in streams:
        assert emulated(**views, T=2, stream=stream) is None
    assert np.array_equal(memory["u"], numpy_swapping(u, 2 * len(streams)))
    assert np.array_equal(memory["v"], v)


def test_arrays_of_a_gpu_with_gaps(emulated):
    u, v = random_array(9, 12), random_array(9, 12, seed=2)
    memory, views = on_device(emulated, u=u, v=v)

    def part(view: sg.DeviceArray) -> Foreign:
        interface = dict(view.__cuda_array_interface__)
        return Foreign(
            cuda_array_interface={**interface, "shape": (9, 6), "strides": (96, 16), "stream": 1}
        )

    emulated(u=part(views["u"]), v=part(views["v"]), T=3)
    expected = u.copy()
    expected[:, ::2] = numpy_swapping(u[:, ::2], 3)
    assert np.array_equal(memory["u"], expected)


def test_arrays_of_the_host_in_code_for_a_gpu(emulated):
    u, v = random_array(10, 8), random_array(10, 8, seed=2)
    expected = numpy_swapping(u[::2], 3)
    emulated(u=u[::2], v=v[::2])
    assert np.array_equal(u[::2], expected)
    with pytest.raises(TypeError, match="some arrays are in the memory of a GPU, but not `v`"):
        _, views = on_device(emulated, u=u)
        emulated(u=views["u"], v=v)
    with pytest.raises(TypeError, match="`stream`"):
        emulated(u=u, v=v, stream="fast")


# The cache.


WORKER = """
import sys, numpy as np, stencilgen as sg
sys.path.insert(0, sys.argv[1])
from conftest import HEAT, numpy_heat, random_array
heat = sg.compile(HEAT, name="heat", target="cpp", fp="strict")
u = random_array(12, 13)
expected = numpy_heat(u, 0.2, 3)
heat(u=u, alpha=0.2)
sys.exit(0 if np.array_equal(u, expected) else 1)
"""


def test_many_processes_share_the_cache(tmp_path):
    environment = {**os.environ, "STENCILGEN_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", WORKER, str(Path(__file__).parent)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        ended = list(
            pool.map(
                lambda _: subprocess.run(command, env=environment, check=False).returncode, range(4)
            )
        )
    assert ended == [0] * 4
    (folder,) = (tmp_path / "libraries").iterdir()
    assert {one.name for one in folder.iterdir()} == {"heat.cpp", "libheat.so"}


def built(path: Path, cache: Path, *options: str) -> dict:
    command = [sys.executable, "-m", "stencilgen", "build", str(path), "--target", "cpp", "--json"]
    ended = subprocess.run(
        [*command, *options],
        env={**os.environ, "STENCILGEN_CACHE_DIR": str(cache)},
        capture_output=True,
        check=True,
    )
    result: dict = json.loads(ended.stdout)
    return result


def test_libraries_are_found_by_what_they_are_made_of(tmp_path):
    program = tmp_path / "heat.idsl"
    program.write_text(HEAT)
    cache = tmp_path / "cache"
    first = built(program, cache)
    assert first["found"] is False
    assert built(program, cache) == {**first, "found": True}
    # A comment makes no other code; options and the program do.
    program.write_text(HEAT + "// heat\n")
    assert built(program, cache)["found"] is True
    strict = built(program, cache, "--fp", "strict")
    assert strict["found"] is False and strict["library"] != first["library"]
    # What is damaged is made again.
    Path(first["source"]).write_text("")
    assert built(program, cache) == first
    shutil.rmtree(Path(first["library"]).parent)
    assert built(program, cache) == first
