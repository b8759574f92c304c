#include "support/differential.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "frontend/parse.h"
#include "graph/verify.h"
#include "plan/verify.h"
#include "sema/build_graph.h"
#include "support/code_executor.h"
#include "support/program_run.h"
#include "support/schedule_generator.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

using driver::Backend;

struct Case {
  const TestProgram* program;
  std::optional<SourceFile> source;
  std::optional<graph::Graph> graph;  // as sema built it; empty once the case has failed
  std::vector<ProgramRun> runs;
};

/// One compiled form of all programs.
struct Variant {
  const char* name;
  Backend backend;
  FpMode fp;
  GpuLanguage language = GpuLanguage::Cuda;
};

/// Tiles are the GPU's, and sums in another order are not strict.
plan::Schedule ScheduleFor(const TestProgram& program, const Variant& variant) {
  plan::Schedule schedule = program.schedule;
  if (variant.backend == Backend::Cpp) {
    schedule.shared_memory = schedule.shuffle = false;
  }
  if (variant.fp == FpMode::Strict) schedule.form = plan::Form::Gather;
  if (variant.language == GpuLanguage::Hip) schedule = ForWavefronts(schedule);
  return schedule;
}

driver::PipelineOptions OptionsFor(const TestProgram& program, const Variant& variant,
                                   const DifferentialOptions& wanted) {
  driver::PipelineOptions options = OptionsOf(program);
  options.schedule = ScheduleFor(program, variant);
  options.given.fusion = true;
  options.graphs = wanted.graphs;
  options.sharing = wanted.sharing;
  options.verify = false;  // ours below reports, the pipeline's would end the process
  options.target = variant.backend == Backend::Cpp ? driver::Target::Cpp : driver::Target::Cuda;
  options.codegen.function = program.name;
  options.codegen.language = variant.language;
  if (variant.language == GpuLanguage::Hip) options.arch = options.codegen.arch = "gfx90a";
  options.codegen.fp = variant.fp;
  if (variant.fp == FpMode::Fast) options.codegen.reorder.how = program.reorder;
  // Vectors wherever they may be, for as many points as the schedule says.
  const bool vectors = variant.backend == Backend::Cpp && variant.fp == FpMode::Fast;
  if (vectors && !passes::Reorders(program.reorder)) {
    options.codegen.reorder.how = passes::Reorder::Auto;
  }
  // Tiles of several turns wherever they may be.
  options.given.time_tile = variant.backend == Backend::Cpp && program.time_tile > 1;
  if (wanted.tile > 0) options.nests.tile = {wanted.tile, wanted.tile, wanted.tile};
  options.nests.threads = wanted.threads;
  options.codegen.standalone = variant.language == GpuLanguage::Hip;
  options.codegen.source_name = fmt::format("{}.idsl", program.name);
  return options;
}

/// An order of the emulator's threads.
struct ThreadOrder {
  const char* name;
  int mode;  // -1: there is no emulator
};

class Differential {
 public:
  Differential(const std::vector<TestProgram>& programs, DifferentialOptions options)
      : options_(std::move(options)) {
    for (const TestProgram& program : programs) cases_.push_back({&program, {}, {}, {}});
  }

  std::vector<Failure> Run() {
    for (Case& c : cases_) Interpret(&c);
    RunVariant({"cpp-strict", Backend::Cpp, FpMode::Strict});
    RunVariant({"cpp-fast", Backend::Cpp, FpMode::Fast});
    RunVariant({"cuda-strict", Backend::CudaEmulated, FpMode::Strict});
    RunVariant({"cuda-fast", Backend::CudaEmulated, FpMode::Fast});
    if (options_.wavefronts || options_.only == kHip) {
      RunVariant({kHip, Backend::CudaEmulated, FpMode::Strict, GpuLanguage::Hip});
    }
    return std::move(failures_);
  }

 private:
  static constexpr const char* kHip = "hip-strict";

