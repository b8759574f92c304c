#include "kernel/verify_code.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "kernel/code_scope.h"
#include "kernel/verify_convergence.h"
#include "kernel/verify_expr.h"
#include "support/match.h"

namespace stencilgen::kernel {
namespace {

class CodeVerifier {
 public:
  explicit CodeVerifier(const Function& function)
      : function_(function),
        scope_(function.target, [this](std::string problem) { Report(problem); }),
        exprs_(
            function.target, [this](const VarRef& var, bool is_type) { scope_.Use(var, is_type); },
            [this](std::string problem) { Report(problem); }) {}

  std::vector<std::string> Run() {
    for (const Argument& argument : function_.arguments) CheckArgument(argument);
    if (function_.vectors != nullptr) scope_.Define(function_.vectors, Change::Never);
    if (function_.target == Target::Device && function_.threads < 1) {
      Report("a kernel without threads");
    }
    Check(function_.body);
    if (function_.target == Target::Device) {
      for (std::string& each : VerifyConvergence(function_)) problems_.push_back(std::move(each));
    }
    return problems_;
  }

 private:
  void Report(std::string_view problem) {
    std::string text(problem);
    if (stmt_ != nullptr) text = fmt::format("{}: `{}`", problem, FirstLine(*stmt_));
    if (std::find(problems_.begin(), problems_.end(), text) == problems_.end()) {
      problems_.push_back(std::move(text));
    }
  }

  void CheckArgument(const Argument& argument) {
    scope_.Define(argument.var, Change::Never,
                  argument.var->storage == Storage::Value ? nullptr : &argument);
    const Storage storage = argument.var->storage;
    if (storage == Storage::Registers || storage == Storage::Shared) {
      Report(fmt::format("{} is no argument", argument.var->name));
    }
    if (argument.written && storage != Storage::Global) {
      Report(fmt::format("{} cannot be written", argument.var->name));
    }
  }

  void CheckLoaded(const Argument* argument) {
    if (argument != nullptr && !argument->read) {
      Report(fmt::format("a load from {}, which is not read", argument->var->name));
    }
  }
  void CheckStored(const VarRef& array, const Argument* argument) {
    if (array->storage == Storage::Constant) {
      Report(fmt::format("a store to {}, which is constant", array->name));
    } else if (argument != nullptr && !argument->written) {
      Report(fmt::format("a store to {}, which is not written", argument->var->name));
    }
  }

  /// The expression, and the loads in it.
  void CheckValue(const Expr& root) {
    exprs_.Check(root);
    std::vector<const Expr*> open = {&root};
    while (!open.empty()) {
      const Expr& expr = *open.back();
      open.pop_back();
      if (expr.Valid()) CheckLoads(expr, open);
    }
  }
  void CheckLoads(const Expr& expr, std::vector<const Expr*>& open) {
    Match(
        expr.node().what,
        [&](const ElementExpr& each) {
          CheckLoaded(scope_.ArgumentOf(each.array));
          open.push_back(&each.index);
        },
        [&](const AddressExpr& each) { open.push_back(&each.offset); },
        [&](const UnaryExpr& each) { open.push_back(&each.operand); },
        [&](const BinaryExpr& each) {
          open.push_back(&each.rhs);
          open.push_back(&each.lhs);
        },
        [&](const ConditionalExpr& each) {
          open.push_back(&each.condition);
          open.push_back(&each.then_value);
          open.push_back(&each.else_value);
        },
        [&](const CallExpr& each) {
          const auto* routine = std::get_if<Routine>(&each.callee);
          if (routine != nullptr && *routine == Routine::LoadPack && each.arguments.size() == 2) {
            CheckLoaded(scope_.ArgumentOf(each.arguments[1]));
          }
          for (const Expr& argument : each.arguments) open.push_back(&argument);
        },
        [&](const ConvertExpr& each) { open.push_back(&each.operand); }, [](const auto&) {});
  }

  // --- Statements ---

