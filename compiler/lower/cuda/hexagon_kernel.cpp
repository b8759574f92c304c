#include "lower/cuda/hexagon_kernel.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "lower/band_space.h"
#include "lower/cuda/device_style.h"
#include "lower/cuda/hexagon_boxes.h"
#include "lower/cuda/kernel_arguments.h"
#include "lower/domain_bounds.h"
#include "lower/index_math.h"
#include "lower/operator_code.h"
#include "lower/source_comments.h"
#include "plan/time_band.h"

namespace stencilgen::lower::cuda {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

namespace {

class HexagonKernel {
 public:
  HexagonKernel(const ProgramModel& model, const plan::Repeat& repeat, std::size_t number)
      : model_(model),
        repeat_(repeat),
        band_(*repeat.band),
        hexagon_(*band_.hexagon),
        space_(model, repeat),
        names_(&model.scope()),
        name_(model.BandName(number)),
        phase_(model.PhaseVar(number)),
        t_(TurnOf(model, repeat)),
        ranges_(repeat, space_, names_),
        boxes_(model, repeat, space_, ranges_, names_, phase_) {
    if (t_ == nullptr) t_ = NewVar("t", kernel::kIndex);
    begin_ = NewVar("t_begin", kernel::kIndex);
    grows_ = kernel::MakeVar(names_.Claim("grows"), kernel::kBool);
    lean_ = NewVar("step", kernel::kInt);
    for (std::size_t n = 0; n < space_.Rank(); ++n) {
      lo_.push_back(NewVar(space_.IteratorName(n) + "_lo", kernel::kInt));
      hi_.push_back(NewVar(space_.IteratorName(n) + "_hi", kernel::kInt));
    }
  }

  LoweredHexagons Lower() {
    LoweredHexagons lowered;
    lowered.kernel.function = LowerFunction();
    lowered.kernel.launch = LowerLaunch(lowered.kernel.function);
    lowered.phase = phase_;
    return lowered;
  }

 private:
  /// What launches know the turn by; null where the program does not name it.
  static VarRef TurnOf(const ProgramModel& model, const plan::Repeat& repeat) {
    const graph::ParameterId turn = graph::LoopOf(model.graph(), repeat.loop).turn;
    return turn.Valid() ? model.Var(turn) : nullptr;
  }

  VarRef NewVar(const std::string& wish, kernel::Type type) {
    return kernel::MakeVar(names_.Claim(wish), type);
  }

  std::int64_t Half() const { return hexagon_.half; }

  kernel::Function LowerFunction() {
    kernel::Function function;
    function.name = name_;
    function.target = kernel::Target::Device;
    function.threads = hexagon_.block[0] * hexagon_.block[1];
    function.registers = model_.options().registers;
    function.comments = Comments();
    LowerTurnsOfTile(function.body);
    boxes_.Declare(function.body);
    LowerStrips(function.body, 1);
    AddArguments(function);
    return function;
  }

  std::vector<std::string> Comments() const {
    const std::string x = space_.IteratorName(0);
    std::vector<std::string> lines = {
        fmt::format("All turns t of a loop, in tiles: hexagons in t and {}{}.", x,
                    space_.Rank() > 1 ? fmt::format(", which strips of {} cross from low to high",
                                                    space_.IteratorName(space_.Rank() - 1))
                                      : std::string()),
        "",
        fmt::format(
            "  t |  \\______/  \\______/      A launch has the tiles of a phase. They grow for"
            " {} turns",
            Half()),
        "    |  /      \\  /      \\      and shrink for as many, when those of the next phase "
        "grow",
        fmt::format("    |_/________\\/________\\_ {}  between them. Nothing is computed twice.",
                    x),
        ""};
    for (const plan::KernelId id : band_.launches) {
      lines.push_back(StencilComment(model_.options(), model_.OperatorOf(id)));
    }
    return lines;
  }

  /// The turns that the tile has.
  void LowerTurnsOfTile(Block& block) {
    block.Add(LetStmt{begin_, (Read(phase_) - Number(1)) * Number(Half())});
    t_lo_ = NewVar("t_lo", kernel::kIndex);
    t_hi_ = NewVar("t_hi", kernel::kIndex);
    block.Add(LetStmt{t_lo_, LargestHere({Read(begin_), Number(0)})});
    block.Add(LetStmt{
        t_hi_, LeastHere({model_.Form(repeat_.turns.count), Read(begin_) + Number(2 * Half())}) -
                   Number(1)});
  }

