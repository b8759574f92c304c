#include "lower/cpp/ring_rows.h"

#include <algorithm>
#include <set>
#include <utility>

#include "graph/nodes.h"
#include "lower/cpp/nest_parts.h"
#include "lower/lower_expr.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;

/// The elements of a row that all operators write from end to end, which what they read wraps
/// around; empty where it is not so. `arrays`: gets those that wrap around.
std::optional<graph::LinearForm> RingOf(const ProgramModel& model,
                                        const std::vector<const graph::Operator*>& ops,
                                        std::set<const kernel::Var*>& arrays) {
  const graph::Graph& graph = model.graph();
  const graph::Operator& first = *ops.front();
  if (first.iterators.empty() || first.target.empty()) return std::nullopt;
  const graph::LinearForm points = model.ArrayOf(first.result).extents.back();
  const graph::Interval& along = first.domain.intervals.back();
  const auto is_only = [](const std::vector<graph::Bound>& bounds, const graph::LinearForm& form) {
    return bounds.size() == 1 && bounds.front() == graph::Bound{form};
  };
  if (!is_only(along.lower, graph::LinearForm::Constant(0)) || !is_only(along.upper, points - 1)) {
    return std::nullopt;
  }
  for (const graph::Operator* op : ops) {
    for (const graph::ExprId id : graph::Accesses(graph, *op)) {
      const auto& access = std::get<graph::Access>(graph.exprs[id].node);
      if (access.indices.empty()) continue;
      const graph::Array& array = graph.arrays[graph.versions[access.version].array];
      for (std::size_t d = 0; d < access.boundary.size(); ++d) {
        const bool along_row = access.indices[d].iterator == first.iterators.back();
        const graph::BoundaryKind kind = access.boundary[d].kind;
        if (!along_row || kind == graph::BoundaryKind::None) continue;
        const bool is_ring = kind == graph::BoundaryKind::Wrap && d + 1 == access.indices.size() &&
                             array.extents[d] == points;
        const plan::BufferId buffer = model.plan().buffer_of[access.version.index];
        if (!is_ring || !buffer.Valid()) return std::nullopt;
        arrays.insert(model.Var(buffer).get());
      }
    }
  }
  return arrays.empty() ? std::nullopt : std::optional(points);
}

}  // namespace

RingRows::RingRows(OperatorCode& names, const OperatorCode& inside, RowVectors vectors, Expr points)
    : inside_(&inside), vectors_(std::move(vectors)), points_(std::move(points)) {
  const auto index = [&](const std::string& wish) {
    return kernel::MakeVar(names.Claim(wish), kernel::kIndex);
  };
  aligned_ = index(vectors_.iterator()->name + "_aligned");
  start_ = index(vectors_.iterator()->name + "_start");
  stop_ = index(vectors_.iterator()->name + "_stop");
}

std::optional<RingRows> RingRows::Find(const ProgramModel& model,
                                       const std::vector<const graph::Operator*>& ops,
                                       OperatorCode& names, const OperatorCode& inside) {
  std::set<const kernel::Var*> arrays;
  const auto points = RingOf(model, ops, arrays);
  if (!points) return std::nullopt;
  auto vectors =
      RowVectors::Find(names, inside, names.IteratorVar(ops.front()->iterators.size() - 1));
  if (!vectors) return std::nullopt;
  for (auto& [key, row] : vectors->rows()) {
    if (arrays.count(row.array.get()) == 0) continue;  // it has elements beyond, or needs none
    row.least = std::min<std::int64_t>(row.least, 0);
    row.most = std::max<std::int64_t>(row.most, 0);
    if (row.least < -1 || row.most > 1) return std::nullopt;
    if (row.least < row.most) vectors->KeepInRegisters(names, row);
  }
  Expr count = kernel::ConvertTo(kernel::kIndex, names.Form(*points));
  return RingRows(names, inside, *std::move(vectors), std::move(count));
}

Expr RingRows::IsWhole(const Expr& first, const Expr& last) const {
  constexpr std::int64_t kLeastWidths = 4;
  return kernel::And(
      {kernel::Apply(BinaryOp::Equal, first, Number(0)),
       kernel::Apply(BinaryOp::Equal, last, points_ - Number(1)),
       kernel::Apply(BinaryOp::GreaterEqual, points_, Number(kLeastWidths) * vectors_.width())});
}

void RingRows::LowerRow(Block& block) const {
  const Expr width = vectors_.width();
  // Where stores are aligned, but not beyond the first vector.
  block.Add(LetStmt{aligned_, vectors_.ToAligned(Number(0))});
  const Expr is_aligned = kernel::Apply(BinaryOp::Equal, Read(aligned_), Number(0));
  block.Add(LetStmt{start_, LowerConditional(is_aligned, width, Smaller(Read(aligned_), width))});
  const Expr turns = kernel::Call(kernel::Routine::CeilDiv, kernel::kIndex,
                                  {points_ - width - Read(start_), width});
  block.Add(LetStmt{stop_, Read(start_) + turns * width});
  const Expr last = points_ - width;
  LowerEnd(block, {last, Number(0), width, width});
  ForStmt points;
  points.var = vectors_.iterator();
  points.first = Read(start_);
  points.last = Read(stop_);
  points.below = true;
  points.kind = kernel::LoopKind::Vector;
  points.body = inside_->point();
  block.Add(std::move(points));
  LowerEnd(block, {points_ - Number(2) * width, last, Number(0), points_});
}

void RingRows::LowerEnd(Block& block, const Places& places) const {
  // A loop, of one turn, so that what modes make of rows is computed once for all loops of the row.
  ForStmt end;
  end.var = vectors_.iterator();
  end.first = places.here;
  end.last = places.end;
  end.below = true;
  end.step = vectors_.width();
  vectors_.LowerPositions(end.body);
  for (const auto& [key, row] : vectors_.rows()) {
    if (row.after == nullptr) continue;
    end.body.Add(LetStmt{row.before, vectors_.LoadAt(row, places.before)});
    end.body.Add(LetStmt{row.here, vectors_.LoadHere(row, Number(0))});
    end.body.Add(LetStmt{row.after, vectors_.LoadAt(row, places.after)});
  }
  vectors_.LowerValues(end.body, RowVectors::Neighbours::Anywhere);
  block.Add(std::move(end));
}

}  // namespace stencilgen::lower::cpp
