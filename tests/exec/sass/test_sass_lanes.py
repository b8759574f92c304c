"""Wavefronts of accesses, and what is known of a warp's registers."""

from __future__ import annotations

import unittest

from sass.flow import find_flow
from sass.lanes import constant, global_wavefronts, join, lookup, of_values, shared_wavefronts
from sass.trace import follow
from sass_text import function


def strided(bytes_apart: int) -> tuple[int, ...]:
    return tuple(bytes_apart * lane for lane in range(32))


class Wavefronts(unittest.TestCase):
    def test_shared_memory(self) -> None:
        # Width of an access, bytes between neighbouring lanes, wavefronts.
        for width, stride, waves in [
            (4, 4, 1), (4, 8, 2), (4, 12, 1), (4, 16, 4), (4, 128, 32), (4, 132, 1), (4, 0, 1),
            (8, 8, 2), (8, 16, 4), (8, 24, 2), (8, 128, 32), (16, 16, 4), (16, 32, 8), (16, 0, 4),
        ]:  # fmt: skip
            with self.subTest(width=width, stride=stride):
                self.assertEqual(shared_wavefronts(strided(stride), width), waves)

    def test_rows_of_a_warp(self) -> None:
        # 16 columns and two rows: rows of 16 words lie in different banks, of 32 in the same.
        rows = [tuple(4 * (lane % 16) + pitch * (lane // 16) for lane in range(32))
                for pitch in (64, 128)]  # fmt: skip
        self.assertEqual([shared_wavefronts(each, 4) for each in rows], [1, 2])

    def test_global_memory(self) -> None:
        for width, stride, waves in [
            (4, 4, 1), (4, 16, 4), (8, 8, 2), (8, 16, 4), (16, 16, 4), (16, 32, 8), (4, 0, 1),
            (4, 4096, 32),
        ]:  # fmt: skip
            with self.subTest(width=width, stride=stride):
                self.assertEqual(global_wavefronts(strided(stride), width), waves)


class Values(unittest.TestCase):
    def test_join(self) -> None:
        lanes = of_values(list(range(32)))
        shifted = of_values([n + 100 for n in range(32)])
        merged = join(lanes, shifted)
        assert merged is not None
        self.assertIsNone(merged.base)
        self.assertEqual(merged.offsets, lanes.offsets)
        self.assertIsNone(join(lanes, constant(3)))

    def test_lookup(self) -> None:
        a, b, c = 0b1100, 0b1010, 0
        self.assertEqual(lookup(0xC0, [a, b, c]) & 15, 0b1000)  # and
        self.assertEqual(lookup(0xFC, [a, b, c]) & 15, 0b1110)  # or
        self.assertEqual(lookup(0x3C, [a, b, c]) & 15, 0b0110)  # exclusive or


def offsets_of(lines: list[str], threads: tuple[int, int, int], warp: int = 0) -> tuple[int, ...]:
    """Of the only access to memory."""
    trace = follow(find_flow(function(lines).code), threads, warp)
    (found,) = trace.offsets.values()
    return found


class Following(unittest.TestCase):
    def test_address_of_a_thread(self) -> None:
        code = [
            "S2R R0, SR_TID.X",
            "S2R R1, SR_TID.Y",
            "ULDC.64 UR4, c[0x0][0x210]",
            "IMAD R2, R1, 0x22, R0",
            "LEA R3, R2, UR4, 0x3",
            "LDS.64 R4, [R3+UR5+0x40]",
            "EXIT",
        ]
        self.assertEqual(offsets_of(code, (32, 8, 1), 3), strided(8))
        rows = offsets_of(code, (16, 8, 1))
        self.assertEqual((rows[1], rows[16], rows[31]), (8, 8 * 0x22, 8 * (0x22 + 15)))

    def test_pointer_that_a_loop_moves(self) -> None:
        code = [
            "S2R R0, SR_TID.X",
            "IMAD.WIDE R2, R0, 0x8, R8",
            "IADD3 R4, P0, R4, UR4, RZ",
            "EXIT",
        ]
        self.assertFalse(follow(find_flow(function(code).code), (32, 1, 1), 0).offsets)
        code = [
            "S2R R0, SR_TID.X",
            "IMAD.SHL.U32 R2, R0, 0x4, RZ",
            "LDG.E R4, desc[UR6][R2.64]",
            "IADD3 R2, P0, R2, UR4, RZ",
            "ISETP.NE.AND P1, PT, R2, UR8, PT",
            "@P1 BRA 0x20",
            "EXIT",
        ]
        self.assertEqual(offsets_of(code, (32, 1, 1)), strided(4))

    def test_swizzle(self) -> None:
        # Lanes of a row of 8 words exchange places by an exclusive or with the row's number.
        code = [
            "S2R R0, SR_TID.X",
            "SHF.R.U32.HI R1, RZ, 0x3, R0",
            "LOP3.LUT R2, R0, R1, RZ, 0x3c, !PT",
            "IMAD.SHL.U32 R2, R2, 0x4, RZ",
            "STS [R2], R5",
            "EXIT",
        ]
        expected = [4 * (lane ^ (lane >> 3)) for lane in range(32)]
        self.assertEqual(list(offsets_of(code, (32, 1, 1))), expected)

    def test_what_is_not_known(self) -> None:
        for line in ("LDG.E R0, desc[UR4][R8.64]", "SHFL.IDX PT, R0, R0, R1, 0x1f"):
            code = ["S2R R0, SR_TID.X", line, "LDS R2, [R0]", "EXIT"]
            trace = follow(find_flow(function(code).code), (32, 1, 1), 0)
            self.assertNotIn(0x20, trace.offsets)

    def test_branch_on_the_warp(self) -> None:
        code = [
            "S2R R0, SR_TID.X",
            "SHF.R.U32.HI R1, RZ, 0x5, R0",
            "ISETP.NE.AND P0, PT, R1, 0x2, PT",
            "@P0 BRA 0x60",
            "MOV R4, R5",
            "EXIT",
            "MOV R6, R7",
            "EXIT",
        ]
        flow = find_flow(function(code).code)
        ways = [
            {
                i.address
                for b in follow(flow, (128, 1, 1), warp).reached
                for i in flow.blocks[b].code
            }
            for warp in (0, 2)
        ]
        self.assertIn(0x60, ways[0])
        self.assertNotIn(0x40, ways[0])
        self.assertIn(0x40, ways[1])
        self.assertNotIn(0x60, ways[1])

    def reached(self, lines: list[str], warp: int = 0) -> set[int]:
        """Addresses that a warp of 8 rows may run."""
        flow = find_flow(function(lines).code)
        trace = follow(flow, (32, 8, 1), warp)
        return {i.address for b in trace.reached for i in flow.blocks[b].code}

    # A row's place is that of its tile, which all threads share, plus the thread's number.
    PLACE = ("S2R R0, SR_TID.Y", "LDC R2, c[0x0][0x210]", "IMAD R2, R2, R9, R2",
             "MOV R2, UR9", "IADD3 R3, R2, R0, RZ", "VIADD R4, R2, 0x2")  # fmt: skip

    def ways(self, test: list[str], warp: int) -> tuple[bool, bool]:
        """Whether a warp may fall through, and branch, where P0 decides."""
        code = [*self.PLACE, *test]
        behind = 16 * (len(code) + 3)
        code += [f"@P0 BRA {behind:#x}", "MOV R10, R11", "EXIT", "MOV R12, R13", "EXIT"]
        reached = self.reached(code, warp)
        return behind - 32 in reached, behind in reached

    def test_places_in_a_tile(self) -> None:
        test = ["ISETP.LT.AND P0, PT, R3, R4, PT"]
        self.assertEqual([self.ways(test, w) for w in (1, 2)], [(False, True), (True, False)])
        # An edge of the domain is anywhere.
        self.assertEqual(self.ways(["ISETP.LT.AND P0, PT, R3, UR7, PT"], 1), (True, True))
        both = ["ISETP.LT.AND P1, PT, R3, UR7, PT", "ISETP.LT.AND P0, PT, R3, R4, P1"]
        self.assertEqual([self.ways(both, w) for w in (1, 2)], [(True, True), (True, False)])

    def test_predicates_in_bits_of_a_register(self) -> None:
        test = [
            "ISETP.LT.AND P1, PT, R3, R4, PT",
            "LOP3.LUT R26, R26, 0xfffffff7, RZ, 0xc0, !PT",
            "@P1 LOP3.LUT R26, R26, 0x8, RZ, 0xfc, !PT",
            "LOP3.LUT R26, R26, 0xfffffffb, RZ, 0xc0, !PT",
            "LOP3.LUT P0, RZ, R26, 0x8, RZ, 0xc0, !PT",
        ]
        self.assertEqual([self.ways(test, w) for w in (1, 2)], [(False, True), (True, False)])
        test[4] = "LOP3.LUT P0, RZ, R26, 0x10, RZ, 0xc0, !PT"
        self.assertEqual(self.ways(test, 1), (True, True))
        kept = [test[0], "P2R R5, PR, RZ, 0x2", "ISETP.NE.AND P0, PT, R5, RZ, PT"]
        self.assertEqual([self.ways(kept, w) for w in (1, 2)], [(False, True), (True, False)])

    def test_logic_of_predicates(self) -> None:
        first = "ISETP.LT.AND P1, PT, R3, R4, PT"
        for second, table, expected in [
            ("ISETP.GE.AND P2, PT, R3, R2, PT", "0x80", (False, True)),  # both hold
            ("ISETP.LT.AND P2, PT, R3, R2, PT", "0x80", (True, False)),
            ("ISETP.LT.AND P2, PT, R3, UR7, PT", "0x80", (True, True)),
            ("ISETP.LT.AND P2, PT, R3, UR7, PT", "0xf8", (False, True)),  # the first suffices
        ]:
            with self.subTest(second, table=table):
                logic = f"PLOP3.LUT P0, PT, P1, P2, PT, {table}, 0x0"
                self.assertEqual(self.ways([first, second, logic], 1), expected)


if __name__ == "__main__":
    unittest.main()
