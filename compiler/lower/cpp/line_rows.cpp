#include "lower/cpp/line_rows.h"

#include <utility>

#include <fmt/format.h>

#include "kernel/parts.h"
#include "lower/cpp/aligned_rows.h"
#include "lower/index_math.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

}  // namespace

LineRows::LineRows(const ProgramModel& model, plan::KernelId kernel, OperatorCode& names)
    : model_(model),
      op_(model.OperatorOf(kernel)),
      iterator_(names.IteratorVar(op_.iterators.size() - 1)) {
  const auto index = [&](const std::string& wish) {
    return kernel::MakeVar(names.Claim(wish), kernel::kIndex);
  };
  past_ = kernel::MakeVar(names.Claim("past"), kernel::kBool);
  begin_ = index("lines_begin");
  end_ = index("lines_end");
  line_ = index("line");
  lane_ = index("lane");
  part_ = index("part");
  from_ = index("from");
  to_ = index("to");
  for (const graph::Operator* op : model.OperatorsOf(kernel)) {
    const plan::BufferId buffer = model.TargetOf(op->result);
    if (!buffer.Valid()) continue;
    const ScalarType type = model.plan().buffers[buffer].type;
    elements_ = kLineBytes / static_cast<int>(SizeInBytes(type));
    lines_.push_back(kernel::MakeVar(names.Claim(fmt::format("{}_line", model.Name(buffer))),
                                     kernel::TypeOf(type), kernel::Storage::Registers, elements_));
  }
}

void LineRows::LowerChoice(Block& block, const NestBounds& bounds, const OperatorCode& code) const {
  std::int64_t bytes = 0;  // of all arrays, for a point
  for (const auto& [buffer, use] : code.buffers()) {
    bytes += ElementBytes(model_.plan().buffers[buffer]);
  }
  std::vector<Expr> conditions = {
      kernel::Call(kernel::Routine::PastCaches, kernel::kBool, {PointsOf(bounds) * Number(bytes)})};
  // Lines of all results begin at the same points.
  const auto to_line = [](const Store& store) {
    return kernel::Call(kernel::Routine::ToLine, kernel::kIndex,
                        {kernel::AddressAt(store.array, Number(0))});
  };
  const std::vector<Store> stores = StoresOf(code);
  for (std::size_t k = 1; k < stores.size(); ++k) {
    conditions.push_back(kernel::Apply(BinaryOp::Equal, to_line(stores[0]), to_line(stores[k])));
  }
  block.Add(LetStmt{past_, kernel::And(conditions)});
}

std::vector<LineRows::Store> LineRows::StoresOf(const OperatorCode& code) const {
  std::vector<Store> stores;
  for (const kernel::Stmt& stmt : code.point().stmts) {
    const kernel::ElementExpr* stored = StoredBy(stmt);
    if (stored != nullptr) stores.push_back({stored->array, lines_[stores.size()], stored->index});
  }
  return stores;
}

/// The points of a line, whose results stay in small arrays.
ForStmt LineRows::LoopOverLine(const OperatorCode& code) const {
  ForStmt loop;
  loop.var = lane_;
  loop.first = Number(0);
  loop.last = Number(elements_);
  loop.below = true;
  loop.kind = kernel::LoopKind::Vector;
  loop.body.Add(LetStmt{iterator_, Read(line_) + Read(lane_)});
  std::size_t stores = 0;
  for (kernel::Stmt stmt : code.point().stmts) {
    if (StoredBy(stmt) != nullptr) {
      std::get<kernel::AssignStmt>(stmt.what).target =
          kernel::ElementAt(lines_[stores++], Read(lane_));
    }
    loop.body.stmts.push_back(std::move(stmt));
  }
  loop.body = kernel::WithoutUnusedValues(std::move(loop.body));
  return loop;
}

void LineRows::LowerRow(Block& block, const OperatorCode& code, const Expr& first,
                        const Expr& last) const {
  const std::vector<Store> stores = StoresOf(code);
  block.Add(LetStmt{begin_, last + Number(1), true});
  kernel::IfStmt past{Read(past_), {}, {}};
  past.then_block.Add(LetStmt{iterator_, first});
  past.then_block.Append(code.centres());
  const Expr to_line =
      kernel::Call(kernel::Routine::ToLine, kernel::kIndex,
                   {kernel::AddressAt(stores.front().array, stores.front().position)});
  past.then_block.Add(kernel::AssignStmt{Read(begin_), AssignOp::Assign,
                                         Smaller(Read(iterator_) + to_line, Read(begin_))});
  past.then_block = kernel::WithoutUnusedValues(std::move(past.then_block));
  block.Add(std::move(past));
  const Expr rest = last + Number(1) - Read(begin_);
  block.Add(LetStmt{end_, Read(begin_) + FloorDiv(rest, Number(elements_)) * Number(elements_)});

  block.Add(kernel::CommentStmt{"Whole lines go past the caches; then the rest of the row."});
  ForStmt lines;
  lines.var = line_;
  lines.first = Read(begin_);
  lines.last = Read(end_);
  lines.below = true;
  lines.step = Number(elements_);
  lines.body.Add(kernel::DeclareStmt{lines_, false});
  lines.body.Add(LoopOverLine(code));
  lines.body.Add(LetStmt{iterator_, Read(line_)});
  lines.body.Append(code.centres());
  for (const Store& store : stores) {
    lines.body.Add(kernel::StoreVectorStmt{store.array, store.position, store.line});
  }
  lines.body = kernel::WithoutUnusedValues(std::move(lines.body));
  block.Add(std::move(lines));

  ForStmt points;
  points.var = iterator_;
  points.kind = kernel::LoopKind::Vector;
  points.body.Append(code.point());
  AddInParts(block, std::move(points), {first, Read(begin_) - Number(1)}, {Read(end_), last},
             {part_, from_, to_});
}

}  // namespace stencilgen::lower::cpp
