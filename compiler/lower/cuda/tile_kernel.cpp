#include "lower/cuda/tile_kernel.h"

#include <fmt/format.h>

#include "lower/cuda/kernel_arguments.h"
#include "lower/cuda/tile_steps.h"
#include "lower/domain_bounds.h"
#include "lower/source_comments.h"
#include "plan/barriers.h"
#include "plan/unroll_steps.h"

namespace stencilgen::lower::cuda {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

namespace {

class TileKernel {
 public:
  TileKernel(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        tile_(*model.plan().kernels[kernel].tile),
        scope_(model, kernel),
        tests_(scope_),
        edges_(scope_),
        steps_(scope_, tests_, edges_) {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d || tile_.HasChunks()) tiled_.push_back(d);
      counts_.push_back(NewVar(fmt::format("{}_tiles", scope_.iterators()[d]->name)));
    }
    if (!tiled_.empty()) counter_ = NewVar("tile");
    if (tile_.shortest > 0) {
      chunk_ = NewVar(fmt::format("{}_chunk", scope_.iterators()[*tile_.stream]->name));
    }
    start_ = NewVar(fmt::format("{}_start", scope_.iterators().back()->name));
    interior_ = kernel::MakeVar(scope_.Claim("interior"), kernel::kBool);
    last_ = NewVar("plane_end");
    steady_begin_ = NewVar("steady_begin");
    steady_end_ = NewVar("steady_end");
  }

  kernel::LaunchedKernel Lower() {
    kernel::LaunchedKernel lowered{LowerFunction(), {}};
    lowered.launch = LowerLaunch(lowered.function);
    return lowered;
  }

 private:
  VarRef NewVar(const std::string& wish) {
    return kernel::MakeVar(scope_.Claim(wish), scope_.CoordinateType());
  }

  kernel::Function LowerFunction() {
    const Block guarded = steps_.Lower(true);
    const Block free = steps_.Lower(false);
    kernel::Function function;
    function.name = model_.Name(kernel_);
    function.target = kernel::Target::Device;
    function.threads = tile_.Threads();
    function.warp = tile_.warp;
    function.registers = model_.options().registers;
    function.blocks = model_.plan().kernels[kernel_].resident;
    function.loads_in_order = plan::LoadsInOrder(model_.graph(), tile_);
    if (tile_.alignment > 1) function.vectors = steps_.vectors();
    LowerPlace(function.body);
    LowerStorage(function.body);
    LowerPointers(function.body);
    steps_.rims().LowerPlaces(function.body);
    steps_.pipeline().Declare(function.body);
    function.body.Append(tests_.declarations());
    function.body.Append(edges_.declarations());
    LowerWalk(function.body, guarded, free);
    AddComments(function);
    AddArguments(function);
    return function;
  }

