"""Runs programs in Devito for benchmarks/run, which starts this file with the Python that has it.

Requests are lines of JSON on the standard input, answers lines on the standard output; arrays are
in the file whose descriptor is the first argument. `build` makes an Operator of a program's
equations (suite/devito_code.h), `run` applies it. Seconds are those of the generated code as Devito
measures them: neither Python nor its compiler counts.
"""

import json
import mmap
import os
import sys
import warnings

os.environ.setdefault("DEVITO_LANGUAGE", "openmp")
os.environ.setdefault("DEVITO_LOGGING", "ERROR")
warnings.simplefilter("ignore")

import devito as dv  # noqa: E402
import numpy  # noqa: E402
from devito.types.dimension import SpaceDimension  # noqa: E402


class Program:
    def __init__(self, description):
        self.description = description
        self.type = getattr(numpy, description["type"])
        self.dimensions = tuple(
            SpaceDimension(name, spacing=dv.Constant(name="h_" + name, dtype=numpy.float32))
            for name in description["iterators"]
        )
        self.others = {}
        self.operator = None
        self.made = {}
        self.shape = None

    def functions(self, sizes):
        """The program's Functions by name, at these sizes, and the name of time."""
        shape = self.extents(self.description["grid"], sizes)
        grid = dv.Grid(shape=shape, dtype=self.type, dimensions=self.dimensions)
        made = {}
        for function in self.description["functions"]:
            name, shape = function["name"], self.extents(function["shape"], sizes)
            reach = self.description["reach"]
            if function["levels"] == 2:
                made[name] = dv.TimeFunction(name=name, grid=grid, time_order=1, space_order=reach)
                continue
            dimensions = tuple(
                self.dimensions[at]
                if at >= 0
                else self.others.setdefault((name, n), dv.Dimension(f"{name}_{n}"))
                for n, at in enumerate(function["dimensions"])
            )
            whole = dimensions == self.dimensions
            made[name] = dv.Function(
                name=name,
                dimensions=dimensions,
                shape=shape,
                dtype=self.type,
                space_order=reach if whole else 0,
                **({"grid": grid} if whole else {}),
            )
        return made, grid.stepping_dim

    @staticmethod
    def extents(forms, sizes):
        return tuple(int(eval(form, {}, sizes)) for form in forms)

    def build(self, sizes):
        functions, time = self.functions(sizes)
        names = {"dv": dv, "t": time, **functions}
        for scalar in self.description["scalars"]:
            names[scalar] = dv.Constant(name=scalar, dtype=self.type)
        for number, parts in enumerate(self.description["domains"]):
            for dimension, (left, right) in zip(self.dimensions, parts):
                name = f"{dimension.name}{number}"
                names[name] = dv.SubDimension.middle(name, dimension, left, right)
        equations = []
        for line in self.description["lines"]:
            value = eval(line["value"], names)
            if "target" in line:
                equations.append(dv.Eq(eval(line["target"], names), value))
            else:
                names[line["name"]] = value
        self.operator = dv.Operator(equations, opt=("advanced", {"openmp": True}))
        _ = self.operator.cfunction  # compiles

    def fill(self, arrays):
        for function in self.description["functions"]:
            data = self.made[function["name"]].data
            if "from" not in function:
                data[:] = 0
            elif function["levels"] == 2:
                for level in (0, 1):
                    data[level] = arrays[function["from"][level]]
            else:
                data[:] = arrays[function["from"][0]]

    def run(self, request, memory):
        sizes = request["parameters"]
        shape = self.extents(self.description["grid"], sizes)
        if shape != self.shape:
            self.made = {}
            self.made, _ = self.functions(sizes)
            self.shape = shape
        arrays = {}
        for array in request["arrays"]:
            count = int(numpy.prod(array["shape"]))
            arrays[array["name"]] = numpy.frombuffer(
                memory, dtype=self.type, count=count, offset=array["offset"]
            ).reshape(array["shape"])
        self.fill(arrays)
        arguments = dict(self.made)
        arguments.update(request["scalars"])
        turns = self.description["turns"]
        steps = 0
        if turns is not None:
            steps = int(eval(turns, {}, sizes))
            arguments.update(time_m=0, time_M=steps - 1)
        used = {p.name for p in self.operator.parameters}
        arguments = {
            name: value
            for name, value in arguments.items()
            if name in used or name in ("time_m", "time_M")
        }
        if "nthreads" in used:
            arguments["nthreads"] = request["threads"]
        seconds = 0.0
        if turns is None or steps > 0:
            for _ in range(request["calls"]):
                seconds += sum(part.time for part in self.operator.apply(**arguments).values())
        for output in self.description["outputs"]:
            data = self.made[output["function"]].data
            if data.ndim > len(arrays[output["array"]].shape):
                data = data[(steps + output["level"]) % 2]
            arrays[output["array"]][...] = data
        del arrays
        return seconds


def answer(reply):
    print(json.dumps(reply), flush=True)


def main():
    descriptor = int(sys.argv[1])
    answer({"ready": dv.__version__})
    program = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "build":
                program = None
                program = Program(request["program"])
                program.build(request["parameters"])
                answer({})
            else:
                with mmap.mmap(descriptor, request["bytes"]) as memory:
                    answer({"seconds": program.run(request, memory)})
        except Exception as error:  # whatever Devito says is told
            text = (str(error) or repr(error)).splitlines()[0]
            answer({"error": f"{type(error).__name__}: {text}"})


main()
