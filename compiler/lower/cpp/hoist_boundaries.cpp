#include "lower/cpp/hoist_boundaries.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/parts.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Stmt;
using kernel::Var;

/// What a boundary mode makes of an index, or whether it is inside.
bool IsBoundary(const Expr& expr) {
  const auto* call = expr.As<kernel::CallExpr>();
  const auto* routine = call == nullptr ? nullptr : std::get_if<kernel::Routine>(&call->callee);
  if (routine == nullptr) return false;
  return *routine == kernel::Routine::ClampIndex || *routine == kernel::Routine::MirrorIndex ||
         *routine == kernel::Routine::Mirror101Index || *routine == kernel::Routine::WrapIndex ||
         *routine == kernel::Routine::IsInside;
}

/// What changes from turn to turn of a loop: variables that are assigned, and those that it or its
/// statements declare.
using Variant = std::set<const Var*>;

void AddDeclared(Stmt& stmt, Variant& variant) {
  for (const kernel::VarRef& var : kernel::DeclaredBy(stmt)) variant.insert(var.get());
  for (Block* block : kernel::BlocksOf(stmt)) {
    for (Stmt& each : block->stmts) AddDeclared(each, variant);
  }
}

/// The same in all turns: arithmetic of variables that do not change.
bool IsInvariant(const Expr& expr, const Variant& variant) {
  if (const auto* read = expr.As<kernel::VarExpr>()) return variant.count(read->var.get()) == 0;
  if (expr.As<kernel::ElementExpr>() != nullptr || expr.As<kernel::AddressExpr>() != nullptr) {
    return false;
  }
  const std::vector<Expr> parts = kernel::PartsOf(expr);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Expr& part) { return IsInvariant(part, variant); });
}

class Hoister {
 public:
  explicit Hoister(const NameScope& scope) : names_(&scope) {}

  void Run(kernel::Function& function) {
    if (!HasAny(function.body)) return;
    for (const kernel::Argument& argument : function.arguments) names_.Claim(argument.var->name);
    LookAt(function.body);
    HoistIn(function.body);
  }

 private:
  /// A part of it is about a boundary mode, or has been hoisted.
  bool HasBoundary(const Expr& expr) const {
    if (const auto* read = expr.As<kernel::VarExpr>()) return hoisted_.count(read->var.get()) > 0;
    const std::vector<Expr> parts = kernel::PartsOf(expr);
    return IsBoundary(expr) || std::any_of(parts.begin(), parts.end(),
                                           [&](const Expr& part) { return HasBoundary(part); });
  }

  bool HasAny(Block& block) const {
    return std::any_of(block.stmts.begin(), block.stmts.end(), [&](Stmt& stmt) {
      const std::vector<Expr*> exprs = kernel::ExprsOf(stmt);
      const std::vector<Block*> blocks = kernel::BlocksOf(stmt);
      return std::any_of(exprs.begin(), exprs.end(),
                         [&](const Expr* expr) { return expr->Valid() && HasBoundary(*expr); }) ||
             std::any_of(blocks.begin(), blocks.end(), [&](Block* each) { return HasAny(*each); });
    });
  }

  /// Which names are taken, and which variables are assigned anywhere but by a loop's turns.
  void LookAt(Block& block) {
    for (Stmt& stmt : block.stmts) {
      for (const kernel::VarRef& var : kernel::DeclaredBy(stmt)) names_.Claim(var->name);
      if (const Var* changed = kernel::ChangedBy(stmt)) assigned_.insert(changed);
      for (Block* each : kernel::BlocksOf(stmt)) LookAt(*each);
    }
  }

  /// By text: variables of a block with what has been hoisted to it.
  using Known = std::map<std::string, kernel::VarRef>;

  /// Of all loops in the block, the outer ones first.
  void HoistIn(Block& block) {
    std::vector<Stmt> out;
    Known known;
    for (Stmt& stmt : block.stmts) {
      const auto* loop = std::get_if<ForStmt>(&stmt.what);
      const bool parallel = loop != nullptr && (loop->kind == kernel::LoopKind::Parallel ||
                                                loop->kind == kernel::LoopKind::ParallelVector);
      if (loop != nullptr && !parallel) {
        Variant variant = assigned_;
        AddDeclared(stmt, variant);
        for (Block* each : kernel::BlocksOf(stmt)) HoistOut(*each, variant, known, out);
      }
      for (Block* each : kernel::BlocksOf(stmt)) HoistIn(*each);
      out.push_back(std::move(stmt));
    }
    block.stmts = std::move(out);
  }

  /// Out of a block of a loop's, to the statements before the loop.
  void HoistOut(Block& block, const Variant& variant, Known& known, std::vector<Stmt>& before) {
    for (Stmt& stmt : block.stmts) {
      for (Expr* expr : kernel::ExprsOf(stmt)) {
        if (expr->Valid()) *expr = WithoutInvariant(*expr, variant, known, before);
      }
      for (Block* each : kernel::BlocksOf(stmt)) HoistOut(*each, variant, known, before);
    }
  }

  Expr WithoutInvariant(const Expr& expr, const Variant& variant, Known& known,
                        std::vector<Stmt>& before) {
    if (expr.As<kernel::VarExpr>() != nullptr || !HasBoundary(expr)) return expr;
    if (!IsInvariant(expr, variant)) {
      return kernel::WithParts(
          expr, [&](const Expr& part) { return WithoutInvariant(part, variant, known, before); });
    }
    kernel::VarRef& var = known[kernel::Print(expr)];
    if (var == nullptr) {
      const bool truth = expr.type() == kernel::kBool;
      var = kernel::MakeVar(names_.Claim(truth ? "inside" : "row"), expr.type());
      hoisted_.insert(var.get());
      // A comment stays with the loop.
      const bool comment =
          !before.empty() && std::holds_alternative<kernel::CommentStmt>(before.back().what);
      before.insert(before.end() - (comment ? 1 : 0), Stmt{LetStmt{var, expr}});
    }
    return kernel::Read(var);
  }

  NameScope names_;
  Variant assigned_;
  std::set<const Var*> hoisted_;
};

}  // namespace

void HoistBoundaries(const NameScope& scope, kernel::Function& function) {
  Hoister(scope).Run(function);
}

}  // namespace stencilgen::lower::cpp