  void Fail(Case* c, std::string message) {
    failures_.push_back({c->program->name, std::move(message), ToFileText(*c->program)});
    c->graph.reset();
  }

  void Interpret(Case* c) {
    const std::string name = fmt::format("{}.idsl", c->program->name);
    c->source.emplace(name, c->program->text);
    DiagnosticSink sink;
    if (const auto ast = Parse(*c->source, sink)) {
      c->graph = BuildGraph(*ast, {c->program->name, {}}, sink);
    }
    if (!c->graph) {
      Fail(c,
           fmt::format("not accepted:\n{}", RenderText(*c->source, sink.diagnostics(), 5, false)));
      return;
    }
    if (const auto broken = graph::Verify(*c->graph); !broken.empty()) {
      Fail(c, fmt::format("broken graph: {}", broken.front()));
      return;
    }
    for (std::size_t run = 0; run < c->program->sizes.size(); ++run) {
      c->runs.push_back(PrepareRun(*c->graph, *c->program, run, options_.input_seed));
    }
    ComparePasses(c);
  }

  /// The graph passes must not change what the program computes.
  void ComparePasses(Case* c) {
    DiagnosticSink sink;
    const auto options = OptionsFor(*c->program, {"", Backend::Cpp, FpMode::Strict}, options_);
    const auto simplified = driver::CompileToGraph(*c->source, options, sink);
    if (!simplified) return Fail(c, "accepted by sema, then refused by the pipeline");
    if (const auto broken = graph::Verify(*simplified); !broken.empty()) {
      return Fail(c, fmt::format("graph passes: broken graph: {}", broken.front()));
    }
    for (std::size_t run = 0; run < c->runs.size(); ++run) {
      const ProgramRun& want = c->runs[run];
      const ProgramRun got = PrepareRun(*simplified, *c->program, run, options_.input_seed);
      if (got.reference.error != want.reference.error) {
        return Fail(c, fmt::format("graph passes: error `{}`, before them `{}`",
                                   got.reference.error, want.reference.error));
      }
      for (const RunObject& array : want.arrays) {
        if (array.output < 0 || !want.reference.error.empty()) continue;
        const auto& values = got.reference.outputs[static_cast<std::size_t>(array.output)];
        const std::string difference = Compare(array, values, want.reference, 0);
        if (!difference.empty()) return Fail(c, fmt::format("graph passes: {}", difference));
      }
    }
  }

  /// Empty once the case has failed.
  std::optional<driver::Compiled> Compile(Case* c, const Variant& variant) {
    DiagnosticSink sink;
    auto compiled = driver::Compile(*c->source, OptionsFor(*c->program, variant, options_), sink);
    if (!compiled) {
      Fail(c, fmt::format("{}: accepted by sema, then refused", variant.name));
      return std::nullopt;
    }
    if (const auto broken = plan::Verify(compiled->plan); !broken.empty()) {
      Fail(c, fmt::format("{}: broken plan: {}", variant.name, broken.front()));
      return std::nullopt;
    }
    return compiled;
  }

  std::optional<std::string> Emit(Case* c, const Variant& variant) {
    const auto compiled = Compile(c, variant);
    if (!compiled) return std::nullopt;
    const auto options = OptionsFor(*c->program, variant, options_);
    return fmt::format("{}\n{}\n", compiled->text,
                       codegen::EmitTrampoline(compiled->module, options.codegen));
  }

  void ExecuteVariant(const Variant& variant) {
    for (Case& c : cases_) {
      if (!c.graph) continue;
      const auto compiled = Compile(&c, variant);
      if (!compiled) continue;
      const std::string message = ExecuteRuns(c, compiled->module);
      if (!message.empty()) Fail(&c, fmt::format("{}: {}", variant.name, message));
    }
  }

