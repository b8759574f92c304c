#pragma once

#include "kernel/body.h"
#include "lower/cpp/fetch_plan.h"
#include "lower/operator_code.h"

namespace stencilgen::lower::cpp {

/// How a body runs on vectors along the last iterator.
struct VectorStyle {
  /// Vectors side by side, in each instruction; 0: as many as the machine has registers for
  /// (kPackVectors of simd.hpp).
  int vectors = 0;
};

/// The code of a body.
struct VectorCode {
  kernel::VarRef pack;   ///< the name of packs
  kernel::Block before;  ///< before all loops
  kernel::Block row;     ///< before the loop along the last iterator
  kernel::Block point;   ///< at the vectors that begin at the iterators' point
};

/// True where the operator's points may be computed in vectors: neighbours along its last iterator
/// are neighbours in all arrays that it reads and in the one it writes, and no boundary mode moves
/// what it reads.
bool MayUseVectors(const graph::Graph& graph, const graph::Operator& op);

/// True where vectors have all that the body does. Requires: MayUseVectors of its operator.
bool FitsVectors(const kernel::Body& body, ScalarType type);

/// The body of one operator, in its own order ([S] 5.4), with loads where the plan has them;
/// results are stored as soon as they are complete. Requires: FitsVectors; the plan is the body's;
/// `code` is the operator's.
VectorCode LowerVectors(const ProgramModel& model, const graph::Operator& op,
                        const kernel::Body& body, const FetchPlan& plan, const VectorStyle& style,
                        OperatorCode& code);

}  // namespace stencilgen::lower::cpp
