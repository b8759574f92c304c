"""Stencil programs on numpy arrays, compiled to C++ or CUDA.

>>> import numpy as np
>>> import stencilgen as sg
>>> heat = sg.compile('''
... parameter M, N, T=10;
... iterator j, i;
... double u[M,N], alpha;
... copyin u, alpha;
... stencil step (u, alpha) {
...   u[j][i] += alpha*(u[j-1][i] + u[j][i-1] - 4.0*u[j][i] + u[j][i+1] + u[j+1][i]);
... }
... iterate T { step (u, alpha); }
... copyout u;
... ''')
>>> u = np.zeros((100, 200))
>>> u[50, 100] = 1
>>> heat(u=u, alpha=0.2, T=50)          # in place; M and N are those of the array
>>> round(float(u[50, 100]), 6)
0.007898

`load` reads a file, `compile` a text. What they return is a `Program`: call it, or use `run`,
`device`, `verify`, `explain`, `movie`, `tune`, `source` and `graph`.
"""

import numpy as np

from ._arrays import Arrays, DeviceArray
from ._errors import (
    BuildError,
    CompileError,
    Diagnostic,
    Error,
    Note,
    OptionError,
    ProgramWarning,
    RunError,
)
from ._explanation import Explanation
from ._interface import Array, Extent, Interface, Parameter, Scalar
from ._load import compile, load
from ._movie import Movie
from ._program import Program
from ._python.declare import REDUCTIONS, Iterator, array, domain, iterate, iterators, where
from ._python.program import FunctionProgram, Stencil, program, stencil
from ._tool import prefix

__version__ = "0.1.0"

float64, float32, int32, bool_ = np.float64, np.float32, np.int32, np.bool_
#: Of elements alone, as every type of numpy that is given for them.
float16, int8, uint8, int16, uint16 = np.float16, np.int8, np.uint8, np.int16, np.uint16
# In stencils; `from stencilgen import *` leaves Python's own.
sum, min, max, norm2, any, all = REDUCTIONS.values()

__all__ = [
    "Array",
    "Arrays",
    "BuildError",
    "CompileError",
    "DeviceArray",
    "Diagnostic",
    "Error",
    "Explanation",
    "Extent",
    "FunctionProgram",
    "Interface",
    "Iterator",
    "Movie",
    "Note",
    "OptionError",
    "Parameter",
    "Program",
    "ProgramWarning",
    "RunError",
    "Scalar",
    "Stencil",
    "array",
    "bool_",
    "compile",
    "domain",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "iterate",
    "iterators",
    "load",
    "prefix",
    "program",
    "stencil",
    "uint8",
    "uint16",
    "where",
]
