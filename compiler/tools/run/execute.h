#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "tools/explain/roofline.h"
#include "tools/run/emulator_control.h"
#include "tools/run/frames.h"
#include "tools/run/run_inputs.h"

namespace stencilgen::driver {

/// What executes a program.
enum class Executor { Interpreter, Cpp, CudaEmulated, Cuda };

/// `interpreter`, `cpp`, `cuda-emulated`, `cuda`.
std::string_view ToString(Executor executor);

/// The executor that the options ask for, or the nearest there is: the interpreter without a C++
/// compiler. An error where CUDA is asked for and cannot be had.
std::variant<Executor, UsageError> ChooseExecutor(const Options& options);

struct Execution {
  std::string error;                   ///< empty on success
  std::vector<graph::Values> outputs;  ///< one an output of the graph
  std::vector<double> milliseconds;    ///< one a measured call, at least one
  std::optional<Counters> counters;    ///< from the emulator
  std::optional<Roofline> roofline;    ///< of CUDA code, where its device is known

  double MedianMilliseconds() const;
};

/// Compiles the program, executes it on the inputs once for its results, then measures. On the
/// emulator and with --verify it is executed again with other orders of threads, which must not
/// change a bit. At last it is executed for the frames, which `take` gets.
/// Requires: graph and pipeline options belong together; the inputs fit the graph.
Execution Execute(Executor executor, const graph::Graph& graph, const SourceFile& source,
                  const PipelineOptions& pipeline, const RunInputs& inputs, const Options& options,
                  const std::optional<FrameRequest>& frames = {}, const TakeFrame& take = {});

/// The inputs that have a value, by name, for graph::Interpret.
std::map<std::string, graph::Values> InterpreterInputs(const RunInputs& inputs);

}  // namespace stencilgen::driver