  /// In each order of threads.
  std::string ExecuteRuns(const Case& c, const kernel::Module& module) const {
    kernel::ModuleOptions options;
    const bool grid = module.target == kernel::Target::Device;
    if (grid) options.execution.races = kernel::DataRaces::Unset;
    if (options_.threads > 0) options.execution.host_threads = options_.threads;
    options.execution.seed = 1;
    options.execution.multiprocessors = 3;  // a small device, whose waves small programs fill
    options.execution.blocks_of_multiprocessor = 2;
    for (std::size_t run = 0; run < c.runs.size(); ++run) {
      for (const kernel::RunOrder order :
           {kernel::RunOrder::Forward, kernel::RunOrder::Backward, kernel::RunOrder::Random}) {
        options.execution.order = order;
        options.execution.rows_as_vectors = order != kernel::RunOrder::Backward;
        const std::string message = CheckModule(module, c.runs[run], options);
        if (message.empty()) continue;
        return fmt::format("run {}, order {}: {}", run, static_cast<int>(order), message);
      }
    }
    return "";
  }

  std::unique_ptr<driver::HostLibrary> Build(const std::string& text, const Variant& variant,
                                             const std::string& stem, std::string* error) {
    driver::BuildOptions build;
    build.backend = variant.backend;
    build.fp = variant.fp;
    // Compiling takes nearly all the time, and the emulator looks at each access by itself.
    build.optimize = variant.backend == Backend::CudaEmulated ? 0 : options_.optimize;
    build.directory = options_.directory;
    if (variant.backend == Backend::Cpp) build.flags = options_.flags;
    if (variant.language == GpuLanguage::Hip) build.flags = {"-DSTENCILGEN_WARP_LANES=64"};
    if (options_.warnings) {
      build.flags.insert(build.flags.end(), {"-Wall", "-Wextra", "-Werror"});
    }
    // A library that the process cannot unload is found again by its path: each gets its own.
    static int builds = 0;
    auto library = driver::HostLibrary::Build(
        text, fmt::format("{}-{}-{}", stem, variant.name, ++builds), build, *error);
    // A small device, whose waves small programs fill.
    void* const set = library ? library->Symbol("stencilgen_emulator_set_occupancy") : nullptr;
    if (set != nullptr) reinterpret_cast<void (*)(int, int)>(set)(3, 2);
    return library;
  }

  void RunVariant(const Variant& variant) {
    if (!options_.only.empty() && options_.only != variant.name) return;
    const bool strict = variant.fp == FpMode::Strict;
    if (strict && options_.execute) return ExecuteVariant(variant);
    std::string text;
    std::vector<std::pair<Case*, std::string>> parts;
    for (Case& c : cases_) {
      if (!c.graph || (!strict && !c.program->continuous)) continue;
      if (auto part = Emit(&c, variant)) {
        text += *part;
        parts.emplace_back(&c, std::move(*part));
      }
    }
    if (parts.empty()) return;
    std::string error;
    const auto library = Build(text, variant, parts.front().first->program->name, &error);
    if (!library) return FindBrokenPart(variant, parts, error);
    for (auto& [c, part] : parts) {
      const std::string message = RunCase(*c, variant, *library);
      if (!message.empty()) Fail(c, fmt::format("{}: {}", variant.name, message));
    }
  }

  /// The batch does not compile: says which of its programs are to blame, and runs the others.
  void FindBrokenPart(const Variant& variant,
                      const std::vector<std::pair<Case*, std::string>>& parts,
                      const std::string& batch_error) {
    bool found = false;
    for (const auto& [c, part] : parts) {
      std::string error;
      if (const auto library = Build(part, variant, c->program->name, &error)) {
        const std::string message = RunCase(*c, variant, *library);
        if (!message.empty()) Fail(c, fmt::format("{}: {}", variant.name, message));
        continue;
      }
      Fail(c, fmt::format("{}: does not compile:\n{}", variant.name, error));
      found = true;
    }
    if (!found) {
      Fail(parts.front().first,
           fmt::format("{}: compiles alone, but not with the rest of its batch:\n{}", variant.name,
                       batch_error));
    }
  }

