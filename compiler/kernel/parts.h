#pragma once

#include <functional>
#include <set>
#include <vector>

#include "kernel/code.h"

/// What expressions and statements are made of, for passes over code: one place that knows each
/// kind.
namespace stencilgen::kernel {

/// The expression with each part of it (operands, arguments, subscripts) replaced, and itself where
/// it has none.
Expr WithParts(const Expr& expr, const std::function<Expr(const Expr&)>& replace);
/// The expression with values in the place of variables; null: the variable stays. The arrays of
/// elements stay.
Expr Substituted(const Expr& expr, const std::function<const Expr*(const Var&)>& value);
/// Its parts, in the order of evaluation.
std::vector<Expr> PartsOf(const Expr& expr);

/// The expressions of a statement itself, not those of its blocks: values, targets, bounds. Some
/// may be invalid.
std::vector<Expr*> ExprsOf(Stmt& stmt);
std::vector<const Expr*> ExprsOf(const Stmt& stmt);
/// The blocks of a statement.
std::vector<Block*> BlocksOf(Stmt& stmt);
std::vector<const Block*> BlocksOf(const Stmt& stmt);
/// The variables that a statement itself declares, a loop's counter among them.
std::vector<VarRef> DeclaredBy(const Stmt& stmt);
/// All variables and arrays that the code names, but for what it only declares.
std::set<const Var*> NamedIn(const Block& block);
/// The variables and arrays in expressions, each once, in no particular order.
std::vector<VarRef> VarsOf(const Expr& expr);
std::vector<VarRef> VarsOf(const Block& block);
/// True where the code calls the function.
bool Calls(const Block& block, stencilgen::Function function);
/// The block without values that nothing after them in it names.
Block WithoutUnusedValues(Block block);
/// The variable, or the array, that a statement itself changes; null: none.
const Var* ChangedBy(const Stmt& stmt);

}  // namespace stencilgen::kernel
