#pragma once

#include <vector>

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// Rows of points of which whole lines of the caches are stored past these where the arrays are
/// larger than them: a processor then need not read a line of results before it changes it, which
/// is up to a third of all that a sweep moves.
class LineRows {
 public:
  /// `names`: code of the nest, which has its iterators and gives new names.
  /// Requires: the kernel's nest stores past caches (plan::LoopNest).
  LineRows(const ProgramModel& model, plan::KernelId kernel, OperatorCode& names);

  /// Declares, before all loops, whether the arrays of the function are larger than the caches.
  void LowerChoice(kernel::Block& block, const NestBounds& bounds, const OperatorCode& code) const;

  /// The points of a row, from `first` to `last` along the last iterator, with the code of a point:
  /// those before the first whole line and behind the last one as they are.
  void LowerRow(kernel::Block& block, const OperatorCode& code, const kernel::Expr& first,
                const kernel::Expr& last) const;

 private:
  /// What a point stores: `v[c] = value`.
  struct Store {
    kernel::VarRef array, line;
    kernel::Expr position;
  };

  std::vector<Store> StoresOf(const OperatorCode& code) const;
  kernel::ForStmt LoopOverLine(const OperatorCode& code) const;

  const ProgramModel& model_;
  const graph::Operator& op_;
  kernel::VarRef iterator_, past_, begin_, end_, line_, lane_, part_, from_, to_;
  std::vector<kernel::VarRef> lines_;  ///< a small array for each operator's result
  int elements_ = 0;                   ///< of a line
};

}  // namespace stencilgen::lower::cpp
