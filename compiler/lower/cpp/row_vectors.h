#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernel/code.h"
#include "lower/operator_code.h"

namespace stencilgen::lower::cpp {

/// Elements that points read from one row of an array, at these distances from its base.
struct VectorRow {
  kernel::VarRef array;
  kernel::Expr base;  ///< position of the element at distance 0, at a point
  std::int64_t least = 0, most = 0;
  /// Three vectors of it in registers, side by side; null: elements are loaded where they are read.
  kernel::VarRef before, here, after;

  /// The distance of `here`: 0 where that is between the others.
  std::int64_t Centre() const;
};

/// The code of a point in vectors along the rows of a nest.
class RowVectors {
 public:
  /// For the code of a point, which walks `iterator` along rows; `names` gives new names. Empty
  /// where the code has more than sums, products and quotients of one floating type, or reads what
  /// it writes, so that points may not be computed twice.
  static std::optional<RowVectors> Find(OperatorCode& names, const OperatorCode& code,
                                        kernel::VarRef iterator);

  /// Gives the row names for vectors in registers.
  void KeepInRegisters(OperatorCode& names, VectorRow& row) const;
  std::map<std::string, VectorRow>& rows() { return rows_; }  ///< by array and base
  const std::map<std::string, VectorRow>& rows() const { return rows_; }

  /// Declares, before all loops, the type of vectors and their width.
  void LowerNames(kernel::Block& block) const;
  kernel::Expr width() const { return kernel::Read(width_); }
  const kernel::VarRef& iterator() const { return iterator_; }

  /// The expression with the iterator at another place of the row.
  kernel::Expr At(const kernel::Expr& place, const kernel::Expr& expr) const;
  /// How many points on from `place` stores of vectors are aligned.
  kernel::Expr ToAligned(const kernel::Expr& place) const;
  /// The vector of a row whose `here` is that of the point at `place`, which the iterator is not
  /// in.
  kernel::Expr LoadAt(const VectorRow& row, const kernel::Expr& place) const;
  /// That of the present point, and so far behind it. Requires: positions are lowered.
  kernel::Expr LoadHere(const VectorRow& row, const kernel::Expr& behind) const;

  /// The values of a vector's points that are positions in arrays.
  void LowerPositions(kernel::Block& block) const;
  /// Where neighbours come from, of rows that are kept in registers; other elements are loaded.
  enum class Neighbours : std::uint8_t {
    Memory,     ///< loaded, too
    Registers,  ///< vectors that are neighbours in memory
    Anywhere    ///< vectors that need not be
  };
  /// All the others, and the stores.
  void LowerValues(kernel::Block& block, Neighbours neighbours) const;

 private:
  class Analysis;
  class Values;

  RowVectors(OperatorCode& names, const OperatorCode& code, kernel::VarRef iterator);
  kernel::Type Pack() const { return {pack_->type.of, kernel::Width::Pack}; }
  kernel::Expr Load(const kernel::VarRef& array, const kernel::Expr& position) const;

  const OperatorCode* code_;
  kernel::VarRef iterator_;
  kernel::VarRef pack_, width_;
  kernel::VarRef stored_array_;
  kernel::Expr stored_position_;
  std::map<std::string, VectorRow> rows_;
  std::map<const kernel::Var*, std::int64_t> steps_;  ///< of index values, from point to point
};

}  // namespace stencilgen::lower::cpp
