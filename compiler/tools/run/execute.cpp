#include "tools/run/execute.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "driver/explain.h"
#include "driver/explain_nests.h"
#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/progress.h"
#include "driver/report.h"
#include "support/check.h"
#include "support/match.h"
#include "tools/measure/visits.h"
#include "tools/run/arguments.h"
#include "tools/run/visits.h"

namespace stencilgen::driver {

namespace {

class Stopwatch {
 public:
  double Milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// True where the CUDA driver is installed and sees a device.
bool HasGpu() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return false;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count_devices = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int count = 0;
  return init != nullptr && count_devices != nullptr && init(0) == 0 &&
         count_devices(&count) == 0 && count > 0;
}

Execution Interpreted(const graph::Graph& graph, const RunInputs& inputs) {
  Progress progress("interpreting");
  Execution execution;
  const Stopwatch watch;
  graph::InterpretResult result =
      graph::Interpret(graph, inputs.parameters, InterpreterInputs(inputs),
                       {.progress = [&](double part) { progress.Done(part); }});
  execution.milliseconds = {watch.Milliseconds()};
  execution.error = std::move(result.error);
  execution.outputs = std::move(result.outputs);
  return execution;
}

bool SameBytes(const graph::Values& a, const graph::Values& b) {
  return Match(a, [&](const auto& left) {
    const auto& right = std::get<std::decay_t<decltype(left)>>(b);
    return left.size() == right.size() &&
           std::memcmp(left.data(), right.data(), left.size() * sizeof(left[0])) == 0;
  });
}

/// Calls of one host function.
struct Call {
  const HostLibrary& library;
  const graph::Graph& graph;
  const std::string& name;
  const Options& options;

  /// Empty on success.
  std::string Once(const HostArguments& arguments) const {
    const int status = library.Call(name, arguments.arrays, arguments.scalars, arguments.params);
    if (status == 0) return "";
    const std::string error = library.Error(name);
    return error.empty() ? fmt::format("the host function returned {}", status) : error;
  }
  std::vector<graph::Values> Outputs(const HostArguments& arguments) const {
    std::vector<graph::Values> outputs;
    for (const std::string& output : OutputNames(graph)) {
      outputs.push_back(arguments.Contents(output));
    }
    return outputs;
  }

  Execution Measure(const RunInputs& inputs) const {
    constexpr int kUsualRepeats = 5;
    constexpr double kLong = 10'000;
    constexpr double kShort = 200;
    HostArguments arguments(inputs);
    Execution execution;
    const Stopwatch watch;
    execution.error = Once(arguments);
    // The first call warms up; where it is short, one more does.
    const double first = watch.Milliseconds();
    if (!execution.error.empty()) return execution;
    execution.outputs = Outputs(arguments);
    arguments.Restore();
    execution.milliseconds = library.Time(
        name, arguments.arrays, arguments.scalars, arguments.params, first < kShort ? 1 : 0,
        options.run.repeat.value_or(first > kLong ? 1 : kUsualRepeats));
    if (execution.milliseconds.empty()) execution.error = library.Error(name);
    return execution;
  }

