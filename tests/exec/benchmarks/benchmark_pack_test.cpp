// The folder of benchmarks/pack, with the emulator for a GPU.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "support/catch.h"

using namespace stencilgen;
using nlohmann::json;

namespace {

/// Stands for nvcc.
constexpr const char* kEmulatingCompiler = R"(#!/usr/bin/env bash
arguments=()
while [ $# -gt 0 ]; do
  case "$1" in
    --version) echo "the emulator"; exit 0 ;;
    -Xcompiler) shift; arguments+=("$1") ;;
    -arch=*) ;;
    *.cu) arguments+=(-x c++ "$1" -x none) ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
exec ${CXX:-g++} -DSTENCILGEN_EMULATOR -I"$RUNTIME" -I"$RUNTIME/stencilgen/emulator" \
  "${arguments[@]}" -lboost_context
)";

struct Pack {
  driver::TemporaryDirectory directory;
  std::filesystem::path folder = directory.path() / "pack";

  driver::ProcessResult Make(const std::string& what) const {
    return driver::RunProcess({"make", "-C", folder.string(),
                               "NVCC=" + (directory.path() / "nvcc").string(),
                               "NVCCFLAGS=-std=c++17 -O0", what});
  }
  json Results() const {
    std::ifstream file(folder / "results.json");
    return json::parse(file, nullptr, false);
  }
};

}  // namespace

TEST_CASE("a pack builds, checks and measures") {
  if (driver::FindProgram("make").empty()) {
    WARN("no make");
    return;
  }
  const Pack pack;
  std::ofstream(pack.directory.path() / "nvcc") << kEmulatingCompiler;
  std::filesystem::permissions(pack.directory.path() / "nvcc", std::filesystem::perms::owner_all);
  setenv("RUNTIME", driver::RuntimeIncludeDirectory().c_str(), 1);
  const driver::ProcessResult packed = driver::RunProcess(
      {BENCHMARK_PACK, pack.folder.string(), "--filter", "j2d5pt", "--type", "float", "--megabytes",
       "0.02", "--plans", "2", "--also", "small=--blockdim x=16,y=2 --time-tile 1"});
  INFO(packed.output);
  REQUIRE(packed.status == 0);

  // A program that is wrong, and one that does not build.
  const auto unfused = pack.folder / "src" / "j2d5pt_float_unfused.cu";
  std::string error;
  std::string text = driver::ReadInput(unfused.string(), error).value();
  const std::size_t at = text.find("0.1271186");
  REQUIRE(at != std::string::npos);
  std::ofstream(unfused) << text.replace(at, 9, "0.1271999");
  std::ofstream(pack.folder / "src" / "j2d5pt_float_steps1.cu") << "no program";
  const driver::ProcessResult built = pack.Make("all");
  INFO(built.output);
  CHECK(built.output.find("lib/j2d5pt_float_steps1.so does not build") != std::string::npos);
  REQUIRE(std::filesystem::exists(pack.folder / "driver"));

  const std::string driver = (pack.folder / "driver").string();
  const auto run = [&] {
    return driver::RunProcess(
        {"bash", "-c", "cd " + pack.folder.string() + " && ./driver --sample 0.0005"});
  };
  const driver::ProcessResult wrong = run();
  INFO(wrong.output);
  CHECK(wrong.status == 1);
  json document = pack.Results();
  REQUIRE(document.is_object());
  CHECK(document.at("schema") == 1);
  CHECK(document.at("machine").at("gpu").at("name") == "CUDA emulator");
  REQUIRE(document.at("results").size() == 1);
  std::vector<std::string> names;
  for (const json& version : document["results"][0].at("versions")) {
    const std::string name = version.at("name");
    INFO(version);
    names.push_back(name);
    const bool good = name != "unfused" && name != "steps1";
    CHECK(version.at("correct") == good);
    CHECK(version.contains("median") == good);
    if (name == "unfused") {
      CHECK(version.at("problem").get<std::string>().find("wrong: relative RMS") == 0);
    }
    if (name == "steps1") {
      CHECK(version.at("problem").get<std::string>().find("not built") == 0);
    }
    if (name == "default") CHECK(version.at("predicted") > 0);
  }

  CHECK(std::count(names.begin(), names.end(), "small") == 1);
  CHECK(std::count(names.begin(), names.end(), "plan2") == 1);  // the first is the default

  // What is measured is not measured again.
  REQUIRE(run().status == 0);
  const json again = pack.Results();
  CHECK(again.at("results") == document.at("results"));
  CHECK(driver::RunProcess({driver, "--frobnicate"}).status == 2);
}

TEST_CASE("a pack's command line is checked") {
  CHECK(driver::RunProcess({BENCHMARK_PACK}).status != 0);
  const driver::TemporaryDirectory directory;
  const std::string folder = (directory.path() / "pack").string();
  CHECK(driver::RunProcess({BENCHMARK_PACK, folder, "--suite", "Z"}).status != 0);
  CHECK(driver::RunProcess({BENCHMARK_PACK, folder, "--filter", "nosuch"}).status == 1);
  CHECK(driver::RunProcess({BENCHMARK_PACK, folder, "--also", "no options"}).status != 0);
  CHECK_FALSE(std::filesystem::exists(folder));
}
