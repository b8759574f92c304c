#include "lower/cpp/row_vectors.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/parts.h"
#include "lower/cpp/aligned_rows.h"
#include "support/match.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::AssignStmt;
using kernel::Block;
using kernel::Expr;
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

bool IsPosition(const kernel::Stmt& stmt) {
  const auto* let = std::get_if<LetStmt>(&stmt.what);
  return let != nullptr && !kernel::IsFloating(let->var->type);
}

}  // namespace

std::int64_t VectorRow::Centre() const {
  return std::clamp<std::int64_t>(0, least, most);
}

/// Finds out what a point reads, and that vectors have all that it computes.
class RowVectors::Analysis {
 public:
  explicit Analysis(RowVectors& rows) : rows_(rows) {}

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
    VectorRow row;
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

  RowVectors& rows_;
  bool has_type_ = false;
  kernel::Type type_;
  std::set<const kernel::Var*> read_, written_;
};

/// The code of a point in vectors.
class RowVectors::Values {
 public:
  Values(const RowVectors& rows, Neighbours neighbours) : rows_(rows), neighbours_(neighbours) {}

  void Lower(Block& block) {
    for (const kernel::Stmt& stmt : rows_.code_->point().stmts) {
      if (IsPosition(stmt)) continue;
      if (const auto* let = std::get_if<LetStmt>(&stmt.what)) {
        const VarRef var = kernel::MakeVar(let->var->name, rows_.Pack());
        block.Add(LetStmt{var, AsPack(ValueOf(let->value))});
        vars_[let->var.get()] = var;
        continue;
      }
      const auto& assign = std::get<AssignStmt>(stmt.what);
      const auto& stored = *assign.target.As<kernel::ElementExpr>();
      block.Add(kernel::StorePackStmt{kernel::AddressAt(stored.array, stored.index),
                                      AsPack(ValueOf(assign.value))});
    }
  }

 private:
  Expr AsPack(const Expr& value) const {
    if (value.type().width == kernel::Width::Pack) return value;
    return kernel::Call(kernel::Routine::AsPack, rows_.Pack(),
                        {Read(rows_.pack_), AsVector(value)});
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
    const VectorRow& row = found->second;
    if (neighbours_ == Neighbours::Memory || row.after == nullptr) {
      return rows_.Load(element.array, element.index);
    }
    const std::int64_t distance = SplitNumber(element.index).second - row.Centre();
    if (distance == 0) return Read(row.here);
    std::vector<Expr> vectors = {Read(row.before), Read(row.here), Read(row.after)};
    if (neighbours_ == Neighbours::Anywhere) {
      return kernel::Call(kernel::Routine::Shifted, rows_.Pack(), std::move(vectors), {distance});
    }
    vectors.insert(vectors.begin(), kernel::AddressAt(row.array, row.base + Number(row.Centre())));
    return kernel::Call(kernel::Routine::Beside, rows_.Pack(), std::move(vectors), {distance});
  }

  const RowVectors& rows_;
  Neighbours neighbours_;
  std::map<const kernel::Var*, VarRef> vars_;  ///< packs, by the values of a point
};

RowVectors::RowVectors(OperatorCode& names, const OperatorCode& code, VarRef iterator)
    : code_(&code),
      iterator_(std::move(iterator)),
      width_(kernel::MakeVar(names.Claim("width"), kernel::kIndex)) {}

std::optional<RowVectors> RowVectors::Find(OperatorCode& names, const OperatorCode& code,
                                           VarRef iterator) {
  RowVectors rows(names, code, std::move(iterator));
  Analysis analysis(rows);
  if (!analysis.Run()) return std::nullopt;
  rows.pack_ = kernel::MakeVar(names.Claim("Values"), analysis.type());
  return rows;
}

void RowVectors::KeepInRegisters(OperatorCode& names, VectorRow& row) const {
  const std::string& name = row.array->name;
  row.before = kernel::MakeVar(names.Claim(name + "_before"), Pack());
  row.here = kernel::MakeVar(names.Claim(name + "_here"), Pack());
  row.after = kernel::MakeVar(names.Claim(name + "_after"), Pack());
}

void RowVectors::LowerNames(Block& block) const {
  block.Add(kernel::PackStmt{pack_, 1, width_});
}

Expr RowVectors::At(const Expr& place, const Expr& expr) const {
  return AtPlace(*code_, *iterator_, place, expr);
}

Expr RowVectors::ToAligned(const Expr& place) const {
  return kernel::Call(kernel::Routine::ToVector, kernel::kIndex,
                      {kernel::AddressAt(stored_array_, At(place, stored_position_))});
}

Expr RowVectors::Load(const VarRef& array, const Expr& position) const {
  return kernel::Call(kernel::Routine::LoadPack, Pack(),
                      {Read(pack_), kernel::AddressAt(array, position)});
}

Expr RowVectors::LoadAt(const VectorRow& row, const Expr& place) const {
  return Load(row.array, At(place, row.base) + Number(row.Centre()));
}

Expr RowVectors::LoadHere(const VectorRow& row, const Expr& behind) const {
  return Load(row.array, row.base + Number(row.Centre()) + behind);
}

void RowVectors::LowerPositions(Block& block) const {
  for (const kernel::Stmt& stmt : code_->point().stmts) {
    if (IsPosition(stmt)) block.stmts.push_back(stmt);
  }
}

void RowVectors::LowerValues(Block& block, Neighbours neighbours) const {
  Values(*this, neighbours).Lower(block);
}

}  // namespace stencilgen::lower::cpp
