#pragma once

#include <optional>

#include "kernel/code.h"
#include "lower/cpp/row_vectors.h"
#include "lower/operator_code.h"

namespace stencilgen::lower::cpp {

/// Rows of points in vectors, for code whose points read several neighbours along the row:
/// registers keep three vectors of each row that is read, the one at the point and those beside it,
/// and shifts make the neighbours of them. A load at another distance than the store's crosses a
/// line of the caches at every vector of 64 bytes, and costs two.
///
/// ```
///  i_lo          i_vectors                     i_rest      i_hi
///   |  .  .  .  .  |        |        |        |  .  .  .  .  |
///   ends: loads      before    here    after      ends: loads, the last vector ends the row
///                    <------- windows ------->
/// ```
class ShiftedRows {
 public:
  /// For the code of a point, which walks `iterator` along rows; `names` gives new names. Empty
  /// where RowVectors::Find is, and where no row is read at two places.
  static std::optional<ShiftedRows> Find(OperatorCode& names, const OperatorCode& code,
                                         kernel::VarRef iterator);

  /// Declares, before all loops, what rows need.
  void LowerNames(kernel::Block& block) const { vectors_.LowerNames(block); }

  /// The points of a row, from `first` to `last` along the iterator. Requires: neither changes
  /// along the row.
  void LowerRow(kernel::Block& block, const kernel::Expr& first, const kernel::Expr& last) const;

 private:
  ShiftedRows(OperatorCode& names, const OperatorCode& code, RowVectors vectors);

  void LowerParts(kernel::Block& block, const kernel::Expr& first, const kernel::Expr& last) const;
  kernel::IfStmt Windows() const;

  const OperatorCode* code_;
  RowVectors vectors_;
  kernel::VarRef begin_, rest_, part_, from_, to_, next_;
};

}  // namespace stencilgen::lower::cpp
