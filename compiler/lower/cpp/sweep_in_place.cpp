#include "lower/cpp/sweep_in_place.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lower/cpp/kernel.h"
#include "lower/index_math.h"
#include "lower/lower_expr.h"
#include "lower/source_comments.h"
#include "plan/sweep_in_place.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

class SweepInPlace {
 public:
  /// `nest`: of the planes. `name`: of the function that computes all of them.
  SweepInPlace(const ProgramModel& model, plan::KernelId kernel, const plan::HeldPlanes& held,
               plan::LoopNest nest, std::string name)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        held_(held),
        nest_(std::move(nest)),
        name_(std::move(name)),
        target_(model.Var(held.home)),
        waiting_(model.Var(held.buffer)),
        code_(model, op_, NestStyle(model)),
        parts_(NewIndex("parts")),
        part_(NewIndex("part")),
        rows_(NewIndex("rows")),
        first_(NewIndex("first")),
        last_(NewIndex("last")),
        together_(kernel::MakeVar(code_.Claim("together"), kernel::kBool)) {}

  /// The functions beside that of a box of points.
  LoweredNest Lower(kernel::Function box) {
    LoweredNest lowered;
    box_ = std::move(box);
    Block body;
    bounds_ = LowerBounds(body, op_, code_, NestPoints::All);
    home_ = HomeFunction();
    if (nest_.tile.size() > 1 && nest_.tile[1] == plan::kTileByCache) {
      LowerStrips(body);
    } else {
      LowerParts(body);
    }
    lowered.functions.push_back(home_);
    lowered.functions.push_back(Function(std::move(body)));
    lowered.call = {name_, {}};
    for (const kernel::Argument& argument : lowered.functions.back().arguments) {
      lowered.call.arguments.push_back(Read(argument.var));
    }
    return lowered;
  }

 private:
  VarRef NewIndex(const std::string& wish) {
    return kernel::MakeVar(code_.Claim(wish), kernel::kIndex);
  }
  const std::string& Plane() const { return code_.IteratorName(0); }

  const graph::LinearForm& ExtentOf(std::size_t d) const {
    return model_.graph().arrays[model_.graph().versions[op_.result].array].extents[d];
  }
  Expr Extent(std::size_t d) { return code_.Form(ExtentOf(d)); }
  /// Elements of the dimensions from that one on: of 1, of a plane; of 2, of a row.
  Expr SizeFrom(std::size_t first) {
    Expr size = Number(1);
    for (std::size_t d = first; d < op_.target.size(); ++d) size = size * Extent(d);
    return size;
  }

  std::vector<std::string> Comments() const {
    std::vector<std::string> lines = {StencilComment(model_.options(), op_)};
    lines.emplace_back(
        fmt::format("In place: a new plane of {} waits in {} until nobody reads the old", Plane(),
                    waiting_->name));
    lines.emplace_back(
        fmt::format("one any more, at {} below it and {} above. Threads have parts of {};",
                    held_.below, held_.above, Plane()));
    lines.emplace_back("what the neighbours of a part read waits until all parts are computed.");
    if (strip_) {
      lines.emplace_back(
          fmt::format("In strips along {}: the last {} rows of one, which the next one",
                      code_.IteratorName(1), rows_held_));
      lines.emplace_back(
          "reads, wait until that is computed: at the beginning of the part, one after");
      lines.emplace_back(
          "the other, so that little memory is touched; at their own places where a part");
      lines.emplace_back("has no room for them beside its planes that wait.");
    }
    return lines;
  }

  /// Arguments of the box and of the copy, but for ends.
  kernel::Function Function(Block body) {
    kernel::Function function;
    function.name = name_;
    function.comments = Comments();
    function.arguments = NestArguments(model_, code_);
    for (kernel::Argument& argument : function.arguments) {
      if (argument.var == target_) argument.written = true;
      if (argument.var == waiting_) argument.read = true;
    }
    function.body = std::move(body);
    return function;
  }

