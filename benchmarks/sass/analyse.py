"""Puts together what a kernel's machine code and its plan say: counts, bounds, simulated rate."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from .instructions import Function
from .machine import SCHEDULERS, WARP, Device, occupancy
from .plan import KernelFacts
from .simulate import Result, simulate
from .steady import Steady, WarpKind, find_steady
from .toolkit import SassError

GIGA = 1e9


@dataclass
class Analysis:
    """Of one kernel. Counts and cycles are for a stored point and time step; rates are 1e9 of those
    a second."""

    facts: KernelFacts
    registers: int
    blocks: int  # of an SM, as registers and shared memory allow
    resident: int  # of those, as many as there are
    steady: Steady
    spills: int  # loads and stores of spilled registers in a turn of all kinds of warps
    counts: dict[str, float] = field(default_factory=dict)
    cycles: dict[str, float] = field(default_factory=dict)  # of an SM, by pipe
    bounds: dict[str, float] = field(default_factory=dict)
    sim: float = 0.0
    problem: str = ""  # why there are no numbers

    @property
    def bound(self) -> str:
        return min(self.bounds, key=lambda name: self.bounds[name])

    @property
    def price(self) -> float:
        """The plan's own rate; 0 without a plan."""
        if self.facts.price is None:
            return 0.0
        return self.facts.stored_points * self.facts.steps / self.facts.seconds / GIGA

    def agreement(self) -> dict[str, float]:
        """The plan's cycles of each pipe over those of the machine code."""
        price = self.facts.price
        if price is None:
            return {}
        own = {"arithmetic": price.arithmetic, "issue": price.issue, "lsu": price.lsu}
        return {name: own[name] / self.cycles[name] for name in own if self.cycles.get(name)}


def find_function(functions: dict[str, Function], facts: KernelFacts) -> Function:
    """The kernel's code: of two variants the one with vectors where rows are aligned, or the one
    with 32-bit positions."""
    part = f"{len(facts.name)}{facts.name}"
    pattern = re.compile(rf"(?<!\d){part}(?=[A-Za-z])")
    named = [f for name, f in functions.items() if pattern.search(name)]
    wanted = (f"{part}ILb{int(facts.vectors)}E", f"{part}IiE")
    best = [f for f in named if any(each in f.name for each in wanted)]
    best = best or [f for f in named if "ILb" not in f.name]
    if not best and facts.price is None:  # foreign code: a part of the name
        best = [f for name, f in functions.items() if facts.name in name]
    if not best or (facts.price is None and len(best) > 1):
        raise SassError(f"the machine code has not one kernel {facts.name}: {', '.join(functions)}")
    return best[0]


def pipe_cycles(device: Device, kind: WarpKind) -> dict[str, float]:
    """Cycles of an SM that a turn of one warp takes of each pipe. `arithmetic` is floating point
    alone, on its own pipe; `fma` has the integer multiply-adds besides."""
    cycles: dict[str, float] = defaultdict(float)
    for op in kind.ops:
        cycles["issue"] += 1 / SCHEDULERS
        if op.pipe == "lsu":
            cycles["lsu"] += op.waves
        elif op.pipe == "imad":
            cycles["imad"] += device.busy("imad") / SCHEDULERS
            cycles["fma"] += 1 / SCHEDULERS
        elif op.pipe not in ("control", "other"):
            cycles[op.pipe] += device.busy(op.pipe) / SCHEDULERS
        if op.kind in ("fp64", "fp32"):
            cycles["arithmetic"] += device.busy(op.pipe) / SCHEDULERS
    return cycles


def planes_of_turn(facts: KernelFacts, kinds: list[WarpKind]) -> list[float]:
    """Planes that a turn of each kind of warps makes: by what it stores; of a kind that stores
    nothing by its barriers, which it meets with those that do."""
    whole = facts.element * facts.points * facts.stored
    planes = [kind.stored_bytes / whole for kind in kinds]
    storing = [n for n, p in enumerate(planes) if p > 0]
    if not storing:
        raise SassError("its steady code stores nothing")
    first = storing[0]
    for n, kind in enumerate(kinds):
        if planes[n] == 0:
            joined = kinds[first].barriers
            planes[n] = planes[first] * (kind.barriers / joined if joined else 1)
    return planes


