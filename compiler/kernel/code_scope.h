#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/code.h"

/// What is visible at a place of a function, for its verifier.
namespace stencilgen::kernel {

/// How a variable may change.
enum class Change : std::uint8_t {
  Never,
  Freely,
  ByLoop,  ///< as the loop's turns go, which run in any order
  IsType   ///< it is the name of a type
};

/// Turns in any order, or at once.
constexpr bool IsOfTurns(LoopKind kind) {
  return kind == LoopKind::Parallel || kind == LoopKind::ParallelVector || kind == LoopKind::Vector;
}

class CodeScope {
 public:
  CodeScope(Target target, std::function<void(std::string)> report)
      : target_(target), report_(std::move(report)) {}

  /// `argument`: whose elements it is the address of.
  void Define(const VarRef& var, Change change, const Argument* argument = nullptr);
  /// Reports what is not visible, and a type that is no type.
  void Use(const VarRef& var, bool is_type = false);
  /// Reports what may not be assigned here.
  void CheckChange(const VarRef& var);
  /// The same of an element of a small array: where its place is the turn's number in the innermost
  /// loop, turns have elements of their own.
  void CheckElementChange(const VarRef& array, const Expr& place);

  /// How many variables are visible; and back to so many.
  std::size_t size() const { return visible_.size(); }
  void Leave(std::size_t size);

  void EnterLoop(LoopKind kind) { loops_.push_back(kind); }
  void LeaveLoop() { loops_.pop_back(); }
  bool InLoop() const { return !loops_.empty(); }
  /// Whether the innermost loop is one of turns; how many of the loops around are.
  bool InTurns() const { return InLoop() && IsOfTurns(loops_.back()); }
  std::size_t Turns() const;

  /// The argument whose elements lie at the address; null where it is not one's.
  const Argument* ArgumentOf(const Expr& address) const;
  const Argument* ArgumentOf(const VarRef& var) const;

 private:
  void CheckChangeFrom(const VarRef& var, std::size_t turns);

  struct Known {
    Change change = Change::Never;
    std::size_t turns = 0;  ///< how many loops of turns are around its definition
    const Argument* argument = nullptr;
  };

  Target target_;
  std::function<void(std::string)> report_;
  std::map<const Var*, Known> known_;
  std::set<std::string> names_;
  std::vector<const Var*> visible_;
  std::vector<LoopKind> loops_;
};

}  // namespace stencilgen::kernel
