"""What a program is called with: its arrays, scalars and parameters, and the sizes they imply."""

from __future__ import annotations

import ctypes
import importlib
import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

#: An element type of the language, as numpy knows it and as a C function takes it.
DTYPES: dict[str, np.dtype[Any]] = {
    "double": np.dtype(np.float64),
    "float": np.dtype(np.float32),
    "int": np.dtype(np.int32),
    "bool": np.dtype(np.bool_),
}


def _bfloat16() -> Any:
    """numpy knows it where ml_dtypes is installed; else its bits are whole numbers."""
    try:
        return importlib.import_module("ml_dtypes").bfloat16
    except ImportError:
        return np.uint16


#: Types that only elements of arrays have.
NARROW_DTYPES: dict[str, np.dtype[Any]] = {
    "half": np.dtype(np.float16),
    "bfloat16": np.dtype(_bfloat16()),
    "int8": np.dtype(np.int8),
    "uint8": np.dtype(np.uint8),
    "int16": np.dtype(np.int16),
    "uint16": np.dtype(np.uint16),
}
#: The language's name of an element type. Two bytes are whole numbers, where bfloat16 has no type.
_TYPE_NAMES = {dtype: name for name, dtype in {**NARROW_DTYPES, **DTYPES}.items()}
_TYPE_NAMES[np.dtype(np.uint16)] = "uint16"
CTYPES: dict[str, Any] = {
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "int": ctypes.c_int,
    "bool": ctypes.c_bool,
}
INT_MAX = 2**31 - 1
INT_MIN = -(2**31)


def dtype_of(type_name: str) -> np.dtype[Any]:
    """The numpy type of elements of a type of the language."""
    return NARROW_DTYPES.get(type_name) or DTYPES[type_name]


def type_of(dtype: np.dtype[Any]) -> str | None:
    """What the language calls elements of a numpy type; None where it has no such type."""
    return _TYPE_NAMES.get(dtype)


def known_types() -> str:
    """The numpy types that elements may have, for messages."""
    return ", ".join(str(one) for one in {**DTYPES, **NARROW_DTYPES}.values())


def python_name(name: str) -> str:
    """The name as a keyword argument: ``in_`` for ``in``."""
    return name + "_" if keyword.iskeyword(name) else name


@dataclass(frozen=True)
class Extent:
    """A constant and factors of parameters."""

    text: str
    constant: int
    terms: tuple[tuple[str, int], ...]

    def value(self, sizes: Mapping[str, int]) -> int:
        """How many elements there are with these sizes."""
        return self.constant + sum(factor * sizes[name] for name, factor in self.terms)