def _per_point(facts: KernelFacts, kinds: list[WarpKind], planes: list[float]) -> list[float]:
    """Turns of all warps of each kind for a stored point and step."""
    return [len(kind.warps) / p / facts.made for kind, p in zip(kinds, planes)]


COUNTED = {
    "fp": ("fp64", "fp32"),
    "int": ("integer", "predicate", "select"),
    "mov": ("move",),
    "uni": ("uniform",),
    "shuffle": ("shuffle",),
    "mufu": ("mufu",),
    "spill": ("spill",),
}


def _count(analysis: Analysis, device: Device, planes: list[float]) -> None:
    kinds = analysis.steady.kinds
    each = _per_point(analysis.facts, kinds, planes)
    counts: dict[str, float] = defaultdict(float)
    cycles: dict[str, float] = defaultdict(float)
    for kind, turns in zip(kinds, each):
        lanes = turns * WARP
        counts["instr"] += len(kind.ops) * lanes
        counts["lsu"] += kind.waves * lanes
        counts["conflicts"] += kind.conflicts * lanes
        counts["uncoalesced"] += kind.uncoalesced * lanes
        for name, parts in COUNTED.items():
            counts[name] += kind.count(*parts) * lanes
        for pipe, busy in pipe_cycles(device, kind).items():
            cycles[pipe] += busy * turns
    counts["barriers"] = max(kind.barriers / p for kind, p in zip(kinds, planes))
    analysis.counts, analysis.cycles = dict(counts), dict(cycles)


def _bound(analysis: Analysis, device: Device) -> None:
    facts = analysis.facts
    rate = device.sms * device.clock / GIGA
    analysis.bounds = {
        pipe: rate / busy for pipe, busy in analysis.cycles.items() if pipe != "arithmetic"
    }
    for name, bandwidth, moved in (
        ("dram", device.dram, facts.dram_bytes),
        ("l2", device.l2, facts.l2_bytes),
    ):
        if moved > 0:
            analysis.bounds[name] = bandwidth / moved * facts.steps / GIGA


def _simulated(analysis: Analysis, device: Device, planes: list[float]) -> float:
    """Point-steps of a second at the simulated pace, as far as memory allows."""
    facts, kinds = analysis.facts, analysis.steady.kinds
    result: Result = simulate(device, kinds, analysis.resident)
    made = analysis.resident * facts.made
    # All kinds make planes at one pace; the slowest says which.
    pace = min(result.turns[k] * p for k, p in enumerate(planes)) / result.cycles
    rate = made * pace * device.sms * device.clock / GIGA
    return min([rate, *(analysis.bounds[m] for m in ("dram", "l2") if m in analysis.bounds)])


def analyse(
    device: Device, facts: KernelFacts, function: Function, resources: dict[str, int]
) -> Analysis:
    """Analyses a kernel. Where that cannot be done, `problem` says why."""
    registers = resources.get("REG", 0)
    shared = max(facts.shared, resources.get("SHARED", 0))
    blocks = occupancy(device, registers, facts.block_threads, shared)
    resident = max(1, min(blocks, -(-facts.grid // device.sms)))
    steady = find_steady(function, facts.threads)
    spills = sum(kind.count("spill") for kind in steady.kinds)
    analysis = Analysis(facts, registers, blocks, resident, steady, spills)
    try:
        if not all(i.has_control for i in function.code):
            raise SassError("the text has no bits of instructions")
        planes = planes_of_turn(facts, steady.kinds)
        _count(analysis, device, planes)
        _bound(analysis, device)
        if any(abs(p - round(p)) > 1e-6 for p in planes):
            steady.notes.append("a turn stores no whole planes")
        analysis.sim = _simulated(analysis, device, planes)
    except SassError as error:
        analysis.problem = str(error)
    return analysis
