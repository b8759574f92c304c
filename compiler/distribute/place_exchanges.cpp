#include "distribute/place_exchanges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "distribute/ghost_needs.h"
#include "distribute/reaches.h"
#include "support/match.h"

namespace stencilgen::distribute {

namespace {

using Depths = std::map<ArrayId, Reaches>;

bool Covers(const Reaches& all, const Reaches& some) {
  for (std::size_t a = 0; a < all.size(); ++a) {
    if (all[a].lo < some[a].lo || all[a].hi < some[a].hi) return false;
  }
  return true;
}

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
          [&](const ReduceStep& reduce) { written.insert(reduce.lanes); },
          [](const CollectStep&) {}, [](const ExchangeStep&) {});
    }
  }

  /// Frames that do not come along with values in the exchange before each run of the segment.
  static Depths Uncovered(const GhostNeeds& needs) {
    Depths frames = needs.frames;
    for (const auto& [array, depth] : needs.values) {
      const auto frame = frames.find(array);
      if (frame != frames.end() && Covers(depth, frame->second)) frames.erase(frame);
    }
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
          [](const auto&) {});
    }
    if (direct) RaiseOrigins(steps, needs);
  }

  /// What a turn needs of an array, the array needs that hands it its memory in the turn before.
  void RaiseOrigins(const Steps& steps, Depths& needs) const {
    for (bool changed = true; changed;) {
      const Depths before = needs;
      for (const auto& [array, depth] : before) {
        const std::optional<ArrayId> origin = OriginOf(steps, array);
        if (origin) Raise(needs, *origin, depth);
      }
      changed = needs != before;
    }
  }

  /// The array at the beginning of the steps whose untouched elements the array has at their end.
  std::optional<ArrayId> OriginOf(const Steps& steps, ArrayId array) const {
    std::optional<ArrayId> origin = array;
    for (auto step = steps.rbegin(); step != steps.rend() && origin; ++step) {
      Match(
          step->what,
          [&](const CallStep& call) {
            origin = FrameOrigin(program_.graph, program_.sources[call.segment], *origin);
          },
          [&](const HandOnStep& hand_on) {
            const auto move = std::find_if(hand_on.moves.begin(), hand_on.moves.end(),
                                           [&](const auto& any) { return any.first == *origin; });
            if (move != hand_on.moves.end()) origin = move->second;
          },
          [](const auto&) {});
    }
    return origin;
  }

  /// The exchange that makes the depths valid; nothing where they are.
  Exchange Missing(const Depths& needs) const {
    Exchange exchange;
    for (const auto& [array, depth] : needs) {
      const auto found = valid_.find(array);
      bool missing = false;
      for (std::size_t a = 0; a < depth.size(); ++a) {
        const Reach valid = found == valid_.end() ? Reach{} : found->second[a];
        missing = missing || depth[a].lo > valid.lo || depth[a].hi > valid.hi;
      }
      // All of it: corners come along with the sides.
      if (missing) exchange.push_back({array, depth});
    }
    return exchange;
  }

  void MakeRoom(const Reaches& depth) { program_.ghosts = Most(std::move(program_.ghosts), depth); }

  void Note(const Exchange& exchange) {
    for (const FieldDepth& field : exchange) {
      Raise(valid_, field.array, field.depth);
      MakeRoom(field.depth);
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
    const GhostNeeds all = NeedsOf(chunks.segment, chunks.together);
    MakeRoom(all.room);
    Depths lasting = Uncovered(all);
    ShareFrames(program_.graph, program_.sources[chunks.segment], chunks.together, lasting);
    for (const auto& [array, depth] : all.values) {
      const auto frame = lasting.find(array);
      if (written.count(array) == 0) {
        Raise(lasting, array, depth);
      } else if (frame != lasting.end() && Covers(depth, frame->second)) {
        lasting.erase(frame);
      }
    }
    Ensure(lasting, out);
    for (const ArrayId array : written) valid_.erase(array);
    for (std::int64_t turns = 1; turns <= chunks.together; ++turns) {
      Depths needs = NeedsOf(chunks.segment, turns).values;
      for (auto at = needs.begin(); at != needs.end();) {
        at = written.count(at->first) == 0 ? needs.erase(at) : std::next(at);
      }
      chunks.before.push_back(Missing(needs));
    }
    for (const Exchange& exchange : chunks.before) Note(exchange);
    for (const ArrayId array : written) valid_.erase(array);
    out.push_back({std::move(chunks)});
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
        const auto frame = lasting.find(array);
        if (frame == lasting.end() || written.count(array) == 0) continue;
        if (Covers(depth, frame->second)) lasting.erase(frame);
      }
    }
    Ensure(lasting, out);
    const Depths before = valid_;
    for (const ArrayId array : written) valid_.erase(array);
    RepeatStep placed = repeat;
    placed.body = Place(repeat.body);
    // What a last turn leaves, unless there is none.
    for (const ArrayId array : written) {
      const auto first = before.find(array);
      const auto last = valid_.find(array);
      if (last == valid_.end()) continue;
      if (first == before.end()) {
        valid_.erase(last);
      } else {
        last->second = Least(std::move(last->second), first->second);
      }
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