  void AddComments(kernel::Function& function) const {
    for (std::size_t k = 0; k < tile_.ops.size(); ++k) {
      function.comments.push_back(StencilComment(model_.options(), scope_.OperatorAt(k)));
    }
    std::vector<std::string> sizes;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream == d) continue;
      sizes.push_back(fmt::format("{} of {} points along {}", tile_.Stored(d),
                                  tile_.threads[d] * tile_.points[d], scope_.iterators()[d]->name));
    }
    function.comments.push_back(fmt::format("Each block stores {}.", fmt::join(sizes, ", ")));
  }

  KernelUses Uses() const { return {scope_.buffers(), scope_.scalars(), scope_.parameters()}; }
  void AddArguments(kernel::Function& function) const {
    function.arguments = ArgumentsOf(model_, Uses());
    if (tile_.pipeline) function.arguments.push_back({scope_.stages(), true});
    for (const TileScope::Range& range : scope_.ranges()) {
      function.arguments.push_back({range.lo, true});
      function.arguments.push_back({range.hi, true});
    }
    if (tile_.alignment > 1) function.arguments.push_back({start_, true});
    for (std::size_t n = 1; n < tiled_.size(); ++n) {
      function.arguments.push_back({counts_[tiled_[n]], true});
    }
    if (chunk_ != nullptr) function.arguments.push_back({chunk_, true});
  }

  bool IsFitted(std::size_t d) const { return tile_.stream == d && chunk_ != nullptr; }
  /// Points from one tile along a dimension to the next, where no argument of the kernel says it.
  std::int64_t Step(std::size_t d) const {
    return tile_.stream == d ? tile_.chunk : tile_.Stored(d);
  }
  Expr StepOf(std::size_t d) const { return IsFitted(d) ? Read(chunk_) : Number(Step(d)); }

  Expr Place(kernel::PlaceExpr::What what, std::size_t d, kernel::Type type) const {
    return kernel::GridPlace(what, static_cast<int>(tile_.dimensions - 1 - d), type);
  }

  /// Where the block's tile and the thread's points are.
  void LowerPlace(Block& block) const {
    const kernel::Type type = scope_.CoordinateType();
    const Expr number = kernel::GridPlace(kernel::PlaceExpr::What::Block, 0, type);
    if (tiled_.size() > 1) block.Add(LetStmt{counter_, number, true});
    for (std::size_t n = tiled_.size(); n-- > 0;) {
      const std::size_t d = tiled_[n];
      const Expr count = Read(counts_[d]);
      const Expr index = tiled_.size() == 1 ? number
                         : n == 0           ? Read(counter_)
                                            : kernel::Apply(BinaryOp::Mod, Read(counter_), count);
      const VarRef& start = tile_.stream == d ? scope_.plane_first() : scope_.TileStart(d);
      block.Add(LetStmt{start, FirstTile(d) + index * StepOf(d)});
      if (n > 0) block.Add(kernel::AssignStmt{Read(counter_), AssignOp::Div, count});
    }
    for (std::size_t d = 0; d < tile_.dimensions; ++d) LowerEnds(block, d);
    if (tile_.stream) LowerPlanes(block);
    if (tile_.pipeline) {
      block.Add(LetStmt{scope_.stage(),
                        Place(kernel::PlaceExpr::What::Thread, *tile_.stream, kernel::kInt)});
      block.Add(LetStmt{scope_.behind(), Read(scope_.stage()) * Number(tile_.pipeline->shift)});
    }
    Expr position = Number(0);
    for (std::size_t d = tile_.dimensions; d-- > 0;) {
      if (tile_.stream == d) continue;
      Expr at = Read(scope_.TileStart(d)) - Number(tile_.halo.lo[d]);
      if (tile_.threads[d] > 1) {
        at = at + Place(kernel::PlaceExpr::What::Thread, d, type) * Number(tile_.points[d]);
        position = position + Place(kernel::PlaceExpr::What::Thread, d, kernel::kInt) *
                                  Number(tile_.points[d] * tile_.SharedStride(d));
      }
      block.Add(LetStmt{scope_.First(d), at});
    }
    if (!tile_.regions.empty()) block.Add(LetStmt{scope_.position(), position});
  }

  bool IsAligned(std::size_t d) const { return tile_.alignment > 1 && d + 1 == tile_.dimensions; }
  /// Where the first tile begins, or the first plane (plan::Tile::FirstTile).
  Expr FirstTile(std::size_t d) const {
    return Read(IsAligned(d) ? start_ : scope_.Grid(d).lo) + Number(tile_.spared.lo[d]);
  }

  /// The first and the last point that the block stores, where those of the first and the last tile
  /// are others.
  void LowerEnds(Block& block, std::size_t d) const {
    const Expr start = Read(scope_.TileStart(d));
    if (tile_.spared.lo[d] > 0) {
      block.Add(LetStmt{scope_.TileFrom(d),
                        kernel::Choose(kernel::Apply(BinaryOp::LessEqual, start, FirstTile(d)),
                                       start - Number(tile_.halo.lo[d]), start)});
    }
    if (tile_.spared.hi[d] > 0) {
      const Expr last = start + Number(tile_.Stored(d) - 1);
      block.Add(LetStmt{
          scope_.TileTo(d),
          kernel::Choose(kernel::Apply(BinaryOp::GreaterEqual, last + Number(tile_.spared.hi[d]),
                                       Read(scope_.Grid(d).hi)),
                         last + Number(tile_.halo.hi[d]), last)});
    }
  }

  /// The first and the last plane that the block stores.
  void LowerPlanes(Block& block) const {
    const TileScope::Range& grid = scope_.Grid(*tile_.stream);
    if (!tile_.HasChunks()) {
      block.Add(LetStmt{scope_.plane_first(), Read(grid.lo)});
      block.Add(LetStmt{scope_.plane_last(), Read(grid.hi)});
      return;
    }
    block.Add(LetStmt{scope_.plane_last(),
                      kernel::Call(Function::Min, scope_.CoordinateType(),
                                   {Read(scope_.plane_first()) + LastOfChunk(), Read(grid.hi)})});
  }

  Expr LastOfChunk() const {
    return chunk_ != nullptr ? Read(chunk_) - Number(1) : Number(tile_.chunk - 1);
  }

  void LowerStorage(Block& block) const {
    for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
      const plan::TileVersion& version = tile_.versions[v];
      const int index = static_cast<int>(v);
      kernel::DeclareStmt planes;
      for (int age = 0; age < static_cast<int>(version.planes.size()); ++age) {
        if (!version.planes[static_cast<std::size_t>(age)].registers) continue;
        planes.vars.push_back(scope_.Registers(index, age));
      }
      if (!planes.vars.empty()) block.Add(std::move(planes));
      LowerSums(block, index);
      steps_.rims().DeclareVariables(block, index);
      for (int slot = 0; slot < version.slots; ++slot) {
        const auto& region = tile_.regions[static_cast<std::size_t>(version.region)];
        block.Add(kernel::SharedStmt{
            scope_.Shared(index, version.FirstShared() + slot), region.byte_offset,
            region.origin + slot * region.plane_elements, version.slots > 1});
      }
    }
  }

  /// The sums of the operator that makes the version, where it is scattered.
  void LowerSums(Block& block, int version) const {
    for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
      if (!tile_.ops[op].scatter || tile_.Find(scope_.OperatorAt(op).result) != version) continue;
      kernel::DeclareStmt sums;
      for (std::size_t ahead = 0; ahead < tile_.ops[op].scatter->parts.size(); ++ahead) {
        sums.vars.push_back(scope_.Sums(op, ahead));
      }
      block.Add(std::move(sums));
    }
  }

  /// Where the thread's first point is in memory, in the first step.
  void LowerPointers(Block& block) {
    for (const TileScope::MovingPointer& pointer : scope_.pointers()) {
      const plan::BufferId buffer = model_.plan().buffer_of[pointer.version.index];
      const int version = tile_.Find(pointer.version);
      std::vector<Expr> indices;
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        Expr at = Read(scope_.First(d));
        if (tile_.stream == d) {
          const std::int64_t lag = tile_.versions[static_cast<std::size_t>(version)].lag -
                                   (pointer.store ? 0 : tile_.Ahead(version));
          at = Read(scope_.plane_first()) - Number(tile_.StepsBefore() + lag);
          if (tile_.pipeline) at = at - Read(scope_.behind());
        }
        indices.push_back(kernel::ConvertTo(kernel::kIndex, at));
      }
      block.Add(LetStmt{
          pointer.var,
          kernel::AddressAt(model_.Var(buffer), scope_.PositionOf(pointer.version, indices)),
          tile_.stream.has_value()});
    }
  }

  /// Blocks inside all domains take the steps without tests, for the planes that need none.
  void LowerWalk(Block& block, const Block& guarded, const Block& free) {
    const Expr interior = tests_.Interior();
    const bool same = kernel::Print(guarded) == kernel::Print(free);
    if (!same) {
      block.Add(LetStmt{interior_, interior.Valid()
                                       ? interior
                                       : kernel::Constant(kernel::kBool, std::int64_t{1})});
    }
    if (!tile_.stream) {
      if (same) return block.Append(free);
      return block.Add(kernel::IfStmt{Read(interior_), free, guarded});
    }
    const VarRef& plane = scope_.plane();
    block.Add(LetStmt{plane, Read(scope_.plane_first()) - Number(tile_.StepsBefore()), true});
    block.Add(LetStmt{last_, Read(scope_.plane_last()) + Number(tile_.StepsAfter())});
    if (same) return block.Add(WalkTo(last_, free));
    block.Add(LetStmt{steady_begin_, kernel::Choose(Read(interior_), tests_.SteadyBegin(),
                                                    Read(last_) + Number(1))});
    block.Add(LetStmt{steady_end_, tests_.SteadyEnd()});
    kernel::WhileStmt walk{kernel::Apply(BinaryOp::LessEqual, Read(plane), Read(last_)), {}};
    kernel::IfStmt steady{
        kernel::And({kernel::Apply(BinaryOp::GreaterEqual, Read(plane), Read(steady_begin_)),
                     kernel::Apply(BinaryOp::LessEqual, Read(plane), Read(steady_end_))}),
        {},
        guarded};
    steady.then_block.Add(WalkTo(steady_end_, free));
    steady.else_block.Add(kernel::AssignStmt{Read(plane), AssignOp::Add, Number(1)});
    walk.body.Add(std::move(steady));
    block.Add(std::move(walk));
  }

  /// The steps up to a plane, from where the walk is.
  ForStmt WalkTo(const VarRef& last, const Block& steps) const {
    ForStmt loop;
    loop.var = scope_.plane();
    loop.last = Read(last);
    loop.body = steps;
    const int unroll = UnrollOfSteps(model_.graph(), tile_);
    if (unroll > 1) {
      loop.kind = kernel::LoopKind::Unrolled;
      loop.unroll = unroll;
    }
    return loop;
  }

  kernel::Launch LowerLaunch(const kernel::Function& function) const {
    kernel::Launch launch;
    launch.name = model_.Launcher(kernel_);
    launch.function = function.name;
    launch.short_coordinates = scope_.CoordinateType() == kernel::kInt && !model_.FitsIntIndex();
    launch.adds_coordinates = edges_.FindsPlaces();
    launch.shared_bytes = tile_.shared_bytes;
    launch.threads.assign(tile_.dimensions, 1);
    launch.ranges = {scope_.ranges().begin(), scope_.ranges().end()};
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      launch.covered.push_back(scope_.NumberOf(scope_.Grid(d)));
      const bool stages = tile_.pipeline && tile_.stream == d;
      launch.threads[tile_.dimensions - 1 - d] = stages ? tile_.Stages() : tile_.threads[d];
    }
    for (std::size_t d : tiled_) {
      if (!IsFitted(d)) AddTiles(launch, d);
    }
    if (chunk_ != nullptr) AddChunks(launch);
    if (tile_.alignment > 1) launch.vectors = Vectors();
    for (const kernel::Argument& argument : function.arguments) {
      launch.arguments.push_back(argument.var);
    }
    return launch;
  }

  /// The number of tiles along a dimension.
  void AddTiles(kernel::Launch& launch, std::size_t d) const {
    const std::size_t grid = scope_.NumberOf(scope_.Grid(d));
    if (IsAligned(d)) {
      launch.values.push_back({kernel::LaunchValue::Kind::Start, start_, grid, tile_.alignment,
                               tile_.halo.lo[d] - tile_.spared.lo[d]});
    }
    launch.values.push_back({kernel::LaunchValue::Kind::Tiles, counts_[d], grid, Step(d), 0,
                             IsAligned(d) ? start_ : nullptr,
                             tile_.spared.lo[d] + tile_.spared.hi[d]});
    launch.tiles.push_back(counts_[d]);
  }

  /// The number of chunks along the stream, as many as make whole waves with the other tiles.
  void AddChunks(kernel::Launch& launch) const {
    const std::size_t d = *tile_.stream;
    const std::size_t grid = scope_.NumberOf(scope_.Grid(d));
    kernel::LaunchValue chunk{kernel::LaunchValue::Kind::FittedChunk, chunk_, grid};
    chunk.costs = model_.plan().kernels[kernel_].chunks;
    chunk.costs.shortest = tile_.shortest;
    kernel::LaunchValue count{kernel::LaunchValue::Kind::Tiles, counts_[d], grid};
    count.chunk = chunk_;
    launch.values.push_back(std::move(chunk));
    launch.values.push_back(std::move(count));
    launch.tiles.push_back(counts_[d]);
  }

  /// What the kernel loads and stores as vectors.
  std::vector<kernel::RowAlignment> Vectors() const {
    std::vector<kernel::RowAlignment> vectors;
    for (const TileScope::MovingPointer& pointer : scope_.pointers()) {
      const plan::BufferId buffer = model_.plan().buffer_of[pointer.version.index];
      const plan::Buffer& memory = model_.plan().buffers[buffer];
      const int elements = VectorOf(tile_, model_.ArrayOf(pointer.version));
      if (elements == 1) continue;
      vectors.push_back({model_.Var(buffer), elements, SizeInBytes(memory.type), Expr()});
      if (tile_.dimensions > 1) vectors.back().row = model_.Form(memory.extents.back());
    }
    return vectors;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const plan::Tile& tile_;
  TileScope scope_;
  TileTests tests_;
  TileEdges edges_;
  TileSteps steps_;
  std::vector<std::size_t> tiled_;  ///< dimensions that the grid cuts
  std::vector<VarRef> counts_;      ///< by dimension: its number of tiles
  VarRef counter_, start_, interior_, last_, steady_begin_, steady_end_;
  VarRef chunk_;  ///< the length of chunks, where the host chooses it; else null
};

}  // namespace

kernel::LaunchedKernel LowerTileKernel(const ProgramModel& model, plan::KernelId kernel) {
  return TileKernel(model, kernel).Lower();
}

}  // namespace stencilgen::lower::cuda
