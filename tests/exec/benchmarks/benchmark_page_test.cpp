// benchmarks/page: a page from results alone.
#include <filesystem>
#include <fstream>
#include <string>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "support/catch.h"

using namespace stencilgen;

namespace {

constexpr const char* kPython = "/usr/bin/python3";

const std::string kPage = std::string(STENCILGEN_SOURCE_DIR) + "/benchmarks/page";

/// One program measured, one wrong, one not reached.
constexpr const char* kResults = R"({
"schema": 1, "kind": "stencilgen-benchmarks", "started": "2026-01-31T12:00:00Z", "seconds": 12.5,
"arguments": ["--quick"], "revision": {"commit": "0123456789abcdef", "dirty": false},
"compilers": {"cpp": {"version": "g++ 12", "flags": "-O3"}},
"machine": {"cpu": {"model": "Abacus", "cores": 2, "memory_bytes": 1073741824, "caches": [],
  "copy_bytes_per_second": 1e10, "memcpy_bytes_per_second": 2e10, "flops_double": 1e11}},
"results": [
 {"program": "j2d5pt", "suite": "A", "type": "double", "target": "cpp", "iterates": true,
  "sizes": {"M": 1000, "N": 1000}, "points": 1e6, "bytes": 1.6e7, "flops": 1e7,
  "versions": [
   {"name": "plain", "correct": true, "seconds": [0.002, 0.002, 0.003], "median": 0.002},
   {"name": "unfused", "correct": true, "seconds": [0.0016, 0.0016], "median": 0.0016},
   {"name": "default", "same_as": "unfused"},
   {"name": "tuned", "correct": true, "how": "--tile i=64", "seconds": [0.0008, 0.002],
    "median": 0.002}]},
 {"program": "curl", "suite": "A", "type": "double", "target": "cpp", "iterates": true,
  "sizes": {"L": 8, "M": 8, "N": 8}, "points": 512, "bytes": 8192, "flops": 7680,
  "versions": [
   {"name": "default", "correct": true, "seconds": [0.001, 0.001], "median": 0.001},
   {"name": "tuned", "same_as": "default"}]},
 {"program": "heat", "suite": "A", "type": "double", "target": "cpp", "iterates": true,
  "sizes": {"L": 8, "M": 8, "N": 8}, "points": 512, "bytes": 8192, "flops": 7680,
  "versions": [{"name": "default", "correct": false, "problem": "u[1] is 2, should be 3"}]},
 {"program": "cheby", "suite": "A", "type": "double", "target": "cpp", "iterates": true,
  "sizes": {"L": 8, "M": 8, "N": 8}, "points": 512, "bytes": 8192, "flops": 7680,
  "problem": "not measured: out of time"}]})";

std::string ReadFile(const std::filesystem::path& path) {
  std::string error;
  return driver::ReadInput(path.string(), error).value_or(error);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a page has the numbers of the results") {
  if (!std::filesystem::exists(kPython)) {
    WARN("no python3");
    return;
  }
  const driver::TemporaryDirectory directory;
  const auto results = directory.path() / "results.json";
  std::ofstream(results) << kResults;
  const auto page = directory.path() / "page.md";
  const driver::ProcessResult run =
      driver::RunProcess({kPage, results.string(), "-o", page.string()});
  INFO(run.output);
  REQUIRE(run.status == 0);
  const std::string text = ReadFile(page);
  INFO(text);
  // 1e6 points in 1.6 ms; 1.6e7 bytes at 2e10 a second are 0.8 ms, half of it.
  CHECK(Contains(text,
                 "| j2d5pt | 1000² | 0.625 | 6.25 | 10.0 | 50% | memory | 0.500 | 0.625 | "
                 "1.25 | 1.00 |"));
  CHECK(Contains(text, "Abacus"));
  // Turn by turn: 2 and 0.8 times as fast.
  CHECK(Contains(text, "| j2d5pt | 1000² | --tile i=64 | 0.500 | 0.625 | 2.00 |"));
  CHECK(Contains(text, "| curl | 8³ | as the default |"));
  CHECK(Contains(text, "Suite A's default takes 100% longer than tuned"));
  CHECK(Contains(text, "| heat | double | cpp | default | u[1] is 2, should be 3 |"));
  CHECK(Contains(text, "| cheby | double | cpp |  | not measured: out of time |"));

  const auto html = directory.path() / "page.html";
  REQUIRE(driver::RunProcess({kPage, results.string(), "-o", html.string()}).status == 0);
  CHECK(Contains(ReadFile(html), "<td>0.625</td>"));
  CHECK_FALSE(Contains(ReadFile(html), "src=\"http"));
}

TEST_CASE("a page says what is wrong with its results") {
  if (!std::filesystem::exists(kPython)) {
    WARN("no python3");
    return;
  }
  const driver::TemporaryDirectory directory;
  const auto results = directory.path() / "results.json";
  const auto page = directory.path() / "page.md";
  for (const char* text : {"{", "[]", "{\"kind\": \"stencilgen-benchmarks\", \"schema\": 99}"}) {
    std::ofstream(results) << text;
    const driver::ProcessResult run =
        driver::RunProcess({kPage, results.string(), "-o", page.string()});
    INFO(run.output);
    CHECK(run.status == 1);
    CHECK(Contains(run.output, "benchmarks/page: error:"));
    CHECK_FALSE(Contains(run.output, "Traceback"));
    CHECK_FALSE(std::filesystem::exists(page));
  }
  CHECK(driver::RunProcess({kPage, "no/such.json"}).status == 1);
  CHECK(driver::RunProcess({kPage, results.string(), "-o", "page.pdf"}).status == 1);
}
