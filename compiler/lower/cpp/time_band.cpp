#include "lower/cpp/time_band.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "lower/band_space.h"
#include "lower/cpp/kernel.h"
#include "lower/cpp/sweep_in_place.h"
#include "lower/index_math.h"
#include "plan/time_band.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

std::int64_t MostOf(const std::vector<std::int64_t>& shifts) {
  return shifts.empty() ? 0 : *std::max_element(shifts.begin(), shifts.end());
}

/// The function of one band.
class BandFunction {
 public:
  BandFunction(const ProgramModel& model, const plan::Repeat& repeat, std::size_t number,
               const std::map<plan::KernelId, kernel::Function>& boxes)
      : model_(model),
        repeat_(repeat),
        band_(*repeat.band),
        space_(model, repeat),
        boxes_(boxes),
        names_(&model.scope()),
        name_(model.BandName(number)),
        turns_(NewIndex("turns")),
        tile_(NewIndex("tile")),
        strip_(NewIndex("strip")),
        wave_(NewIndex("wave")),
        piece_(NewIndex("piece")),
        left_(NewIndex("left")),
        right_(NewIndex("right")),
        half_(NewIndex("half")),
        upper_(NewIndex("upper")),
        part_(NewIndex("part")),
        t_(NewIndex("t")),
        turn_(TurnOf(model, repeat)),
        t_lo_(NewIndex("t_lo")),
        t_hi_(NewIndex("t_hi")) {}

  kernel::Function Lower() {
    kernel::Function function;
    function.name = name_;
    function.comments = Comments();
    function.arguments = Arguments();
    const std::int64_t grown = SlopeOfSum();
    ForStmt waves;
    waves.var = wave_;
    waves.first = Number(-1);
    waves.last = FloorDiv(
        Number(grown) * (Read(turns_) - Number(1)) + Number(MostShift(band_.outer)), Read(tile_));
    LowerWave(waves.body);
    function.body.Add(std::move(waves));
    return function;
  }

  kernel::BandStep Step() {
    kernel::BandStep step;
    step.call.function = name_;
    for (const kernel::Argument& argument : Arguments()) {
      if (argument.var != turns_ && argument.var != tile_ && argument.var != strip_) {
        step.call.arguments.push_back(Read(argument.var));
      }
    }
    step.rows = space_.Places(0);
    step.columns = HasInner() ? space_.Places(1) : Number(1);
    std::int64_t bytes = 0;
    for (const kernel::Argument& argument : Arguments()) {
      const plan::BufferId buffer = BufferOf(argument.var);
      if (buffer.Valid()) bytes += ElementBytes(model_.plan().buffers[buffer]);
    }
    step.bytes = Number(bytes);
    for (std::size_t n = 2; n < space_.Rank(); ++n)
      step.bytes = step.bytes * space_.Length(space_.lead(), n);
    step.slope = band_.outer.slope;
    step.strips = HasInner();
    step.points = plan::PointsAlongFirst(model_.plan(), band_);
    step.turns_of_tile = band_.turns;
    return step;
  }

 private:
  /// What boxes know the turn by; null where the program does not name it.
  static VarRef TurnOf(const ProgramModel& model, const plan::Repeat& repeat) {
    const graph::ParameterId turn = graph::LoopOf(model.graph(), repeat.loop).turn;
    return turn.Valid() ? model.Var(turn) : nullptr;
  }

  VarRef NewIndex(const std::string& wish) {
    return kernel::MakeVar(names_.Claim(wish), kernel::kIndex);
  }

  /// The buffer whose memory the variable is; invalid where it is none's.
  plan::BufferId BufferOf(const VarRef& var) const {
    for (const plan::BufferId id : model_.plan().buffers.Ids()) {
      if (model_.Var(id) == var) return id;
    }
    return {};
  }

