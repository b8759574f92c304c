/* Shallow water by functions that set what pointers point to. */
#include "check.h"
#define M 12
#define N 14
static double h[M][N], hu[M][N], fh[M][N], fm[M][N];
static void riemann(double hl, double ml, double hr, double mr, double* f0, double* f1) {
  double ul = ml / hl, ur = mr / hr;
  double c = ul > ur ? ul : ur;
  *f0 = 0.5 * (ml + mr) - 0.5 * c * (hr - hl);
  *f1 = 0.5 * (ml * ul + mr * ur) - 0.5 * c * (mr - ml);
}
static double minmod(double a, double b) {
  if (a * b <= 0) return 0.0;
  if (a > 0) return a < b ? a : b;
  return a > b ? a : b;
}
static void slopes(double q[M][N], int j, int i, double* left, double* right) {
  double s = minmod(q[j][i] - q[j][i - 1], q[j][i + 1] - q[j][i]);
  *left = q[j][i] - 0.5 * s;
  *right = q[j][i] + 0.5 * s;
}
static void run(int steps, double dt) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < M; j++)
      for (int i = 2; i < N - 1; i++) {
        double hl, hr, ml, mr, unused;
        slopes(h, j, i - 1, &unused, &hl);
        slopes(h, j, i, &hr, &unused);
        slopes(hu, j, i - 1, &unused, &ml);
        slopes(hu, j, i, &mr, &unused);
        riemann(hl, ml, hr, mr, &fh[j][i], &fm[j][i]);
      }
    for (int j = 0; j < M; j++)
      for (int i = 2; i < N - 2; i++) {
        h[j][i] -= dt * (fh[j][i + 1] - fh[j][i]);
        hu[j][i] -= dt * (fm[j][i + 1] - fm[j][i]);
      }
  }
#pragma endscop
}
int main(void) {
  FILL(h, double);
  FILL(hu, double);
  FILL(fh, double);
  FILL(fm, double);
  for (int k = 0; k < M * N; k++) ((double*)h)[k] = 2 + ((double*)h)[k];
  run(4, 0.05);
  ADD(h);
  ADD(hu);
  ADD(fh);
  PRINT();
  return 0;
}
