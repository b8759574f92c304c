#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "distribute/distribute.h"
#include "distribute/find_grid.h"
#include "distribute/ghost_needs.h"
#include "graph/nodes.h"
#include "support/match.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

/// How far beyond a rank's own points values are right; below zero: not even all of those. A halo
/// has one box at each corner: of several, which are all right, none may hold the others.
using Boxes = std::vector<Halo>;

/// Drops what others hold. So many are enough in practice.
Boxes Simplified(Boxes boxes) {
  constexpr std::size_t kMost = 24;
  std::sort(boxes.begin(), boxes.end());
  boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
  Boxes kept;
  for (const Halo& one : boxes) {
    const bool held = std::any_of(boxes.begin(), boxes.end(), [&](const Halo& other) {
      return !(other == one) && Covers(other, one);
    });
    if (!held && kept.size() < kMost) kept.push_back(one);
  }
  return kept;
}

/// What is right in both.
Boxes Both(const Boxes& a, const Boxes& b) {
  Boxes both;
  for (const Halo& one : a) {
    for (const Halo& other : b) both.push_back(Least(one, other));
  }
  return Simplified(std::move(both));
}

/// After points have come; of boxes that do not hold each other those are taken.
Boxes Filled(const Boxes& boxes, const Halo& comes, std::initializer_list<Counted> counted) {
  Boxes filled;
  for (const Halo& one : boxes) {
    for (const Counted of : counted) {
      filled.push_back(one);
      Fill(filled.back(), comes, of);
    }
  }
  return Simplified(std::move(filled));
}

struct Valid {
  Boxes values;
  /// By loop around, the innermost one last: of elements that it never writes.
  std::vector<Boxes> frames;
};
using State = std::map<ArrayId, Valid>;

class ForwardVerifier {
 public:
  /// `several`: boxes at a corner. With one it knows of it what exchanges were placed by.
  ForwardVerifier(const Distributed& program, bool several)
      : program_(program),
        graph_(program.graph),
        several_(several),
        none_(program.grid.axes.size(), 0) {}

  std::vector<std::string> Run() {
    State state;
    for (const ArrayId array : program_.fields) state[array] = {{none_}, {}};
    Follow(program_.steps, state);
    return problems_;
  }

 private:
  void Follow(const Steps& steps, State& state) {
    for (const Step& step : steps) {
      Match(
          step.what, [&](const ExchangeStep& exchange) { Apply(exchange.exchange, state); },
          [&](const CallStep& call) { Run(call.segment, 1, state); },
          // Every rank has all of what they complete.
          [](const CollectStep&) {}, [](const ReduceStep&) {},
          [&](const HandOnStep& hand_on) {
            const State before = state;
            for (const auto& [to, from] : hand_on.moves) state[to] = before.at(from);
          },
          [&](const ChunksStep& chunks) {
            const auto run = [&](State& now, std::int64_t turns) {
              Apply(chunks.before[static_cast<std::size_t>(turns - 1)], now);
              Run(chunks.segment, turns, now);
            };
            // How many there are depends on the loop's turns; the last ones may be fewer.
            const State before = state;
            State after = before;
            for (std::int64_t most = 1; most <= chunks.together; ++most) {
              State now = before;
              FollowLoop(
                  now, [&](State& one) { run(one, most); },
                  [&](State& full) {
                    const State end = full;
                    for (std::int64_t turns = 1; turns < most; ++turns) {
                      State one = end;
                      run(one, turns);
                      full = Join(std::move(full), one);
                    }
                  });
              after = Join(std::move(after), now);
            }
            state = std::move(after);
          },
          [&](const LookStep& look) {
            const State before = state;
            Follow(look.body, state);
            state = Join(std::move(state), before);
          },
          [&](const RepeatStep& repeat) {
            FollowLoop(
                state, [&](State& now) { Follow(repeat.body, now); }, [](State&) {});
          });
    }
  }

  /// Until another turn changes nothing: what is valid only shrinks.
  template <typename Body, typename Rest>
  void FollowLoop(State& state, Body body, Rest rest) {
    ++depth_;
    for (auto& [array, valid] : state) valid.frames.push_back(valid.values);
    for (bool changed = true; changed;) {
      State after = state;
      body(after);
      after = Join(std::move(after), state);
      changed = !Same(after, state);
      state = std::move(after);
    }
    rest(state);
    for (auto& [array, valid] : state) valid.frames.pop_back();
    --depth_;
  }

