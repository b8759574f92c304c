#include "distribute/place_exchanges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "distribute/ghost_needs.h"
#include "support/match.h"

namespace stencilgen::distribute {

namespace {

using Depths = std::map<ArrayId, Halo>;

class Placer {
 public:
  explicit Placer(Distributed& program) : program_(program) {}

  void Run() {
    program_.ghosts.assign(program_.grid.axes.size(), {});
    valid_.clear();
    program_.steps = Place(program_.steps);
  }

 private:
  GhostNeeds NeedsOf(std::size_t segment, std::int64_t turns = 1) const {
    return FindNeeds(program_.graph, program_.grid, program_.sources[segment], turns);
  }

  /// The fields that are changed by the steps.
  void CollectWritten(const Steps& steps, std::set<ArrayId>& written) const {
    const auto add = [&](std::size_t segment) {
      for (const auto& [version, array] : program_.sources[segment].outputs) written.insert(array);
    };
    for (const Step& step : steps) {
      Match(
          step.what, [&](const CallStep& call) { add(call.segment); },
          [&](const ChunksStep& chunks) { add(chunks.segment); },
          [&](const HandOnStep& hand_on) {
            for (const auto& [to, from] : hand_on.moves) written.insert({to, from});
          },
          [&](const RepeatStep& repeat) { CollectWritten(repeat.body, written); },
          [&](const LookStep& look) { CollectWritten(look.body, written); },
          [&](const ReduceStep& reduce) { written.insert(reduce.lanes); },
          [](const CollectStep&) {}, [](const ExchangeStep&) {});
    }
  }

  /// Takes away what comes of an array.
  static void Drop(Depths& needs, ArrayId array, const Halo& comes) {
    const auto need = needs.find(array);
    if (need == needs.end()) return;
    need->second = Without(std::move(need->second), comes);
    if (IsNone(need->second)) needs.erase(need);
  }

  /// Frames that do not come along with values in the exchange before each run of the segment.
  static Depths Uncovered(const GhostNeeds& needs) {
    Depths frames = needs.frames;
    for (const auto& [array, depth] : needs.values) Drop(frames, array, depth);
    return frames;
  }

  /// What the steps of a loop need that no turn changes.
  void CollectLasting(const Steps& steps, const std::set<ArrayId>& written, bool direct,
                      Depths& needs) const {
    const auto add = [&](const GhostNeeds& own, bool frames) {
      for (const auto& [array, depth] : own.values) {
        if (written.count(array) == 0) Raise(needs, array, depth);
      }
      for (const auto& [array, depth] : Uncovered(own)) {
        if (frames || written.count(array) == 0) Raise(needs, array, depth);
      }
    };
    for (const Step& step : steps) {
      Match(
          step.what, [&](const CallStep& call) { add(NeedsOf(call.segment), direct); },
          [&](const ChunksStep& chunks) { add(NeedsOf(chunks.segment, chunks.together), false); },
          [&](const RepeatStep& repeat) { CollectLasting(repeat.body, written, false, needs); },
          [&](const LookStep& look) { CollectLasting(look.body, written, false, needs); },
          [](const auto&) {});
    }
    if (direct) RaiseOrigins(steps, written, needs);
  }

  /// What a turn needs of an array, the array needs that hands it its memory in the turn before,
  /// unless that turn exchanges it.
  void RaiseOrigins(const Steps& steps, const std::set<ArrayId>& written, Depths& needs) const {
    const Depths exchanged = ExchangedIn(steps, written);
    for (bool changed = true; changed;) {
      const Depths before = needs;
      for (const auto& [array, depth] : before) {
        for (const ArrayId origin : OriginsOf(steps, steps.size(), array)) {
          const auto comes = exchanged.find(origin);
          const Halo left = comes == exchanged.end() ? depth : Without(depth, comes->second);
          if (!IsNone(left)) Raise(needs, origin, left);
        }
      }
      changed = needs != before;
    }
  }

