"""Finding steady loops, what of them an ordinary turn runs, and kinds of warps."""

from __future__ import annotations

import unittest

from sass.flow import find_flow
from sass.steady import find_steady
from sass_text import function

ONE_WARP = (32, 1, 1)


def adds(count: int) -> list[str]:
    return [f"FADD R{10 + n}, R1, R2" for n in range(count)]


def closing(start: int, register: str = "R3") -> list[str]:
    return [
        f"VIADD {register}, {register}, 0x1",
        f"ISETP.GE.AND P0, PT, {register}, UR4, PT",
        f"@!P0 BRA {hex(16 * start)}",
    ]


class Loops(unittest.TestCase):
    def test_nested_loops(self) -> None:
        # General code around a steady loop, and after it what unrolling left over.
        code = ["MOV R0, RZ", *adds(9)]
        code += [*adds(20), *closing(10)]
        code += [*adds(7), *closing(33)]
        code += [*closing(1, "R4"), "EXIT"]
        flow = find_flow(function(code).code)
        self.assertEqual(sorted(loop.depth for loop in flow.loops), [1, 2, 2])
        (kind,) = find_steady(function(code), ONE_WARP).kinds
        self.assertEqual((kind.count("fp32"), kind.span), (20, (160, 16 * 32)))

    def test_loop_around_a_short_one(self) -> None:
        # The inner loop fills a rim: the arithmetic is around it.
        code = ["MOV R0, RZ", *["MOV R8, R9"] * 6, *closing(1), *adds(12), *closing(1, "R4")]
        (kind,) = find_steady(function([*code, "EXIT"]), ONE_WARP).kinds
        self.assertEqual(kind.count("fp32"), 12)

    def test_no_loop(self) -> None:
        steady = find_steady(function([*adds(5), "@P0 EXIT", "STG.E [R2], R10", "EXIT"]), ONE_WARP)
        self.assertFalse(steady.kinds[0].looped)
        self.assertEqual(len(steady.kinds[0].ops), 8)
        self.assertEqual(steady.notes, ["no loop: a turn is the whole kernel"])

    def test_slow_path(self) -> None:
        # A division's short sequence, with a call for numbers that it is wrong for.
        body = ["MUFU.RCP R4, R5", "FCHK P1, R6, R5", "@!P1 BRA 0x90", "MOV R7, R5", "MOV R8, R6",
                "CALL.REL.NOINC 0x200", "MOV R4, R7", "BRA 0xa0", "NOP"]  # fmt: skip
        code = ["MOV R0, RZ", *body[:8], *adds(9), *closing(1), "EXIT"]
        code += ["NOP"] * (33 - len(code)) + ["RET.REL.NODEC R7 0x0"]
        code[3] = "@!P1 BRA 0x90"
        code[8] = "BRA 0x90"
        (kind,) = find_steady(function(code), ONE_WARP).kinds
        self.assertEqual(kind.count("fp32"), 9)
        self.assertFalse([op for op in kind.ops if op.instruction.base == "CALL"])
        self.assertEqual(kind.count("move"), 0)

    def test_first_turn(self) -> None:
        # `if (k == k_first)` fills a window: other turns go around it.
        code = ["MOV R3, RZ", "ISETP.NE.AND P1, PT, R3, R9, PT", "@P1 BRA 0x50"]
        code += ["LDG.E R4, desc[UR4][R6.64]"] * 2 + [*adds(9), *closing(1), "EXIT"]
        (kind,) = find_steady(function(code), ONE_WARP).kinds
        self.assertEqual((kind.count("ldg"), kind.count("fp32")), (0, 9))
        # A test on what is loaded may go either way in any turn.
        code[1] = "ISETP.NE.AND P1, PT, R4, R9, PT"
        (kind,) = find_steady(function(code), ONE_WARP).kinds
        self.assertEqual(kind.count("ldg"), 2)

    def test_stores_at_edges(self) -> None:
        # A vector, or single elements where not all may be stored: the turn stores 16 bytes.
        code = ["MOV R3, RZ", *adds(9), "@P1 BRA 0x100"]
        code += [f"@P{n + 2} STG.E [R2+{hex(4 * n)}], R{10 + n}" for n in range(4)]
        code += ["BRA 0x110", "STG.E.128 [R2], R10"][:1]
        code += ["STG.E.128 [R2], R10", *closing(1), "EXIT"]
        (kind,) = find_steady(function(code), ONE_WARP).kinds
        self.assertEqual((kind.stored_bytes, kind.count("stg")), (16, 5))

    def test_bank_conflicts(self) -> None:
        code = ["S2R R0, SR_TID.X", "IMAD.SHL.U32 R2, R0, 0x10, RZ", "MOV R3, RZ", *adds(8)]
        code += ["LDS.64 R4, [R2+0x10]", "LDS.64 R6, [R9]", *closing(3), "EXIT"]
        (kind,) = find_steady(function(code), ONE_WARP).kinds
        self.assertEqual((kind.waves, kind.conflicts), (4 + 2, 2))


