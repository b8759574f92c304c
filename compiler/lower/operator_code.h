#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/code.h"
#include "lower/lower_expr.h"
#include "lower/program_model.h"

namespace stencilgen::lower {

class OperatorCode;

/// How a target writes what an operator needs.
struct OperatorStyle {
  /// Where the enclosing code has names of its own: its scope, and its names of the operator's
  /// iterators. Without, the iterators get names in the operator's own scope.
  const NameScope* scope = nullptr;
  std::vector<kernel::VarRef> iterators = {};
  /// Code of the same operators, in a scope like this one: iterators and lets are the same
  /// variables.
  const OperatorCode* like = nullptr;
  /// The element where it need not be read from memory, else empty.
  std::function<std::optional<kernel::Expr>(const graph::Access&)> held = nullptr;
  /// The variable that takes the value instead of the operator's buffer; invalid for the buffer.
  kernel::Expr result = {};
  /// With `result`: it is declared with the value, and never changes.
  bool declares_result = false;
  /// Of a reduction: the lane, or the variable, that takes the value of a point in.
  std::function<kernel::Expr(const graph::Operator&)> lane = nullptr;
  /// With `result`: what it takes instead of the operator's value, and how: assigned or added. The
  /// value may refer to plan::Scatter::kSum, which is `sum`.
  graph::ExprId value = {};
  AssignOp assign = AssignOp::Assign;
  kernel::Expr sum = {};
  /// With `result`: a body has the code of a point (PrintBody); here is what is uniform alone.
  bool uniform_alone = false;
  /// Columns of elements that are held in registers along a stream; null where there is none.
  const std::vector<plan::Window>* windows = nullptr;
  bool short_iterators = false;  ///< iterators are int where Index is not
  bool index_is_int = false;     ///< Index is int, else long long
  bool exact_products = false;   ///< see LowerExpr
  bool fast_division = false;    ///< see LowerExpr
  /// What is read at a fixed distance along the operator's last iterator lies inside its array:
  /// boundary modes mean nothing there.
  bool inside_row = false;
  /// An element outside, for which a constant stands, is read all the same, at the nearest place
  /// inside: of a choice between a load and a constant compilers make no vectors.
  bool always_loads = false;
  /// The element at that position, `u[c + 1]`.
  std::function<kernel::Expr(plan::BufferId, const kernel::Expr& position)> element;
  /// Where elements of some arrays are not in memory: the element at those indices, by dimension;
  /// empty where it is in memory.
  std::function<std::optional<kernel::Expr>(plan::BufferId,
                                            const std::vector<kernel::Expr>& indices)>
      element_at = nullptr;
};

/// `_m1`, `_c`, `_p2`: an offset as a part of a name.
std::string OffsetTag(std::int64_t offset);

/// The code of one operator at one point, and what it refers to; or of several that share their
/// points, one after the other. Of those, lets that are equal are computed once, and results that
/// others read are variables, stored besides where they have a buffer.
class OperatorCode : public ExprLeaves {
 public:
  OperatorCode(const ProgramModel& model, const graph::Operator& op, OperatorStyle style);
  /// Requires: plan::Verify of a kernel with these operators finds nothing.
  OperatorCode(const ProgramModel& model, std::vector<const graph::Operator*> ops,
               OperatorStyle style);

  /// Values that are the same at every point, before the loops.
  const kernel::Block& uniform() const { return uniform_; }
  /// Index variables, point-local values, and the assignment.
  const kernel::Block& point() const { return point_; }
  /// The points of a row, along the last iterator, from which boundary modes move or replace
  /// nothing along it: `first` to the least of `lasts`. Empty where no boundary mode is about that
  /// iterator.
  struct InsideRow {
    std::int64_t first = 0;
    std::vector<kernel::Expr> lasts;
  };
  std::optional<InsideRow> FindInsideRow();
  /// Index variables alone: a part of point().
  const kernel::Block& centres() const { return centre_lines_; }

  /// A window's registers, oldest first, and the elements they hold at a point.
  struct HeldColumn {
    std::vector<kernel::VarRef> registers;
    std::vector<kernel::Expr> elements;
  };
  const std::vector<HeldColumn>& held() const { return held_; }

  /// The value of an operator of rank 0, whose lets are all uniform.
  kernel::Expr ScalarValue();

