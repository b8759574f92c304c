"""Reading SASS: instructions, control codes, resources."""

from __future__ import annotations

import unittest

from sass.instructions import decode_control, parse_instruction, parse_resources, parse_sass
from sass.machine import DEVICES, access_bytes, classify, occupancy
from sass_text import NAME, function, listing


class Instructions(unittest.TestCase):
    def test_parts(self) -> None:
        i = parse_instruction(0x40, "@!P0 LDG.E.128.CONSTANT R4, desc[UR14][R62.64+-0x10]")
        self.assertEqual((i.guard, i.base), ("!P0", "LDG"))
        self.assertEqual(i.operands, ["R4", "desc[UR14][R62.64+-0x10]"])
        self.assertEqual(access_bytes(i), 16)
        self.assertEqual(parse_instruction(0, "FADD R0, R1.reuse, R2").operands[1], "R1")

    def test_branches(self) -> None:
        self.assertEqual(parse_instruction(0, "@P0 BRA 0x1a0").target, 0x1A0)
        self.assertEqual(parse_instruction(0, "BRA.U !UP0, 0x20").target, 0x20)
        self.assertTrue(parse_instruction(0, "BRA.U !UP0, 0x20").is_conditional)
        self.assertTrue(parse_instruction(0, "BRA 0x20").ends_path)
        self.assertFalse(parse_instruction(0, "@P0 EXIT").ends_path)
        text = 'BRX R2 -0x700 (*"BRANCH_TARGETS 0x40,0x90"*)'
        self.assertEqual(parse_instruction(0, text).targets, [0x40, 0x90])

    def test_what_is_none(self) -> None:
        with self.assertRaises(ValueError):
            parse_instruction(0, "{ }")

    def test_control_codes(self) -> None:
        # As nvcc 13 writes them: a DFMA for sm_90, one for sm_120, a load of a constant.
        plain = decode_control(0x000FE40008000042)
        self.assertEqual((plain.stall, plain.wait_mask), (2, 0))
        self.assertIsNone(plain.write_scoreboard)
        waiting = decode_control(0x001FDE0008000028)
        self.assertEqual((waiting.stall, waiting.wait_mask), (15, 1))
        load = decode_control(0x000E220000000800)
        self.assertEqual((load.stall, load.write_scoreboard), (1, 0))
        self.assertIsNone(load.read_scoreboard)

    def test_functions(self) -> None:
        text = listing(["MOV R1, R2 | stall=4", "EXIT"]) + "\n" + listing(["EXIT"], "other")
        functions = parse_sass(text)
        self.assertEqual([len(functions[n].code) for n in (NAME, "other")], [2, 1])
        self.assertEqual(functions[NAME].code[0].control.stall, 4)
        self.assertTrue(functions[NAME].code[0].has_control)

    def test_text_without_bits(self) -> None:
        code = parse_sass("Function : f\n        /*0000*/   EXIT ;")["f"].code
        self.assertFalse(code[0].has_control)

    def test_resources(self) -> None:
        text = " Function k:\n  REG:80 STACK:8 SHARED:1024 LOCAL:0 CONSTANT[0]:592 TEXTURE:0"
        self.assertEqual(parse_resources(text)["k"]["REG"], 80)
        self.assertEqual(parse_resources(text)["k"]["SHARED"], 1024)


class Pipes(unittest.TestCase):
    def test_classes(self) -> None:
        expected = {
            "DFMA R0, R2, R4, R6": ("fp64", "fp64"),
            "FFMA R0, R2, R4, R6": ("fp32", "fma"),
            "FSETP.GEU.AND P0, PT, R2, R4, PT": ("select", "alu"),
            "IMAD.MOV.U32 R0, RZ, RZ, R1": ("move", "imad"),
            "IMAD.WIDE R0, R1, 0x8, R2": ("integer", "imad"),
            "MUFU.RSQ R0, R1": ("mufu", "xu"),
            "ULDC.64 UR4, c[0x0][0x210]": ("uniform", "uniform"),
            "SHFL.DOWN PT, R0, R52, 0x1, 0x1f": ("shuffle", "lsu"),
            "STL.64 [R1], R4": ("spill", "lsu"),
            "BAR.SYNC.DEFER_BLOCKING 0x0": ("barrier", "control"),
            "ISETP.GE.AND P0, PT, R0, R1, PT": ("predicate", "alu"),
            "LOP3.LUT R0, R1, 0x1f, RZ, 0xc0, !PT": ("integer", "alu"),
        }
        for text, kind in expected.items():
            with self.subTest(text):
                self.assertEqual(classify(parse_instruction(0, text)), kind)

    def test_every_instruction_has_a_class(self) -> None:
        self.assertEqual(classify(function(["QXYZ R0, R1"]).code[0]), ("other", "other"))

    def test_occupancy(self) -> None:
        hopper = DEVICES["sm_90"]
        self.assertEqual(occupancy(hopper, 212, 32, 0), 8)
        self.assertEqual(occupancy(hopper, 128, 256, 36992), 2)
        self.assertEqual(occupancy(hopper, 146, 256, 0), 1)
        self.assertEqual(occupancy(hopper, 32, 32, 0), 32)
        self.assertEqual(occupancy(hopper, 32, 1024, 0), 2)
        self.assertEqual(occupancy(hopper, 64, 256, 90000), 2)
        self.assertEqual(occupancy(hopper, 64, 256, 227 * 1024), 1)


if __name__ == "__main__":
    unittest.main()
