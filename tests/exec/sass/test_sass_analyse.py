"""Counts for a point, bounds, and the table; how the tools are found."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from dataclasses import replace
from pathlib import Path

from sass.analyse import analyse, find_function, planes_of_turn
from sass.foreign import make_facts, parse_arguments
from sass.instructions import Function
from sass.machine import DEVICES
from sass.plan import KernelFacts, Price, read_kernels
from sass.suites import find_subjects, in_type, with_sizes
from sass.table import COLUMNS, number, row_of, same_row
from sass.toolkit import SassError
from sass_text import NAME, function, kind

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
HOPPER = DEVICES["sm_90"]

FACTS = KernelFacts(
    name="kernel_2", threads=(32, 1, 1), points=2, steps=1, stored=1, element=4, vectors=True,
    shared=0, launches=1, seconds=1e-3, grid=1320, stored_points=1320 * 64 * 100, walked=100,
    dram_bytes=8, l2_bytes=9,
    price=Price(1e-3, arithmetic=0.03, issue=0.05, lsu=0.0625, registers=30, blocks=32),
)  # fmt: skip

LOOP = [
    "MOV R3, RZ",
    "LDG.E.64 R4, [R6] | write=0",
    "FADD R10, R4, R5 | wait=1",
    *["FADD R10, R1, R2"] * 7,
    "STG.E.64 [R8], R10 | read=1",
    "VIADD R3, R3, 0x1 | wait=2",
    "ISETP.GE.AND P0, PT, R3, UR4, PT",
    "@!P0 BRA 0x10",
    "EXIT",
]


class Analyses(unittest.TestCase):
    def test_counts_for_a_point(self) -> None:
        a = analyse(HOPPER, FACTS, function(LOOP), {"REG": 32})
        self.assertEqual(a.problem, "")
        # 13 instructions of 32 lanes store 64 points; two wavefronts a load and a store.
        self.assertEqual(a.counts["instr"], 6.5)
        self.assertEqual(a.counts["fp"], 4)
        self.assertEqual(a.counts["lsu"], 2)
        self.assertAlmostEqual(a.cycles["arithmetic"], 8 / 4 / 64)
        self.assertAlmostEqual(a.bounds["issue"], 132 * 1.755 / (13 / 4 / 64))
        self.assertAlmostEqual(a.bounds["lsu"], 132 * 1.755 / (4 / 64))
        self.assertEqual(a.bound, "dram")
        self.assertEqual((a.blocks, a.resident), (32, 10))
        self.assertLessEqual(a.sim, 4300 / 8)
        self.assertAlmostEqual(a.agreement()["arithmetic"], 0.03 / (8 / 4 / 64))
        self.assertAlmostEqual(a.agreement()["lsu"], 1)

    def test_fused_steps_and_halos(self) -> None:
        plain = analyse(HOPPER, FACTS, function(LOOP), {"REG": 32})
        facts = replace(FACTS, steps=4, stored_points=FACTS.stored_points / 2)
        fused = analyse(HOPPER, facts, function(LOOP), {"REG": 32})
        self.assertAlmostEqual(fused.counts["instr"], plain.counts["instr"] * 2 / 4)
        self.assertAlmostEqual(fused.bounds["dram"], 4 * plain.bounds["dram"])

    def test_text_without_bits(self) -> None:
        code = function(LOOP)
        code.code[3].has_control = False
        self.assertIn("no bits", analyse(HOPPER, FACTS, code, {"REG": 32}).problem)

    def test_kernel_that_stores_nothing(self) -> None:
        lines = [line for line in LOOP if "STG" not in line]
        analysis = analyse(HOPPER, FACTS, function(lines), {"REG": 32})
        self.assertIn("stores nothing", analysis.problem)

    def test_planes_of_warps_that_store_nothing(self) -> None:
        stores = kind(["STG.E.64 [R0], R2", "BAR.SYNC 0x0"], [1])
        computes = kind(["FADD R0, R1, R2", "BAR.SYNC 0x0"] * 2, [0])
        self.assertEqual(planes_of_turn(FACTS, [computes, stores]), [2, 1])

    def test_variants(self) -> None:
        names = [NAME, NAME.replace("ILb1E", "ILb0E"), NAME.replace("8kernel_2", "9kernel_23")]
        functions = {name: Function(name) for name in names}
        self.assertEqual(find_function(functions, FACTS).name, NAME)
        scalar = replace(FACTS, vectors=False)
        self.assertEqual(find_function(functions, scalar).name, names[1])
        with self.assertRaisesRegex(SassError, "not one kernel other"):
            find_function(functions, replace(FACTS, name="other"))

    def test_variants_of_the_index(self) -> None:
        names = [NAME.replace("ILb1E", width) for width in ("IxE", "IiE")]
        functions = {name: Function(name) for name in names}
        self.assertEqual(find_function(functions, FACTS).name, names[1])


class Plans(unittest.TestCase):
    def test_facts(self) -> None:
        operators = [
            {"id": n, "kind": "operator", "stencil": "s", "lines": [3, 3]} for n in range(2)
        ]
        # Coefficients are no rows: it does not matter where theirs begin.
        arrays = [
            {"sizes": [64, 96], "element_bytes": 8},
            {"sizes": [5, 5], "element_bytes": 8},
        ]
        loaded = [{"version": 4, "loaded": True}, {"version": 6, "loaded": False}]
        kernel = {
            "name": "k", "operators": [0, 1], "stores": [5], "launches": 10.0, "seconds": 1e-3,
            "schedule": {"block": [32, 2, 1], "unroll": [2, 1, 1]},
            "tile": {"alignment": 2, "shared_bytes": 512, "versions": loaded},
            "units": [{"name": name, "seconds": 1e-4}
                      for name in ("arithmetic", "instructions", "shared memory")],
            "traffic": {"blocks": 6, "threads": 64, "steps": 30, "chunks": 3, "stores": 3840,
                        "cache_bytes": 38400.0},
            "roofline": {"bytes": 76800.0}, "occupancy": {"registers": 64, "blocks": 4},
        }  # fmt: skip
        plan = {
            "device": {"multiprocessors": 4, "clock": 2e9},
            "graph": {
                "nodes": [{"id": 9, "kind": "loop", "nodes": operators}],
                "arrays": arrays,
                "versions": [{"id": n, "array": int(n == 6)} for n in (4, 5, 6)],
            },
            "kernels": [kernel, {**kernel, "launches": 0.0}],
        }
        (facts,) = read_kernels(plan)
        self.assertEqual((facts.steps, facts.points, facts.threads), (2, 2, (32, 2, 1)))
        self.assertTrue(facts.vectors)
        arrays[0]["sizes"] = [64, 97]
        self.assertFalse(read_kernels(plan)[0].vectors)
        self.assertEqual((facts.dram_bytes, facts.l2_bytes), (20, 10))
        self.assertAlmostEqual(facts.useful, 3840 / (6 * 64 * 2 * 10))
        # Of 8 places for blocks on 4 SMs in two rounds 6 are taken.
        assert facts.price is not None
        self.assertAlmostEqual(facts.price.arithmetic, 1e-4 * 0.75 * 4 * 2e9 / 3840 / 2)


class Tables(unittest.TestCase):
    def test_numbers(self) -> None:
        self.assertEqual(
            [number(x) for x in (0, 0.123, 12.34, 123.4)], ["0", "0.12", "12.3", "123"]
        )

    def test_rows(self) -> None:
        subject = find_subjects(["A"], ["float"], ["j2d5pt"])[0]
        row = row_of(subject, analyse(HOPPER, FACTS, function(LOOP), {"REG": 32}))
        self.assertEqual(len(row), len(COLUMNS))
        self.assertEqual(row[:4], ["j2d5pt float", "kernel_2", "32 (30)", "32 (32)"])
        broken = analyse(HOPPER, FACTS, function(["EXIT"]), {"REG": 32})
        self.assertEqual(len(row_of(subject, broken)), len(COLUMNS))

    def test_comparison(self) -> None:
        self.assertTrue(same_row(["a", "12.0 (3)", "**1.20**"], ["a", "12.5 (3)", "1.15"]))
        self.assertFalse(same_row(["a", "12.0 dram"], ["a", "12.0 lsu"]))
        self.assertFalse(same_row(["a", "120"], ["a", "100"]))
        self.assertFalse(same_row(["a", "0"], ["a", "1.00"]))

    def test_sizes_of_programs(self) -> None:
        text = "parameter M=8192, N=10; double u[M,N]; // M=1 is small"
        sized = with_sizes(in_type(text, "float"), {"M": 16384, "N": 20})
        self.assertIn("M=16384, N=20; float u[M,N]", sized)
        (subject,) = find_subjects(["A"], ["double"], ["j2d5pt"])
        self.assertIn("M=16384, N=16384, T=1000", subject.text)


class Commands(unittest.TestCase):
    def run_table(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **variables}
        command = [sys.executable, str(BENCHMARKS / "sass" / "table"), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_without_a_toolkit(self) -> None:
        nowhere = {"PATH": "/nowhere", "CUDA_HOME": "/nowhere", "VIRTUAL_ENV": "", "NVCC": "",
                   "PYTHONNOUSERSITE": "1"}  # fmt: skip
        done = self.run_table("j2d5pt", **nowhere)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: nvcc is not there: install", done.stderr)
        done = self.run_table("j2d5pt", **{**nowhere, "NVCC": "/bin/true", "CUOBJDUMP": ""})
        self.assertEqual(done.returncode, 1)
        self.assertIn("pip install nvidia-cuda-cuobjdump", done.stderr)
        done = self.run_table("j2d5pt", "--check", "page.md", **nowhere)
        self.assertEqual(done.returncode, 77)

    def test_code_of_others(self) -> None:
        options = ["--threads", "32", "--points", "2", "--element", "4"]
        facts = make_facts(parse_arguments(["f.cubin", "kernel_2", *options]))
        a = analyse(HOPPER, facts, function(LOOP), {"REG": 32})
        self.assertEqual((a.counts["instr"], a.bound), (6.5, "lsu"))
        self.assertEqual((a.agreement(), a.price), ({}, 0))
        self.assertEqual(a.blocks, a.resident)
        self.assertLessEqual(a.sim, a.bounds["lsu"] * 1.001)

    def test_bad_arguments(self) -> None:
        for arguments, said in [
            (["nothing"], "no program of these suites"),
            (["j2d5pt", "--arch", "sm_20"], "nothing is known of sm_20"),
            (["j2d5pt", "--type", "half"], "no program of these suites and types"),
        ]:
            with self.subTest(said):
                done = self.run_table(*arguments)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
