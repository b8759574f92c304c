// Elements of containers: vectors that are exchanged, references, members, spans of one's own
// memory, and unique pointers.
#include <array>
#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include "check.h"

namespace {

constexpr int kRows = 13, kColumns = 18;

void Fill(std::vector<double>& values) {
  for (double& value : values) value = next_value();
}
template <typename Values>
void AddAll(const Values& values) {
  add_bytes(values.data(), values.size() * sizeof(values[0]));
}

void Heat(std::vector<double>& u, int steps, int m, int n, double alpha) {
  std::vector<double> v = u;
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int j = 1; j < m - 1; j++)
      for (int i = 1; i < n - 1; i++)
        v[j * n + i] =
            u[j * n + i] + alpha * (u[(j - 1) * n + i] + u[(j + 1) * n + i] + u[j * n + i - 1] +
                                    u[j * n + i + 1] - 4.0 * u[j * n + i]);
    std::swap(u, v);
  }
#pragma endscop
}

void Leap(std::vector<double>& before, std::vector<double>& now, std::vector<double>& next,
          int steps, int n) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      next[i] = 2.0 * now[i] - before[i] + 0.2 * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
    std::swap(before, now);
    std::swap(now, next);
  }
#pragma endscop
}

struct Grid {
  int n;
  std::vector<float> field;
  std::array<double, 40> line;
  std::unique_ptr<double[]> owned;

  double at(int i) const { return line[i] * scale; }
  double scale = 0.5;

  void Smooth(const std::vector<float>& from) {
#pragma scop
    for (int i = 1; i < n - 1; i++) field[i] = 0.5f * (from[i - 1] + from[i + 1]);
    for (int i = 1; i < 39; i++) owned[i] = at(i - 1) + at(i + 1);
#pragma endscop
  }
};

void Turn(std::vector<std::complex<double>>& z, int n, std::complex<double> by) {
#pragma scop
  for (int i = 0; i < n; i++) z[i] = z[i] * by;
#pragma endscop
}

}  // namespace

int main() {
  for (int steps = 0; steps < 4; ++steps) {
    std::vector<double> u(kRows * kColumns);
    Fill(u);
    Heat(u, steps, kRows, kColumns, 0.2);
    AddAll(u);
    std::vector<double> a(kColumns), b(kColumns), c(kColumns);
    Fill(a);
    Fill(b);
    Fill(c);
    Leap(a, b, c, steps, kColumns);
    AddAll(a);
    AddAll(b);
    AddAll(c);
  }
  Grid grid{30, std::vector<float>(30), {}, std::make_unique<double[]>(40)};
  std::vector<float> from(30);
  for (float& value : from) value = static_cast<float>(next_value());
  for (double& value : grid.line) value = next_value();
  grid.Smooth(from);
  AddAll(grid.field);
  add_bytes(grid.owned.get(), 40 * sizeof(double));
  std::vector<std::complex<double>> z(25);
  for (auto& value : z) value = {next_value(), next_value()};
  Turn(z, 25, {0.6, 0.8});
  AddAll(z);
  PRINT();
}
