// Errors and debuggers point into the file that was written by hand.
#include <algorithm>
#include <regex>
#include <string>

#include "embedded_build.h"

using namespace stencilgen::test;
using stencilgen::driver::Backend;
using stencilgen::driver::FindCompiler;

namespace {

/// @ stands for what is wrong.
std::string App(const std::string& before, const std::string& declaration,
                const std::string& after) {
  return fmt::format(R"(#include <vector>
void Scale(std::vector<double>& field, const double* in, double factor, int N) {{
  {}
#pragma dsl begin
  parameter N;
  iterator i;
  double field[N], in[N], factor;
  {}
  copyin field, in, factor;
  stencil s (A, B, c) {{ A[i] = c*A[i] + B[i]; }}
  s (field, in, factor);
  copyout field;
#pragma dsl end
  {}
}}
)",
                     before, declaration, after);
}

struct Mistake {
  std::string before, declaration, after;
  int line;
  std::string message;
};

const Mistake kMistakes[] = {
    {"int unknown = nothing;", "", "", 3, "nothing"},
    {"", "", "int unknown = nothing;", 14, "nothing"},
    // Errors of the binding are reported where the block declares the name.
    {"", "double absent[N]; copyin absent; copyout absent;", "", 8, "absent"},
    {"float* other = nullptr;", "double other[N]; copyin other; copyout other;", "", 8,
     "needs a pointer to double that is not const"},
    {"const char* M = \"\";", "parameter M; double wide[M]; copyin wide; copyout wide;", "", 8,
     "needs a variable of an integer type"},
    {"std::vector<int> scalar;", "double scalar;", "", 8, "needs an arithmetic variable"},
    {"double** rows = nullptr;", "double rows[N]; copyin rows; copyout rows;", "", 8,
     "a contiguous array of double"},
    {"double rows[N][N], row[N];", "double rows[N]; copyin rows; copyout rows;", "", 8,
     "not one of variable length"},
    {"double rows[N][N], row[N];", "double row[N]; copyin row;", "", 8,
     "not one of variable length"},
    {"double psi[9];", "complex psi[N]; copyin psi; copyout psi;", "", 8,
     "a pointer to std::complex<double> that is not const"},
    {"unsigned short* bits = nullptr;", "half bits[N]; copyin bits; copyout bits;", "", 8,
     "needs a pointer to stencilgen_half that is not const"},
    {"const char* a = nullptr;", "complex a;", "", 8, "a variable of complex or real numbers"},
    {"double K = 2;", "parameter K;", "", 8, "needs a variable of an integer type"}};

/// The lines `app.cpp:N: ... error: ...`, or nvcc's `app.cpp(N): error: ...`.
std::string Errors(const std::string& output) {
  std::string errors;
  std::size_t begin = 0;
  while (begin < output.size()) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line = output.substr(begin, end - begin);
    if (Contains(line, "error:")) errors += line + "\n";
    begin = end + 1;
  }
  return errors;
}

}  // namespace

TEST_CASE("the C++ compiler's errors name the line of the original") {
  for (const Mistake& mistake : kMistakes) {
    const Workplace work;
    work.Write("app.cpp", App(mistake.before, mistake.declaration, mistake.after));
    const std::string place = fmt::format("app.cpp:{}:", mistake.line);
    for (const EmbeddedTarget target : {EmbeddedTarget::Cpp, EmbeddedTarget::Emulator}) {
      const bool emulator = target == EmbeddedTarget::Emulator;
      // The emulator is slow to compile.
      if (emulator && mistake.line == 8 && mistake.message != "absent") continue;
      const CliResult translated =
          work.Run(fmt::format("app.cpp --no-standalone -o app.gen.{}", emulator ? "cu" : "cpp"));
      REQUIRE(translated.status == 0);
      const auto result = Shell(
          work, CompileCommand(target, emulator ? "app.gen.cu" : "app.gen.cpp", "-fsyntax-only"));
      INFO(result.output);
      CHECK(result.status != 0);
      const std::string errors = Errors(result.output);
      CHECK(errors.rfind(place, 0) == 0);
      CHECK(Contains(errors, mistake.message));
    }
  }
}

