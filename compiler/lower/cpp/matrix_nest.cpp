#include "lower/cpp/matrix_nest.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/nodes.h"
#include "lower/cpp/matrix_packs.h"
#include "lower/index_math.h"
#include "lower/source_comments.h"
#include "plan/matrix_tiles.h"

namespace stencilgen::lower::cpp {
namespace {

using graph::Access;
using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

/// How many points a turn of the innermost nest has along an iterator.
struct Step {
  int points = 1;
  bool packs = false;  ///< each of them a pack
};

class MatrixNest {
 public:
  MatrixNest(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        tile_(*model.plan().kernels[kernel].matrix),
        array_(model.graph().arrays[model.graph().versions[op_.result].array]),
        type_(kernel::TypeOf(array_.type)),
        code_(model, op_, NestStyle(model)) {}

  LoweredNest Lower() {
    Block body;
    bounds_ = LowerBounds(body, op_, code_, NestPoints::All);
    MakeVars();
    if (tile_.vectors) body.Add(kernel::PackStmt{pack_, 1, width_});
    LowerTiles(body);
    kernel::Function function;
    function.name = model_.Name(kernel_);
    function.comments = {StencilComment(model_.options(), op_),
                         fmt::format("It has {}.", plan::ToString(model_.graph(), op_, tile_))};
    function.arguments = Arguments();
    function.body = std::move(body);
    kernel::CallStmt call{function.name, {}};
    for (const kernel::Argument& argument : function.arguments) {
      call.arguments.push_back(Read(argument.var));
    }
    return {{std::move(function)}, std::move(call)};
  }

 private:
  VarRef NewIndex(const std::string& wish) {
    return kernel::MakeVar(code_.Claim(wish), kernel::kIndex);
  }

  void MakeVars() {
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      at_.push_back(NewIndex(code_.IteratorName(n) + "_at"));
    }
    for (const graph::NodeId node : tile_.loops) {
      const graph::ParameterId turn = graph::LoopOf(model_.graph(), node).turn;
      turns_.push_back(turn.Valid() ? model_.Var(turn) : NewIndex("turn"));
      if (turn.Valid()) own_turns_.insert(turn);
    }
    pack_ = kernel::MakeVar(code_.Claim("Values"), type_);
    width_ = NewIndex("width");
  }

  const graph::Loop& LoopAt(std::size_t n) const {
    return graph::LoopOf(model_.graph(), tile_.loops[n]);
  }

  /// The tiles along the first iterator, and in them those of turns.
  void LowerTiles(Block& block) {
    const std::string& name = code_.IteratorName(0);
    const VarRef first = NewIndex(name + "_tile"), last = NewIndex(name + "_tile_hi");
    ForStmt tiles = LoopOver(first, bounds_, 0, tile_.tile[0]);
    tiles.kind = kernel::LoopKind::Parallel;
    tiles.work = PointsOf(bounds_);
    if (!tile_.loops.empty()) {
      // More is not counted, which might not fit a position.
      constexpr std::int64_t kMostPoints = 1 << 20, kMostTurns = 1 << 10;
      const Expr turns = code_.Form(LoopAt(tile_.loops.size() - 1).turns.count);
      tiles.work = LesserPosition(tiles.work, Number(kMostPoints)) *
                   LesserPosition(turns, Number(kMostTurns));
    }
    const auto& nest = model_.plan().kernels[kernel_].nest;
    if (nest) tiles.threads = nest->threads;
    tiles.body.Add(LetStmt{
        last, LesserPosition(Read(first) + Number(tile_.tile[0] - 1), Read(bounds_.hi[0]))});
    bounds_.lo[0] = first;
    bounds_.hi[0] = last;
    LowerTurns(tiles.body, 0);
    block.Add(std::move(tiles));
  }

  void LowerTurns(Block& block, std::size_t n) {
    if (tile_.loops.empty()) return LowerSteps(block, 0);
    const Expr count = code_.Form(LoopAt(n).turns.count);
    ForStmt loop;
    loop.first = Number(0);
    loop.last = count;
    loop.below = true;
    if (n + 1 < tile_.loops.size()) {
      loop.var = turns_[n];
      LowerTurns(loop.body, n + 1);
      return block.Add(std::move(loop));
    }
    loop.var = turn_first_ = NewIndex(turns_[n]->name + "_first");
    loop.step = Number(tile_.depth);
    turn_last_ = NewIndex(turns_[n]->name + "_last");
    loop.body.Add(LetStmt{
        turn_last_, LesserPosition(Read(turn_first_) + Number(tile_.depth), count) - Number(1)});
    LowerSteps(loop.body, 0);
    block.Add(std::move(loop));
  }

