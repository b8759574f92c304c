#pragma once

#include <string>
#include <vector>

#include "support/schedule_text.h"
#include "support/test_program.h"

namespace stencilgen::testing {

struct NamedSchedule {
  std::string name;  ///< part of a C identifier
  TimedSchedule timed;
  bool streams = false;
};

/// Schedules that together use everything a schedule can say: small blocks, so that small arrays
/// have several tiles.
std::vector<NamedSchedule> ScheduleMatrix();

/// Every example with every schedule that means something for it, named EXAMPLE_SCHEDULE; with the
/// sizes that `sizes` gives the example.
template <typename SizesOf>
std::vector<TestProgram> WithSchedules(const std::vector<TestProgram>& examples,
                                       const std::vector<NamedSchedule>& schedules, SizesOf sizes) {
  std::vector<TestProgram> programs;
  for (const TestProgram& example : examples) {
    for (const NamedSchedule& schedule : schedules) {
      const bool line = example.sizes.front().count("M") == 0;
      if (line && schedule.streams) continue;
      TestProgram program = example;
      program.name = example.name + "_" + schedule.name;
      program.sizes = sizes(example);
      SetSchedule(&program, schedule.timed);
      programs.push_back(program);
    }
  }
  return programs;
}

}  // namespace stencilgen::testing
