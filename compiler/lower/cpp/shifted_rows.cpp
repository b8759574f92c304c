#include "lower/cpp/shifted_rows.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "kernel/parts.h"
#include "lower/cpp/aligned_rows.h"
#include "lower/cpp/nest_parts.h"
#include "lower/lower_expr.h"
#include "support/match.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::AssignStmt;
using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

/// A position as one that no number is added to, and the number.
std::pair<Expr, std::int64_t> SplitNumber(Expr position) {
  std::int64_t number = 0;
  for (;;) {
    const auto* sum = position.As<kernel::BinaryExpr>();
    if (sum == nullptr || (sum->op != BinaryOp::Add && sum->op != BinaryOp::Sub)) break;
    const auto added = kernel::NumberOf(sum->rhs);
    if (!added) break;
    number += sum->op == BinaryOp::Add ? *added : -*added;
    position = Expr(sum->lhs);
  }
  return {position, number};
}

/// Rows are told apart by this text.
std::string KeyOf(const kernel::ElementExpr& element) {
  return fmt::format("{}[{}]", element.array->name,
                     kernel::Print(SplitNumber(element.index).first));
}

bool IsPlainFloating(const kernel::Var& array, kernel::Type type) {
  return array.storage == kernel::Storage::Global && array.format == ElementFormat::Plain &&
         array.type.of == type.of;
}

}  // namespace

std::int64_t ShiftedRows::Row::Centre() const {
  return std::clamp<std::int64_t>(0, least, most);
}

/// Finds out what a point reads, and that vectors have all that it computes.
class ShiftedRows::Analysis {
 public:
  explicit Analysis(ShiftedRows& rows) : rows_(rows) {}

  bool Run() {
    for (const kernel::Stmt& stmt : rows_.code_->point().stmts) {
      if (!TakesStatement(stmt)) return false;
    }
    const bool in_place = std::any_of(read_.begin(), read_.end(), [&](const kernel::Var* array) {
      return written_.count(array);
    });
    return rows_.stored_array_ != nullptr && !in_place;
  }
  kernel::Type type() const { return type_; }

 private:
  bool TakesStatement(const kernel::Stmt& stmt) {
    if (const auto* let = std::get_if<LetStmt>(&stmt.what)) {
      if (let->changes || let->var->storage != kernel::Storage::Value) return false;
      if (kernel::IsFloating(let->var->type)) {
        return HasType(let->var->type) && TakesValue(let->value);
      }
      const auto step = StepOf(let->value);
      if (!step) return false;
      rows_.steps_[let->var.get()] = *step;
      return true;
    }
    const auto* assign = std::get_if<AssignStmt>(&stmt.what);
    const kernel::ElementExpr* stored = StoredBy(stmt);
    if (stored == nullptr || assign->op != AssignOp::Assign) return false;
    if (!HasType(stored->array->type) || !IsPlainFloating(*stored->array, type_)) return false;
    if (StepOf(stored->index) != 1) return false;
    written_.insert(stored->array.get());
    if (rows_.stored_array_ == nullptr) {
      rows_.stored_array_ = stored->array;
      rows_.stored_position_ = stored->index;
    }
    return TakesValue(assign->value);
  }

  /// All values have the type of the first one.
  bool HasType(kernel::Type type) {
    if (!has_type_) type_ = type;
    has_type_ = true;
    return type == type_ && kernel::IsFloating(type);
  }

  bool TakesValue(const Expr& value) {
    if (!HasType(value.type())) return false;
    return Match(
        value.node().what, [](const kernel::ConstExpr&) { return true; },
        [&](const kernel::VarExpr& each) {
          return each.var->storage == kernel::Storage::Value && each.var != rows_.iterator_;
        },
        [&](const kernel::ElementExpr& each) { return TakesElement(each); },
        [&](const kernel::UnaryExpr& each) {
          return each.op != UnaryOp::Not && TakesValue(each.operand);
        },
        [&](const kernel::BinaryExpr& each) {
          const bool has = each.op == BinaryOp::Add || each.op == BinaryOp::Sub ||
                           each.op == BinaryOp::Mul || each.op == BinaryOp::Div;
          return has && TakesValue(each.lhs) && TakesValue(each.rhs);
        },
        [](const auto&) { return false; });
  }

