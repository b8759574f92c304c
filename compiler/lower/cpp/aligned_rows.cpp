#include "lower/cpp/aligned_rows.h"

#include <map>
#include <utility>

#include "kernel/parts.h"
#include "lower/lower_expr.h"

namespace stencilgen::lower::cpp {

using kernel::Expr;
using kernel::Number;

namespace {

/// The row has so many points at most.
Expr IsShort(const Expr& first, const Expr& last, const Expr& points) {
  return kernel::Apply(BinaryOp::Less, last - first, points);
}

}  // namespace

const kernel::ElementExpr* StoredBy(const kernel::Stmt& stmt) {
  const auto* assign = std::get_if<kernel::AssignStmt>(&stmt.what);
  if (assign == nullptr) return nullptr;
  const auto* element = assign->target.As<kernel::ElementExpr>();
  return element != nullptr && element->array->storage == kernel::Storage::Global ? element
                                                                                  : nullptr;
}

Expr AtPlace(const OperatorCode& code, const kernel::Var& iterator, const Expr& place,
             const Expr& expr) {
  std::map<const kernel::Var*, Expr> values = {{&iterator, place}};
  for (const kernel::Stmt& stmt : code.point().stmts) {
    const auto* let = std::get_if<kernel::LetStmt>(&stmt.what);
    if (let != nullptr) values[let->var.get()] = let->value;
  }
  return kernel::Substituted(expr, [&](const kernel::Var& var) -> const Expr* {
    const auto found = values.find(&var);
    return found == values.end() ? nullptr : &found->second;
  });
}

std::optional<RowStart> FindRowStart(const ProgramModel& model, const graph::Operator& op,
                                     const OperatorCode& code, const Expr& first) {
  if (op.iterators.size() < 2 || op.target.size() < 2) return std::nullopt;
  const graph::Index& last = op.target.back();
  if (last.iterator != op.iterators.back() || last.coefficient != 1) return std::nullopt;
  const kernel::Var& iterator = *code.IteratorVar(op.iterators.size() - 1);
  for (const kernel::Stmt& stmt : code.point().stmts) {
    const kernel::ElementExpr* stored = StoredBy(stmt);
    if (stored == nullptr) continue;
    const Expr position = AtPlace(code, iterator, first, stored->index);
    const auto distance = [&](kernel::Routine routine) {
      return kernel::Call(routine, kernel::kIndex, {kernel::AddressAt(stored->array, position)});
    };
    return RowStart{distance(kernel::Routine::ToLine), distance(kernel::Routine::ToVector),
                    kLineBytes / kernel::ElementBytes(*stored->array),
                    model.Form(model.ArrayOf(op.result).extents.back())};
  }
  return std::nullopt;
}

Expr FirstAligned(const RowStart& start, const Expr& first, const Expr& last) {
  const std::int64_t half = start.of_line / 2;
  const Expr rest = kernel::Apply(BinaryOp::Mod, start.pitch, Number(half));
  const Expr least = LowerConditional(kernel::Apply(BinaryOp::Equal, rest, Number(0)),
                                      Number(5 * start.of_line), Number(16 * start.of_line));
  return LowerConditional(IsShort(first, last, least), first, first + start.to_vector);
}

Expr LastAligned(const RowStart& start, const Expr& first, const Expr& last, const Expr& width) {
  const Expr gap =
      kernel::Apply(BinaryOp::Mod, Number(start.of_line) - start.to_line, Number(start.of_line));
  return LowerConditional(IsShort(first, last, Number(8) * width), first, first - gap);
}

void AddInParts(kernel::Block& block, kernel::ForStmt points, const RowPart& one,
                const RowPart& other, const RowPartVars& vars,
                std::optional<kernel::IfStmt> between) {
  const Expr is_first = kernel::Apply(BinaryOp::Equal, kernel::Read(vars.part), Number(0));
  kernel::ForStmt parts;
  parts.var = vars.part;
  parts.first = Number(0);
  parts.last = Number(1);
  if (between) {
    const Expr is_other = kernel::Apply(BinaryOp::Equal, kernel::Read(vars.part), Number(1));
    between->condition = kernel::And({is_other, between->condition});
    parts.body.Add(std::move(*between));
  }
  parts.body.Add(kernel::LetStmt{vars.from, LowerConditional(is_first, one.first, other.first)});
  parts.body.Add(kernel::LetStmt{vars.to, LowerConditional(is_first, one.last, other.last)});
  points.first = kernel::Read(vars.from);
  points.last = kernel::Read(vars.to);
  parts.body.Add(std::move(points));
  block.Add(std::move(parts));
}

}  // namespace stencilgen::lower::cpp