  /// `heat_home(u, u_alt, M, N, k_lo, k_hi, j_lo, ...)`: what waits in a box of points goes home.
  kernel::Function HomeFunction() {
    kernel::Function function;
    function.name = model_.CopyName(kernel_);
    function.comments = {
        fmt::format("Puts what {} has computed in a box where it belongs.", model_.Name(kernel_))};
    function.arguments.push_back({target_, false, true});
    function.arguments.push_back({waiting_, true, false});
    std::set<graph::ParameterId> parameters;
    Expr position = Number(0);
    for (std::size_t d = 0; d < op_.target.size(); ++d) {
      const graph::Index& index = op_.target[d];
      const auto at = std::find(op_.iterators.begin(), op_.iterators.end(), index.iterator);
      const auto n = static_cast<std::size_t>(at - op_.iterators.begin());
      if (d > 0) {
        for (const auto& [id, factor] : ExtentOf(d).terms) parameters.insert(id);
      }
      position = position * Extent(d) + Read(code_.IteratorVar(n)) + Number(index.offset.constant);
    }
    for (const graph::ParameterId id : parameters) {
      function.arguments.push_back({model_.Var(id), true});
    }
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      function.arguments.push_back({bounds_.lo[n], true});
      function.arguments.push_back({bounds_.hi[n], true});
    }
    LowerCopies(function.body, 0, position);
    return function;
  }
  void LowerCopies(Block& block, std::size_t n, const Expr& position) {
    if (n == op_.iterators.size()) {
      return block.Add(kernel::AssignStmt{kernel::ElementAt(target_, position), AssignOp::Assign,
                                          kernel::ElementAt(waiting_, position)});
    }
    ForStmt loop = LoopOver(code_.IteratorVar(n), bounds_, n);
    if (n + 1 == op_.iterators.size()) loop.kind = kernel::LoopKind::Vector;
    LowerCopies(loop.body, n + 1, position);
    block.Add(std::move(loop));
  }

  /// Rows along the second iterator.
  struct Rows {
    Expr lo, hi;
  };
  /// A strip: rows that take turns in waiting, rows at its end that wait until the next one is
  /// computed, and those of the strip before; its number.
  struct Strip {
    Rows in_turn, at_end, before;
    VarRef number;
  };

  /// Strips, one after the other, of which each computes all planes.
  void LowerStrips(Block& body) {
    rows_held_ = plan::FindRowsHeld(model_.plan(), op_, held_).value_or(0);
    const std::string& name = code_.IteratorName(1);
    const VarRef count = NewIndex(name + "_strip_rows");
    const VarRef lo = NewIndex(name + "_strip");
    const VarRef hi = NewIndex(name + "_strip_hi");
    const VarRef held = NewIndex(name + "_held");
    // The rows that wait are in one strip.
    body.Add(LetStmt{count, Largest({FittingRows(nest_, bounds_, 1), Number(rows_held_ + 1)})});
    ForStmt strips = LoopOver(lo, bounds_, 1);
    strips.step = Read(count);
    const Expr end = Read(bounds_.hi[1]);
    strips.body.Add(LetStmt{hi, Least({Read(lo) + Read(count) - Number(1), end})});
    const VarRef number = NewIndex("strip");
    if (rows_held_ > 0) {
      strips.body.Add(LetStmt{number, FloorDiv(Read(lo) - Read(bounds_.lo[1]), Read(count))});
    }
    // Nobody reads the rows of the last strip later.
    const Expr is_last = kernel::Apply(BinaryOp::Equal, Read(hi), end);
    strips.body.Add(LetStmt{held, LowerConditional(is_last, Read(hi) + Number(1),
                                                   Read(hi) + Number(1) - Number(rows_held_))});
    strip_ =
        Strip{{Read(lo), Read(held) - Number(1)},
              {Read(held), Read(hi)},
              {Largest({Read(lo) - Number(rows_held_), Read(bounds_.lo[1])}), Read(lo) - Number(1)},
              number};
    LowerParts(strips.body);
    body.Add(std::move(strips));
  }

  void LowerParts(Block& body) {
    body.Add(LetStmt{rows_, Read(bounds_.hi[0]) - Read(bounds_.lo[0]) + Number(1)});
    const Expr threads = nest_.threads > 0
                             ? Number(nest_.threads)
                             : kernel::Call(kernel::Routine::Threads, kernel::kIndex, {});
    body.Add(LetStmt{parts_, Largest({Number(1), Least({threads, Read(rows_)})})});
    ForStmt compute = OverParts();
    ForStmt planes = OverPlanes();
    LowerPlane(planes.body);
    compute.body.Add(std::move(planes));
    body.Add(std::move(compute));
    if (held_.below + held_.above == 0) return;
    ForStmt rest = OverParts();
    ForStmt left = OverPlanes();
    LowerWaiting(left.body);
    rest.body.Add(std::move(left));
    body.Add(std::move(rest));
  }

  ForStmt OverParts() {
    ForStmt loop;
    loop.var = part_;
    loop.first = Number(0);
    loop.last = Read(parts_) - Number(1);
    loop.kind = kernel::LoopKind::Parallel;
    loop.threads = nest_.threads;
    loop.work = PointsOf(bounds_);
    const auto begin = [&](const Expr& part) {
      return Read(bounds_.lo[0]) + FloorDiv(Read(rows_) * part, Read(parts_));
    };
    loop.body.Add(LetStmt{first_, begin(Read(part_))});
    loop.body.Add(LetStmt{last_, begin(Read(part_) + Number(1)) - Number(1)});
    if (HasRowsHeld()) loop.body.Add(LetStmt{together_, HaveRoom()});
    return loop;
  }
  ForStmt OverPlanes() {
    ForStmt loop;
    loop.var = code_.IteratorVar(0);
    loop.first = Read(first_);
    loop.last = Read(last_);
    return loop;
  }

  /// Where a plane of the part waits: at its own place or, all but the last ones, at those of the
  /// last. The first ones, which the part before reads, have places of their own; the others take
  /// turns.
  Expr PlaceOf(const Expr& plane) const {
    if (held_.above == 0) return PlaceInTurn(plane);
    const Expr own =
        Largest({plane, Read(last_) - Number(held_.below + held_.above) + (plane - Read(first_))});
    return LowerConditional(
        kernel::Apply(BinaryOp::Less, plane, Read(first_) + Number(held_.above)), own,
        PlaceInTurn(plane));
  }
  /// Of planes that the part before does not read.
  Expr PlaceInTurn(const Expr& plane) const {
    if (held_.below == 0) return Read(last_);
    return Read(last_) - kernel::Apply(BinaryOp::Mod, Read(last_) - plane, Number(held_.below + 1));
  }

  bool HasRowsHeld() const { return strip_ && rows_held_ > 0; }
  /// Rows that wait between strips, of each plane: of two strips, since those of one come when
  /// those of the strip before have not all gone.
  std::int64_t RowsOfPlane() const { return 2 * rows_held_; }
  /// The part has room for these rows before the planes that wait, which are its last ones.
  Expr HaveRoom() {
    const Expr planes = Read(last_) - Read(first_) + Number(1);
    const Expr before = planes - Number(1 + held_.below + held_.above);
    return kernel::Apply(BinaryOp::LessEqual, planes * Number(RowsOfPlane()), before * Extent(1));
  }
  /// How many elements from their own places on the rows from `row` on wait that are at the end of
  /// a strip.
  Expr RowsAway(const Expr& plane, const Expr& row, const Expr& strip) {
    const Expr side = kernel::Apply(BinaryOp::Mod, strip, Number(2)) * Number(rows_held_);
    const Expr waits = Read(first_) * Extent(1) + Read(bounds_.lo[1]) +
                       (plane - Read(first_)) * Number(RowsOfPlane()) + side;
    const Expr own = plane * Extent(1) + row;
    return LowerConditional(Read(together_), (waits - own) * SizeFrom(2), Number(0));
  }

  /// The arguments of a function for one plane, which waits so many elements away from its own
  /// place. `rows`: of those along the second iterator; null for all.
  kernel::CallStmt CallFor(const kernel::Function& function, const Expr& plane, const Expr& away,
                           const Rows* rows) {
    kernel::CallStmt call{function.name, {}};
    const std::size_t ends = 2 * op_.iterators.size();
    for (std::size_t k = 0; k + ends < function.arguments.size(); ++k) {
      const VarRef& var = function.arguments[k].var;
      call.arguments.push_back(var == waiting_ ? kernel::AddressAt(waiting_, away) : Read(var));
    }
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      const bool some = n == 1 && rows != nullptr;
      call.arguments.push_back(n == 0 ? plane : some ? rows->lo : Read(bounds_.lo[n]));
      call.arguments.push_back(n == 0 ? plane : some ? rows->hi : Read(bounds_.hi[n]));
    }
    return call;
  }

  void LowerPlane(Block& block) {
    const Expr plane = Read(code_.IteratorVar(0));
    const VarRef place = NewIndex("place");
    block.Add(LetStmt{place, PlaceOf(plane)});
    block.Add(CallFor(box_, plane, (Read(place) - plane) * SizeFrom(1),
                      strip_ ? &strip_->in_turn : nullptr));
    if (HasRowsHeld()) {
      const VarRef away = NewIndex("rows_away");
      block.Add(LetStmt{away, RowsAway(plane, strip_->at_end.lo, Read(strip_->number))});
      block.Add(CallFor(box_, plane, Read(away), &strip_->at_end));
    }
    const VarRef done = NewIndex("done");
    block.Add(LetStmt{done, plane - Number(held_.below)});
    kernel::IfStmt free{
        kernel::Apply(BinaryOp::GreaterEqual, Read(done), Read(first_) + Number(held_.above)),
        {},
        {}};
    AddHome(free.then_block, Read(done), PlaceInTurn(Read(done)));
    block.Add(std::move(free));
  }
  void AddHome(Block& block, const Expr& plane, const Expr& waits_at) {
    const VarRef from = NewIndex("from");
    block.Add(LetStmt{from, waits_at});
    block.Add(CallFor(home_, plane, (Read(from) - plane) * SizeFrom(1),
                      strip_ ? &strip_->in_turn : nullptr));
    if (!HasRowsHeld()) return;
    const VarRef away = NewIndex("home_away");
    const Expr row = strip_->in_turn.lo - Number(rows_held_);
    block.Add(LetStmt{away, RowsAway(plane, row, Read(strip_->number) + Number(1))});
    block.Add(CallFor(home_, plane, Read(away), &strip_->before));
  }
  void LowerWaiting(Block& block) {
    const Expr plane = Read(code_.IteratorVar(0));
    kernel::IfStmt waits{
        kernel::Apply(BinaryOp::Or,
                      kernel::Apply(BinaryOp::Less, plane, Read(first_) + Number(held_.above)),
                      kernel::Apply(BinaryOp::Greater, plane, Read(last_) - Number(held_.below))),
        {},
        {}};
    AddHome(waits.then_block, plane, PlaceOf(plane));
    block.Add(std::move(waits));
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  const plan::HeldPlanes held_;
  const plan::LoopNest nest_;
  const std::string name_;
  VarRef target_, waiting_;
  OperatorCode code_;
  VarRef parts_, part_, rows_, first_, last_;
  VarRef together_;  ///< rows that wait between strips are one after the other
  NestBounds bounds_;
  std::optional<Strip> strip_;  ///< the one that is being lowered, where there are strips
  std::int64_t rows_held_ = 0;
  kernel::Function box_, home_;
};

}  // namespace

LoweredNest LowerSweepInPlace(const ProgramModel& model, plan::KernelId kernel) {
  LoweredNest lowered = LowerKernel(model, kernel, NestPoints::Box);
  SweepInPlace sweep(model, kernel, *model.plan().kernels[kernel].held, NestOf(model, kernel),
                     model.Name(kernel));
  LoweredNest planes = sweep.Lower(lowered.functions.back());
  std::move(planes.functions.begin(), planes.functions.end(),
            std::back_inserter(lowered.functions));
  lowered.call = std::move(planes.call);
  return lowered;
}

LoweredNest LowerSingleTurn(const ProgramModel& model, const plan::TimeBand& band,
                            const kernel::Function& box) {
  const plan::KernelId kernel = band.launches.front();
  return SweepInPlace(model, kernel, band.single->held, band.single->nest,
                      model.InPlaceName(kernel))
      .Lower(box);
}

}  // namespace stencilgen::lower::cpp
