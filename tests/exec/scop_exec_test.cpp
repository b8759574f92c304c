// Regions of C and C++ files compute, bit by bit, what a compiler makes of them without
// optimisation.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "embedded_build.h"

using namespace stencilgen::test;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = fs::path(STENCILGEN_SOURCE_DIR) / "tests/exec/scop";

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the file prints when a compiler compiles it as it is.
std::string Expected(const Workplace& work, const std::string& file) {
  const std::string compiler = file.substr(file.size() - 2) == ".c" ? "gcc" : "g++";
  const auto compiled = Shell(
      work,
      fmt::format("{} -O0 -ffp-contract=off -Wno-unknown-pragmas {} -o plain -lm", compiler, file));
  INFO(compiled.output);
  REQUIRE(compiled.status == 0);
  const auto run = Shell(work, "./plain");
  REQUIRE(run.status == 0);
  return run.output;
}

std::string Generated(const Workplace& work, EmbeddedTarget target, const std::string& file) {
  const std::string code = file + (target == EmbeddedTarget::Cpp ? ".gen.cpp" : ".gen.cu");
  // Pointers without `restrict` draw a note.
  const CliResult result =
      work.Run(fmt::format("{} -o {} --no-standalone --fp strict", file, code));
  INFO(result.err);
  REQUIRE(result.status == 0);
  const std::string flags =
      fmt::format("{} -fopenmp -ffp-contract=off -frounding-math -w -o generated", LevelOf(target));
  const auto compiled = Shell(work, ProgramCommand(target, code, flags));
  INFO(compiled.output);
  REQUIRE(compiled.status == 0);
  const auto run = Shell(work, "./generated");
  INFO(run.output);
  CHECK(run.status == 0);
  return run.output;
}

/// What app.c prints that stays C beside a file of its functions.
std::string GeneratedBesideC(const Workplace& work, EmbeddedTarget target) {
  const bool cpp = target == EmbeddedTarget::Cpp;
  const CliResult result = work.Run(
      fmt::format("app.c -o app.gen.c --no-standalone --fp strict {}", cpp ? "" : "--target cuda"));
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_FALSE(Contains(result.err, "error"));
  CHECK_FALSE(Contains(result.err, "warning"));
  const auto as_c =
      Shell(work, "gcc -std=c99 -Wall -Wextra -Wno-unused-variable -Werror -c app.gen.c -o app.o");
  INFO(as_c.output);
  REQUIRE(as_c.status == 0);
  const std::string flags = fmt::format(
      "{} -fopenmp -ffp-contract=off -frounding-math -w -o generated app.o", LevelOf(target));
  const auto linked =
      Shell(work, ProgramCommand(target, cpp ? "app.gen.cpp" : "app.gen.cu", flags));
  INFO(linked.output);
  REQUIRE(linked.status == 0);
  const auto run = Shell(work, "./generated");
  INFO(run.output);
  CHECK(run.status == 0);
  return run.output;
}

/// The text with n1, n2, ... in the place of its words, in the order in which they first appear.
std::string NamedInOrder(const std::string& text) {
  std::map<std::string, std::string> names;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_word = [&](std::size_t k) {
      return k < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '_');
    };
    std::size_t end = at;
    while (is_word(end)) ++end;
    const std::string word = text.substr(at, std::max<std::size_t>(end - at, 1));
    const bool name = std::isalpha(static_cast<unsigned char>(word[0])) != 0;
    if (name) names.emplace(word, fmt::format("n{}", names.size() + 1));
    out += name ? names[word] : word;
    at += word.size();
  }
  return out;
}

}  // namespace