  void Check(const Block& block) {
    const std::size_t mark = scope_.size();
    const Stmt* const outer = stmt_;
    for (const Stmt& stmt : block.stmts) {
      stmt_ = &stmt;
      CheckTarget(stmt);
      Match(stmt.what, [&](const auto& each) { Check(each); });
    }
    stmt_ = outer;
    scope_.Leave(mark);
  }

  void CheckTarget(const Stmt& stmt) {
    const bool of_device = std::holds_alternative<SharedStmt>(stmt.what) ||
                           std::holds_alternative<BarrierStmt>(stmt.what) ||
                           std::holds_alternative<CopyAsyncStmt>(stmt.what) ||
                           std::holds_alternative<CommitStmt>(stmt.what) ||
                           std::holds_alternative<WaitStmt>(stmt.what) ||
                           std::holds_alternative<LoadVectorStmt>(stmt.what) ||
                           std::holds_alternative<RimPlaceStmt>(stmt.what);
    const bool of_host = std::holds_alternative<StorePackStmt>(stmt.what) ||
                         std::holds_alternative<PackStmt>(stmt.what) ||
                         std::holds_alternative<KeepStmt>(stmt.what) ||
                         std::holds_alternative<FenceStmt>(stmt.what) ||
                         std::holds_alternative<ProgressStmt>(stmt.what);
    if (of_device && function_.target != Target::Device) Report("a statement of devices");
    if (of_host && function_.target != Target::Host) Report("a statement of the host");
  }

  void Check(const LetStmt& let) {
    CheckValue(let.value);
    const Storage storage = let.var->storage;
    const Argument* argument = nullptr;
    if (storage == Storage::Registers) Report("a value for an array of registers");
    if (storage != Storage::Value && storage != Storage::Registers) {
      exprs_.CheckAddress(let.value);
      argument = scope_.ArgumentOf(let.value);
    } else if (let.value.Valid() && !Fits(let.value, let.var->type)) {
      Report("a value of another type");
    }
    scope_.Define(let.var, let.changes ? Change::Freely : Change::Never, argument);
  }

  void Check(const DeclareStmt& declare) {
    if (declare.vars.empty()) Report("no variable");
    for (const VarRef& var : declare.vars) {
      if (var->storage != Storage::Value && var->storage != Storage::Registers) {
        Report(fmt::format("{} is an address", var->name));
      }
      if (var->type != declare.vars.front()->type) Report("variables of different types");
      if (var->storage == Storage::Registers && var->count < 1) {
        Report(fmt::format("{} has no elements", var->name));
      }
      scope_.Define(var, Change::Freely);
    }
  }

  void Check(const SharedStmt& shared) {
    if (shared.var->storage != Storage::Shared) Report("not in shared memory");
    if (shared.bytes < 0 || shared.elements < 0) Report("before shared memory");
    const std::int64_t size = shared.var->type.of == Elementary::Double ? 8
                              : shared.var->type.of == Elementary::Bool ? 1
                                                                        : 4;
    if (shared.bytes % size != 0) Report("elements that are not aligned");
    scope_.Define(shared.var, shared.changes ? Change::Freely : Change::Never);
  }

  void Check(const TableStmt& table) {
    if (table.values.empty()) Report("no values");
    for (const Expr& value : table.values) {
      CheckValue(value);
      if (value.Valid() && !Fits(value, table.var->type)) Report("a value of another type");
    }
    const Var& var = *table.var;
    if (var.storage == Storage::Value || var.storage == Storage::Shared) Report("not an array");
    if (var.storage == Storage::Registers &&
        static_cast<std::size_t>(var.count) != table.values.size()) {
      Report(fmt::format("{} values for {} elements", table.values.size(), var.count));
    }
    scope_.Define(table.var, Change::Never);
  }

