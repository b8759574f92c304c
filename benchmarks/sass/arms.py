"""Which parts of a loop's body an ordinary turn runs.

A warp whose lanes go different ways runs all of them, so that every arm of a branch counts, but for
two kinds: what only the first turn of the loop does, and what only odd numbers need.
"""

from __future__ import annotations

import re

from .flow import Flow
from .instructions import Instruction

COUNTING = ("IADD3", "VIADD", "IADD", "UIADD3", "IMAD")


def _paths(flow: Flow, blocks: set[int], header: int, left_out: set[tuple[int, int]]) -> set[int]:
    """Blocks that a turn reaches from its first one without these edges."""
    reached, stack = {header}, [header]
    while stack:
        b = stack.pop()
        for s in flow.blocks[b].successors:
            if s in blocks and s not in reached and (b, s) not in left_out:
                reached.add(s)
                stack.append(s)
    return reached


def _ends(flow: Flow, blocks: set[int], header: int) -> set[int]:
    """Blocks from which the next turn begins."""
    return {b for b in blocks if header in flow.blocks[b].successors}


def without_slow_paths(flow: Flow, blocks: set[int], header: int) -> set[int]:
    """Of blocks that a turn runs, those that ordinary numbers take: without calls, as of divisions
    and roots of numbers that the short sequence is wrong for, and without what leads to calls only.
    All of them where a call lies on every path."""
    kept = {b for b in blocks if not flow.blocks[b].calls}
    ends = _ends(flow, blocks, header)
    changed = True
    while changed:
        changed = False
        for b in sorted(kept - ends):
            following = flow.blocks[b].successors
            if following and all(s in blocks and s not in kept for s in following):
                kept.discard(b)
                changed = True
    if header not in kept:
        return set(blocks)
    reached = _paths(flow, kept, header, set())
    return set(blocks) if ends and not ends & reached else reached


def _registers(operands: list[str]) -> list[str]:
    return [m for o in operands for m in re.findall(r"\bU?R\d+\b", o)]


def _written(i: Instruction) -> set[str]:
    """Registers of 32 bits that an instruction writes, as far as counters are concerned: the first
    one of wide results suffices, because counters have no wide ones."""
    match = re.match(r"U?R\d+", i.operands[0]) if i.operands else None
    return {match[0]} if match and not i.opcode.startswith(("ST", "RED")) else set()


def _counters(code: list[Instruction]) -> set[str]:
    """Registers that a loop's body only counts up or down, however many turns are unrolled."""
    counted: set[str] = set()
    other: set[str] = set()
    for i in code:
        for name in _written(i):
            itself = name in _registers(i.operands[1:])
            (counted if itself and i.base in COUNTING else other).add(name)
    return counted - other


def _equal_arm(code: list[Instruction], branch: Instruction) -> bool | None:
    """Where a branch depends on a counter's being equal to what is none: true if it is taken then,
    false if it falls through. None of other branches."""
    counters = _counters(code)
    predicate, negated = branch.guard.lstrip("!"), branch.guard.startswith("!")
    tests = [
        i
        for i in code
        if i.address < branch.address
        and i.base in ("ISETP", "UISETP")
        and i.operands[0] == predicate
    ]
    if not tests or not predicate:
        return None
    # A comparison of 64 bits is one of each half, the lower one first, which tells what is counted:
    # the other side may be computed anew in each turn for want of registers.
    parts = tests[-2:] if "EX" in tests[-1].modifiers else tests[-1:]
    how = {i.modifiers[0] for i in parts}
    sides = [set(_registers([o])) for o in parts[0].operands[2:4]]
    if sum(bool(side & counters) for side in sides) != 1:
        return None
    if how == {"EQ"}:
        return not negated
    return negated if how == {"NE"} else None


def without_first_turn(flow: Flow, blocks: set[int], header: int) -> set[int]:
    """Of a loop's blocks, those that turns after the first one run: an arm for the one turn in
    which a counter has a certain value, as of loads that fill a window, is left out."""
    code, left_out = flow.code_of(blocks), set()
    ends = _ends(flow, blocks, header)
    for b in blocks:
        block = flow.blocks[b]
        if b in ends or block.taken is None or len(block.successors) != 2:
            continue
        taken_if_equal = _equal_arm(code, block.code[-1])
        if taken_if_equal is None:
            continue
        fallen = next((s for s in block.successors if s != block.taken), block.taken)
        left_out.add((b, block.taken if taken_if_equal else fallen))
    reached = _paths(flow, blocks, header, left_out)
    return reached if ends & reached else set(blocks)


def conditional(flow: Flow, blocks: set[int], header: int) -> set[int]:
    """Addresses of instructions that some turns or threads leave out."""
    ends = _ends(flow, blocks, header)
    addresses = {
        i.address for b in blocks for i in flow.blocks[b].code if i.guard and i.target is None
    }
    for b in blocks - ends - {header}:
        around = {(p, b) for p in flow.blocks[b].predecessors}
        if ends & _paths(flow, blocks, header, around):
            addresses.update(i.address for i in flow.blocks[b].code)
    return addresses
