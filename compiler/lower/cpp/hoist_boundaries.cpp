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
  /// A part of it is about a boundary mode.
  static bool HasBoundary(const Expr& expr) {
    const std::vector<Expr> parts = kernel::PartsOf(expr);
    return IsBoundary(expr) || std::any_of(parts.begin(), parts.end(), HasBoundary);
  }

  static bool HasAny(Block& block) {
    return std::any_of(block.stmts.begin(), block.stmts.end(), [](Stmt& stmt) {
      const std::vector<Expr*> exprs = kernel::ExprsOf(stmt);
      const std::vector<Block*> blocks = kernel::BlocksOf(stmt);
      return std::any_of(exprs.begin(), exprs.end(),
                         [](const Expr* expr) { return expr->Valid() && HasBoundary(*expr); }) ||
             std::any_of(blocks.begin(), blocks.end(), [](Block* each) { return HasAny(*each); });
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
        Place place{variant, known, out};
        for (Block* each : kernel::BlocksOf(stmt)) HoistOut(*each, place);
      }
      for (Block* each : kernel::BlocksOf(stmt)) HoistIn(*each);
      out.push_back(std::move(stmt));
    }
    block.stmts = std::move(out);
  }

  /// Where what is found goes: before a loop, from which turn to turn `variant` changes.
  struct Place {
    const Variant& variant;
    Known& known;
    std::vector<Stmt>& before;
  };

  /// An expression without what has been hoisted out of it.
  struct Looked {
    Expr expr;
    bool boundary = false;   ///< a part of it is about a boundary mode, or has been hoisted
    bool invariant = false;  ///< arithmetic of variables that do not change: the same in all turns
  };

  Looked Look(const Expr& expr, Place& place) {
    if (const auto* read = expr.As<kernel::VarExpr>()) {
      return {expr, hoisted_.count(read->var.get()) > 0, place.variant.count(read->var.get()) == 0};
    }
    Looked out{
        expr, IsBoundary(expr),
        expr.As<kernel::ElementExpr>() == nullptr && expr.As<kernel::AddressExpr>() == nullptr};
    std::vector<Looked> parts;
    for (const Expr& part : kernel::PartsOf(expr)) {
      parts.push_back(Look(part, place));
      out.boundary = out.boundary || parts.back().boundary;
      out.invariant = out.invariant && parts.back().invariant;
    }
    if (out.invariant || !out.boundary) return out;
    std::size_t n = 0;
    out.expr = kernel::WithParts(expr, [&](const Expr&) { return Hoisted(parts[n++], place); });
    return out;
  }

  /// What reads the value: a variable from before the loop, where it is the same in all turns.
  Expr Hoisted(const Looked& looked, Place& place) {
    const Expr& expr = looked.expr;
    const bool is_read = expr.As<kernel::VarExpr>() != nullptr;
    if (!looked.boundary || !looked.invariant || is_read) return expr;
    kernel::VarRef& var = place.known[kernel::Print(expr)];
    if (var == nullptr) {
      const bool truth = expr.type() == kernel::kBool;
      var = kernel::MakeVar(names_.Claim(truth ? "inside" : "row"), expr.type());
      hoisted_.insert(var.get());
      // A comment stays with the loop.
      std::vector<Stmt>& before = place.before;
      const bool comment =
          !before.empty() && std::holds_alternative<kernel::CommentStmt>(before.back().what);
      before.insert(before.end() - (comment ? 1 : 0), Stmt{LetStmt{var, expr}});
    }
    return kernel::Read(var);
  }

  /// Out of a block of a loop's.
  void HoistOut(Block& block, Place& place) {
    for (Stmt& stmt : block.stmts) {
      for (Expr* expr : kernel::ExprsOf(stmt)) {
        if (expr->Valid()) *expr = Hoisted(Look(*expr, place), place);
      }
      for (Block* each : kernel::BlocksOf(stmt)) HoistOut(*each, place);
    }
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
