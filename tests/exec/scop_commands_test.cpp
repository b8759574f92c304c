// The options of a C file's compiler come from compile_commands.json, or from what follows `--`.
#include <filesystem>
#include <string>

#include "embedded_build.h"

using namespace stencilgen::test;

namespace {

constexpr const char* kCode =
    "#include \"size.h\"\n"
    "double u[SIZE], v[SIZE];\n"
    "void run(void) {\n"
    "#pragma scop\n"
    "  for (int i = 0; i < COUNT; i++) v[i] = u[i];\n"
    "#pragma endscop\n"
    "}\n";

/// A folder with app.c, whose sizes are in a header elsewhere and in an option.
struct Project {
  Workplace work;
  Project() {
    std::filesystem::create_directories(work.Path("include dir"));
    std::filesystem::create_directories(work.Path("build"));
    work.Write("app.c", kCode);
    work.Write("include dir/size.h", "#define SIZE 50\n");
  }
  CliResult Emit(const std::string& more = "") const {
    return work.Run("app.c --emit idsl" + more);
  }
};

}  // namespace

TEST_CASE("a file is read with the options that its build's compile_commands.json has") {
  const Project project;
  CHECK(Contains(project.Emit().err, "'size.h' file not found"));
  // Options that clang does not have, or that are about the output, have no part in reading.
  project.work.Write(
      "build/compile_commands.json",
      "[{\"directory\": \".\", \"file\": \"other.c\", \"command\": \"cc -DCOUNT=3 -c other.c\"},\n"
      " {\"directory\": \".\", \"file\": \"../app.c\", \"command\": \"/usr/bin/gcc -Ofast "
      "-fno-such-option -MD -MF x.d -I'../include dir' -D COUNT=40 -o app.o -c ../app.c\"}]\n");
  const CliResult emitted = project.Emit();
  CHECK(emitted.err.empty());
  CHECK(Contains(emitted.out, "[0:39]"));
  // The one in the folder itself is nearer.
  project.work.Write("compile_commands.json",
                     "[{\"directory\": \".\", \"file\": \"app.c\", \"arguments\": [\"cc\", "
                     "\"-Iinclude dir\", \"-DCOUNT=20\", \"-c\", \"app.c\"]}]");
  CHECK(Contains(project.Emit().out, "[0:19]"));
  const CliResult other = project.Emit(" -- '-Iinclude dir' -DCOUNT=7");
  CHECK(Contains(other.out, "[0:6]"));
  CHECK(Contains(project.Emit(" --").err, "'size.h' file not found"));
  // Written out, the file depends on it.
  const CliResult written = project.work.Run("app.c -o app.gen.cpp --depfile app.d");
  CHECK(written.status == 0);
  CHECK(Contains(project.work.Read("app.d"), "compile_commands.json"));
}

TEST_CASE("a compile_commands.json that cannot be read is an error, with the place") {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"[{\"directory\": \".\",\n  \"file\": }]", "compile_commands.json:2:11: this is no JSON"},
      {"", "compile_commands.json:1:1: this is no JSON"},
      {"{\"file\": \"app.c\"}", "compile_commands.json:1:1: a list of commands is needed"},
      {"[1]", "compile_commands.json:1:2: an object is needed"},
      {"[{\"command\": \"cc\"}]", "compile_commands.json:1:2: `file` is missing"},
      {"[{\"file\": 7, \"command\": \"cc\"}]", "compile_commands.json:1:11: `file` is no text"},
      {"[{\"file\": \"app.c\"}]", "neither `command` nor `arguments` is there"},
      {"[{\"file\": \"app.c\", \"arguments\": [\"cc\", 3]}]", "`arguments` is no list of texts"},
  };
  const Project project;
  for (const Case& each : cases) {
    INFO(each.text);
    project.work.Write("compile_commands.json", each.text);
    const CliResult result = project.Emit();
    CHECK(result.status == 2);
    CHECK(Contains(result.err, each.message));
    CHECK(Contains(result.err, "what follows `--` is taken instead of it"));
    CHECK(project.Emit(" -- '-Iinclude dir' -DCOUNT=7").status == 0);
  }
}

TEST_CASE("explain reports the regions of a file") {
  const Workplace work;
  const std::string sweep =
      "#pragma scop\n"
      "  for (int i = 1; i < 99; i++) v[i] = u[i - 1] + u[i + 1];\n"
      "#pragma endscop\n";
  const std::string colours =
      "#pragma scop\n"
      "  for (int i = 1; i < 99; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);\n"
      "  for (int i = 2; i < 99; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);\n"
      "#pragma endscop\n";
  const std::string begin = "double u[100], v[100];\nvoid run(void) {\n";
  work.Write("one.c", begin + colours + "}\n");
  work.Write("two.c", begin + sweep + colours + "}\n");
  const std::string kept =
      "`u[i]` is computed at all points of a box; those that the loops leave out, as every second "
      "one of a colour, keep their value\n";
  const CliResult one = work.Run("explain one.c");
  INFO(one.err);
  CHECK(one.status == 0);
  CHECK(Contains(one.out, "one_1: 1 kernel"));
  CHECK(Contains(one.err, "stencilgen: note: one.c:4: " + kept));
  CHECK(Contains(one.err, "stencilgen: note: one.c:5: " + kept));
  CHECK(Contains(work.Run("explain one.c --json").out, "keep their value"));
  CHECK(work.Run("explain one.c --target cpp --page page.html").status == 0);
  CHECK(std::filesystem::exists(work.Path("page.html")));
  const CliResult two = work.Run("explain two.c --target cpp");
  CHECK(two.status == 0);
  CHECK(two.out.rfind("two.c:3:\ntwo_1: 1 loop nest", 0) == 0);
  CHECK(Contains(two.out, "\ntwo.c:6:\ntwo_2: 2 loop nests"));
  const CliResult page = work.Run("explain two.c --page two.html");
  CHECK(page.status == 2);
  CHECK(Contains(page.err, "--page explains one program, but `two.c` has 2"));
  // A region's own options hold, but for those of other commands.
  work.Write("options.c",
             begin + "#pragma stencilgen block:64 fusion:none name:smooth\n" + colours + "}\n");
  const CliResult options = work.Run("explain options.c");
  INFO(options.err);
  CHECK(options.status == 0);
  CHECK(Contains(options.out, "block 64x1x1"));
  // Code is written with the same notes, where `--explain` asks for them.
  CHECK(Contains(work.Run("one.c --explain -o one.gen.cpp").err, kept));
  CHECK(!Contains(work.Run("one.c -o one.gen.cpp").err, kept));
}
