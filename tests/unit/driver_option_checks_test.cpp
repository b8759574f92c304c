// Options that contradict each other, or are about code for another target.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "driver/options.h"
#include "driver_options_tools.h"
#include "support/catch.h"

using namespace stencilgen;
using namespace stencilgen::driver;
using namespace stencilgen::testing;

TEST_CASE("contradictions are refused") {
  Bad({"f.idsl", "--emit", "cuda", "--target", "cpp"});
  Bad({"f.idsl", "--emit", "graph", "--header", "x.h"});
  Bad({"f.idsl", "-o", "x.h", "--header", "x.h"});
  Bad({"f.idsl", "-o", "x", "--depfile", "x"});
  Bad({"f.idsl", "-o", "-", "--depfile", "x.d"});
  Bad({"f.idsl", "-o", "x", "--depfile", "-"});
  Bad({"f.idsl", "--emit", "plan", "--depfile", "x.d"});
  Bad({"f.idsl", "--arch", "sm_80", "--arch", "sm_90"});
  Bad({"f.idsl", "-o", "a", "-o", "b"});
  Bad({"f.idsl", "-D", "M=1", "-D", "M=1"});
  Bad({"f.idsl", "--blockdim", "x=1", "--blockdim", "x=1"});
  Bad({"run", "f.idsl", "--in", "u=a", "--in", "u=b"});
  Bad({"run", "f.idsl", "--emulate", "--target", "cpp"});
  Bad({"run", "f.idsl", "--emulate", "--repeat", "3"});
  Bad({"f.idsl", "--standalone", "--no-standalone"});
  const UsageError strict = Bad({"f.idsl", "--fp", "strict", "--retime"});
  CHECK(Contains(strict.message, "--retime"));
  CHECK(Contains(strict.message, "--fp strict"));
  CHECK_FALSE(strict.hint.empty());
  for (const char* how : {"trees", "lars", "auto"}) {
    const UsageError reorder = Bad({"f.idsl", "--fp", "strict", "--reorder", how});
    CHECK(Contains(reorder.message, "--reorder"));
    CHECK(Contains(reorder.message, "--fp strict"));
    CHECK_FALSE(reorder.hint.empty());
    Good({"f.idsl", "--reorder", how, "--shared-mem", "true"});
    Good({"f.idsl", "--reorder", how, "--shuffle"});
    Good({"f.idsl", "--reorder", how, "--shared-mem", "false"});
  }
  Good({"f.idsl", "--fp", "strict", "--reorder", "none", "--shared-mem", "true"});
  Bad({"f.idsl", "--reorder", "unrolled"});
  Good({"f.idsl", "--reorder", "trees", "--max-permutations", "100", "--distribute"});
  for (const char* value : {"0", "x", "-1", "10000001"}) {
    Bad({"f.idsl", "--reorder", "trees", "--max-permutations", value});
  }
  CHECK(Contains(Bad({"f.idsl", "--distribute"}).message, "--distribute"));
  CHECK(Contains(Bad({"f.idsl", "--max-permutations", "9"}).message, "--max-permutations"));
  Bad({"f.idsl", "--reorder", "lars", "--max-permutations", "9"});
  Good({"f.idsl", "--reorder", "auto", "--reorder-score", "static"});
  Good({"tune", "f.idsl", "--reorder", "auto", "--reorder-score", "static"});
  for (const char* order : {"none", "trees", "lars"}) {
    CHECK(Contains(Bad({"f.idsl", "--reorder", order, "--reorder-score", "static"}).message,
                   "--reorder auto"));
  }
  Bad({"f.idsl", "--reorder-score", "ptxas"});
  Bad({"f.idsl", "--reorder", "auto", "--reorder-score", "nvcc"});
  Bad({"f.idsl", "--target", "cpp", "--reorder", "auto", "--reorder-score", "static"});
  Bad({"tune", "f.idsl", "--reorder", "auto", "--reorder-score", "ptxas"});
  CHECK(Contains(Bad({"f.idsl", "--shared-mem", "false", "--prefetch", "async"}).message,
                 "--shared-mem is false"));
  Good({"f.idsl", "--shared-mem", "false", "--prefetch", "register"});
  Good({"f.idsl", "--shared-mem", "true", "--prefetch", "async"});
  for (const char* stage : {"ast", "graph"}) {
    CHECK(Contains(Bad({"f.idsl", "--explain", "--emit", stage}).message, "--explain"));
  }
  Good({"f.idsl", "--explain", "--emit", "dot"});
  Good({"f.idsl", "--explain", "--emit", "fused"});
  Good({"f.idsl", "--explain", "--emit", "plan"});
  Good({"f.idsl", "--explain", "--emit", "kernel"});
  Good({"f.idsl", "--target", "cpp", "--emit", "kernel"});
  CHECK(Contains(Bad({"f.idsl", "--fp", "strict", "--emit", "kernel"}).message, "--fp strict"));
}

