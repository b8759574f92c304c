#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/print_expr.h"
#include "codegen/program_model.h"
#include "codegen/term.h"

namespace stencilgen::codegen {

/// How a target writes what an operator needs.
struct OperatorStyle {
  /// Where the enclosing code has names of its own: its scope, and its names of the operator's
  /// iterators. Without, the iterators get names in the operator's own scope.
  const NameScope* scope = nullptr;
  std::vector<std::string> iterators = {};
  /// The element where it need not be read from memory, else empty.
  std::function<std::optional<ExprText>(const graph::Access&)> held = nullptr;
  /// The variable that takes the value instead of the operator's buffer; empty for the buffer.
  std::string result = {};
  /// With `result`: what it takes instead of the operator's value, and how: `=` or `+=`. The value
  /// may refer to plan::Scatter::kSum, which is called `sum`.
  graph::ExprId value = {};
  std::string assign = "=";
  std::string sum = {};
  /// With `result`: a body has the code of a point (PrintBody); here is what is uniform alone.
  bool uniform_alone = false;
  /// Columns of elements that are held in registers along a stream; null where there is none.
  const std::vector<plan::Window>* windows = nullptr;
  bool short_iterators = false;  ///< iterators are int where Index is not
  bool index_is_int = false;     ///< Index is int, else long long
  bool exact_products = false;   ///< see PrintExpr
  /// What is read at a fixed distance along the operator's last iterator lies inside its array:
  /// boundary modes mean nothing there.
  bool inside_row = false;
  /// The element at that position, `u[c + 1]`.
  std::function<std::string(plan::BufferId, const std::string& position)> element;
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
  const std::vector<std::string>& uniform() const { return uniform_; }
  /// Index variables, point-local values, and the assignment.
  const std::vector<std::string>& point() const { return point_; }
  /// The points of a row, along the last iterator, from which boundary modes move or replace
  /// nothing along it: `first` to the least of `lasts`. Empty where no boundary mode is about that
  /// iterator.
  struct InsideRow {
    std::int64_t first = 0;
    std::vector<Term> lasts;
  };
  std::optional<InsideRow> FindInsideRow();
  /// Index variables alone: a part of point().
  const std::vector<std::string>& centres() const { return centre_lines_; }

  /// A window's registers, oldest first, and the elements they hold at a point.
  struct HeldColumn {
    ScalarType type = ScalarType::Double;
    std::vector<std::string> registers, elements;
  };
  const std::vector<HeldColumn>& held() const { return held_; }

  /// The value of an operator of rank 0, whose lets are all uniform.
  std::string ScalarValue();

  struct Use {
    bool read = false;
    bool written = false;
  };
  const std::map<plan::BufferId, Use>& buffers() const { return buffers_; }
  const std::set<int>& scalars() const { return scalars_; }
  const std::set<graph::ParameterId>& parameters() const { return parameters_; }
  /// True where the code of a point refers to the operator's n-th iterator.
  bool UsesIterator(std::size_t n) const { return iterator_used_[n]; }

  /// A form in terms of the parameters, which count as used from now on.
  Term Form(const graph::LinearForm& form);
  /// Name of the operator's n-th iterator; and another name of the operator's scope.
  const std::string& IteratorName(std::size_t n) const { return iterators_[n]; }
  std::string Claim(std::string_view wish) { return scope_.Claim(wish); }
  const NameScope& scope() const { return scope_; }

  /// An expression of the operator.
  std::string Print(graph::ExprId expr);
  /// The element of the operator's buffer at those indices, as what is written.
  std::string Target(const std::vector<graph::Index>& indices);

  /// Of an element at a fixed distance from the point: where the array's row begins that has it,
  /// counted from the row of the centre. Elements of one row differ in their last offset.
  struct Row {
    std::string centre;                 ///< position of the array's own point
    std::vector<std::int64_t> offsets;  ///< by dimension, but the last
    std::vector<Term> strides;          ///< likewise
    std::int64_t last = 0;              ///< of the element in its row
  };
  /// Nothing where the element is not read from memory, is not at a fixed distance, or where all
  /// distances are known numbers.
  std::optional<Row> RowOf(const graph::Access& access);
  /// The element at that distance from the position of its row.
  std::string ElementAt(const graph::Access& access, const std::string& row);

  ExprText Element(const graph::Access& access, ScalarType type) override;
  ExprText Let(int let) override;
  ExprText Iterator(int iterator) override;
  ExprText Parameter(graph::ParameterId parameter) override;

 private:
  void HoldColumns();
  const graph::Operator& op() const { return *ops_[at_]; }
  void FindLets();
  bool IsUniform(graph::ExprId root) const;
  void PrintLets();
  void PrintAssignment();

  Term IteratorTerm(int iterator) const;
  Term IndexTerm(const graph::Index& index);
  /// Row-major position of the element. `mapped` by dimension: the index where a boundary mode
  /// moves it, else empty.
  std::string Position(const graph::Array& array, const std::vector<graph::Index>& indices,
                       const std::vector<std::string>& mapped);
  std::string Neighbour(const graph::Array& array, const std::vector<graph::Index>& indices);
  std::string Centre(const graph::Array& array, const std::vector<int>& iterators);
  std::size_t PlaceOf(int iterator) const;
  bool IsInRow(const graph::Index& index) const;

  bool IsReadLater() const;

  /// Of an operator's lets.
  struct Lets {
    std::vector<std::string> names;
    std::vector<bool> used, uniform;
  };

  const ProgramModel& model_;
  std::vector<const graph::Operator*> ops_;
  std::size_t at_ = 0;  ///< of the operator that is being printed
  OperatorStyle style_;
  NameScope scope_;
  std::vector<std::string> iterators_;
  mutable std::vector<bool> iterator_used_;
  std::vector<Lets> lets_;                           ///< by operator
  std::map<std::string, std::string> let_names_;     ///< by what they are
  std::map<graph::VersionId, std::string> results_;  ///< of earlier operators, which are variables
  /// Name of the variable with the position of an array's own point, by what it depends on.
  std::map<std::string, std::string> centres_;
  std::vector<std::string> centre_lines_, uniform_, point_;
  std::vector<HeldColumn> held_;  ///< by window
  std::map<plan::BufferId, Use> buffers_;
  std::set<int> scalars_;
  std::set<graph::ParameterId> parameters_;
};

}  // namespace stencilgen::codegen
