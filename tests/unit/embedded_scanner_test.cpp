// The scanner of C++ text against a compiler's: both must see the same directives.
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "frontend/cpp_scanner.h"
#include "support/catch.h"
#include "support/prng.h"
#include "support/temporary_directory.h"

namespace stencilgen::frontend {
namespace {

using testing::Prng;

/// The names N of the `#pragma dsl N`.
std::vector<std::string> Found(const std::string& text) {
  CppScanner scanner(text);
  std::vector<std::string> names;
  while (const auto directive = scanner.NextDirective()) {
    std::smatch match;
    const std::regex dsl(R"(\s+dsl\s+(\w+)[\s\S]*)");
    if (directive->keyword == "pragma" && std::regex_match(directive->rest, match, dsl)) {
      names.push_back(match[1].str());
    }
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("directives are found where compilers find them") {
  CHECK(Found("#pragma dsl a") == Names{"a"});
  CHECK(Found(" \t # \t pragma\tdsl  a // b\n#pragma dsl c\r\n") == Names{"a", "c"});
  CHECK(Found("\xEF\xBB\xBF#pragma dsl a\n") == Names{"a"});
  CHECK(Found("int x; #pragma dsl a\n").empty());
  CHECK(Found("#define X #pragma dsl a\n").empty());
  CHECK(Found("# /* comment\n over lines */ pragma /**/ dsl /* */ a\n") == Names{"a"});
  CHECK(Found("/* at the start of a line */ #pragma dsl a\n") == Names{"a"});
  CHECK(Found("#pra\\\ngma d\\\r\nsl a\\ \t\nb\n") == Names{"ab"});
  CHECK(Found("%:pragma dsl a\n % \\\n:pragma dsl b\n %\\\n:pragma dsl c\n") == Names{"a", "c"});
  CHECK(Found("#pragma dslx a\n#pragma omp dsl a\n#pragmadsl a\n").empty());
}

TEST_CASE("comments hide directives") {
  CHECK(Found("// \\\n#pragma dsl a\n#pragma dsl b\n") == Names{"b"});
  CHECK(Found("// ?"
              "?/\n#pragma dsl a\n") == Names{"a"});  // trigraphs are gone
  CHECK(Found("/* /* */\n#pragma dsl a\n/*\n#pragma dsl b\n*/\n") == Names{"a"});
  CHECK(Found("/\\\n/ line\\\n#pragma dsl a\n#pragma dsl b") == Names{"b"});
  CHECK(Found("/\\\n*\n#pragma dsl a\n*\\\n/\n#pragma dsl b") == Names{"b"});
  CHECK(Found("x = a /*b*/ / c;\n#pragma dsl a\n") == Names{"a"});
  CHECK(Found("/* never closed\n#pragma dsl a\n").empty());
}

TEST_CASE("literals hide directives and comments") {
  CHECK(Found("\"/*\"\n#pragma dsl a\n\"*/\"") == Names{"a"});
  CHECK(Found("'\"'\n#pragma dsl a\n'\"'") == Names{"a"});
  CHECK(Found("\"\\\"/*\"\n#pragma dsl a\n") == Names{"a"});
  CHECK(Found("\"\\\n#pragma dsl a\"\n#pragma dsl b\n") == Names{"b"});
  CHECK(Found("don't /* stop */\n#pragma dsl a\n") == Names{"a"});
  CHECK(Found("1'000'000 /* ' */ 0x1'f 1e+5'0\n#pragma dsl a\n") == Names{"a"});
  CHECK(Found("x = 'a' + L'\\'' + u8'\"';\n#pragma dsl a\n") == Names{"a"});
  CHECK(Found("#include <it's.h>\n#pragma dsl a\n#include </*.h>\n#pragma dsl b") ==
        Names{"a", "b"});
  CHECK(Found("#error don't\n#pragma dsl a\n") == Names{"a"});
}

TEST_CASE("raw strings hide everything up to their own end") {
  CHECK(Found("R\"(\n#pragma dsl a\n)\"\n#pragma dsl b\n") == Names{"b"});
  CHECK(Found("u8R\"x(\n)\" )y\"\n#pragma dsl a\n)x\"\n#pragma dsl b\n") == Names{"b"});
  CHECK(Found("LR\"(\\\n)\"\n#pragma dsl b\n") == Names{"b"});
  CHECK(Found("XR\"(\n#pragma dsl a\n)\"\n") == Names{"a"});  // XR is no prefix
  CHECK(Found("R \"(\n#pragma dsl a\n)\"\n") == Names{"a"});
  CHECK(Found("#define X R\"(\n#pragma dsl a\n)\"\n#pragma dsl b\n") == Names{"b"});
  CHECK(Found("R\"too-long-a-delimiter(\n#pragma dsl a\n") == Names{"a"});
  CHECK(Found("R\"(never closed\n#pragma dsl a\n").empty());
}

TEST_CASE("a directive says where its characters are") {
  const std::string text = "x\n  #pragma \\\n dsl /* */ be\\\ngin\r\nnext";
  CppScanner scanner(text);
  const auto directive = scanner.NextDirective();
  REQUIRE(directive);
  CHECK(directive->after_code);
  CHECK(directive->keyword == "pragma");
  CHECK(directive->rest == "  dsl   begin\r");
  REQUIRE(directive->offsets.size() == directive->rest.size() + 1);
  for (std::size_t k = 0; k < directive->rest.size(); ++k) {
    if (directive->rest[k] != ' ') CHECK(text[directive->offsets[k]] == directive->rest[k]);
  }
  CHECK(text.substr(directive->span.begin, 7) == "#pragma");
  CHECK(text.substr(directive->span.end) == "\r\nnext");
  CHECK(text.substr(directive->after) == "next");
}

TEST_CASE("pragma operators are no directives, but are noticed") {
  const auto operators = [](const std::string& text) {
    CppScanner scanner(text);
    std::vector<std::string> found;
    while (scanner.NextDirective()) continue;
    for (const Span span : scanner.dsl_operators()) {
      found.push_back(text.substr(span.begin, span.end - span.begin));
    }
    return found;
  };
  CHECK(operators("_Pragma(\"dsl begin\")\nx; __pragma(dsl end) y") ==
        Names{"_Pragma(\"dsl begin\")", "__pragma(dsl end)"});
  CHECK(operators("#define B _Pragma ( L\" dsl begin\" )\n") ==
        Names{"_Pragma ( L\" dsl begin\" )"});
  CHECK(operators("_Pragma(\"dsl") == Names{"_Pragma(\"dsl"});
  CHECK(operators("_Pragma(\"omp dsl\") _Pragma(\"dslx\") my_Pragma(\"dsl\") _Pragma _Pragma(")
            .empty());
  CHECK(operators("// _Pragma(\"dsl begin\")\n\"_Pragma(dsl)\" R\"(_Pragma(\"dsl\"))\"").empty());
}

/// C++ text that is hard to scan; every `#pragma dsl` has a name of its own. What one fragment
/// opens, it closes.
std::string NastyText(Prng& prng, int fragments) {
  static const std::vector<std::string> kFragments = {"int a;\n",
                                                      "\n",
                                                      " ",
                                                      "// line\n",
                                                      "// spliced \\\n more\n",
                                                      "/* block */",
                                                      "/* two\nlines */",
                                                      "/*\n@*/",
                                                      "//\n@",
                                                      "\"text\"",
                                                      "\"\\\\\"",
                                                      "\"\\\"\"",
                                                      "\"//\"",
                                                      "\"/*\"",
                                                      "'x'",
                                                      "'\\''",
                                                      "'\"'",
                                                      "1'000",
                                                      "0x1'f",
                                                      ".5e+3",
                                                      "1.e-2'0",
                                                      " R\"(raw)\"",
                                                      " R\"(\n@)\"",
                                                      " u8R\"d(\n)\" @)d\"",
                                                      " LR\"(\\\n@)\"",
                                                      " uR\"-(\")-\"",
                                                      " XR \"(\"",
                                                      "a\\\nb",
                                                      "x/ y",
                                                      "x / /* */ y",
                                                      "a %\n",
                                                      "don't\n",
                                                      "say \"open\n",
                                                      "#define M(x) #x\n",
                                                      "#define S '\n",
                                                      "#undef M\n",
                                                      "\f",
                                                      "\v\n",
                                                      "\t\t",
                                                      "\\ \t\n",
                                                      "\\\n",
                                                      "L\"wide\"",
                                                      "u'c'",
                                                      " id_R\"(\"",
                                                      " 9R\"(\"",
                                                      "$d",
                                                      "\xC3\xA9t",
                                                      "/\\\n/ gone\n",
                                                      "/\\\n* gone *\\\n/",
                                                      "\"a\\\n@b\"",
                                                      "#\n",
                                                      "# 12 \"x.h\"\n",
                                                      "@",
                                                      "@",
                                                      "\n@"};
  std::string text;
  int name = 0;
  for (int k = 0; k < fragments; ++k) {
    std::string fragment = prng.Pick(kFragments);
    const std::size_t at = fragment.find('@');
    if (at != std::string::npos) {
      static const std::vector<std::string> kForms = {
          "#pragma dsl n{}\n",     "#pragma dsl n{} // x\n", " # pragma\tdsl n{}\n",
          "#pra\\\ngma dsl n{}\n", "%\\\n:pragma dsl n{}\n", "#/* */pragma dsl /*\n*/ n{}\n"};
      // In the compiler's output a raw string is as it was, and a directive has no comments.
      const bool raw = fragment.find("R\"") != std::string::npos;
      const std::string form = raw ? "#/**/pragma dsl n{}\n" : prng.Pick(kForms);
      fragment.replace(at, 1, fmt::format(fmt::runtime(form), name++));
    }
    text.append(fragment);
  }
  return text.append("\n");
}

TEST_CASE("the compiler's preprocessor sees the same directives") {
  const std::string compiler = driver::FindCompiler(driver::Backend::Cpp);
  REQUIRE_FALSE(compiler.empty());
  const testing::TemporaryDirectory directory;
  Prng prng(6);
  std::size_t total = 0;
  for (int round = 0; round < 25; ++round) {
    const std::string text = NastyText(prng, 150);
    const std::string source = directory.path() / "nasty.cpp";
    std::ofstream(source, std::ios::binary) << text;
    const std::string output = directory.path() / "nasty.ii";
    const driver::ProcessResult result = driver::RunProcess(
        {"sh", "-c",
         fmt::format("{} -w -E -P -std=c++17 {} > {} 2>/dev/null", compiler, source, output)});
    std::ifstream file(output, std::ios::binary);
    const std::string seen{std::istreambuf_iterator<char>(file), {}};
    Names expected;
    const std::regex pragma(R"((^|\n)#pragma dsl (n[0-9]+))");
    for (std::sregex_iterator at(seen.begin(), seen.end(), pragma), end; at != end; ++at) {
      expected.push_back((*at)[2].str());
    }
    INFO("round " << round << ", status " << result.status << "\n" << text);
    REQUIRE(Found(text) == expected);
    total += expected.size();
  }
  CHECK(total > 100);
}

}  // namespace
}  // namespace stencilgen::frontend
