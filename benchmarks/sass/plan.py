"""What a plan says of its kernels: facts of `stencilgen explain --json`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

Facts = dict[str, Any]

# Of the model of costs (compiler/plan/kernel_cost.cpp): issue slots that it counts on.
PRICED_ISSUE = 0.75


@dataclass(frozen=True)
class Price:
    """What the plan expects of a kernel: cycles of one SM for each pipe, a stored point and step;
    seconds of all; registers and blocks."""

    seconds: float
    arithmetic: float
    issue: float
    lsu: float
    registers: int
    blocks: int


@dataclass(frozen=True)
class KernelFacts:
    name: str
    threads: tuple[int, int, int]
    points: int  # of a thread and plane
    steps: int  # time steps that a launch makes
    stored: int  # arrays
    element: int  # bytes
    vectors: bool  # rows are aligned for the code with vectors
    shared: int  # bytes of a block
    launches: float
    seconds: float  # of a launch, by the plan
    grid: int  # blocks
    stored_points: float  # of a launch
    walked: float  # planes that a block walks along, those before and after its own counted
    dram_bytes: float  # a stored point, all steps of a launch
    l2_bytes: float
    price: Price | None  # of a plan; none of foreign code
    stages: int = 1  # warps of a block that share the time steps

    @property
    def block_threads(self) -> int:
        return math.prod(self.threads)

    @property
    def useful(self) -> float:
        """Stored points over computed ones, halos of all dimensions counted."""
        planes = self.grid * self.walked
        return self.stored_points / (planes * self.block_threads / self.stages * self.points)

    @property
    def made(self) -> float:
        """Points and time steps that a block stores, a plane that it walks."""
        return self.stored_points * self.steps / (self.grid * self.walked)


def _steps(plan: Facts, kernel: Facts) -> int:
    """Time steps of a launch: as often as the statement that it computes most often."""
    lines: Counter[tuple[Any, ...]] = Counter()
    for node in _operators(plan["graph"]["nodes"]):
        if node["id"] in kernel["operators"]:
            lines[(node["stencil"], *node["lines"])] += 1
    return max(lines.values(), default=1)


def _operators(nodes: list[Facts]) -> list[Facts]:
    found = []
    for node in nodes:
        found += [node] if node["kind"] == "operator" else _operators(node.get("nodes", []))
    return found


def _vectors(plan: Facts, kernel: Facts) -> bool:
    """True where rows of all arrays that the tile loads or stores begin at whole vectors."""
    tile = kernel.get("tile")
    if not tile:
        return True
    arrays, versions = plan["graph"]["arrays"], plan["graph"]["versions"]
    array_of = {v["id"]: arrays[v["array"]] for v in versions}
    moved = [v["version"] for v in tile["versions"] if v["loaded"]] + kernel["stores"]
    return all(array_of[v]["sizes"][-1] % tile["alignment"] == 0 for v in moved)


def _price(plan: Facts, kernel: Facts, point_steps: float) -> Price:
    device, traffic = plan["device"], kernel["traffic"]
    sms = device["multiprocessors"]
    # The plan charges for SMs that idle while the last blocks run.
    even = traffic["blocks"] / sms / math.ceil(traffic["blocks"] / sms)
    seconds = {unit["name"]: unit["seconds"] for unit in kernel["units"]}
    cycles = {name: s * even * sms * device["clock"] / point_steps for name, s in seconds.items()}
    return Price(
        kernel["seconds"],
        cycles["arithmetic"],
        cycles["instructions"] * PRICED_ISSUE,
        cycles["shared memory"],
        kernel["occupancy"]["registers"],
        kernel["occupancy"]["blocks"],
    )


def read_kernel(plan: Facts, kernel: Facts) -> KernelFacts:
    """Facts of a kernel that is launched. Requires: `kernel` is of `plan`, and has a price."""
    schedule, traffic, tile = kernel["schedule"], kernel["traffic"], kernel.get("tile")
    versions = {v["id"]: v for v in plan["graph"]["versions"]}
    arrays = plan["graph"]["arrays"]
    stored = [arrays[versions[v]["array"]] for v in kernel["stores"]]
    points = traffic["stores"] / max(1, len(stored))
    stages = tile.get("stages", 1) if tile else 1
    steps = _steps(plan, kernel) * stages
    block, unroll = schedule["block"], schedule["unroll"]
    return KernelFacts(
        name=kernel["name"],
        threads=(block[0], block[1] * stages, block[2]),
        points=math.prod(unroll),
        steps=steps,
        stored=max(1, len(stored)),
        element=max((a["element_bytes"] for a in stored), default=8),
        vectors=_vectors(plan, kernel),
        shared=tile["shared_bytes"] if tile else 0,
        launches=kernel["launches"] or 0,
        seconds=kernel["seconds"],
        grid=traffic["blocks"],
        stored_points=points,
        walked=traffic["steps"] / traffic["chunks"],
        dram_bytes=kernel["roofline"]["bytes"] / points,
        l2_bytes=traffic["cache_bytes"] / points,
        price=_price(plan, kernel, points * steps),
        stages=stages,
    )


def read_kernels(plan: Facts) -> list[KernelFacts]:
    """Kernels that the program launches, those first that the plan spends most time in."""
    priced = [k for k in plan["kernels"] if k["launches"] and k["seconds"] and k.get("traffic")]
    found = [read_kernel(plan, k) for k in priced]
    return sorted(found, key=lambda k: -k.launches * k.seconds)
