#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "driver/host_library.h"

using namespace stencilgen;
using namespace stencilgen::test;

TEST_CASE("no arguments: a short usage") {
  const Workplace work;
  const CliResult result = work.Run("");
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK(Contains(result.err, "usage: stencilgen FILE"));
}

TEST_CASE("help and version") {
  const Workplace work;
  const CliResult help = work.Run("--help");
  CHECK(help.status == 0);
  CHECK(Contains(help.out, "--blockdim"));
  CHECK(Contains(help.out, "Examples:"));
  CHECK(help.err.empty());
  const CliResult version = work.Run("--version");
  CHECK(version.status == 0);
  CHECK(Contains(version.out, "stencilgen "));
}

TEST_CASE("a program becomes CUDA by default") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult result = work.Run("smooth.idsl --header smooth.h");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out.empty());
  CHECK(Contains(work.Read("out.cu"), "smooth"));
  CHECK(Contains(work.Read("smooth.h"), "smooth"));
  CHECK(work.Entries() == 3);
  // Same input, same bytes.
  const std::string first = work.Read("out.cu");
  CHECK(work.Run("smooth.idsl --header smooth.h").status == 0);
  CHECK(work.Read("out.cu") == first);
}

TEST_CASE("what was read is listed for Make") {
  const Workplace work;
  work.Write("my smooth.idsl", kSmooth);
  work.Write("gpu$.json", R"({"base": "sm_90", "sms": 66})");
  const std::string command =
      "'my smooth.idsl' -o out.cu --header out.h --depfile out.d --device-file 'gpu$.json'";
  CHECK(work.Run(command).status == 0);
  CHECK(work.Read("out.d") == "out.cu out.h: my\\ smooth.idsl gpu$$.json\n");
  // The tuning database counts where there is one; what was piped in has no name.
  work.Write("tuned.json", R"({"stencilgen_tuning": 1, "entries": []})");
  CHECK(work.Run("- --host-function f --depfile in.d --tuning-db tuned.json", "'my smooth.idsl'")
            .status == 0);
  CHECK(work.Read("in.d") == "out.cu: tuned.json\n");
  // Nothing is written where something is wrong.
  CHECK(work.Run("'my smooth.idsl' -o no.cu --depfile no/no.d").status == 1);
  CHECK_FALSE(work.Exists("no.cu"));
  CHECK(work.Run("'my smooth.idsl' -o no.cu --depfile 'my smooth.idsl'").status == 2);
}

TEST_CASE("the C++ target, standard output and standard input") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  CHECK(work.Run("smooth.idsl --target cpp").status == 0);
  CHECK(Contains(work.Read("out.cpp"), "extern \"C\""));
  const CliResult piped = work.Run("- --target cpp -o - --host-function go", "smooth.idsl");
  CHECK(piped.status == 0);
  CHECK(Contains(piped.out, "go("));
  CHECK(work.Run("smooth.idsl -o code.cu --blockdim x=64,y=2 --unroll j=2 -D N=99").status == 0);
  CHECK(work.Exists("code.cu"));
  CHECK(work.Run("smooth.idsl -o walk.cu --concurrent-stream j:8").status == 0);
  CHECK(Contains(work.Read("walk.cu"), "in chunks of 8"));
}

TEST_CASE("every option of the schedule is taken, and explained on standard error") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult plain = work.Run("smooth.idsl -o -");
  CHECK(plain.status == 0);
  CHECK(plain.err.empty());
  for (const char* arguments :
       {"--time-tile 2", "--fusion none", "--fusion max", "--shared-mem true",
        "--shared-mem true --shuffle --prefetch async --barriers step --stream j",
        "--prefetch register --barriers level", "--retime"}) {
    const CliResult result = work.Run(fmt::format("smooth.idsl --explain -o - {}", arguments));
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 0);
    CHECK(Contains(result.out, "__global__"));
    CHECK(result.err.rfind("smooth: ", 0) == 0);
    CHECK(Contains(result.err, " computes smooth"));
    CHECK(Contains(result.err, ": block "));
  }
  CHECK(Contains(work.Run("smooth.idsl --emit plan --explain").err, "computes smooth"));
  const CliResult counted =
      work.Run("smooth.idsl --explain -o - --reorder auto --reorder-score static");
  CHECK(counted.status == 0);
  CHECK_FALSE(Contains(counted.err, "by ptxas"));
  CHECK(work.Entries() == 1);
}

