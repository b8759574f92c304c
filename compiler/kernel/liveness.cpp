#include "kernel/liveness.h"

#include <algorithm>

#include "kernel/uses.h"

namespace stencilgen::kernel {

std::vector<LiveRange> LiveRanges(const Body& body) {
  std::vector<LiveRange> ranges(body.values.size());
  const auto touch = [&](ValueId value, std::size_t at, bool used) {
    if (!TakesRegister(body.values[value])) return;
    LiveRange& range = ranges[value.index];
    if (range.first > range.last) range.first = at;
    range.last = at;
    range.used = used;
  };
  for (std::size_t k = 0; k < body.instructions.size(); ++k) {
    for (ValueId operand : body.instructions[k].operands) touch(operand, k, true);
    touch(body.instructions[k].dest, k, false);
  }
  for (const Result& result : body.results) {
    if (result.sink != Sink::Keep) continue;
    touch(result.value, body.instructions.size() - 1, false);
  }
  return ranges;
}

std::vector<Pressure> Pressures(const Body& body) {
  const std::size_t count = body.instructions.size();
  // Twice as many points as instructions: before and after each. Changes from point to point.
  std::vector<int> change(2 * count + 1, 0);
  const std::vector<LiveRange> ranges = LiveRanges(body);
  for (ValueId value : body.values.Ids()) {
    const LiveRange& range = ranges[value.index];
    if (range.first > range.last) continue;
    const bool loaded = !IsTemporary(body.values[value]);
    ++change[2 * range.first + (loaded ? 0 : 1)];
    --change[2 * range.last + (range.used ? 1 : 2)];
  }
  std::vector<Pressure> pressures(count);
  int live = 0;
  for (std::size_t k = 0; k < count; ++k) {
    live += change[2 * k];
    pressures[k].before = live;
    live += change[2 * k + 1];
    pressures[k].after = live;
  }
  return pressures;
}

int MaxLiveCoefficients(const Body& body) {
  std::vector<int> change(body.instructions.size() + 1, 0);
  const Uses uses = FindUses(body);
  for (ValueId value : body.values.Ids()) {
    const auto& places = uses.uses[value.index];
    if (places.empty() || !IsCoefficient(body.values[value])) continue;
    ++change[places.front()];
    --change[places.back() + 1];
  }
  int live = 0;
  int most = 0;
  for (int each : change) most = std::max(most, live += each);
  return most;
}

int MaxLive(const Body& body) {
  int most = 0;
  for (const Pressure& pressure : Pressures(body)) {
    most = std::max({most, pressure.before, pressure.after});
  }
  return most;
}

}  // namespace stencilgen::kernel
