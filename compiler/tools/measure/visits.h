#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Looks at generated code, one after the other, each of which may crash or hang.
namespace stencilgen::measure {

/// One look at the time of a library: the median of some calls, or why there is none.
struct Visit {
  double milliseconds = 0;
  std::string failure;
  /// Processors that other processes kept busy meanwhile, on average; 0 where nobody knows.
  double others = 0;
};

/// `ok MILLISECONDS OTHERS`: what a worker answers where all went well, with the contents of Visit.
std::string OkAnswer(double milliseconds, double others);

/// Does piece k of the work and answers OkAnswer, or what went wrong.
using Worker = std::function<std::string(std::size_t piece)>;

/// Does all pieces in their order in a process of its own; after a failure the rest goes on in
/// another. `start` makes the worker there, `limits` has the seconds after which each piece is
/// given up; `stopped` ends it at once. One result a piece.
std::vector<Visit> VisitAll(const std::function<Worker()>& start, const std::vector<double>& limits,
                            const std::function<bool()>& stopped);

/// The middle of the values, or of the two in the middle. Requires: there is one.
double MedianOf(std::vector<double> values);

}  // namespace stencilgen::measure
