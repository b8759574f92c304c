// What stands in the place of this folder where its libraries were not there when the project was
// built.
#include "scop/read_scops.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kAbsent{"scop-unavailable", Severity::Error,
                                   "this stencilgen was built without what reads C code"};

}  // namespace

std::optional<ScopFile> ReadScops(const SourceFile& /*source*/,
                                  const std::vector<EmbeddedBlock>& regions,
                                  const std::vector<std::string>& /*compiler_arguments*/,
                                  DiagnosticSink& sink) {
  sink.Report(regions.front().begin, kAbsent)
      .Hint(
          "install libclang-19-dev and libisl-dev, configure again (cmake --fresh --preset "
          "release) and build");
  return std::nullopt;
}

}  // namespace stencilgen::scop