TEST_CASE("points a turn and the order of operations are the C++ target's as well") {
  for (const auto& more : std::vector<std::vector<std::string>>{
           {"--unroll", "j=4"}, {"--reorder", "none"}, {"--reorder", "trees"}}) {
    std::vector<std::string> arguments = {"f.idsl", "--target", "cpp"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(GpuOption(Good(arguments)).empty());
  }
  CHECK(Contains(Bad({"f.idsl", "--target", "cpp", "--fp", "strict", "--reorder", "lars"}).message,
                 "--fp strict"));
}

TEST_CASE("options about CUDA code are refused where the target is cpp") {
  const std::vector<std::vector<std::string>> cases = {
      {"--blockdim", "x=8"},    {"--stream", "j"},       {"--cregs", "64"},
      {"--shared-mem", "true"}, {"--prefetch", "none"},  {"--retime"},
      {"--split", "2"},         {"--shuffle"},           {"--graphs", "auto"},
      {"--barriers", "step"},   {"--no-stream"},         {"--no-shuffle"},
      {"--no-retime"},          {"--fusion-limit", "2"}, {"--shape", "hexagon"}};
  for (const auto& option : cases) {
    std::vector<std::string> arguments = {"f.idsl"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    CHECK(GpuOption(Good(arguments)) == option.front());
    arguments.insert(arguments.end(), {"--target", "cpp"});
    CHECK(Bad(arguments).message == option.front() + " is about CUDA code, but the target is cpp");
  }
  CHECK(GpuOption(Good({"f.idsl", "--fp", "strict", "--arch", "sm_80"})).empty());
}

TEST_CASE("an option and its opposite exclude each other") {
  for (const char* name : {"shuffle", "retime"}) {
    const std::string yes = fmt::format("--{}", name), no = fmt::format("--no-{}", name);
    for (const auto& [first, second] : {std::pair(yes, no), std::pair(no, yes)}) {
      CHECK(Bad({"f.idsl", first, second}).message == yes + " and " + no + " exclude each other");
    }
  }
  CHECK(Bad({"f.idsl", "--no-stream", "--stream", "j"}).message ==
        "--stream and --no-stream exclude each other");
  CHECK(Bad({"f.idsl", "--concurrent-stream", "j", "--no-stream"}).message ==
        "--concurrent-stream and --no-stream exclude each other");
  CHECK(Contains(Bad({"f.idsl", "--fusion", "none", "--fusion-limit", "2"}).message,
                 "--fusion none asks for none"));
  CHECK(Contains(Bad({"f.idsl", "--split", "2", "--fusion-limit", "2"}).message,
                 "--split asks for parts"));
  Bad({"f.idsl", "--fusion-limit", "0"});
}

TEST_CASE("code for AMD's GPUs is HIP") {
  const auto language = [](const std::vector<std::string>& arguments) {
    return LanguageOf(Good(arguments));
  };
  CHECK(language({"f.idsl"}) == GpuLanguage::Cuda);
  CHECK(language({"f.idsl", "--target", "hip"}) == GpuLanguage::Hip);
  CHECK(language({"f.idsl", "--emit", "hip"}) == GpuLanguage::Hip);
  CHECK(language({"f.idsl", "--arch", "gfx1100"}) == GpuLanguage::Hip);
  CHECK(language({"explain", "f.idsl", "--arch", "gfx942"}) == GpuLanguage::Hip);
  CHECK(ArchOf(Good({"f.idsl", "--target", "hip"})) == "gfx90a");
  Good({"run", "f.idsl", "--target", "hip", "--emulate"});
  Good({"f.idsl", "--target", "hip", "--prefetch", "register"});

  CHECK(Contains(Bad({"f.idsl", "--target", "hip", "--arch", "sm_90"}).message, "sm_90"));
  CHECK(Contains(Bad({"f.idsl", "--target", "cuda", "--arch", "gfx90a"}).hint, "--target hip"));
  Bad({"f.idsl", "--emit", "cuda", "--arch", "gfx90a"});
  Bad({"f.idsl", "--emit", "hip", "--target", "cuda"});
  Bad({"f.idsl", "--emit", "hip", "--target", "cpp"});
  for (const char* arch : {"gfx", "gfx9", "gfx90", "gfx090a", "gfx90g", "gfx12345", "GFX90a"}) {
    INFO(arch);
    CHECK(Contains(Bad({"f.idsl", "--arch", arch}).message, "is not a GPU architecture"));
  }
  CHECK(Contains(Bad({"run", "f.idsl", "--target", "hip"}).hint, "--emulate"));
  Bad({"tune", "f.idsl", "--arch", "gfx90a"});
  Bad({"tune", "f.idsl", "--target", "hip"});
  Bad({"build", "f.idsl", "--target", "hip"});
  CHECK(Contains(Bad({"f.idsl", "--mpi", "--target", "hip"}).message, "many machines"));
  Bad({"run", "f.idsl", "--ranks", "2", "--emulate", "--target", "hip"});
  CHECK(Contains(Bad({"f.idsl", "--target", "hip", "--no-standalone"}).message, "--no-standalone"));
  CHECK(Contains(Bad({"f.idsl", "--target", "hip", "--prefetch", "async"}).message, "async"));
  CHECK(Contains(
      Bad({"f.idsl", "--target", "hip", "--reorder", "auto", "--reorder-score", "ptxas"}).message,
      "ptxas"));
}