  bool TakesElement(const kernel::ElementExpr& element) {
    const auto step = StepOf(element.index);
    if (!step || !IsPlainFloating(*element.array, type_)) return false;
    if (*step != 1) return *step == 0;
    read_.insert(element.array.get());
    const auto [base, distance] = SplitNumber(element.index);
    Row row;
    row.array = element.array;
    row.base = base;
    row.least = row.most = distance;
    const auto [at, is_new] = rows_.rows_.try_emplace(KeyOf(element), std::move(row));
    at->second.least = std::min(at->second.least, distance);
    at->second.most = std::max(at->second.most, distance);
    return true;
  }

  /// How much more an index is at the next point of the row; empty where that is not known.
  std::optional<std::int64_t> StepOf(const Expr& index) const {
    if (const auto* var = index.As<kernel::VarExpr>()) {
      if (var->var == rows_.iterator_) return 1;
      const auto known = rows_.steps_.find(var->var.get());
      return known == rows_.steps_.end() ? 0 : known->second;
    }
    if (const auto* converted = index.As<kernel::ConvertExpr>()) return StepOf(converted->operand);
    if (const auto* binary = index.As<kernel::BinaryExpr>()) {
      const auto lhs = StepOf(binary->lhs);
      const auto rhs = StepOf(binary->rhs);
      if (!lhs || !rhs) return std::nullopt;
      if (binary->op == BinaryOp::Add) return *lhs + *rhs;
      if (binary->op == BinaryOp::Sub) return *lhs - *rhs;
      return *lhs == 0 && *rhs == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    for (const Expr& part : kernel::PartsOf(index)) {
      if (StepOf(part) != 0) return std::nullopt;
    }
    return 0;
  }

  ShiftedRows& rows_;
  bool has_type_ = false;
  kernel::Type type_;
  std::set<const kernel::Var*> read_, written_;
};

/// The code of a point in vectors.
class ShiftedRows::Vectors {
 public:
  /// `windows`: neighbours come from registers.
  Vectors(const ShiftedRows& rows, bool windows) : rows_(rows), windows_(windows) {}

  void Lower(Block& block) {
    const std::vector<kernel::Stmt>& stmts = rows_.code_->point().stmts;
    const auto is_index = [](const kernel::Stmt& stmt) {
      const auto* let = std::get_if<LetStmt>(&stmt.what);
      return let != nullptr && !kernel::IsFloating(let->var->type);
    };
    for (const kernel::Stmt& stmt : stmts) {
      if (is_index(stmt)) block.stmts.push_back(stmt);
    }
    if (windows_) LoadNext(block);
    for (const kernel::Stmt& stmt : stmts) {
      if (const auto* let = std::get_if<LetStmt>(&stmt.what)) {
        if (is_index(stmt)) continue;
        const VarRef var = kernel::MakeVar(let->var->name, Pack());
        block.Add(LetStmt{var, AsPack(ValueOf(let->value))});
        vars_[let->var.get()] = var;
        continue;
      }
      const auto& assign = std::get<AssignStmt>(stmt.what);
      const auto& stored = *assign.target.As<kernel::ElementExpr>();
      block.Add(kernel::StorePackStmt{kernel::AddressAt(stored.array, stored.index),
                                      AsPack(ValueOf(assign.value))});
    }
    if (windows_) Advance(block);
  }

  kernel::Type Pack() const { return {rows_.pack_->type.of, kernel::Width::Pack}; }
  Expr Load(const VarRef& array, const Expr& position) const {
    return kernel::Call(kernel::Routine::LoadPack, Pack(),
                        {Read(rows_.pack_), kernel::AddressAt(array, position)});
  }

