"""Control flow of a kernel: blocks of instructions, loops, slow paths."""

from __future__ import annotations

from dataclasses import dataclass, field

from .instructions import Instruction

ENCODED = 16  # bytes of an instruction


@dataclass
class Block:
    """Instructions that run one after the other."""

    code: list[Instruction]
    successors: list[int] = field(default_factory=list)
    predecessors: list[int] = field(default_factory=list)
    taken: int | None = None  # of a conditional branch at the end: where it leads

    @property
    def calls(self) -> bool:
        return any(i.base == "CALL" for i in self.code)


@dataclass
class Loop:
    """A natural loop: all blocks from which the branches back to its header are reached."""

    header: int
    blocks: set[int]
    depth: int = 1  # of loops that hold it, itself counted

    def inside(self, other: Loop) -> bool:
        return self is not other and self.blocks < other.blocks


@dataclass
class Flow:
    blocks: list[Block]
    order: list[int]  # reverse postorder of what the entry reaches
    loops: list[Loop]

    def code_of(self, blocks: set[int]) -> list[Instruction]:
        """Instructions of blocks, in the order of addresses."""
        return sorted((i for b in blocks for i in self.blocks[b].code), key=lambda i: i.address)


def _synchronized(code: list[Instruction]) -> dict[int, list[int]]:
    """Where BSYNC instructions that do not stand right before a place of convergence lead."""
    places: dict[str, list[int]] = {}
    for i in code:
        if i.base == "BSSY" and len(i.operands) == 2:
            places.setdefault(i.operands[0], []).append(int(i.operands[1], 16))
    jumps = {}
    for i in code:
        known = places.get(i.operands[0], []) if i.base == "BSYNC" and i.operands else []
        if known and not {i.address, i.address + ENCODED} & set(known):
            jumps[i.address] = known
    return jumps


def _split(code: list[Instruction]) -> list[Block]:
    """Blocks, with their edges."""
    jumps = _synchronized(code)
    leaders = {code[0].address}
    for i in code:
        targets = [i.target] if i.target is not None else i.targets + jumps.get(i.address, [])
        leaders.update(t for t in targets if t is not None)
        if targets or i.ends_path:
            leaders.add(i.address + ENCODED)
    blocks: list[Block] = []
    at: dict[int, int] = {}
    for i in code:
        if i.address in leaders:
            at[i.address] = len(blocks)
            blocks.append(Block([]))
        blocks[-1].code.append(i)
    for n, block in enumerate(blocks):
        last = block.code[-1]
        targets = [last.target] if last.target is not None else list(last.targets)
        falls = not last.ends_path
        if last.address in jumps:
            targets, falls = list(jumps[last.address]), False
        if last.target is not None and falls:
            block.taken = at.get(last.target)
        following = [at[t] for t in targets if t in at]
        if falls and n + 1 < len(blocks):
            following.append(n + 1)
        block.successors = list(dict.fromkeys(following))
        for s in block.successors:
            blocks[s].predecessors.append(n)
    return blocks


def _reverse_postorder(blocks: list[Block]) -> list[int]:
    seen, order = {0}, []
    stack = [(0, iter(blocks[0].successors))]
    while stack:
        block, successors = stack[-1]
        following = next((s for s in successors if s not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(blocks[following].successors)))
    return order[::-1]


def _dominators(blocks: list[Block], order: list[int]) -> dict[int, int]:
    """Bits of the blocks that lie on every path to a block."""
    everything = (1 << len(blocks)) - 1
    dominators = dict.fromkeys(order, everything)
    dominators[0] = 1
    changed = True
    while changed:
        changed = False
        for b in order[1:]:
            bits = everything
            for p in blocks[b].predecessors:
                if p in dominators:
                    bits &= dominators[p]
            bits |= 1 << b
            if bits != dominators[b]:
                dominators[b], changed = bits, True
    return dominators


def _find_loops(blocks: list[Block], order: list[int]) -> list[Loop]:
    dominators = _dominators(blocks, order)
    by_header: dict[int, set[int]] = {}
    for b in order:
        for header in blocks[b].successors:
            if not dominators[b] >> header & 1:
                continue
            members = by_header.setdefault(header, {header})
            stack = [b]
            while stack:
                block = stack.pop()
                if block not in members:
                    members.add(block)
                    stack += [p for p in blocks[block].predecessors if p in dominators]
    loops = [Loop(header, members) for header, members in by_header.items()]
    for loop in loops:
        loop.depth = 1 + sum(loop.inside(other) for other in loops)
    return loops


def find_flow(code: list[Instruction]) -> Flow:
    """Blocks and loops. Requires: at least one instruction."""
    blocks = _split(code)
    order = _reverse_postorder(blocks)
    return Flow(blocks, order, _find_loops(blocks, order))


def reachable(flow: Flow, start: set[int]) -> set[int]:
    """Blocks that paths from these reach, themselves among them."""
    seen, stack = set(start), list(start)
    while stack:
        for s in flow.blocks[stack.pop()].successors:
            if s not in seen:
                seen.add(s)
                stack.append(s)
    return seen