  bool HasInner() const { return space_.Rank() > 1; }
  std::int64_t SlopeOfSum() const { return 2 * band_.outer.slope; }
  /// The sum of both of a side's coordinates is twice its slope times t, and at most so much more.
  std::int64_t MostShift(const plan::BandSide& side) const {
    std::int64_t most = 0;
    for (std::size_t m = 0; m < band_.launches.size(); ++m) {
      most = std::max(most, side.rise[m] + side.fall[m]);
    }
    return most;
  }

  std::vector<std::string> Comments() const {
    const std::string x = space_.IteratorName(0);
    const std::string grown = band_.outer.slope == 1 ? "t" : fmt::format("{} t", band_.outer.slope);
    std::vector<std::string> lines = {
        fmt::format("All turns t of a loop, in tiles: diamonds in t and {}{}", x,
                    HasInner() ? fmt::format(", which strips of {} cross from low to high.",
                                             space_.IteratorName(1))
                               : std::string(".")),
        "",
        "    t                 Tile (left, right) has the points with",
        fmt::format(R"(    |  /\    /\    /\     left * tile <= {} + {} < (left + 1) * tile,)",
                    grown, x),
        fmt::format(R"(    | /  \  /  \  /  \    right * tile <= {} - {} < (right + 1) * tile.)",
                    grown, x),
        R"(    |/    \/    \/    \   Those of one wavefront, left + right, need nothing of each)",
        fmt::format("    +----------------- {}   other; a launch's points may be shifted.", x)};
    const std::vector<std::string> wraps = space_.WrapComments();
    lines.insert(lines.begin() + 1, wraps.begin(), wraps.end());
    return lines;
  }

  std::vector<kernel::Argument> Arguments() const {
    std::vector<kernel::Argument> arguments;
    const auto add = [&](const VarRef& var, bool read, bool written) {
      if (var == turn_) return;
      const auto at = std::find_if(arguments.begin(), arguments.end(),
                                   [&](const kernel::Argument& each) { return each.var == var; });
      if (at == arguments.end()) {
        arguments.push_back({var, read, written});
      } else {
        at->read = at->read || read;
        at->written = at->written || written;
      }
    };
    for (const plan::KernelId id : band_.launches) {
      for (const kernel::Argument& argument : OwnArguments(id)) {
        for (int turn = 0; turn < band_.period; ++turn) {
          add(AfterTurns(argument.var, turn), argument.read, argument.written);
        }
      }
    }
    // Bounds of domains need parameters that no body reads.
    for (const graph::ParameterId id : model_.graph().parameters.Ids()) {
      if (space_.Uses(id)) add(model_.Var(id), true, false);
    }
    for (const VarRef& var : {turns_, tile_}) arguments.push_back({var, true, false});
    if (HasInner()) arguments.push_back({strip_, true, false});
    return arguments;
  }

  /// Those of the box, but for its ends.
  std::vector<kernel::Argument> OwnArguments(plan::KernelId id) const {
    std::vector<kernel::Argument> arguments = boxes_.at(id).arguments;
    arguments.resize(arguments.size() - 2 * model_.OperatorOf(id).iterators.size());
    return arguments;
  }

  /// The variable whose memory this one has after so many turns; itself where it is no buffer.
  VarRef AfterTurns(const VarRef& var, int turns) const {
    const plan::BufferId buffer = BufferOf(var);
    if (buffer.Valid()) return model_.Var(plan::AfterTurns(repeat_, buffer, turns));
    return var;
  }

