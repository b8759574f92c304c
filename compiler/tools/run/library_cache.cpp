#include "tools/run/library_cache.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "driver/text_hash.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUnfinished = ".unfinished-";

/// What tells one kind of processor from another, for code that is made for the one it runs on.
std::string Processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (const char* name : {"model name", "flags", "Features", "CPU part"}) {
      if (line.rfind(name, 0) == 0) text += line + "\n";
    }
  }
  return text;
}

/// The emulator's headers are not inside of the code that includes them.
std::string EmulatorText() {
  std::error_code ignored;
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(RuntimeIncludeDirectory() / "stencilgen", ignored)) {
    if (entry.is_regular_file(ignored)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files) {
    std::string unread;
    text += ReadInput(file.string(), unread).value_or("");
  }
  return text;
}

std::string KeyOf(const std::string& text, const std::string& stem, const BuildOptions& build,
                  const std::string& device) {
  const std::vector<std::string> command = HostLibrary::CommandLine(build, "source", "library");
  std::vector<std::string> version = HostLibrary::CompilerCommand(build.backend);
  version.emplace_back("--version");
  const bool emulated = build.backend == Backend::CudaEmulated;
  return TextHash(fmt::format("1\n{}\n{}\n{}\n{}\n{}\n{}\n{}", stem, fmt::join(command, "\n"),
                              RunProcess(version).output, Processor(), device,
                              emulated ? EmulatorText() : "", text));
}

bool Holds(const KeptLibrary& kept, const std::string& text) {
  std::error_code ignored;
  std::string unread;
  return fs::is_regular_file(kept.library, ignored) &&
         ReadInput(kept.source.string(), unread) == text;
}

/// Removes what processes that were killed have left behind, a day ago or more.
void RemoveUnfinished(const fs::path& folder) {
  std::error_code ignored;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().rfind(kUnfinished, 0) != 0) continue;
    const auto written = entry.last_write_time(ignored);
    if (!ignored && written < yesterday) fs::remove_all(entry.path(), ignored);
  }
}

KeptLibrary Failed(const std::string& error, const std::string& hint = "") {
  return {{}, {}, false, error, hint};
}

KeptLibrary Unwritable(const fs::path& folder, const std::string& why) {
  return Failed(fmt::format("cannot keep libraries in `{}`: {}", folder.string(), why),
                "set STENCILGEN_CACHE_DIR to a folder that can be written to");
}

}  // namespace

KeptLibrary KeepLibrary(const std::string& text, const std::string& stem, BuildOptions build,
                        const fs::path& cache, const std::string& device) {
  if (cache.empty()) {
    return Failed(
        "there is no folder to keep libraries in: neither STENCILGEN_CACHE_DIR nor HOME "
        "is set",
        "set STENCILGEN_CACHE_DIR");
  }
  std::error_code failure;
  const fs::path parent = fs::absolute(cache / "libraries", failure);
  const fs::path folder = parent / KeyOf(text, stem, build, device);
  const char* extension = build.backend == Backend::Cpp ? "cpp" : "cu";
  const KeptLibrary kept = {folder / fmt::format("lib{}.so", stem),
                            folder / fmt::format("{}.{}", stem, extension),
                            true,
                            {},
                            {}};
  if (Holds(kept, text)) return kept;

  fs::create_directories(parent, failure);
  if (failure) return Unwritable(parent, failure.message());
  RemoveUnfinished(parent);
  const TemporaryDirectory unfinished(parent, kUnfinished);
  if (unfinished.path().empty()) return Unwritable(parent, std::strerror(errno));
  build.directory = unfinished.path();
  std::string error;
  if (HostLibrary::Compile(text, stem, build, error).empty()) {
    return Failed(fmt::format("cannot compile the generated code: {}", error));
  }
  fs::rename(unfinished.path(), folder, failure);
  if (failure && !Holds(kept, text)) {
    // What is in the place is damaged.
    fs::remove_all(folder, failure);
    fs::rename(unfinished.path(), folder, failure);
    if (failure && !Holds(kept, text)) return Unwritable(parent, failure.message());
  }
  return {kept.library, kept.source, false, {}, {}};
}

}  // namespace stencilgen::driver
