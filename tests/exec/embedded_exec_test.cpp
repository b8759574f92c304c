// C++ programs with stencils in them do what they say.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "embedded_build.h"

using namespace stencilgen::test;
using stencilgen::driver::Backend;
using stencilgen::driver::FindCompiler;

namespace {

constexpr EmbeddedTarget kTargets[] = {EmbeddedTarget::Cpp, EmbeddedTarget::Emulator};

/// See embedded/bindings.cpp.
std::string Bindings() {
  std::ifstream file(STENCILGEN_SOURCE_DIR "/tests/exec/embedded/bindings.cpp", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The line of the file that holds the text.
int LineOf(const std::string& file, const std::string& text) {
  const std::size_t at = file.find(text);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<int>(
                 std::count(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

TEST_CASE("names bind to variables of every kind, in every kind of place") {
  const Workplace work;
  const std::string app = Bindings();
  work.Write("app.cpp", app);
  const int pointers = LineOf(app, "#pragma dsl begin block:32,4");
  const int halve = LineOf(app, "      if (really)") + 1;
  const int last = LineOf(app, "failures, line");
  const std::string expected = fmt::format(
      "app.cpp:{0}: array out is a null pointer\n"
      "app.cpp:{0}: parameter M is 5000000000, too large for an int\n"
      "app.cpp:{0}: parameter M must be at least 1, not 0\n"
      "app.cpp:{1}: array u has 0 elements, fewer than the 12 of the program\n"
      "0 failures, line {2} of app.cpp\n",
      pointers, halve, last);
  for (const EmbeddedTarget target : kTargets) CHECK(BuildAndRun(work, target) == expected);
  // The runtime headers are there once.
  CHECK(BuildAndRun(work, EmbeddedTarget::Cpp, "-O0 -Werror -std=c++20", "--fp strict") ==
        expected);
}

TEST_CASE("other compilers and standards take it", "[nvcc]") {
  const Workplace work;
  work.Write("app.cpp", Bindings());
  const std::string cpp = Translate(work, EmbeddedTarget::Cpp, "app.cpp", "");
  const std::string cuda = Translate(work, EmbeddedTarget::Emulator, "app.cpp", "");
  std::vector<std::string> commands = {
      fmt::format("{} -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only {}",
                  FindCompiler(Backend::Cpp), cpp)};
  if (!stencilgen::driver::FindProgram("clang++").empty()) {
    commands.push_back("clang++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only " + cpp);
  }
  if (const std::string nvcc = FindCompiler(Backend::Cuda); !nvcc.empty()) {
    commands.push_back(
        fmt::format("{} -std=c++17 -O1 -arch=sm_90 -Werror all-warnings "
                    "-Xcompiler -Wall,-Wextra -c -o app.o {}",
                    nvcc, cuda));
  }
  for (const std::string& command : commands) {
    const auto result = Shell(work, command);
    INFO(command << "\n" << result.output);
    CHECK(result.status == 0);
    CHECK(result.output.empty());
  }
}

namespace {

/// `app.cpp`, whose block multiplies by `factor`, with a function `function`.
std::string Multiplies(const std::string& function, const std::string& factor,
                       const std::string& arguments) {
  return fmt::format(R"(void {}(double* u, int N) {{
#pragma dsl begin {}
  parameter N; iterator i; double u[N];
  copyin u;
  stencil s (A) {{ A[i] = {}*A[i]; }}
  s (u);
  copyout u;
#pragma dsl end
}}
)",
                     function, arguments, factor);
}

}  // namespace

TEST_CASE("files of one name go into one program") {
  const Workplace work;
  std::filesystem::create_directory(work.Path("a"));
  std::filesystem::create_directory(work.Path("b"));
  work.Write("a/app.cpp", Multiplies("Twice", "2.0", ""));
  work.Write("b/app.cpp", Multiplies("Thrice", "3.0", ""));
  work.Write("app.cpp", Multiplies("Fourfold", "4.0", "name:fourfold"));
  work.Write("main.cpp", R"(#include <cstdio>
#include "app.h"
void Twice(double*, int);
void Thrice(double*, int);
void Fourfold(double*, int);
int main() {
  double u[2] = {1, 10};
  Twice(u, 2);
  Thrice(u, 2);
  Fourfold(u, 2);
  // A block with a name is a function for other files too.
  const int status = fourfold(u, 2);
  std::printf("%g %g %d %d '%s'\n", u[0], u[1], status, fourfold(u, 0), fourfold_error());
}
)");
  for (const EmbeddedTarget target : kTargets) {
    const std::string a = Translate(work, target, "a/app.cpp", "");
    const std::string b = Translate(work, target, "b/app.cpp", "");
    const std::string c = Translate(work, target, "app.cpp", "--header app.h");
    for (const auto& [file, object] : {std::pair{a, "a.o"}, {b, "b.o"}, {c, "c.o"}}) {
      const auto compiled =
          Shell(work, CompileCommand(target, file, fmt::format("-O1 -Werror -c -o {}", object)));
      INFO(compiled.output);
      REQUIRE(compiled.status == 0);
    }
    const auto run =
        Shell(work, CompileCommand(target, "main.cpp", "-o app a.o b.o c.o") + " && ./app");
    CHECK(run.output == "96 960 0 1 'parameter N must be at least 1, not 0'\n");
    CHECK(run.status == 0);
  }
}

TEST_CASE("macros of the command line and of the file change no program") {
  const Workplace work;
  work.Write("app.cpp", R"(#include <cstdio>
#define SIZE 3
struct { double u[N * SIZE]; } data = {};
int main() {
  for (double& x : data.u) x = T;
#define u data.u
#pragma dsl begin
  parameter N, SIZE, T; iterator j, i;
  double u[N,SIZE], T2;
  copyin u;
  stencil s (A, b) { A[j][i] = A[j][i] + b; }
  iterate T { s (u, T2); }
  copyout u;
#pragma dsl end
  std::printf("%g %d\n", u[0], N);
}
)");
  for (const EmbeddedTarget target : kTargets) {
    CHECK(BuildAndRun(work, target, "-O1 -Werror -DN=4 -DT=5 -DT2=0.5f") == "7.5 4\n");
  }
}

TEST_CASE("without exceptions a failure ends the program") {
  const Workplace work;
  work.Write("app.cpp", Multiplies("Twice", "2.0", "") + "int main() { Twice(nullptr, 2); }\n");
  const std::string file = Translate(work, EmbeddedTarget::Cpp);
  const auto run = Shell(
      work, CompileCommand(EmbeddedTarget::Cpp, file, "-fno-exceptions -o app") + " && ./app");
  CHECK(run.status == 128 + 6);
  CHECK(Contains(run.output, "stencilgen: app.cpp:2: array u is a null pointer\n"));
}

TEST_CASE("line ends of Windows, a byte order mark, a header of its own") {
  const Workplace work;
  std::string header = "\xEF\xBB\xBF// caf\xC3\xA9\n#ifndef APP_HPP\n#define APP_HPP\ninline " +
                       Multiplies("Twice", "2.0", "") + "#endif\n";
  std::string crlf;
  for (const char c : header) crlf.append(c == '\n' ? "\r\n" : std::string(1, c));
  work.Write("app.hpp", crlf);
  REQUIRE(work.Run("app.hpp -o twice.hpp --target cpp").status == 0);
  work.Write("main.cpp",
             "#include \"twice.hpp\"\n#include \"twice.hpp\"\n"
             "int main() { double u[] = {4}; Twice(u, 1); return int(u[0]); }\n");
  const auto run =
      Shell(work, CompileCommand(EmbeddedTarget::Cpp, "main.cpp", "-Werror -o app") + " && ./app");
  CHECK(run.output.empty());
  CHECK(run.status == 8);
}

TEST_CASE("the example with waves runs on both targets, and nvcc takes it", "[nvcc]") {
  const Workplace work;
  std::filesystem::copy_file(STENCILGEN_SOURCE_DIR "/examples/embedded/wave.cpp",
                             work.Path("wave.cpp"));
  std::string printed;
  for (const EmbeddedTarget target : kTargets) {
    const std::string file = Translate(work, target, "wave.cpp", "");
    const auto run = Shell(work, CompileCommand(target, file, "-O1 -Werror -o wave") +
                                     " -lpng && ./wave --check && ./wave wave.png 20 60 90");
    CHECK(Contains(run.output, "largest error after 101 steps: none\n"));
    CHECK(Contains(run.output, "wave.png: 60 x 90 points after 20 steps, root mean square 0.0"));
    // The numbers of both targets agree to all digits that are printed.
    if (!printed.empty()) CHECK(run.output == printed);
    printed = run.output;
    CHECK(run.status == 0);
    CHECK(work.Read("wave.png").rfind("\x89PNG\r\n", 0) == 0);
    CHECK(work.Read("wave.png").size() > 500);
  }
  const std::string nvcc = FindCompiler(Backend::Cuda);
  if (nvcc.empty()) return;
  const auto compiled =
      Shell(work, fmt::format("{} -std=c++17 -O1 -arch=sm_90 -Werror all-warnings "
                              "-Xcompiler -Wall,-Wextra -c -o wave.o wave.gen.cu",
                              nvcc));
  CHECK(compiled.output.empty());
  CHECK(compiled.status == 0);
}

TEST_CASE("stages, names and outputs of the command line") {
  const Workplace work;
  work.Write("app.cpp", Multiplies("Twice", "2.0", "block:64") + Multiplies("Thrice", "3.0", ""));
  for (const std::string stage :
       {"ast", "graph", "dot", "fused", "plan", "kernel", "cuda", "cpp"}) {
    const CliResult result = work.Run("app.cpp --emit " + stage);
    INFO(stage << result.err);
    CHECK(result.status == 0);
    CHECK_FALSE(result.out.empty());
  }
  CHECK(work.Entries() == 1);
  CHECK(Contains(work.Run("app.cpp -o - --blockdim x=96").out, "block 96x1x1"));
  CHECK(Contains(work.Run("app.cpp -o -").out, "block 64x1x1"));
  const CliResult explained = work.Run("app.cpp -o - --explain");
  CHECK(Contains(explained.err, "app_1: "));
  CHECK(Contains(explained.err, "app_2: "));
  CHECK(work.Run("app.cpp").status == 0);
  CHECK(work.Exists("out.cu"));
  // The name of the output says what to make.
  CHECK(work.Run("app.cpp -o app.gen.cc").status == 0);
  CHECK_FALSE(Contains(work.Read("app.gen.cc"), "__global__"));
  CHECK(work.Run("app.cpp -o app.gen.cc --target cuda").status == 0);
  CHECK(Contains(work.Read("app.gen.cc"), "__global__"));

  for (const auto& [arguments, message] :
       {std::pair{"app.cpp -D K=5", "no block has a parameter `K`"},
        {"app.cpp --host-function f", "names one program, but the file has 2"},
        {"app.cpp --header app.h", "no block has a name"},
        {"app.cpp -o app.cpp", "it is the input file"},
        {"app.cpp -o a.cpp --fusion-limit 2",
         "--fusion-limit is about CUDA code, but `a.cpp` is C++"},
        {"run app.cpp", "`app.cpp` is no stencil program"},
        {"none.cpp", "cannot read `none.cpp`"}}) {
    const CliResult result = work.Run(arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(Contains(result.err, message));
  }
  // One block's parameter may be fixed for all.
  work.Write("app.cpp", Multiplies("Twice", "2.0", "") + "// no more\n");
  CHECK(work.Run("app.cpp --host-function twice -D N=8 --header app.h").status == 0);
  CHECK(Contains(work.Read("app.h"), "int twice(double* u, int N);"));
}

TEST_CASE("blocks are compiled with the defaults of programs, and with what asks nvcc") {
  const Workplace work;
  const std::string block = R"(void Blur(double* u, double* v, double* w, int N) {
#pragma dsl begin
  parameter N;
  iterator j, i;
  double u[N][N], v[N][N], w[N][N];
  copyin u, v, w;
  stencil blur (w, v, u) {
    v[j][i] = u[j][i-1] + u[j][i] + u[j][i+1];
    w[j][i] = v[j-1][i] + v[j][i] + v[j+1][i];
  }
  blur (w, v, u);
  copyout v, w;
#pragma dsl end
}
)";
  work.Write("app.cpp", block);
  const CliResult fused = work.Run("app.cpp -o - --fusion-recompile --explain");
  INFO(fused.err);
  if (stencilgen::driver::FindCompiler(Backend::Cuda).empty()) {
    CHECK(fused.status == 2);
    CHECK(Contains(fused.err, "--fusion-recompile needs nvcc"));
  } else {
    CHECK(fused.status == 0);
    CHECK(Contains(fused.err, "1 candidates compiled for their spills"));
  }

  // Sums of many products are computed in vectors.
  std::string sum = "0.0";
  for (int at = 0; at < 25; ++at) {
    sum += fmt::format(" + {}.0*u[j+{}][i+{}]", at + 1, at / 5, at % 5);
  }
  work.Write("many.cpp",
             std::regex_replace(block, std::regex("v\\[j\\]\\[i\\] = [^;]*"), "v[j][i] = " + sum));
  CHECK(Contains(work.Run("many.cpp -o - --target cpp").out, "Pack<double"));
  CHECK_FALSE(Contains(work.Run("many.cpp -o - --target cpp --reorder none").out, "Pack<double"));
}
