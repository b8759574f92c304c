// Descriptions of GPUs and CPUs in JSON: what they may say, and what is said about bad ones.
#include <string>
#include <vector>

#include "machine/description.h"
#include "machine/json_place.h"
#include "support/catch.h"

using namespace stencilgen;
using machine::Cpu;
using machine::DescriptionError;
using machine::Gpu;
using machine::ParseDescription;
using machine::PrintDescription;

namespace {

template <typename Kind>
Kind Read(const std::string& text) {
  const auto parsed = ParseDescription("d.json", text);
  if (const auto* error = std::get_if<DescriptionError>(&parsed)) FAIL(error->message);
  REQUIRE(std::holds_alternative<Kind>(std::get<machine::Target>(parsed)));
  return std::get<Kind>(std::get<machine::Target>(parsed));
}
Gpu Good(const std::string& text) {
  return Read<Gpu>(text);
}
std::string Bad(const std::string& text) {
  const auto parsed = ParseDescription("d.json", text);
  INFO(text);
  REQUIRE(std::holds_alternative<DescriptionError>(parsed));
  const auto& error = std::get<DescriptionError>(parsed);
  return error.message + "\n" + error.excerpt + error.hint;
}

bool Contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every description can be written to a file and read again") {
  for (const char* arch : {"sm_35", "sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89",
                           "sm_90", "sm_100"}) {
    INFO(arch);
    const Gpu& device = *machine::FindGpu(arch);
    const std::string text = PrintDescription(device);
    const Gpu again = Good(text);
    CHECK(PrintDescription(again) == text);
    CHECK(again.arch == arch);
    CHECK(again.model == device.model);
    CHECK(again.sms == device.sms);
    CHECK(again.shared_per_block_most == device.shared_per_block_most);
    CHECK(again.memory_achieved == device.memory_achieved);
    CHECK(again.fp64_stencil == device.fp64_stencil);
  }
}

TEST_CASE("a device file says what differs from its base") {
  const Gpu device = Good(R"({"base": "sm_90", "model": "half an H200", "sms": 66})");
  CHECK(device.model == "half an H200");
  CHECK(device.arch == "sm_90");
  CHECK(device.sms == 66);
  CHECK(device.threads_per_sm == machine::FindGpu("sm_90")->threads_per_sm);
  CHECK(Good(R"({"base": "sm_90", "memory_achieved": 2.5e12})").memory_achieved == 2.5e12);
  CHECK(Good(R"({"base": "sm_90", "sms": 66.0})").sms == 66);
}

TEST_CASE("a bad device file gets an error that says what is wrong") {
  CHECK(Bad("") ==
        "d.json:1:1: this is not JSON\n"
        "  \n"
        "  ^\n"
        R"(an object of names and numbers, as {"base": "sm_90", "sms": 66})");
  CHECK(Contains(Bad("{\"base\": \"sm_90\",\n \"sms\": 66,\n}"), "d.json:3:1: this is not JSON"));
  CHECK(Contains(Bad("[1]"), "the description is no object"));
  CHECK(Contains(Bad("7"), "the description is no object"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "warp": 48})"), "32 threads or 64"));
  CHECK(Contains(Bad(R"({"sms": 3})"), "does not say arch, model, threads_per_sm"));
  CHECK(Contains(Bad(R"({"base": "sm_91"})"), R"(`base` is "sm_91")"));
  CHECK(Contains(Bad(R"({"base": 90})"), "`base` is 90"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "sm": 3})"), "did you mean `sms`?"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "colour": 3})"), "a device has no `colour`"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "sms": 3.5})"), "`sms` is 3.5, but must be an integer"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "sms": 0})"), "`sms` is 0, out of range"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "sms": 1e400})"), "beyond what a double holds"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "sms": "66"})"), "a number is needed"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "sms": null})"), "a number is needed"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "clock": true})"), "a number is needed"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "arch": 5})"), "a text is needed"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "memory_peak": 1e12})"),
                 "`memory_achieved` is 4.3e+12, more than `memory_peak`, 1e+12"));
  CHECK(Contains(Bad(R"({"base": "sm_90", "shared_per_block": 1000000})"),
                 "`shared_per_block` is 1000000, more than `shared_per_block_most`, 232448"));
  CHECK(Contains(Bad(R"({"base": "sm_35", "threads_per_sm": 64})"), "`threads_per_block` is 1024"));
  CHECK(Contains(Bad("{\"base\": \"\xff\"}"), "this is not JSON"));
}

TEST_CASE("errors show the place in the file") {
  CHECK(Bad("{\"base\": \"sm_90\",\n  \"sms\": 0}") ==
        "d.json:2:10: `sms` is 0, out of range\n"
        "    \"sms\": 0}\n"
        "           ^\n"
        "it is from 1 to 1000000");
  CHECK(Contains(Bad("{\"base\": \"sm_90\",\n  \"smss\": 4}"),
                 "d.json:2:3: a device has no `smss`\n"
                 "    \"smss\": 4}\n"
                 "    ^~~~~~\n"));
  CHECK(Contains(Bad(R"({"kind": "tpu"})"), R"(d.json:1:10: there is no kind "tpu")"));
}