TEST_CASE("a program is the same graph in C as in the stencil language, but for names") {
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(kFolder / "same")) {
    if (entry.path().extension() != ".c") continue;
    INFO(entry.path().filename().string());
    fs::path program = entry.path();
    const Workplace work;
    const auto graph = [&](const fs::path& path) {
      const CliResult result = work.Run(fmt::format("'{}' --emit graph", path.string()));
      INFO(result.err);
      CHECK(result.status == 0);
      return NamedInOrder(result.out);
    };
    const std::string of_c = graph(program);
    CHECK(of_c == graph(program.replace_extension(".idsl")));
    CHECK(Contains(of_c, "n1 n2"));
    ++compared;
  }
  CHECK(compared >= 5);
}

TEST_CASE("regions compute what their code computes") {
  int checked = 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    if (path.extension() != ".c" && path.extension() != ".cpp") continue;
    const std::string file = path.filename().string();
    DYNAMIC_SECTION(file) {
      const Workplace work;
      work.Write(file, ReadText(path));
      work.Write("check.h", ReadText(kFolder / "check.h"));
      const std::string expected = Expected(work, file);
      REQUIRE(expected.size() == 17);
      CHECK(Generated(work, EmbeddedTarget::Cpp, file) == expected);
      CHECK(Generated(work, EmbeddedTarget::Emulator, file) == expected);
    }
    ++checked;
  }
  CHECK(checked >= 15);
}

TEST_CASE("a file that only C understands stays C beside a file of its functions") {
  const EmbeddedTarget target = GENERATE(EmbeddedTarget::Cpp, EmbeddedTarget::Emulator);
  const std::string of = GENERATE("variable_length.c", "an5d.c", "designators.c");
  const Workplace work;
  work.Write("app.c", ReadText(kFolder / "as_c" / of));
  work.Write("check.h", ReadText(kFolder / "check.h"));
  CHECK(GeneratedBesideC(work, target) == Expected(work, "app.c"));
  const bool cpp = target == EmbeddedTarget::Cpp;
  CHECK(Contains(work.Read("app.gen.c"), cpp ? "app.gen.cpp" : "app.gen.cu"));
  CHECK(!fs::exists(work.Path(cpp ? "app.gen.cu" : "app.gen.cpp")));
}

TEST_CASE("PolyBench's kernels that are accepted compute what their code computes") {
  const std::string of = GENERATE("linear_algebra.c", "datamining.c", "stencils.c");
  const fs::path folder = kFolder / "polybench";
  const Workplace work;
  work.Write("app.c", ReadText(folder / of));
  work.Write("polybench.h", ReadText(folder / "polybench.h"));
  work.Write("check.h", ReadText(kFolder / "check.h"));
  const std::string expected = Expected(work, "app.c");
  REQUIRE(std::count(expected.begin(), expected.end(), '\n') >= 6);
  CHECK(GeneratedBesideC(work, EmbeddedTarget::Cpp) == expected);
  CHECK(GeneratedBesideC(work, EmbeddedTarget::Emulator) == expected);
}

TEST_CASE("of a C file and the file of its functions both are written, or none") {
  const Workplace work;
  work.Write("app.c",
             "void run(int n, double u[n], double v[n]) {\n"
             "#pragma scop\n"
             "  for (int i = 1; i < n; i++) v[i] = u[i - 1];\n"
             "#pragma endscop\n"
             "}\n");
  // Somebody's own file is where the functions would be.
  work.Write("app.gen.cpp", "int mine;\n");
  const CliResult taken = work.Run("app.c -o app.gen.c");
  CHECK(taken.status == 2);
  CHECK(Contains(taken.err, "`app.gen.cpp` would be written beside `app.gen.c`"));
  CHECK(work.Read("app.gen.cpp") == "int mine;\n");
  CHECK(!fs::exists(work.Path("app.gen.c")));
  // What stencilgen has written, it writes again.
  work.Write("app.gen.cpp", "");
  CHECK(work.Run("app.c -o app.gen.c").status == 0);
  CHECK(work.Run("app.c -o app.gen.c").status == 0);
  // A folder is in the place of one of both.
  fs::create_directory(work.Path("other.c"));
  CHECK(work.Run("app.c -o other.c").status != 0);
  CHECK(!fs::exists(work.Path("other.cpp")));
}

