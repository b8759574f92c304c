// What stands in the place of the C front end where its libraries are not there.
#include <vector>

#include "scop/read_scops.h"
#include "support/catch.h"

TEST_CASE("without libclang and isl a region draws a message that says what to install") {
  const stencilgen::SourceFile source("app.c", "#pragma scop\n#pragma endscop\n");
  std::vector<stencilgen::EmbeddedBlock> regions(1);
  regions[0].begin = {0, 12};
  stencilgen::DiagnosticSink sink;
  CHECK_FALSE(stencilgen::scop::ReadScops(source, regions, {}, sink));
  CHECK(stencilgen::RenderText(source, sink.diagnostics(), 0, false) ==
        "app.c:1:1: error: this stencilgen was built without what reads C code "
        "[scop-unavailable]\n"
        "    1 | #pragma scop\n"
        "      | ^~~~~~~~~~~~\n"
        "  hint: install libclang-19-dev and libisl-dev, configure again (cmake --fresh --preset "
        "release) and build\n");
}
