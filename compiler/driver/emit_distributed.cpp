#include "driver/emit_distributed.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/runtime_text.h"
#include "distribute/distribute.h"
#include "driver/embedded_ranks.h"
#include "driver/ranks_names.h"
#include "driver/ranks_progress.h"
#include "graph/verify.h"
#include "support/check.h"
#include "support/code_writer.h"
#include "support/comment_text.h"
#include "support/text_template.h"

namespace stencilgen::driver {

using namespace distribute;

namespace {

/// What a segment needs only within itself, its function for a GPU's arrays allocates.
graph::Graph WithinDevice(graph::Graph segment) {
  for (graph::Array& array : segment.arrays) {
    if (array.rank() > 0 && !array.copy_in && !array.copy_out) array.local = true;
  }
  return segment;
}

/// Makes outputs of the inputs that the module would use up. True where there are any.
bool KeepInputs(const kernel::Module& module, graph::Graph& segment) {
  bool any = false;
  for (const kernel::Array& array : module.arrays) {
    if (!module.Uses(array) || array.copy_out || !array.copy_in || !module.Writes(array)) continue;
    for (const graph::VersionId id : segment.versions.Ids()) {
      const graph::Version& version = segment.versions[id];
      if (version.def != graph::DefKind::Initial) continue;
      graph::Array& kept = segment.arrays[version.array];
      if (kept.name != array.source_name) continue;
      kept.copy_out = true;
      segment.outputs.push_back({version.array, id});
      any = true;
    }
  }
  std::sort(segment.outputs.begin(), segment.outputs.end(),
            [](const graph::Output& a, const graph::Output& b) { return a.array < b.array; });
  return any;
}

}  // namespace

std::optional<LoweredRanks> LowerForRanks(const graph::Program& program, const SourceFile& source,
                                          const PipelineOptions& options,
                                          const DistributeOptions& ranks, DiagnosticSink& sink) {
  const auto graph = CompileToGraph(program, options, sink);
  if (!graph) return std::nullopt;
  auto distributed = Distribute(*graph, ranks, sink);
  if (!distributed) return std::nullopt;
  if (options.verify) {
    std::vector<std::string> broken = Verify(*distributed);
    for (const Segment& segment : distributed->segments) {
      const std::vector<std::string> more = graph::Verify(segment.graph);
      broken.insert(broken.end(), more.begin(), more.end());
    }
    for (const std::string& what : broken) fmt::print(stderr, "after distribute: {}\n", what);
    STENCILGEN_CHECK(broken.empty());
  }
  LoweredRanks lowered;
  lowered.codegen = options.codegen;
  lowered.codegen.function = options.program_name;
  lowered.target = options.target;
  for (const Segment& segment : distributed->segments) {
    PipelineOptions own = options;
    own.program_name = segment.graph.name;
    const auto lower = [&](graph::Graph local) {
      const plan::Plan plan = CompileToPlan(std::move(local), own);
      return LowerPlan(plan, own, CodeOptions(plan, source, own));
    };
    if (options.target == Target::Cpp) {
      lowered.modules.push_back(lower(segment.graph));
      LetMessagesGoOn(lowered.modules.back());
      STENCILGEN_CHECK(!options.verify || kernel::Verify(lowered.modules.back()).empty());
      continue;
    }
    graph::Graph local = WithinDevice(segment.graph);
    kernel::Module module = lower(local);
    // The function for a GPU's arrays may use those that it only reads for other things.
    if (KeepInputs(module, local)) module = lower(std::move(local));
    lowered.modules.push_back(std::move(module));
  }
  lowered.program = *std::move(distributed);
  return lowered;
}

namespace {

/// Dimensions of the array that has the most, at least 1.
std::size_t MostDimensions(const distribute::Distributed& program) {
  std::size_t most = 1;
  for (const distribute::ArrayId array : program.fields) {
    most = std::max(most, program.graph.arrays[array].rank());
  }
  return most;
}

}  // namespace

std::string EmitRanksHeader(const LoweredRanks& lowered) {
  const RanksNames names(lowered.program, lowered.codegen.function);
  const graph::Graph& graph = lowered.program.graph;
  std::string guard = names.function;
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  CodeWriter numbers;
  for (std::size_t n = 0; n < lowered.program.fields.size(); ++n) {
    // What the program does not name is nobody's business.
    if (graph.arrays[lowered.program.fields[n]].local) continue;
    numbers.Line("  {}_ranks_{} = {},", names.function,
                 names.arrays[lowered.program.fields[n].index], n);
  }
  std::vector<std::string> iterators;
  for (const GridAxis& axis : lowered.program.grid.axes) {
    iterators.push_back(graph.iterators[static_cast<std::size_t>(axis.iterator)]);
  }
  std::vector<std::string> constructor = {"MPI_Comm comm"};
  for (const std::string& size : names.SizeParameters()) constructor.push_back(size);
  constructor.emplace_back("const int* grid = nullptr");
  const std::vector<std::string> sizes = names.SizeArguments();
  const std::vector<std::string> run = names.RunArguments();
  return FillTemplate(
      RanksTemplate("templates/ranks.h.tmpl"),
      {{"source", lowered.codegen.source_name.empty() ? "a stencil program"
                                                      : CommentText(lowered.codegen.source_name)},
       {"half_types", std::any_of(lowered.modules.begin(), lowered.modules.end(),
                                  [](const kernel::Module& module) { return module.has_halves; })
                          ? codegen::HalfTypes(lowered.codegen.standalone)
                          : ""},
       {"guard", guard},
       {"function", names.function},
       {"numbers", numbers.str()},
       {"axes", fmt::format("{}", iterators.size())},
       {"iterators", fmt::format("{}", fmt::join(iterators, ", "))},
       {"create",
        Signature(fmt::format("int {}_ranks_create", names.function), names.OfCreate(), ";")},
       {"run", Signature(fmt::format("int {}_ranks_run", names.function), names.OfRun(), ";")},
       {"whole", Signature(fmt::format("int {}_mpi", names.function), names.OfWhole(), ";")},
       {"constructor",
        Signature(fmt::format("{}{}_Distributed", "explicit ", names.function), constructor, " {")},
       {"sizes", sizes.empty() ? "" : fmt::format("{}, ", fmt::join(sizes, ", "))},
       {"run_method", Signature("void run", names.RunParameters(), " {")},
       {"run_arguments", run.empty() ? "" : fmt::format(", {}", fmt::join(run, ", "))},
       {"dimensions", fmt::format("{}", MostDimensions(lowered.program))},
       {"where", lowered.target == Target::Cuda ? ", in the memory of its GPU" : ""},
       {"error", codegen::RuntimeTexts({"stencilgen/error.hpp"}, lowered.codegen.standalone)}});
}

}  // namespace stencilgen::driver