  void Check(const AssignStmt& assign) {
    CheckValue(assign.value);
    if (!assign.target.Valid()) return Report("a target is missing");
    if (const auto* var = assign.target.As<VarExpr>()) {
      exprs_.Check(assign.target);
      scope_.CheckChange(var->var);
    } else if (const auto* element = assign.target.As<ElementExpr>()) {
      exprs_.CheckElement(*element);
      CheckValue(element->index);
      if (element->array->storage == Storage::Registers) {
        scope_.CheckElementChange(element->array, element->index);
      } else {
        CheckStored(element->array, scope_.ArgumentOf(element->array));
        if (assign.op != AssignOp::Assign) CheckLoaded(scope_.ArgumentOf(element->array));
      }
    } else {
      return Report("a target that is neither a variable nor an element");
    }
    if (!assign.value.Valid()) return;
    const Type type = assign.target.type();
    const bool moves = type == kAddress && assign.op == AssignOp::Add;
    if (!Fits(assign.value, moves ? kIndex : type)) Report("a value of another type");
    const bool of_bits = assign.op == AssignOp::And || assign.op == AssignOp::Or;
    if (of_bits && IsFloating(type)) Report("an update that floating values do not have");
    const bool computes = !of_bits && assign.op != AssignOp::Assign;
    if (computes && type.of == Elementary::Bool) Report("an update that truths do not have");
  }

  void Check(const ForStmt& loop) {
    const std::size_t mark = scope_.size();
    const bool shared = loop.kind == LoopKind::Parallel || loop.kind == LoopKind::ParallelVector;
    if (loop.first.Valid()) {
      exprs_.CheckPosition(loop.first, "a first value");
      CheckValue(loop.first);
      const bool own = IsOfTurns(loop.kind) || loop.kind == LoopKind::Unrolled;
      // Of each turn its own.
      scope_.EnterLoop(loop.kind);
      scope_.Define(loop.var, own ? Change::ByLoop : Change::Freely);
      scope_.LeaveLoop();
    } else {
      scope_.Use(loop.var);
      scope_.CheckChange(loop.var);
      if (IsOfTurns(loop.kind)) Report("turns that go on with a variable");
    }
    if (!IsInteger(loop.var->type) || loop.var->storage != Storage::Value) {
      Report("a variable that is no integer");
    }
    exprs_.CheckPosition(loop.last, "a last value");
    exprs_.CheckPosition(loop.step, "a step");
    CheckValue(loop.last);
    CheckValue(loop.step);
    const auto step = NumberOf(loop.step);
    if (step && *step < 1) Report("a step below 1");
    if (shared) {
      exprs_.CheckPosition(loop.work, "the work");
      if (function_.target != Target::Host) Report("threads of the host");
      if (scope_.Turns() > 0) Report("a parallel loop in the turns of another");
    }
    scope_.EnterLoop(loop.kind);
    Check(loop.body);
    scope_.LeaveLoop();
    scope_.Leave(mark);
  }

  void Check(const WhileStmt& loop) {
    exprs_.CheckCondition(loop.condition);
    CheckValue(loop.condition);
    scope_.EnterLoop(LoopKind::Serial);
    Check(loop.body);
    scope_.LeaveLoop();
  }
  void Check(const IfStmt& branch) {
    exprs_.CheckCondition(branch.condition);
    CheckValue(branch.condition);
    Check(branch.then_block);
    Check(branch.else_block);
  }
  void Check(const ScopeStmt& scope) { Check(scope.body); }

  void Check(const JumpStmt& jump) {
    const bool leaves_all = jump.jump == Jump::Return;
    if (!leaves_all && !scope_.InLoop()) return Report("a jump without a loop");
    const bool leaves_turns =
        leaves_all ? scope_.Turns() > 0 : jump.jump == Jump::Break && scope_.InTurns();
    if (leaves_turns) Report("the turns of a loop are left");
  }

  void Check(const CopyAsyncStmt& copy) {
    exprs_.CheckAddress(copy.to);
    exprs_.CheckAddress(copy.from);
    CheckValue(copy.to);
    CheckValue(copy.from);
    CheckLoaded(scope_.ArgumentOf(copy.from));
    const auto* to = copy.to.As<AddressExpr>();
    const auto* from = copy.from.As<AddressExpr>();
    if (to != nullptr && to->array->storage != Storage::Shared) Report("not to shared memory");
    if (from != nullptr && from->array->storage != Storage::Global) Report("not from memory");
    if (to != nullptr && from != nullptr && to->array->type != from->array->type) {
      Report("elements of different types");
    }
    if (to != nullptr && to->array->type.of == Elementary::Bool) Report("copies of single bytes");
  }