const char* const kThreeAtAPoint = R"(
parameter N=100;
iterator i;
double a[N], u[N], v[N], w[N];
copyin a;
stencil s (u, v, w, a) {
  u[i] = 2.0*a[i];
  v[i] = u[i]*a[i];
  w[i] = v[i+1] - u[i];
}
s (u, v, w, a);
copyout v, w;
)";

TEST_CASE("statements share loops on the C++ target as far as --fusion says") {
  const Workplace work;
  work.Write("three.idsl", kThreeAtAPoint);
  const auto loops = [&](const std::string& arguments) {
    const CliResult result = work.Run("three.idsl --target cpp -o - " + arguments);
    CHECK(result.status == 0);
    const std::size_t begin = result.out.find("// Loops:\n") + 10;
    return result.out.substr(begin, result.out.find("\n\n", begin) - begin);
  };
  const std::string shared = "//   s: writes u, v\n//   s_3: writes w";
  CHECK(loops("--fusion none") == "//   s: writes u\n//   s_2: writes v\n//   s_3: writes w");
  CHECK(loops("--fusion max") == shared);
  CHECK(loops("--fusion greedy") == shared);
  CHECK(loops("") == shared);
  CHECK(loops("--fp strict") == shared);
}

TEST_CASE("every stage is printed") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  for (const std::string stage :
       {"ast", "graph", "dot", "fused", "plan", "kernel", "cuda", "cpp"}) {
    const CliResult result = work.Run("smooth.idsl --emit " + stage);
    INFO(stage << result.err);
    CHECK(result.status == 0);
    CHECK(Contains(result.out, "smooth"));
  }
  CHECK(work.Entries() == 1);
  CHECK(work.Run("smooth.idsl --emit graph -o graph.txt").out.empty());
  CHECK(Contains(work.Read("graph.txt"), "smooth"));
  // The syntax, printed, is a program that means the same.
  CHECK(work.Run("smooth.idsl --emit ast -o again.idsl").status == 0);
  CHECK(work.Run("again.idsl --emit ast").out == work.Read("again.idsl"));
}

TEST_CASE("errors in the program: exit 1, a place, no output") {
  const Workplace work;
  work.Write("bad.idsl",
             "parameter N=4;\niterator i;\ndouble u[N];\ncopyin u;\n"
             "stencil s (A) { A[i] = w[i]; }\ns (u);\ncopyout u;\n");
  const CliResult result = work.Run("bad.idsl -o x.cu --header x.h");
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  CHECK(Contains(result.err, "bad.idsl:5:"));
  CHECK(Contains(result.err, "error: "));
  CHECK_FALSE(work.Exists("x.cu"));
  CHECK_FALSE(work.Exists("x.h"));
  work.Write("broken.idsl", "parameter N=;\n}{");
  CHECK(work.Run("broken.idsl").status == 1);
  CHECK(work.Run("run broken.idsl").status == 1);
  CHECK(work.Entries() == 2);

  const CliResult json = work.Run("bad.idsl --diagnostics-format json");
  CHECK(json.status == 1);
  const auto parsed = nlohmann::json::parse(json.err);
  REQUIRE(parsed["diagnostics"].size() >= 1);
  CHECK(parsed["diagnostics"][0]["line"] == 5);
  CHECK(parsed["diagnostics"][0]["severity"] == "error");
}

TEST_CASE("colour comes when it is asked for") {
  const Workplace work;
  work.Write("bad.idsl", "iterator");
  CHECK_FALSE(Contains(work.Run("bad.idsl").err, "\x1b["));
  CHECK(Contains(work.Run("bad.idsl --color always").err, "\x1b["));
}