TEST_CASE("places in JSON are found by the way to them") {
  const std::string text = R"({"a": [1, {"b" : "x\"}", "c": [ ]}, -2e3 ], "a2" :{}, "b":true})";
  const auto at = [&](const machine::JsonPath& path) {
    const Span span = machine::FindJsonPlace(text, path).value;
    return text.substr(span.begin, span.end - span.begin);
  };
  CHECK(at({}) == text);
  CHECK(at({"b"}) == "true");
  CHECK(at({"a", std::size_t{0}}) == "1");
  CHECK(at({"a", std::size_t{1}, "b"}) == R"("x\"}")");
  CHECK(at({"a", std::size_t{1}, "c"}) == "[ ]");
  CHECK(at({"a", std::size_t{2}}) == "-2e3");
  CHECK(at({"a2"}) == "{}");
  CHECK(at({"a2", "none"}) == "{}");
  const Span name = machine::FindJsonPlace(text, {"a", std::size_t{1}, "b"}).name;
  CHECK(text.substr(name.begin, name.end - name.begin) == R"("b")");
}

TEST_CASE("a CPU can be written to a file and read again") {
  const std::string text = PrintDescription(machine::DefaultCpu());
  const Cpu again = Read<Cpu>(text);
  CHECK(PrintDescription(again) == text);
  CHECK(again.model == machine::DefaultCpu().model);
  REQUIRE(again.caches.size() == machine::DefaultCpu().caches.size());
  CHECK(again.caches[1].bytes == machine::DefaultCpu().caches[1].bytes);
  CHECK(again.streaming_triad_all == machine::DefaultCpu().streaming_triad_all);
  const Cpu changed =
      Read<Cpu>(R"({"kind": "cpu", "base": "generic", "cores": 2, "clock": 1.5e9})");
  CHECK(changed.cores == 2);
  CHECK(changed.clock == 1.5e9);
  CHECK(changed.caches.size() == machine::DefaultCpu().caches.size());
  // 2 vectors of 4 doubles, 2 flops each.
  CHECK(changed.PeakOfCore(8) == 16 * 1.5e9);
}

TEST_CASE("the numbers of the default CPU fit together") {
  const Cpu& cpu = machine::DefaultCpu();
  CHECK(cpu.threads >= cpu.cores);
  for (std::size_t n = 0; n < cpu.caches.size(); ++n) {
    const machine::Cache& cache = cpu.caches[n];
    CHECK(cache.one <= cache.all);
    CHECK(cache.one > cpu.triad_one);
    CHECK(cpu.Share(cache) * cache.cores == cache.bytes);
    if (n > 0) CHECK(cache.bytes > cpu.caches[n - 1].bytes);
  }
}

TEST_CASE("a bad description of a CPU gets an error that says what is wrong") {
  const auto bad = [](const std::string& rest) {
    return Bad(R"({"kind": "cpu", "base": "generic", )" + rest + "}");
  };
  CHECK(Contains(Bad(R"({"kind": "cpu"})"), "does not say model, cores"));
  CHECK(Contains(Bad(R"({"kind": "cpu"})"), "caches"));
  CHECK(Contains(Bad(R"({"kind": "cpu", "base": "sm_90"})"), R"(`base` is "sm_90")"));
  CHECK(Contains(bad(R"("core": 3)"), "did you mean `cores`?"));
  CHECK(Contains(bad(R"("sms": 3)"), "a CPU has no `sms`"));
  CHECK(Contains(bad(R"("cores": 8, "threads": 4)"), "`threads` is 4, fewer than `cores`, 8"));
  CHECK(Contains(bad(R"("vector_bytes": 48)"), "a power of 2"));
  CHECK(Contains(bad(R"("clock": "fast")"), "a number is needed"));
  CHECK(Contains(bad(R"("caches": 3)"), "`caches` is no array"));
  CHECK(Contains(bad(R"("caches": [])"), "`caches` is no array"));
  CHECK(Contains(bad(R"("caches": [3])"), "a cache is an object"));
  CHECK(Contains(bad(R"("caches": [{"level": 1}])"), "does not say bytes, line"));
  const std::string first =
      R"({"level": 1, "bytes": 4096, "line": 64, "cores": 1, "one": 1, "all": 1})";
  CHECK(Contains(bad(R"("caches": [)" + first + ", " + first + "]"), "no larger than"));
  CHECK(Contains(bad(R"("caches": [{"level": 0, )" + first.substr(13) + "]"), "`level` is 0"));
}
