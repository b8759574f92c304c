#include <string>

#include "support/bad_programs.h"
#include "support/catch.h"
#include "support/parse_text.h"

namespace stencilgen {
namespace {

using testing::BadProgram;
using testing::Parsed;

TEST_CASE("every broken program is refused with a place, and the rest parses") {
  const std::vector<BadProgram> programs = testing::BadPrograms();
  REQUIRE(programs.size() >= 250);
  for (const BadProgram& bad : programs) {
    INFO(bad.name);
    const Parsed parsed(bad.text);
    CHECK(parsed.program.has_value() == !bad.syntax);
    CHECK(parsed.sink.HasErrors() == bad.syntax);
    for (const Diagnostic& d : parsed.sink.diagnostics()) {
      CHECK_FALSE(d.id.empty());
      CHECK_FALSE(d.message.empty());
      CHECK(d.span.begin <= d.span.end);
      CHECK(d.span.end <= bad.text.size());
      for (const DiagnosticNote& note : d.notes) CHECK(note.span.end <= bad.text.size());
    }
    // Whatever the text holds, it can be shown.
    CHECK(RenderText(parsed.source, parsed.sink.diagnostics(), 20, true).empty() == !bad.syntax);
    CHECK_FALSE(RenderJson(parsed.source, parsed.sink.diagnostics()).empty());
  }
}

}  // namespace
}  // namespace stencilgen
