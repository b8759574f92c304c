#include "support/test_program.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace stencilgen::testing {
namespace {

constexpr const char* kRun = "// run: ";
constexpr const char* kSchedule = "// schedule: ";
constexpr const char* kInputs = "// inputs: ";

void ReadRun(std::istringstream words, TestProgram* program) {
  std::map<std::string, std::int64_t> sizes;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    sizes[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
  }
  program->sizes.push_back(std::move(sizes));
}

/// The rest of a line after its head, empty where it has another head.
std::optional<std::istringstream> After(const std::string& line, const std::string& head) {
  if (line.rfind(head, 0) != 0) return std::nullopt;
  return std::istringstream(line.substr(head.size()));
}

}  // namespace

TimedSchedule ScheduleOf(const TestProgram& program) {
  return {program.schedule, program.time_tile, program.split, program.crossing, program.reorder};
}

void SetSchedule(TestProgram* program, const TimedSchedule& timed) {
  program->schedule = timed.schedule;
  program->time_tile = timed.time_tile;
  program->split = timed.split;
  program->crossing = timed.crossing;
  program->reorder = timed.reorder;
}

std::string ToFileText(const TestProgram& program) {
  std::string text;
  for (const auto& sizes : program.sizes) {
    text += kRun;
    for (const auto& [name, value] : sizes) text += fmt::format("{}={} ", name, value);
    text.back() = '\n';
  }
  text += fmt::format("{}{}\n", kSchedule, ScheduleText(ScheduleOf(program)));
  text += fmt::format("{}{} {}\n", kInputs, program.continuous ? 1 : 0, program.lowest_input);
  return text + program.text;
}

std::optional<TestProgram> ReadTestProgram(const std::filesystem::path& path) {
  std::ifstream file(path);
  TestProgram program;
  program.name = path.stem().string();
  for (std::string line; std::getline(file, line);) {
    if (auto run = After(line, kRun)) {
      ReadRun(std::move(*run), &program);
    } else if (auto schedule = After(line, kSchedule)) {
      const auto timed = ReadSchedule(schedule->str());
      if (!timed) return std::nullopt;
      SetSchedule(&program, *timed);
    } else if (auto inputs = After(line, kInputs)) {
      *inputs >> program.continuous >> program.lowest_input;
    } else {
      program.text += line;
      program.text += '\n';
    }
  }
  if (program.sizes.empty()) return std::nullopt;
  return program;
}

}  // namespace stencilgen::testing
