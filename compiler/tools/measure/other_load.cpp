#include "tools/measure/other_load.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace stencilgen::measure {

namespace {

/// Seconds that all processors have worked; below 0 where the system does not tell.
double BusySeconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0;
  double nice = 0;
  double system = 0;
  if (!(file >> name >> user >> nice >> system) || name != "cpu") return -1;
  return (user + nice + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Seconds(const timeval& time) {
  constexpr double kMicrosecond = 1e-6;
  return static_cast<double>(time.tv_sec) + kMicrosecond * static_cast<double>(time.tv_usec);
}

}  // namespace

OtherLoad::OtherLoad() : start_(Now()) {}

OtherLoad::Times OtherLoad::Now() {
  rusage own = {};
  getrusage(RUSAGE_SELF, &own);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(now).count(), BusySeconds(),
          Seconds(own.ru_utime) + Seconds(own.ru_stime)};
}

double OtherLoad::Processors() const {
  const Times now = Now();
  if (start_.busy < 0 || now.busy < 0 || now.wall <= start_.wall) return 0;
  const double others = (now.busy - start_.busy) - (now.own - start_.own);
  return std::max(0.0, others / (now.wall - start_.wall));
}

}  // namespace stencilgen::measure