  /// Along the n-th iterator and those after it.
  void LowerStrips(Block& block, std::size_t n) {
    if (n >= space_.Rank()) {
      boxes_.Load(block);
      LowerTurns(block);
      boxes_.Store(block);
      return;
    }
    ForStmt strips = boxes_.OverStrips(block, n);
    LowerStrips(strips.body, n + 1);
    if (n + 1 == space_.Rank()) strips.body.Add(kernel::BarrierStmt{});
    block.Add(std::move(strips));
  }

  void LowerTurns(Block& block) {
    block.Add(kernel::BarrierStmt{});
    ForStmt turns;
    turns.var = t_;
    turns.first = Read(t_lo_);
    turns.last = Read(t_hi_);
    turns.body.Add(LetStmt{lean_, kernel::ConvertTo(kernel::kInt, Read(t_) - Read(begin_))});
    turns.body.Add(LetStmt{grows_, kernel::Apply(BinaryOp::Less, Read(lean_), Number(Half()))});
    for (std::size_t m = 0; m < band_.launches.size(); ++m) {
      LowerLaunch(turns.body, m);
      turns.body.Add(kernel::BarrierStmt{});
    }
    block.Add(std::move(turns));
  }

  /// Where the launch's points begin and end in the turn.
  BandSpace::Ends EndsOf(std::size_t m, std::size_t n) const {
    if (n == 0) {
      const Expr grown = Number(band_.outer.slope) * Read(lean_);
      const plan::ElementRange grows = plan::GrowingRows(band_, m, 0);
      const plan::ElementRange shrinks = plan::ShrinkingRows(band_, m, -Half());
      const Expr base = Read(boxes_.base());
      return {{base + kernel::Choose(Read(grows_), Number(grows.first) - grown,
                                     Number(shrinks.first) + grown)},
              {base + kernel::Choose(Read(grows_), Number(grows.last) + grown,
                                     Number(shrinks.last) - grown)}};
    }
    const plan::BandStrip& strip = hexagon_.strips[n - 1];
    const Expr low =
        Read(boxes_.strip(n)) - Number(strip.side.slope) * Read(lean_) - Number(strip.side.rise[m]);
    return {{low}, {low + Number(strip.width - 1)}};
  }

  void LowerLaunch(Block& block, std::size_t m) {
    const plan::KernelId id = band_.launches[m];
    kernel::ScopeStmt scope;
    std::vector<Expr> needed;
    const graph::Operator& op = model_.OperatorOf(id);
    needed.push_back(GuardOf(op.domain, [&](const graph::LinearForm& form) { return Form(form); }));
    for (std::size_t n = 0; n < space_.Rank(); ++n) {
      BandSpace::Ends ends = EndsOf(m, n);
      ends.lows.insert(ends.lows.begin(), ranges_.Lo(m, n));
      ends.highs.insert(ends.highs.begin(), ranges_.Hi(m, n));
      scope.body.Add(LetStmt{lo_[n], LargestHere(ends.lows)});
      scope.body.Add(LetStmt{hi_[n], LeastHere(ends.highs)});
      if (!space_.PlacesOf(id)[n]) continue;
      needed.push_back(kernel::Apply(BinaryOp::LessEqual, Read(lo_[n]), Read(hi_[n])));
    }
    Block points;
    LowerTurnOf(points, m, 0);
    const Expr condition = kernel::And(needed);
    if (condition.Valid()) {
      scope.body.Add(kernel::IfStmt{condition, std::move(points), {}});
    } else {
      scope.body.Append(points);
    }
    block.Add(std::move(scope));
  }

  /// The launch with the memory that buffers have in turn t.
  void LowerTurnOf(Block& block, std::size_t m, int turn) {
    if (turn + 1 == band_.period) return LowerPoints(block, m, turn);
    kernel::IfStmt choice{
        kernel::Apply(BinaryOp::Equal, kernel::Apply(BinaryOp::Mod, Read(t_), Number(band_.period)),
                      Number(turn)),
        {},
        {}};
    LowerPoints(choice.then_block, m, turn);
    LowerTurnOf(choice.else_block, m, turn + 1);
    block.Add(std::move(choice));
  }

