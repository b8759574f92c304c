/* A lattice Boltzmann method with loops over directions outside of those over cells: they are
   written out, with the numbers of the constant arrays. */
#include "check.h"

#define NX 17
#define NY 12

static double f[9][NY][NX], g[9][NY][NX], rho[NY][NX], ux[NY][NX], uy[NY][NX];
static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weights[9] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                  1. / 36, 1. / 36, 1. / 36, 1. / 36};

static void pull(int steps, double omega) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        rho[j][i] = 0.0;
        ux[j][i] = 0.0;
        uy[j][i] = 0.0;
      }
    for (int q = 0; q < 9; q++)
      for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) {
          g[q][j][i] = f[q][j - cy[q]][i - cx[q]];
          rho[j][i] += g[q][j][i];
          ux[j][i] += cx[q] * g[q][j][i];
          uy[j][i] += cy[q] * g[q][j][i];
        }
    for (int q = 0; q < 9; q++)
      for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) {
          double cu = 3.0 * (cx[q] * ux[j][i] + cy[q] * uy[j][i]);
          f[q][j][i] = g[q][j][i] + omega * (weights[q] * rho[j][i] * (1.0 + cu) - g[q][j][i]);
        }
  }
#pragma endscop
}

/* Walls send everything back; around the edges everything comes in again. */
static void push(void) {
#pragma scop
  for (int q = 0; q < 9; q++)
    for (int i = 1; i < NX - 1; i++) f[q][0][i] = f[opposite[q]][1][i];
  for (int q = 0; q < 9; q++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++)
        g[q][j][i] = 0.5 * f[q][(j - cy[q] + NY) % NY][(i - cx[q] + NX) % NX];
#pragma endscop
}

int main(void) {
  FILL(f, double);
  FILL(g, double);
  pull(4, 0.7);
  push();
  ADD(f);
  ADD(g);
  ADD(rho);
  PRINT();
  return 0;
}