  /// What is exchanged in each turn, by the array that has the memory at its beginning.
  Depths ExchangedIn(const Steps& steps, const std::set<ArrayId>& written) const {
    Depths exchanged;
    for (std::size_t n = 0; n < steps.size(); ++n) {
      const auto* call = std::get_if<CallStep>(&steps[n].what);
      if (call == nullptr) continue;
      for (const auto& [array, depth] : NeedsOf(call->segment).values) {
        const std::set<ArrayId> origins = OriginsOf(steps, n, array);
        // Of several it is known of none.
        if (origins.size() != 1 || written.count(array) == 0) continue;
        Raise(exchanged, *origins.begin(), depth);
      }
    }
    return exchanged;
  }

  /// The arrays at the beginning of the steps whose untouched elements the array may have after the
  /// first `count` of them.
  std::set<ArrayId> OriginsOf(const Steps& steps, std::size_t count, ArrayId array) const {
    std::set<ArrayId> origins = {array};
    for (std::size_t n = count; n-- > 0;) {
      std::set<ArrayId> before;
      for (const ArrayId origin : origins) before.merge(OriginsOf(steps[n], origin));
      origins = std::move(before);
    }
    return origins;
  }
  std::set<ArrayId> OriginsOf(const Step& step, ArrayId array) const {
    std::set<ArrayId> origins = {array};
    const auto run = [&](std::size_t segment) {
      origins = FrameOrigins(program_.graph, program_.sources[segment], array);
    };
    Match(
        step.what, [&](const CallStep& call) { run(call.segment); },
        [&](const ChunksStep& chunks) { run(chunks.segment); },
        [&](const HandOnStep& hand_on) {
          for (const auto& [to, from] : hand_on.moves) {
            if (to == array) origins = {from};
          }
        },
        [&](const LookStep& look) { origins.merge(OriginsOf(look.body, look.body.size(), array)); },
        [&](const RepeatStep& repeat) {
          // After any number of turns.
          for (std::size_t found = 0; found != origins.size();) {
            found = origins.size();
            for (const ArrayId origin : std::set<ArrayId>(origins)) {
              origins.merge(OriginsOf(repeat.body, repeat.body.size(), origin));
            }
          }
        },
        [](const auto&) {});
    return origins;
  }

  /// The exchange that makes the depths valid; nothing where they are.
  Exchange Missing(const Depths& needs) const {
    Exchange exchange;
    for (const auto& [array, depth] : needs) {
      const auto found = valid_.find(array);
      const Halo valid = found == valid_.end() ? Halo(depth.axes(), 0) : found->second;
      // All of it: what is there may be less deep elsewhere.
      if (!Covers(valid, depth)) exchange.push_back({array, depth});
    }
    return exchange;
  }

  void MakeRoom(const Reaches& depth) { program_.ghosts = Most(std::move(program_.ghosts), depth); }

  void Note(const Exchange& exchange) {
    for (const FieldDepth& field : exchange) {
      const auto valid = valid_.try_emplace(field.array, field.depth.axes(), 0).first;
      Fill(valid->second, field.depth);
      MakeRoom(program_.grid.Points(field.array, SidesOf(field.depth)));
    }
  }

  void Ensure(const Depths& needs, Steps& out) {
    Exchange exchange = Missing(needs);
    if (exchange.empty()) return;
    Note(exchange);
    out.push_back({ExchangeStep{std::move(exchange)}});
  }

  Steps Place(const Steps& steps) {
    Steps out;
    for (const Step& step : steps) {
      Match(
          step.what, [&](const CallStep& call) { PlaceCall(call, out); },
          [&](const ChunksStep& chunks) { PlaceChunks(chunks, out); },
          [&](const RepeatStep& repeat) { PlaceRepeat(repeat, out); },
          [&](const LookStep& look) {
            const Depths before = valid_;
            out.push_back({LookStep{Place(look.body)}});
            valid_ = Common(valid_, before);
          },
          [&](const HandOnStep& hand_on) {
            const Depths before = valid_;
            for (const auto& [to, from] : hand_on.moves) {
              valid_.erase(to);
              const auto found = before.find(from);
              if (found != before.end()) valid_.emplace(to, found->second);
            }
            out.push_back({hand_on});
          },
          // What every rank has all of needs no ghosts, and sums are of a rank's own points.
          [&](const auto& other) { out.push_back({other}); });
    }
    return out;
  }

