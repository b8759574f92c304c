#include "support/schedule_text.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stencilgen::testing {
namespace {

using plan::Schedule;

// In the order of their enums.
constexpr std::array<std::string_view, 3> kFusions = {"none", "max", "greedy"};
constexpr std::array<std::string_view, 3> kObjectives = {"data-movement", "registers",
                                                         "shared-memory"};
constexpr std::array<std::string_view, 4> kPrefetches = {"none", "step", "register", "async"};
constexpr std::array<std::string_view, 2> kBarriers = {"level", "step"};
constexpr std::array<std::string_view, 2> kHalos = {"threads", "loads"};
constexpr std::array<std::string_view, 2> kForms = {"gather", "scatter"};
constexpr std::array<std::string_view, 3> kCrossings = {"recompute", "store", "cheaper"};
constexpr std::array<std::string_view, 4> kReorders = {"none", "trees", "lars", "auto"};
constexpr std::array<std::string_view, 2> kShapes = {"overlapped", "hexagon"};
constexpr std::array<std::string_view, 2> kFlags = {"no", "yes"};

template <std::size_t count, typename T>
std::string_view Name(const std::array<std::string_view, count>& names, T value) {
  return names[static_cast<std::size_t>(value)];
}

template <std::size_t count, typename T>
bool ReadName(const std::array<std::string_view, count>& names, const std::string& text, T* value) {
  const auto at = std::find(names.begin(), names.end(), text);
  if (at == names.end()) return false;
  *value = static_cast<T>(at - names.begin());
  return true;
}

/// Numbers with one character between each two.
template <typename T>
bool ReadNumbers(const std::string& text, T* values, std::size_t count) {
  std::istringstream stream(text);
  char between = ',';
  for (std::size_t n = 0; n < count; ++n) {
    if (n > 0) stream >> between;
    stream >> values[n];
  }
  return !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
}

bool ReadStream(const std::string& text, Schedule* schedule) {
  schedule->stream.reset();
  if (text == "none") return true;
  std::array<std::int64_t, 3> numbers = {};
  const auto given = static_cast<std::size_t>(std::count(text.begin(), text.end(), ':') + 1);
  if (given < 2 || given > 3 || !ReadNumbers(text, numbers.data(), given)) return false;
  schedule->stream = plan::Stream{static_cast<int>(numbers[0]), numbers[1], numbers[2]};
  return true;
}

bool ReadField(const std::string& name, const std::string& value, TimedSchedule* timed) {
  Schedule& schedule = timed->schedule;
  if (name == "block") return ReadNumbers(value, schedule.block.data(), 3);
  if (name == "unroll") return ReadNumbers(value, schedule.unroll.data(), 3);
  if (name == "stream") return ReadStream(value, &schedule);
  if (name == "time_tile") return ReadNumbers(value, &timed->time_tile, 1);
  if (name == "split") return ReadNumbers(value, &timed->split, 1);
  if (name == "crossing") return ReadName(kCrossings, value, &timed->crossing);
  if (name == "fusion") return ReadName(kFusions, value, &schedule.fusion);
  if (name == "objective") return ReadName(kObjectives, value, &schedule.objective);
  if (name == "shared") return ReadName(kFlags, value, &schedule.shared_memory);
  if (name == "shuffle") return ReadName(kFlags, value, &schedule.shuffle);
  if (name == "prefetch") return ReadName(kPrefetches, value, &schedule.prefetch);
  if (name == "barriers") return ReadName(kBarriers, value, &schedule.barriers);
  if (name == "halo") return ReadName(kHalos, value, &schedule.halo);
  if (name == "stages") return ReadNumbers(value, &schedule.stages, 1);
  if (name == "shape") return ReadName(kShapes, value, &schedule.shape);
  if (name == "form") return ReadName(kForms, value, &schedule.form);
  if (name == "reorder") return ReadName(kReorders, value, &timed->reorder);
  return name == "limit" && ReadNumbers(value, &schedule.shared_limit, 1);
}

std::optional<TimedSchedule> ReadNumbersAlone(const std::string& line) {
  TimedSchedule timed;
  std::istringstream words(line);
  for (int& value : timed.schedule.block) words >> value;
  for (int& value : timed.schedule.unroll) words >> value;
  if (!words) return std::nullopt;
  plan::Stream stream{-1, 0};
  if (words >> stream.iterator >> stream.chunk && stream.iterator >= 0) {
    timed.schedule.stream = stream;
  }
  if (int steps = 1; words >> steps) timed.time_tile = steps;
  return timed;
}

}  // namespace

