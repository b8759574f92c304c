/* Functions with arrays and tables of their own, and with loops that go on or end. */
#include "check.h"
#define N 40
static double u[N], v[N], w[N];

static double weno(const double* p, int i) {
  static const double c[3][3] = {
      {1. / 3, -7. / 6, 11. / 6}, {-1. / 6, 5. / 6, 1. / 3}, {1. / 3, 5. / 6, -1. / 6}};
  static const double d[3] = {0.1, 0.6, 0.3};
  double q[3], b[3], a[3], sum = 0.0, value = 0.0;
  for (int r = 0; r < 3; r++) {
    q[r] = 0.0;
    for (int k = 0; k < 3; k++) q[r] += c[r][k] * p[i + r + k - 2];
    double second = p[i + r - 2] - 2.0 * p[i + r - 1] + p[i + r];
    double first = r == 0   ? p[i - 2] - 4.0 * p[i - 1] + 3.0 * p[i]
                   : r == 1 ? p[i - 1] - p[i + 1]
                            : 3.0 * p[i] - 4.0 * p[i + 1] + p[i + 2];
    b[r] = 13.0 / 12.0 * second * second + 0.25 * first * first;
  }
  for (int r = 0; r < 3; r++) {
    a[r] = d[r] / ((1e-6 + b[r]) * (1e-6 + b[r]));
    sum += a[r];
  }
  for (int r = 0; r < 3; r++) value += a[r] / sum * q[r];
  return value;
}

static double middle(double a, double b, double c) {
  double s[3] = {a, b, c};
  for (int k = 0, last = 2; k < last; k++) {
    for (int m = 0; m < 2 - k; m++) {
      if (s[m] > s[m + 1]) {
        double t = s[m];
        s[m] = s[m + 1];
        s[m + 1] = t;
      }
    }
  }
  return s[1];
}

static double skipped(const double* p, int i) {
  double s = 0.0;
  for (int k = -2, m = 3; k <= 2; k++, m--) {
    if (k == 0) continue;
    if (k > 1) break;
    s = k == -2 ? m * p[i + k] : s + m * p[i + k];
  }
  for (int k = 1; k < 3; k++) {
    if (p[i + k] < 0) break;
    s += p[i - k];
  }
  return s;
}

static void run(int n) {
#pragma scop
  for (int t = 0; t < 2; t++) {
    for (int i = 2; i < n - 3; i++) v[i] = weno(u, i) + middle(u[i - 1], u[i], w[i]);
    for (int i = 2; i < n - 3; i++) u[i] = 0.2 * skipped(v, i);
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