  void LowerWave(Block& block) {
    const Expr grown = Number(SlopeOfSum());
    const Expr begin = Read(wave_) * Read(tile_);
    block.Add(LetStmt{
        t_lo_, Largest({Number(0), CeilDiv(begin - Number(MostShift(band_.outer)), grown)})});
    block.Add(
        LetStmt{t_hi_, Least({Read(turns_) - Number(1),
                              FloorDiv(begin + Number(2) * Read(tile_) - Number(2), grown)})});
    const VarRef first = NewIndex("left_lo");
    const VarRef last = NewIndex("left_hi");
    const Expr twice = Number(2) * Read(tile_);
    block.Add(
        LetStmt{first, CeilDiv(Number(2) * space_.FirstOf(0) - Number(MostOf(band_.outer.fall)) +
                                   begin - Read(tile_) + Number(1),
                               twice)});
    block.Add(
        LetStmt{last, FloorDiv(Number(2) * space_.LastOf(0) + Number(MostOf(band_.outer.rise)) +
                                   begin + Read(tile_) - Number(1),
                               twice)});
    ForStmt tiles;
    const bool folded = space_.IsFolded(0);
    tiles.var = folded ? piece_ : left_;
    tiles.first = folded ? Number(2) * Read(first) : Read(first);
    tiles.last = folded ? Number(2) * Read(last) + Number(1) : Read(last);
    tiles.kind = kernel::LoopKind::Parallel;
    tiles.uneven = true;  // some are cut off where the domain ends
    tiles.threads = NestOf(model_, space_.lead()).threads;
    tiles.work = (Read(last) - Read(first) + Number(1)) * Read(tile_) *
                 (Read(t_hi_) - Read(t_lo_) + Number(1)) * Work();
    if (folded) {
      tiles.body.Add(LetStmt{left_, FloorDiv(Read(piece_), Number(2))});
      tiles.body.Add(LetStmt{half_, Read(piece_) - Number(2) * Read(left_)});
    }
    tiles.body.Add(LetStmt{right_, Read(wave_) - Read(left_)});
    if (folded) tiles.body.Add(LetStmt{upper_, PieceOfUpperHalf()});
    if (HasInner()) {
      LowerStrips(tiles.body);
    } else {
      LowerTurns(tiles.body);
    }
    block.Add(std::move(tiles));
  }

  /// Of the two pieces of a tile on a fold, which threads share: the second, where its halves are
  /// apart; else the first, which has both then.
  Expr PieceOfUpperHalf() const {
    std::vector<std::int64_t> skews;
    for (std::size_t m = 0; m < band_.launches.size(); ++m) {
      skews.push_back(band_.outer.fall[m] - band_.outer.rise[m]);
    }
    const auto [least, most] = std::minmax_element(skews.begin(), skews.end());
    const Expr middle = (Read(left_) - Read(right_)) * Read(tile_);
    return kernel::Choose(space_.HalvesApart(middle - Read(tile_) + Number(*least + 1),
                                             middle + Read(tile_) + Number(*most - 1)),
                          Number(1), Number(0));
  }

  /// Points of a row.
  Expr Work() const {
    Expr points = Number(1);
    for (std::size_t n = 1; n < space_.Rank(); ++n)
      points = points * space_.Length(space_.lead(), n);
    return points;
  }

  void LowerStrips(Block& block) {
    const Expr slope = Number(band_.inner.slope);
    ForStmt strips;
    strips.var = part_;
    if (space_.GoesAround(1)) {
      const Expr grown = Number(2) * slope * (Read(t_hi_) - Read(t_lo_));
      strips.first = Number(0);
      strips.last = FloorDiv(space_.Around() - Number(1) + grown + Number(MostShift(band_.inner)),
                             Read(strip_));
    } else {
      strips.first = FloorDiv(slope * Read(t_lo_) + space_.FirstOf(1), Read(strip_));
      strips.last = FloorDiv(
          slope * Read(t_hi_) + space_.LastOf(1) + Number(MostOf(band_.inner.rise)), Read(strip_));
    }
    LowerTurns(strips.body);
    block.Add(std::move(strips));
  }

  void LowerTurns(Block& block) {
    ForStmt turns;
    turns.var = t_;
    turns.first = Read(t_lo_);
    turns.last = Read(t_hi_);
    for (std::size_t m = 0; m < band_.launches.size(); ++m) LowerLaunch(turns.body, m);
    block.Add(std::move(turns));
  }

