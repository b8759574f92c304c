#include "kernel/verify_convergence.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "support/match.h"

namespace stencilgen::kernel {
namespace {

/// Whether a value is the same for all threads of a block, or a place in the code is reached by all
/// or none of them.
enum class Same : std::uint8_t { Yes, No };

Same Both(Same a, Same b) {
  return std::max(a, b);
}

/// Follows values through the code until nothing changes.
class Convergence {
 public:
  explicit Convergence(const Function& function) : function_(function) {}

  std::vector<std::string> Run() {
    do {
      changed_ = false;
      problems_.clear();
      after_return_ = Same::Yes;
      Follow(function_.body, Same::Yes);
    } while (changed_);
    return problems_;
  }

 private:
  struct Loop {
    Same after_continue = Same::Yes;  ///< of the rest of the turn
    Same left = Same::Yes;            ///< of later turns
  };

  void Follow(const Block& block, Same here) {
    for (const Stmt& stmt : block.stmts) {
      stmt_ = &stmt;
      Same now = Both(here, after_return_);
      if (!loops_.empty()) now = Both(now, loops_.back().after_continue);
      Follow(stmt, now);
    }
  }

  void Follow(const Stmt& stmt, Same here) {
    Match(
        stmt.what, [&](const LetStmt& each) { Set(each.var, Of(each.value, here)); },
        [&](const TableStmt& each) {
          for (const Expr& value : each.values) Set(each.var, Of(value, here));
        },
        [&](const AssignStmt& each) { Assign(each, here); },
        [&](const ForStmt& each) { FollowFor(each, here); },
        [&](const WhileStmt& each) { FollowWhile(each, here); },
        [&](const IfStmt& each) {
          const Same branch = Both(here, Of(each.condition, here));
          Follow(each.then_block, branch);
          Follow(each.else_block, branch);
        },
        [&](const ScopeStmt& each) { Follow(each.body, here); },
        [&](const JumpStmt& each) { FollowJump(each, here); },
        [&](const BarrierStmt&) {
          if (here != Same::Yes) Report("a barrier that threads of a block may not reach");
        },
        [&](const LoadVectorStmt& each) {
          Of(each.from, here);
          Set(each.values, Same::No);
        },
        [&](const RimPlaceStmt& each) {
          Set(each.x, Of(each.number, here));
          Set(each.y, Of(each.number, here));
        },
        [&](const StoreVectorStmt& each) { Of(each.position, here); },
        [&](const CopyAsyncStmt& each) {
          Of(each.to, here);
          Of(each.from, here);
        },
        [&](const CallStmt& each) {
          for (const Expr& argument : each.arguments) Of(argument, here);
        },
        [](const auto&) {});
  }

  void Assign(const AssignStmt& assign, Same here) {
    const Same value = Both(Of(assign.value, here), here);
    if (const auto* var = assign.target.As<VarExpr>()) return Set(var->var, value);
    const auto* element = assign.target.As<ElementExpr>();
    if (element == nullptr) return;
    const Same index = Of(element->index, here);
    if (element->array->storage == Storage::Registers) Set(element->array, Both(value, index));
  }

  void FollowFor(const ForStmt& loop, Same here) {
    if (loop.first.Valid()) Set(loop.var, Of(loop.first, here));
    const Same bounds = Both(Of(loop.last, here), Of(loop.step, here));
    Set(loop.var, bounds);
    FollowTurns(&loop, loop.body, Both(Both(here, bounds), Known(loop.var)));
  }

  void FollowWhile(const WhileStmt& loop, Same here) {
    FollowTurns(&loop, loop.body, Both(here, Of(loop.condition, here)));
  }

  void FollowTurns(const void* loop, const Block& body, Same here) {
    Same& left = left_[loop];
    loops_.emplace_back();
    Follow(body, Both(here, left));
    const Same seen = Both(loops_.back().left, Both(left, after_return_));
    if (seen != left) changed_ = true;
    left = seen;
    loops_.pop_back();
  }

  void FollowJump(const JumpStmt& jump, Same here) {
    if (jump.jump == Jump::Return) {
      after_return_ = Both(after_return_, here);
    } else if (!loops_.empty()) {
      Loop& loop = loops_.back();
      loop.after_continue = Both(loop.after_continue, here);
      if (jump.jump == Jump::Break) loop.left = Both(loop.left, here);
    }
  }

  Same Known(const VarRef& var) const {
    const auto found = same_.find(var.get());
    return found == same_.end() ? Same::Yes : found->second;
  }

  void Set(const VarRef& var, Same value) {
    Same& known = same_[var.get()];
    if (Both(known, value) == known) return;
    known = Both(known, value);
    changed_ = true;
  }

