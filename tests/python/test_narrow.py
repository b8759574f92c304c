"""Elements that are narrower than what is computed with them."""

from __future__ import annotations

import numpy as np
import pytest

import stencilgen as sg
from conftest import random_array

j, i = sg.iterators("j i")
(x,) = sg.iterators("i")
HALF = sg.array("M N", sg.float16)
BYTE = sg.array("M N", sg.uint8)


@sg.stencil(boundary={"image": "clamp"}, fp="strict")
def sharpen(out, image):
    around = image[j - 1, i] + image[j + 1, i] + image[j, i - 1] + image[j, i + 1]
    out[j, i] = 5 * image[j, i] - around


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int16])
def test_whole_numbers_end_at_their_ends(kind):
    ends = np.iinfo(kind)
    image = np.random.default_rng(1).integers(ends.min, ends.max + 1, (9, 14)).astype(kind)
    out, executed = np.zeros_like(image), np.zeros_like(image)
    sharpen(out, image)
    sharpen.reference(executed, image)
    wide = np.pad(image.astype(np.int32), 1, mode="edge")
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    expected = np.clip(5 * wide[1:-1, 1:-1] - around, ends.min, ends.max).astype(kind)
    assert np.array_equal(out, expected) and np.array_equal(executed, expected)


@sg.stencil(boundary={"u": 0.1})
def diffuse(v, u, mask):
    change = u[j - 1, i] + u[j, i - 1] - 4 * u[j, i] + u[j, i + 1] + u[j + 1, i]
    v[j, i] = u[j, i] + 0.2 * change if mask[j, i] > 127 else 0.3


@sg.program(target="cpp", fp="strict")
def half_heat(u: HALF, mask: BYTE, T: int = 4):
    v = np.empty_like(u)
    for _ in sg.iterate(T):
        diffuse(v, u, mask)
        u, v = v, u
    return u


def numpy_half_heat(u: np.ndarray, mask: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        wide = np.pad(u, 1, constant_values=np.float16(0.1)).astype(np.float32)
        change = wide[:-2, 1:-1] + wide[1:-1, :-2] - np.float32(4) * wide[1:-1, 1:-1]
        change = change + wide[1:-1, 2:] + wide[2:, 1:-1]
        value = wide[1:-1, 1:-1] + np.float32(0.2) * change
        u = np.where(mask > 127, value, np.float32(0.3)).astype(np.float16)
    return u


def test_halves_are_computed_as_floats():
    u = random_array(9, 13).astype(np.float16)
    mask = np.random.default_rng(2).integers(0, 256, u.shape).astype(np.uint8)
    found = half_heat.run(u=u, mask=mask)
    assert found.dtype == np.float16
    assert np.array_equal(found, numpy_half_heat(u, mask, 4))
    assert np.array_equal(half_heat.reference(u=u, mask=mask), found)
    assert "half u[M,N];" in half_heat.idsl and "uint8 mask[M,N];" in half_heat.idsl


def test_local_arrays_and_sums_of_narrow_elements():
    @sg.stencil(fp="strict")
    def blurred(out, u):
        w = np.empty_like(u, dtype=np.uint8)
        w[x] = u[x - 1] / 3 + u[x + 1]
        out[x] = w[x]
        out[x] += 0.4
        return sg.sum(w[x])

    u = 200 * random_array(30).astype(np.float16)
    out, expected = np.zeros(30, np.int16), np.zeros(30, np.int16)
    found = blurred(out, u)
    assert type(found) is np.int32 and found == blurred.reference(expected, u)
    assert np.array_equal(out, expected)
    wide = u.astype(np.float32)
    kept = np.clip(wide[:-2] / np.float32(3) + wide[2:], 0, 255).astype(np.uint8)
    assert np.array_equal(out[1:-1], kept) and found == kept.sum(dtype=np.int32)


def test_bfloat16():
    types = pytest.importorskip("ml_dtypes")

    @sg.stencil(fp="strict")
    def third(out, u):
        out[x] = u[x] / 3 + 0.1

    u = random_array(50).astype(types.bfloat16)
    out = np.zeros_like(u)
    third(out, u)
    expected = (u.astype(np.float32) / np.float32(3) + np.float32(0.1)).astype(types.bfloat16)
    assert np.array_equal(out, expected)
