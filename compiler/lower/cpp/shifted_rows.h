#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernel/code.h"
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
  /// where the code has more than sums, products and quotients of one floating type, reads what it
  /// writes, or where no row is read at two places.
  static std::optional<ShiftedRows> Find(OperatorCode& names, const OperatorCode& code,
                                         kernel::VarRef iterator);

  /// Declares, before all loops, what rows need.
  void LowerNames(kernel::Block& block) const;

  /// The points of a row, from `first` to `last` along the iterator. Requires: neither changes
  /// along the row.
  void LowerRow(kernel::Block& block, const kernel::Expr& first, const kernel::Expr& last) const;

 private:
  /// Elements that points read from one row of an array, at these distances from its base.
  struct Row {
    kernel::VarRef array;
    kernel::Expr base;  ///< position of the element at distance 0, at a point
    std::int64_t least = 0, most = 0;
    kernel::VarRef before, here, after;  ///< null: read at one distance alone

    /// That of the vectors in registers: 0 where it is between the others.
    std::int64_t Centre() const;
  };
  class Analysis;
  class Vectors;

  ShiftedRows(OperatorCode& names, const OperatorCode& code, kernel::VarRef iterator);

  /// The expression with the iterator at another place of the row.
  kernel::Expr At(const kernel::Expr& place, const kernel::Expr& expr) const;
  void LowerParts(kernel::Block& block, const kernel::Expr& first, const kernel::Expr& last) const;
  kernel::IfStmt Windows() const;

  const OperatorCode* code_;
  kernel::VarRef iterator_;
  kernel::VarRef pack_, width_, vectors_, rest_, part_, from_, to_, next_;
  kernel::VarRef stored_array_;
  kernel::Expr stored_position_;
  std::map<std::string, Row> rows_;                   ///< by array and base
  std::map<const kernel::Var*, std::int64_t> steps_;  ///< of index values, from point to point
};

}  // namespace stencilgen::lower::cpp
