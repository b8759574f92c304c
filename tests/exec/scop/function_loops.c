/* Functions that count in loops of known numbers, with tables of their own, and whose branches set several
   variables. */
#include "check.h"
#define N 40
static double u[N], v[N], w[N];
static const double c[5] = {0.1, 0.2, 0.4, 0.2, 0.1};
static double lap(const double* p, int i) {
  double s = 0.0;
  for (int k = -2; k <= 2; k++) s += c[k + 2] * p[i + k];
  return s;
}
static double own(const double* p, int i, int r) {
  static const double a[3] = {0.5, 0.25, 0.125};
  const double b[3] = {1.0, 2.0, 3.0};
  double s = a[0] * p[i];
  int k;
  for (k = 1; k <= r; ++k) {
    s += a[k] * (p[i - k] + p[i + k]);
    if (k > 1) s -= b[k];
  }
  return s;
}
static double clamped(double x) {
  double y = x;
  if (y > 0.5)
    y = 0.5;
  else if (y < -0.5) {
    y = -0.5;
  }
  y *= 2.0;
  return y - 1;
}
static double upwind(const double* p, int i, double a) {
  int k = 0;
  if (a > 0) k = 1;
  return p[i - k + 1] - p[i - k];
}
static double largest(const double* p, int i) {
  double m = p[i - 2];
  for (int k = -1; k < 3; k += 1)
    if (p[i + k] > m) m = p[i + k];
  return m;
}
static int count(const double* p, int i) {
  int n = 0;
  for (int k = -1; k <= 1; k++)
    if (p[i + k] > 0) n++;
  return n;
}
static double nest2(const double* p, int i) {
  double s = 0;
  for (int a = 0; a < 2; a++)
    for (int b = 2; b > 0; b--) {
      if (a != b) {
        s += p[i + a - b];
      }
    }
  return s;
}
static void run(int n) {
#pragma scop
  for (int t = 0; t < 3; t++) {
    for (int i = 2; i < n - 2; i++)
      v[i] = lap(u, i) + own(u, i, 2) + clamped(u[i]) + upwind(u, i, w[i]);
    for (int i = 2; i < n - 2; i++)
      u[i] = 0.3 * v[i] + 0.1 * largest(v, i) + count(v, i) + nest2(v, i);
  }
#pragma endscop
}
int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  run(N);
  ADD(u);
  ADD(v);
  PRINT();
  return 0;
}