  /// Of the launch's points along an iterator, or its fold.
  BandSpace::Ends EndsOf(std::size_t m, std::size_t n) const {
    if (n == 0) {
      const Expr grown = Number(band_.outer.slope) * Read(t_);
      const Expr rise = grown + Number(band_.outer.rise[m]);
      const Expr fall = grown + Number(band_.outer.fall[m]);
      const Expr low = Read(left_) * Read(tile_);
      const Expr high = Read(right_) * Read(tile_);
      return {{low - rise, fall - high - Read(tile_) + Number(1)},
              {low + Read(tile_) - Number(1) - rise, fall - high}};
    }
    if (n > 1) return {};
    const bool around = space_.GoesAround(n);
    const Expr grown = Number(band_.inner.slope) * (around ? Read(t_) - Read(t_lo_) : Read(t_));
    const Expr shift = grown + Number(band_.inner.rise[m]);
    const Expr low = Read(part_) * Read(strip_);
    BandSpace::Ends ends = {{low - shift}, {low + Read(strip_) - Number(1) - shift}};
    if (around) {
      const Expr begin = grown + Number(band_.inner.fall[m]);
      ends.lows.push_back(begin);
      ends.highs.push_back(begin + space_.Around() - Number(1));
    }
    return ends;
  }

  /// What of the launch's points is in the tile: of each half of what is folded.
  void LowerLaunch(Block& block, std::size_t m) {
    LowerPart(block, m, false);
    if (space_.IsFolded(0)) LowerPart(block, m, true);
  }

  /// Where the n-th iterator is in the tile and in the launch's domain.
  void LowerEnds(Block& block, std::size_t m, std::size_t n, BandSpace::Ends tile,
                 const NestBounds& ends) const {
    const plan::KernelId op = band_.launches[m];
    tile.lows.insert(tile.lows.begin(), space_.LoOf(op, n));
    tile.highs.insert(tile.highs.begin(), space_.HiOf(op, n));
    const BandSpace::Ends wanted = space_.WantedEnds(m, n, Read(turns_) - Number(1) - Read(t_));
    tile.lows.insert(tile.lows.end(), wanted.lows.begin(), wanted.lows.end());
    tile.highs.insert(tile.highs.end(), wanted.highs.begin(), wanted.highs.end());
    block.Add(LetStmt{ends.lo[n], Largest(std::move(tile.lows))});
    block.Add(LetStmt{ends.hi[n], Least(std::move(tile.highs))});
  }

  /// `upper`: of the fold.
  void LowerPart(Block& block, std::size_t m, bool upper) {
    Block body;
    NestBounds ends;
    for (std::size_t n = 0; n < space_.Rank(); ++n) {
      ends.lo.push_back(NewIndex(fmt::format("{}_lo", space_.IteratorName(n))));
      ends.hi.push_back(NewIndex(fmt::format("{}_hi", space_.IteratorName(n))));
      if (space_.GoesAround(n)) continue;
      LowerEnds(body, m, n, space_.Unfolded(n, EndsOf(m, n), upper), ends);
    }
    if (space_.GoesAround(1)) {
      LowerLaps(body, m, ends);
    } else {
      LowerPoints(body, m, ends);
    }
    if (!space_.IsFolded(0)) return block.Add(kernel::ScopeStmt{std::move(body)});
    const Expr piece = upper ? Read(upper_) : Number(0);
    block.Add(
        kernel::IfStmt{kernel::Apply(BinaryOp::Equal, Read(half_), piece), std::move(body), {}});
  }

  /// Places from the extent on are those from 0 on.
  void LowerLaps(Block& block, std::size_t m, const NestBounds& ends) {
    const std::string name = space_.IteratorName(1);
    const VarRef from = NewIndex(fmt::format("{}_from", name));
    const VarRef to = NewIndex(fmt::format("{}_to", name));
    BandSpace::Ends places = EndsOf(m, 1);
    block.Add(LetStmt{from, Largest(std::move(places.lows))});
    block.Add(LetStmt{to, Least(std::move(places.highs))});
    ForStmt laps;
    laps.var = NewIndex("lap");
    laps.first = FloorDiv(Read(from), space_.Around());
    laps.last = FloorDiv(Read(to), space_.Around());
    const Expr skipped = Read(laps.var) * space_.Around();
    LowerEnds(laps.body, m, 1, {{Read(from) - skipped}, {Read(to) - skipped}}, ends);
    LowerPoints(laps.body, m, ends);
    block.Add(std::move(laps));
  }

