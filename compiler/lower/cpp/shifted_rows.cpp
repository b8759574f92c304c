#include "lower/cpp/shifted_rows.h"

#include <algorithm>
#include <utility>

#include "lower/cpp/aligned_rows.h"
#include "lower/cpp/nest_parts.h"
#include "lower/lower_expr.h"

namespace stencilgen::lower::cpp {

using kernel::AssignStmt;
using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;

ShiftedRows::ShiftedRows(OperatorCode& names, const OperatorCode& code, RowVectors vectors)
    : code_(&code), vectors_(std::move(vectors)) {
  const std::string& iterator = vectors_.iterator()->name;
  const auto index = [&](const std::string& wish) {
    return kernel::MakeVar(names.Claim(wish), kernel::kIndex);
  };
  begin_ = index(iterator + "_vectors");
  rest_ = index(iterator + "_rest");
  part_ = index("part");
  from_ = index(iterator + "_from");
  to_ = index(iterator + "_to");
  next_ = index("next");
}

std::optional<ShiftedRows> ShiftedRows::Find(OperatorCode& names, const OperatorCode& code,
                                             kernel::VarRef iterator) {
  auto vectors = RowVectors::Find(names, code, std::move(iterator));
  if (!vectors) return std::nullopt;
  bool any = false;
  for (auto& [key, row] : vectors->rows()) {
    if (row.least == row.most) continue;
    vectors->KeepInRegisters(names, row);
    any = true;
  }
  if (!any) return std::nullopt;
  return ShiftedRows(names, code, *std::move(vectors));
}

void ShiftedRows::LowerRow(Block& block, const Expr& first, const Expr& last) const {
  const Expr width = vectors_.width();
  kernel::IfStmt enough{kernel::Apply(BinaryOp::Less, last - first + Number(1), width), {}, {}};
  ForStmt points;
  points.var = vectors_.iterator();
  points.first = first;
  points.last = last;
  points.kind = kernel::LoopKind::Vector;
  points.body = code_->point();
  enough.then_block.Add(std::move(points));
  Block& row = enough.else_block;
  // Windows begin where all that they hold before them is read by points of the row, too.
  const bool reads_before =
      std::all_of(vectors_.rows().begin(), vectors_.rows().end(), [](const auto& each) {
        return each.second.after == nullptr || each.second.least < each.second.Centre();
      });
  const Expr begin = first + width - Number(reads_before ? 1 : 0);
  const Expr aligned = begin + vectors_.ToAligned(begin);
  constexpr std::int64_t kLeastWidths = 4;
  const Expr is_short = kernel::Apply(BinaryOp::Less, last - first, Number(kLeastWidths) * width);
  const Expr end = last + Number(1);
  row.Add(LetStmt{begin_, LowerConditional(is_short, end, Smaller(aligned, end))});
  const Expr turns = kernel::Apply(BinaryOp::Div, end - Read(begin_), width) - Number(1);
  row.Add(LetStmt{rest_, Greater(Read(begin_), Read(begin_) + turns * width)});
  LowerParts(row, first, last);
  block.Add(std::move(enough));
}

/// Ends before the windows and after them; the last vector of each ends with it.
void ShiftedRows::LowerParts(Block& block, const Expr& first, const Expr& last) const {
  const Expr width = vectors_.width();
  ForStmt points;
  points.var = next_;
  points.step = width;
  const Expr at = Smaller(Read(next_), Read(to_) - width + Number(1));
  points.body.Add(LetStmt{vectors_.iterator(), Greater(first, at)});
  vectors_.LowerPositions(points.body);
  vectors_.LowerValues(points.body, RowVectors::Neighbours::Memory);
  AddInParts(block, std::move(points), {first, Read(begin_) - Number(1)}, {Read(rest_), last},
             {part_, from_, to_}, Windows());
}

kernel::IfStmt ShiftedRows::Windows() const {
  const Expr width = vectors_.width();
  kernel::IfStmt any{kernel::Apply(BinaryOp::Less, Read(begin_), Read(rest_)), {}, {}};
  ForStmt loop;
  loop.var = vectors_.iterator();
  loop.first = Read(begin_);
  loop.last = Read(rest_);
  loop.below = true;
  loop.step = width;
  vectors_.LowerPositions(loop.body);
  Block advance;
  for (const auto& [key, row] : vectors_.rows()) {
    if (row.after == nullptr) continue;
    const Expr place = Read(begin_);
    any.then_block.Add(LetStmt{row.before, vectors_.LoadAt(row, place - width), true});
    any.then_block.Add(LetStmt{row.here, vectors_.LoadAt(row, place), true});
    loop.body.Add(LetStmt{row.after, vectors_.LoadHere(row, width)});
    advance.Add(AssignStmt{Read(row.before), AssignOp::Assign, Read(row.here)});
    advance.Add(AssignStmt{Read(row.here), AssignOp::Assign, Read(row.after)});
  }
  vectors_.LowerValues(loop.body, RowVectors::Neighbours::Registers);
  loop.body.Append(advance);
  any.then_block.Add(std::move(loop));
  return any;
}

}  // namespace stencilgen::lower::cpp
