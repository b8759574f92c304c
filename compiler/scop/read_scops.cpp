#include "scop/read_scops.h"

#include <string_view>
#include <utility>

#include "frontend/syntax_program.h"
#include "scop/clang_file.h"
#include "scop/delinearise.h"
#include "scop/model.h"
#include "scop/order.h"
#include "scop/separate_scalars.h"
#include "scop/translation.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string_view> kGaveUp{
    "scop-gave-up", Severity::Error, "isl could not decide what this region computes: {}"};

std::optional<ScopProgram> ReadScop(Region region, DiagnosticSink& sink) {
  Delinearise(region);
  SeparateScalars(region);
  const auto model = BuildModel(region, sink);
  if (!model) return std::nullopt;
  const Order order = ChooseOrder(*model);
  if (!CheckOrder(*model, order, sink)) return std::nullopt;
  auto translation = Translate(*model, order, sink);
  if (!translation) return std::nullopt;
  ScopProgram program;
  program.program = ProgramOf(std::move(translation->program));
  program.bindings = std::move(translation->bindings);
  program.condition = std::move(translation->condition);
  program.keeps_code = translation->keeps_code;
  program.after = std::move(translation->after);
  return program;
}

}  // namespace

std::optional<ScopFile> ReadScops(const SourceFile& source,
                                  const std::vector<EmbeddedBlock>& regions,
                                  const std::vector<std::string>& compiler_arguments,
                                  DiagnosticSink& sink) {
  const std::size_t errors = sink.ErrorCount();
  const auto file = ClangFile::Parse(source, compiler_arguments, sink);
  if (!file) return std::nullopt;
  ScopFile out;
  for (const EmbeddedBlock& block : regions) {
    bool skipped = false;
    auto region = file->Read(block.begin, block.end, skipped, sink);
    try {
      out.programs.push_back(region ? ReadScop(*std::move(region), sink) : std::nullopt);
    } catch (const isl::exception& error) {
      sink.Report(block.begin, kGaveUp, error.what());
    }
  }
  if (sink.ErrorCount() > errors) return std::nullopt;
  out.includes = file->Includes();
  return out;
}

}  // namespace stencilgen::scop
