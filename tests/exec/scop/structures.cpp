#include <cmath>

#include "check.h"

namespace {

struct Grid {
  int rows, columns;
  double spacing;
  double (*values)[36];
};

class Solver {
 public:
  double u[28][36], v[28][36];
  const double factor = 0.3;
  void Step(int steps) {
#pragma scop
    for (int t = 0; t < steps; ++t) {
      for (int i = 1; i < 27; ++i)
        for (int j = 1; j < 35; ++j)
          v[i][j] = factor * (u[i - 1][j] + u[i + 1][j]) + std::abs(u[i][j - 1]);
      for (int i = 1; i < 27; ++i)
        for (int j = 1; j < 35; ++j) u[i][j] = std::max(v[i][j], -0.5);
    }
#pragma endscop
  }
};

Solver solver;

template <typename Number>
void Scale(Number& factor, const Grid* grid) {
  factor *= Number(grid->rows);
}

}  // namespace

int main() {
  FILL(solver.u, double);
  FILL(solver.v, double);
  solver.Step(5);
  Grid grid{28, 36, 0.5, solver.u};
  Grid* const p = &grid;
#pragma scop
  for (int i = 0; i < p->rows - 1; ++i)
    for (int j = 0; j < p->columns; ++j) p->values[i][j] = p->spacing * p->values[i + 1][j];
#pragma endscop
  double f = 1;
  Scale(f, p);
  ADD(solver.u);
  ADD(solver.v);
  add_bytes(&f, sizeof f);
  PRINT();
}
