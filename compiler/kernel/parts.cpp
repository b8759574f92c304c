#include "kernel/parts.h"

#include <algorithm>
#include <utility>

#include "support/match.h"

namespace stencilgen::kernel {

Expr WithParts(const Expr& expr, const std::function<Expr(const Expr&)>& replace) {
  return Match(
      expr.node().what,
      [&](const ElementExpr& each) {
        return Make(ElementExpr{each.array, replace(each.index)}, expr.type());
      },
      [&](const AddressExpr& each) {
        return Make(AddressExpr{each.array, replace(each.offset)}, expr.type());
      },
      [&](const UnaryExpr& each) {
        return Make(UnaryExpr{each.op, replace(each.operand)}, expr.type());
      },
      [&](const BinaryExpr& each) {
        return Make(BinaryExpr{each.op, replace(each.lhs), replace(each.rhs)}, expr.type());
      },
      [&](const ConditionalExpr& each) {
        return Make(ConditionalExpr{replace(each.condition), replace(each.then_value),
                                    replace(each.else_value)},
                    expr.type());
      },
      [&](const CallExpr& each) {
        CallExpr call{each.callee, {}, each.constants};
        for (const Expr& argument : each.arguments) call.arguments.push_back(replace(argument));
        return Make(std::move(call), expr.type());
      },
      [&](const ConvertExpr& each) {
        return Make(ConvertExpr{replace(each.operand)}, expr.type());
      },
      [&](const auto&) { return expr; });
}

Expr Substituted(const Expr& expr, const std::function<const Expr*(const Var&)>& value) {
  if (const auto* read = expr.As<VarExpr>()) {
    const Expr* other = value(*read->var);
    return other == nullptr ? expr : Substituted(*other, value);
  }
  return WithParts(expr, [&](const Expr& part) { return Substituted(part, value); });
}

std::vector<Expr> PartsOf(const Expr& expr) {
  return Match(
      expr.node().what, [](const ElementExpr& each) { return std::vector<Expr>{each.index}; },
      [](const AddressExpr& each) { return std::vector<Expr>{each.offset}; },
      [](const UnaryExpr& each) { return std::vector<Expr>{each.operand}; },
      [](const BinaryExpr& each) {
        return std::vector<Expr>{each.lhs, each.rhs};
      },
      [](const ConditionalExpr& each) {
        return std::vector<Expr>{each.condition, each.then_value, each.else_value};
      },
      [](const CallExpr& each) { return each.arguments; },
      [](const ConvertExpr& each) { return std::vector<Expr>{each.operand}; },
      [](const auto&) { return std::vector<Expr>{}; });
}

std::vector<Expr*> ExprsOf(Stmt& stmt) {
  using Exprs = std::vector<Expr*>;
  const auto all = [](std::vector<Expr>& exprs) {
    Exprs out;
    for (Expr& expr : exprs) out.push_back(&expr);
    return out;
  };
  return Match(
      stmt.what, [](LetStmt& s) { return Exprs{&s.value}; },
      [&](TableStmt& s) { return all(s.values); },
      [](AssignStmt& s) {
        return Exprs{&s.target, &s.value};
      },
      [](ForStmt& s) {
        return Exprs{&s.first, &s.last, &s.step, &s.work};
      },
      [](WhileStmt& s) { return Exprs{&s.condition}; },
      [](IfStmt& s) { return Exprs{&s.condition}; },
      [](CopyAsyncStmt& s) {
        return Exprs{&s.to, &s.from};
      },
      [](LoadVectorStmt& s) { return Exprs{&s.from}; },
      [](StoreVectorStmt& s) { return Exprs{&s.position}; },
      [](RimPlaceStmt& s) { return Exprs{&s.number}; },
      [](StorePackStmt& s) {
        return Exprs{&s.to, &s.value};
      },
      [&](CallStmt& s) { return all(s.arguments); }, [](auto&) { return Exprs{}; });
}

std::vector<Block*> BlocksOf(Stmt& stmt) {
  using Blocks = std::vector<Block*>;
  return Match(
      stmt.what, [](ForStmt& s) { return Blocks{&s.body}; },
      [](WhileStmt& s) { return Blocks{&s.body}; },
      [](IfStmt& s) {
        return Blocks{&s.then_block, &s.else_block};
      },
      [](ScopeStmt& s) { return Blocks{&s.body}; }, [](auto&) { return Blocks{}; });
}

// One place knows each kind of statement; nothing is changed through what these give.

std::vector<const Expr*> ExprsOf(const Stmt& stmt) {
  const std::vector<Expr*> exprs = ExprsOf(const_cast<Stmt&>(stmt));
  return {exprs.begin(), exprs.end()};
}

std::vector<const Block*> BlocksOf(const Stmt& stmt) {
  const std::vector<Block*> blocks = BlocksOf(const_cast<Stmt&>(stmt));
  return {blocks.begin(), blocks.end()};
}

std::vector<VarRef> DeclaredBy(const Stmt& stmt) {
  using Vars = std::vector<VarRef>;
  return Match(
      stmt.what, [](const LetStmt& s) { return Vars{s.var}; },
      [](const DeclareStmt& s) { return s.vars; }, [](const SharedStmt& s) { return Vars{s.var}; },
      [](const TableStmt& s) { return Vars{s.var}; }, [](const ForStmt& s) { return Vars{s.var}; },
      [](const RimPlaceStmt& s) {
        return Vars{s.place, s.x, s.y};
      },
      [](const PackStmt& s) {
        return s.width == nullptr ? Vars{s.name} : Vars{s.name, s.width};
      },
      [](const auto&) { return Vars{}; });
}

namespace {

/// The expression and its parts. A sum of many thousand terms is a tree of that depth.
void Visit(const Expr& root, const std::function<void(const Expr&)>& visit) {
  std::vector<Expr> waiting = {root};
  while (!waiting.empty()) {
    const Expr expr = std::move(waiting.back());
    waiting.pop_back();
    if (!expr.Valid()) continue;
    visit(expr);
    for (Expr& part : PartsOf(expr)) waiting.push_back(std::move(part));
  }
}

/// Every expression of the code.
void Visit(const Block& block, const std::function<void(const Expr&)>& visit) {
  for (const Stmt& stmt : block.stmts) {
    for (const Expr* expr : ExprsOf(stmt)) Visit(*expr, visit);
    for (const Block* inner : BlocksOf(stmt)) Visit(*inner, visit);
  }
}

/// The variable or the array that the expression names itself.
void AddVar(const Expr& expr, std::set<VarRef>& vars) {
  if (const auto* var = expr.As<VarExpr>()) vars.insert(var->var);
  if (const auto* element = expr.As<ElementExpr>()) vars.insert(element->array);
  if (const auto* address = expr.As<AddressExpr>()) vars.insert(address->array);
}

/// What statements name by themselves, not in expressions.
void AddNamed(const Block& block, std::set<const Var*>& named) {
  for (const Stmt& stmt : block.stmts) {
    for (const Block* inner : BlocksOf(stmt)) AddNamed(*inner, named);
    if (const auto* store = std::get_if<StoreVectorStmt>(&stmt.what)) {
      named.insert({store->array.get(), store->values.get()});
    }
    if (const auto* keep = std::get_if<KeepStmt>(&stmt.what)) named.insert(keep->var.get());
    if (const Var* changed = ChangedBy(stmt)) named.insert(changed);
  }
}

}  // namespace

std::set<const Var*> NamedIn(const Block& block) {
  std::set<const Var*> named;
  AddNamed(block, named);
  for (const VarRef& var : VarsOf(block)) named.insert(var.get());
  return named;
}

std::vector<VarRef> VarsOf(const Expr& expr) {
  std::set<VarRef> vars;
  Visit(expr, [&](const Expr& part) { AddVar(part, vars); });
  return {vars.begin(), vars.end()};
}

std::vector<VarRef> VarsOf(const Block& block) {
  std::set<VarRef> vars;
  Visit(block, [&](const Expr& part) { AddVar(part, vars); });
  return {vars.begin(), vars.end()};
}

bool Calls(const Block& block, stencilgen::Function function) {
  bool found = false;
  Visit(block, [&](const Expr& expr) {
    const auto* call = expr.As<CallExpr>();
    if (call == nullptr) return;
    const auto* called = std::get_if<stencilgen::Function>(&call->callee);
    found = found || (called != nullptr && *called == function);
  });
  return found;
}

Block WithoutUnusedValues(Block block) {
  std::set<const Var*> named;
  Block kept;
  while (!block.stmts.empty()) {
    Block last;
    last.stmts.push_back(std::move(block.stmts.back()));
    block.stmts.pop_back();
    const auto* let = std::get_if<LetStmt>(&last.stmts.front().what);
    if (let != nullptr && named.count(let->var.get()) == 0) continue;
    named.merge(NamedIn(last));
    kept.stmts.push_back(std::move(last.stmts.front()));
  }
  std::reverse(kept.stmts.begin(), kept.stmts.end());
  return kept;
}

const Var* ChangedBy(const Stmt& stmt) {
  if (const auto* load = std::get_if<LoadVectorStmt>(&stmt.what)) return load->values.get();
  const auto* assign = std::get_if<AssignStmt>(&stmt.what);
  if (assign == nullptr) return nullptr;
  if (const auto* var = assign->target.As<VarExpr>()) return var->var.get();
  const auto* element = assign->target.As<ElementExpr>();
  return element == nullptr ? nullptr : element->array.get();
}

}  // namespace stencilgen::kernel
