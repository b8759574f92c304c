#include "suite/rivals.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace stencilgen::suite {
namespace {

/// What the compiler needs to use Halide: that of HALIDE_ROOT, or Debian's, which has its version
/// in the names. Empty where there is none.
std::vector<std::string> HalideFlags() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  // Libraries stand before the source here.
  std::vector<std::string> flags = {"-Wl,--no-as-needed"};
  if (const char* root = std::getenv("HALIDE_ROOT"); root != nullptr) {
    if (!fs::exists(fs::path(root) / "include" / "Halide.h", ignored)) return {};
    flags.push_back(fmt::format("-I{}/include", root));
    flags.push_back(fmt::format("-L{}/lib", root));
    flags.push_back(fmt::format("-Wl,-rpath,{}/lib", root));
    flags.emplace_back("-lHalide");
    return flags;
  }
  std::string newest;
  for (const auto& entry : fs::directory_iterator("/usr/include", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("halide", 0) != 0 || !fs::exists(entry.path() / "Halide.h", ignored)) continue;
    newest = std::max(newest, name);
  }
  if (newest.empty()) return {};
  flags.push_back(fmt::format("-I/usr/include/{}", newest));
  flags.push_back(fmt::format("-lH{}", newest.substr(1)));
  return flags;
}

}  // namespace

Rivals::Rivals(const std::filesystem::path& directory, bool asked) {
  BuildHalide(directory, asked);
  std::string note;
  devito_ = Devito::Find(asked, note);
  if (!note.empty()) notes_.push_back(note);
}

void Rivals::BuildHalide(const std::filesystem::path& directory, bool asked) {
  const std::vector<std::string> flags = HalideFlags();
  if (flags.empty()) {
    if (asked) notes_.emplace_back("Halide is not installed");
    return;
  }
  std::ifstream file(std::filesystem::path(STENCILGEN_SOURCE_DIR) / "benchmarks" / "rivals" /
                     "halide.cpp");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  driver::BuildOptions options;
  options.directory = directory;
  options.flags = flags;
  options.optimize = 1;
  std::string error;
  halide_ = driver::HostLibrary::Build(text, "halide", options, error);
  notes_.push_back(halide_ != nullptr
                       ? "Halide is installed: measured too"
                       : fmt::format("Halide is installed, but does not build:\n{}", error));
}

void Rivals::AddTo(Versions* versions, const Program& program) const {
  if (devito_ != nullptr) devito_->AddTo(versions, program);
  Version version;
  version.rival = true;
  version.function = fmt::format("{}_{}_halide", program.benchmark.Identifier(), program.type());
  if (halide_ == nullptr || halide_->Symbol(version.function + "_call") == nullptr) return;
  version.name = "halide";
  version.how = "Halide, rows in vectors, tiles of rows in parallel";
  version.library = halide_;
  versions->all.push_back(std::move(version));
}

}  // namespace stencilgen::suite
