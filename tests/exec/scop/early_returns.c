/* Functions that return early, and that pass on what their parameters point to; arrays that are
   only there where they are used. */
#include "check.h"
#define N 40
static double h[N], m[N], f[N], g[N], mask[N];

static void scale(double* a, double s) {
  *a *= s;
}

static void hll(double hl, double ml, double hr, double mr, double* f0, double* f1) {
  const double sl = ml / hl - 1.0, sr = mr / hr + 1.0;
  if (sl >= 0) {
    *f0 = ml;
    *f1 = ml * ml / hl;
    return;
  }
  if (sr <= 0) {
    *f0 = mr;
    *f1 = mr * mr / hr;
    return;
  } else {
    *f0 = (sr * ml - sl * mr) / (sr - sl);
  }
  *f1 = (sr * ml * ml / hl - sl * mr * mr / hr) / (sr - sl);
  scale(f1, 0.5);
}

static void sweep(double* to, const double* from, const double* weights, int weighted, int n) {
  if (n < 3) return;
  if (weighted)
    for (int i = 1; i < n - 1; i++) to[i] = weights[i] * from[i];
  for (int i = 1; i < n - 1; i++) to[i] = to[i] + from[i - 1];
}

static void run(const double* weights, int weighted, int n) {
#pragma scop
  for (int t = 0; t < 2; t++) {
    for (int i = 1; i < n; i++) hll(h[i - 1], m[i - 1], h[i], m[i], &f[i], &g[i]);
    for (int i = 1; i < n - 1; i++) {
      h[i] -= 0.1 * (f[i + 1] - f[i]);
      m[i] -= 0.1 * (g[i + 1] - g[i]);
    }
    sweep(f, g, weights, weighted, n);
  }
#pragma endscop
}

int main(void) {
  FILL(h, double);
  FILL(m, double);
  FILL(f, double);
  FILL(g, double);
  FILL(mask, double);
  for (int i = 0; i < N; i++) h[i] += 2.0;
  for (int i = 0; i < N; i++) m[i] *= 4.0;
  run(mask, 1, N);
  ADD(h);
  run(NULL, 0, N);
  run(mask, 1, 2);
  run(NULL, 1, 0);
  ADD(h);
  ADD(m);
  ADD(f);
  PRINT();
  return 0;
}
