#pragma once

#include <optional>
#include <vector>

#include "kernel/code.h"
#include "lower/cpp/row_vectors.h"
#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cpp {

/// Whole rows of arrays that wrap around along them, in vectors: the first vector's neighbours
/// before it are those of the last one, and the other way round, so that no point is computed by
/// itself.
///
/// ```
///  0     i_start                             i_stop  N
///  |  first   |                                 |    |
///  |       |  aligned stores, neighbours loaded |    |
///  |       |                               |  last   |
/// ```
class RingRows {
 public:
  /// For a nest over `ops`, whose points `inside` computes where nothing is beyond a row's ends.
  /// Empty where the first operator's rows are not whole rows of what it writes, where points read
  /// further than one element along them, where a mode there is another than to wrap around, or
  /// where RowVectors::Find is empty. `names` gives new names.
  static std::optional<RingRows> Find(const ProgramModel& model,
                                      const std::vector<const graph::Operator*>& ops,
                                      OperatorCode& names, const OperatorCode& inside);

  /// Declares, before all loops, what rows need.
  void LowerNames(kernel::Block& block) const { vectors_.LowerNames(block); }

  /// True where the row from `first` to `last` is a whole one, and long enough.
  kernel::Expr IsWhole(const kernel::Expr& first, const kernel::Expr& last) const;

  /// The points of a whole row.
  void LowerRow(kernel::Block& block) const;

 private:
  RingRows(OperatorCode& names, const OperatorCode& inside, RowVectors vectors,
           kernel::Expr points);

  /// Of a vector and those beside it, the places of their first points; `end`: where it ends.
  struct Places {
    kernel::Expr before, here, after, end;
  };
  void LowerEnd(kernel::Block& block, const Places& places) const;

  const OperatorCode* inside_;
  RowVectors vectors_;
  kernel::Expr points_;  ///< of a row
  kernel::VarRef aligned_, start_, stop_;
};

}  // namespace stencilgen::lower::cpp