  struct Use {
    bool read = false;
    bool written = false;
  };
  using Uses = std::map<plan::BufferId, Use>;
  const Uses& buffers() const { return buffers_; }
  /// Counts those also as used by what has other operators besides.
  void AddBuffersTo(Uses& uses) const;
  const std::set<int>& scalars() const { return scalars_; }
  const std::set<graph::ParameterId>& parameters() const { return parameters_; }
  /// True where the code of a point refers to the operator's n-th iterator.
  bool UsesIterator(std::size_t n) const { return iterator_used_[n]; }

  /// A form in terms of the parameters, which count as used from now on.
  kernel::Expr Form(const graph::LinearForm& form);
  /// The operator's n-th iterator, its name, and another name of the operator's scope.
  const kernel::VarRef& IteratorVar(std::size_t n) const { return iterators_[n]; }
  const std::string& IteratorName(std::size_t n) const { return iterators_[n]->name; }
  std::string Claim(std::string_view wish) { return scope_.Claim(wish); }
  const NameScope& scope() const { return scope_; }

  /// The value of an index.
  kernel::Expr IndexValue(const graph::Index& index);
  /// An expression of the operator.
  kernel::Expr Lower(graph::ExprId expr);
  /// The element of the operator's buffer at those indices, as what is written.
  kernel::Expr Target(const std::vector<graph::Index>& indices);

  /// Of an element at a fixed distance from the point: where the array's row begins that has it,
  /// counted from the row of the centre. Elements of one row differ in their last offset.
  struct Row {
    kernel::VarRef centre;              ///< position of the array's own point
    std::vector<std::int64_t> offsets;  ///< by dimension, but the last
    std::vector<kernel::Expr> strides;  ///< likewise
    std::int64_t last = 0;              ///< of the element in its row
  };
  /// Nothing where the element is not read from memory, is not at a fixed distance, or where all
  /// distances are known numbers.
  std::optional<Row> RowOf(const graph::Access& access);
  /// The element at that distance from the position of its row.
  kernel::Expr ElementAt(const graph::Access& access, const kernel::VarRef& row);

  kernel::Expr Element(const graph::Access& access, ScalarType type) override;
  kernel::Expr Let(int let, ScalarType type) override;
  kernel::Expr Iterator(int iterator) override;
  kernel::Expr Parameter(graph::ParameterId parameter) override;

 private:
  void HoldColumns();
  const graph::Operator& op() const { return *ops_[at_]; }
  void FindLets();
  bool IsUniform(graph::ExprId root) const;
  void LowerLets();
  void LowerAssignment();
  void LowerAddition();

  kernel::Expr AsInt(const kernel::Expr& position) const;
  kernel::Expr IteratorValue(int iterator) const;
  /// Row-major position of the element. `mapped` by dimension: the index where a boundary mode
  /// moves it, else invalid.
  kernel::Expr Position(const graph::Array& array, const std::vector<graph::Index>& indices,
                        const std::vector<kernel::Expr>& mapped);
  /// The element there, by its position or its indices.
  kernel::Expr ElementOf(plan::BufferId buffer, const graph::Array& array,
                         const std::vector<graph::Index>& indices,
                         const std::vector<kernel::Expr>& mapped);
  kernel::Expr Neighbour(const graph::Array& array, const std::vector<graph::Index>& indices);
  kernel::Expr Centre(const graph::Array& array, const std::vector<int>& iterators);
  std::size_t PlaceOf(int iterator) const;
  bool IsInRow(const graph::Index& index) const;

  bool IsReadLater() const;

  /// Of an operator's lets.
  struct Lets {
    std::vector<kernel::VarRef> vars;  ///< null where it is not used
    std::vector<bool> used, uniform;
  };

  const ProgramModel& model_;
  std::vector<const graph::Operator*> ops_;
  std::size_t at_ = 0;  ///< of the operator that is being printed
  OperatorStyle style_;
  NameScope scope_;
  std::vector<kernel::VarRef> iterators_;
  mutable std::vector<bool> iterator_used_;
  std::vector<Lets> lets_;                          ///< by operator
  std::map<std::string, kernel::VarRef> let_vars_;  ///< by what they are
  std::map<graph::VersionId, kernel::VarRef>
      results_;  ///< of earlier operators, which are variables
  /// The variable with the position of an array's own point, by what it depends on.
  std::map<std::string, kernel::VarRef> centres_;
  kernel::Block centre_lines_, uniform_, point_;
  std::vector<HeldColumn> held_;  ///< by window
  Uses buffers_;
  std::set<int> scalars_;
  std::set<graph::ParameterId> parameters_;
};

}  // namespace stencilgen::lower