  std::string RunCase(const Case& c, const Variant& variant, const driver::HostLibrary& library) {
    const double tolerance = variant.fp == FpMode::Strict ? 0 : FastTolerance(*c.graph);
    for (std::size_t run = 0; run < c.runs.size(); ++run) {
      for (const ThreadOrder& order : Orders(variant)) {
        if (!SetThreadOrder(library, order)) return "the library has no emulator";
        const std::string message = RunOnce(c.runs[run], *c.program, tolerance, library);
        if (message.empty()) continue;
        return fmt::format("run {}, threads {}: {}", run, order.name, message);
      }
    }
    return "";
  }

  std::string RunOnce(const ProgramRun& run, const TestProgram& program, double tolerance,
                      const driver::HostLibrary& library) {
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<void*> arrays;
    for (const RunObject& array : run.arrays) memory.push_back(array.bytes);
    for (auto& bytes : memory) arrays.push_back(bytes.data());
    std::vector<const void*> scalars;
    for (const RunObject& scalar : run.scalars) scalars.push_back(scalar.bytes.data());
    const std::vector<int> parameters(run.parameters.begin(), run.parameters.end());

    const int status = library.Call(program.name, arrays, scalars, parameters);
    if (const auto bytes = LiveBytes(library); bytes != 0) {
      return fmt::format("leaves {} bytes of device memory", bytes);
    }
    if (!run.reference.error.empty()) {
      if (status != 0) return "";
      return fmt::format("succeeded, though the interpreter says: {}", run.reference.error);
    }
    if (status != 0) {
      return fmt::format("failed with status {}: {}", status, library.Error(program.name));
    }
    for (std::size_t n = 0; n < memory.size(); ++n) {
      std::string difference = Compare(run.arrays[n], memory[n], run.reference, tolerance);
      if (!difference.empty()) return difference;
    }
    return "";
  }

  static std::vector<ThreadOrder> Orders(const Variant& variant) {
    if (variant.backend != Backend::CudaEmulated) return {{"as they come", -1}};
    if (variant.fp == FpMode::Fast) return {{"random", 2}};
    return {{"forward", 0}, {"backward", 1}, {"random", 2}};
  }

  /// False where the library should have an emulator and has not.
  static bool SetThreadOrder(const driver::HostLibrary& library, const ThreadOrder& order) {
    if (order.mode < 0) return true;
    void* const set = library.Symbol("stencilgen_emulator_set_order");
    if (set == nullptr) return false;
    reinterpret_cast<void (*)(int, unsigned)>(set)(order.mode, 1);
    return true;
  }

  /// Device memory that the last call did not free.
  static unsigned long long LiveBytes(const driver::HostLibrary& library) {
    void* const live = library.Symbol("stencilgen_emulator_live_bytes");
    return live == nullptr ? 0 : reinterpret_cast<unsigned long long (*)()>(live)();
  }

  DifferentialOptions options_;
  std::vector<Case> cases_;
  std::vector<Failure> failures_;
};

}  // namespace

std::vector<Failure> RunDifferential(const std::vector<TestProgram>& programs,
                                     const DifferentialOptions& options) {
  return Differential(programs, options).Run();
}

driver::PipelineOptions OptionsOf(const TestProgram& program) {
  driver::PipelineOptions options;
  options.program_name = program.name;
  options.schedule = program.schedule;
  options.time_tile = program.time_tile;
  if (program.split > 0) options.split = driver::SplitOptions{program.split, program.crossing};
  options.unroll_given = {true, true, true};
  return options;
}

std::string FindStrictFailures(const std::vector<TestProgram>& programs, bool execute) {
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  options.only = "cuda-strict";
  options.execute = execute;
  return Describe(RunDifferential(programs, options));
}

std::string Describe(const std::vector<Failure>& failures) {
  std::string text;
  for (const Failure& failure : failures) {
    text += fmt::format("{}: {}\n{}\n", failure.program, failure.message, failure.text);
  }
  return text;
}

}  // namespace stencilgen::testing
