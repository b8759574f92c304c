#include "lower/cpp/time_band.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "lower/band_space.h"
#include "lower/cpp/diamonds.h"
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
        strip_(NewIndex("strip")),
        part_(NewIndex("part")),
        t_(NewIndex("t")),
        turn_(TurnOf(model, repeat)),
        diamonds_(band_, space_, names_) {}

  kernel::Function Lower() {
    kernel::Function function;
    function.name = name_;
    function.comments = Comments();
    function.arguments = Arguments();
    diamonds_.Lower(function.body, Read(turns_), Work(), NestOf(model_, space_.lead()).threads,
                    [&](Block& tile) { LowerTile(tile); });
    return function;
  }

  kernel::BandStep Step() {
    kernel::BandStep step;
    step.call.function = name_;
    for (const kernel::Argument& argument : Arguments()) {
      const VarRef& var = argument.var;
      const bool added =
          var == turns_ || var == diamonds_.tiles() || var == diamonds_.threads() || var == strip_;
      if (!added) step.call.arguments.push_back(Read(var));
    }
    step.rows = diamonds_.Rows();
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
    step.threads = NestOf(model_, space_.lead()).threads;
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
  std::vector<std::string> Comments() const {
    std::vector<std::string> lines = {fmt::format(
        "All turns t of a loop, in tiles: diamonds in t and {}{}", space_.IteratorName(0),
        HasInner()
            ? fmt::format(", which strips of {} cross from low to high.", space_.IteratorName(1))
            : std::string("."))};
    for (const auto& part : {space_.WrapComments(), {""}, diamonds_.Comments()}) {
      lines.insert(lines.end(), part.begin(), part.end());
    }
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
    for (const VarRef& var : {turns_, diamonds_.threads(), diamonds_.tiles()})
      arguments.push_back({var, true, false});
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

  void LowerTile(Block& block) {
    if (space_.GoesAround(0)) {
      const auto [least, most] = diamonds_.TwicePlaces();
      LowerLapEnds(block, 0, least, most, 2);
    }
    if (HasInner()) {
      LowerStrips(block);
    } else {
      LowerTurns(block);
    }
  }

  /// How often places of the tile along an iterator have gone around, of which so many times the
  /// least and the most are given.
  void LowerLapEnds(Block& block, std::size_t n, const Expr& least, const Expr& most,
                    std::int64_t times) {
    Laps& laps = laps_[n];
    const std::string name = space_.IteratorName(n);
    laps.first = NewIndex(fmt::format("{}_lap_lo", name));
    laps.last = NewIndex(fmt::format("{}_lap_hi", name));
    const Expr lap = Number(times) * space_.Places(n);
    block.Add(LetStmt{laps.first, FloorDiv(least, lap)});
    block.Add(LetStmt{laps.last, FloorDiv(most, lap)});
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
    const Expr first_turn = Read(diamonds_.first_turn());
    const Expr last_turn = Read(diamonds_.last_turn());
    const Expr most_rise = Number(MostOf(band_.inner.rise));
    ForStmt strips;
    strips.var = part_;
    if (space_.GoesAround(1)) {
      const Expr leaned = slope * (last_turn - first_turn);
      const Expr begin = Read(part_) * Read(strip_);
      const Expr most_fall = Number(MostOf(band_.inner.fall) - 1);
      strips.first = Number(0);
      strips.last = FloorDiv(
          Number(2) * leaned + space_.Places(1) + Number(MostShift(band_.inner) - 1), Read(strip_));
      LowerLapEnds(strips.body, 1, Largest({Number(0), begin - leaned - most_rise}),
                   Least({begin + Read(strip_) - Number(1), leaned + space_.Places(1) + most_fall}),
                   1);
    } else {
      strips.first = FloorDiv(slope * first_turn + space_.FirstOf(1), Read(strip_));
      strips.last = FloorDiv(slope * last_turn + space_.LastOf(1) + most_rise, Read(strip_));
    }
    LowerTurns(strips.body);
    block.Add(std::move(strips));
  }

  void LowerTurns(Block& block) {
    ForStmt turns;
    turns.var = t_;
    turns.first = Read(diamonds_.first_turn());
    turns.last = Read(diamonds_.last_turn());
    for (std::size_t m = 0; m < band_.launches.size(); ++m) LowerLaunch(turns.body, m);
    block.Add(std::move(turns));
  }

  /// Of the launch's points along an iterator.
  BandSpace::Ends EndsOf(std::size_t m, std::size_t n) const {
    if (n == 0) return diamonds_.EndsOf(m, Read(t_));
    if (n > 1) return {};
    const bool around = space_.GoesAround(n);
    const Expr grown =
        Number(band_.inner.slope) * (around ? Read(t_) - Read(diamonds_.first_turn()) : Read(t_));
    const Expr shift = grown + Number(band_.inner.rise[m]);
    const Expr low = Read(part_) * Read(strip_);
    BandSpace::Ends ends = {{low - shift}, {low + Read(strip_) - Number(1) - shift}};
    if (around) {
      const Expr begin = grown + Number(band_.inner.fall[m]);
      ends.lows.push_back(begin);
      ends.highs.push_back(begin + space_.Places(1) - Number(1));
    }
    return ends;
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

  /// What of the launch's points is in the tile.
  void LowerLaunch(Block& block, std::size_t m) {
    kernel::ScopeStmt scope;
    NestBounds ends;
    for (std::size_t n = 0; n < space_.Rank(); ++n) {
      ends.lo.push_back(NewIndex(fmt::format("{}_lo", space_.IteratorName(n))));
      ends.hi.push_back(NewIndex(fmt::format("{}_hi", space_.IteratorName(n))));
    }
    for (std::size_t n = 0; n < space_.Rank(); ++n) {
      // A launch at one place along an iterator takes no ends of it.
      const bool unread = n > 1 && space_.PlacesOf(band_.launches[m])[n].has_value();
      if (!space_.GoesAround(n) && !unread) LowerEnds(scope.body, m, n, EndsOf(m, n), ends);
    }
    LowerLaps(scope.body, m, ends, 0);
    block.Add(std::move(scope));
  }

  /// Along iterators from the n-th on that go around, places from the extent on are those from 0
  /// on.
  void LowerLaps(Block& block, std::size_t m, const NestBounds& ends, std::size_t n) {
    while (n < space_.Rank() && !space_.GoesAround(n)) ++n;
    if (n == space_.Rank()) return LowerPoints(block, m, ends);
    const std::string name = space_.IteratorName(n);
    const VarRef from = NewIndex(fmt::format("{}_from", name));
    const VarRef to = NewIndex(fmt::format("{}_to", name));
    BandSpace::Ends places = EndsOf(m, n);
    block.Add(LetStmt{from, Largest(std::move(places.lows))});
    block.Add(LetStmt{to, Least(std::move(places.highs))});
    ForStmt laps;
    laps.var = NewIndex("lap");
    laps.first = Read(laps_[n].first);
    laps.last = Read(laps_[n].last);
    const Expr skipped = Read(laps.var) * space_.Places(n);
    LowerEnds(laps.body, m, n, {{Read(from) - skipped}, {Read(to) - skipped}}, ends);
    LowerLaps(laps.body, m, ends, n + 1);
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

  /// How often places have gone around.
  struct Laps {
    VarRef first, last;
  };

  const ProgramModel& model_;
  const plan::Repeat& repeat_;
  const plan::TimeBand& band_;
  const BandSpace space_;
  const std::map<plan::KernelId, kernel::Function>& boxes_;
  NameScope names_;
  std::string name_;
  VarRef turns_, strip_, part_, t_, turn_;
  const Diamonds diamonds_;
  std::array<Laps, 2> laps_;  ///< by iterator that goes around
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
