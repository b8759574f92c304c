/* Constant arrays with designated initialisers, which C++ has not; and a lattice Boltzmann step that
   pushes values to its neighbours. */
#include "check.h"

#define NX 19
#define NY 13
static const double w[5] = {[2] = 0.5, [0] = 0.1, 0.2};
static const int o[3] = {[1] = 1, -1};
static const double table[2][3] = {[1] = {1, 2, 3}, [0] = {[1] = 7}};
static const float open[] = {[3] = 0.2f};
static const double ranges[3] = {[0 ... 2] = 2};
static const double deep[2][2] = {[1][0] = 3.0};
static const double twice[3] = {[1] = 9, [0] = 4};
static const int cx[9] = {[1] = 1, [3] = -1, [5] = 1, -1, -1, 1};
static const int cy[9] = {[2] = 1, [4] = -1, [5] = 1, 1, -1, -1};
static double a[100], b[100], from[9][NY][NX], to[9][NY][NX];

static void weights(void) {
#pragma scop
  for (int i = 2; i < 98; i++) {
    b[i] = 0;
    for (int p = -2; p <= 2; p++) b[i] += w[p + 2] * a[i + p];
    for (int q = 0; q < 3; q++)
      b[i] += (table[1][q] + table[0][q]) * a[i + o[q]] * ranges[q] * twice[q];
    for (int q = 0; q < 2; q++) b[i] += open[q + 2] * a[i - q] + deep[q][0] * a[i + q];
  }
#pragma endscop
}

static void push(int steps, double omega) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < NY - 1; y++)
      for (int x = 1; x < NX - 1; x++) {
        double rho = 0.0;
        for (int q = 0; q < 9; q++) rho += from[q][y][x];
        for (int q = 0; q < 9; q++)
          to[q][y + cy[q]][x + cx[q]] = from[q][y][x] + omega * (rho / 9.0 - from[q][y][x]);
      }
    memcpy(from, to, sizeof from);
  }
#pragma endscop
}

int main(void) {
  FILL(a, double);
  FILL(from, double);
  weights();
  push(4, 0.6);
  ADD(b);
  ADD(from);
  ADD(to);
  PRINT();
  return 0;
}