TEST_CASE("a bad command line: exit 2, a hint, no output") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  for (const char* arguments : {"smooth.idsl --strem j",
                                "smooth.idsl -stream j",
                                "smooth.idsl --stream i",
                                "smooth.idsl --stream k",
                                "smooth.idsl --stream j --blockdim y=4",
                                "smooth.idsl --stream j --concurrent-stream j",
                                "smooth.idsl --stream j --target cpp",
                                "smooth.idsl --blockdim x=0",
                                "smooth.idsl --blockdim x=2048",
                                "smooth.idsl --blockdim x=64,y=64",
                                "smooth.idsl --blockdim z=2",
                                "smooth.idsl --unroll k=2",
                                "smooth.idsl -D Q=3",
                                "smooth.idsl -D M=0",
                                "smooth.idsl --time-tile 65",
                                "smooth.idsl --fusion greedily",
                                "smooth.idsl --retime --fp strict",
                                "smooth.idsl --shared-mem false --prefetch async",
                                "smooth.idsl --explain --emit graph",
                                "smooth.idsl --shuffle --target cpp",
                                "nothing.idsl",
                                ".",
                                "smooth.idsl more.idsl",
                                "smooth.idsl -o smooth.idsl",
                                "smooth.idsl -o ./smooth.idsl",
                                "smooth.idsl --header smooth.idsl",
                                "run smooth.idsl --in w=u.npy",
                                "run smooth.idsl -D M=2000000000,N=2000000000",
                                "run smooth.idsl --scalar a=many",
                                "run smooth.idsl --emit ast",
                                "run nothing.idsl"}) {
    const CliResult result = work.Run(arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.rfind("stencilgen: error: ", 0) == 0);
    CHECK(Contains(result.err, "\nhint: "));
    CHECK(work.Entries() == 1);
  }
  CHECK(work.Read("smooth.idsl") == kSmooth);
}

TEST_CASE("C++ code has neither arguments nor values that nothing reads") {
  const Workplace work;
  const std::string compiler = driver::FindCompiler(driver::Backend::Cpp);
  REQUIRE_FALSE(compiler.empty());
  // Tiles of one iterator have no strips across them, and a line of numbers needs no positions.
  work.Write("line.idsl", R"(
parameter N=4000000, T=30;
iterator i;
double u[N], v[N], a;
copyin u, v, a;
iterate T { v[i] = u[i] + a*(u[i-1] - 2.0*u[i] + u[i+1]); swap u, v; }
copyout u;
)");
  work.Write("fill.idsl", R"(
parameter M=2000, N=2000;
iterator j, i;
double u[M,N], v[M,N];
stencil fill (u, v) {
  u[j][i] = 0.25*j + i;
  v[j][i] = 0.0;
}
fill (u, v);
copyout u, v;
)");
  for (const std::string program : {"line", "fill"}) {
    for (const std::string options : {"--fp fast", "--fp strict"}) {
      const CliResult made =
          work.Run(program + ".idsl --target cpp -o " + program + ".cpp " + options);
      REQUIRE(made.status == 0);
      const auto checked =
          driver::RunProcess({compiler, "-std=c++17", "-fopenmp", "-Wall", "-Wextra", "-Wshadow",
                              "-Wpedantic", "-fsyntax-only", work.Path(program + ".cpp")});
      INFO(program << " " << options << "\n" << checked.output);
      CHECK(checked.status == 0);
      CHECK(checked.output.empty());
    }
  }
}

TEST_CASE("an output that cannot be written: exit 1") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  for (const char* arguments : {"smooth.idsl -o no/such/folder/x.cu", "smooth.idsl -o .",
                                "smooth.idsl -o x.cu --header no/x.h"}) {
    const CliResult result = work.Run(arguments);
    CHECK(result.status == 1);
    CHECK(Contains(result.err, "stencilgen: error: cannot write"));
    CHECK(work.Entries() == 1);
  }
  CHECK(work.Run("smooth.idsl -o - >/dev/full", "/dev/null").status == 0);
}
