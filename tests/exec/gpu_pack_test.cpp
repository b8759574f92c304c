// The folder of tests/gpu/pack, with the emulator for a GPU.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "support/catch.h"

using namespace stencilgen;
namespace fs = std::filesystem;

namespace {

/// Stands for nvcc.
constexpr const char* kEmulatingCompiler = R"(#!/bin/sh
case "$*" in
  *driver.cu*) exec g++ -std=c++17 -O1 -Wall -Wextra -Werror -I. -o driver -x c++ driver.cu \
      tools/measure/*.cpp -ldl ;;
esac
while [ $# -gt 0 ]; do case "$1" in -o) out="$2"; shift ;; *.cu) src="$1" ;; esac; shift; done
exec g++ -std=c++17 -O0 -shared -fPIC -DSTENCILGEN_EMULATOR -I"$RUNTIME" \
  -I"$RUNTIME/stencilgen/emulator" -o "$out" -x c++ "$src" -x none -lboost_context
)";

std::string ReadText(const fs::path& path) {
  std::string error;
  return driver::ReadInput(path.string(), error).value();
}

/// Leaves of the folder only these programs and their tests. Returns the number of tests.
int Keep(const fs::path& folder, const std::string& prefix) {
  for (const auto& entry : fs::directory_iterator(folder / "src")) {
    if (entry.path().filename().string().rfind(prefix, 0) != 0) fs::remove(entry.path());
  }
  std::istringstream lines(ReadText(folder / "tests.txt"));
  std::ofstream kept(folder / "tests.txt");
  int tests = 0;
  bool on = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("test ", 0) == 0) {
      on = line.rfind("test " + prefix, 0) == 0;
      tests += on ? 1 : 0;
    }
    if (on) kept << line << '\n';
  }
  return tests;
}

}  // namespace

TEST_CASE("a folder of checks for a GPU builds and checks") {
  if (driver::FindProgram("make").empty()) {
    WARN("no make");
    return;
  }
  const driver::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "pack";
  const driver::ProcessResult packed = driver::RunProcess({GPU_PACK, folder.string(), "0"});
  INFO(packed.output);
  REQUIRE(packed.status == 0);
  const int tests = Keep(folder, "advect1d");
  REQUIRE(tests > 5);
  const fs::path compiler = directory.path() / "nvcc";
  std::ofstream(compiler) << kEmulatingCompiler;
  fs::permissions(compiler, fs::perms::owner_all);
  setenv("RUNTIME", driver::RuntimeIncludeDirectory().c_str(), 1);
  const auto check = [&] {
    return driver::RunProcess(
        {"make", "-s", "-C", folder.string(), "-j2", "NVCC=" + compiler.string(), "check"});
  };
  const driver::ProcessResult good = check();
  INFO(good.output);
  CHECK(good.status == 0);
  CHECK(good.output.find(fmt::format("{} passed, 0 failed", tests)) != std::string::npos);

  // A program that is wrong, one that crashes, and one that does not build.
  const fs::path wrong = folder / "src" / "advect1d_strict.cu";
  std::string text = ReadText(wrong);
  const std::size_t at = text.find("0.5 *");
  REQUIRE(at != std::string::npos);
  std::ofstream(wrong) << text.replace(at, 3, "0.7");
  std::ofstream(folder / "src" / "advect1d.cu")
      << "extern \"C\" int advect1d_call(void* const*, const void* const*, const int*) "
         "{ __builtin_trap(); }\n"
         "extern \"C\" const char* advect1d_error() { return \"\"; }\n";
  std::ofstream(folder / "src" / "advect1d_tile_strict.cu") << "#error no\n";
  const driver::ProcessResult bad = check();
  INFO(bad.output);
  CHECK(bad.status != 0);
  CHECK(bad.output.find("src/advect1d_tile_strict.cu does not build") != std::string::npos);
  CHECK(bad.output.find("it was ended by signal") != std::string::npos);
  CHECK(bad.output.find(", should be ") != std::string::npos);
  CHECK(bad.output.find(" 0 failed") == std::string::npos);
}
