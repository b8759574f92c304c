#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/body.h"
#include "lower/body_code.h"
#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// Code of some of a thread's points, in the order that the options ask for.
struct ThreadBody {
  int live_as_written = 0, live = 0;  ///< MAXLIVE before and after
  std::size_t points = 0;
  BodyCode code;
};

/// The offsets of the points that a thread computes together, along each iterator of the kernel's
/// operator; one where it walks. Requires: no tile.
std::vector<std::vector<std::int64_t>> PointsOfThread(const ProgramModel& model,
                                                      plan::KernelId kernel);

/// The code of points of the kernel's operator, before and after it is reordered.
struct OrderedBody {
  kernel::Body written, ordered;
};
OrderedBody OrderPoints(const ProgramModel& model, plan::KernelId kernel,
                        const std::vector<std::vector<std::int64_t>>& points);

/// `points[n]`: the offsets of the points along the operator's n-th iterator. `code` is the
/// operator's.
ThreadBody LowerThread(const ProgramModel& model, plan::KernelId kernel, OperatorCode& code,
                       const std::vector<std::vector<std::int64_t>>& points);

/// Reordered code spends few registers on coordinates: they have 32 bits, which the launcher
/// checks, where there are no multiples of them.
bool HasShortCoordinates(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cuda
