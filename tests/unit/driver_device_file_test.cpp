// `--device-file`: what it reads, and for which code.
#include <cstdlib>
#include <fstream>
#include <string>

#include "driver/device_file.h"
#include "driver/options.h"
#include "machine/description.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace stencilgen;
using driver::UsageError;

namespace {

UsageError Refused(const std::vector<std::string>& arguments) {
  const auto parsed = driver::ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<UsageError>(parsed));
  return std::get<UsageError>(parsed);
}

bool Contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a device file that cannot be read is a usage error") {
  for (const char* path : {"/nonexistent/d.json", "/"}) {
    const auto parsed = driver::ParseCommandLine({"p.idsl", "--device-file", path});
    REQUIRE(std::holds_alternative<UsageError>(parsed));
    CHECK(Contains(std::get<UsageError>(parsed).message, "--device-file: "));
  }
}

TEST_CASE("a device file is for the code of its kind") {
  const testing::TemporaryDirectory folder;
  const std::string cpu = (folder.path() / "cpu.json").string();
  const std::string gpu = (folder.path() / "gpu.json").string();
  std::ofstream(cpu) << R"({"kind": "cpu", "base": "generic", "cores": 3})";
  std::ofstream(gpu) << R"({"base": "sm_80"})";
  CHECK(Contains(Refused({"p.idsl", "--device-file", cpu}).message, "the target is cuda"));
  CHECK(Contains(Refused({"p.idsl", "--device-file", gpu, "--target", "cpp"}).message,
                 "the target is cpp"));
  const auto parsed = driver::ParseCommandLine({"p.idsl", "--device-file", cpu, "--target", "cpp"});
  REQUIRE(std::holds_alternative<driver::Options>(parsed));
  const auto& options = std::get<driver::Options>(parsed);
  REQUIRE(options.cpu.has_value());
  CHECK(options.cpu->cores == 3);
  CHECK_FALSE(options.device.has_value());
  CHECK(options.device_file == cpu);
}

TEST_CASE("a bad device file is shown with its place") {
  const testing::TemporaryDirectory folder;
  const std::string file = (folder.path() / "d.json").string();
  std::ofstream(file) << "{\n  \"base\": \"sm_90\", \"sms\": -1}";
  const UsageError error = Refused({"p.idsl", "--device-file", file});
  CHECK(error.message == "--device-file: " + file + ":2:27: `sms` is -1, out of range");
  CHECK(Contains(error.excerpt, "^~"));
}

TEST_CASE("native is what has been kept of this machine") {
  const testing::TemporaryDirectory folder;
  REQUIRE(setenv("STENCILGEN_TUNING_DB", (folder.path() / "t.json").c_str(), 1) == 0);
  CHECK(Contains(Refused({"p.idsl", "--target", "cpp", "--device-file", "native"}).message,
                 "has not been measured"));
  CHECK(driver::KeptMachineFile() == folder.path() / "machine.json");
  machine::Cpu cpu = machine::DefaultCpu();
  cpu.model = "this one";
  std::ofstream(driver::KeptMachineFile()) << machine::PrintDescription(cpu);
  const auto parsed =
      driver::ParseCommandLine({"p.idsl", "--target", "cpp", "--device-file", "native"});
  REQUIRE(std::holds_alternative<driver::Options>(parsed));
  CHECK(std::get<driver::Options>(parsed).cpu->model == "this one");
  CHECK(std::get<driver::Options>(parsed).device_file == driver::KeptMachineFile());
  setenv("STENCILGEN_TUNING_DB", "none", 1);
  CHECK(Contains(Refused({"p.idsl", "--target", "cpp", "--device-file", "native"}).message,
                 "has not been measured"));
  unsetenv("STENCILGEN_TUNING_DB");
}
