#include <fstream>
#include <iterator>

#include <unistd.h>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "support/catch.h"

using namespace stencilgen::driver;
namespace fs = std::filesystem;

namespace {

std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t Entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a temporary folder goes with everything in it") {
  fs::path path;
  {
    const TemporaryDirectory folder;
    path = folder.path();
    REQUIRE(fs::is_directory(path));
    std::ofstream(path / "file") << "x";
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("all files are written or none") {
  const TemporaryDirectory folder;
  const std::string a = (folder.path() / "a").string();
  const std::string b = (folder.path() / "b").string();
  CHECK_FALSE(WriteOutputs({{a, "one"}, {b, "two"}}));
  CHECK(Slurp(a) == "one");
  CHECK(Slurp(b) == "two");
  CHECK(Entries(folder.path()) == 2);

  const auto error = WriteOutputs({{a, "three"}, {(folder.path() / "no" / "c").string(), "x"}});
  REQUIRE(error);
  CHECK(error->find("cannot write") != std::string::npos);
  CHECK(Slurp(a) == "one");
  CHECK(Entries(folder.path()) == 2);

  CHECK(WriteOutputs({{folder.path().string(), "x"}}));
  CHECK(WriteOutputs({{a, "x"}, {a, "y"}}));
  CHECK(Slurp(a) == "one");
}

TEST_CASE("a device is written to, not replaced, and a link keeps its target") {
  const TemporaryDirectory folder;
  CHECK_FALSE(WriteOutputs({{"/dev/null", "x"}}));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(WriteOutputs({{"/dev/full", std::string(100000, 'x')}}));
  std::ofstream(folder.path() / "target") << "old";
  fs::create_symlink(folder.path() / "target", folder.path() / "link");
  CHECK_FALSE(WriteOutputs({{(folder.path() / "link").string(), "new"}}));
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(Slurp(folder.path() / "target") == "new");
}

TEST_CASE("inputs that cannot be read say why") {
  std::string error;
  CHECK_FALSE(ReadInput("/nonexistent", error));
  CHECK(error.find("cannot read `/nonexistent`") != std::string::npos);
  CHECK_FALSE(ReadInput("/", error));
  CHECK(error.find("folder") != std::string::npos);
}

TEST_CASE("programs run without a shell") {
  const ProcessResult result = RunProcess({"printf", "%s|", "a b", "$HOME", ";exit 3"});
  CHECK(result.status == 0);
  CHECK(result.output == "a b|$HOME|;exit 3|");
  CHECK(RunProcess({"false"}).status == 1);
  const ProcessResult missing = RunProcess({"/nonexistent/program"});
  CHECK(missing.status == -1);
  CHECK(missing.output.find("/nonexistent/program") != std::string::npos);
  const ProcessResult killed = RunProcess({"sh", "-c", "kill -9 $$"});
  CHECK(killed.status == 128 + 9);
  CHECK(HowItEnded(killed) == "signal 9 (Killed)");
  CHECK(HowItEnded(missing) == "no start");
  CHECK(HowItEnded(RunProcess({"sh", "-c", "exit 3"})) == "status 3");
  CHECK(HowItEnded(RunProcess({"sh", "-c", "exit 255"})) == "status 255");
  const ProcessResult long_output = RunProcess({"sh", "-c", "yes | head -c 3000000; exit 4"});
  CHECK(long_output.status == 4);
  CHECK(long_output.output.size() < 1200000);
  CHECK(FindProgram("sh").find("/sh") != std::string::npos);
  CHECK(FindProgram("no-such-program-at-all").empty());
  CHECK(FindProgram("/tmp").empty());
}
