"""Arrays of other libraries by DLPack, without a copy: what is in their capsules."""

from __future__ import annotations

import ctypes
from typing import Any

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
#: Kinds of memory that a program for a GPU can use.
ON_DEVICE = (CUDA, CUDA_MANAGED)

_READ_ONLY = 1  # of the flags of versioned capsules


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("rank", ctypes.c_int32),
        ("type", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = ctypes.c_int
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]

#: By code and bits.
_TYPES: dict[tuple[int, int], str] = {
    (0, 8): "int8",
    (0, 16): "int16",
    (0, 32): "int32",
    (0, 64): "int64",
    (1, 8): "uint8",
    (1, 16): "uint16",
    (1, 32): "uint32",
    (1, 64): "uint64",
    (2, 16): "float16",
    (2, 32): "float32",
    (2, 64): "float64",
    (4, 16): "bfloat16",
    (5, 64): "complex64",
    (5, 128): "complex128",
    (6, 8): "bool",
}


class Tensor:
    """What a capsule describes. The memory is there as long as the capsule is, which this keeps:
    it is never marked as used, so that its own destructor frees what there is to free."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        if _is_valid(capsule, b"dltensor_versioned"):
            versioned = ctypes.cast(
                _pointer_of(capsule, b"dltensor_versioned"), ctypes.POINTER(_Versioned)
            ).contents
            if versioned.major > 1:
                raise TypeError(f"DLPack {versioned.major}.{versioned.minor} is not known here")
            tensor = versioned.tensor
            self.read_only = bool(versioned.flags & _READ_ONLY)
        elif _is_valid(capsule, b"dltensor"):
            tensor = ctypes.cast(
                _pointer_of(capsule, b"dltensor"), ctypes.POINTER(_Managed)
            ).contents.tensor
            self.read_only = False
        else:
            raise TypeError("`__dlpack__` gave no capsule of DLPack")
        rank = int(tensor.rank)
        self.kind = int(tensor.device.kind)
        self.pointer = int(tensor.data or 0) + int(tensor.offset)
        self.shape = tuple(int(tensor.shape[d]) for d in range(rank))
        self.strides: tuple[int, ...] | None = (
            tuple(int(tensor.strides[d]) for d in range(rank)) if tensor.strides else None
        )
        code = (int(tensor.type.code), int(tensor.type.bits))
        self.type = _TYPES.get(code, f"DLPack type {code[0]} of {code[1]} bits")
        if tensor.type.lanes != 1:
            self.type += f" in vectors of {tensor.type.lanes}"


def tensor_of(value: Any, stream: int | None) -> Tensor:
    """The memory of an object with ``__dlpack__``. ``stream``: what the program will run on, for
    the producer to wait with; None: not on a device."""
    arguments: dict[str, Any] = {} if stream is None else {"stream": stream}
    try:
        return Tensor(value.__dlpack__(max_version=(1, 0), **arguments))
    except TypeError:
        # Producers before version 1 of DLPack know no such argument.
        return Tensor(value.__dlpack__(**arguments))