def two_kinds(barriers: tuple[int, int] = (1, 1)) -> list[str]:
    """Warp 3 stores, the others compute, each in a loop of its own."""
    code = ["S2R R0, SR_TID.X", "SHF.R.U32.HI R1, RZ, 0x5, R0", "ISETP.NE.AND P1, PT, R1, 0x3, PT"]
    code += ["MOV R3, RZ"]
    first = [*adds(20), *["BAR.SYNC 0x0"] * barriers[0]]
    loop = len(code) + 1
    end = loop + len(first) + 4
    code += [f"@!P1 BRA {hex(16 * end)}", *first, *closing(loop), "EXIT"]
    return [*code, *adds(12), "STG.E [R2], R10", *["BAR.SYNC 0x0"] * barriers[1], *closing(end),
            "EXIT"]  # fmt: skip


class Kinds(unittest.TestCase):
    def test_switch_on_the_warp(self) -> None:
        kinds = find_steady(function(two_kinds()), (128, 1, 1)).kinds
        self.assertEqual([kind.warps for kind in kinds], [[0, 1, 2], [3]])
        self.assertEqual([kind.count("fp32") for kind in kinds], [20, 12])
        self.assertEqual([kind.stored_bytes for kind in kinds], [0, 4])

    def test_warps_at_the_edge_of_a_tile(self) -> None:
        # The first two of four rows are a halo: loaded, not computed, not stored.
        code = ["S2R R0, SR_TID.Y", "MOV R2, UR9", "IADD3 R4, R2, R0, RZ", "VIADD R5, R2, 0x2",
                "ISETP.GE.AND P1, PT, R4, R5, PT", "MOV R3, RZ"]  # fmt: skip
        code += [*adds(4), "@!P1 BRA 0x100", *adds(5), "@P1 STG.E [R6], R10", *closing(6), "EXIT"]
        code[10] = f"@!P1 BRA {hex(16 * 16)}"
        kinds = find_steady(function(code), (32, 4, 1)).kinds
        self.assertEqual([kind.warps for kind in kinds], [[0, 1], [2, 3]])
        self.assertEqual([kind.count("fp32") for kind in kinds], [4, 9])
        self.assertEqual([kind.count("stg") for kind in kinds], [0, 1])
        # A plane of the tile is a plane, for all of them.
        self.assertEqual([kind.stored_bytes for kind in kinds], [4, 4])

    def test_switch_that_cannot_be_followed(self) -> None:
        code = two_kinds()
        code[1] = "LDS R1, [R9]"
        steady = find_steady(function(code), (128, 1, 1))
        self.assertEqual([kind.warps for kind in steady.kinds], [[0, 2], [1, 3]])
        self.assertIn("dealt out evenly", steady.notes[0])


if __name__ == "__main__":
    unittest.main()