  /// The iterator that is walked n-th: the last one first, so that what it reads of rows stays in
  /// caches while the others are walked.
  std::size_t WalkedAt(std::size_t n) const { return n == 0 ? op_.iterators.size() - 1 : n - 1; }

  std::vector<Step> StepsAlong(std::size_t iterator) const {
    const bool packs = tile_.vectors && iterator + 1 == op_.iterators.size();
    std::vector<Step> steps;
    if (tile_.points[iterator] > 1 || packs) steps.push_back({tile_.points[iterator], packs});
    if (tile_.points[iterator] > 1 && packs) steps.push_back({1, true});
    steps.push_back({1, false});
    return steps;
  }

  /// Loops over the points along the n-th iterator that is walked, as many at a time as there are.
  void LowerSteps(Block& block, std::size_t n) {
    if (n == op_.iterators.size()) return LowerPoints(block);
    const std::size_t iterator = WalkedAt(n);
    steps_.resize(op_.iterators.size());
    const std::vector<Step> all = StepsAlong(iterator);
    if (all.size() > 1) block.Add(LetStmt{at_[iterator], Read(bounds_.lo[iterator]), true});
    for (const Step& step : all) {
      ForStmt loop = LoopOver(at_[iterator], bounds_, iterator);
      if (all.size() > 1) loop.first = {};
      const Expr points = step.packs ? Number(step.points) * Read(width_) : Number(step.points);
      loop.step = points;
      if (step.packs || step.points > 1) {
        loop.last = Read(bounds_.hi[iterator]) - points + Number(1);
      }
      steps_[iterator] = step;
      LowerSteps(loop.body, n + 1);
      block.Add(std::move(loop));
    }
  }

  /// Of one of the points at hand.
  struct Point {
    std::vector<Expr> at;  ///< by iterator
    VarRef sum;
  };

  bool InPacks() const { return steps_.back().packs; }

  std::vector<Point> Points() {
    std::vector<Point> points = {{}};
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      std::vector<Point> next;
      for (const Point& point : points) {
        for (int k = 0; k < steps_[n].points; ++k) {
          Point each = point;
          const Expr distance = steps_[n].packs ? Number(k) * Read(width_) : Number(k);
          each.at.push_back(Read(at_[n]) + distance);
          next.push_back(std::move(each));
        }
      }
      points = std::move(next);
    }
    for (std::size_t k = 0; k < points.size(); ++k) points[k].sum = SumOf(k);
    return points;
  }

  /// The variable of the k-th point, which is a pack or a value.
  const VarRef& SumOf(std::size_t k) {
    std::vector<VarRef>& sums = sums_[InPacks()];
    while (sums.size() <= k) {
      kernel::Type type = type_;
      if (InPacks()) type.width = kernel::Width::Pack;
      sums.push_back(
          kernel::MakeVar(code_.Claim(fmt::format("{}_{}_{}", array_.name,
                                                  InPacks() ? "pack" : "here", sums.size())),
                          type));
    }
    return sums[k];
  }

  /// All turns of the tile at the points at hand.
  void LowerPoints(Block& block) {
    const std::vector<Point> points = Points();
    if (tile_.loops.empty()) {
      for (const Point& point : points) LowerValue(block, point);
      return;
    }
    buffers_[model_.TargetOf(op_.result)] = {true, true};
    for (const Point& point : points) {
      const Expr value =
          InPacks()
              ? kernel::Call(
                    kernel::Routine::LoadPack, point.sum->type,
                    {Read(pack_), Address(op_.target, array_, model_.TargetOf(op_.result), point)})
              : Target(point);
      block.Add(LetStmt{point.sum, value, true});
    }
    ForStmt turns;
    turns.var = turns_.back();
    turns.first = Read(turn_first_);
    turns.last = Read(turn_last_);
    for (const Point& point : points) LowerValue(turns.body, point);
    block.Add(std::move(turns));
    for (const Point& point : points) {
      if (InPacks()) {
        block.Add(kernel::StorePackStmt{
            Address(op_.target, array_, model_.TargetOf(op_.result), point), Read(point.sum)});
      } else {
        block.Add(kernel::AssignStmt{Target(point), AssignOp::Assign, Read(point.sum)});
      }
    }
  }

  Expr Target(const Point& point) {
    return kernel::ElementAt(model_.Var(model_.TargetOf(op_.result)),
                             Position(op_.target, array_, point));
  }

