#include "plan/matrix_tiles.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/nodes.h"
#include "graph/pointwise_loops.h"
#include "graph/turns.h"
#include "plan/operator_facts.h"
#include "plan/traffic_parts.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Graph;
using graph::Index;
using graph::NodeId;
using graph::Operator;
using graph::ParameterId;

constexpr std::int64_t kBoxAlignment = 16;  // of a box in shared memory, in bytes

std::int64_t StepOf(const Index& index, ParameterId turn) {
  for (const auto& [id, coefficient] : index.offset.terms) {
    if (turn.Valid() && id == turn) return coefficient;
  }
  return 0;
}

bool IsInBox(const Access& access) {
  return !access.indices.empty() &&
         std::all_of(access.boundary.begin(), access.boundary.end(), [](const auto& boundary) {
           return boundary.kind == graph::BoundaryKind::None;
         });
}

/// True where neighbouring points and turns read neighbouring elements, each along another
/// dimension.
bool HasBox(const Operator& op, const Access& access, ParameterId turn) {
  if (!IsInBox(access)) return false;
  std::set<int> iterators;
  int turns = 0;
  for (const Index& index : access.indices) {
    if (index.place.Valid()) return false;
    if (index.iterator >= 0 &&
        (index.coefficient != 1 || !iterators.insert(index.iterator).second ||
         std::find(op.iterators.begin(), op.iterators.end(), index.iterator) ==
             op.iterators.end())) {
      return false;
    }
    const std::int64_t step = StepOf(index, turn);
    if (step != 0 && (step != 1 || ++turns > 1)) return false;
  }
  return true;
}

/// True where the points that neighbouring threads have lie in different rows.
bool ReadsAcross(const Operator& op, const Access& access) {
  const int along = op.iterators.back();
  for (std::size_t d = 0; d + 1 < access.indices.size(); ++d) {
    if (access.indices[d].iterator == along) return true;
  }
  return false;
}

/// True for a box that is worth its place: several points or turns read an element of it, or it is
/// read across rows.
bool IsWorthABox(const Operator& op, const MatrixTile& tile, const Access& access,
                 ParameterId turn) {
  if (!turn.Valid()) return ReadsAcross(op, access);
  std::int64_t reads = tile.depth;
  for (std::size_t n = 0; n < op.iterators.size(); ++n) reads *= PointsOfBlock(tile, n);
  std::int64_t elements = 1;
  bool by_turn = false;
  for (const Index& index : access.indices) {
    elements *= BoxExtent(op, tile, index, turn);
    by_turn = by_turn || StepOf(index, turn) != 0;
  }
  if (!by_turn) return false;  // it stays the same from turn to turn
  return elements < reads || ReadsAcross(op, access);
}

std::int64_t BytesOf(const Graph& graph, const SharedBox& box) {
  std::int64_t elements = box.row;
  for (std::size_t d = 0; d + 1 < box.extents.size(); ++d) elements *= box.extents[d];
  const std::int64_t bytes = elements * ValueBytes(graph, box.access.version);
  return (bytes + kBoxAlignment - 1) / kBoxAlignment * kBoxAlignment;
}

/// Neighbouring threads that read across rows meet in no bank where rows are odd.
int RowOf(const Operator& op, const Access& access, int extent) {
  return ReadsAcross(op, access) || access.indices.back().iterator != op.iterators.back()
             ? extent | 1
             : extent;
}

void PlaceBoxes(const Graph& graph, const Operator& op, std::int64_t most, MatrixTile& tile) {
  const ParameterId turn = TurnOfBoxes(graph, tile);
  std::int64_t offset = 0;
  for (const graph::ExprId id : graph::Accesses(graph, op)) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    if (tile.Find(access) != nullptr || access.version == op.background ||
        InConstantMemory(graph, access.version) || !HasBox(op, access, turn) ||
        !IsWorthABox(op, tile, access, turn)) {
      continue;
    }
    SharedBox box{access, {}, 1, offset};
    for (const Index& index : access.indices) {
      box.extents.push_back(BoxExtent(op, tile, index, turn));
    }
    box.row = RowOf(op, access, box.extents.back());
    const std::int64_t bytes = BytesOf(graph, box);
    if (offset + bytes > most) continue;
    offset += bytes;
    tile.boxes.push_back(std::move(box));
  }
}

/// The launch that the steps come to, each loop having one step; null where they do not.
const Launch* OnlyLaunch(const Repeat& repeat) {
  if (repeat.body.size() != 1) return nullptr;
  if (const auto* inner = std::get_if<Repeat>(&repeat.body.front())) return OnlyLaunch(*inner);
  return std::get_if<Launch>(&repeat.body.front());
}

bool MovesNothing(const Repeat& repeat) {
  const auto* inner = std::get_if<Repeat>(&repeat.body.front());
  return repeat.rotation.empty() && repeat.scalar_moves.empty() && !repeat.band &&
         (inner == nullptr || MovesNothing(*inner));
}

