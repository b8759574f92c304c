/* A lattice Boltzmann method whose directions and weights are constant arrays: loops over them are
   written out, with their numbers. */
#include "check.h"

#define NX 19
#define NY 13

static double f[2][NY][NX][9];
static float g[40], h[40];
static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weights[9] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                  1. / 36, 1. / 36, 1. / 36, 1. / 36};
static const int pairs[2][2] = {{-1, 2}, {1}};
static const float tenths[3] = {0.1, 0.3, 0.7};

static void lbm(int steps, double omega) {
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int y = 1; y < NY - 1; y++)
      for (int x = 1; x < NX - 1; x++) {
        double rho = 0, ux = 0, uy = 0;
        for (int q = 0; q < 9; q++) {
          rho += f[t % 2][y - cy[q]][x - cx[q]][q];
          ux += cx[q] * f[t % 2][y - cy[q]][x - cx[q]][q];
          uy += cy[q] * f[t % 2][y - cy[q]][x - cx[q]][q];
        }
        ux /= rho;
        uy /= rho;
        for (int q = 0; q < 9; q++) {
          double cu = 3 * (cx[q] * ux + cy[q] * uy);
          double equilibrium = weights[q] * rho * (1 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
          f[(t + 1) % 2][y][x][q] =
              f[t % 2][y - cy[q]][x - cx[q]][q] * (1 - omega) + omega * equilibrium;
        }
      }
#pragma endscop
#pragma scop
  for (int i = 2; i < 38; i++)
    for (int p = 0; p < 3; p++) h[i] += tenths[p] * g[i + p - 1];
  for (int i = 2; i < 38; i++)
    for (int p = 0; p < 2; p++) h[i] += g[i + pairs[p][0]] * g[i - pairs[p][1]];
#pragma endscop
}

int main(void) {
  FILL(f, double);
  FILL(g, float);
  FILL(h, float);
  lbm(5, 0.6);
  ADD(f);
  ADD(h);
  PRINT();
  return 0;
}
