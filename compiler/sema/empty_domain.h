#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/context.h"
#include "sema/point_set.h"

/// Statements that have no point at the sizes that the program names.
namespace stencilgen::sema {

/// The sizes a program names: values that `-D` fixes, then defaults. A parameter may have none.
class NamedSizes {
 public:
  explicit NamedSizes(const graph::Graph& graph);

  /// True where the set has no points; false where that depends on a parameter without a value.
  bool IsEmpty(const PointSet& points) const;
  /// The first and last value that the bounds with known values allow; empty where there are none.
  std::optional<std::int64_t> First(const graph::Interval& interval) const;
  std::optional<std::int64_t> Last(const graph::Interval& interval) const;
  /// Of a form whose parameters all have values; else empty.
  std::optional<std::int64_t> Value(const graph::LinearForm& form) const;
  /// `M=4, N=4`: the parameters of these bounds and guards. Empty where there are none.
  std::string Text(const std::vector<PointSet>& sets) const;

 private:
  bool Known(const graph::LinearForm& form) const;

  const graph::Graph& graph_;
  graph::ParameterValues values_;
  std::vector<bool> known_;
};

/// The points that one thing leaves a statement.
struct Limit {
  enum class Kind { Given, Read, Local };  ///< its own points, an array's element, a local
  Kind kind = Kind::Given;
  std::string name;  ///< of the array or local
  Span span;
  PointSet points;
};

/// Warns that the statement at `span` computes nothing, and names the limits that leave it no
/// point. Says nothing where one of them alone does, and has been reported itself: a range that is
/// always empty, or a local that is computed nowhere.
/// Requires: the limits have no common point at these sizes.
void WarnEmptyDomain(Context& context, const NamedSizes& sizes, Span span,
                     const std::vector<Limit>& limits);

}  // namespace stencilgen::sema