/// True for one operator that reads rows of an array where it writes columns.
bool Transposes(const Graph& graph, const Operator& op) {
  if (op.reduction || op.iterators.size() < 2 || !HasPlainTarget(op) ||
      op.target.size() != op.iterators.size() || op.target.back().iterator != op.iterators.back() ||
      graph::WritesByTurn(op)) {
    return false;
  }
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
  return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    return HasBox(op, access, {}) && ReadsAcross(op, access) && access.indices.back().iterator >= 0;
  });
}

class Adder {
 public:
  Adder(Plan plan, const MatrixShape& shape, std::int64_t shared_bytes)
      : plan_(std::move(plan)), shape_(shape), shared_bytes_(shared_bytes) {}

  Plan Run() && {
    Visit(plan_.steps);
    return std::move(plan_);
  }

 private:
  void Visit(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (const auto* launch = std::get_if<Launch>(&step)) {
        const Operator* op = OnlyOperator(plan_.kernels[launch->kernel]);
        if (op != nullptr && Transposes(plan_.graph, *op)) Set(launch->kernel, {op, {}, true});
      }
      const auto* repeat = std::get_if<Repeat>(&step);
      if (repeat != nullptr && !VisitLoop(*repeat)) Visit(repeat->body);
    }
  }

  bool VisitLoop(const Repeat& repeat) {
    if (!repeat.loop.Valid()) return false;
    const Launch* launch = OnlyLaunch(repeat);
    if (launch == nullptr || !MovesNothing(repeat)) return false;
    const auto found = graph::FindPointwiseLoop(plan_.graph, repeat.loop);
    const Kernel& kernel = plan_.kernels[launch->kernel];
    const Operator* op = OnlyOperator(kernel);
    if (!found || op == nullptr || kernel.ops.front() != found->op) return false;
    if (plan_.buffer_of[found->entry.index] != plan_.buffer_of[op->result.index]) return false;
    Set(launch->kernel, {op, found->loops, false});
    return true;
  }

  const Operator* OnlyOperator(const Kernel& kernel) const {
    if (kernel.ops.size() != 1 || kernel.held) return nullptr;
    const Operator& op = graph::OperatorOf(plan_.graph, kernel.ops.front());
    return op.iterators.empty() || op.reduction ? nullptr : &op;
  }

  void Set(KernelId id, const MatrixKernel& found) {
    Kernel& kernel = plan_.kernels[id];
    MatrixTile tile = shape_(plan_.graph, found);
    tile.loops = found.loops;
    if (shared_bytes_ > 0) PlaceBoxes(plan_.graph, *found.op, shared_bytes_, tile);
    kernel.tile.reset();
    kernel.windows.clear();
    kernel.schedule.stream.reset();
    kernel.matrix = std::move(tile);
  }

  Plan plan_;
  const MatrixShape& shape_;
  std::int64_t shared_bytes_;
};

/// The loops of the plan around the kernel whose turns it is to run; its launches are counted.
struct Around {
  std::vector<NodeId> loops;
  int launches = 0;
};
void FindAround(const std::vector<Step>& steps, KernelId kernel, std::vector<NodeId>& loops,
                Around& around) {
  for (const Step& step : steps) {
    if (const auto* launch = std::get_if<Launch>(&step)) {
      if (launch->kernel != kernel) continue;
      around.loops = loops;
      ++around.launches;
    }
    const auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    const bool alone = OnlyLaunch(*repeat) != nullptr && MovesNothing(*repeat);
    std::vector<NodeId> inner = loops;
    if (!alone) inner.clear();
    if (alone) inner.push_back(repeat->loop);
    FindAround(repeat->body, kernel, inner, around);
  }
}

void CheckSizes(const Operator& op, const MatrixTile& tile, std::vector<std::string>& problems) {
  const std::size_t count = op.iterators.size();
  const auto fits = [&](const std::vector<int>& sizes, int least) {
    return sizes.empty() ||
           (sizes.size() == count &&
            std::all_of(sizes.begin(), sizes.end(), [&](int each) { return each >= least; }));
  };
  if (tile.points.size() != count || !fits(tile.points, 1) || !fits(tile.threads, 1) ||
      !fits(tile.tile, 0) || tile.depth < 1) {
    problems.emplace_back("a matrix tile of no size");
  }
}

void CheckBoxes(const Graph& graph, const Operator& op, const MatrixTile& tile,
                std::vector<std::string>& problems) {
  const ParameterId turn = TurnOfBoxes(graph, tile);
  std::int64_t end = 0;
  for (const SharedBox& box : tile.boxes) {
    const std::string name = graph::VersionName(graph, box.access.version);
    if (!HasBox(op, box.access, turn) || box.access.version == op.background) {
      problems.push_back(fmt::format("a box of {}, which is not read in boxes", name));
      continue;
    }
    for (std::size_t d = 0; d < box.extents.size(); ++d) {
      if (box.extents[d] < BoxExtent(op, tile, box.access.indices[d], turn)) {
        problems.push_back(fmt::format("the box of {} is too small", name));
      }
    }
    if (box.row < box.extents.back() || box.byte_offset < end) {
      problems.push_back(fmt::format("the box of {} meets another one", name));
    }
    end = box.byte_offset + BytesOf(graph, box);
  }
}

}  // namespace

