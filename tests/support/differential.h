#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "support/test_program.h"

namespace stencilgen::testing {

struct DifferentialOptions {
  std::filesystem::path directory;  ///< for sources and libraries; must exist
  int optimize = 1;                 ///< -O level of the C++ target's code
  std::uint64_t input_seed = 1;
  /// Of cpp-strict, cpp-fast, cuda-strict, cuda-fast and hip-strict the one to run; all of them
  /// where empty, hip-strict where there are wavefronts.
  std::string only;
  bool wavefronts = false;  ///< run HIP on 64 lanes too
  /// What is strict is not printed and compiled: kernel::Execute runs its code, a hundred times as
  /// soon. What printers and compilers make of the same code is for others to compare.
  bool execute = false;
  std::vector<std::string> flags = {};  ///< more for the compiler of the C++ target
  bool warnings = false;                ///< what g++ warns of is an error
  int tile = 0;                         ///< C++: points of a tile along every iterator; 0: none
  int threads = 0;                      ///< C++: of a loop; 0: as OpenMP sees fit
  passes::Sharing sharing = passes::Sharing::Never;  ///< of values that several points compute
  plan::GraphUse graphs = plan::GraphUse::Auto;      ///< CUDA and HIP: of turns of loops
};

struct Failure {
  std::string program;  ///< its name
  std::string message;  ///< where, and the difference
  std::string text;     ///< the program as a file (ToFileText)
};

/// Runs every program through the interpreter, the C++ target and the emulated CUDA target and
/// compares: bit for bit with --fp strict, within the tolerance of --fp fast (grammar/README.md).
/// The emulator runs with each of its thread orders. Programs are compiled together, one library a
/// target and mode, so their names must differ. One failure a program, the first found.
std::vector<Failure> RunDifferential(const std::vector<TestProgram>& programs,
                                     const DifferentialOptions& options);

/// The options of the library's pipeline for the program as it says.
driver::PipelineOptions OptionsOf(const TestProgram& program);

/// What is wrong with the programs on the emulator with --fp strict, or as code for a GPU that is
/// executed (DifferentialOptions::execute); as text, empty where all is exact.
std::string FindStrictFailures(const std::vector<TestProgram>& programs, bool execute = false);

/// The failures as text for a person, the program last; empty where there are none.
std::string Describe(const std::vector<Failure>& failures);

}  // namespace stencilgen::testing