  /// The value of a point at a turn.
  void LowerValue(Block& block, const Point& point) {
    if (InPacks()) {
      const Expr value = LowerPacks(model_.graph(), op_,
                                    [&](const Access& access) { return Packed(access, point); });
      if (!tile_.loops.empty()) {
        block.Add(kernel::AssignStmt{Read(point.sum), AssignOp::Assign, AsPack(value)});
        return;
      }
      const plan::BufferId buffer = model_.TargetOf(op_.result);
      buffers_[buffer].written = true;
      block.Add(kernel::StorePackStmt{Address(op_.target, array_, buffer, point), AsPack(value)});
      return;
    }
    OperatorStyle style = NestStyle(model_);
    style.like = &code_;
    if (!tile_.loops.empty()) {
      style.result = Read(point.sum);
      style.held = [this, &point](const Access& access) -> std::optional<Expr> {
        if (access.version == op_.background) return Read(point.sum);
        return std::nullopt;
      };
    }
    const OperatorCode code(model_, op_, style);
    kernel::ScopeStmt scope;
    for (std::size_t n = 0; n < point.at.size(); ++n) {
      if (code.UsesIterator(n)) scope.body.Add(LetStmt{code_.IteratorVar(n), point.at[n]});
    }
    scope.body.Append(code.uniform());
    scope.body.Append(code.point());
    block.Add(std::move(scope));
    TakeUses(code);
  }

  Expr AsPack(const Expr& value) const {
    if (value.type().width == kernel::Width::Pack) return value;
    return kernel::Call(kernel::Routine::AsPack, {type_.of, kernel::Width::Pack},
                        {Read(pack_), value});
  }

  Expr Packed(const Access& access, const Point& point) {
    if (access.version == op_.background && !tile_.loops.empty()) return Read(point.sum);
    const kernel::Type vector = {type_.of, kernel::Width::Vector};
    if (access.indices.empty()) {
      const Expr value = code_.Element(access, array_.type);
      return kernel::Call(kernel::Routine::Broadcast, vector, {value});
    }
    const plan::BufferId buffer = model_.plan().buffer_of[access.version.index];
    const graph::Array& array =
        model_.graph().arrays[model_.graph().versions[access.version].array];
    buffers_[buffer].read = true;
    if (access.indices.back().iterator == op_.iterators.back()) {
      return kernel::Call(kernel::Routine::LoadPack, {type_.of, kernel::Width::Pack},
                          {Read(pack_), Address(access.indices, array, buffer, point)});
    }
    return kernel::Call(
        kernel::Routine::Broadcast, vector,
        {kernel::ElementAt(model_.Var(buffer), Position(access.indices, array, point))});
  }

  Expr Address(const std::vector<graph::Index>& indices, const graph::Array& array,
               plan::BufferId buffer, const Point& point) {
    return kernel::AddressAt(model_.Var(buffer), Position(indices, array, point));
  }

  Expr Position(const std::vector<graph::Index>& indices, const graph::Array& array,
                const Point& point) {
    Expr position = Number(0);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (d > 0) position = position * code_.Form(array.extents[d]);
      Expr index = code_.Form(indices[d].offset);
      if (indices[d].iterator >= 0) {
        const auto at = std::find(op_.iterators.begin(), op_.iterators.end(), indices[d].iterator);
        index = Number(indices[d].coefficient) *
                    point.at[static_cast<std::size_t>(at - op_.iterators.begin())] +
                index;
      }
      position = position + index;
    }
    return position;
  }

  void TakeUses(const OperatorCode& code) {
    code.AddBuffersTo(buffers_);
    scalars_.insert(code.scalars().begin(), code.scalars().end());
    parameters_.insert(code.parameters().begin(), code.parameters().end());
  }

  std::vector<kernel::Argument> Arguments() {
    scalars_.insert(code_.scalars().begin(), code_.scalars().end());
    parameters_.insert(code_.parameters().begin(), code_.parameters().end());
    std::vector<kernel::Argument> arguments;
    for (const auto& [buffer, use] : buffers_) {
      arguments.push_back({model_.Var(buffer), use.read, use.written});
    }
    for (const int scalar : scalars_) arguments.push_back({model_.ScalarVar(scalar), true});
    for (const graph::ParameterId id : parameters_) {
      if (own_turns_.count(id) == 0) arguments.push_back({model_.Var(id), true});
    }
    return arguments;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  const plan::MatrixTile& tile_;
  const graph::Array& array_;
  kernel::Type type_;
  OperatorCode code_;  ///< gives names, and knows which parameters are used
  NestBounds bounds_;  ///< of the present tile
  std::vector<VarRef> at_, turns_;
  VarRef turn_first_, turn_last_;
  VarRef pack_, width_;
  std::vector<Step> steps_;  ///< by iterator, of the loops around the present place
  std::map<bool, std::vector<VarRef>> sums_;
  std::set<graph::ParameterId> own_turns_;
  OperatorCode::Uses buffers_;
  std::set<int> scalars_;
  std::set<graph::ParameterId> parameters_;
};

}  // namespace

LoweredNest LowerMatrixNest(const ProgramModel& model, plan::KernelId kernel) {
  return MatrixNest(model, kernel).Lower();
}

}  // namespace stencilgen::lower::cpp
