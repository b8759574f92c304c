#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// An iterator of an operator with a matrix tile.
struct MatrixAxis {
  kernel::VarRef at, lo, hi;
  kernel::VarRef tiles;        ///< of the grid along it
  kernel::VarRef first;        ///< of the block's points
  kernel::VarRef place, part;  ///< of a point in its block; which of the thread's it is
  int letter = 0;              ///< of its threads; x is 0
  int threads = 1, points = 1;
};

/// What the boxes of a matrix tile are filled for: the turns of the last loop from `first` on, of
/// so many in all. Null without loops.
struct MatrixTurns {
  kernel::VarRef turn, first;
  kernel::Expr count;
};

/// The boxes of a matrix tile, in shared memory.
class MatrixBoxes {
 public:
  using Form = std::function<kernel::Expr(const graph::LinearForm&)>;
  using Uses = OperatorCode::Uses;

  /// Requires: the model outlives it.
  MatrixBoxes(const ProgramModel& model, plan::KernelId kernel, NameScope& scope);

  bool empty() const { return boxes_.empty(); }
  /// True where some box has neighbours along the iterator.
  bool WalkAlong(int iterator) const;

  /// The element of a box that the access is, at the point and turn where `axes` and `turns` are;
  /// empty where it is in none.
  std::optional<kernel::Expr> Find(const graph::Access& access, const std::vector<MatrixAxis>& axes,
                                   const MatrixTurns& turns) const;

  /// Declares them.
  void Declare(kernel::Block& block) const;

  /// All threads of the block fill them; beyond an end of the domain or of the turns is the last
  /// element again. `uses`: what is read.
  void Load(kernel::Block& block, const std::vector<MatrixAxis>& axes, const MatrixTurns& turns,
            const Form& form, Uses& uses) const;

 private:
  bool HasTurn(const graph::Index& index) const;
  const MatrixAxis* AxisOf(const graph::Index& index, const std::vector<MatrixAxis>& axes) const;
  kernel::Expr IndexOf(const graph::Index& index, const kernel::Expr& place,
                       const std::vector<MatrixAxis>& axes, const MatrixTurns& turns,
                       const Form& form) const;

  const ProgramModel& model_;
  const graph::Operator& op_;
  const plan::MatrixTile& tile_;
  graph::ParameterId turn_;
  std::vector<kernel::VarRef> boxes_;
  kernel::VarRef element_;
};

}  // namespace stencilgen::lower::cuda
