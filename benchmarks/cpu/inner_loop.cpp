#include "cpu/inner_loop.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <sstream>
#include <string_view>

namespace stencilgen::tables {
namespace {

/// The lines of the function, comments taken off.
std::vector<std::string> LinesOf(const std::string& assembly, const std::string& function) {
  std::istringstream stream(assembly);
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    line = line.substr(0, line.find('#'));
    if (line.rfind(function + ":", 0) == 0) inside = true;
    if (inside && line.find(".cfi_endproc") != std::string::npos) break;
    if (inside) lines.push_back(line);
  }
  return lines;
}

struct Loop {
  std::size_t first = 0, last = 0;  // lines
};

bool IsInside(const Loop& inner, const Loop& outer) {
  const bool same = inner.first == outer.first && inner.last == outer.last;
  return !same && outer.first <= inner.first && inner.last <= outer.last;
}

std::vector<Loop> InnermostLoops(const std::vector<std::string>& lines) {
  std::map<std::string, std::size_t> labels;
  std::map<std::size_t, std::size_t> ends;  // by first line
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const std::string& line = lines[n];
    if (const std::size_t colon = line.find(':'); line.rfind(".L", 0) == 0 && colon < line.size()) {
      labels[line.substr(0, colon)] = n;
    }
    if (line.rfind("\tj", 0) != 0) continue;
    const std::size_t target = line.find(".L");
    if (target == std::string::npos) continue;
    const auto label = labels.find(line.substr(target, line.find_last_not_of(" \t") + 1 - target));
    if (label != labels.end()) ends[label->second] = n;
  }
  std::vector<Loop> loops;
  for (const auto& [first, last] : ends) loops.push_back({first, last});
  std::vector<Loop> innermost;
  for (const Loop& loop : loops) {
    const bool has_inner = std::any_of(loops.begin(), loops.end(),
                                       [&](const Loop& other) { return IsInside(other, loop); });
    if (!has_inner) innermost.push_back(loop);
  }
  return innermost;
}

bool Has(const std::string& line, std::string_view what) {
  return line.find(what) != std::string::npos;
}

/// `frame`: %rbp points to the function's frame; else it is a register like others.
LoopCount Count(const std::vector<std::string>& lines, const Loop& loop, bool frame) {
  LoopCount count;
  for (std::size_t n = loop.first; n <= loop.last; ++n) {
    const std::string& line = lines[n];
    if (line.rfind("\tv", 0) != 0 || !Has(line, "mm")) continue;
    ++count.instructions;
    count.vectors = count.vectors || Has(line, "%ymm") || Has(line, "%zmm");
    if (!Has(line, "(")) continue;
    ++count.accesses;
    if (Has(line, "(%rsp") || (frame && Has(line, "(%rbp"))) {
      ++count.on_stack;
    } else if (Has(line, "{1to") || Has(line, "broadcast") || Has(line, "(%rip)")) {
      ++count.constant;
    }
  }
  return count;
}

}  // namespace

LoopCount CountInnerLoop(const std::string& assembly, const std::string& function) {
  const std::vector<std::string> lines = LinesOf(assembly, function);
  const bool frame = std::any_of(lines.begin(), lines.end(),
                                 [](const std::string& line) { return Has(line, "%rsp, %rbp"); });
  LoopCount most;
  LoopCount most_vectors;
  for (const Loop& loop : InnermostLoops(lines)) {
    const LoopCount count = Count(lines, loop, frame);
    LoopCount& known = count.vectors ? most_vectors : most;
    if (count.instructions > known.instructions) known = count;
  }
  // The points that are left over by a loop of vectors take about as many instructions as it; code
  // for several points that is not vectorised takes more than the vectors of one.
  return 5 * most.instructions > 9 * most_vectors.instructions ? most : most_vectors;
}

}  // namespace stencilgen::tables
