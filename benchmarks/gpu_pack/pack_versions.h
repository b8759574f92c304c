#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "suite/programs.h"
#include "suite/versions.h"

namespace stencilgen::suite {

/// A version in a pack: its code, and where it is measured.
struct PackedVersion {
  Version version;
  std::vector<int> registers;  ///< a library each, of so many registers a thread; empty: one
  bool main_size_only = true;
};

/// What a pack has of each program beside what every pack has.
struct PackedVersions {
  std::vector<int> registers = {32, 64, 128, 255};  ///< of a thread, for suite B
  double megabytes = 0;  ///< arrays of a program, at most; 0: sizes of the literature
  int plans = 0;         ///< so many of the cheapest plans
  /// A version's name, and its options; where a program cannot have them, it has no such version.
  std::vector<std::pair<std::string, std::vector<std::string>>> also;
};

/// A program in one precision, with the sizes it is measured at.
struct PackedProgram {
  std::vector<Program> sizes;  ///< the first is the one that plans are made for
  graph::Graph graph;
  std::vector<PackedVersion> versions;
  std::string problem;
};

/// Suite A at 16384² and 8192² or 512³, and T = 1000; others as in the literature. Versions beside
/// plain, unfused, default, and tuned where the tuning database has the program: suite A with fixed
/// numbers of fused steps; programs of several statements with each kind of fusion; suite B as
/// written, unrolled and reordered for each number of `registers`. Versions whose code is the
/// default's are left out.
PackedProgram MakePacked(const testing::Benchmark& benchmark, bool single,
                         const PackedVersions& wanted);

}  // namespace stencilgen::suite
