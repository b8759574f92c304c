"""Complex arrays and scalars: of `psi` a program takes the parts, `psi_re` and `psi_im`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._interface import Array, Scalar

#: The numpy types that are pairs of a type of the language.
_PAIRS = {"float": np.dtype(np.complex64), "double": np.dtype(np.complex128)}


def pairs_of(arguments: Sequence[Array | Scalar]) -> dict[str, tuple[str, str]]:
    """The parts of what is called by one name and given as complex numbers."""
    by_name = {one.name: one for one in arguments}
    pairs: dict[str, tuple[str, str]] = {}
    for one in arguments:
        whole = one.name.removesuffix("_re")
        other = by_name.get(whole + "_im")
        if whole == one.name or whole in by_name or one.type not in _PAIRS or other is None:
            continue
        same_shape = getattr(one, "extents", ()) == getattr(other, "extents", ())
        if other.type == one.type and same_shape:
            pairs[whole] = (one.name, other.name)
    return pairs


def is_complex(value: Any) -> bool:
    """A number or a numpy array that has an imaginary part."""
    dtype = getattr(value, "dtype", None)
    return isinstance(value, complex) or (isinstance(dtype, np.dtype) and dtype.kind == "c")


def split(function: str, name: str, value: Any, of: Array | Scalar) -> tuple[Any, Any]:
    """The parts of a value: views of an array's."""
    wanted = _PAIRS[of.type]
    if isinstance(of, Scalar):
        try:
            number = complex(value)
        except TypeError:
            raise TypeError(
                f"{function}(): scalar `{name}` is complex, given a {type(value).__name__}"
            ) from None
        return number.real, number.imag
    if not isinstance(value, np.ndarray) or value.dtype != wanted:
        numpys = isinstance(value, np.ndarray)
        given = f"one of {value.dtype}" if numpys else f"a {type(value).__name__}"
        hint = f"; `.astype(numpy.{wanted})` makes a copy of that type" if numpys else ""
        raise TypeError(f"array `{name}`: expected a numpy array of {wanted}, given {given}{hint}")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"array `{name}`: expected a numpy array, given a masked one; its `.data` has no mask"
        )
    return value.real, value.imag


def join(
    results: Mapping[str, Any], pairs: Mapping[str, tuple[str, str]], wholes: Sequence[str]
) -> dict[str, Any]:
    """The results, with parts of `wholes` put together."""
    parts = {part: name for name in wholes for part in pairs[name]}
    joined: dict[str, Any] = {}
    for name, value in results.items():
        if name not in parts:
            joined[name] = value
            continue
        whole = parts[name]
        if whole not in joined:
            joined[whole] = np.zeros(value.shape, np.result_type(value.dtype, np.complex64))
        if name == pairs[whole][0]:
            joined[whole].real = value
        else:
            joined[whole].imag = value
    return joined
