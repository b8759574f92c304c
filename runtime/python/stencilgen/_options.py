"""What a program is compiled with, as options of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ._errors import OptionError

TARGETS = {
    "auto": [],
    "cpp": ["--target", "cpp"],
    "cuda": ["--target", "cuda"],
    "emulator": ["--target", "cuda", "--emulate"],
}


def all_options(
    target: str, fp: str, define: Mapping[str, int] | None, options: Sequence[str]
) -> list[str]:
    """Those but the target's, checked."""
    if target not in TARGETS:
        raise OptionError(f"target: expected one of {', '.join(TARGETS)}, given {target!r}")
    return ["--fp", fp, *_definitions(define or {}), *_checked_options(options)]


def _definitions(define: Mapping[str, int]) -> list[str]:
    arguments: list[str] = []
    for name, value in define.items():
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise OptionError(f"define: expected a whole number for `{name}`, given {value!r}")
        arguments += ["-D", f"{name}={int(value)}"]
    return arguments


def _checked_options(options: Sequence[str]) -> list[str]:
    if isinstance(options, str):
        raise OptionError(
            f"options: expected a list, as {options.split()}, given the text {options!r}"
        )
    for one in options:
        if not isinstance(one, str):
            raise OptionError(f"options: expected texts, given {one!r}")
    return list(options)
