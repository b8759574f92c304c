#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "support/catch.h"

namespace stencilgen::test {

struct CliResult {
  int status = 0;
  std::string out;
  std::string err;
};

/// A folder in which the command line is run.
class Workplace {
 public:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool Exists(const std::string& name) const { return std::filesystem::exists(Path(name)); }
  std::size_t Entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()),
                      std::filesystem::directory_iterator()));
  }

  /// Runs `stencilgen ARGUMENTS` in the folder; shell quoting applies.
  CliResult Run(const std::string& arguments, const std::string& input = "/dev/null",
                const std::string& environment = "") const {
    const TemporaryOutputs outputs;
    const std::string out = outputs.folder.path() / "out";
    const std::string err = outputs.folder.path() / "err";
    // What the user of this machine has tuned is nothing to a test.
    const std::string command =
        "cd '" + folder_.path().string() + "' && STENCILGEN_TUNING_DB=none " + environment + " '" +
        STENCILGEN_BINARY + "' " + arguments + " <" + input + " >" + out + " 2>" + err;
    CliResult result;
    result.status = driver::RunProcess({"sh", "-c", command}).status;
    result.out = Slurp(out);
    result.err = Slurp(err);
    INFO(arguments);
    // Neither crash nor abort, whatever the arguments.
    REQUIRE(result.status >= 0);
    REQUIRE(result.status <= 2);
    return result;
  }

 private:
  struct TemporaryOutputs {
    driver::TemporaryDirectory folder;
  };
  static std::string Slurp(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  driver::TemporaryDirectory folder_;
};

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline const char* const kSmooth = R"(// Two arrays, a scalar and a loop.
parameter M=17, N=23, T=3;
iterator j, i;
double u[M,N], v[M,N], a;
copyin u, v, a;
stencil smooth (A, B, c) {
  B[j][i] = A[j][i] + c*(A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1] - 4.0*A[j][i]);
}
iterate T {
  smooth (u, v, a);
  smooth (v, u, a);
}
copyout u;
)";

}  // namespace stencilgen::test