TEST_CASE("a reduction's result needs a variable of its type") {
  const Workplace work;
  work.Write("app.cpp", R"(void Sum(const double* u, int N) {
  float s = 0;
#pragma dsl begin
  parameter N; iterator i; double u[N], s;
  copyin u;
  s = sum(u[i]);
  copyout s;
#pragma dsl end
}
)");
  REQUIRE(work.Run("app.cpp --no-standalone -o app.gen.cpp").status == 0);
  const auto result =
      Shell(work, CompileCommand(EmbeddedTarget::Cpp, "app.gen.cpp", "-fsyntax-only"));
  CHECK(result.status != 0);
  const std::string errors = Errors(result.output);
  CHECK(errors.rfind("app.cpp:4:", 0) == 0);
  CHECK(Contains(errors,
                 "`s` is a result of the stencil program: it needs a variable of the type "
                 "double that is not const, or a pointer to one"));
}

TEST_CASE("nvcc's errors name the line of the original", "[nvcc]") {
  const std::string nvcc = FindCompiler(Backend::Cuda);
  if (nvcc.empty()) return;
  for (const Mistake& mistake : {kMistakes[0], kMistakes[1], kMistakes[3]}) {
    const Workplace work;
    work.Write("app.cpp", App(mistake.before, mistake.declaration, mistake.after));
    REQUIRE(work.Run("app.cpp --no-standalone -o app.gen.cu").status == 0);
    const auto result =
        Shell(work, fmt::format("{} -std=c++17 -I'{}' -c -o app.o app.gen.cu", nvcc, Include()));
    INFO(result.output);
    CHECK(result.status != 0);
    const std::string errors = Errors(result.output);
    CHECK(errors.rfind(fmt::format("app.cpp({}):", mistake.line), 0) == 0);
    CHECK(Contains(errors, mistake.message));
  }
}

TEST_CASE("our own errors name the line of the original, and nothing is written") {
  const Workplace work;
  work.Write("app.cpp", App("", "int nothing[K];", ""));
  const CliResult result = work.Run("app.cpp -o app.gen.cu");
  CHECK(result.status == 1);
  CHECK(Contains(result.err, "app.cpp:8:15: error: "));
  CHECK(Contains(result.err, "    8 |   int nothing[K];\n"));
  CHECK(work.Entries() == 1);
  const CliResult json = work.Run("app.cpp -o app.gen.cu --diagnostics-format json");
  CHECK(Contains(json.err, "\"line\": 8"));
  CHECK(work.Entries() == 1);
}

TEST_CASE("a debugger steps in the original") {
  const Workplace work;
  work.Write("app.cpp", App("factor += 1;", "", "factor += 1;") +
                            "int main() {\n  std::vector<double> u(9);\n"
                            "  Scale(u, u.data(), 2, 9);\n}\n");
  const std::string file = Translate(work, EmbeddedTarget::Cpp);
  const auto compiled = Shell(work, CompileCommand(EmbeddedTarget::Cpp, file, "-O0 -g -o app"));
  INFO(compiled.output);
  REQUIRE(compiled.status == 0);
  if (stencilgen::driver::FindProgram("gdb").empty()) return;
  const auto lines = Shell(work,
                           "gdb -batch -nx -ex 'info line app.cpp:3' -ex 'info line app.cpp:4' "
                           "-ex 'info line app.cpp:14' -ex 'info line app.cpp:18' ./app 2>&1");
  INFO(lines.output);
  for (const int line : {3, 4, 14, 18}) {
    const std::regex found(fmt::format("Line {} of \"[^\"]*app.cpp\" starts at address", line));
    CHECK(std::regex_search(lines.output, found));
  }
  // The generated code is in the generated file.
  const auto inside =
      Shell(work, "gdb -batch -nx -ex 'info scope app_1' -ex 'list app_1' ./app 2>&1");
  INFO(inside.output);
  CHECK(Contains(inside.output, "app_1_program"));
}
