#pragma once

#include <optional>
#include <string>
#include <vector>

#include "passes/crossing.h"
#include "passes/reorder.h"
#include "plan/schedule.h"

namespace stencilgen::testing {

/// A schedule with what is done to the graph before it is planned.
struct TimedSchedule {
  plan::Schedule schedule;
  int time_tile = 1;  ///< steps of a loop that are planned together
  int split = 0;      ///< parts of each stretch of statements; 0: as the schedule's fusion says
  passes::Crossing crossing = passes::Crossing::Cheaper;
  passes::Reorder reorder = passes::Reorder::None;  ///< with --fp fast
};

/// One line of words `name=value`, every field of the schedule. A stream is its iterator's number,
/// the chunk and, where the host chooses chunks, the shortest: `stream=0:0:3`.
std::string ScheduleText(const TimedSchedule& timed);

/// The schedule as arguments of a block, for a program with these iterators, as far as they hold
/// with --fp strict: `block:8,4 concurrent-stream:j:5`.
std::string BlockArguments(const TimedSchedule& timed, const std::vector<std::string>& iterators);

/// Reads what ScheduleText wrote, fields that are missing as in a new Schedule; and the older form,
/// numbers alone: block, unroll and, as far as they are there, the streamed iterator (-1: none),
/// the chunk and the time tile. Empty where a word has no meaning.
std::optional<TimedSchedule> ReadSchedule(const std::string& line);

}  // namespace stencilgen::testing
