// Descriptions of GPUs in JSON: what they may say, and what is said about bad ones.
#include <string>
#include <vector>

#include "driver/device_file.h"
#include "driver/options.h"
#include "plan/device.h"
#include "support/catch.h"

using namespace stencilgen;
using driver::ParseDevice;
using driver::UsageError;
using plan::Device;

namespace {

Device Good(const std::string& text) {
  const auto parsed = ParseDevice("d.json", text);
  if (const auto* error = std::get_if<UsageError>(&parsed)) FAIL(error->message);
  return std::get<Device>(parsed);
}
std::string Bad(const std::string& text) {
  const auto parsed = ParseDevice("d.json", text);
  INFO(text);
  REQUIRE(std::holds_alternative<UsageError>(parsed));
  const auto& error = std::get<UsageError>(parsed);
  return error.hint.empty() ? error.message : error.message + "\n" + error.hint;
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
    const Device& device = *plan::FindDevice(arch);
    const std::string text = driver::PrintDevice(device);
    const Device again = Good(text);
    CHECK(driver::PrintDevice(again) == text);
    CHECK(again.arch == arch);
    CHECK(again.model == device.model);
    CHECK(again.sms == device.sms);
    CHECK(again.shared_per_block_most == device.shared_per_block_most);
    CHECK(again.memory_achieved == device.memory_achieved);
    CHECK(again.fp64_stencil == device.fp64_stencil);
  }
}

TEST_CASE("a device file says what differs from its base") {
  const Device device = Good(R"({"base": "sm_90", "model": "half an H200", "sms": 66})");
  CHECK(device.model == "half an H200");
  CHECK(device.arch == "sm_90");
  CHECK(device.sms == 66);
  CHECK(device.threads_per_sm == plan::FindDevice("sm_90")->threads_per_sm);
  CHECK(Good(R"({"base": "sm_90", "memory_achieved": 2.5e12})").memory_achieved == 2.5e12);
  CHECK(Good(R"({"base": "sm_90", "sms": 66.0})").sms == 66);
}

TEST_CASE("a bad device file gets an error that says what is wrong") {
  CHECK(Bad("") ==
        "--device-file: d.json:1:1: this is not JSON\n"
        R"(an object of names and numbers, as {"base": "sm_90", "sms": 66})");
  CHECK(Contains(Bad("{\"base\": \"sm_90\",\n \"sms\": 66,\n}"), "d.json:3:1: this is not JSON"));
  CHECK(Contains(Bad("[1]"), "the description is no object"));
  CHECK(Contains(Bad("7"), "the description is no object"));
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

TEST_CASE("a device file that cannot be read is a usage error") {
  for (const char* path : {"/nonexistent/d.json", "/"}) {
    const auto parsed = driver::ParseCommandLine({"p.idsl", "--device-file", path});
    REQUIRE(std::holds_alternative<UsageError>(parsed));
    CHECK(Contains(std::get<UsageError>(parsed).message, "--device-file: "));
  }
}