  /// Of an expression that is evaluated by those who come `here`.
  Same Of(const Expr& root, Same here) {
    // Long sums are deep trees.
    Same same = Same::Yes;
    std::vector<std::pair<const Expr*, Same>> open = {{&root, here}};
    while (!open.empty()) {
      const auto [expr, reached] = open.back();
      open.pop_back();
      const auto follow = [&, at = reached](const Expr& each) { open.emplace_back(&each, at); };
      same =
          Both(same, Match(
                         expr->node().what, [](const ConstExpr&) { return Same::Yes; },
                         [&](const VarExpr& each) { return Known(each.var); },
                         [&](const ElementExpr& each) {
                           follow(each.index);
                           if (each.array->storage == Storage::Constant) return Same::Yes;
                           const bool own = each.array->storage == Storage::Registers;
                           return own ? Known(each.array) : Same::No;
                         },
                         [&](const AddressExpr& each) {
                           follow(each.offset);
                           return Known(each.array);
                         },
                         [](const PlaceExpr& each) {
                           return each.what == PlaceExpr::What::Thread ? Same::No : Same::Yes;
                         },
                         [&](const UnaryExpr& each) {
                           follow(each.operand);
                           return Same::Yes;
                         },
                         [&, at = reached](const BinaryExpr& each) {
                           follow(each.lhs);
                           const bool maybe = IsLogical(each.op) && HasShuffle(each.rhs);
                           open.emplace_back(&each.rhs, maybe ? Both(at, Of(each.lhs, at)) : at);
                           return Same::Yes;
                         },
                         [&, at = reached](const ConditionalExpr& each) {
                           follow(each.condition);
                           const bool shuffles =
                               HasShuffle(each.then_value) || HasShuffle(each.else_value);
                           const Same branch = shuffles ? Both(at, Of(each.condition, at)) : at;
                           open.emplace_back(&each.then_value, branch);
                           open.emplace_back(&each.else_value, branch);
                           return Same::Yes;
                         },
                         [&, at = reached](const CallExpr& each) { return OfCall(each, at, open); },
                         [&](const ConvertExpr& each) {
                           follow(each.operand);
                           return Same::Yes;
                         }));
    }
    return same;
  }

  static bool IsShuffle(const CallExpr& call) {
    const auto* routine = std::get_if<Routine>(&call.callee);
    return routine != nullptr &&
           (*routine == Routine::ShuffleUp || *routine == Routine::ShuffleDown);
  }

  Same OfCall(const CallExpr& call, Same here, std::vector<std::pair<const Expr*, Same>>& open) {
    for (const Expr& argument : call.arguments) open.emplace_back(&argument, here);
    if (!IsShuffle(call)) return Same::Yes;
    if (here == Same::No) Report("a shuffle that threads of a warp may not reach");
    return Same::No;
  }

  static bool HasShuffle(const Expr& expr) {
    bool found = false;
    std::vector<const Expr*> open = {&expr};
    while (!open.empty() && !found) {
      const Expr& each = *open.back();
      open.pop_back();
      Match(
          each.node().what, [&](const ElementExpr& element) { open.push_back(&element.index); },
          [&](const AddressExpr& address) { open.push_back(&address.offset); },
          [&](const UnaryExpr& unary) { open.push_back(&unary.operand); },
          [&](const BinaryExpr& binary) {
            open.push_back(&binary.lhs);
            open.push_back(&binary.rhs);
          },
          [&](const ConditionalExpr& conditional) {
            open.push_back(&conditional.condition);
            open.push_back(&conditional.then_value);
            open.push_back(&conditional.else_value);
          },
          [&](const CallExpr& call) {
            found = found || IsShuffle(call);
            for (const Expr& argument : call.arguments) open.push_back(&argument);
          },
          [&](const ConvertExpr& convert) { open.push_back(&convert.operand); },
          [](const auto&) {});
    }
    return found;
  }

  void Report(std::string_view what) {
    std::string problem = fmt::format("{}: `{}`", what, FirstLine(*stmt_));
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end()) {
      problems_.push_back(std::move(problem));
    }
  }

  const Function& function_;
  std::map<const Var*, Same> same_;
  std::map<const void*, Same> left_;  ///< by loop
  std::vector<Loop> loops_;
  Same after_return_ = Same::Yes;
  bool changed_ = false;
  const Stmt* stmt_ = nullptr;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> VerifyConvergence(const Function& function) {
  return Convergence(function).Run();
}

std::string FirstLine(const Stmt& stmt) {
  Block block;
  block.stmts.push_back(stmt);
  const std::string text = Print(block);
  return text.substr(0, text.find('\n'));
}

}  // namespace stencilgen::kernel