std::string ScheduleText(const TimedSchedule& timed) {
  const Schedule& schedule = timed.schedule;
  std::string stream = schedule.stream
                           ? fmt::format("{}:{}", schedule.stream->iterator, schedule.stream->chunk)
                           : "none";
  const bool fitted = schedule.stream && schedule.stream->shortest > 0;
  if (fitted) stream += fmt::format(":{}", schedule.stream->shortest);
  const bool greedy = schedule.fusion == plan::Fusion::Greedy;
  const std::string objective =
      greedy ? fmt::format(" objective={}", Name(kObjectives, schedule.objective)) : "";
  const std::string split = timed.split > 0 ? fmt::format(" split={} crossing={}", timed.split,
                                                          Name(kCrossings, timed.crossing))
                                            : "";
  const std::string stages = schedule.stages > 1 ? fmt::format(" stages={}", schedule.stages) : "";
  const std::string shape = schedule.shape == plan::TurnTiles::Hexagon ? " shape=hexagon" : "";
  return fmt::format(
      "block={} unroll={} stream={} time_tile={} fusion={} shared={} shuffle={} prefetch={} "
      "barriers={} halo={} form={} reorder={} limit={}{}{}{}{}",
      fmt::join(schedule.block, ","), fmt::join(schedule.unroll, ","), stream, timed.time_tile,
      Name(kFusions, schedule.fusion), Name(kFlags, schedule.shared_memory),
      Name(kFlags, schedule.shuffle), Name(kPrefetches, schedule.prefetch),
      Name(kBarriers, schedule.barriers), Name(kHalos, schedule.halo), Name(kForms, schedule.form),
      Name(kReorders, timed.reorder), schedule.shared_limit, objective, split, stages, shape);
}

std::string BlockArguments(const TimedSchedule& timed, const std::vector<std::string>& iterators) {
  const Schedule& schedule = timed.schedule;
  const std::size_t rank = iterators.size();
  std::string text = fmt::format("block:{}", schedule.block[0]);
  for (std::size_t axis = 1; axis < rank; ++axis) {
    text += fmt::format(",{}", schedule.block[axis]);
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    // Axis 0 is that of the last iterator.
    text += fmt::format("{}{}={}", axis == 0 ? " unroll:" : ",", iterators[rank - 1 - axis],
                        schedule.unroll[axis]);
  }
  if (!schedule.stream) {
    text += " no-stream";
  } else {
    const std::string& along = iterators[static_cast<std::size_t>(schedule.stream->iterator)];
    text += schedule.stream->shortest > 0 ? fmt::format(" concurrent-stream:{}:auto", along)
            : schedule.stream->chunk > 0
                ? fmt::format(" concurrent-stream:{}:{}", along, schedule.stream->chunk)
                : fmt::format(" serial-stream:{}", along);
  }
  // Parts of a stretch are tiles.
  const bool split = timed.split > 0 && (schedule.shared_memory || schedule.shuffle);
  text += split ? fmt::format(" split:{}", timed.split)
                : fmt::format(" fusion:{}", Name(kFusions, schedule.fusion));
  if (!split && schedule.fusion == plan::Fusion::Greedy) {
    text += fmt::format(" fusion-objective:{}", Name(kObjectives, schedule.objective));
  }
  // What is loaded asynchronously goes into shared memory.
  const bool cannot = schedule.prefetch == plan::Prefetch::Async && !schedule.shared_memory;
  const plan::Prefetch prefetch = cannot ? plan::Prefetch::None : schedule.prefetch;
  if (schedule.stages > 1) text += fmt::format(" stages:{}", schedule.stages);
  if (schedule.shape == plan::TurnTiles::Hexagon) text += " shape:hexagon";
  return text + fmt::format(" time-tile:{} shared-mem:{} {} prefetch:{} halo:{} barriers:{}",
                            timed.time_tile, schedule.shared_memory,
                            schedule.shuffle ? "shuffle" : "no-shuffle",
                            Name(kPrefetches, prefetch), Name(kHalos, schedule.halo),
                            Name(kBarriers, schedule.barriers));
}

std::optional<TimedSchedule> ReadSchedule(const std::string& line) {
  if (line.find('=') == std::string::npos) return ReadNumbersAlone(line);
  TimedSchedule timed;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return std::nullopt;
    if (!ReadField(word.substr(0, equals), word.substr(equals + 1), &timed)) return std::nullopt;
  }
  return timed;
}

}  // namespace stencilgen::testing
