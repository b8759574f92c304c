// Grows a pattern in 200 steps, with the fields on the device all the time, and compares it with
// one call of the host function.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "gray_scott.h"
#ifdef PATTERN_USES_GRAPH
#include "graph.h"
#endif

int main() try {
  const int rows = 60, columns = 70, steps_a_graph = 20, graphs = 10;
  const double feed = 0.037, kill = 0.06;
  std::vector<double> u(rows * columns, 1.0), v(rows * columns, 0.0);
  for (int j = rows / 2 - 5; j < rows / 2 + 5; ++j) {
    for (int i = columns / 2 - 5; i < columns / 2 + 5; ++i) {
      u[j * columns + i] = 0.5;
      v[j * columns + i] = 0.25 + 0.01 * ((3 * i + 5 * j) % 7);
    }
  }

  gray_scott_Program program(rows, columns, steps_a_graph);
  program.set_feed(feed);
  program.set_kill(kill);
  program.upload_u(u);
  program.upload_v(v);
#ifdef PATTERN_USES_GRAPH
  Replay(graphs, [&](CUstream_st* stream) { program.run(stream); });
#else
  for (int k = 0; k < graphs; ++k) program.run();
#endif
  std::vector<double> grown(rows * columns);
  program.download_v(grown);

  if (gray_scott(u.data(), v.data(), feed, kill, rows, columns, steps_a_graph * graphs) != 0) {
    std::fprintf(stderr, "%s\n", gray_scott_error());
    return 1;
  }
  double worst = 0;
  for (int k = 0; k < rows * columns; ++k) worst = std::fmax(worst, std::fabs(grown[k] - v[k]));
  std::printf("most of v: %.6f, largest difference %.1e\n",
              *std::max_element(grown.begin(), grown.end()), worst);
  return worst < 1e-12 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