const SharedBox* MatrixTile::Find(const Access& access) const {
  const auto at = std::find_if(boxes.begin(), boxes.end(), [&](const SharedBox& box) {
    return box.access.version == access.version && box.access.indices == access.indices;
  });
  return at == boxes.end() ? nullptr : &*at;
}

Plan AddMatrixTiles(Plan plan, const MatrixShape& shape, std::int64_t shared_bytes) {
  return Adder(std::move(plan), shape, shared_bytes).Run();
}

ParameterId TurnOfBoxes(const Graph& graph, const MatrixTile& tile) {
  return tile.loops.empty() ? ParameterId{} : graph::LoopOf(graph, tile.loops.back()).turn;
}

int BoxExtent(const Operator& op, const MatrixTile& tile, const Index& index, ParameterId turn) {
  int extent = 1;
  if (index.iterator >= 0) {
    const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
    extent += PointsOfBlock(tile, static_cast<std::size_t>(at - op.iterators.begin())) - 1;
  }
  if (StepOf(index, turn) != 0) extent += tile.depth - 1;
  return extent;
}

int PointsOfBlock(const MatrixTile& tile, std::size_t iterator) {
  return tile.points[iterator] * (tile.threads.empty() ? 1 : tile.threads[iterator]);
}

std::int64_t SharedBytes(const Graph& graph, const MatrixTile& tile) {
  if (tile.boxes.empty()) return 0;
  return tile.boxes.back().byte_offset + BytesOf(graph, tile.boxes.back());
}

bool RunsInKernel(const Plan& plan, const Repeat& repeat) {
  const Launch* launch = OnlyLaunch(repeat);
  if (launch == nullptr || !plan.kernels[launch->kernel].matrix) return false;
  const std::vector<NodeId>& loops = plan.kernels[launch->kernel].matrix->loops;
  return std::find(loops.begin(), loops.end(), repeat.loop) != loops.end();
}

std::vector<std::string> VerifyMatrixTile(const Plan& plan, KernelId id) {
  const Kernel& kernel = plan.kernels[id];
  const MatrixTile& tile = *kernel.matrix;
  if (kernel.ops.size() != 1 || kernel.tile || kernel.held || !kernel.windows.empty()) {
    return {"a matrix tile beside another mapping"};
  }
  std::vector<std::string> problems;
  const Operator& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  CheckSizes(op, tile, problems);
  if (!problems.empty()) return problems;
  Around around;
  std::vector<NodeId> loops;
  FindAround(plan.steps, id, loops, around);
  const std::size_t count = tile.loops.size();
  if (around.launches != 1 || around.loops.size() < count ||
      !std::equal(tile.loops.rbegin(), tile.loops.rend(), around.loops.rbegin())) {
    return {"a matrix tile runs turns of loops that are not around it"};
  }
  if (count > 0) {
    const auto found = graph::FindPointwiseLoop(plan.graph, tile.loops.front());
    if (!found || found->loops != tile.loops || found->op != kernel.ops.front()) {
      return {"a matrix tile runs turns in which points depend on others"};
    }
  } else if (!HasPlainTarget(op)) {
    return {"a matrix tile writes an element at several points"};
  }
  CheckBoxes(plan.graph, op, tile, problems);
  return problems;
}

std::string ToString(const Graph& graph, const Operator& op, const MatrixTile& tile) {
  std::vector<std::string> turns;
  for (const NodeId loop : tile.loops) {
    const ParameterId turn = graph::LoopOf(graph, loop).turn;
    turns.push_back(turn.Valid() ? graph.parameters[turn].name : std::string("a loop"));
  }
  std::vector<int> points;
  for (std::size_t n = 0; n < op.iterators.size(); ++n) points.push_back(PointsOfBlock(tile, n));
  std::string text =
      turns.empty() ? "rows as columns" : fmt::format("all turns of {}", fmt::join(turns, ", "));
  text += fmt::format(", {} of {} points{}", tile.threads.empty() ? "turns" : "blocks",
                      fmt::join(points, "x"), tile.vectors ? " in vectors" : "");
  for (std::size_t k = 0; k < tile.boxes.size(); ++k) {
    const graph::Version& version = graph.versions[tile.boxes[k].access.version];
    text += fmt::format("{} {} {}", k == 0 ? ", in shared memory" : ",",
                        graph.arrays[version.array].name, fmt::join(tile.boxes[k].extents, "x"));
  }
  return text;
}

}  // namespace stencilgen::plan