  void LowerPoints(Block& block, std::size_t m, int turn) {
    const plan::KernelId id = band_.launches[m];
    const graph::Operator& op = model_.OperatorOf(id);
    OperatorStyle style = DeviceStyle(model_);
    style.scope = &names_;
    style.short_iterators = true;
    for (const int iterator : op.iterators) {
      const auto& all = space_.Iterators();
      const auto at = std::find(all.begin(), all.end(), iterator);
      style.iterators.push_back(boxes_.at(static_cast<std::size_t>(at - all.begin())));
    }
    const auto memory = [this, turn](plan::BufferId buffer) {
      return plan::AfterTurns(repeat_, buffer, turn);
    };
    style.element = [this, memory](plan::BufferId buffer, const Expr& position) {
      return kernel::ElementAt(model_.DeviceVar(memory(buffer)), position);
    };
    style.element_at = [this, memory](plan::BufferId buffer, const std::vector<Expr>& indices) {
      return boxes_.Find(memory(buffer), indices);
    };
    const OperatorCode code(model_, op, style);
    block.Append(code.uniform());
    Block point;
    const std::int64_t flops = graph::FlopsPerPoint(model_.graph(), op);
    if (flops > 0) point.Add(kernel::FlopsStmt{flops});
    point.Append(code.point());
    for (std::size_t n = space_.Rank(); n-- > 0;) {
      if (space_.PlacesOf(id)[n]) continue;
      point = boxes_.OverPlaces(n, boxes_.at(n), Read(lo_[n]), Read(hi_[n]), std::move(point));
    }
    LowerStandingPoint(block, id, std::move(point));
    for (const auto& [buffer, use] : code.buffers()) {
      uses_[memory(buffer)].read |= use.read;
      uses_[memory(buffer)].written |= use.written;
    }
    scalars_.insert(code.scalars().begin(), code.scalars().end());
    parameters_.insert(code.parameters().begin(), code.parameters().end());
  }

  /// A launch that does not walk the axes of all threads is theirs who are first along them.
  void LowerStandingPoint(Block& block, plan::KernelId id, Block points) const {
    std::vector<Expr> first;
    for (std::size_t n = 0; n < space_.Rank(); ++n) {
      if (!space_.PlacesOf(id)[n] || boxes_.ThreadsAlong(n) == 1) continue;
      first.push_back(kernel::Apply(BinaryOp::Equal, boxes_.ThreadAlong(n), Number(0)));
    }
    const Expr condition = kernel::And(first);
    if (!condition.Valid()) return block.Append(points);
    block.Add(kernel::IfStmt{condition, std::move(points), {}});
  }

  Expr Form(const graph::LinearForm& form) const { return model_.Form(form); }

  void AddArguments(kernel::Function& function) {
    boxes_.AddUses(uses_);
    parameters_.merge(boxes_.Parameters());
    for (const auto& [id, factor] : repeat_.turns.count.terms) parameters_.insert(id);
    for (const plan::KernelId id : band_.launches) {
      for (const graph::LinearForm& guard : model_.OperatorOf(id).domain.guards) {
        for (const auto& [parameter, factor] : guard.terms) parameters_.insert(parameter);
      }
    }
    if (const graph::ParameterId turn = graph::LoopOf(model_.graph(), repeat_.loop).turn;
        turn.Valid()) {
      parameters_.erase(turn);
    }
    function.arguments = ArgumentsOf(model_, {uses_, scalars_, parameters_});
    function.arguments.push_back({phase_, true});
    for (const kernel::LaunchRange& range : ranges_.ranges()) {
      function.arguments.push_back({range.lo, true});
      function.arguments.push_back({range.hi, true});
    }
  }

  kernel::Launch LowerLaunch(const kernel::Function& function) {
    kernel::Launch launch;
    launch.name = names_.Claim("launch_" + name_);
    launch.function = function.name;
    launch.ranges = ranges_.ranges();
    launch.covered = ranges_.all();
    launch.axes.push_back({launch.ranges.size(), plan::PitchOf(band_)});
    launch.ranges.push_back(boxes_.Tiles(names_.Claim("tiles")));
    launch.short_coordinates = true;
    launch.threads = {hexagon_.block[0]};
    if (hexagon_.block[1] > 1) launch.threads.push_back(hexagon_.block[1]);
    launch.shared_bytes = boxes_.SharedBytes();
    for (const kernel::Argument& argument : function.arguments) {
      launch.arguments.push_back(argument.var);
    }
    return launch;
  }

  const ProgramModel& model_;
  const plan::Repeat& repeat_;
  const plan::TimeBand& band_;
  const plan::Hexagon& hexagon_;
  const BandSpace space_;
  NameScope names_;
  std::string name_;
  VarRef phase_, t_;
  const HexagonRanges ranges_;
  HexagonBoxes boxes_;
  VarRef begin_, t_lo_, t_hi_, grows_, lean_;
  std::vector<VarRef> lo_, hi_;  ///< by iterator
  OperatorCode::Uses uses_;
  std::set<int> scalars_;
  std::set<graph::ParameterId> parameters_;
};

}  // namespace

LoweredHexagons LowerHexagons(const ProgramModel& model, const plan::Repeat& repeat,
                              std::size_t number) {
  return HexagonKernel(model, repeat, number).Lower();
}

}  // namespace stencilgen::lower::cuda
