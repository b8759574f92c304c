"""From a program's text to the analyses of its kernels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .analyse import Analysis, analyse, find_function
from .instructions import parse_resources, parse_sass
from .machine import DEVICES, Device
from .plan import KernelFacts, read_kernels
from .stencilgen import generate
from .toolkit import SassError, Toolkit, compile_cubin, disassemble, resource_usage

# Kernels that take less of the program's time, by the plan, are left out.
LEAST_SHARE = 0.2


@dataclass(frozen=True)
class Tools:
    toolkit: Toolkit
    stencilgen: str
    arch: str

    @property
    def device(self) -> Device:
        return DEVICES[self.arch]


def find_device(arch: str) -> Device:
    """Raises SassError where nothing is known of the architecture."""
    if arch not in DEVICES:
        raise SassError(f"nothing is known of {arch}: it may be {', '.join(DEVICES)}")
    return DEVICES[arch]


def analyse_cubin(
    tools: Tools, cubin: Path, kernels: list[KernelFacts], device: Device
) -> list[Analysis]:
    """Analyses kernels of a cubin. Raises SassError where one is not in it."""
    functions = parse_sass(disassemble(tools.toolkit, cubin))
    resources = parse_resources(resource_usage(tools.toolkit, cubin))
    analyses = []
    for facts in kernels:
        function = find_function(functions, facts)
        analyses.append(analyse(device, facts, function, resources.get(function.name, {})))
    return analyses


def analyse_program(
    tools: Tools, name: str, text: str, options: list[str], least: float = LEAST_SHARE
) -> list[Analysis]:
    """Compiles a program and analyses its kernels that take at least a share of its time, by the
    plan; that which takes most comes first. Raises SassError with what a tool said."""
    device = find_device(tools.arch)
    if not any(option.startswith("--arch") for option in options):
        options = [*options, "--arch", device.planned_as]
    code, plan = generate(tools.stencilgen, name, text, options)
    kernels = read_kernels(plan)
    if not kernels:
        raise SassError("the plan has no kernel that is launched and priced")
    whole = sum(k.launches * k.seconds for k in kernels)
    large = [k for k in kernels if k.launches * k.seconds >= least * whole]
    return analyse_cubin(tools, compile_cubin(tools.toolkit, code, tools.arch), large, device)