@dataclass(frozen=True)
class Array:
    """An array that the program is called with."""

    name: str
    type: str
    extents: tuple[Extent, ...]
    is_input: bool
    is_output: bool
    constant: bool

    @cached_property
    def visible(self) -> bool:
        """An input or output; else it is the program's own."""
        return self.is_input or self.is_output

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of its elements."""
        return dtype_of(self.type)

    @property
    def shape_text(self) -> str:
        """As the program declares it: ``[M, N]``."""
        return "[" + ", ".join(extent.text for extent in self.extents) + "]"

    def whole(self, value: Any) -> Any:
        """What is given for an array that is copied: a number is an array of one element, as
        scalars that take reductions are."""
        if self.shape_text == "[1]" and isinstance(value, (bool, int, float, np.generic)):
            return np.full(1, value, self.dtype)
        return value


@dataclass(frozen=True)
class Scalar:
    """A number that the program is called with."""

    name: str
    type: str


@dataclass(frozen=True)
class Parameter:
    """A size or a count."""

    name: str
    default: int | None
    fixed: int | None  #: by ``define``


class Interface:
    """What a program is called with.

    ``arguments``: arrays and scalars in the order in which the program declares them.
    """

    def __init__(self, description: Mapping[str, Any]) -> None:
        self.function = str(description["function"])
        self.iterators: tuple[str, ...] = tuple(description["iterators"])
        self.parameters: tuple[Parameter, ...] = tuple(
            Parameter(one["name"], one["default"], one["fixed"])
            for one in description["parameters"]
        )
        self.arguments: tuple[Array | Scalar, ...] = tuple(
            _argument(one) for one in description["arguments"]
        )
        self.arrays: tuple[Array, ...] = tuple(
            one for one in self.arguments if isinstance(one, Array)
        )
        self.scalars: tuple[Scalar, ...] = tuple(
            one for one in self.arguments if isinstance(one, Scalar)
        )
        #: Those that the caller gives or gets, in the order of the generated C interface.
        self.visible: tuple[Array, ...] = tuple(one for one in self.arrays if one.visible)
        self.outputs: tuple[Array, ...] = tuple(one for one in self.arrays if one.is_output)
        #: Names of arguments in the order of calls by place.
        self.positional: tuple[str, ...] = tuple(
            one.name for one in self.arguments if isinstance(one, Scalar) or one.visible
        )
        names = [*self.positional, *(one.name for one in self.parameters)]
        self.keywords: dict[str, str] = {python_name(name): name for name in names}
        for name in names:
            self.keywords.setdefault(name, name)

    def name_of(self, function: str, keyword_name: str) -> str:
        """The argument that a keyword of a call means."""
        name = self.keywords.get(keyword_name)
        if name is not None:
            return name
        known = ", ".join(f"`{one}`" for one in self.positional) or "no arrays and scalars"
        sizes = ", ".join(f"`{one.name}`" for one in self.parameters)
        raise TypeError(
            f"{function}() has no argument `{keyword_name}`: it takes {known}"
            + (f", and the parameters {sizes}" if sizes else "")
        )

    def named(
        self, function: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> dict[str, Any]:
        """All arguments of a call by name."""
        if len(args) > len(self.positional):
            raise TypeError(
                f"{function}() takes at most {len(self.positional)} arguments by place "
                f"({', '.join(self.positional)}), but {len(args)} are given; "
                "parameters are given by name"
            )
        values = dict(zip(self.positional, args))
        for key, value in kwargs.items():
            name = self.name_of(function, key)
            if name in values:
                raise TypeError(f"{function}() has two values for `{name}`")
            values[name] = value
        return values

    def sizes(
        self, given: Mapping[str, int], shapes: Sequence[tuple[Array, tuple[int, ...]]]
    ) -> dict[str, int]:
        """Values of all parameters: those that are given or fixed, else what the shapes of arrays
        imply, else defaults.

        Raises ValueError where arrays contradict each other or a parameter, and TypeError where a
        parameter has no value.
        """
        sizes: dict[str, int] = {
            one.name: one.fixed for one in self.parameters if one.fixed is not None
        }
        sources: dict[str, str] = {
            name: f"{name} = {value}, as fixed by `define`" for name, value in sizes.items()
        }
        for name, value in given.items():
            if name in sizes and sizes[name] != value:
                raise ValueError(
                    f"parameter `{name}` is {value}, but was fixed at {sizes[name]} by `define`"
                )
            sizes[name] = value
            sources.setdefault(name, f"{name} = {value}, as given")
        _infer(sizes, sources, shapes)
        for parameter in self.parameters:
            if parameter.name in sizes:
                continue
            if parameter.default is None:
                raise TypeError(
                    f"parameter `{parameter.name}` has no value: the program has no default for "
                    "it, and no array says how large it is"
                )
            sizes[parameter.name] = parameter.default
            sources[parameter.name] = f"{parameter.name} = {parameter.default}, by default"
        fixed = [one.name for one in self.parameters if one.fixed is not None]
        for array, shape in shapes:
            expected = tuple(extent.value(sizes) for extent in array.extents)
            if expected != shape:
                _contradiction(array, shape, expected, sources, fixed)
        return sizes


def _argument(one: Mapping[str, Any]) -> Array | Scalar:
    if not one["extents"]:
        return Scalar(one["name"], one["type"])
    extents = tuple(
        Extent(extent["text"], extent["constant"], tuple(extent["terms"].items()))
        for extent in one["extents"]
    )
    return Array(
        one["name"], one["type"], extents, bool(one["in"]), bool(one["out"]), bool(one["constant"])
    )


def _infer(
    sizes: dict[str, int],
    sources: dict[str, str],
    shapes: Sequence[tuple[Array, tuple[int, ...]]],
) -> None:
    """Adds the parameters that extents with one unknown of them imply."""
    waiting = [
        (array, dimension, extent, shape)
        for array, shape in shapes
        for dimension, extent in enumerate(array.extents)
    ]
    progress = True
    while progress:
        progress = False
        left: list[tuple[Array, int, Extent, tuple[int, ...]]] = []
        for array, dimension, extent, shape in waiting:
            unknown = [(name, factor) for name, factor in extent.terms if name not in sizes]
            if len(unknown) > 1:
                left.append((array, dimension, extent, shape))
            if len(unknown) != 1:
                continue
            name, factor = unknown[0]
            known = extent.constant + sum(
                each * sizes[other] for other, each in extent.terms if other != name
            )
            value, rest = divmod(shape[dimension] - known, factor)
            if rest != 0 or value < 1:
                raise ValueError(
                    f"array `{array.name}`: expected {array.shape_text}, given the shape {shape}: "
                    f"dimension {dimension} is {extent.text}, and no {name} of at least 1 makes "
                    f"that {shape[dimension]}"
                )
            if value > INT_MAX:
                raise ValueError(
                    f"array `{array.name}`: {name} = {value} is more than {INT_MAX}, the largest "
                    "parameter"
                )
            sizes[name] = value
            sources[name] = f"{name} = {value}, as array `{array.name}` has the shape {shape}"
            progress = True
        waiting = left


def _contradiction(
    array: Array,
    shape: tuple[int, ...],
    expected: tuple[int, ...],
    sources: Mapping[str, str],
    fixed: Sequence[str],
) -> NoReturn:
    used: list[str] = []
    for extent, wanted, given in zip(array.extents, expected, shape):
        if wanted != given:
            used.extend(name for name, _ in extent.terms if name not in used)
            if not extent.terms:
                # What is fixed stands in extents as a number.
                used.extend(name for name in fixed if name not in used)
    why = "".join(f"; {sources[name]}" for name in used)
    raise ValueError(
        f"array `{array.name}`: expected the shape {expected}, {array.shape_text}, "
        f"given {shape}{why}"
    )