  void CheckVector(const VarRef& values, const VarRef& array) {
    scope_.Use(values);
    if (values->storage != Storage::Registers) return Report("a vector that is no small array");
    if (values->type != array->type) Report("elements of different types");
    const int bytes = values->count * (values->type.of == Elementary::Double ? 8 : 4);
    if (function_.target == Target::Host) {
      constexpr int kLine = 64;
      if (bytes != kLine) Report("a line is of 64 bytes");
    } else if (bytes != 8 && bytes != 16) {
      Report("vectors are of 8 or 16 bytes");
    }
  }
  void Check(const LoadVectorStmt& load) {
    const auto* from = load.from.As<AddressExpr>();
    if (from == nullptr) {
      stmt_ = nullptr;  // it has no text
      return Report("a vector from no address in an array");
    }
    exprs_.CheckAddress(load.from);
    CheckValue(load.from);
    CheckLoaded(scope_.ArgumentOf(load.from));
    CheckVector(load.values, from->array);
    scope_.CheckChange(load.values);
  }
  void Check(const StoreVectorStmt& store) {
    scope_.Use(store.array);
    exprs_.CheckPosition(store.position, "a position");
    CheckValue(store.position);
    CheckStored(store.array, scope_.ArgumentOf(store.array));
    CheckVector(store.values, store.array);
  }
  void Check(const RimPlaceStmt& rim) {
    exprs_.CheckPosition(rim.number, "an element's number");
    CheckValue(rim.number);
    const bool is_rim = rim.rows >= 1 && rim.columns >= 1 && rim.above >= 0 && rim.below >= 0 &&
                        rim.before >= 0 && rim.after >= 0;
    if (!is_rim) Report("a rim of no box");
    scope_.Define(rim.place, Change::IsType);
    for (const VarRef& var : {rim.x, rim.y}) {
      if (!IsInteger(var->type)) Report("a variable that is no integer");
      scope_.Define(var, Change::Never);
    }
  }
  void Check(const StorePackStmt& store) {
    exprs_.CheckAddress(store.to);
    CheckValue(store.to);
    CheckValue(store.value);
    if (store.value.Valid() && store.value.type().width != Width::Pack) Report("not a pack");
    const auto* to = store.to.As<AddressExpr>();
    const auto* var = store.to.As<VarExpr>();
    if (to == nullptr && var == nullptr) return Report("no address in an array");
    const VarRef& array = to != nullptr ? to->array : var->var;
    CheckStored(array, scope_.ArgumentOf(array));
    if (store.value.Valid() && store.value.type().of != array->type.of) {
      Report("elements of different types");
    }
  }
  void Check(const PackStmt& pack) {
    scope_.Define(pack.name, Change::IsType);
    if (!IsFloating(pack.name->type)) Report("packs of no floating values");
    if (pack.vectors < 0) Report("packs of no vectors");
    if (pack.width != nullptr) scope_.Define(pack.width, Change::Never);
  }
  void Check(const KeepStmt& keep) { scope_.Use(keep.var); }
  void Check(const FenceStmt&) {}
  void Check(const ProgressStmt&) {}
  void Check(const CallStmt& call) {
    for (const Expr& argument : call.arguments) CheckValue(argument);
  }
  void Check(const FlopsStmt& flops) {
    if (flops.count < 0) Report("a count below 0");
  }
  void Check(const BarrierStmt&) {}
  void Check(const CommitStmt&) {}
  void Check(const WaitStmt&) {}
  void Check(const CommentStmt&) {}

  const Function& function_;
  CodeScope scope_;
  ExprVerifier exprs_;
  const Stmt* stmt_ = nullptr;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> Verify(const Function& function) {
  return CodeVerifier(function).Run();
}

}  // namespace stencilgen::kernel
