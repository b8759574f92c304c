/* Conditions on unsigned numbers: differences below zero and negative signed numbers are large. */
#include <stddef.h>

#include "check.h"

#define N 24

static double u[N], v[N], w[N];

static void differences(void) {
#pragma scop
  for (size_t i = 0; i < N; i++) {
    if (i - 1 < 5) v[i] = u[i] + 1.0;
    if (i - 3 < N - 8) w[i] = 0.25 * u[i];
  }
#pragma endscop
}

static void named(void) {
#pragma scop
  for (unsigned i = 0; i < N; i++) {
    unsigned before = i - 2;
    if (before < N / 2) v[i] = 0.5 * v[i] + u[before];
    if (i > 2u * N - i || 2 - i <= 2) w[i] = w[i] + 3.0;
  }
#pragma endscop
}

static void signed_ones(void) {
#pragma scop
  for (int i = -4; i < 10; i++) {
    if (i < sizeof(u)) v[i + 4] = v[i + 4] * 1.5;
    if (i - 2 < sizeof(double)) w[i + 4] = w[i + 4] - 1.0;
    if (i != -1 && i > (unsigned)-3) u[i + 4] = 7.0;
  }
#pragma endscop
}

static void widened(void) {
#pragma scop
  for (unsigned i = 0; i < N; i++) {
    if ((long)(i - 1) < 3L) u[i] = 0.75 * u[i];
    if ((long)i - 1 < 3L) v[i] = v[i] - 0.5;
  }
#pragma endscop
}

static void quotients(void) {
#pragma scop
  for (size_t i = 1; i < N; i++) w[i] = w[i] + u[i - 1] * u[(i + N - 3) % N];
#pragma endscop
}

/* Sizes that are not known. */
static void sizes(size_t n, int most) {
#pragma scop
  for (size_t i = 0; i < n; i++) {
    if (i - 1 < 5) v[i] = v[i] + u[i];
    if (i < most) w[i] = w[i] * 2.0;
    if (i < n - 3) u[i] = u[i] - 0.25;
    if (i + 2 - n > i) v[i] = 0.5 * v[i];
    if (i < -2) w[i] = w[i] + 0.125;
  }
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  differences();
  ADD(v);
  ADD(w);
  named();
  ADD(v);
  ADD(w);
  signed_ones();
  ADD(u);
  ADD(v);
  ADD(w);
  widened();
  quotients();
  for (int n = 0; n <= N; n += 4)
    for (int most = -2; most < 30; most += 5) sizes((size_t)n, most);
  ADD(u);
  ADD(v);
  ADD(w);
  PRINT();
  return 0;
}
