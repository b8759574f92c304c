"""Warps in time: small loops whose pace is known."""

from __future__ import annotations

import unittest

from sass.machine import DEVICES
from sass.simulate import simulate
from sass.steady import WarpKind
from sass.toolkit import SassError
from sass_text import kind

HOPPER = DEVICES["sm_90"]


def pace(kinds: list[WarpKind], blocks: int = 1) -> list[float]:
    """Cycles of a turn of each kind's warps."""
    result = simulate(HOPPER, kinds, blocks)
    return [result.cycles_a_turn(n) for n in range(len(kinds))]


class Pipes(unittest.TestCase):
    def check(self, line: str, warps: int, cycles: float, blocks: int = 1) -> None:
        with self.subTest(line, warps=warps):
            (found,) = pace([kind([line] * 10, warps)], blocks)
            self.assertAlmostEqual(found, cycles, delta=cycles / 50)

    def test_stall_counts(self) -> None:
        self.check("FADD R0, R1, R2 | stall=4", 1, 40)
        self.check("FADD R0, R1, R2 | stall=4", 4, 40)  # a scheduler each

    def test_rates(self) -> None:
        self.check("DFMA R0, R2, R4, R6", 1, 20)
        self.check("DFMA R0, R2, R4, R6", 16, 80)
        self.check("FFMA R0, R1, R2, R3", 16, 40)
        self.check("IMAD R0, R1, R2, R3", 16, 80)
        self.check("LOP3.LUT R0, R1, R2, RZ, 0xc0, !PT", 16, 80)
        self.check("MUFU.RCP R0, R1", 16, 320)

    def test_blocks_share_what_warps_do(self) -> None:
        self.check("DFMA R0, R2, R4, R6", 1, 80, blocks=16)

    def test_one_lsu_for_all_schedulers(self) -> None:
        self.check("LDS.128 R0, [R4]", 16, 16 * 10 * 4)
        self.check("SHFL.UP PT, R0, R1, 0x1, RZ", 8, 80)

    def test_two_pipes_at_once(self) -> None:
        lines = ["DFMA R0, R2, R4, R6", "LOP3.LUT R0, R1, R2, RZ, 0xc0, !PT"] * 5
        self.assertAlmostEqual(pace([kind(lines, 16)])[0], 40, delta=1)


class Waiting(unittest.TestCase):
    def test_load(self) -> None:
        lines = ["LDG.E R0, [R2] | write=0", "FADD R1, R0, R0 | stall=4 wait=1"]
        # A cycle in the lsu, 600 until the value is there, 4 until the next turn may go.
        self.assertEqual(pace([kind(lines)])[0], 605)
        # Another warp of the scheduler waits at the same time.
        self.assertAlmostEqual(pace([kind(lines, 8)])[0], 606, delta=4)

    def test_load_ahead(self) -> None:
        lines = ["FADD R1, R0, R0 | stall=4 wait=1", "LDG.E R0, [R2] | write=0"]
        lines += ["FADD R3, R4, R4 | stall=10"] * 50
        # 500 of the 601 cycles are hidden.
        self.assertAlmostEqual(pace([kind(lines)])[0], 605, delta=2)

    def test_groups_of_copies(self) -> None:
        lines = ["LDGSTS.E [R0], [R2]", "LDGDEPBAR", "DEPBAR.LE SB0, {left}"]
        one, two = ([line.format(left=n) for line in lines] for n in ("0x0", "0x1"))
        self.assertAlmostEqual(pace([kind(one)])[0], 602, delta=4)
        self.assertAlmostEqual(pace([kind(two)])[0], 301, delta=4)


class Barriers(unittest.TestCase):
    def test_slow_warps_hold_up_others(self) -> None:
        slow = kind([*["FADD R0, R1, R2 | stall=4"] * 30, "BAR.SYNC 0x0"], [0, 1, 2])
        fast = kind(["FADD R0, R1, R2", "BAR.SYNC 0x0"], [3])
        # 120 cycles, and 21 + 2 * 4 until four warps go on.
        self.assertEqual(pace([slow, fast]), [149, 149])

    def test_blocks_do_not_wait_for_each_other(self) -> None:
        turn = kind([*["FADD R0, R1, R2 | stall=4"] * 30, "BAR.SYNC 0x0"], 4)
        self.assertEqual(pace([turn], blocks=2), [149])

    def test_kinds_with_different_turns(self) -> None:
        # One unrolls two rows, with a barrier each.
        row = [*["FADD R0, R1, R2 | stall=4"] * 30, "BAR.SYNC 0x0"]
        one, two = pace([kind([*row, *row], [0, 1]), kind(row, [2, 3])])
        self.assertAlmostEqual(one / two, 2, delta=0.02)

    def test_barrier_of_some_warps(self) -> None:
        slow = kind([*["FADD R0, R1, R2 | stall=10"] * 10, "BAR.SYNC 0x1, 0x40"], [0, 1])
        alone = kind(["FADD R0, R1, R2 | stall=10"], [2])
        # Whoever is not among them goes on at its own pace.
        together, apart = pace([slow, alone])
        self.assertEqual(together, 100 + 21 + 2 * 2)
        self.assertAlmostEqual(apart, 10, delta=0.5)

    def test_arriving_without_waiting(self) -> None:
        # A buffer is filled and emptied in turns.
        works = ["FADD R0, R1, R2 | stall=10"]
        fills = ["BAR.SYNC 0x1, 0x40", *works * 20, "BAR.ARV 0x2, 0x40"]
        empties = ["BAR.ARV 0x1, 0x40", "BAR.SYNC 0x2, 0x40", *works * 5]
        one, two = pace([kind(fills, [0]), kind(empties, [1])])
        self.assertAlmostEqual(one, two, delta=2)
        self.assertGreater(one, 250)

    def test_barrier_that_never_opens(self) -> None:
        waits = kind(["BAR.SYNC 0x0"], [0])
        with self.assertRaisesRegex(SassError, "never open"):
            pace([waits, kind(["BAR.SYNC 0x1"], [1])])


if __name__ == "__main__":
    unittest.main()