  /// The call, where there are points.
  void LowerPoints(Block& block, std::size_t m, const NestBounds& ends) {
    std::vector<Expr> some;
    for (std::size_t n = 0; n < std::min<std::size_t>(space_.Rank(), 2); ++n) {
      some.push_back(kernel::Apply(BinaryOp::LessEqual, Read(ends.lo[n]), Read(ends.hi[n])));
    }
    kernel::IfStmt compute{kernel::And(some), {}, {}};
    LowerCall(compute.then_block, m, ends, 0);
    block.Add(std::move(compute));
  }

  /// The call with the memory that buffers have in turn t.
  void LowerCall(Block& block, std::size_t m, const NestBounds& ends, int turn) {
    kernel::CallStmt call{boxes_.at(band_.launches[m]).name, {}};
    for (const kernel::Argument& argument : OwnArguments(band_.launches[m])) {
      const bool is_turn = argument.var == turn_;
      call.arguments.push_back(Read(is_turn ? t_ : AfterTurns(argument.var, turn)));
    }
    for (std::size_t n = 0; n < space_.Rank(); ++n) {
      if (space_.PlacesOf(band_.launches[m])[n]) continue;
      call.arguments.push_back(Read(ends.lo[n]));
      call.arguments.push_back(Read(ends.hi[n]));
    }
    if (turn + 1 == band_.period) return block.Add(std::move(call));
    kernel::IfStmt choice{
        kernel::Apply(BinaryOp::Equal, kernel::Apply(BinaryOp::Mod, Read(t_), Number(band_.period)),
                      Number(turn)),
        {},
        {}};
    choice.then_block.Add(std::move(call));
    LowerCall(choice.else_block, m, ends, turn + 1);
    block.Add(std::move(choice));
  }

  const ProgramModel& model_;
  const plan::Repeat& repeat_;
  const plan::TimeBand& band_;
  const BandSpace space_;
  const std::map<plan::KernelId, kernel::Function>& boxes_;
  NameScope names_;
  std::string name_;
  VarRef turns_, tile_, strip_, wave_, piece_, left_, right_, half_, upper_, part_, t_, turn_;
  VarRef t_lo_, t_hi_;
};

}  // namespace

LoweredBands LowerBands(const ProgramModel& model) {
  LoweredBands lowered;
  const std::vector<const plan::Repeat*> bands = plan::LoopsWithBands(model.plan());
  std::map<plan::KernelId, kernel::Function> boxes;
  for (const plan::Repeat* repeat : bands) {
    for (const plan::KernelId id : repeat->band->launches) {
      if (boxes.count(id) > 0) continue;
      LoweredNest nest = LowerKernel(model, id, NestPoints::Box);
      boxes.emplace(id, nest.functions.back());
      for (kernel::Function& function : nest.functions) {
        lowered.functions.push_back(std::move(function));
      }
    }
  }
  std::map<plan::KernelId, kernel::CallStmt> single_turns;
  for (std::size_t number = 0; number < bands.size(); ++number) {
    BandFunction function(model, *bands[number], number, boxes);
    lowered.functions.push_back(function.Lower());
    lowered.steps.push_back(function.Step());
    lowered.singles.emplace_back();
    const plan::TimeBand& band = *bands[number]->band;
    if (!band.single) continue;
    const plan::KernelId id = band.launches.front();
    if (single_turns.count(id) == 0) {
      LoweredNest nest = LowerSingleTurn(model, band, boxes.at(id));
      for (auto& each : nest.functions) lowered.functions.push_back(std::move(each));
      single_turns.emplace(id, std::move(nest.call));
    }
    lowered.singles.back() = single_turns.at(id);
  }
  return lowered;
}

}  // namespace stencilgen::lower::cpp