 private:
  void LoadNext(Block& block) const {
    for (const auto& [key, row] : rows_.rows_) {
      if (row.after == nullptr) continue;
      block.Add(LetStmt{row.after,
                        Load(row.array, row.base + Number(row.Centre()) + Read(rows_.width_))});
    }
  }
  void Advance(Block& block) const {
    for (const auto& [key, row] : rows_.rows_) {
      if (row.after == nullptr) continue;
      block.Add(AssignStmt{Read(row.before), AssignOp::Assign, Read(row.here)});
      block.Add(AssignStmt{Read(row.here), AssignOp::Assign, Read(row.after)});
    }
  }

  Expr AsPack(const Expr& value) const {
    if (value.type().width == kernel::Width::Pack) return value;
    return kernel::Call(kernel::Routine::AsPack, Pack(), {Read(rows_.pack_), AsVector(value)});
  }
  Expr AsVector(const Expr& value) const {
    if (value.type().width != kernel::Width::One) return value;
    const kernel::Type vector = {value.type().of, kernel::Width::Vector};
    return kernel::Call(kernel::Routine::Broadcast, vector, {value});
  }

  /// In one lane where it is the same at all points.
  Expr ValueOf(const Expr& value) const {
    return Match(
        value.node().what,
        [&](const kernel::VarExpr& each) {
          const auto found = vars_.find(each.var.get());
          return found == vars_.end() ? value : Read(found->second);
        },
        [&](const kernel::ElementExpr& each) { return ElementOf(each, value); },
        [&](const kernel::UnaryExpr& each) {
          return each.op == UnaryOp::Plus ? ValueOf(each.operand)
                                          : kernel::Apply(each.op, ValueOf(each.operand));
        },
        [&](const kernel::BinaryExpr& each) {
          const Expr lhs = ValueOf(each.lhs);
          const Expr rhs = ValueOf(each.rhs);
          const bool single =
              lhs.type().width == kernel::Width::One && rhs.type().width == kernel::Width::One;
          if (single) return kernel::Apply(each.op, lhs, rhs);
          return kernel::Apply(each.op, AsVector(lhs), AsVector(rhs));
        },
        [&](const auto&) { return value; });
  }

  Expr ElementOf(const kernel::ElementExpr& element, const Expr& value) const {
    const auto found = rows_.rows_.find(KeyOf(element));
    if (found == rows_.rows_.end()) return value;
    const Row& row = found->second;
    if (!windows_ || row.after == nullptr) return Load(element.array, element.index);
    const std::int64_t distance = SplitNumber(element.index).second - row.Centre();
    if (distance == 0) return Read(row.here);
    return kernel::Call(kernel::Routine::Beside, Pack(),
                        {kernel::AddressAt(row.array, row.base + Number(row.Centre())),
                         Read(row.before), Read(row.here), Read(row.after)},
                        {distance});
  }

