"""Calls like the one before, without asking everything again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._interface import Array, Interface, Scalar
from ._library import Library

_REAL = ("double", "float")


class Repeat:
    """A call that was checked, and what must be as it was for another one to be right too: the same
    arguments by name, numpy arrays of these shapes and types without gaps, the same parameters, and
    floating numbers as scalars."""

    def __init__(
        self, library: Library, kwargs: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> None:
        interface = library.interface
        self._library = library
        self._count = len(kwargs)
        keys = {interface.keywords[key]: key for key in kwargs}
        plan: list[tuple[str, Any, Any]] = []
        ends: list[int] = []
        for one in interface.arguments:
            if isinstance(one, Scalar):
                plan.append((keys[one.name], None, None))
            else:
                value = kwargs[keys[one.name]]
                plan.append((keys[one.name], one.dtype, value.shape))
                ends.append(value.nbytes)
        self._plan = tuple(plan)
        self._bytes = tuple(ends)
        self._given = tuple(
            (keys[one.name], sizes[one.name]) for one in interface.parameters if one.name in keys
        )
        self._tail = tuple(sizes[one.name] for one in interface.parameters)

    @staticmethod
    def of(
        interface: Interface, library: Library, kwargs: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> Repeat | None:
        """From a call that has worked; None where it is no usual one."""
        if library.on_device or any(key not in interface.keywords for key in kwargs):
            return None
        for one in interface.arguments:
            if isinstance(one, Array) and not one.visible:
                return None
            if isinstance(one, Scalar) and one.type not in _REAL:
                return None
        return Repeat(library, kwargs, sizes)

    def call(self, kwargs: Mapping[str, Any]) -> bool:
        """Calls the program where these arguments are like those before; else it does nothing."""
        if len(kwargs) != self._count:
            return False
        get = kwargs.get
        arguments: list[Any] = []
        pointers: list[int] = []
        for key, dtype, shape in self._plan:
            value = get(key)
            if dtype is None:
                if type(value) is not float:
                    return False
                arguments.append(value)
                continue
            if (
                type(value) is not np.ndarray
                or value.shape != shape
                or value.dtype is not dtype
                or not value.flags.carray
            ):
                return False
            pointer = value.__array_interface__["data"][0]
            arguments.append(pointer)
            pointers.append(pointer)
        for key, number in self._given:
            value = get(key)
            if type(value) is not int or value != number:
                return False
        if len(pointers) > 1 and self._overlap(pointers):
            return False
        library = self._library
        library.enter()
        library.check(library.host(*arguments, *self._tail))
        return True

    def _overlap(self, pointers: list[int]) -> bool:
        spans = sorted(zip(pointers, self._bytes))
        last = 0
        for pointer, size in spans:
            if pointer < last:
                return True
            last = pointer + size
        return False
