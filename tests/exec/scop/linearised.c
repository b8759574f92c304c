#include "check.h"

#define IDX(i, j) ((i) * n + (j))
double u[31 * 47], v[31 * 47], w[5 * 6 * 7], x[5 * 6 * 7];

static void plane(int m, int n, const double* a, double* b) {
#pragma scop
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i * n + j] = a[i * n + j] + a[(i - 1) * n + j] + a[i * n + j + n] + a[IDX(i, j - 1)] +
                     a[IDX(i, j) + 1];
#pragma endscop
}

static void space(int l, int m, int n, const double* a, double* b) {
#pragma scop
  for (int k = 1; k < l - 1; k++)
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        int at = (k * m + i) * n + j;
        b[at] = a[at - 1] + a[at + 1] + a[at - n] + a[at + n] + a[at - m * n] + a[at + m * n];
      }
#pragma endscop
}

static void fixed(const double* a, double* b) {
#pragma scop
  for (int i = 1; i < 30; i++)
    for (int j = 1; j < 46; j++) b[i * 47 + j] = a[(i + 1) * 47 + j] - 2 * a[i * 47 + j - 1];
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(x, double);
  plane(31, 47, u, v);
  space(5, 6, 7, w, x);
  fixed(v, u);
  ADD(u);
  ADD(v);
  ADD(x);
  PRINT();
  return 0;
}
