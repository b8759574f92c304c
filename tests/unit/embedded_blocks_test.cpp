// Blocks, their arguments, and the place for definitions.
#include "frontend/embedded_blocks.h"

#include <string>
#include <string_view>

#include "frontend/parse.h"
#include "support/catch.h"

namespace stencilgen {
namespace {

std::string TextAt(const SourceFile& source, Span span) {
  return source.text().substr(span.begin, span.end - span.begin);
}

EmbeddedFile Find(const SourceFile& source) {
  DiagnosticSink sink;
  const auto file = FindEmbeddedBlocks(source, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(file);
  return *file;
}

TEST_CASE("a block is both directives and what lies between them") {
  const SourceFile source("a.cpp",
                          "int a;\n  #pragma dsl begin block:2,1\nprogram\n\t# pragma dsl end\n"
                          "int b; /* c */ #pragma dsl begin\n/* d */ #pragma dsl begin\r\n"
                          "#pragma dsl end  // e\r\nint f;");
  const EmbeddedFile file = Find(source);
  REQUIRE(file.blocks.size() == 2);
  CHECK(TextAt(source, file.blocks[0].whole) ==
        "  #pragma dsl begin block:2,1\nprogram\n\t# pragma dsl end\n");
  CHECK(TextAt(source, file.blocks[0].begin) == "#pragma dsl begin block:2,1");
  CHECK(TextAt(source, file.blocks[0].body) == "program\n");
  // A comment before the directive stays.
  CHECK(TextAt(source, file.blocks[1].whole) == "#pragma dsl begin\r\n#pragma dsl end  // e\r\n");
  CHECK(TextAt(source, file.blocks[1].body).empty());
}

TEST_CASE("arguments know their places") {
  const SourceFile source("a.cpp",
                          "#pragma dsl begin stream: \\\n j block: 32 , 16 retime name:h\\\neat\n"
                          "#pragma dsl end");
  const EmbeddedFile file = Find(source);
  REQUIRE(file.blocks.size() == 1);
  const auto& arguments = file.blocks[0].arguments;
  REQUIRE(arguments.size() == 4);
  CHECK(arguments[0].name == "stream");
  CHECK(arguments[0].value == "j");
  CHECK(arguments[1].name == "block");
  CHECK(arguments[1].value == "32,16");
  CHECK(TextAt(source, arguments[1].span) == "block: 32 , 16");
  CHECK(TextAt(source, arguments[1].value_span) == "32 , 16");
  CHECK(arguments[2].name == "retime");
  CHECK_FALSE(arguments[2].value);
  CHECK(TextAt(source, arguments[2].value_span) == "retime");
  CHECK(arguments[3].value == "heat");
  CHECK(TextAt(source, arguments[3].value_span) == "h\\\neat");
}

TEST_CASE("what formatters make of arguments means the same") {
  const SourceFile source(
      "a.cpp",
      "#pragma dsl begin block : 32, 16 retime stream : \\\n    j time - tile : "
      "2 concurrent - \\\n  stream : j : 64 ndim : M = 64, \\\n N = 2\n"
      "#pragma dsl end\n");
  std::string arguments;
  const EmbeddedFile file = Find(source);
  for (const BlockArgument& argument : file.blocks.at(0).arguments) {
    arguments += argument.name + "<" + argument.value.value_or("") + "> ";
  }
  CHECK(arguments ==
        "block<32,16> retime<> stream<j> time-tile<2> concurrent-stream<j:64> ndim<M=64,N=2> ");
}

TEST_CASE("the program of a block keeps its places") {
  const SourceFile source("a.cpp",
                          "// \xC3\xA9\nvoid f() {\n#pragma dsl begin\nparameter N;\nx\n"
                          "#pragma dsl end\n}\n");
  const EmbeddedFile file = Find(source);
  const SourceFile program = ProgramOfBlock(source, file.blocks[0]);
  CHECK(program.name() == "a.cpp");
  const std::size_t at = source.text().find("parameter");
  CHECK(program.text().substr(at) == "parameter N;\nx\n");
  CHECK(program.text().find_first_not_of(" \n") == at);
  CHECK(program.Locate(static_cast<std::uint32_t>(at)).line == 4);
  DiagnosticSink sink;
  CHECK_FALSE(Parse(program, sink));
  REQUIRE_FALSE(sink.diagnostics().empty());
  CHECK(source.Locate(sink.diagnostics()[0].span.begin).line == 5);
}

/// What stands before the definitions.
std::string Before(const std::string& text) {
  const SourceFile source("a.h",
                          text + "int x;\n#pragma dsl begin\n#pragma dsl end\n#include <y>\n");
  return source.text().substr(0, Find(source).definitions);
}
/// The same, for a file whose last line is `#endif`.
std::string BeforeGuarded(const std::string& text) {
  const SourceFile source("a.h", text + "int x;\n#pragma dsl begin\n#pragma dsl end\n#endif\n");
  return source.text().substr(0, Find(source).definitions);
}

TEST_CASE("definitions come before all code") {
  CHECK(Before("").empty());
  CHECK(Before("// licence\n#include <cmath>\n").empty());
  CHECK(Before("#define N 512\n#include <cmath>\n").empty());
  CHECK(Before("\xEF\xBB\xBF#include <cmath>\n") == "\xEF\xBB\xBF");
  CHECK(Before("int first;\n#define _GNU_SOURCE\n").empty());
}

TEST_CASE("definitions come after what the library's headers heed") {
  const std::string macro = "// licence\n#define _GNU_SOURCE 1\n";
  CHECK(Before(macro + "#include <cmath>\n") == macro);
  CHECK(Before(macro + "#define N 5\n#define NDEBUG\n") == macro);
  CHECK(Before("#undef NDEBUG\n") == "#undef NDEBUG\n");
  const std::string conditional = "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n";
  CHECK(Before(conditional + "#include <cmath>\n") == conditional);
  CHECK(Before(conditional) == conditional);
  const std::string windows =
      "#if defined(_WIN32) && FAST\n#define _USE_MATH_DEFINES\n#else\n"
      "#define __STDC_FORMAT_MACROS\n#endif\n";
  CHECK(Before(windows + "#include <cmath>\n") == windows);
  // Half a conditional is no place for them.
  CHECK(Before("#ifdef _WIN32\n#define _USE_MATH_DEFINES\n#include <cmath>\n#endif\n").empty());
}

TEST_CASE("definitions come inside of an include guard") {
  CHECK(Before("#pragma once\n#include <cmath>\n") == "#pragma once\n");
  const std::string guard = "// licence\n#ifndef A_H\n#define A_H\n";
  CHECK(BeforeGuarded(guard + "#include <cmath>\n") == guard);
  CHECK(BeforeGuarded(guard + "#define _GNU_SOURCE\n#include <cmath>\n") ==
        guard + "#define _GNU_SOURCE\n");
  CHECK(BeforeGuarded(guard + "#if FAST\n#include <cmath>\n#endif\n") == guard);
  // What only looks like a guard does not guard the whole file.
  CHECK(Before(guard + "#include <cmath>\n#endif\n").empty());
  CHECK(Before(guard + "#endif\n#include <cmath>\n") == guard + "#endif\n");
  CHECK(BeforeGuarded("#ifndef A_H\n#define B_H\n").empty());
  CHECK(BeforeGuarded("#ifndef N\n#define N 5\n").empty());
}

}  // namespace
}  // namespace stencilgen
