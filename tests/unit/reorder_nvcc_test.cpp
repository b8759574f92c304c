// nvcc keeps the order that a body has: what is live at once in its PTX.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "driver/subprocess.h"
#include "support/catch.h"
#include "support/suite.h"
#include "support/temporary_directory.h"

namespace stencilgen {
namespace {

std::string PtxOf(const std::string& text) {
  const testing::TemporaryDirectory directory;
  const auto path = [&](const char* file) { return (directory.path() / file).string(); };
  std::ofstream(path("code.cu")) << text;
  const driver::ProcessResult result = driver::RunProcess(
      {driver::FindCompiler(driver::Backend::Cuda), "-std=c++17", "-O3", "-ptx", "-arch=compute_75",
       fmt::format("-I{}", driver::RuntimeIncludeDirectory().string()), "-o", path("code.ptx"),
       path("code.cu")});
  INFO(result.output);
  REQUIRE(result.status == 0);
  std::ifstream stream(path("code.ptx"));
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The lines between labels and jumps with the most multiply-adds.
std::vector<std::string> LargestBlock(const std::string& ptx) {
  std::vector<std::vector<std::string>> blocks(1);
  std::istringstream stream(ptx);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(':') != std::string::npos || line.find("bra") != std::string::npos) {
      blocks.emplace_back();
    } else {
      blocks.back().push_back(line);
    }
  }
  const auto fmas = [](const std::vector<std::string>& block) {
    return std::count_if(block.begin(), block.end(), [](const std::string& line) {
      return line.find("fma.rn.f64") != std::string::npos;
    });
  };
  return *std::max_element(blocks.begin(), blocks.end(),
                           [&](const auto& a, const auto& b) { return fmas(a) < fmas(b); });
}

/// The most doubles between definition and last use in the block, but for coefficients.
int MaxLiveDoubles(const std::vector<std::string>& block) {
  static const std::regex kName(R"(%fd\d+)");
  std::map<std::string, std::size_t> first;
  std::map<std::string, std::size_t> last;
  std::set<std::string> coefficients;
  for (std::size_t k = 0; k < block.size(); ++k) {
    const std::string& line = block[k];
    bool defines = line.find("st.") == std::string::npos;
    for (std::sregex_iterator at(line.begin(), line.end(), kName), end; at != end; ++at) {
      const std::string value = at->str();
      if (defines && line.find("ld.const") != std::string::npos) coefficients.insert(value);
      if (defines) first[value] = k;
      last[value] = k;
      defines = false;
    }
  }
  std::vector<int> change(block.size() + 1, 0);
  for (const auto& [value, begin] : first) {
    if (coefficients.count(value) > 0) continue;
    ++change[begin];
    --change[last[value]];  // its register is free for what the last use defines
  }
  int live = 0;
  int most = 0;
  for (int each : change) most = std::max(most, live += each);
  return most;
}

TEST_CASE("nvcc keeps the order of a reordered body") {
  if (driver::FindCompiler(driver::Backend::Cuda).empty()) {
    WARN("nvcc is not here");
    return;
  }
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.name != "2d81pt" && benchmark.name != "3d27pt") continue;
    INFO(benchmark.name);
    const SourceFile source(benchmark.name + ".idsl", benchmark.text);
    driver::PipelineOptions options;
    options.program_name = benchmark.Identifier();
    options.schedule.unroll[1] = 4;
    options.unroll_given = {true, true, true};
    options.codegen.standalone = false;
    options.codegen.reorder.how = passes::Reorder::Lars;
    DiagnosticSink sink;
    const auto compiled = driver::Compile(source, options, sink);
    REQUIRE(compiled);
    const int live = MaxLiveDoubles(LargestBlock(PtxOf(compiled->text)));
    std::smatch said;
    const std::regex comment(R"(At most (\d+) values live at once)");
    REQUIRE(std::regex_search(compiled->text, said, comment));
    CHECK(live > 1);
    CHECK(live <= std::stoi(said[1]));
  }
}

TEST_CASE("nvcc has nothing to say about reordered tiles") {
  const std::string nvcc = driver::FindCompiler(driver::Backend::Cuda);
  if (nvcc.empty()) {
    WARN("nvcc is not here");
    return;
  }
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.name != "3d27pt" && benchmark.name != "denoise" && benchmark.name != "curl") {
      continue;
    }
    INFO(benchmark.name);
    const SourceFile source(benchmark.name + ".idsl", benchmark.text);
    driver::PipelineOptions options;
    options.program_name = benchmark.Identifier();
    options.choose = true;
    options.codegen.reorder.how = passes::Reorder::Trees;
    DiagnosticSink sink;
    const auto compiled = driver::Compile(source, options, sink);
    REQUIRE(compiled);
    CHECK(compiled->text.find("beside planes") != std::string::npos);
    const testing::TemporaryDirectory directory;
    const auto path = [&](const char* file) { return (directory.path() / file).string(); };
    std::ofstream(path("code.cu")) << compiled->text;
    const driver::ProcessResult result = driver::RunProcess(
        {nvcc, "-std=c++17", "-O1", "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler",
         "-Wall,-Wextra", "-c", "-o", path("code.o"), path("code.cu")});
    INFO(result.output);
    CHECK(result.output.empty());
    CHECK(result.status == 0);
  }
}

}  // namespace
}  // namespace stencilgen
