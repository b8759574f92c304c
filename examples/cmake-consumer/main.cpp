// Cools a plate that starts as one sine wave, whose decay is known, and compares.
#include <cmath>
#include <cstdio>
#include <vector>

#include "cooling.h"
#include "gradient.h"
#include "report.h"

int main() {
  const int rows = 60, columns = 90, steps = 200;
  const double alpha = 0.2;
  const double pi = std::acos(-1.0);
  const auto wave = [&](int j, int i) {
    return std::sin(pi * j / (rows - 1)) * std::sin(pi * i / (columns - 1));
  };
  std::vector<double> u(rows * columns), g(rows * columns);
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) u[j * columns + i] = wave(j, i);
  }

  if (cooling(u.data(), alpha, rows, columns, steps) != 0) {
    std::fprintf(stderr, "%s\n", cooling_error());
    return 1;
  }
  if (gradient(u.data(), g.data(), rows, columns) != 0) {
    std::fprintf(stderr, "%s\n", gradient_error());
    return 1;
  }

  const double sine_j = std::sin(pi / 2 / (rows - 1)), sine_i = std::sin(pi / 2 / (columns - 1));
  const double factor = 1 - 4 * alpha * (sine_j * sine_j + sine_i * sine_i);
  double worst = 0;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const double exact = std::pow(factor, steps) * wave(j, i);
      worst = std::fmax(worst, std::fabs(u[j * columns + i] - exact));
    }
  }
  return report(worst, g.data(), rows, columns);
}
