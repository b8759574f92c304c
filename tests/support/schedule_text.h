#pragma once

#include <optional>
#include <string>

#include "plan/schedule.h"

namespace stencilgen::testing {

/// A schedule with the steps of a loop that are planned together.
struct TimedSchedule {
  plan::Schedule schedule;
  int time_tile = 1;
};

/// One line of words `name=value`, every field of the schedule.
std::string ScheduleText(const TimedSchedule& timed);

/// Reads what ScheduleText wrote, fields that are missing as in a new Schedule; and the older form,
/// numbers alone: block, unroll and, as far as they are there, the streamed iterator (-1: none),
/// the chunk and the time tile. Empty where a word has no meaning.
std::optional<TimedSchedule> ReadSchedule(const std::string& line);

}  // namespace stencilgen::testing
