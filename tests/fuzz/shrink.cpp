#include "shrink.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/schedule_text.h"

namespace stencilgen::testing {
namespace {

using Lines = std::vector<std::string>;
using Fails = std::function<bool(const TestProgram&)>;

Lines Split(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string Join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
    text += '\n';
  }
  return text;
}

/// One past the `}` that closes the block opened on line `start`, or start + 1 where none opens.
std::size_t BlockEnd(const Lines& lines, std::size_t start) {
  int depth = 0;
  for (std::size_t n = start; n < lines.size(); ++n) {
    depth += static_cast<int>(std::count(lines[n].begin(), lines[n].end(), '{'));
    depth -= static_cast<int>(std::count(lines[n].begin(), lines[n].end(), '}'));
    if (depth <= 0) return n + 1;
  }
  return lines.size();
}

bool Accept(TestProgram* program, TestProgram candidate, const Fails& fails) {
  if (!fails(candidate)) return false;
  *program = std::move(candidate);
  return true;
}

bool DropLines(TestProgram* program, const Fails& fails) {
  bool changed = false;
  for (std::size_t n = Split(program->text).size(); n-- > 0;) {
    const Lines lines = Split(program->text);
    // A closing brace goes with what opened it.
    if (n >= lines.size() || lines[n].find_first_not_of(' ') == lines[n].find('}')) continue;
    const std::size_t end = BlockEnd(lines, n);
    TestProgram without = *program;
    Lines rest(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(n));
    rest.insert(rest.end(), lines.begin() + static_cast<std::ptrdiff_t>(end), lines.end());
    without.text = Join(rest);
    if (Accept(program, std::move(without), fails)) {
      changed = true;
      continue;
    }
    if (end == n + 1) continue;
    // A loop that cannot go may still lose its braces.
    TestProgram unwrapped = *program;
    Lines body = lines;
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(end) - 1);
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(n));
    unwrapped.text = Join(body);
    changed = Accept(program, std::move(unwrapped), fails) || changed;
  }
  return changed;
}

bool DropRuns(TestProgram* program, const Fails& fails) {
  bool changed = false;
  for (std::size_t n = program->sizes.size(); n-- > 0 && program->sizes.size() > 1;) {
    TestProgram candidate = *program;
    candidate.sizes.erase(candidate.sizes.begin() + static_cast<std::ptrdiff_t>(n));
    changed = Accept(program, std::move(candidate), fails) || changed;
  }
  return changed;
}

/// Where the summands of a line begin: at its ` + ` and ` - `, and where parentheses open or close.
bool DropSummands(TestProgram* program, const Fails& fails) {
  bool changed = false;
  for (std::size_t at = program->text.size(); at-- > 0;) {
    const std::string& text = program->text;
    if (at + 3 > text.size()) continue;
    const std::string op = text.substr(at, 3);
    if (op != " + " && op != " - ") continue;
    std::size_t end = at + 3;
    int depth = 0;
    while (end < text.size() && text[end] != ';' && text[end] != '\n') {
      const char c = text[end];
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      const bool next =
          depth == 0 && (text.compare(end, 3, " + ") == 0 || text.compare(end, 3, " - ") == 0);
      if (depth < 0 || next) break;
      ++end;
    }
    TestProgram candidate = *program;
    candidate.text.erase(at, end - at);
    changed = Accept(program, std::move(candidate), fails) || changed;
  }
  return changed;
}

bool ReduceSizes(TestProgram* program, const Fails& fails) {
  bool changed = false;
  for (std::size_t run = 0; run < program->sizes.size(); ++run) {
    const auto names = program->sizes[run];
    for (const auto& [name, value] : names) {
      for (const std::int64_t smaller : {std::int64_t{1}, value / 2, value - 1}) {
        if (smaller < 1 || smaller >= program->sizes[run][name]) continue;
        TestProgram candidate = *program;
        candidate.sizes[run][name] = smaller;
        changed = Accept(program, std::move(candidate), fails) || changed;
      }
    }
  }
  return changed;
}

/// Leaves out what the schedule does, one thing at a time.
bool SimplifySchedule(TestProgram* program, const Fails& fails) {
  bool changed = false;
  const auto attempt = [&](const auto& simplify) {
    TestProgram candidate = *program;
    simplify(candidate);
    const auto text = [](const TestProgram& p) { return ScheduleText(ScheduleOf(p)); };
    if (text(candidate) == text(*program)) return;
    changed = Accept(program, std::move(candidate), fails) || changed;
  };
  attempt([](TestProgram& p) { p.schedule.form = plan::Form::Gather; });
  attempt([](TestProgram& p) { p.schedule.barriers = plan::BarrierRule::Level; });
  attempt([](TestProgram& p) { p.schedule.prefetch = plan::Prefetch::None; });
  attempt([](TestProgram& p) { p.schedule.shuffle = false; });
  attempt([](TestProgram& p) { p.schedule.stream.reset(); });
  attempt([](TestProgram& p) {
    if (p.schedule.stream) p.schedule.stream->chunk = p.schedule.stream->shortest = 0;
  });
  attempt([](TestProgram& p) { p.schedule.shared_memory = false; });
  attempt([](TestProgram& p) { p.schedule.fusion = plan::Fusion::None; });
  attempt([](TestProgram& p) { p.split = 0; });
  attempt([](TestProgram& p) { p.crossing = passes::Crossing::Store; });
  attempt([](TestProgram& p) { p.reorder = passes::Reorder::None; });
  attempt([](TestProgram& p) { p.time_tile = 1; });
  attempt([](TestProgram& p) { p.time_tile = std::max(1, p.time_tile - 1); });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    attempt([&](TestProgram& p) { p.schedule.unroll[axis] = 1; });
    attempt([&](TestProgram& p) { p.schedule.block[axis] = 1; });
  }
  return changed;
}

}  // namespace

TestProgram Shrink(TestProgram program, const Fails& fails) {
  bool changed = true;
  while (changed) {
    changed = DropRuns(&program, fails);
    changed = SimplifySchedule(&program, fails) || changed;
    changed = DropLines(&program, fails) || changed;
    changed = DropSummands(&program, fails) || changed;
    changed = ReduceSizes(&program, fails) || changed;
  }
  return program;
}

}  // namespace stencilgen::testing