  static State Join(State a, const State& b) {
    for (auto& [array, valid] : a) {
      valid.values = Both(valid.values, b.at(array).values);
      for (std::size_t n = 0; n < valid.frames.size(); ++n) {
        valid.frames[n] = Both(valid.frames[n], b.at(array).frames[n]);
      }
    }
    return a;
  }
  static bool Same(const State& a, const State& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
      return x.second.values == y.second.values && x.second.frames == y.second.frames;
    });
  }

  void Apply(const Exchange& exchange, State& state) {
    for (const FieldDepth& field : exchange) {
      Valid& valid = state.at(field.array);
      if (!Covers(Room(field.array), field.depth)) {
        Problem("'{}' has no room for the ghosts that it gets", field.array);
      }
      if (several_) {
        valid.values = Filled(valid.values, field.depth, {Counted::New, Counted::Old});
      } else {
        valid.values = Filled(valid.values, field.depth, {Counted::New});
      }
      for (Boxes& frame : valid.frames) {
        frame = several_ ? Filled(frame, field.depth, {Counted::New, Counted::Old})
                         : Filled(frame, field.depth, {Counted::Points});
      }
    }
  }

  /// The array's ghosts.
  Halo Room(ArrayId array) const { return Halo(program_.grid.Elements(array, program_.ghosts)); }

  void Problem(const char* what, ArrayId array) {
    const std::string text = fmt::format(fmt::runtime(what), graph_.arrays[array].name);
    if (std::find(problems_.begin(), problems_.end(), text) == problems_.end()) {
      problems_.push_back(text);
    }
  }

  /// Runs a segment, and says which of its outputs are wrong at a rank's own points.
  void Run(std::size_t number, std::int64_t turns, State& state) {
    const SegmentSource& source = program_.sources[number];
    std::map<VersionId, Valid> versions;
    for (const auto& [version, array] : source.inputs) versions[version] = state.at(array);
    if (source.loop.Valid()) {
      const Loop& loop = LoopOf(graph_, source.loop);
      for (const Carried& carried : loop.carried) {
        versions[carried.entry] = versions.at(carried.initial);
      }
      for (std::int64_t turn = 0; turn < turns; ++turn) {
        for (const NodeId node : source.nodes) Compute(OperatorOf(graph_, node), source, versions);
        std::map<VersionId, Valid> next = versions;
        for (const Carried& carried : loop.carried) {
          next[carried.entry] = next[carried.result] = versions.at(carried.next);
        }
        versions = std::move(next);
      }
    } else {
      for (const NodeId node : source.nodes) Compute(OperatorOf(graph_, node), source, versions);
    }
    for (const auto& [version, array] : source.outputs) {
      state[array] = versions.at(version);
      Boxes& values = state[array].values;
      for (std::size_t a = 0; a < none_.axes(); ++a) {
        const auto holds = [&](const Halo& one) { return one[a].lo >= 0 && one[a].hi >= 0; };
        if (std::none_of(values.begin(), values.end(), holds)) {
          Problem("'{}' is computed of ghosts that do not have their values", array);
        }
      }
      // Segments promise no more than a rank's own points.
      values = {none_};
    }
  }

  void Compute(const Operator& op, const SegmentSource& source,
               std::map<VersionId, Valid>& versions) {
    // Without reads it is right wherever there are local points.
    const Halo room = Room(graph_.versions[op.result].array);
    Valid result{{room}, {}};
    for (const Read& read : ReadsOf(op)) {
      Boxes written;
      for (const Halo& values : versions.at(read.version).values) {
        written.push_back(room);
        for (const Shift& shift : read.shifts) {
          std::int64_t& valid = written.back().At(shift.to, shift.axis);
          valid = std::min(valid, shift.reach.Written(values.At(shift.from, shift.axis)));
        }
      }
      result.values = Both(result.values, written);
    }
    if (op.background.Valid() && versions.count(op.background) > 0) {
      const Valid& background = versions.at(op.background);
      const bool frame = KeepsFrame(graph_, source.around, op);
      result.values = Both(result.values, frame ? background.frames.back() : background.values);
      result.frames = background.frames;
    }
    // What is written as a whole leaves nothing as it is.
    result.frames.resize(depth_, Boxes{room});
    versions[op.result] = result;
  }

  struct Read {
    VersionId version;
    std::vector<Shift> shifts;
  };
  const std::vector<Read>& ReadsOf(const Operator& op) {
    const auto [found, is_new] = reads_.try_emplace(op.result);
    if (!is_new) return found->second;
    for (const ExprId id : Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      if (access.indices.empty()) continue;
      found->second.push_back({access.version, ReadShifts(program_.grid, graph_, op, access)});
    }
    return found->second;
  }

  const Distributed& program_;
  const Graph& graph_;
  const bool several_;
  const Halo none_;
  std::map<VersionId, std::vector<Read>> reads_;  // by result
  std::size_t depth_ = 0;                         // of loops
  std::vector<std::string> problems_;
};

