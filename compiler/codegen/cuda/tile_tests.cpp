#include "codegen/cuda/tile_tests.h"

#include <algorithm>

#include <fmt/format.h>

namespace stencilgen::codegen::cuda {

std::string And(const std::vector<std::string>& conditions) {
  std::string text;
  for (const std::string& condition : conditions) {
    if (condition.empty()) continue;
    if (!text.empty()) text += " && ";
    text += condition;
  }
  return text;
}

namespace {

/// `Max(a, Max(b, c))`
std::string Nested(const char* function, const std::map<std::string, std::int64_t>& terms) {
  std::string text;
  for (const auto& [name, shift] : terms) {
    const std::string term = (Variable(name) + Number(shift)).text;
    text = text.empty() ? term : fmt::format("{}({}, {})", function, term, text);
  }
  return text;
}

}  // namespace

std::string TileTests::NearTile(const plan::Halo& halo, const Point& point) const {
  std::vector<std::string> conditions;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d) continue;
    const std::string at = scope_.Coordinate(d, point).text;
    const Term start = Variable(scope_.TileStart(d));
    // Points that the block has anyway need no test.
    if (point[d] - tile_.halo.lo[d] < -halo.lo[d]) {
      conditions.push_back(fmt::format("{} >= {}", at, (start - Number(halo.lo[d])).text));
    }
    const std::int64_t last =
        point[d] + std::int64_t{tile_.threads[d] - 1} * tile_.points[d] - tile_.halo.lo[d];
    if (last >= tile_.Stored(d) + halo.hi[d]) {
      conditions.push_back(
          fmt::format("{} < {}", at, (start + Number(tile_.Stored(d) + halo.hi[d])).text));
    }
  }
  return And(conditions);
}

std::string TileTests::Of(std::string_view wish, const Ranges& ranges, const plan::Halo& halo,
                          const plan::Halo* near, const Point& point, bool guarded) {
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d || !count_) continue;
    auto& [lo, hi] = inside_[{d, ranges[d]}];
    lo = std::max(lo, halo.lo[d]);
    hi = std::max(hi, halo.hi[d]);
  }
  std::vector<std::string> conditions;
  for (const Point& each : points_) {
    std::vector<std::string> parts;
    if (near != nullptr) parts.push_back(NearTile(*near, each));
    for (std::size_t d = 0; guarded && d < tile_.dimensions; ++d) {
      if (tile_.stream == d) continue;
      parts.push_back(fmt::format("{0} >= {1}_lo && {0} <= {1}_hi", scope_.Coordinate(d, each).text,
                                  ranges[d]));
    }
    conditions.push_back(And(parts));
  }
  const std::size_t place = scope_.PlaceOf(point);
  if (conditions[place].empty()) return "";
  for (std::string& condition : conditions) {
    if (condition.empty()) condition = "true";
  }
  const auto [at, is_new] = names_.try_emplace(fmt::format("{}", fmt::join(conditions, "; ")), "");
  if (is_new) {
    at->second = scope_.Claim(wish);
    declarations_.push_back(points_.size() == 1
                                ? fmt::format("const bool {} = {};", at->second, conditions.front())
                                : fmt::format("const bool {}[{}] = {{{}}};", at->second,
                                              points_.size(), fmt::join(conditions, ", ")));
  }
  return points_.size() == 1 ? at->second : fmt::format("{}[{}]", at->second, place);
}

void TileTests::NeedPlane(const std::string& low, std::int64_t low_shift, const std::string& high,
                          std::int64_t high_shift) {
  if (!count_) return;
  const auto lowest = plane_low_.try_emplace(low, low_shift).first;
  lowest->second = std::max(lowest->second, low_shift);
  const auto highest = plane_high_.try_emplace(high, high_shift).first;
  highest->second = std::min(highest->second, high_shift);
}

std::string TileTests::OfPlane(const std::string& range, std::int64_t lag) {
  const std::string lo = fmt::format("{}_lo", range);
  const std::string hi = fmt::format("{}_hi", range);
  NeedPlane(lo, lag, hi, lag);
  return fmt::format("{0} >= {1} && {0} <= {2}", (Variable(scope_.plane()) - Number(lag)).text, lo,
                     hi);
}

std::string TileTests::OfPlane(const std::string& range, std::int64_t lag, std::int64_t before,
                               std::int64_t after) {
  NeedPlane(scope_.plane_first(), lag - before, scope_.plane_last(), lag + after);
  // The stream begins and ends somewhere: what it does not reach needs no test.
  const std::string plane = (Variable(scope_.plane()) - Number(lag)).text;
  std::vector<std::string> conditions;
  // What the grid covers contains the planes that a block stores.
  if (before > 0 || after > 0 || range != scope_.Grid(*tile_.stream)) {
    conditions.push_back(OfPlane(range, lag));
  }
  if (before - lag < tile_.StepsBefore()) {
    conditions.push_back(
        fmt::format("{} >= {}", plane, (Variable(scope_.plane_first()) - Number(before)).text));
  }
  if (after + lag < tile_.StepsAfter()) {
    conditions.push_back(
        fmt::format("{} <= {}", plane, (Variable(scope_.plane_last()) + Number(after)).text));
  }
  return And(conditions);
}

void TileTests::NeedOutside(std::size_t d, const std::string& range, const plan::Halo& halo,
                            std::int64_t lag, bool after) {
  const std::string end = fmt::format("{}_{}", range, after ? "hi" : "lo");
  if (tile_.stream == d) {
    auto& planes = after ? plane_low_ : plane_high_;
    const std::int64_t shift = after ? lag + 1 : lag - 1;
    const auto at = planes.try_emplace(end, shift).first;
    at->second = after ? std::max(at->second, shift) : std::min(at->second, shift);
    return;
  }
  const Term start = Variable(scope_.TileStart(d));
  outside_.insert(
      after ? fmt::format("{} > {}", (start - Number(halo.lo[d])).text, end)
            : fmt::format("{} < {}", (start + Number(tile_.Stored(d) - 1 + halo.hi[d])).text, end));
}

std::string TileTests::Interior() const {
  std::vector<std::string> conditions(outside_.begin(), outside_.end());
  for (const auto& [place, halo] : inside_) {
    const auto& [d, range] = place;
    const Term start = Variable(scope_.TileStart(d));
    conditions.push_back(fmt::format("{} >= {}_lo", (start - Number(halo.first)).text, range));
    conditions.push_back(fmt::format(
        "{} <= {}_hi", (start + Number(tile_.Stored(d) - 1 + halo.second)).text, range));
  }
  return And(conditions);
}

std::string TileTests::SteadyBegin() const {
  return Nested("Max", plane_low_);
}
std::string TileTests::SteadyEnd() const {
  return Nested("Min", plane_high_);
}

}  // namespace stencilgen::codegen::cuda
