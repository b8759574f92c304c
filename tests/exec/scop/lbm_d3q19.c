/* Lattice Boltzmann with 19 directions. */
#include "check.h"
#define L 7
#define M 8
#define N 9
#define Q 19
static const int cx[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int cy[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int cz[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
static const double w[Q] = {1. / 3,  1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18,
                            1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36,
                            1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
static double f[Q][L][M][N], g[Q][L][M][N];
static void run(int steps, double omega) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int k = 1; k < L - 1; k++)
      for (int j = 1; j < M - 1; j++)
        for (int i = 1; i < N - 1; i++) {
          double rho = 0, ux = 0, uy = 0, uz = 0;
          double in[Q];
          for (int q = 0; q < Q; q++) {
            in[q] = f[q][k - cz[q]][j - cy[q]][i - cx[q]];
            rho += in[q];
            ux += cx[q] * in[q];
            uy += cy[q] * in[q];
            uz += cz[q] * in[q];
          }
          ux /= rho;
          uy /= rho;
          uz /= rho;
          double uu = ux * ux + uy * uy + uz * uz;
          for (int q = 0; q < Q; q++) {
            double cu = cx[q] * ux + cy[q] * uy + cz[q] * uz;
            double feq = w[q] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * uu);
            g[q][k][j][i] = in[q] + omega * (feq - in[q]);
          }
        }
    for (int q = 0; q < Q; q++)
      for (int k = 1; k < L - 1; k++)
        for (int j = 1; j < M - 1; j++)
          for (int i = 1; i < N - 1; i++) f[q][k][j][i] = g[q][k][j][i];
  }
#pragma endscop
}
int main(void) {
  FILL(f, double);
  for (int n = 0; n < Q * L * M * N; n++) ((double*)f)[n] = 1 + 0.1 * ((double*)f)[n];
  run(3, 0.9);
  ADD(f);
  ADD(g);
  PRINT();
  return 0;
}
