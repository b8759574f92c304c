/* Functions whose statements take the places of their calls: sweeps of a time loop, updates of a
   cell, one that calls another, and one that returns a status. */
#include "check.h"

#define NX 21
#define NY 16

static double u[NY][NX], v[NY][NX], flat[NY * NX], other[NY * NX], energy[NY][NX];
static const double damping = 0.995;

static void sweep(const double *from, double *to, int m, int n, double alpha) {
  int i, j;
  for (j = 1; j < m - 1; j++)
    for (i = 1; i < n - 1; i++) {
      const double middle = from[j * n + i];
      double sum = from[(j - 1) * n + i] + from[(j + 1) * n + i];
      sum += from[j * n + i - 1] + from[j * n + i + 1];
      to[j * n + i] = middle + alpha * (sum - 4.0 * middle);
    }
}

static void edges(double *x, int m, int n) {
  for (int j = 0; j < m; j++) {
    x[j * n] = x[j * n + 1];
    x[j * n + n - 1] = x[j * n + n - 2];
  }
}

static void step(double *x, double *y, int m, int n, double alpha) {
  sweep(x, y, m, n, alpha);
  edges(y, m, n);
}

static void run(int steps, int m, int n, double *x, double *y) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    step(x, y, m, n, 0.2);
    step(y, x, m, n, 0.1);
  }
#pragma endscop
}

static int cell(double (*x)[NX], double (*y)[NX], int j, int i) {
  double left[2] = {x[j][i - 1], x[j - 1][i]};
  double slope = 0.0;
  for (int k = 0; k < 2; k++) slope += (x[j][i] - left[k]) * damping;
  if (slope > 0.1) slope = 0.1;
  y[j][i] = x[j][i] - slope;
  return 0;
}

static void cells(void) {
#pragma scop
  for (int t = 0; t < 4; t++) {
    for (int j = 1; j < NY - 1; j++)
      for (int i = 1; i < NX - 1; i++) {
        cell(u, v, j, i);
        energy[j][i] = 0.5 * v[j][i] * v[j][i];
      }
    for (int j = 1; j < NY - 1; j++)
      for (int i = 1; i < NX - 1; i++) cell(v, u, j, i);
  }
#pragma endscop
}

int main(void) {
  double *x = (double *)malloc(sizeof flat), *y = (double *)malloc(sizeof flat);
  FILL(u, double);
  FILL(v, double);
  FILL(flat, double);
  FILL(other, double);
  FILL(energy, double);
  for (int steps = 0; steps < 4; steps++) run(steps, NY, NX, flat, other);
  memcpy(x, flat, sizeof flat);
  memcpy(y, other, sizeof other);
  run(3, 11, 13, x, y);
  cells();
  ADD(u);
  ADD(v);
  ADD(flat);
  ADD(other);
  ADD(energy);
  add_bytes(x, sizeof flat);
  add_bytes(y, sizeof flat);
  PRINT();
  free(x);
  free(y);
  return 0;
}