  Execution Emulate(const RunInputs& inputs) const {
    constexpr unsigned kOrderSeed = 1;
    HostArguments arguments(inputs);
    const EmulatorControl emulator(library);
    Execution execution;
    emulator.Reset();
    const Stopwatch watch;
    execution.error = Once(arguments);
    execution.milliseconds = {watch.Milliseconds()};
    if (!execution.error.empty()) {
      execution.error += fmt::format(" ({})", emulator.Message());
      return execution;
    }
    execution.counters = emulator.Read();
    execution.outputs = Outputs(arguments);
    if (!options.run.verify) return execution;
    for (const ThreadOrder order : {ThreadOrder::Backward, ThreadOrder::Random}) {
      arguments.Restore();
      emulator.SetOrder(order, kOrderSeed);
      execution.error = Once(arguments);
      const std::vector<graph::Values> outputs = Outputs(arguments);
      const bool same = std::equal(outputs.begin(), outputs.end(), execution.outputs.begin(),
                                   execution.outputs.end(), SameBytes);
      if (execution.error.empty() && !same) {
        execution.error = "the results depend on the order in which the threads run";
      }
      if (!execution.error.empty()) break;
    }
    return execution;
  }
};

/// At the sizes of the run. Empty where the device is not known, or nothing is launched.
std::optional<Roofline> RooflineOfRun(const graph::Graph& graph, const ChosenPlan& planned,
                                      const RunInputs& inputs, const machine::Gpu* device) {
  if (device == nullptr) return std::nullopt;
  const plan::PlanCost cost =
      plan::EstimateCost(planned.plan, *device, inputs.parameters, planned.register_limit);
  if (cost.kernels.empty()) return std::nullopt;
  return FindRoofline(graph, inputs.parameters, cost, *device);
}

}  // namespace

std::string_view ToString(Executor executor) {
  switch (executor) {
    case Executor::Interpreter:
      return "interpreter";
    case Executor::Cpp:
      return "cpp";
    case Executor::CudaEmulated:
      return "cuda-emulated";
    case Executor::Cuda:
      return "cuda";
  }
  return "?";
}

std::variant<Executor, UsageError> ChooseExecutor(const Options& options) {
  const bool compiler = !FindCompiler(Backend::Cpp).empty();
  if (options.run.emulate) {
    if (compiler) return Executor::CudaEmulated;
    return UsageError{"--emulate needs a C++ compiler, and none is in PATH",
                      "install g++, or set CXX"};
  }
  if (options.run.target != RunTarget::Cpp) {
    const bool gpu = HasGpu();
    const bool nvcc = !FindCompiler(Backend::Cuda).empty();
    if (gpu && nvcc) return Executor::Cuda;
    if (options.run.target == RunTarget::Cuda) {
      return UsageError{gpu ? "--target cuda needs nvcc, and it is not in PATH"
                            : "--target cuda needs a GPU, and none is there",
                        "--emulate executes the CUDA code on the CPU"};
    }
  }
  return compiler ? Executor::Cpp : Executor::Interpreter;
}

double Execution::MedianMilliseconds() const {
  STENCILGEN_CHECK(!milliseconds.empty());
  return measure::MedianOf(milliseconds);
}

Execution Execute(Executor executor, const graph::Graph& graph, const SourceFile& source,
                  const PipelineOptions& pipeline, const RunInputs& inputs, const Options& options,
                  const std::optional<FrameRequest>& frames, const TakeFrame& take) {
  Execution execution;
  if (executor == Executor::Interpreter) {
    execution = Interpreted(graph, inputs);
    if (frames && execution.error.empty()) {
      Progress progress("computing pictures");
      execution.error =
          InterpretFrames(graph, inputs, *frames, take, [&](double part) { progress.Done(part); });
    }
    return execution;
  }

  const bool cuda = executor != Executor::Cpp;
  PipelineOptions chosen = pipeline;
  chosen.target = cuda ? Target::Cuda : Target::Cpp;
  ChosenPlan planned = CompileToChosenPlan(graph, chosen);
  fmt::print(stderr, "{}", NotesText(planned.notes));
  if (options.explain) {
    fmt::print(stderr, "{}",
               cuda ? Explain(planned, ExplainedDevice(options))
                    : ExplainNests(planned, ExplainedCpu(options)));
  }
  const std::optional<Roofline> roofline =
      cuda ? RooflineOfRun(graph, planned, inputs, ExplainedDevice(options)) : std::nullopt;
  const Compiled compiled = EmitCode(std::move(planned.plan), source, chosen);
  const std::string& name = chosen.program_name;
  CodegenOptions trampoline = chosen.codegen;
  trampoline.function = name;

  const TemporaryDirectory directory;
  if (directory.path().empty()) {
    execution.error = "cannot make a temporary folder";
    return execution;
  }
  BuildOptions build;
  build.backend = BackendOf(executor);
  build.fp = pipeline.codegen.fp;
  build.directory = directory.path();
  build.arch = options.arch.value_or("native");
  if (executor == Executor::CudaEmulated) {
    const int warp = WarpOf(options);
    if (warp != 32) build.flags.push_back(fmt::format("-DSTENCILGEN_WARP_LANES={}", warp));
  }
  std::unique_ptr<HostLibrary> library;
  {
    const Progress progress(fmt::format("compiling for {}", ToString(executor)));
    std::string error;
    library = HostLibrary::Build(
        compiled.text + codegen::EmitTrampoline(compiled.module, trampoline), name, build, error);
    if (!library) {
      execution.error = fmt::format("cannot compile the generated code:\n{}", error);
      return execution;
    }
  }

  Progress progress(fmt::format("executing on {}", ToString(executor)));
  const Call call{*library, graph, name, options};
  execution = executor == Executor::CudaEmulated ? call.Emulate(inputs) : call.Measure(inputs);
  if (frames && execution.error.empty()) {
    progress.Update("computing pictures");
    execution.error = ComputeFrames(*library, name, inputs, *frames, take,
                                    [&](double part) { progress.Done(part); });
  }
  execution.roofline = roofline;
  return execution;
}

std::map<std::string, graph::Values> InterpreterInputs(const RunInputs& inputs) {
  std::map<std::string, graph::Values> values;
  for (const auto* all : {&inputs.arrays, &inputs.scalars}) {
    for (const HostData& data : *all) {
      if (data.has_value) values.emplace(data.name, data.values);
    }
  }
  return values;
}

}  // namespace stencilgen::driver