bool IsLoop(const Step& step) {
  return std::holds_alternative<ChunksStep>(step.what) ||
         std::holds_alternative<RepeatStep>(step.what);
}

/// The exchanges of the steps, in order: all, and those that must each be needed. The others stand
/// before a loop in a loop, or before one with a loop in it: they bring elements that no turn
/// changes, and each may bring what the other has.
void Collect(Steps& steps, bool inside, std::vector<Exchange*>& all,
             std::vector<Exchange*>& needed) {
  for (std::size_t n = 0; n < steps.size(); ++n) {
    bool nested = false;
    if (n + 1 < steps.size() && IsLoop(steps[n + 1])) {
      const auto* repeat = std::get_if<RepeatStep>(&steps[n + 1].what);
      nested = inside ||
               (repeat != nullptr && std::any_of(repeat->body.begin(), repeat->body.end(), IsLoop));
    }
    Match(
        steps[n].what,
        [&](ExchangeStep& exchange) {
          all.push_back(&exchange.exchange);
          if (!nested) needed.push_back(&exchange.exchange);
        },
        [&](ChunksStep& chunks) {
          for (Exchange& exchange : chunks.before) {
            all.push_back(&exchange);
            needed.push_back(&exchange);
          }
        },
        [&](LookStep& look) { Collect(look.body, inside, all, needed); },
        [&](RepeatStep& repeat) { Collect(repeat.body, true, all, needed); }, [](const auto&) {});
  }
}

/// Arrays that give their memory to others, or take it.
void CollectHandedOn(const Steps& steps, std::set<ArrayId>& out) {
  for (const Step& step : steps) {
    if (const auto* hand_on = std::get_if<HandOnStep>(&step.what)) {
      for (const auto& [to, from] : hand_on->moves) out.insert({to, from});
    } else if (const auto* look = std::get_if<LookStep>(&step.what)) {
      CollectHandedOn(look->body, out);
    } else if (const auto* repeat = std::get_if<RepeatStep>(&step.what)) {
      CollectHandedOn(repeat->body, out);
    }
  }
}

/// Each exchange of a field is needed, and with one point less along a side or at a corner in all
/// of its exchanges something would be wrong. (One of them may bring what is there already, beside
/// its corners.)
class NeedChecker {
 public:
  explicit NeedChecker(const Distributed& program) : program_(program), less_(program) {
    Collect(less_.steps, false, exchanges_, needed_);
  }

  std::vector<std::string> Run() {
    std::set<ArrayId> handed_on;
    CollectHandedOn(less_.steps, handed_on);
    for (Exchange* exchange : needed_) {
      for (std::size_t n = 0; n < exchange->size(); ++n) {
        const FieldDepth field = (*exchange)[n];
        // Memory may come with ghosts that nobody counts on.
        if (handed_on.count(field.array) > 0) continue;
        exchange->erase(exchange->begin() + static_cast<std::ptrdiff_t>(n));
        if (StillRight()) Problem("nobody needs an exchange of '{}'", field.array);
        exchange->insert(exchange->begin() + static_cast<std::ptrdiff_t>(n), field);
      }
    }
    for (const ArrayId array : program_.fields) {
      Halo(program_.grid.Elements(array, program_.ghosts))
          .ForEach([&](int direction, std::size_t axis) { CheckDepth(array, direction, axis); });
    }
    return problems_;
  }

 private:
  bool StillRight() const { return ForwardVerifier(less_, false).Run().empty(); }

  void Problem(const char* what, ArrayId array) {
    problems_.push_back(fmt::format(fmt::runtime(what), program_.graph.arrays[array].name));
  }

  void CheckDepth(ArrayId array, int direction, std::size_t axis) {
    std::vector<std::int64_t*> depths;
    std::int64_t most = 0;
    for (Exchange* exchange : exchanges_) {
      for (FieldDepth& field : *exchange) {
        if (field.array != array || !field.depth.Has(direction)) continue;
        depths.push_back(&field.depth.At(direction, axis));
        most = std::max(most, *depths.back());
      }
    }
    if (most == 0) return;
    std::vector<std::int64_t> before;
    for (std::int64_t* depth : depths) {
      before.push_back(*depth);
      *depth = std::min(*depth, most - 1);
    }
    if (StillRight()) Problem("nobody reads all of the ghosts that '{}' gets", array);
    for (std::size_t n = 0; n < depths.size(); ++n) *depths[n] = before[n];
  }

  const Distributed& program_;
  Distributed less_;
  std::vector<Exchange*> exchanges_, needed_;  // of `less_`
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> Verify(const Distributed& program) {
  const std::vector<std::string> problems = ForwardVerifier(program, true).Run();
  return problems.empty() ? NeedChecker(program).Run() : problems;
}

}  // namespace stencilgen::distribute
