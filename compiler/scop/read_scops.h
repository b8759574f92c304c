#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/embedded_blocks.h"
#include "graph/program.h"
#include "support/diagnostics.h"
#include "support/exchange.h"
#include "support/source.h"

/// Affine loop nests in C and C++ files, as stencil programs.
namespace stencilgen::scop {

/// An assignment whose points are no box: all points of a box around them are computed, and those
/// that C leaves out keep their value.
struct PointChoice {
  Span written;          ///< the element on its left side
  bool strided = false;  ///< points are left out at regular distances, as in red-black order
};

/// A region of a file, read.
struct ScopProgram {
  graph::Program program;
  /// What arrays, scalars and parameters of the program are in the code around the region.
  std::map<std::string, std::string> bindings;
  std::string condition;          ///< of C, for the call; empty where it always can be made
  bool keeps_code = false;        ///< where the condition does not hold, the region itself runs
  std::vector<Exchange> after;    ///< by the code around, after the call
  std::vector<std::string> left;  ///< assignments of C to scalars, after that
  std::vector<PointChoice> choices;
  /// Counters and scalars that are declared around the region, and that the program has no need of.
  std::vector<std::string> own_variables;
  /// Pointers that could point into each other's memory, and are taken not to; none with
  /// `restrict`.
  std::vector<std::string> taken_apart;
};

struct ScopFile {
  std::vector<std::optional<ScopProgram>>
      programs;                       ///< by region; empty for those that are skipped
  std::vector<std::string> includes;  ///< files that were read besides
};

/// Reads the regions of a file that are to become programs, as a compiler with these arguments
/// sees them. Reports the compiler's errors, and what no array assignments can mean, all of it.
/// Empty exactly when an error was reported.
std::optional<ScopFile> ReadScops(const SourceFile& source,
                                  const std::vector<EmbeddedBlock>& regions,
                                  const std::vector<std::string>& compiler_arguments,
                                  DiagnosticSink& sink);

}  // namespace stencilgen::scop
