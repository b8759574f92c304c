#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ast/ast.h"
#include "support/direct_arithmetic.h"
#include "support/direct_meaning.h"

/// The parts of the direct evaluation.
namespace stencilgen::testing::direct {

/// A value for each iterator of the program; 0 for those it does not have.
using Point = std::array<std::int64_t, 3>;

/// One value a point, in a map so that its domain needs no bounds, over a value for all points.
struct LocalScalar {
  ScalarType type = ScalarType::Double;
  DirectNumber uniform_value;
  std::map<Point, DirectNumber> values;
};

/// Points in the order of the program: the last iterator fastest.
using Points = std::set<Point>;

/// What the names of a program stand for, and the values behind them, during one call.
class Scope {
 public:
  Scope(const ast::Program& program, const std::map<std::string, std::int64_t>& parameters,
        DirectState& state);

  const ast::Program& program() const { return program_; }
  const std::map<std::string, std::int64_t>& parameters() const { return parameters_; }
  DirectState& state() { return state_; }
  /// The turn that a loop of that name is in.
  void SetTurn(const std::string& name, std::int64_t turn) { turns_[name] = turn; }
  const std::map<std::string, std::int64_t>& turns() const { return turns_; }
  /// The points of a reduction of the statement that is evaluated.
  void SetPoints(const ast::Call& reduction, Points points) {
    points_[&reduction] = std::move(points);
  }
  const Points& PointsOf(const ast::Call& reduction) const { return points_.at(&reduction); }
  /// The largest extent of the program's arrays, at least 1.
  std::int64_t largest_extent() const { return largest_extent_; }

  /// Begins a call: binds the formals and forgets the locals of the call before it.
  void BindFormals(const ast::Stencil& stencil, const ast::StencilCall& call);
  void AddLocalScalar(const std::string& name, ScalarType type);
  void AddLocalArray(const std::string& name, DirectArray array);

  /// The program-level name behind a name; empty for a formal that is bound to a number.
  std::string Actual(const std::string& name) const;
  /// The number a formal is bound to, nullptr for every other name.
  const ast::ExprId* Number(const std::string& name) const;
  /// Equal for names of one array or scalar: two formals may be bound to the same.
  std::string Identity(const std::string& name) const;
  bool IsIterator(const std::string& name) const;
  bool IsLocalArray(const std::string& name) const { return local_arrays_.count(name) > 0; }

  /// The array or program-level scalar a name stands for, nullptr where it is neither.
  DirectArray* FindArray(const std::string& name);
  LocalScalar* FindLocalScalar(const std::string& name);
  /// nullptr where the array has no boundary mode.
  const ast::BoundarySpec* FindBoundary(const std::string& name) const;

 private:
  const ast::Program& program_;
  const std::map<std::string, std::int64_t>& parameters_;
  DirectState& state_;
  std::map<std::string, std::int64_t> turns_;
  std::map<const ast::Call*, Points> points_;
  std::int64_t largest_extent_ = 1;
  std::map<std::string, const ast::BoundarySpec*> boundaries_;
  std::map<std::string, ast::ExprId> formals_;  ///< no name is a formal and a local
  std::map<std::string, DirectArray> local_arrays_;
  std::map<std::string, LocalScalar> local_scalars_;
};

}  // namespace stencilgen::testing::direct