  void PlaceCall(const CallStep& call, Steps& out) {
    const GhostNeeds needs = NeedsOf(call.segment);
    MakeRoom(needs.room);
    Ensure(needs.values, out);
    for (const auto& [version, array] : program_.sources[call.segment].outputs) valid_.erase(array);
    out.push_back({call});
  }

  void PlaceChunks(ChunksStep chunks, Steps& out) {
    std::set<ArrayId> written;
    CollectWritten({{chunks}}, written);
    std::vector<GhostNeeds> needs;  // by turns, less 1
    for (std::int64_t turns = 1; turns <= chunks.together; ++turns) {
      needs.push_back(NeedsOf(chunks.segment, turns));
    }
    MakeRoom(needs.back().room);
    Depths lasting;
    for (const auto& [array, depth] : needs.back().values) {
      if (written.count(array) == 0) Raise(lasting, array, depth);
    }
    // How many run together depends on how many there are; the last ones may be fewer.
    for (std::int64_t turns = 1; turns <= chunks.together; ++turns) {
      for (std::int64_t last = 1; last <= turns; ++last) {
        Depths frames = Uncovered(needs[static_cast<std::size_t>(last - 1)]);
        ShareFrames(program_.graph, program_.sources[chunks.segment], turns,
                    needs[static_cast<std::size_t>(turns - 1)].values, frames);
        for (const auto& [array, depth] : frames) Raise(lasting, array, depth);
      }
    }
    Ensure(lasting, out);
    for (const ArrayId array : written) valid_.erase(array);
    for (const GhostNeeds& need : needs) {
      Depths values = need.values;
      for (auto at = values.begin(); at != values.end();) {
        at = written.count(at->first) == 0 ? values.erase(at) : std::next(at);
      }
      chunks.before.push_back(Missing(values));
    }
    for (const Exchange& exchange : chunks.before) Note(exchange);
    for (const ArrayId array : written) valid_.erase(array);
    out.push_back({std::move(chunks)});
  }

  /// What is valid either way.
  static Depths Common(const Depths& a, const Depths& b) {
    Depths common;
    for (const auto& [array, depth] : a) {
      const auto other = b.find(array);
      if (other != b.end()) common.emplace(array, Least(depth, other->second));
    }
    return common;
  }

  void PlaceRepeat(const RepeatStep& repeat, Steps& out) {
    std::set<ArrayId> written;
    CollectWritten(repeat.body, written);
    Depths lasting;
    CollectLasting(repeat.body, written, true, lasting);
    for (const Step& step : repeat.body) {
      const auto* call = std::get_if<CallStep>(&step.what);
      if (call == nullptr) continue;
      // What is exchanged in every turn.
      for (const auto& [array, depth] : NeedsOf(call->segment).values) {
        if (written.count(array) > 0) Drop(lasting, array, depth);
      }
    }
    Ensure(lasting, out);
    const Depths before = valid_;
    for (const ArrayId array : written) valid_.erase(array);
    RepeatStep placed = repeat;
    placed.body = Place(repeat.body);
    // What a last turn leaves, unless there is none.
    const Depths common = Common(valid_, before);
    for (const ArrayId array : written) {
      valid_.erase(array);
      if (common.count(array) > 0) valid_.emplace(array, common.at(array));
    }
    out.push_back({std::move(placed)});
  }

  Distributed& program_;
  Depths valid_;  // by field; none: only at a rank's own points
};

}  // namespace

void PlaceExchanges(Distributed& program) {
  Placer(program).Run();
}

}  // namespace stencilgen::distribute
