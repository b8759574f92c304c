#include "tools/measure/visits.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "tools/measure/process.h"

namespace stencilgen::measure {
namespace {

bool IsOk(const std::string& answer) {
  return answer.rfind("ok ", 0) == 0;
}

Visit VisitOf(const std::string& answer) {
  Visit visit;
  if (!IsOk(answer)) {
    visit.failure = answer;
  } else {
    std::istringstream(answer.substr(3)) >> visit.milliseconds >> visit.others;
  }
  return visit;
}

}  // namespace

std::string OkAnswer(double milliseconds, double others) {
  char text[80];
  std::snprintf(text, sizeof text, "ok %.17g %.4g", milliseconds, others);
  return text;
}

std::vector<Visit> VisitAll(const std::function<Worker()>& start, const std::vector<double>& limits,
                            const std::function<bool()>& stopped) {
  std::vector<Visit> visits(limits.size());
  std::size_t next = 0;
  while (next < limits.size()) {
    const std::size_t first = next;
    Process process([&](int to) {
      const Worker worker = start();
      for (std::size_t k = first; k < limits.size(); ++k) {
        const std::string answer = worker(k);
        WriteLine(to, answer);
        // An error of a GPU stays with the process.
        if (!IsOk(answer)) break;
      }
    });
    if (!process.started()) {
      visits[next++].failure = std::string("cannot start a process: ") + std::strerror(errno);
      continue;
    }
    bool going = true;
    while (going && next < limits.size()) {
      Visit& visit = visits[next];
      std::string line;
      switch (process.ReadLine(limits[next], stopped, &line)) {
        case Process::Outcome::Line:
          visit = VisitOf(line);
          break;
        case Process::Outcome::Ended:
          visit.failure = process.Ending();
          break;
        case Process::Outcome::Late:
          char text[60];
          std::snprintf(text, sizeof text, "it took longer than %.3g s", limits[next]);
          visit.failure = text;
          break;
        case Process::Outcome::Stopped:
          for (; next < visits.size(); ++next) visits[next].failure = "stopped";
          return visits;
      }
      going = visit.failure.empty();
      ++next;
    }
  }
  return visits;
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace stencilgen::measure
