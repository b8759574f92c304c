#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "support/test_program.h"

namespace stencilgen::testing {

/// A folder of benchmarks/stencils: what its bench.json says.
struct Benchmark {
  std::string name;                                 ///< the folder's
  char suite = 'A';                                 ///< A, B, C or D, as in benchmarks/README.md
  std::string text;                                 ///< the program, in double precision
  std::map<std::string, std::int64_t> full, small;  ///< sizes, with the number of steps
  std::map<std::string, double> scalars;
  double lowest_input = -1;
  int flops_per_point = 0;
  int arrays_read = 0, arrays_written = 0;

  /// The name as a C identifier.
  std::string Identifier() const;
  /// The program in the other precision.
  std::string SinglePrecisionText() const;
};

/// Every program of examples/, with awkward sizes to run it at.
std::vector<TestProgram> Examples();

/// True where sizes mean grids of several resolutions: what suits one grid is too much, or nothing,
/// for the others, so that tests keep the example's own sizes.
bool HasSeveralGrids(const TestProgram& example);
/// Every folder of benchmarks/stencils, by name.
std::vector<Benchmark> Benchmarks();
/// The one of that name. Throws where there is none.
Benchmark BenchmarkNamed(const std::string& name);

}  // namespace stencilgen::testing
