#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kernel/evaluate.h"
#include "kernel/execute.h"
#include "kernel/parts.h"
#include "stencilgen/chunks.hpp"
#include "stencilgen/math.hpp"

namespace stencilgen::kernel {
namespace {

/// What the host computes before it starts a kernel.
class Launching {
 public:
  Launching(const Function& function, const Launch& launch, const ArgumentLookup& lookup,
            ExecuteOptions options)
      : function_(function), launch_(launch), lookup_(lookup), options_(std::move(options)) {}

  ExecuteResult Run() {
    if (launch_.condition.Valid() && !Holds(launch_.condition)) return result_;
    for (const LaunchRange& range : launch_.ranges) FindRange(range);
    for (const std::size_t covered : launch_.covered) {
      if (ranges_[covered].size() == 0) return result_;
    }
    for (const LaunchValue& value : launch_.values) FindValue(value);
    FindGrid();
    FindConstants();
    std::vector<ExecuteArgument> arguments;
    for (const VarRef& var : launch_.arguments) arguments.push_back(ArgumentFor(var));
    if (!result_.error.empty()) return result_;
    return Execute(function_, arguments, options_);
  }

 private:
  struct Range {
    std::int64_t lo = 0, hi = -1;
    std::int64_t size() const { return hi < lo ? 0 : hi - lo + 1; }
  };

  void Fail(std::string error) {
    if (result_.error.empty()) result_.error = std::move(error);
  }

  ExecuteArgument Lookup(const VarRef& var) {
    auto value = lookup_(var);
    if (!value) Fail(fmt::format("{}: {} has no value", launch_.name, var->name));
    return value.value_or(ExecuteArgument(std::int64_t{0}));
  }

  /// An integer that follows from the program's sizes.
  std::int64_t Evaluate(const Expr& expr) {
    return EvaluateInteger(expr, launch_.name, lookup_, result_.error);
  }
  bool Holds(const Expr& condition) {
    return Evaluate(Choose(condition, Number(1), Number(0))) != 0;
  }

  void FindRange(const LaunchRange& range) {
    Range found;
    if (!range.hull.empty()) {
      for (const std::size_t part : range.hull) found = Hull(found, ranges_[part]);
    } else if (!range.condition.Valid() || Holds(range.condition)) {
      found = {Evaluate(range.first), Evaluate(range.last)};
    }
    ranges_.push_back(found);
    if (range.lo != nullptr) known_[range.lo.get()] = found.lo;
    if (range.hi != nullptr) known_[range.hi.get()] = found.hi;
  }
  static Range Hull(const Range& a, const Range& b) {
    if (a.size() == 0) return b;
    if (b.size() == 0) return a;
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
  }

  void FindValue(const LaunchValue& value) {
    const Range& range = ranges_[value.range];
    std::int64_t& found = known_[value.var.get()];
    switch (value.kind) {
      case LaunchValue::Kind::Chunk:
        found = value.points == 0 ? range.size()
                                  : std::max<std::int64_t>(
                                        value.points, CeilDiv(range.size(), options_.most_blocks));
        return;
      case LaunchValue::Kind::FittedChunk: {
        const Occupancy device = {options_.multiprocessors, options_.blocks_of_multiprocessor};
        found =
            std::max<std::int64_t>(FitChunk(range.size(), OtherTiles(value), device, value.costs),
                                   CeilDiv(range.size(), options_.most_blocks));
        return;
      }
      case LaunchValue::Kind::Start:
        found = FloorDiv(range.lo - value.before, value.points) * value.points + value.before;
        return;
      case LaunchValue::Kind::Tiles:
        found = value.start == nullptr ? range.size() : range.hi - known_[value.start.get()] + 1;
        if (value.spared > 0) found = std::max<std::int64_t>(found - value.spared, 1);
        found = CeilDiv(found, value.chunk == nullptr ? value.points : known_[value.chunk.get()]);
    }
  }

  /// Blocks of the grid for each chunk.
  std::int64_t OtherTiles(const LaunchValue& chunk) const {
    std::int64_t tiles = 1;
    for (const GridAxis& axis : launch_.axes) {
      if (axis.chunk != chunk.var) tiles *= CeilDiv(ranges_[axis.range].size(), axis.points);
    }
    for (const LaunchValue& value : launch_.values) {
      const bool counts = value.kind == LaunchValue::Kind::Tiles && value.chunk == nullptr;
      if (counts) tiles *= known_.at(value.var.get());
    }
    return tiles;
  }

  void FindGrid() {
    options_.blocks = options_.threads = {1, 1, 1};
    options_.shared_bytes = launch_.shared_bytes;
    std::copy(launch_.threads.begin(), launch_.threads.end(), options_.threads.begin());
    for (std::size_t axis = 0; axis < launch_.axes.size(); ++axis) {
      const GridAxis& each = launch_.axes[axis];
      const std::int64_t points = each.chunk == nullptr ? each.points : known_[each.chunk.get()];
      const std::int64_t blocks = CeilDiv(ranges_[each.range].size(), points);
      options_.blocks[axis] = static_cast<int>(
          axis == 0 ? blocks : std::min<std::int64_t>(blocks, options_.most_blocks));
    }
    for (const VarRef& tiles : launch_.tiles) {
      options_.blocks[0] *= static_cast<int>(known_[tiles.get()]);
    }
    options_.rows_as_vectors =
        options_.rows_as_vectors && launch_.vectors &&
        std::all_of(launch_.vectors->begin(), launch_.vectors->end(),
                    [&](const RowAlignment& each) {
                      return !each.row.Valid() || Evaluate(each.row) % each.elements == 0;
                    });
  }

  /// What the code reads from constant memory.
  void FindConstants() {
    for (const VarRef& var : VarsOf(function_.body)) {
      if (var->storage != Storage::Constant) continue;
      const ExecuteArgument value = Lookup(var);
      Memory* const* memory = std::get_if<Memory*>(&value);
      if (memory != nullptr) options_.constants.emplace_back(var, *memory);
    }
  }

  ExecuteArgument ArgumentFor(const VarRef& var) {
    const auto found = known_.find(var.get());
    return found == known_.end() ? Lookup(var) : ExecuteArgument(found->second);
  }

  const Function& function_;
  const Launch& launch_;
  const ArgumentLookup& lookup_;
  ExecuteOptions options_;
  ExecuteResult result_;
  std::vector<Range> ranges_;
  std::map<const Var*, std::int64_t> known_;
};

}  // namespace

ExecuteResult Execute(const Function& function, const Launch& launch, const ArgumentLookup& lookup,
                      ExecuteOptions options) {
  return Launching(function, launch, lookup, std::move(options)).Run();
}

}  // namespace stencilgen::kernel
