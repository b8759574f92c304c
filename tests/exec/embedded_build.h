#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli.h"
#include "driver/host_library.h"
#include "driver/kernel_compiler.h"
#include "driver/prepared_emulator.h"
#include "driver/subprocess.h"

namespace stencilgen::test {

/// How the output of `stencilgen app.cpp` is compiled.
enum class EmbeddedTarget {
  Cpp,      ///< the C++ target
  Emulator  ///< the CUDA target, with the emulator in the place of CUDA
};

inline std::string Include() {
  return driver::RuntimeIncludeDirectory().string();
}

/// Runs a shell command in the folder; status and output of both streams.
inline driver::ProcessResult Shell(const Workplace& work, const std::string& command) {
  return driver::RunProcess({"sh", "-c", fmt::format("cd '{}' && {}", work.Path(""), command)});
}

/// The compiler's command line for a generated file, up to what comes out of it.
inline std::string CompileCommand(EmbeddedTarget target, const std::string& file,
                                  const std::string& flags) {
  const std::string compiler = driver::FindCompiler(driver::Backend::Cpp);
  const std::string common =
      fmt::format("{} -std=c++17 -Wall -Wextra -Wshadow -I'{}' -I. {}", compiler, Include(), flags);
  if (target == EmbeddedTarget::Cpp) return fmt::format("{} -x c++ {} -x none", common, file);
  return fmt::format(
      "{} -DSTENCILGEN_EMULATOR -I'{}/stencilgen/emulator' -x c++ {} -x none -lboost_context",
      common, Include(), file);
}

/// For small programs: g++ optimizes the emulator's code for longer than it then runs.
inline const char* LevelOf(EmbeddedTarget target) {
  return target == EmbeddedTarget::Cpp ? "-O1" : "-O0";
}

/// What the emulator's code is compiled with: all words of the command but files and their
/// languages.
inline std::vector<std::string> WordsOfFlags(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    word.erase(std::remove(word.begin(), word.end(), '\''), word.end());
    if (word == "-o" || word == "-x") {
      stream >> word;
    } else if (words.empty() || (word[0] == '-' && word.rfind("-l", 0) != 0)) {
      words.push_back(word);
    }
  }
  return words;
}

/// The same for a file that becomes a program without others in CUDA: with the emulator that is
/// compiled once for all of them.
inline std::string ProgramCommand(EmbeddedTarget target, const std::string& file,
                                  const std::string& flags) {
  const std::string whole = CompileCommand(target, file, flags);
  if (target == EmbeddedTarget::Cpp) return whole;
  const auto emulator = driver::PrepareEmulator(WordsOfFlags(whole), driver::CacheDirectory());
  if (!emulator) return whole;
  return fmt::format("{} {} {} -lboost_context", whole,
                     fmt::join(emulator->CompileArguments(), " "), emulator->object.string());
}

/// Translates app.cpp to NAME.gen.cpp or NAME.gen.cu without a word. Returns the name.
inline std::string Translate(const Workplace& work, EmbeddedTarget target,
                             const std::string& file = "app.cpp",
                             const std::string& options = "--no-standalone") {
  const bool cpp = target == EmbeddedTarget::Cpp;
  const std::string output = file.substr(0, file.rfind('.')) + (cpp ? ".gen.cpp" : ".gen.cu");
  const CliResult result =
      work.Run(fmt::format("{} -o {} {} {}", file, output, options, cpp ? "--target cpp" : ""));
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(result.err.empty());
  return output;
}

/// Translates, compiles without a warning and runs app.cpp. Returns what it prints.
inline std::string BuildAndRun(const Workplace& work, EmbeddedTarget target,
                               const std::string& flags = "-O1 -Werror",
                               const std::string& options = "--no-standalone") {
  const std::string file = Translate(work, target, "app.cpp", options);
  const auto compiled = Shell(work, CompileCommand(target, file, flags + " -o app"));
  INFO(compiled.output);
  REQUIRE(compiled.status == 0);
  CHECK(compiled.output.empty());
  const auto run = Shell(work, "./app");
  INFO(run.output);
  CHECK(run.status == 0);
  return run.output;
}

}  // namespace stencilgen::test