  const ShiftedRows& rows_;
  bool windows_;
  std::map<const kernel::Var*, VarRef> vars_;  ///< packs, by the values of a point
};

ShiftedRows::ShiftedRows(OperatorCode& names, const OperatorCode& code, VarRef iterator)
    : code_(&code), iterator_(std::move(iterator)) {
  const auto index = [&](const std::string& wish) {
    return kernel::MakeVar(names.Claim(wish), kernel::kIndex);
  };
  width_ = index("width");
  vectors_ = index(iterator_->name + "_vectors");
  rest_ = index(iterator_->name + "_rest");
  part_ = index("part");
  from_ = index(iterator_->name + "_from");
  to_ = index(iterator_->name + "_to");
  next_ = index("next");
}

std::optional<ShiftedRows> ShiftedRows::Find(OperatorCode& names, const OperatorCode& code,
                                             VarRef iterator) {
  ShiftedRows rows(names, code, std::move(iterator));
  Analysis analysis(rows);
  if (!analysis.Run()) return std::nullopt;
  rows.pack_ = kernel::MakeVar(names.Claim("Values"), analysis.type());
  kernel::Type pack = analysis.type();
  pack.width = kernel::Width::Pack;
  bool any = false;
  for (auto& [key, row] : rows.rows_) {
    if (row.least == row.most) continue;
    const std::string name = row.array->name;
    row.before = kernel::MakeVar(names.Claim(name + "_before"), pack);
    row.here = kernel::MakeVar(names.Claim(name + "_here"), pack);
    row.after = kernel::MakeVar(names.Claim(name + "_after"), pack);
    any = true;
  }
  return any ? std::optional(std::move(rows)) : std::nullopt;
}

void ShiftedRows::LowerNames(Block& block) const {
  block.Add(kernel::PackStmt{pack_, 1, width_});
}

Expr ShiftedRows::At(const Expr& place, const Expr& expr) const {
  return AtPlace(*code_, *iterator_, place, expr);
}

void ShiftedRows::LowerRow(Block& block, const Expr& first, const Expr& last) const {
  const Expr width = Read(width_);
  kernel::IfStmt enough{kernel::Apply(BinaryOp::Less, last - first + Number(1), width), {}, {}};
  ForStmt points;
  points.var = iterator_;
  points.first = first;
  points.last = last;
  points.kind = kernel::LoopKind::Vector;
  points.body = code_->point();
  enough.then_block.Add(std::move(points));
  Block& row = enough.else_block;
  // Windows begin where all that they hold before them is read by points of the row, too.
  const bool reads_before = std::all_of(rows_.begin(), rows_.end(), [](const auto& each) {
    return each.second.after == nullptr || each.second.least < each.second.Centre();
  });
  const Expr begin = first + width - Number(reads_before ? 1 : 0);
  const Expr aligned =
      begin + kernel::Call(kernel::Routine::ToVector, kernel::kIndex,
                           {kernel::AddressAt(stored_array_, At(begin, stored_position_))});
  constexpr std::int64_t kLeastWidths = 4;
  const Expr is_short = kernel::Apply(BinaryOp::Less, last - first, Number(kLeastWidths) * width);
  const Expr end = last + Number(1);
  row.Add(LetStmt{vectors_, LowerConditional(is_short, end, Smaller(aligned, end))});
  const Expr turns = kernel::Apply(BinaryOp::Div, end - Read(vectors_), width) - Number(1);
  row.Add(LetStmt{rest_, Greater(Read(vectors_), Read(vectors_) + turns * width)});
  LowerParts(row, first, last);
  block.Add(std::move(enough));
}

/// Ends before the windows and after them; the last vector of each ends with it.
void ShiftedRows::LowerParts(Block& block, const Expr& first, const Expr& last) const {
  ForStmt points;
  points.var = next_;
  points.step = Read(width_);
  const Expr at = Smaller(Read(next_), Read(to_) - Read(width_) + Number(1));
  points.body.Add(LetStmt{iterator_, Greater(first, at)});
  Vectors(*this, false).Lower(points.body);
  AddInParts(block, std::move(points), {first, Read(vectors_) - Number(1)}, {Read(rest_), last},
             {part_, from_, to_}, Windows());
}

kernel::IfStmt ShiftedRows::Windows() const {
  Vectors code(*this, true);
  kernel::IfStmt any{kernel::Apply(BinaryOp::Less, Read(vectors_), Read(rest_)), {}, {}};
  for (const auto& [key, row] : rows_) {
    if (row.after == nullptr) continue;
    const Expr position = At(Read(vectors_), row.base) + Number(row.Centre());
    any.then_block.Add(LetStmt{row.before, code.Load(row.array, position - Read(width_)), true});
    any.then_block.Add(LetStmt{row.here, code.Load(row.array, position), true});
  }
  ForStmt loop;
  loop.var = iterator_;
  loop.first = Read(vectors_);
  loop.last = Read(rest_);
  loop.below = true;
  loop.step = Read(width_);
  code.Lower(loop.body);
  any.then_block.Add(std::move(loop));
  return any;
}

}  // namespace stencilgen::lower::cpp
