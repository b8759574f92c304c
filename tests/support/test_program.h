#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/crossing.h"
#include "passes/reorder.h"
#include "plan/schedule.h"
#include "support/schedule_text.h"

namespace stencilgen::testing {

/// A program to run, with all that a run needs.
struct TestProgram {
  std::string name;  ///< a C identifier, unique in its batch
  std::string text;  ///< the `.idsl` program
  /// Values of the parameters, one map a run.
  std::vector<std::map<std::string, std::int64_t>> sizes;
  plan::Schedule schedule = {};  ///< of the CUDA targets; the C++ target takes what it knows
  int time_tile = 1;             ///< steps of a loop that are planned together
  int split = 0;                 ///< parts of each stretch of statements; 0: not split
  passes::Crossing crossing = passes::Crossing::Cheaper;
  /// False where a rounding error may decide a comparison or a conversion to int: then only
  /// `--fp strict` can be compared.
  bool continuous = true;
  /// Floating-point inputs are in [lowest_input, 1]; where it is not negative, ints are 0 or 1.
  double lowest_input = -1;
  passes::Reorder reorder = passes::Reorder::None;  ///< with `--fp fast`
};

/// The program's schedule with what is done to its graph first.
TimedSchedule ScheduleOf(const TestProgram& program);
void SetSchedule(TestProgram* program, const TimedSchedule& timed);

/// The program as a file: its text after comment lines that hold the rest.
std::string ToFileText(const TestProgram& program);
/// Reads what ToFileText wrote; the name is the file's stem. Empty where the file cannot be read,
/// holds no sizes or a schedule that is none.
std::optional<TestProgram> ReadTestProgram(const std::filesystem::path& path);

}  // namespace stencilgen::testing
