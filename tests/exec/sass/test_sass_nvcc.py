"""What nvcc makes of small kernels; skipped where nvcc or cuobjdump is not there."""

from __future__ import annotations

import unittest

from sass.instructions import Function, parse_sass
from sass.machine import DEVICES
from sass.simulate import simulate
from sass.steady import find_steady
from sass.toolkit import SassError, compile_cubin, disassemble, find_toolkit

# Warps of a block pass rows on through shared memory, each in its own loop.
PIPELINE = r"""
__global__ void __launch_bounds__(128)
rows(const double* __restrict__ u, double* v, long n, int last) {
  __shared__ double ring[8][66];
  const int lane = threadIdx.x % 32;
  double a = 0, b = 0, c = 0;
  switch (threadIdx.x / 32) {
    case 0:
      for (int r = 0; r < last; ++r) {
        a = b; b = c; c = u[r * n + lane];
        ring[r & 1][lane] = 0.3 * a + 0.4 * b + 0.3 * c;
        __syncthreads();
      }
      break;
    case 1:
      for (int r = 0; r < last; ++r) {
        a = b; b = c; c = ring[(r + 1) & 1][lane];
        ring[2 + (r & 1)][lane] = 0.31 * a + 0.41 * b + 0.31 * c + 0.1 * a * c;
        __syncthreads();
      }
      break;
    default:
      for (int r = 0; r < last; ++r) {
        a = b; b = c; c = ring[2 + ((r + 1) & 1)][lane];
        if (threadIdx.x >= 96) v[r * n + lane] = 0.33 * a + 0.43 * b + 0.33 * c;
        __syncthreads();
      }
  }
}
"""

# Neighbours through shared memory: lanes are PITCH words apart.
COLUMNS = r"""
__global__ void columns(const float* __restrict__ u, float* v, long n, int last) {
  __shared__ float plane[32 * PITCH + PITCH];
  for (int r = 0; r < last; ++r) {
    plane[threadIdx.x * PITCH] = u[r * n + threadIdx.x];
    __syncthreads();
    v[r * n + threadIdx.x] = plane[threadIdx.x * PITCH + PITCH] * 0.5f + 1.0f;
    __syncthreads();
  }
}
"""


def compile_kernel(source: str) -> Function:
    """The only kernel of the source. Skips the test where it cannot be compiled here."""
    try:
        toolkit = find_toolkit()
    except SassError as error:
        raise unittest.SkipTest(str(error)) from error
    functions = parse_sass(disassemble(toolkit, compile_cubin(toolkit, source, "sm_90")))
    (function,) = functions.values()
    return function


class Compiled(unittest.TestCase):
    def test_pipeline_of_warps(self) -> None:
        steady = find_steady(compile_kernel(PIPELINE), (128, 1, 1))
        self.assertEqual(steady.notes, [])
        self.assertEqual([kind.warps for kind in steady.kinds][:2], [[0], [1]])
        self.assertEqual(sum(len(kind.warps) for kind in steady.kinds), 4)
        loads = [kind.count("ldg") > 0 for kind in steady.kinds]
        stores = [kind.stored_bytes > 0 for kind in steady.kinds]
        self.assertEqual((loads[0], any(loads[1:])), (True, False))
        self.assertEqual((stores[-1], any(stores[:2])), (True, False))
        # Each row has a barrier, so that all make rows at one pace.
        result = simulate(DEVICES["sm_90"], steady.kinds, 4)
        rows = [result.turns[n] * kind.barriers for n, kind in enumerate(steady.kinds)]
        self.assertLess(max(rows) - min(rows), 0.05 * max(rows))

    def test_bank_conflicts(self) -> None:
        for pitch, waves in ((1, 1), (2, 2), (33, 1), (32, 32)):
            with self.subTest(pitch=pitch):
                source = COLUMNS.replace("PITCH", str(pitch))
                (kind,) = find_steady(compile_kernel(source), (32, 1, 1)).kinds
                found = {op.waves for op in kind.ops if op.kind in ("lds", "sts")}
                self.assertEqual(found, {waves})


if __name__ == "__main__":
    unittest.main()