TEST_CASE("a region's file is compiled with the options after --") {
  const Workplace work;
  work.Write("app.c",
             "#include \"sizes.h\"\n"
             "double u[SIZE], v[SIZE];\n"
             "void run(void) {\n"
             "#pragma scop\n"
             "  for (int i = 1; i < SIZE - 1; i++) v[i] = u[i - 1] + SCALE * u[i + 1];\n"
             "#pragma endscop\n"
             "}\n");
  fs::create_directory(work.Path("include"));
  work.Write("include/sizes.h", "#define SIZE 50\n");
  const CliResult without = work.Run("app.c --emit idsl");
  CHECK(without.status == 1);
  CHECK(Contains(without.err, "app.c:1:10: error: 'sizes.h' file not found [c-error]"));
  const CliResult with = work.Run("app.c --emit idsl -- -Iinclude -DSCALE=2.5");
  INFO(with.err);
  CHECK(with.status == 0);
  CHECK(with.out ==
        "iterator i;\n"
        "double v[50], u[50];\n"
        "copyin v, u;\n\n"
        "stencil compute_v (v, u) {\n"
        "  v[i] = u[i-1] + 2.5 * u[i+1];\n"
        "}\n\n"
        "[1:48] : compute_v (v, u);\n\n"
        "copyout v;\n");
}

TEST_CASE("pointers are taken apart with a note, unless they say that they are") {
  const auto said = [](const std::string& arguments) {
    const Workplace work;
    work.Write("app.c", "void run(int n, " + arguments +
                            ") {\n"
                            "#pragma scop\n"
                            "  for (int i = 1; i < n; i++) v[i] = u[i - 1];\n"
                            "#pragma endscop\n"
                            "}\n");
    const CliResult result = work.Run("app.c -o app.gen.c");
    CHECK(result.status == 0);
    return result.err;
  };
  CHECK(said("double *u, double *v") ==
        "stencilgen: note: app.c:2: the pointers `u`, `v` are taken to point to memory of their "
        "own; `restrict` says so\n");
  CHECK(said("const double *u, double v[n]") != "");
  CHECK(said("double *restrict u, double *restrict v") == "");
  CHECK(said("double *u, double *restrict v") == "");
}

TEST_CASE("an array behind a pointer ends where conditions on counters let C read it") {
  const Workplace work;
  work.Write(
      "app.c",
      "void run(int n, int m, double *restrict u, double (*restrict w)[m],\n"
      "         double *restrict v) {\n"
      "#pragma scop\n"
      "  for (int i = 0; i < n; i++)\n"
      "    v[i] = (i < n - 1 ? u[i + 1] : 0.0) + (i == 0 || i == n - 1 ? 0.0 : w[i + 1][0]);\n"
      "#pragma endscop\n"
      "}\n");
  const CliResult printed = work.Run("app.c --emit idsl");
  CHECK(printed.status == 0);
  CHECK(Contains(printed.out, "u[n]"));
  CHECK(Contains(printed.out, "w[n]["));
  CHECK(Contains(printed.out, "boundary"));
}

TEST_CASE("what --emit idsl prints is a program that computes the same") {
  const Workplace work;
  work.Write("jacobi_1d.c", ReadText(kFolder / "jacobi_1d.c"));
  work.Write("check.h", ReadText(kFolder / "check.h"));
  const CliResult printed = work.Run("jacobi_1d.c --emit idsl");
  REQUIRE(printed.status == 0);
  work.Write("printed.idsl", printed.out);
  const CliResult of_c = work.Run("jacobi_1d.c --emit graph");
  const CliResult of_idsl = work.Run("printed.idsl --emit graph");
  CHECK(of_idsl.status == 0);
  CHECK(of_c.out.substr(of_c.out.find('\n')) == of_idsl.out.substr(of_idsl.out.find('\n')));
}
